//! Function bodies that the user wrote in CUDA C: emitting them, and locating them in the text, so that NVRTC's
//! diagnostics can be attributed to the user's source.

use std::fmt::Write;
use std::ops::Range;

use super::literal;
use crate::ir::CudaC;

/// The prefix of the comment that precedes such a body.
const MARK: &str = "// CUDA C of ";

/// A body in CUDA C that a source contains: a result of [`crate::user_texts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserText {
    /// The name of the function.
    pub function: String,
    /// The source file, as NVRTC reports it.
    pub file: String,
    /// The range of lines in that file.
    pub lines: Range<u32>,
}

/// Prints a body.
pub(super) fn write(text: &mut String, function: &str, file: &str, cuda: &CudaC) {
    let body = cuda.text.trim_end();
    // A single line is indented; several lines keep the user's indentation.
    let indent = if body.contains('\n') { "" } else { "    " };
    let _ = writeln!(text, "{MARK}{function}, {} lines", body.lines().count());
    let _ = writeln!(text, "#line {} {}", cuda.line.max(1), literal::string(file));
    let _ = writeln!(text, "{indent}{body}");
}

/// Returns the user's bodies in a text, in order.
pub(crate) fn find(text: &str) -> Vec<UserText> {
    let mut lines = text.lines();
    std::iter::from_fn(|| lines.by_ref().find_map(|line| line.strip_prefix(MARK)).map(|mark| (mark, lines.next())))
        .filter_map(|(mark, directive)| {
            let (function, count) = mark.strip_suffix(" lines")?.rsplit_once(", ")?;
            let (line, file) = directive?.strip_prefix("#line ")?.split_once(' ')?;
            let (start, count): (u32, u32) = (line.parse().ok()?, count.parse().ok()?);
            let file = file.trim_matches('"').replace("\\\\", "\\");
            Some(UserText { function: function.to_owned(), file, lines: start..start.saturating_add(count) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emitted_bodies_are_located() {
        let mut text = String::from("#line 1 \"a.rs\"\nvoid f() {\n");
        write(&mut text, "f", "src\\a.rs", &CudaC { text: "\nint x;\nreturn x;\n".to_owned(), line: 7 });
        text.push_str("}\nvoid g() {\n");
        write(&mut text, "g<u32, 4>", "b.rs", &CudaC { text: "return;".to_owned(), line: 20 });
        text.push_str("}\n");
        let found = [("f", "src\\a.rs", 7..10), ("g<u32, 4>", "b.rs", 20..21)];
        let found =
            found.map(|(function, file, lines)| UserText { function: function.into(), file: file.into(), lines });
        assert_eq!(find(&text), found);
        assert!(find("// CUDA C of what, no lines\n#line 1").is_empty());
    }
}
