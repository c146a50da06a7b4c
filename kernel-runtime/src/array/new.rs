//! Creation of arrays, on a device or in the order of a stream.

use super::{CopySource, CopyTarget, DeviceArray, copy};
use crate::device::Device;
use crate::error::Result;
use crate::host::HostArray;
use crate::memory::Contents;
use crate::pinned::PinnedArray;
use crate::stream::Stream;
use crate::types::DeviceType;

impl Device {
    /// Copies `values` to a new array on this device: a slice, an array, a vector, or an array of `ndarray`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Shape`](crate::Error::Shape) if an array of
    /// `ndarray` is not contiguous, or a CUDA driver error.
    pub fn to_device<T: DeviceType>(&self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<DeviceArray<T>> {
        self.default_stream().to_device(values)
    }

    /// Creates an array of `len` zeros on this device.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or a CUDA driver error.
    pub fn zeros<T: DeviceType>(&self, len: usize) -> Result<DeviceArray<T>> {
        self.default_stream().zeros(len)
    }

    /// Creates an array of `len` uninitialised elements on this device.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or a CUDA driver error.
    ///
    /// # Safety
    ///
    /// Each element is written before it is read.
    pub unsafe fn uninitialized<T: DeviceType>(&self, len: usize) -> Result<DeviceArray<T>> {
        // SAFETY: upheld by the caller.
        unsafe { self.default_stream().uninitialized(len) }
    }

    /// Copies `values` to a new page-locked array, for asynchronous copies from and to this device.
    ///
    /// # Errors
    ///
    /// As for [`Device::to_device`].
    pub fn to_pinned<T: DeviceType>(&self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<PinnedArray<T>> {
        PinnedArray::from_host(self, values)
    }

    /// Creates a page-locked array of `len` zeros, for asynchronous copies from and to this device.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or a CUDA driver error.
    pub fn pinned_zeros<T: DeviceType>(&self, len: usize) -> Result<PinnedArray<T>> {
        PinnedArray::zeros(self, len)
    }
}

/// Stream-ordered creation and copies of arrays.
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
    /// Like [`Device::to_device`], in the order of this stream. Waits for the copy.
    ///
    /// # Errors
    ///
    /// As for [`Device::to_device`].
    pub fn to_device<T: DeviceType>(&self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<DeviceArray<T>> {
        DeviceArray::from_host(self, values)
    }

    /// Like [`Device::zeros`], in the order of this stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::zeros`].
    pub fn zeros<T: DeviceType>(&self, len: usize) -> Result<DeviceArray<T>> {
        DeviceArray::allocate(self, len, Contents::Zeros)
    }

    /// Like [`Device::uninitialized`], in the order of this stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::uninitialized`].
    ///
    /// # Safety
    ///
    /// Each element is written before it is read.
    pub unsafe fn uninitialized<T: DeviceType>(&self, len: usize) -> Result<DeviceArray<T>> {
        DeviceArray::allocate(self, len, Contents::Nothing)
    }

    /// Copies the elements of `from` to `to`, in the order of this stream. Each is a device array, a
    /// [`PinnedArray`](crate::PinnedArray), or a slice of either.
    ///
    /// The call is asynchronous for copies between GPU arrays, of one or two GPUs, and between GPU arrays and
    /// page-locked ones. Any other copy, from or to an array of the CPU device or between page-locked arrays, has
    /// completed when the call returns.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::StreamElsewhere`](crate::Error::StreamElsewhere) if the stream belongs to the device of neither array,
    /// or a CUDA driver error. For a copy from a GPU to the CPU device, [`Error::Fault`](crate::Error::Fault) as for
    /// [`DeviceArray::to_host`].
    pub fn copy<T: DeviceType>(
        &self,
        from: &(impl CopySource<Element = T> + ?Sized),
        to: &mut (impl CopyTarget<Element = T> + ?Sized),
    ) -> Result<()> {
        copy(Some(self), "copy", from, to)
    }
}
