//! Why a thread of a kernel stopped.

use std::fmt;

use crate::dim::Dim3;

/// Why a thread stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An index that is not below the length.
    IndexOutOfBounds {
        /// The index.
        index: u64,
        /// The length of what was indexed.
        len: u64,
    },
    /// An integer divided by zero, or the remainder of such a division.
    DivisionByZero,
    /// Integer arithmetic that overflowed, in Rust's words: `attempt to add with overflow`.
    Overflow(String),
    /// A `panic!`, or an assertion that did not hold, with its message.
    Panic(String),
    /// The threads of a block wait for each other, or for threads that have ended, and none can go on. Found by the CPU
    /// device; on a GPU the behaviour is undefined, and such threads may wait for ever.
    Deadlock(Vec<Waiting>),
}

/// Threads of a block that wait at one place, in a [`FaultKind::Deadlock`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// How many threads of the block wait here.
    pub threads: usize,
    /// The operation at which they wait, such as `sync_threads`.
    pub operation: &'static str,
    /// The source file of its call, as `file!()` gives it.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// The lanes that an operation of the warp waits for.
    pub mask: Option<u32>,
    /// Of these, those that do not come, in the first of the warps that wait here.
    pub missing: u32,
    /// The threads of the block that ended without coming here. At a barrier of the block, these are the threads that
    /// reached the end of the kernel; one that left it by `return` or a fault is not waited for. At `sync_grid`, those that
    /// returned count too.
    pub ended_threads: usize,
    /// The index of the first of these in the block.
    pub first_ended: Option<Dim3>,
    /// At `sync_grid`: the blocks of the grid that ended without coming here.
    pub ended_blocks: u64,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Waiting { threads, operation, file, line, column, mask, missing, .. } = self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        write!(f, "{threads} thread{} at `{operation}` ({file}:{line}:{column})", plural(*threads as u64))?;
        if let Some(mask) = mask {
            write!(f, ", whose mask {mask:#010x} names the lanes {missing:#010x} that do not come")?;
        }
        let &Waiting { ended_threads, first_ended, ended_blocks, .. } = self;
        if let Some(first) = first_ended {
            let plural = plural(ended_threads as u64);
            write!(f, ", which {ended_threads} thread{plural} of the block ended without reaching, {first} first")?;
        }
        if ended_blocks > 0 {
            write!(f, ", which {ended_blocks} block{} of the grid ended without reaching", plural(ended_blocks))?;
        }
        Ok(())
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::IndexOutOfBounds { index, len } => {
                write!(f, "index out of bounds: the length is {len} but the index is {index}")
            }
            FaultKind::DivisionByZero => f.write_str("attempt to divide by zero"),
            FaultKind::Overflow(message) | FaultKind::Panic(message) => f.write_str(message),
            FaultKind::Deadlock(waits) => {
                f.write_str("the threads of the block wait for each other, and none can go on: ")?;
                for (i, waiting) in waits.iter().enumerate() {
                    let separator = if i == 0 { "" } else { "; " };
                    write!(f, "{separator}{waiting}")?;
                }
                Ok(())
            }
        }
    }
}
