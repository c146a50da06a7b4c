//! Making arrays: on a device, or in the order of a stream.

use super::{CopySource, CopyTarget, DeviceArray, copy};
use crate::device::Device;
use crate::error::Result;
use crate::host::HostArray;
use crate::memory::Contents;
use crate::pinned::PinnedArray;
use crate::stream::Stream;
use crate::types::Element;

impl Device {
    /// Copies `values` into a new array on this device: a slice, an array or a vector, or an array of `ndarray`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Shape`](crate::Error::Shape) where an array of `ndarray` is
    /// not contiguous, or what the driver refused.
    pub fn to_device<T: Element>(&self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<DeviceArray<T>> {
        self.default_stream().to_device(values)
    }

    /// A new array of `len` zeros on this device.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or what the driver refused.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<DeviceArray<T>> {
        self.default_stream().zeros(len)
    }

    /// A new array of `len` elements on this device, which hold whatever was in the memory before.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or what the driver refused.
    ///
    /// # Safety
    ///
    /// Each element is written before it is read.
    pub unsafe fn uninitialized<T: Element>(&self, len: usize) -> Result<DeviceArray<T>> {
        // SAFETY: upheld by the caller.
        unsafe { self.default_stream().uninitialized(len) }
    }

    /// Copies `values` into new page-locked memory of the host, for copies from and to this device that do not wait.
    ///
    /// # Errors
    ///
    /// As for [`Device::to_device`].
    pub fn to_pinned<T: Element>(&self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<PinnedArray<T>> {
        PinnedArray::from_host(self, values)
    }

    /// New page-locked memory of the host with `len` zeros, for copies from and to this device that do not wait.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or what the driver refused.
    pub fn pinned_zeros<T: Element>(&self, len: usize) -> Result<PinnedArray<T>> {
        PinnedArray::zeros(self, len)
    }
}

/// Arrays in the order of a stream.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let stream = Device::open()?.default_stream();
/// let x = stream.to_device(&[1, 2, 3])?;
/// let mut y = stream.zeros(2)?;
/// stream.copy(&x.slice(..2)?, &mut y)?;
/// assert_eq!(y.to_host()?, [1, 2]);
/// # Ok(())
/// # }
/// ```
impl Stream {
    /// As [`Device::to_device`], in the order of this stream. It waits for the copy.
    ///
    /// # Errors
    ///
    /// As for [`Device::to_device`].
    pub fn to_device<T: Element>(&self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<DeviceArray<T>> {
        DeviceArray::from_host(self, values)
    }

    /// As [`Device::zeros`], in the order of this stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::zeros`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<DeviceArray<T>> {
        DeviceArray::allocate(self, len, Contents::Zeros)
    }

    /// As [`Device::uninitialized`], in the order of this stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::uninitialized`].
    ///
    /// # Safety
    ///
    /// Each element is written before it is read.
    pub unsafe fn uninitialized<T: Element>(&self, len: usize) -> Result<DeviceArray<T>> {
        DeviceArray::allocate(self, len, Contents::Nothing)
    }

    /// Copies the elements of `from` over those of `to`, in the order of this stream. Each is an array of a device, a part of
    /// one, a [`PinnedArray`](crate::PinnedArray), or a part of one.
    ///
    /// The call does not wait for a copy of a GPU between its own arrays, those of other GPUs and page-locked ones. Any other
    /// copy, from or to an array of the CPU device or between page-locked ones, is over when the call returns.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), [`Error::StreamElsewhere`](crate::Error::StreamElsewhere) where
    /// the stream is of the device of neither array, or what the driver refused. Where the copy is from a GPU to the CPU
    /// device, [`Error::Fault`](crate::Error::Fault) as from [`DeviceArray::to_host`].
    pub fn copy<T: Element>(
        &self,
        from: &(impl CopySource<Element = T> + ?Sized),
        to: &mut (impl CopyTarget<Element = T> + ?Sized),
    ) -> Result<()> {
        copy(Some(self), "copy", from, to)
    }
}
