//! Graph errors: why an operation cannot be recorded into a graph.

use thiserror::Error;

/// Why an operation cannot be recorded into a [`Graph`](crate::Graph).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A launch with `In`, `Out` or `InOut`.
    #[error(
        "kernel `{kernel}` cannot be part of a graph with a host array as an argument: the graph runs after the call, when the array may have been dropped\n  help: copy the array before the launch of the graph: `let x = device.to_device(&x)?`, then pass `&x`"
    )]
    HostArgument {
        /// The kernel.
        kernel: &'static str,
    },
    /// A launch with memory of another library, borrowed for one call.
    #[error(
        "kernel `{kernel}` cannot be part of a graph with an array of another library as an argument: the graph runs after the call, when the array may have been dropped\n  help: convert it to a `DeviceArray`"
    )]
    ForeignArgument {
        /// The kernel.
        kernel: &'static str,
    },
    /// A copy of memory of another library, borrowed for one call.
    #[error(
        "an array of another library cannot be copied in a graph: the graph runs after the call, when the array may have been dropped\n  help: convert it to a `DeviceArray`"
    )]
    ForeignCopy,
    /// A copy between two host buffers, or of a buffer of the CPU device, which is not page-locked.
    #[error(
        "a graph copies between arrays of its device and page-locked host buffers of a GPU, not from host to host\n  help: allocate the buffer with `device.to_pinned` of a GPU, or call `stream.copy` before or after the launch of the graph"
    )]
    HostCopy,
    /// An access to a page-locked buffer that a graph being recorded copies.
    #[error(
        "this part of a page-locked buffer is copied by a graph that is being recorded, and the copy starts when the graph is launched\n  help: access the buffer after the launch of the graph"
    )]
    HostCopyPlanned,
    /// A launch on another stream.
    #[error("kernel `{kernel}` is launched on a stream other than the graph's\n  help: remove `.on(..)`")]
    OtherStream {
        /// The kernel.
        kernel: &'static str,
    },
}
