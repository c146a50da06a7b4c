//! Options of the emitted text, and the metadata that the host needs to launch it and to interpret its fault and print
//! records.

use std::fmt;
use std::num::NonZeroU32;

use crate::ir::{Piece, Span, Text};
use crate::verdict::Verdict;

/// The size in bytes of the fault record, which the first faulting thread fills.
///
/// ```
/// #[repr(C)]
/// struct Fault {
///     flag: u32,        // 0 until a thread claims the record
///     kernel: u32,      // of the `Launch`
///     site: u32,        // an index into `Source::sites`
///     block: [u32; 3],
///     thread: [u32; 3],
///     pad: u32,
///     index: u64,       // the index, for an out-of-bounds fault
///     len: u64,         // the length
///     args: [u64; cumbia_kernel_compiler::PANIC_ARGS], // the arguments of a message: see `Text`
/// }
/// assert_eq!(size_of::<Fault>(), cumbia_kernel_compiler::FAULT_RECORD_BYTES);
/// ```
pub const FAULT_RECORD_BYTES: usize = 56 + 8 * PANIC_ARGS;

/// The maximum number of words of message arguments that a fault record holds. Further words are dropped.
pub const PANIC_ARGS: usize = 6;

/// The size in bytes of the kernel's last, hidden parameter, which exists if [`Source::takes_launch`] is set.
///
/// [`Source::takes_launch`]: crate::Source::takes_launch
///
/// ```
/// #[repr(C)]
/// struct Launch {
///     fault: u64,       // device address of a `Fault` in memory that the host can read
///     print: u64,       // device address of a `Print`, or 0 if printing is disabled
///     grid_barrier: u64, // device address of a `u64` that the host has zeroed, if the launch is cooperative and the
///                       // program calls `sync_grid()` (see `Facts::syncs_grid`); otherwise 0
///     kernel: u32,      // the kernel's number, copied into the records
///     blocks: u32,      // the extent of the launch's grid along the axis of `Source::coarsening`, for a coarsened text
/// }
/// assert_eq!(size_of::<Launch>(), cumbia_kernel_compiler::LAUNCH_BYTES);
/// ```
pub const LAUNCH_BYTES: usize = 32;

/// The size in bytes of the header of the buffer that `println!` appends to. The words follow it. The host zeroes the
/// whole buffer except `capacity`.
///
/// ```
/// #[repr(C)]
/// struct Print {
///     used: u32,        // words reserved; exceeds `capacity` after a message did not fit
///     capacity: u32,    // the number of words
///     lost: u32,        // messages that did not fit
///     pad: u32,
///     // words: [u64; capacity]
/// }
/// assert_eq!(size_of::<Print>(), cumbia_kernel_compiler::PRINT_HEADER_BYTES);
/// ```
///
/// A message takes [`PRINT_WORDS`] words, plus one for each argument:
///
/// ```text
/// 0   site + 1        | kernel << 32
/// 1   block.x         | block.y << 32
/// 2   block.z         | thread.x << 32
/// 3   thread.y        | thread.z << 32
/// 4.. an argument's bits, in the low-order bits; the remaining bits are unspecified
/// ```
///
/// Messages are contiguous. The end is marked by the first word that is zero, or by the capacity.
pub const PRINT_HEADER_BYTES: usize = 16;

/// The number of words that precede a message's arguments in the print buffer (see [`PRINT_HEADER_BYTES`]).
pub const PRINT_WORDS: usize = 4;

/// Options of code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether an index outside an array is a fault. If not, it is undefined behaviour, as in `#[kernel(unchecked)]`.
    pub bounds_checks: bool,
    /// The maximum number of threads per block and, optionally, the minimum number of resident blocks per
    /// multiprocessor: CUDA's `__launch_bounds__`.
    pub launch_bounds: Option<(u32, Option<u32>)>,
    /// Whether the compilation limits the registers of a thread by an option, which NVRTC ignores beside launch bounds.
    pub registers_limited: bool,
    /// The block dimensions along x, y and z, if they are the same for every launch. They are then constants in the
    /// generated source. The caller guarantees that every launch uses them.
    pub block: Option<[u32; 3]>,
    /// Whether every view passed to the kernel is contiguous in row-major order (the last index varies fastest), so
    /// that strides are ignored. The caller guarantees it.
    pub contiguous_views: bool,
    /// The variant to print.
    pub variant: Variant,
    /// The groups of checks that the variant omits, of those that it can. A group of checks is a bit of the [`Verdict`] that the
    /// [`Source::predicate`] of [`Variant::Checked`] evaluates to.
    ///
    /// [`Source::predicate`]: crate::Source::predicate
    pub groups: Verdict,
    /// The number of logical blocks, those of the launch, that a CUDA block executes, if [`Source::coarsening`] is `Ok`:
    /// otherwise it is ignored. The grid of CUDA blocks is the launch's, divided by this number and rounded up, along
    /// [`Coarsening::axis`](crate::Coarsening::axis); the extent of the launch's grid along that axis is in the launch parameter.
    ///
    /// [`Source::coarsening`]: crate::Source::coarsening
    pub coarsen: Option<NonZeroU32>,
}

/// A variant of a program: its source with all checks, or without those that a condition on the launch makes redundant.
/// The variants of a program have the same entry, parameters and sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// As [`Variant::Proven`], with numbers of type `usize` and `isize` computed with 32 bits where they fit. The caller
    /// guarantees the [`Source::predicate`] of this source, which includes that they do.
    ///
    /// [`Source::predicate`]: crate::Source::predicate
    Narrow,
    /// Without the checks that the [`Source::predicate`] proves, as far as they are in [`Options::groups`]. The caller
    /// guarantees that the verdict of every launch includes these groups.
    ///
    /// [`Source::predicate`]: crate::Source::predicate
    Proven,
    /// With all checks that are not proved for every launch.
    Checked,
}

impl Variant {
    /// The variants, in order of preference. The last one is valid for every launch.
    pub const ALL: [Variant; 3] = [Variant::Narrow, Variant::Proven, Variant::Checked];
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Variant::Narrow => "narrow",
            Variant::Proven => "proven",
            Variant::Checked => "checked",
        })
    }
}

impl Default for Options {
    /// The options of a kernel without attributes.
    fn default() -> Self {
        Options {
            bounds_checks: true,
            launch_bounds: None,
            registers_limited: false,
            block: None,
            contiguous_views: false,
            variant: Variant::Checked,
            groups: Verdict::ALL,
            coarsen: None,
        }
    }
}

/// A source location that can fault or print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The function's name in the user's source.
    pub function: String,
    /// The source file, as `file!()` reports it.
    pub file: String,
    /// The position in that file.
    pub span: Span,
    /// The kind of the fault, or a print.
    pub kind: SiteKind,
}

/// The kind of a [`Site`]. Its `Display` is Rust's own message for the fault, without run-time values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// The record's `index` is not below its `len`.
    OutOfBounds,
    /// The range's start, the record's `index`, is greater than its end, the record's `len`.
    RangeReversed,
    /// The range's start, the record's `index`, is greater than the slice's `len`.
    RangeStartOutside,
    /// The range's end, the record's `index`, is greater than the slice's `len`. For an inclusive range, `index` is the
    /// last element's.
    RangeEndOutside,
    /// `x / 0`
    DivisionByZero,
    /// `x % 0`
    RemainderByZero,
    /// Rust's message, for example "attempt to add with overflow".
    Overflow(&'static str),
    /// `dynamic_shared_at` with an offset, the record's `index`, that is not a multiple of the type's alignment, the
    /// record's `len`.
    DynamicSharedMisaligned,
    /// `dynamic_shared_at` with a part that begins at the record's `index` and exceeds the `len` bytes of dynamic
    /// shared memory of the launch.
    DynamicSharedOutside,
    /// A panic with this message, the user's or the standard library's. Its arguments are in the record's `args`.
    Panic(Text),
    /// Not a fault: a message that the host prints. Its arguments are in the print buffer (see [`PRINT_HEADER_BYTES`]).
    Print(Text),
}

impl SiteKind {
    /// Returns a panic whose message has no arguments.
    pub fn panic(message: impl Into<String>) -> SiteKind {
        SiteKind::Panic(Text { pieces: vec![Piece::Text(message.into())], args: Vec::new() })
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
