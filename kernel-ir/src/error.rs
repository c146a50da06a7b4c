//! What can be wrong with a program, in the three parts of every message: what, why, and what to write instead.

use std::fmt;

use crate::ir::Span;

/// All that is wrong with a program, in the order of its functions and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors(pub Vec<Error>);

impl Errors {
    /// Stops here if there is an error.
    pub(crate) fn propagate(self) -> Result<(), Errors> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The name of the function, as the user wrote it.
    pub function: String,
    /// The source file, as `file!()` gives it.
    pub file: String,
    /// The position in that file.
    pub span: Span,
    /// The message.
    pub what: What,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { function, file, span, what } = self;
        writeln!(f, "error: {what}")?;
        write!(f, "       at {file}:{}:{} in `{function}`", span.line, span.column)
    }
}

impl std::error::Error for Error {}

/// A message: lower case, no full stop, in the user's own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct What {
    /// What is refused.
    pub message: String,
    /// The reason.
    pub why: String,
    /// What to write instead.
    pub help: String,
}

impl What {
    /// A message of its three parts.
    pub(crate) fn new(message: impl Into<String>, why: impl Into<String>, help: impl Into<String>) -> What {
        What { message: message.into(), why: why.into(), help: help.into() }
    }

    /// The program contradicts itself. rustc accepted it, so the user cannot have caused this.
    pub(crate) fn inconsistent(message: impl Into<String>) -> What {
        What::new(
            message,
            "what `#[kernel]` wrote down and what rustc inferred do not agree: this is a bug in Cumbia",
            "rebuild with `cargo clean`, and please report it if it stays",
        )
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let What { message, why, help } = self;
        write!(f, "{message}\n       why: {why}\n       help: {help}")
    }
}
