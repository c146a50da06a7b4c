//! The time that a device takes for something, by its own clock.

use std::time::Duration;

use crate::device::Device;
use crate::error::Result;
use crate::stream::Stream;

impl Device {
    /// The time that the device takes for what `work` asks of its default stream, and nothing else: neither what was asked
    /// of it before, nor the host's part in it, as far as the device need not wait for that. Waits for the end.
    ///
    /// On a GPU the time is exact to about half a microsecond. The first launch of a kernel compiles it; launch it once
    /// before it is timed.
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
    /// Those of `work`; [`Error::Fault`](crate::Error::Fault) where a kernel faulted.
    pub fn time(&self, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
        self.default_stream().time(work)
    }
}

impl Stream {
    /// As [`Device::time`], for what `work` asks of this stream.
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
