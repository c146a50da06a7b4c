//! Events: points in a stream, to be waited for and to tell the time between.

use std::fmt;
use std::time::{Duration, Instant};

use crate::cuda;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::order::{Lane, Tenant};
use crate::stream::Stream;

/// A point in a [`Stream`], behind everything that was asked of it before. [`Stream::record`] makes one.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (first, second) = (device.stream()?, device.stream()?);
/// let start = first.record()?;
/// second.wait(&start)?; // what `second` is asked for now happens behind `start`
/// let end = second.record()?;
/// let time: std::time::Duration = end.duration_since(&start)?;
/// assert!(start.is_done()? && end.is_done()?, "telling {time:?} has waited for both");
/// # Ok(())
/// # }
/// ```
pub struct Event {
    device: Device,
    /// Who had the stream, for the faults.
    tenant: Tenant,
    reached: Reached,
}

/// When an event is reached.
enum Reached {
    /// It was, at this time.
    At(Instant),
    /// The GPU knows.
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

    /// The device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until everything before the event is done.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel on the stream faulted since the last call that waited for it: the first fault, given
    /// out once.
    pub fn synchronize(&self) -> Result<()> {
        self.wait()?;
        self.give_out_fault()
    }

    /// As [`Event::synchronize`], but leaves faults to others.
    pub(crate) fn wait(&self) -> Result<(), cuda::Refusal> {
        match &self.reached {
            Reached::At(_) => Ok(()),
            Reached::OnCuda(event) => event.wait(),
        }
    }

    /// The fault of a kernel before it, once: for who has waited.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        self.tenant.give_out_fault()
    }

    /// Whether everything before the event is done. Does not wait, and gives out no fault.
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

    /// The time from `earlier` to this event, as the device tells it: to about half a microsecond on a GPU. Waits for both;
    /// zero where `earlier` is the later one.
    ///
    /// # Errors
    ///
    /// [`Error::EventsApart`] where they are on different devices, or what the driver refused.
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

    /// Lets what is asked of `stream` from now on happen behind the event.
    pub(crate) fn hold_up(&self, stream: &Stream) -> Result<()> {
        match (&self.reached, stream.lane()) {
            // It was reached.
            (Reached::At(_), _) => Ok(()),
            // What is asked of the CPU happens at once.
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
