//! Events of a GPU, with timing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::sys::CUevent;

use super::{Stream, new_event, query_status};
use crate::error::CudaError;
use crate::primary_context::PrimaryContext;

/// A point in a stream.
pub struct Event {
    primary: Arc<PrimaryContext>,
    raw: CUevent,
}

// SAFETY: the handle may be used from any thread; each method first makes the context current to its thread.
unsafe impl Send for Event {}
// SAFETY: as above; the driver's functions are thread-safe, and an event that is recorded again is not shared.
unsafe impl Sync for Event {}

impl Stream {
    /// Records an event after all work enqueued on the stream so far.
    pub fn record(&self) -> Result<Event, CudaError> {
        self.primary().bind()?;
        let event = Event { primary: self.shared_primary(), raw: new_event(self.driver(), 0)? };
        // SAFETY: both are alive, and of this context, which is current.
        unsafe { self.driver().cuEventRecord(event.raw, self.raw()) }?;
        Ok(event)
    }

    /// Records the event anew, after all work enqueued on the stream so far. Both are of the same GPU, and no other thread uses
    /// the event.
    pub(crate) fn record_again(&self, event: &Event) -> Result<(), CudaError> {
        self.primary().bind()?;
        // SAFETY: both are alive, and of this context, which is current. Streams that wait for the event have captured its
        // previous recording (CUDA Driver API, `cuStreamWaitEvent`).
        unsafe { self.driver().cuEventRecord(event.raw, self.raw()) }
    }

    /// Makes all later work of this stream wait for the event, which may be of another GPU.
    pub fn wait_event(&self, event: &Event) -> Result<(), CudaError> {
        // SAFETY: the event is alive.
        unsafe { self.wait_for_event(event.raw) }
    }
}

impl Event {
    /// Waits until the event has been reached.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.primary.bind()?;
        // SAFETY: the event is alive.
        unsafe { self.primary.driver.cuEventSynchronize(self.raw) }
    }

    /// Returns whether the event has been reached.
    pub fn is_done(&self) -> Result<bool, CudaError> {
        self.primary.bind()?;
        // SAFETY: the event is alive.
        query_status(unsafe { self.primary.driver.cuEventQuery(self.raw) })
    }

    /// Returns the time from `earlier`, an event of the same GPU, to this event. Waits for both. Returns zero if this
    /// event is the earlier one.
    pub fn since(&self, earlier: &Event) -> Result<Duration, CudaError> {
        earlier.wait()?;
        self.wait()?;
        let mut milliseconds = 0.0f32;
        // SAFETY: the pointer is valid for the write, and both events were recorded.
        unsafe { self.primary.driver.cuEventElapsedTime(&raw mut milliseconds, earlier.raw, self.raw) }?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) * 1e-3).unwrap_or_default())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is ours; an event that is still pending is destroyed asynchronously (CUDA Driver API,
        // `cuEventDestroy`).
        let destroyed = self.primary.bind().and_then(|()| unsafe { self.primary.driver.cuEventDestroy_v2(self.raw) });
        if let Err(error) = destroyed {
            self.primary.note_drop_error(error);
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("on", &self.primary.gpu).finish_non_exhaustive()
    }
}
