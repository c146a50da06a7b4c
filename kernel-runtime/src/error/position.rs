//! Source locations in kernels and device functions.

use std::fmt;

/// A source location in a kernel or device function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The source file, in the form of `file!()`.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The function that contains the location.
    pub function: String,
    /// The function that is called there, for the calls of a recursion.
    pub callee: Option<String>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { file, line, column, function, callee } = self;
        write!(f, "{file}:{line}:{column} in `{function}`")?;
        callee.as_ref().map_or(Ok(()), |callee| write!(f, ", which calls `{callee}`"))
    }
}

impl From<cumbia_kernel_compiler::Site> for Position {
    fn from(cumbia_kernel_compiler::Site { function, file, span, kind: _ }: cumbia_kernel_compiler::Site) -> Self {
        Position { file, line: span.line, column: span.column, function, callee: None }
    }
}
