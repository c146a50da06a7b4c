//! References to streams, as accesses are recorded with them.

use std::sync::Arc;

use crate::cuda;
use crate::error::Result;
use crate::fault;
use crate::print;

/// A stream of either backend: the unit of ordering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamRef {
    Cpu(Arc<crate::cpu_stream::Stream>),
    Cuda(Arc<cuda::Stream>),
}

impl StreamRef {
    /// Returns how many times the stream has been reused from the pool.
    fn generation(&self) -> u64 {
        match self {
            StreamRef::Cpu(stream) => stream.generation(),
            StreamRef::Cuda(stream) => stream.generation(),
        }
    }

    /// Returns the pending fault of a completed operation, if any, and clears it.
    pub(crate) fn take_fault(&self) -> Result<()> {
        match self {
            StreamRef::Cpu(stream) => stream.take_fault(),
            StreamRef::Cuda(stream) => fault::take(stream),
        }
    }
}

/// A stream together with the generation in which it was acquired. A stream without handles returns to the pool and is
/// reused, and faults that occur for a later holder must not be reported through arrays and events of an earlier one.
///
/// Equality compares the streams only: the stream orders its work regardless of its holder.
#[derive(Clone, Debug)]
pub(crate) struct PooledStream {
    stream: StreamRef,
    generation: u64,
}

impl PooledStream {
    /// Captures the current generation of the stream.
    pub(crate) fn of(stream: StreamRef) -> PooledStream {
        let generation = stream.generation();
        PooledStream { stream, generation }
    }

    pub(crate) fn stream_ref(&self) -> &StreamRef {
        &self.stream
    }

    /// Returns whether this is the stream, in whatever generation.
    pub(super) fn is_on(&self, stream: &cuda::Stream) -> bool {
        matches!(&self.stream, StreamRef::Cuda(own) if **own == *stream)
    }

    /// Returns whether both are the same stream in the same generation.
    pub(super) fn is_same_generation(&self, other: &PooledStream) -> bool {
        self.stream == other.stream && self.generation == other.generation
    }

    /// Returns whether the stream has not been reused since, and has handles.
    pub(crate) fn is_held(&self) -> bool {
        self.is_current() && matches!(&self.stream, StreamRef::Cuda(stream) if stream.is_held())
    }

    /// Returns whether the stream has not been reused since.
    pub(crate) fn is_current(&self) -> bool {
        self.stream.generation() == self.generation
    }

    /// Writes the output of completed kernels if the stream has no handles any more, and has not been reused since.
    pub(crate) fn flush_prints_of_released(&self) {
        if let StreamRef::Cuda(stream) = &self.stream
            && self.is_current()
            && !stream.is_held()
        {
            print::flush(stream);
        }
    }

    /// Returns the pending fault of a completed operation, if any, and clears it. Returns `Ok` if the stream has been
    /// reused since: it is only reused once no fault is pending.
    pub(crate) fn take_fault(&self) -> Result<()> {
        if self.is_current() { self.stream.take_fault() } else { Ok(()) }
    }
}

impl PartialEq for PooledStream {
    fn eq(&self, other: &PooledStream) -> bool {
        self.stream == other.stream
    }
}

impl Eq for PooledStream {}
