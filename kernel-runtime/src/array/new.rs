//! Creation of arrays, on a device or in the order of a stream.

use super::DeviceArray;
use crate::array::host::HostArray;
use crate::device::Device;
use crate::error::Result;
use crate::memory::Contents;
use crate::stream::Stream;
use crate::types::{self, DeviceType};

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

    /// Creates an array of `len` zeros on this device. An enum in `T` needs a variant with the discriminant 0.
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
}

/// Stream-ordered creation of arrays.
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
        types::assert_zeros::<T>();
        DeviceArray::allocate(self, len, Contents::Zeros)
    }

    /// Creates an array of `len` zeros, or of other values if zero is not a value of the type, as of an enum without a variant of
    /// discriminant 0: memory in which an algorithm stores results later, and which may be read before.
    ///
    /// # Errors
    ///
    /// As for [`Device::zeros`].
    #[doc(hidden)]
    pub fn placeholders<T: DeviceType>(&self, len: usize) -> Result<DeviceArray<T>> {
        if T::ZEROS {
            return DeviceArray::allocate(self, len, Contents::Zeros);
        }
        let mut array = DeviceArray::allocate(self, len, Contents::Nothing)?;
        array.as_slice_mut().fill(T::__placeholder())?;
        Ok(array)
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
}
