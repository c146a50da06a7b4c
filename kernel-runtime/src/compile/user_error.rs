//! Attribution of NVRTC's errors to CUDA C and symbols of linked functions written by the user.

use cumbia_kernel_compiler::{linked_symbols, user_texts};

use crate::error::CompileError;

/// Returns the error if the first one in the log is located in CUDA C written by the user, or at the declaration of a linked
/// function.
pub(super) fn find(kernel: &str, source: &str, log: &str) -> Option<CompileError> {
    let (file, line, message) = log.lines().find_map(parse_error)?;
    if let Some(symbol) = linked_symbols(source).into_iter().find(|symbol| symbol.file == file && symbol.line == line) {
        return Some(CompileError::SymbolRejected {
            kernel: kernel.to_owned(),
            symbol: symbol.name,
            file: symbol.file,
            line,
            message: message.to_owned(),
        });
    }
    let text = user_texts(source).into_iter().find(|text| text.file == file && text.lines.contains(&line))?;
    Some(CompileError::CudaCRejected {
        kernel: kernel.into(),
        function: text.function.into(),
        file: text.file.into(),
        line,
        message: message.to_owned(),
        log: log.to_owned(),
    })
}

/// Splits a line such as `src/lib.rs(12): error: identifier "z" is undefined` into file, line and message.
fn parse_error(line: &str) -> Option<(&str, u32, &str)> {
    let (position, message) = line.split_once("): ")?;
    let (file, line) = position.rsplit_once('(')?;
    let message = message.strip_prefix("catastrophic ").unwrap_or(message).strip_prefix("error")?;
    // Some errors have a number: `error #20: ..`
    let (_, message) = message.split_once(": ")?;
    Some((file, line.parse().ok()?, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "#line 3 \"src/lib.rs\"\nvoid sad() {\n// CUDA C of sad, 2 lines\n#line 7 \"src/lib.rs\"\nint x = y;\nreturn;\n}\n";

    #[track_caller]
    fn check(log: &str, expected: Option<(u32, &str)>) {
        match (find("k", SOURCE, log), expected) {
            (Some(CompileError::CudaCRejected { function, line, message, .. }), Some(expected)) => {
                assert_eq!((&*function, line, message.as_str()), ("sad", expected.0, expected.1));
            }
            (found, expected) => assert!(found.is_none() && expected.is_none(), "{found:?}"),
        }
    }

    #[test]
    fn the_first_error_decides() {
        let undefined = "src/lib.rs(7): warning #550-D: variable \"x\" was set but never used\n\nsrc/lib.rs(8): error: identifier \"y\" is undefined\n  int x = y;";
        check(undefined, Some((8, "identifier \"y\" is undefined")));
        check("src/lib.rs(7): error #20: identifier \"y\" is undefined", Some((7, "identifier \"y\" is undefined")));
        check("src/lib.rs(3): error: of ours\nsrc/lib.rs(7): error: of the user's", None);
        check("src/other.rs(7): error: of another file", None);
        check("nothing that is known", None);
    }

    #[test]
    fn errors_at_a_declaration_are_about_the_symbol() {
        let source = "#line 3 \"src/lib.rs\"\nextern \"C\" __device__ types::S __brevll(float x);\n\n#line 9 \"src/lib.rs\"\nvoid f() {}\n";
        let log = |line: u32| format!("src/lib.rs({line}): error: more than one instance of overloaded function");
        match find("k", source, &log(3)) {
            Some(CompileError::SymbolRejected { symbol, line: 3, .. }) => assert_eq!(symbol, "__brevll"),
            other => panic!("{other:?}"),
        }
        assert!(find("k", source, &log(9)).is_none());
    }
}
