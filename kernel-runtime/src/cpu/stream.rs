//! A stream of the CPU device: work is done when a launch returns, so that all there is to keep is its fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::sync::Mutex;

/// A stream of the CPU device.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Tells streams apart.
    number: u64,
    /// The fault of a launch, until the next synchronising call gives it out.
    pending: Mutex<Option<Error>>,
    /// Someone holds it, so that it is not handed out.
    held: AtomicBool,
    /// How often it was handed out again.
    tenancy: AtomicU64,
}

impl Default for Stream {
    fn default() -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Stream { number, pending: Mutex::default(), held: AtomicBool::new(true), tenancy: AtomicU64::new(0) }
    }
}

impl Stream {
    /// Notes the fault of a launch; the first one stays, as on a GPU.
    pub(crate) fn note_fault(&self, fault: Error) {
        self.pending.lock().get_or_insert(fault);
    }

    /// Gives the fault out, once.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        self.pending.lock().take().map_or(Ok(()), Err)
    }

    /// How often it was handed out again.
    pub(crate) fn tenancy(&self) -> u64 {
        self.tenancy.load(Ordering::Acquire)
    }

    /// Nobody holds the stream any more.
    pub(crate) fn let_go(&self) {
        self.held.store(false, Ordering::Release);
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.number == other.number
    }
}

impl Eq for Stream {}

/// The streams of the CPU device.
#[derive(Debug)]
pub(crate) struct Streams {
    default: Arc<Stream>,
    /// All of them, with the default one. As on a GPU, one that nobody holds is handed out again when its fault is given
    /// out, so that none is lost.
    all: Mutex<Vec<Arc<Stream>>>,
    /// There is more than the default one, so that uses of memory are noted.
    several: AtomicBool,
}

impl Default for Streams {
    fn default() -> Self {
        let default = Arc::<Stream>::default();
        Streams { all: Mutex::new(vec![default.clone()]), default, several: AtomicBool::new(false) }
    }
}

impl Streams {
    /// The stream of what names no other.
    pub(crate) fn default_stream(&self) -> &Arc<Stream> {
        &self.default
    }

    /// Whether there are others.
    pub(crate) fn are_several(&self) -> bool {
        self.several.load(Ordering::SeqCst)
    }

    /// A stream that nobody else holds. Call [`Stream::let_go`] when it is held no more.
    pub(crate) fn stream(&self) -> Arc<Stream> {
        let mut all = self.all.lock();
        self.several.store(true, Ordering::SeqCst);
        let is_free = |stream: &&Arc<Stream>| {
            let pending = stream.pending.lock();
            pending.is_none() && !stream.held.swap(true, Ordering::AcqRel)
        };
        if let Some(free) = all.iter().find(is_free) {
            free.tenancy.fetch_add(1, Ordering::AcqRel);
            return free.clone();
        }
        all.push(Arc::default());
        all[all.len() - 1].clone()
    }

    /// Gives out the fault of a stream, once. Those of the others stay.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        let all = self.all.lock().clone();
        all.iter().try_for_each(|stream| stream.give_out_fault())
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
    fn the_first_fault_of_a_stream_is_given_out_once() {
        let streams = Streams::default();
        let (a, b) = (streams.stream(), streams.stream());
        a.note_fault(fault(1));
        a.note_fault(fault(2));
        b.note_fault(fault(3));
        assert!(streams.default_stream().give_out_fault().is_ok());
        check(&a.give_out_fault(), 1);
        assert!(a.give_out_fault().is_ok());
        check(&streams.give_out_fault(), 3);
        assert!(streams.give_out_fault().is_ok());
    }

    #[test]
    fn a_stream_with_a_fault_is_not_handed_out_again() {
        let streams = Streams::default();
        assert!(!streams.are_several());
        let first = streams.stream();
        first.let_go();
        let second = streams.stream();
        assert_eq!(first, second);
        second.note_fault(fault(1));
        second.let_go();
        assert_ne!(streams.stream(), second);
        check(&streams.give_out_fault(), 1);
        assert_eq!(streams.stream(), second);
        assert!(streams.are_several());
    }
}
