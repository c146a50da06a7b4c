//! Places in the user's source.

/// A place in a kernel's source. The macro makes one, as a static, for each operation that can fault or owns storage.
#[derive(Debug, PartialEq, Eq)]
pub struct At {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// Tells the places of one function apart, where a macro wrote two at one position.
    pub id: u32,
}
