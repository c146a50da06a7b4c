//! Source locations of a kernel's operations.

/// A location in a kernel's source. The macro emits one static for each operation that can fault or owns storage.
#[derive(Debug, PartialEq, Eq)]
pub struct Location {
    /// The file, as `file!()` returns it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Distinguishes operations of one function to which a macro gave the same position.
    pub id: u32,
}
