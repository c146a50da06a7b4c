//! Why a thread of a kernel stopped.

use std::fmt;

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
    /// The threads of a block wait for each other, and none can go on. Found by the CPU device; a GPU waits for ever.
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
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Waiting { threads, operation, file, line, column, mask, missing } = self;
        let plural = if *threads == 1 { "" } else { "s" };
        write!(f, "{threads} thread{plural} at `{operation}` ({file}:{line}:{column})")?;
        match mask {
            Some(mask) => write!(f, ", whose mask {mask:#010x} names the lanes {missing:#010x} that do not come"),
            None => Ok(()),
        }
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
