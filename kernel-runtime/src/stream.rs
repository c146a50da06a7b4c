//! Streams: what is asked of one stream happens in order.

use std::fmt;
use std::sync::Arc;

use crate::cuda;
use crate::device::{Backend, Device};
use crate::error::Result;
use crate::event::Event;
use crate::order::Lane;

/// An order of work on a device: what is asked of one stream happens one after the other, while streams run beside each
/// other where they can.
///
/// Arrays keep the order across streams by themselves: before a kernel or a copy uses an array that was used on another
/// stream, its own stream waits for that use, as far as one of the two writes the same elements. [`Stream::wait`] is for
/// any other order.
///
/// A `Stream` is a handle: clones are the same stream. Dropping the last one waits for nothing, and the work goes on.
/// [`Device::stream`] makes one; on the CPU a stream's work is done when the launch returns.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn square(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= x[i];
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let mut x = device.to_device(&[1.0, 2.0, 3.0])?;
/// let start = stream.record()?;
/// square(&mut x).over(3).on(&stream).launch()?;
/// let end = stream.record()?;
/// stream.synchronize()?;
/// println!("{:?}", end.duration_since(&start)?);
/// assert_eq!(x.to_host()?, [1.0, 4.0, 9.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Stream {
    device: Device,
    lane: Lane,
    /// Of a stream that was made; the default one need not be held.
    _hold: Option<Arc<Hold>>,
}

/// A stream that is handed out again when this is dropped.
struct Hold(Lane);

impl Drop for Hold {
    fn drop(&mut self) {
        match &self.0 {
            Lane::Cpu(stream) => stream.release(),
            Lane::Cuda(stream) => stream.let_go(),
        }
    }
}

impl Stream {
    /// Says what a stream is to be, and makes it.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let urgent = Stream::builder(&device).priority(*device.stream_priorities()?.start()).build()?;
    /// assert!(urgent.is_done()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(device: &Device) -> StreamBuilder<'_> {
        StreamBuilder { device, kind: cuda::Kind::default() }
    }

    /// The stream that a device has from the start.
    pub(crate) fn default_of(device: &Device) -> Stream {
        let lane = match device.backend() {
            Backend::Cpu(streams) => Lane::Cpu(streams.default_stream().clone()),
            Backend::Cuda(context) => Lane::Cuda(context.default_stream().clone()),
        };
        Stream::of(device, lane)
    }

    /// A stream that is used, but not held.
    pub(crate) fn of(device: &Device, lane: Lane) -> Stream {
        Stream { device: device.clone(), lane, _hold: None }
    }

    /// A stream that was made for this handle.
    pub(crate) fn held(device: &Device, lane: Lane) -> Stream {
        Stream { device: device.clone(), _hold: Some(Arc::new(Hold(lane.clone()))), lane }
    }

    /// The device that does the work.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn lane(&self) -> &Lane {
        &self.lane
    }

    /// Waits until everything that was asked of this stream is done, and prints what its kernels said with `println!`.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`](crate::Error::Fault) where a kernel on this stream faulted since the last call that waited for it:
    /// the first fault, given out once.
    pub fn synchronize(&self) -> Result<()> {
        match &self.lane {
            Lane::Cpu(stream) => stream.take_fault(),
            Lane::Cuda(stream) => stream.synchronize(),
        }
    }

    /// Whether everything that was asked of this stream is done. Does not wait, and gives out no fault.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn is_done(&self) -> Result<bool> {
        match &self.lane {
            Lane::Cpu(_) => Ok(true),
            Lane::Cuda(stream) => Ok(stream.is_done()?),
        }
    }

    /// An event behind everything that was asked of this stream so far.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn record(&self) -> Result<Event> {
        Event::record(self)
    }

    /// Lets everything that is asked of this stream from now on happen behind `event`, which may be of another stream or
    /// another device. Arrays need none of this; it orders what kernels do beside them.
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
    /// count(&mut y).over(8).on(&second).launch()?; // behind the first launch, though it has no array of that one
    /// assert_eq!(y.to_host()?, [1; 8]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.hold_up(self)
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.lane == other.lane
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = if *self == Stream::default_of(&self.device) { ", default" } else { "" };
        write!(f, "Stream(on {}{default})", self.device)
    }
}

/// What a new [`Stream`] is to be. [`Stream::builder`] makes one.
#[derive(Debug)]
#[must_use = "there is no stream until `.build()`"]
pub struct StreamBuilder<'a> {
    device: &'a Device,
    kind: cuda::Kind,
}

impl StreamBuilder<'_> {
    /// Which of two streams goes first where both have blocks to run: the one with the lower number. 0 is that of the default
    /// stream; numbers outside of [`Device::stream_priorities`] count as the nearest inside.
    pub fn priority(mut self, priority: i32) -> Self {
        self.kind.priority = priority;
        self
    }

    /// Whether the stream waits for CUDA's legacy default stream, and that for it, as streams of other libraries may. Without
    /// this it does not. It makes no difference on the CPU.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// // Behind what a library does that knows of no streams, in the same process.
    /// let stream = Stream::builder(&device).blocking(true).build()?;
    /// let x = stream.to_device(&[1, 2, 3])?;
    /// # assert_eq!(x.to_host()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn blocking(mut self, blocking: bool) -> Self {
        self.kind.blocking = blocking;
        self
    }

    /// Makes the stream.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn build(self) -> Result<Stream> {
        let lane = match self.device.backend() {
            Backend::Cpu(streams) => Lane::Cpu(streams.stream()),
            Backend::Cuda(context) => Lane::Cuda(context.stream(self.kind)?),
        };
        Ok(Stream::held(self.device, lane))
    }
}
