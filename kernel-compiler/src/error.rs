//! Compile errors. Each consists of three parts: the message, the reason, and the suggested remedy.

use std::fmt;

use crate::ir::Span;

/// All errors of a program, ordered by function and line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors(pub Vec<Error>);

impl Errors {
    /// Returns the errors unless there are none.
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

/// A single error and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The function's name in the user's source.
    pub function: String,
    /// The source file, as `file!()` reports it.
    pub file: String,
    /// The position in that file.
    pub span: Span,
    /// The message.
    pub diagnostic: Diagnostic,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { function, file, span, diagnostic } = self;
        writeln!(f, "error: {diagnostic}")?;
        write!(f, "       at {file}:{}:{} in `{function}`", span.line, span.column)
    }
}

impl std::error::Error for Error {}

/// A message in the user's own names: lower case, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The construct that is rejected.
    pub message: String,
    /// The reason.
    pub why: String,
    /// The remedy.
    pub help: String,
}

impl Diagnostic {
    /// Returns a message with the given parts.
    pub(crate) fn new(message: impl Into<String>, why: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), why: why.into(), help: help.into() }
    }

    /// Returns an error for an inconsistent program. rustc accepted the program, so the user cannot have caused it.
    pub(crate) fn inconsistent(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(
            message,
            "the IR that `#[kernel]` emitted does not match the types that rustc inferred: this is a bug in Cumbia",
            "rebuild with `cargo clean`, and report the bug if the error persists",
        )
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { message, why, help } = self;
        write!(f, "{message}\n       why: {why}\n       help: {help}")
    }
}
