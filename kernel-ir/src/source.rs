//! What the writer gives: the text, and what the host has to know about it.

use std::fmt;

use crate::ir::{Piece, Span, Type};

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
///     args: [u64; cumbia_kernel_ir::PANIC_ARGS], // the numbers of a message: see `Text`
/// }
/// assert_eq!(size_of::<Fault>(), cumbia_kernel_ir::FAULT_RECORD_BYTES);
/// ```
pub const FAULT_RECORD_BYTES: usize = 56 + 8 * PANIC_ARGS;

/// How many numbers of a panic's message the record has room for. Those after them are not kept.
pub const PANIC_ARGS: usize = 6;

/// The bytes of the kernel's last parameter, where [`Source::takes_launch`] says that there is one.
///
/// ```
/// #[repr(C)]
/// struct Launch {
///     fault: u64,       // the device's address of a `Fault` in memory that the host can read
///     print: u64,       // the device's address of a `Print`, or 0: then nothing is printed
///     grid_barrier: u64, // the device's address of a `u64` that the host has zeroed, if the launch is cooperative and the
///                       // program has a `sync_grid()`: see `Facts::syncs_grid`; else 0
///     kernel: u32,      // what the records are to name as the kernel
/// }
/// assert_eq!(size_of::<Launch>(), cumbia_kernel_ir::LAUNCH_BYTES);
/// ```
pub const LAUNCH_BYTES: usize = 32;

/// The bytes before the words of the buffer that `println!` appends to. The host zeroes all of it but `capacity`.
///
/// ```
/// #[repr(C)]
/// struct Print {
///     used: u32,        // words that are taken; above `capacity` once something did not fit
///     capacity: u32,    // how many words there are
///     lost: u32,        // messages that did not fit
///     pad: u32,
///     // words: [u64; capacity]
/// }
/// assert_eq!(size_of::<Print>(), cumbia_kernel_ir::PRINT_HEADER_BYTES);
/// ```
///
/// A message takes [`PRINT_WORDS`] words, and one more for each of its numbers:
///
/// ```text
/// 0   site + 1        | kernel << 32
/// 1   block.x         | block.y << 32
/// 2   block.z         | thread.x << 32
/// 3   thread.y        | thread.z << 32
/// 4.. a number's bits, in the low end; what is above them may be anything
/// ```
///
/// Messages follow each other without a gap. The first word that is zero, or the capacity, is the end.
pub const PRINT_HEADER_BYTES: usize = 16;

/// The words of a message in the buffer of [`PRINT_HEADER_BYTES`], before its numbers.
pub const PRINT_WORDS: usize = 4;

/// How to write a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether an index outside an array is a fault. Without, it is undefined behaviour, as in `#[kernel(unchecked)]`.
    pub bounds_checks: bool,
    /// The most threads of a block, and the least blocks that a multiprocessor is to have room for: CUDA's
    /// `__launch_bounds__`.
    pub launch_bounds: Option<(u32, Option<u32>)>,
    /// The threads of each block along x, y and z, where they are always the same: they are numbers in the text then. Whoever
    /// launches the kernel sees to it.
    pub block: Option<[u32; 3]>,
    /// The elements of each view that the kernel is given follow each other, the last index fastest: its strides are not
    /// looked at. Whoever launches the kernel has seen that it is so.
    pub contiguous_views: bool,
}

impl Default for Options {
    /// Those of a kernel without options.
    fn default() -> Self {
        Options { bounds_checks: true, launch_bounds: None, block: None, contiguous_views: false }
    }
}

/// A program as CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text, without includes.
    pub text: String,
    /// The name of the kernel in it.
    pub entry: String,
    /// Where the program can fault or print; the records hold a position in this table.
    pub sites: Vec<Site>,
    /// Whether the kernel takes an `rt::Launch` after the user's parameters.
    pub takes_launch: bool,
    /// Whether it can print, so that the launch needs a buffer.
    pub prints: bool,
}

/// A place in the source that can fault or print.
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
    /// A sub-slice begins at the record's `index`, behind its end, which is the record's `len`.
    RangeReversed,
    /// A sub-slice begins at the record's `index`, behind the slice's `len`.
    RangeStartOutside,
    /// A sub-slice ends at the record's `index`, behind the slice's `len`; or its last element, where that belongs to it.
    RangeEndOutside,
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
    /// A panic with this message, the user's or the standard library's. Its numbers are in the record's `args`.
    Panic(Text),
    /// No fault: a message for the host to print, with its numbers in the buffer of [`PRINT_HEADER_BYTES`].
    Print(Text),
}

impl SiteKind {
    /// A panic with a message that has no numbers in it.
    pub fn panic(message: impl Into<String>) -> SiteKind {
        SiteKind::Panic(Text { pieces: vec![Piece::Text(message.into())], args: Vec::new() })
    }
}

/// A message, and what its numbers are: the host formats it, by Rust's own rules. An enum is its variant's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// In order. A position is one among `args`.
    pub pieces: Vec<Piece>,
    /// The type of each argument that is recorded, a number, a `bool` or an enum; its bits are in the low end of a `u64`,
    /// and what is above them may be anything.
    pub args: Vec<Type>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Number { position: _, format } if format.is_empty() => f.write_str("{}")?,
                Piece::Number { position: _, format } => write!(f, "{{:{format}}}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for SiteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SiteKind::OutOfBounds => f.write_str("index out of bounds"),
            SiteKind::RangeReversed => f.write_str("slice index starts behind its end"),
            SiteKind::RangeStartOutside => f.write_str("range start index out of range for slice"),
            SiteKind::RangeEndOutside => f.write_str("range end index out of range for slice"),
            SiteKind::DivisionByZero => f.write_str("attempt to divide by zero"),
            SiteKind::RemainderByZero => f.write_str("attempt to calculate the remainder with a divisor of zero"),
            SiteKind::Overflow(text) => f.write_str(text),
            SiteKind::DynamicSharedMisaligned => f.write_str("dynamic shared memory: the offset is misaligned"),
            SiteKind::DynamicSharedOutside => f.write_str("dynamic shared memory: the part is outside"),
            SiteKind::Panic(text) | SiteKind::Print(text) => text.fmt(f),
        }
    }
}
