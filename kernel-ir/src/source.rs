//! What the writer gives: the text, and what the host has to know about it.

use std::fmt;

use crate::ir::Span;

/// The bytes of the record that a faulting thread fills.
///
/// ```
/// #[repr(C)]
/// struct Fault {
///     flag: u32,        // 0 until a thread claims the record
///     kernel: u32,      // of the `Launch`
///     site: u32,        // a position in `Source::sites`
///     block: [u32; 3],
///     thread: [u32; 3],
///     pad: u32,
///     index: u64,       // what was out of bounds, where that is the fault
///     len: u64,         // the length
/// }
/// assert_eq!(size_of::<Fault>(), cumbia_kernel_ir::FAULT_RECORD_BYTES);
/// ```
pub const FAULT_RECORD_BYTES: usize = 56;

/// The bytes of the kernel's last parameter, where [`Source::can_fault`] says that there is one.
///
/// ```
/// #[repr(C)]
/// struct Launch {
///     fault: u64,       // the device's address of a `Fault` in memory that the host can read
///     kernel: u32,      // what the record is to name as the kernel
/// }
/// assert_eq!(size_of::<Launch>(), cumbia_kernel_ir::LAUNCH_BYTES);
/// ```
pub const LAUNCH_BYTES: usize = 16;

/// How to write a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether an index outside an array is a fault. Without, it is undefined behaviour, as in `#[kernel(unchecked)]`.
    pub bounds_checks: bool,
}

/// A program as CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text, without includes.
    pub text: String,
    /// The name of the kernel in it.
    pub entry: String,
    /// Where the program can fault; a fault's record holds a position in this table.
    pub sites: Vec<Site>,
    /// Whether the kernel takes an `rt::Launch` after the user's parameters.
    pub can_fault: bool,
}

/// A place in the source that can fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The function, as the user named it.
    pub function: String,
    /// The source file, as `file!()` gives it.
    pub file: String,
    /// The position in that file.
    pub span: Span,
    /// What went wrong.
    pub kind: SiteKind,
}

/// What a fault at a [`Site`] means. Its `Display` is Rust's own message, where Rust has one that needs no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// The record's `index` is not below its `len`.
    OutOfBounds,
    /// `x / 0`
    DivisionByZero,
    /// `x % 0`
    RemainderByZero,
    /// Rust's own text, as in "attempt to add with overflow".
    Overflow(&'static str),
    /// `dynamic_shared_at` with an offset, the record's `index`, that the type's alignment, the record's `len`, does
    /// not divide.
    DynamicSharedMisaligned,
    /// `dynamic_shared_at` with a part that begins at the record's `index` and does not fit into the `len` bytes that the
    /// launch gave.
    DynamicSharedOutside,
    /// A panic with this message, the user's or the standard library's.
    Panic(String),
}

impl fmt::Display for SiteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SiteKind::OutOfBounds => f.write_str("index out of bounds"),
            SiteKind::DivisionByZero => f.write_str("attempt to divide by zero"),
            SiteKind::RemainderByZero => f.write_str("attempt to calculate the remainder with a divisor of zero"),
            SiteKind::Overflow(text) => f.write_str(text),
            SiteKind::DynamicSharedMisaligned => f.write_str("dynamic shared memory: the offset is misaligned"),
            SiteKind::DynamicSharedOutside => f.write_str("dynamic shared memory: the part is outside"),
            SiteKind::Panic(message) => f.write_str(message),
        }
    }
}
