//! Fault kinds: the run-time errors of a kernel's thread.

use std::fmt;
use std::io;

use crate::dim::Dim3;

/// The panic message of [`dynamic_shared_at`](crate::intrinsics::dynamic_shared_at) for an invalid range.
pub const DYNAMIC_SHARED: &str = "a range of dynamic shared memory is out of bounds or misaligned for its elements";

/// The run-time error that stopped a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An index out of bounds.
    IndexOutOfBounds {
        /// The index.
        index: u64,
        /// The length of the indexed slice or array.
        len: u64,
    },
    /// An integer division by zero, or its remainder.
    DivisionByZero,
    /// Integer overflow, with Rust's message: `attempt to add with overflow`.
    Overflow(Box<str>),
    /// A `panic!` or a failed assertion, with its message.
    Panic(Box<str>),
    /// A deadlock: all threads of a block wait for each other, or for threads that have ended. Detected by the CPU device; on a
    /// GPU the behaviour is undefined, and such threads may wait forever.
    Deadlock(Vec<Waiting>),
    /// The CPU device could not allocate the stack of a thread.
    NoStack(io::ErrorKind),
    /// A GPU's fault record names a kernel or a fault site that does not exist: it was overwritten.
    CorruptRecord {
        /// The recorded number of the kernel.
        kernel: u32,
        /// The recorded number of the site.
        site: u32,
    },
}

/// Threads of a block that wait at the same operation, in a [`FaultKind::Deadlock`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The number of waiting threads of the block.
    pub threads: usize,
    /// The operation that they wait at, such as `sync_threads`.
    pub operation: &'static str,
    /// The source file of its call, in the form of `file!()`.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// The mask of a warp operation: the lanes that have to participate.
    pub mask: Option<u32>,
    /// The lanes of the mask that do not participate, in the first of the waiting warps.
    pub missing: u32,
    /// The number of threads of the block that ended without reaching the operation. At a block-wide barrier, these are the
    /// threads that reached the end of the kernel; a barrier does not wait for threads that left it by `return` or a fault. At
    /// `sync_grid`, threads that returned count too.
    pub ended_threads: usize,
    /// The index of the first of these threads in the block.
    pub first_ended: Option<Dim3>,
    /// At `sync_grid`: the number of blocks that ended without reaching it.
    pub ended_blocks: u64,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Waiting { threads, operation, file, line, column, mask, missing, .. } = self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let waiting = if *threads == 1 { "thread waits" } else { "threads wait" };
        write!(f, "{threads} {waiting} at `{operation}` ({file}:{line}:{column})")?;
        if let Some(mask) = mask {
            write!(f, ", but of the lanes in its mask {mask:#010x}, the lanes {missing:#010x} do not participate")?;
        }
        let &Waiting { ended_threads, first_ended, ended_blocks, .. } = self;
        if let Some(first) = first_ended {
            let plural = plural(ended_threads as u64);
            write!(
                f,
                ", but {ended_threads} thread{plural} of the block ended without reaching it, the first is {first}"
            )?;
        }
        if ended_blocks > 0 {
            write!(f, ", but {ended_blocks} block{} of the grid ended without reaching it", plural(ended_blocks))?;
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
                f.write_str("deadlock: no thread of the block can make progress: ")?;
                for (i, waiting) in waits.iter().enumerate() {
                    let separator = if i == 0 { "" } else { "; " };
                    write!(f, "{separator}{waiting}")?;
                }
                Ok(())
            }
            FaultKind::NoStack(error) => write!(f, "cannot allocate the stack of a thread: {error}"),
            FaultKind::CorruptRecord { kernel, site } => {
                write!(
                    f,
                    "corrupt fault record: no kernel {kernel} with a fault site {site}; an `unchecked` kernel or a body in CUDA \
                     C++ may have overwritten it"
                )
            }
        }
    }
}
