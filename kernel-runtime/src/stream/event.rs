//! Events: points in a stream, for synchronisation and timing.

use std::fmt;
use std::time::{Duration, Instant};

use crate::cuda;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::hazards::{PooledStream, StreamRef};
use crate::stream::Stream;

/// A point in a [`Stream`], reached when all work enqueued before it has completed. [`Stream::record`] creates one.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (first, second) = (device.stream()?, device.stream()?);
/// let start = first.record()?;
/// second.wait(&start)?; // later work on `second` executes after `start`
/// let end = second.record()?;
/// let time: std::time::Duration = end.duration_since(&start)?;
/// assert!(start.is_done()? && end.is_done()?, "measuring {time:?} has waited for both");
/// # Ok(())
/// # }
/// ```
pub struct Event {
    device: Device,
    /// The stream and its generation at the time of recording, for pending faults.
    stream: PooledStream,
    completion: Completion,
}

impl Stream {
    /// Records an event after all work enqueued on this stream so far.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn record(&self) -> Result<Event> {
        Event::record(self)
    }

    /// Makes all work enqueued on this stream from now on wait for `event`, which may belong to another stream or
    /// another device. Hazards between arrays need no explicit waits; this orders any other side effects of kernels.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn count(x: &mut [u32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let (first, second) = (device.stream()?, device.stream()?);
    /// let (mut x, mut y) = (device.zeros(8)?, device.zeros(8)?);
    /// count(&mut x).over(8).on(&first).launch()?;
    /// second.wait(&first.record()?)?;
    /// count(&mut y).over(8).on(&second).launch()?; // after the first launch, though they share no array
    /// assert_eq!(y.to_host()?, [1; 8]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.order_before(self)
    }
}

/// The completion state of an event.
enum Completion {
    /// Already reached, at this time (CPU device).
    At(Instant),
    /// Tracked by the GPU.
    Cuda(cuda::Event),
}

impl Event {
    pub(crate) fn record(stream: &Stream) -> Result<Event> {
        let completion = match stream.stream_ref() {
            StreamRef::Cpu(_) => Completion::At(Instant::now()),
            StreamRef::Cuda(stream) => Completion::Cuda(stream.record()?),
        };
        Ok(Event { device: stream.device().clone(), stream: PooledStream::of(stream.stream_ref().clone()), completion })
    }

    /// Returns the device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until all work before the event has completed.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] if a kernel on the stream has faulted since the last call that waited for it. The first fault
    /// is reported, once.
    pub fn synchronize(&self) -> Result<()> {
        self.wait()?;
        self.take_fault()
    }

    /// Like [`Event::synchronize`], but reports no fault.
    pub(crate) fn wait(&self) -> Result<(), cuda::CudaError> {
        match &self.completion {
            Completion::At(_) => Ok(()),
            Completion::Cuda(event) => event.wait(),
        }
    }

    /// Returns the pending fault of a kernel before the event, if any, and clears it. Call it after waiting.
    pub(crate) fn take_fault(&self) -> Result<()> {
        self.stream.take_fault()
    }

    /// Returns whether all work before the event has completed. Does not wait, and reports no fault.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn is_done(&self) -> Result<bool> {
        match &self.completion {
            Completion::At(_) => Ok(true),
            Completion::Cuda(event) => Ok(event.is_done()?),
        }
    }

    /// Returns the time from `earlier` to this event by the device's clock, with a resolution of about 0.5 µs on a GPU.
    /// Waits for both events. Returns zero if `earlier` is the later one.
    ///
    /// # Errors
    ///
    /// [`Error::EventsApart`] if the events belong to different devices, or a CUDA driver error.
    pub fn duration_since(&self, earlier: &Event) -> Result<Duration> {
        match (&self.completion, &earlier.completion) {
            (Completion::At(end), Completion::At(start)) => Ok(end.saturating_duration_since(*start)),
            (Completion::Cuda(end), Completion::Cuda(start)) if self.device == earlier.device => Ok(end.since(start)?),
            (Completion::At(_) | Completion::Cuda(_), _) => {
                let (first, second) = ((&earlier.device).into(), (&self.device).into());
                Err(Error::EventsApart { first, second })
            }
        }
    }

    /// Makes work enqueued on `stream` from now on wait for the event.
    pub(crate) fn order_before(&self, stream: &Stream) -> Result<()> {
        match (&self.completion, stream.stream_ref()) {
            // Already reached.
            (Completion::At(_), _) => Ok(()),
            // Work on the CPU executes immediately.
            (Completion::Cuda(event), StreamRef::Cpu(_)) => Ok(event.wait()?),
            (Completion::Cuda(event), StreamRef::Cuda(stream)) => Ok(stream.wait_event(event)?),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(on {})", self.device)
    }
}
