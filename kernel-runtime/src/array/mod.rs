//! Device arrays.

mod cast;
pub(crate) mod host;
mod new;
mod raw;
pub(crate) mod shape;
mod slice;
pub(crate) mod view;
mod view_writes;

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

pub use self::slice::{DeviceChunks, DeviceSlice, DeviceSliceMut};
pub(crate) use self::slice::{check_length, inside};
use crate::array::host::{HostArray, HostArrayMut};
use crate::device::Device;
use crate::error::Result;
use crate::handles::access::Write;
use crate::memory::{Contents, Memory};
use crate::stream::Stream;
use crate::types::DeviceType;

/// An array of `T` in device memory.
///
/// [`Device::to_device`] and [`Device::zeros`] create one; kernels take `&DeviceArray<T>` for a `&[T]` and `&mut
/// DeviceArray<T>` for a `&mut [T]`. An array may be dropped while a kernel uses it: the memory is freed in stream
/// order after the kernel.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::cpu().to_device(&[1.0f32, 2.0, 3.0])?;
/// x.copy_from_host(&[4.0, 5.0, 6.0])?;
/// assert_eq!(x.to_host()?, [4.0, 5.0, 6.0]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceArray<T> {
    memory: Memory,
    /// Stored beside the handle: a launch reads it for each of its arrays, without touching their allocations.
    raw: RawSlice,
    elements: PhantomData<T>,
}

// SAFETY: the array owns the memory. A shared array is only read: a launch that writes borrows it mutably, and holds
// the borrow until it has completed (CPU) or is ordered on the array's stream (GPU). The handle of the device is
// `Send`.
unsafe impl<T: Send> Send for DeviceArray<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for DeviceArray<T> {}

/// An array as a kernel argument: pointer and length.
///
/// On a GPU the pointer is a device address without provenance, which the host must not dereference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlice {
    /// The address of the first element, aligned even if the array is empty.
    pub(crate) pointer: *mut u8,
    /// The number of elements.
    pub(crate) len: usize,
}

impl<T: DeviceType> DeviceArray<T> {
    /// Creates an array with a copy of `values`, in the order of a stream.
    pub(crate) fn from_host(on: &Stream, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<DeviceArray<T>> {
        let values = values.elements()?;
        let mut array = DeviceArray::allocate(on, values.len(), Contents::Nothing)?;
        array.copy_from_host(values)?;
        Ok(array)
    }

    /// Creates an array in the order of a stream.
    pub(crate) fn allocate(on: &Stream, len: usize, contents: Contents) -> Result<DeviceArray<T>> {
        Ok(DeviceArray::from_memory(Memory::allocate::<T>(on, len, contents)?, len))
    }

    /// Creates an array from memory of `len` elements.
    pub(crate) fn from_memory(memory: Memory, len: usize) -> DeviceArray<T> {
        let raw = RawSlice { pointer: memory.pointer(), len };
        DeviceArray { memory, raw, elements: PhantomData }
    }

    /// Returns the memory of the array.
    #[cfg(feature = "cudarc")]
    pub(crate) fn into_memory(self) -> Memory {
        self.memory
    }

    /// Copies the elements to a vector, after all earlier work that writes them.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] if a kernel has faulted since the last call that waited; the elements are unaffected, and the
    /// next call returns them. [`Error::OutOfMemory`] if the host is out of memory.
    ///
    /// [`Error::Fault`]: crate::Error::Fault
    /// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
    pub fn to_host(&self) -> Result<Vec<T>> {
        self.as_slice().to_host()
    }

    /// Copies the elements to `values`, after all earlier work that writes them.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch); [`Error::Shape`](crate::Error::Shape) if an array of
    /// `ndarray` is not contiguous; [`Error::Fault`](crate::Error::Fault) as for [`DeviceArray::to_host`], in which
    /// case the elements have been copied nevertheless.
    pub fn copy_to_host(&self, values: &mut (impl HostArrayMut<Element = T> + ?Sized)) -> Result<()> {
        self.as_slice().copy_to_host(values)
    }

    /// Overwrites the elements with `values`, after all earlier work that accesses them.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), [`Error::Shape`](crate::Error::Shape) if an array of
    /// `ndarray` is not contiguous, or a CUDA driver error.
    pub fn copy_from_host(&mut self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<()> {
        self.as_slice_mut().copy_from_host(values)
    }

    /// Sets all elements to `value`, on the device.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::open()?.zeros::<f32>(4)?;
    /// x.fill(0.5)?;
    /// x.slice_mut(1..3)?.fill(f32::INFINITY)?; // a slice of it
    /// assert_eq!(x.to_host()?, [0.5, f32::INFINITY, f32::INFINITY, 0.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.as_slice_mut().fill(value)
    }

    /// Copies the array to a device, the same or another one. GPUs copy directly between each other if they support
    /// peer access, and through the host otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or a CUDA driver error.
    pub fn to_device(&self, device: &Device) -> Result<DeviceArray<T>> {
        self.as_slice().to_device(device)
    }
}

impl<T> DeviceArray<T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Returns whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// Returns the device of the array.
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// Borrows all elements as a slice.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::whole(self)
    }

    /// Borrows all elements as a mutable slice.
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSlice::whole(self)
    }

    /// Borrows the elements with indices in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the range is decreasing or out of bounds.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// Mutably borrows the elements with indices in `range`.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        self.as_slice_mut().slice(range)
    }

    /// Splits the array at `index`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is greater than the length.
    pub fn split_at(&self, index: usize) -> Result<(DeviceSlice<'_, T>, DeviceSlice<'_, T>)> {
        self.as_slice().split_at(index)
    }

    /// Splits the array at `index` into mutable halves, which two kernels may write concurrently.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::split_at`].
    pub fn split_at_mut(&mut self, index: usize) -> Result<(DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>)> {
        self.as_slice_mut().split_at(index)
    }

    /// Returns an iterator over chunks of `len` elements; the last chunk may be shorter.
    ///
    /// # Panics
    ///
    /// If `len` is 0, like [`slice::chunks`].
    pub fn chunks(&self, len: usize) -> DeviceChunks<'_, T> {
        self.as_slice().chunks(len)
    }

    /// Returns an iterator over mutable chunks of `len` elements; the last chunk may be shorter.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::open()?.zeros::<u32>(5)?;
    /// for (mut chunk, value) in x.chunks_mut(2).zip(1..) {
    ///     chunk.fill(value)?;
    /// }
    /// assert_eq!(x.to_host()?, [1, 1, 2, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If `len` is 0.
    pub fn chunks_mut(&mut self, len: usize) -> DeviceChunks<'_, T, Write> {
        self.as_slice_mut().chunks(len)
    }

    /// Returns the array as a kernel argument.
    #[inline]
    pub(crate) fn raw(&self) -> RawSlice {
        self.raw
    }

    /// Returns the memory of the array.
    #[inline]
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl<T> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceArray<{}>(len {}, on {})", std::any::type_name::<T>(), self.raw.len, self.device())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn copies_round_trip() {
        let device = Device::cpu();
        let mut array = device.to_device(&[1i32, -2, 3]).unwrap();
        assert_eq!(array.to_host().unwrap(), [1, -2, 3]);
        array.copy_from_host(&[7, 8, 9]).unwrap();
        let mut values = [0; 3];
        array.copy_to_host(&mut values).unwrap();
        assert_eq!(values, [7, 8, 9]);
        assert_eq!(device.zeros::<bool>(5).unwrap().to_host().unwrap(), [false; 5]);
        assert_eq!(format!("{array:?}"), "DeviceArray<i32>(len 3, on cpu)");
        assert_eq!(array.device(), &device);
    }

    #[test]
    fn memory_is_aligned_to_a_cache_line() {
        for len in [0, 1, 7, 1000] {
            let array = Device::cpu().zeros::<u8>(len).unwrap();
            assert_eq!(array.raw().pointer.addr() % 64, 0);
            assert_eq!(array.raw().len, len);
        }
    }

    #[test]
    fn empty_arrays_are_supported() {
        let mut array = Device::cpu().to_device::<u64>(&[]).unwrap();
        assert!(array.is_empty());
        array.copy_from_host(&[]).unwrap();
        array.copy_to_host(&mut []).unwrap();
        assert_eq!(array.to_host().unwrap(), [0u64; 0]);
        assert!(Device::cpu().zeros::<f32>(0).unwrap().is_empty());
    }

    #[test]
    fn lengths_must_match() {
        let mut array = Device::cpu().zeros::<i32>(3).unwrap();
        let error = array.copy_from_host(&[1, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "copy_from_host: the source has 2 elements, but the target has 3\n  help: copy slices of equal length, as in `array.slice(..n)?`"
        );
        assert!(matches!(array.copy_to_host(&mut [0; 4]), Err(Error::LengthMismatch { from: 3, to: 4, .. })));
    }

    #[test]
    fn an_oversized_allocation_is_an_error() {
        for len in [usize::MAX, isize::MAX as usize, 1 << 60, (1 << 47) / size_of::<f64>()] {
            let error = Device::cpu().zeros::<f64>(len).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            assert!(error.to_string().starts_with("out of memory on cpu"), "{error}");
        }
    }

    #[test]
    fn arrays_are_shared_across_threads() {
        let array = Device::cpu().to_device(&[1u32, 2, 3]).unwrap();
        let sums: Vec<u32> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| array.to_host().unwrap().iter().sum())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(sums, [6; 4]);
    }
}
