//! Error types. Fields hold values; only formatting renders a message. Each kind of error has a module.

mod algorithm;
mod compile;
mod cuda;
mod device;
mod graph;
mod launch;
mod position;
mod precompile;
mod proof;
mod shape;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

pub use self::algorithm::{AlgorithmError, ArrayArgument, RequiredLength, ResultKind};
pub use self::compile::{CompileError, Diagnostic, ObstacleKind};
pub(crate) use self::compile::{no_nvrtc, nvjitlink_package, version_text};
pub use self::device::{DeviceError, DeviceName, DriverFailure};
pub use self::graph::GraphError;
pub use self::launch::{BlockLimit, LaunchError, LaunchExtent, MissingConfig, NoClusters};
pub use self::position::Position;
pub use self::precompile::{Compiled, Failed, Failure, Report};
pub use self::proof::{
    Axis, Check, CheckKind, Checks, Counts, Factor, FailedCondition, LaunchCondition, Proof, Quantity, Reason,
    Relation, Sum, Term,
};
pub use self::shape::ShapeError;
pub use crate::cuda::{
    BadNvrtcReason, ImageForm, ImageRejection, LibraryFailure, LinkFailure, NvrtcArgument, NvrtcFailure, SearchOutcome,
    SearchPlace, Searched, UnsupportedReason, Version,
};
use crate::dim::Dim3;
pub use cumbia_kernel_lang::fault::{FaultKind, Waiting};

/// The result type of Cumbia's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of Cumbia. `Display` renders a message with a remedy, and so does `Debug`, in which Rust reports the error of
/// `fn main() -> cumbia::Result<()>` and of `unwrap`.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// A fault: a thread of a kernel stopped at an index out of bounds, a failed `assert!`, a `panic!`, an overflow or a division
    /// by zero. The device remains usable.
    #[error("kernel `{kernel}` faulted at {file}:{line}:{column}, block {block}, thread {thread}: {kind}")]
    Fault {
        /// The launched kernel.
        kernel: &'static str,
        /// The source file of the faulting operation, in the form of `file!()`.
        file: Box<str>,
        /// Its line, from 1.
        line: u32,
        /// Its column, from 1.
        column: u32,
        /// The block of the thread that faulted first.
        block: Dim3,
        /// The thread in that block.
        thread: Dim3,
        /// The kind of fault.
        kind: FaultKind,
    },
    /// A launch failed validation. Nothing was enqueued.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A device cannot be opened or used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A kernel cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// [`precompile::Plan::compile_into`](crate::inspect::precompile::Plan::compile_into) could not compile some kernels.
    #[error(transparent)]
    Precompile(Box<Failed>),
    /// An allocation exceeds the available memory.
    #[error(
        "out of memory on {device}: {requested} bytes were requested{}\n  help: drop arrays that are no longer needed, or work in smaller pieces",
        describe_memory(*free, *total)
    )]
    OutOfMemory {
        /// The device.
        device: DeviceName,
        /// The requested size, in bytes.
        requested: usize,
        /// The free memory at that time, in bytes.
        free: usize,
        /// The device's memory, in bytes; 0 if it is unknown.
        total: usize,
    },
    /// A copy between arrays of different lengths.
    #[error(
        "{operation}: the source has {}, but the target has {to}\n  help: copy slices of equal length, as in `array.slice(..n)?`",
        shape::counted(*from)
    )]
    LengthMismatch {
        /// The operation.
        operation: &'static str,
        /// The number of elements of the source.
        from: usize,
        /// The number of elements of the target.
        to: usize,
    },
    /// An argument of an algorithm is invalid.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// An operation cannot be recorded into a [`Graph`](crate::Graph).
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A stream belongs to a device other than the array's or kernel's.
    #[error(
        "the stream is on {stream}, but the array or kernel is on {device}\n  help: use a stream of that device, such as `device.stream()`"
    )]
    StreamElsewhere {
        /// The device of the stream.
        stream: DeviceName,
        /// The device of the array or kernel.
        device: DeviceName,
    },
    /// Two events are on different devices, so the time between them is not defined.
    #[error(
        "cannot measure elapsed time across devices: the events are on {first} and {second}\n  help: record both events on streams of one device"
    )]
    EventsApart {
        /// The device of the first event.
        first: DeviceName,
        /// The device of the second event.
        second: DeviceName,
    },
    /// A slice, view or shape is invalid for its array.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A file or directory cannot be read or written.
    #[error("{operation} {}: {source}", path.display())]
    File {
        /// The operation, such as `writing`.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A function that was enqueued by [`Stream::callback`](crate::Stream::callback) panicked.
    #[error("a callback of a stream panicked: {message}")]
    Callback {
        /// The message of the panic.
        message: String,
    },
    /// A driver call failed unexpectedly.
    #[error("{call} of the CUDA driver failed with {name} ({message})")]
    Driver {
        /// The driver function.
        call: &'static str,
        /// The status code that it returned, a value of `CUresult`.
        code: u32,
        /// CUDA's name of the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// CUDA's description of the error.
        message: String,
    },
}

// clippy warns about each function of a program that returns a larger error: `result_large_err`.
const _: () = assert!(size_of::<Error>() < 128);

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An [`enum@Error`] that is the cause of another error, which can be cloned. Two are equal if they share one error.
#[derive(Clone, Debug)]
pub struct SharedError(Arc<Error>);

impl SharedError {
    /// Returns the error.
    pub fn get(&self) -> &Error {
        &self.0
    }
}

impl From<Error> for SharedError {
    fn from(error: Error) -> Self {
        SharedError(Arc::new(error))
    }
}

impl PartialEq for SharedError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedError {}

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SharedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Renders the available memory, as the end of a clause.
fn describe_memory(free: usize, total: usize) -> String {
    if total == 0 { String::new() } else { format!(", {free} of {total} are free") }
}
