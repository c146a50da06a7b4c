//! Events: points in a stream, for synchronisation and timing.

use std::fmt;
use std::time::{Duration, Instant};

use crate::cuda;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::order::{Lane, Tenant};
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
    tenant: Tenant,
    reached: Reached,
}

/// The completion state of an event.
enum Reached {
    /// Already reached, at this time (CPU device).
    At(Instant),
    /// Tracked by the GPU.
    OnCuda(cuda::Event),
}

impl Event {
    pub(crate) fn record(stream: &Stream) -> Result<Event> {
        let reached = match stream.lane() {
            Lane::Cpu(_) => Reached::At(Instant::now()),
            Lane::Cuda(stream) => Reached::OnCuda(stream.record()?),
        };
        Ok(Event { device: stream.device().clone(), tenant: Tenant::of(stream.lane().clone()), reached })
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
        self.give_out_fault()
    }

    /// Like [`Event::synchronize`], but reports no fault.
    pub(crate) fn wait(&self) -> Result<(), cuda::Refusal> {
        match &self.reached {
            Reached::At(_) => Ok(()),
            Reached::OnCuda(event) => event.wait(),
        }
    }

    /// Returns the pending fault of a kernel before the event, if any, and clears it. Call it after waiting.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        self.tenant.give_out_fault()
    }

    /// Returns whether all work before the event has completed. Does not wait, and reports no fault.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn is_done(&self) -> Result<bool> {
        match &self.reached {
            Reached::At(_) => Ok(true),
            Reached::OnCuda(event) => Ok(event.is_done()?),
        }
    }

    /// Returns the time from `earlier` to this event by the device's clock, with a resolution of about 0.5 µs on a GPU.
    /// Waits for both events. Returns zero if `earlier` is the later one.
    ///
    /// # Errors
    ///
    /// [`Error::EventsApart`] if the events belong to different devices, or a CUDA driver error.
    pub fn duration_since(&self, earlier: &Event) -> Result<Duration> {
        match (&self.reached, &earlier.reached) {
            (Reached::At(end), Reached::At(start)) => Ok(end.saturating_duration_since(*start)),
            (Reached::OnCuda(end), Reached::OnCuda(start)) if self.device == earlier.device => Ok(end.since(start)?),
            (Reached::At(_) | Reached::OnCuda(_), _) => {
                let (first, second) = (earlier.device.to_string(), self.device.to_string());
                Err(Error::EventsApart { first, second })
            }
        }
    }

    /// Makes work enqueued on `stream` from now on wait for the event.
    pub(crate) fn hold_up(&self, stream: &Stream) -> Result<()> {
        match (&self.reached, stream.lane()) {
            // Already reached.
            (Reached::At(_), _) => Ok(()),
            // Work on the CPU executes immediately.
            (Reached::OnCuda(event), Lane::Cpu(_)) => Ok(event.wait()?),
            (Reached::OnCuda(event), Lane::Cuda(stream)) => Ok(stream.wait_event(event)?),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(on {})", self.device)
    }
}
