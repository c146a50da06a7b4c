//! Everything that can go wrong, as data; only `Display` makes sentences of it. Each kind of error is a file.

mod compile;
mod device;
mod fault;
mod graph;
mod launch;
mod shape;

use std::path::PathBuf;

use thiserror::Error;

pub use self::compile::CompileError;
pub use self::device::DeviceError;
pub use self::fault::{FaultKind, Waiting};
pub use self::graph::GraphError;
pub use self::launch::{BlockLimit, LaunchError, NoClusters};
pub use self::shape::ShapeError;
use crate::dim::Dim3;
use crate::precompile::Failed;

/// The result of everything in Cumbia that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// A thread of a kernel stopped: an index out of bounds, a failed `assert!`, a `panic!`, a division by zero. The
    /// device goes on working.
    #[error("kernel `{kernel}` faulted at {file}:{line}:{column}, block {block}, thread {thread}: {kind}")]
    Fault {
        /// The kernel that was launched.
        kernel: String,
        /// The source file of the operation that faulted, as `file!()` gives it.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// Its column, from 1.
        column: u32,
        /// The block of the thread that faulted first.
        block: Dim3,
        /// The thread in that block.
        thread: Dim3,
        /// What happened.
        kind: FaultKind,
    },
    /// A launch that was refused before anything ran.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A device that cannot be opened.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A kernel that did not become machine code.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Kernels that [`precompile::Plan::compile_into`](crate::precompile::Plan::compile_into) could not compile.
    #[error(transparent)]
    Precompile(Box<Failed>),
    /// Memory that the device does not have.
    #[error(
        "out of memory on {device}: {requested} bytes were asked for{}\n  help: drop arrays that are no longer needed, or work in smaller pieces",
        describe_memory(*free, *total)
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: usize,
        /// Bytes free at that time.
        free: usize,
        /// Bytes the device has; 0 where it is not known.
        total: usize,
    },
    /// A copy between arrays of different lengths.
    #[error("{operation}: the source has {from} elements and the target has {to}")]
    LengthMismatch {
        /// The call.
        operation: &'static str,
        /// Elements of what is copied from.
        from: usize,
        /// Elements of what is copied to.
        to: usize,
    },
    /// A step that cannot be part of a [`Graph`](crate::Graph).
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A stream of another device than what it is to work on.
    #[error(
        "the stream is on {stream}, and what it is to work on is on {device}\n  help: use a stream of that device, as `device.stream()` makes one"
    )]
    StreamElsewhere {
        /// The stream's device.
        stream: String,
        /// Where the array or the kernel is to be.
        device: String,
    },
    /// Two events between which there is no time to be told.
    #[error("the events are on {first} and {second}, whose clocks have nothing to do with each other")]
    EventsApart {
        /// The device of one event.
        first: String,
        /// The device of the other.
        second: String,
    },
    /// A slice or view that would not be inside of its array, or an array whose shape does not do.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A file or folder that could not be read or written.
    #[error("{operation} {}: {source}", path.display())]
    File {
        /// What was tried, such as `writing`.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The CUDA driver refused a call that should have worked.
    #[error("the CUDA driver refused {call}: {name} ({message})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// CUDA's name of the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// CUDA's words.
        message: String,
    },
}

/// As [`Display`](std::fmt::Display): it is what a program shows whose `main` returns the error, or that unwraps it.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The end of what is said where memory is short.
fn describe_memory(free: usize, total: usize) -> String {
    if total == 0 { String::new() } else { format!(", {free} of {total} are free") }
}
