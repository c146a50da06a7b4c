//! Streams: ordered queues of work on a device.

pub(crate) mod event;
mod timing;

use std::fmt;
use std::sync::Arc;

use crate::cuda;
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::fault;
use crate::hazards::StreamRef;
use crate::print;
use crate::sync::assert_unlocked;

/// An ordered queue of work on a device. Work enqueued on one stream executes in order; different streams may execute
/// concurrently.
///
/// Cumbia inserts the event dependencies between streams automatically: before a kernel or a copy accesses an array
/// that was accessed on another stream, its stream waits for that access if they overlap and one of them writes. Use
/// [`Stream::wait`] for any other ordering.
///
/// A `Stream` is a handle: clones refer to the same stream. Dropping the last one does not wait, and enqueued work
/// continues. [`Device::stream`] creates a stream; on the CPU, work has completed when the launch returns.
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
    inner: StreamRef,
    /// Held for created streams only; the default stream is never released.
    _guard: Option<Arc<ReleaseGuard>>,
}

impl Device {
    /// Creates a stream, whose work may execute concurrently with that of other streams. [`Stream::builder`] creates
    /// streams with a priority.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn increment(x: &mut [u32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let (first, second) = (device.stream()?, device.stream()?);
    /// let (mut x, mut y) = (device.zeros(1000)?, device.zeros(1000)?);
    /// increment(&mut x).over(1000).on(&first).launch()?;
    /// increment(&mut y).over(1000).on(&second).launch()?; // independent of the first
    /// increment(&mut y).over(1000).on(&first).launch()?; // waits for the second: both modify `y`
    /// assert_eq!((x.to_host()?[0], y.to_host()?[0]), (1, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn stream(&self) -> Result<Stream> {
        Stream::builder(self).build()
    }

    /// Returns the default stream of the device, which executes all work that names no other stream.
    pub fn default_stream(&self) -> Stream {
        Stream::default_of(self)
    }
}

/// A guard that returns the stream to the pool when dropped.
struct ReleaseGuard(StreamRef);

impl Drop for ReleaseGuard {
    fn drop(&mut self) {
        match &self.0 {
            StreamRef::Cpu(stream) => stream.release(),
            // SAFETY: this guard is the holder, and no handle of it is left.
            StreamRef::Cuda(stream) => unsafe { stream.release() },
        }
    }
}

impl Stream {
    /// Returns a builder for a stream with non-default options.
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
        StreamBuilder { device, options: cuda::StreamOptions::default() }
    }

    /// Returns the default stream of a device.
    pub(crate) fn default_of(device: &Device) -> Stream {
        let inner = match device.backend() {
            Backend::Cpu(streams) => StreamRef::Cpu(streams.default_stream().clone()),
            Backend::Cuda(context) => StreamRef::Cuda(context.default_stream().clone()),
        };
        Stream::of(device, inner)
    }

    /// Returns a handle that does not keep the stream out of the pool.
    pub(crate) fn of(device: &Device, inner: StreamRef) -> Stream {
        Stream { device: device.clone(), inner, _guard: None }
    }

    /// Returns a handle that releases the stream when its last clone is dropped.
    pub(crate) fn held(device: &Device, inner: StreamRef) -> Stream {
        Stream { device: device.clone(), _guard: Some(Arc::new(ReleaseGuard(inner.clone()))), inner }
    }

    /// Returns another handle to the stream if it has one already: a stream without handles gets no new work.
    pub(crate) fn of_held(device: &Device, inner: &StreamRef) -> Option<Stream> {
        let is_held = match inner {
            // Its operations have completed when they return.
            StreamRef::Cpu(_) => return Some(Stream::of(device, inner.clone())),
            StreamRef::Cuda(_) if *device.default_stream().stream_ref() == *inner => {
                return Some(device.default_stream());
            }
            StreamRef::Cuda(stream) => stream.try_hold(),
        };
        is_held.then(|| Stream::held(device, inner.clone()))
    }

    /// Returns the device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn stream_ref(&self) -> &StreamRef {
        &self.inner
    }

    /// Returns the stream of a GPU; `None` for one of the CPU device.
    #[inline]
    pub(crate) fn on_gpu(&self) -> Option<&Arc<crate::cuda::Stream>> {
        match &self.inner {
            StreamRef::Cuda(stream) => Some(stream),
            StreamRef::Cpu(_) => None,
        }
    }

    /// Waits until all work enqueued on this stream has completed, and prints the output of `println!` in its kernels.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`](crate::Error::Fault) if a kernel on this stream has faulted since the last call that waited for
    /// it. The first fault is reported, once.
    pub fn synchronize(&self) -> Result<()> {
        match &self.inner {
            StreamRef::Cpu(stream) => stream.take_fault(),
            StreamRef::Cuda(stream) => {
                fault::synchronize(stream)?;
                self.device.after_wait();
                Ok(())
            }
        }
    }

    /// Enqueues a function for the host, which is called once all work that is now on the stream has completed. Work that
    /// is enqueued later waits for it.
    ///
    /// CUDA calls the function on a thread of its own. It must be short, since the stream waits for it, and must not use
    /// the GPU: there, every operation of Cumbia on a GPU fails with the driver's `CUDA_ERROR_NOT_PERMITTED`, and memory
    /// of a GPU that is freed, such as that of an array which the function owns, is lost (see [`Device::drop_errors`]).
    /// Notify another thread instead, as by a channel. On the CPU device, whose work has completed, the function is called
    /// at once, by this thread.
    ///
    /// If the function panics, the panic ends there, and the next call that waits for the stream returns
    /// [`Error::Callback`](crate::Error::Callback), once. If an error has made the GPU unusable, the function is not called.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
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
    /// let (done, when_done) = mpsc::channel();
    /// square(&mut x).over(3).on(&stream).launch()?;
    /// stream.callback(move || {
    ///     let _ = done.send("squared");
    /// })?;
    /// assert_eq!(when_done.recv(), Ok("squared"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A CUDA driver error; then the function is dropped without a call.
    pub fn callback(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        match &self.inner {
            StreamRef::Cpu(stream) => {
                // The function is user code, which may take any lock.
                assert_unlocked();
                if let Err(message) = cuda::run_callback(function) {
                    stream.note_fault(Error::Callback { message });
                }
                Ok(())
            }
            StreamRef::Cuda(stream) => Ok(stream.callback(Box::new(function))?),
        }
    }

    /// Returns whether all work enqueued on this stream has completed. Does not wait, and reports no fault.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn is_done(&self) -> Result<bool> {
        match &self.inner {
            StreamRef::Cpu(_) => Ok(true),
            StreamRef::Cuda(stream) => Ok(stream.is_done()?),
        }
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = if *self == Stream::default_of(&self.device) { ", default" } else { "" };
        write!(f, "Stream(on {}{default})", self.device)
    }
}

/// A builder for a [`Stream`], created by [`Stream::builder`].
#[derive(Debug)]
#[must_use = "no stream is created until `.build()`"]
pub struct StreamBuilder<'a> {
    device: &'a Device,
    options: cuda::StreamOptions,
}

impl StreamBuilder<'_> {
    /// Sets the scheduling priority: pending blocks of the stream with the lower number are scheduled first. The
    /// default stream has priority 0; values outside of [`Device::stream_priorities`] are clamped.
    pub fn priority(mut self, priority: i32) -> Self {
        self.options.priority = priority;
        self
    }

    /// Sets whether the stream synchronises implicitly with CUDA's legacy default stream, which other libraries may
    /// use. The default is a non-blocking stream. Has no effect on the CPU.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// // Ordered with a library in the same process that uses the legacy default stream.
    /// let stream = Stream::builder(&device).blocking(true).build()?;
    /// let x = stream.to_device(&[1, 2, 3])?;
    /// # assert_eq!(x.to_host()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn blocking(mut self, blocking: bool) -> Self {
        self.options.blocking = blocking;
        self
    }

    /// Creates the stream.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn build(self) -> Result<Stream> {
        let inner = match self.device.backend() {
            Backend::Cpu(streams) => StreamRef::Cpu(streams.stream()),
            Backend::Cuda(context) => {
                let stream = context.stream(self.options)?;
                print::flush(&stream);
                StreamRef::Cuda(stream)
            }
        };
        Ok(Stream::held(self.device, inner))
    }
}
