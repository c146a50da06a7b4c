//! Why something cannot be part of a graph.

use thiserror::Error;

/// Why something cannot be part of a [`Graph`](crate::Graph).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A launch with `In`, `Out` or `InOut`.
    #[error(
        "kernel `{kernel}` has an array of the host among its arguments, and a graph runs after its steps were recorded\n  help: copy the array before the run: `let x = device.to_device(&x)?`, then pass `&x`"
    )]
    HostArgument {
        /// The kernel.
        kernel: &'static str,
    },
    /// A launch with memory that another library has lent for a call.
    #[error(
        "kernel `{kernel}` has an array of another library among its arguments, which is lent for one call, and a graph runs after its steps were recorded\n  help: make a `DeviceArray` of it"
    )]
    LentArgument {
        /// The kernel.
        kernel: &'static str,
    },
    /// A copy of memory that another library has lent for a call.
    #[error(
        "an array of another library, which is lent for one call, cannot be copied in a graph, which runs after its steps were recorded\n  help: make a `DeviceArray` of it"
    )]
    LentCopy,
    /// A copy from one buffer of the host to another, or of one that the CPU device made, which is not page-locked.
    #[error(
        "a graph copies between arrays of its device, and from and to buffers that are page-locked for a GPU, not within the host\n  help: make the buffer with `device.to_pinned` of a GPU, or call `stream.copy` before or after the run"
    )]
    HostCopy,
    /// A use of a page-locked buffer that a graph copies, before that is launched.
    #[error(
        "this part of a page-locked buffer is copied by a graph that is being recorded, and the copy begins when the run does\n  help: look at the buffer after the run"
    )]
    HostCopyPlanned,
    /// A launch on another stream.
    #[error("kernel `{kernel}` is to run on another stream than the graph\n  help: leave `.on(..)` out")]
    OtherStream {
        /// The kernel.
        kernel: &'static str,
    },
}
