//! Timing of device work by the device's clock.

use std::time::Duration;

use crate::device::Device;
use crate::error::Result;
use crate::stream::Stream;

impl Device {
    /// Returns the time that the device takes for the work that `work` enqueues on its default stream. Excludes work
    /// enqueued earlier, and host time unless the device has to wait for it. Waits for completion.
    ///
    /// The resolution on a GPU is about 0.5 µs. The first launch of a kernel compiles it; launch it once before timing
    /// it.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] *= 2.0;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let mut x = device.zeros(1 << 16)?;
    /// double(&mut x).over(1 << 16).launch()?;
    /// let time = device.time(|| double(&mut x).over(1 << 16).launch())?;
    /// println!("{:.3} ms", time.as_secs_f64() * 1e3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of `work`; [`Error::Fault`](crate::Error::Fault) if a kernel faulted.
    pub fn time(&self, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
        self.default_stream().time(work)
    }
}

impl Stream {
    /// Like [`Device::time`], for work enqueued on this stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::time`].
    pub fn time(&self, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
        let start = self.record()?;
        work()?;
        let end = self.record()?;
        end.synchronize()?;
        end.duration_since(&start)
    }
}
