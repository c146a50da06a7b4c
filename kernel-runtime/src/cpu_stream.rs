//! Streams of the CPU device: work completes synchronously, so that a stream only keeps its pending fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::sync::Mutex;

/// A stream of the CPU device.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Identifies the stream.
    number: u64,
    /// The pending fault, until the next synchronising call returns it.
    pending: Mutex<Option<Error>>,
    /// Whether the stream is in use, so that it is not handed out again.
    held: AtomicBool,
    /// The number of times that the stream was reused.
    generation: AtomicU64,
}

impl Default for Stream {
    fn default() -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Stream { number, pending: Mutex::default(), held: AtomicBool::new(true), generation: AtomicU64::new(0) }
    }
}

impl Stream {
    /// Records a fault; the first one is kept, as on a GPU.
    pub(crate) fn note_fault(&self, fault: Error) {
        self.pending.lock().get_or_insert(fault);
    }

    /// Returns the pending fault, if any, and clears it.
    pub(crate) fn take_fault(&self) -> Result<()> {
        self.pending.lock().take().map_or(Ok(()), Err)
    }

    /// Returns the number of times that the stream was reused.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Makes the stream available for reuse.
    pub(crate) fn release(&self) {
        self.held.store(false, Ordering::Release);
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.number == other.number
    }
}

impl Eq for Stream {}

/// The stream pool of the CPU device.
#[derive(Debug)]
pub(crate) struct Streams {
    default: Arc<Stream>,
    /// All streams, including the default one. As on a GPU, a released stream is reused only after its fault was taken,
    /// so that no fault is lost.
    all: Mutex<Vec<Arc<Stream>>>,
    /// As `PrimaryContext::stream_epoch` of a GPU: odd while streams besides the default one are in use, so that accesses to
    /// memory must be tracked.
    stream_epoch: AtomicU64,
}

impl Default for Streams {
    fn default() -> Self {
        let default = Arc::<Stream>::default();
        Streams { all: Mutex::new(vec![default.clone()]), default, stream_epoch: AtomicU64::new(0) }
    }
}

impl Streams {
    /// Returns the default stream.
    pub(crate) fn default_stream(&self) -> &Arc<Stream> {
        &self.default
    }

    /// Returns whether streams besides the default one are in use.
    pub(crate) fn is_multi_stream(&self) -> bool {
        self.stream_epoch() & 1 == 1
    }

    /// Returns the number of times that the use of streams besides the default one has begun or ended.
    pub(crate) fn stream_epoch(&self) -> u64 {
        self.stream_epoch.load(Ordering::SeqCst)
    }

    /// Stops tracking accesses if no stream besides the default one is in use or has a pending fault.
    pub(crate) fn try_leave_multi_stream(&self) {
        if !self.is_multi_stream() {
            return;
        }
        let all = self.all.lock();
        let is_over = |stream: &Arc<Stream>| {
            *stream == self.default || !stream.held.load(Ordering::Acquire) && stream.pending.lock().is_none()
        };
        if self.is_multi_stream() && all.iter().all(is_over) {
            self.stream_epoch.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Returns an unused stream. Call [`Stream::release`] when it is no longer in use.
    pub(crate) fn stream(&self) -> Arc<Stream> {
        let mut all = self.all.lock();
        if !self.is_multi_stream() {
            self.stream_epoch.fetch_add(1, Ordering::SeqCst);
        }
        let is_free = |stream: &&Arc<Stream>| {
            let pending = stream.pending.lock();
            pending.is_none() && !stream.held.swap(true, Ordering::AcqRel)
        };
        if let Some(free) = all.iter().find(is_free) {
            free.generation.fetch_add(1, Ordering::AcqRel);
            return free.clone();
        }
        all.push(Arc::default());
        all[all.len() - 1].clone()
    }

    /// Returns the first pending fault of all streams, and clears it. Those of the other streams remain pending.
    pub(crate) fn take_fault(&self) -> Result<()> {
        let all = self.all.lock().clone();
        all.iter().try_for_each(|stream| stream.take_fault())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::DeviceError;

    fn fault(ordinal: usize) -> Error {
        DeviceError::NoSuchDevice { ordinal, count: 0 }.into()
    }

    #[track_caller]
    fn check(result: &Result<()>, expected: usize) {
        assert!(
            matches!(result, Err(Error::Device(DeviceError::NoSuchDevice { ordinal, .. })) if *ordinal == expected)
        );
    }

    #[test]
    fn the_first_fault_of_a_stream_is_returned_once() {
        let streams = Streams::default();
        let (a, b) = (streams.stream(), streams.stream());
        a.note_fault(fault(1));
        a.note_fault(fault(2));
        b.note_fault(fault(3));
        assert!(streams.default_stream().take_fault().is_ok());
        check(&a.take_fault(), 1);
        assert!(a.take_fault().is_ok());
        check(&streams.take_fault(), 3);
        assert!(streams.take_fault().is_ok());
    }

    #[test]
    fn accesses_are_tracked_while_streams_are_in_use() {
        let streams = Streams::default();
        for round in 0..2 {
            assert_eq!(streams.stream_epoch(), 2 * round);
            let stream = streams.stream();
            streams.try_leave_multi_stream();
            stream.note_fault(fault(1));
            stream.release();
            streams.try_leave_multi_stream();
            assert!(streams.is_multi_stream(), "a fault is pending");
            check(&streams.take_fault(), 1);
            streams.try_leave_multi_stream();
            assert!(!streams.is_multi_stream());
        }
    }

    #[test]
    fn a_stream_with_a_pending_fault_is_not_reused() {
        let streams = Streams::default();
        assert!(!streams.is_multi_stream());
        let first = streams.stream();
        first.release();
        let second = streams.stream();
        assert_eq!(first, second);
        second.note_fault(fault(1));
        second.release();
        assert_ne!(streams.stream(), second);
        streams.try_leave_multi_stream();
        check(&streams.take_fault(), 1);
        streams.try_leave_multi_stream();
        assert!(streams.is_multi_stream(), "one stream is in use");
        assert_eq!(streams.stream(), second);
    }
}
