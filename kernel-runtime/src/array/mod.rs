//! Arrays on a device.

mod cast;
mod copy;
#[cfg(feature = "ndarray")]
mod ndarray;
mod new;
mod raw;
pub(crate) mod shape;
mod slice;

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

pub(crate) use self::copy::copy;
pub use self::copy::{CopySource, CopyTarget};
pub(crate) use self::copy::{Place, Region};
pub use self::slice::{DeviceChunks, DeviceSlice, DeviceSliceMut};
pub(crate) use self::slice::{check_length, inside};
use crate::cpu::access::Write;
use crate::device::Device;
use crate::error::Result;
use crate::host::{HostArray, HostArrayMut};
use crate::memory::{Contents, Memory};
use crate::stream::Stream;
use crate::types::Element;

/// An array of `T` in the memory of a device.
///
/// [`Device::to_device`] and [`Device::zeros`] make one; kernels take `&DeviceArray<T>` for a `&[T]` and
/// `&mut DeviceArray<T>` for a `&mut [T]`. Dropping it while a kernel uses it is fine: the memory is freed after the
/// kernel.
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
    /// Beside the handle: a launch reads it of each of its arrays, and need not touch their allocations.
    raw: RawSlice,
    elements: PhantomData<T>,
}

// SAFETY: the memory belongs to the array. A shared array is only read: a launch that writes borrows it mutably, and holds
// the borrow until it is over (CPU) or ordered on the array's stream (GPU). The handle of the device may be sent.
unsafe impl<T: Send> Send for DeviceArray<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for DeviceArray<T> {}

/// An array as a launch passes it on: where its elements are and how many.
///
/// On a GPU the pointer is an address of the device, without provenance: the host must not read through it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlice {
    /// The first element; aligned for it also where there is none.
    pub(crate) pointer: *mut u8,
    /// How many elements there are.
    pub(crate) len: usize,
}

impl<T: Element> DeviceArray<T> {
    /// A new array with a copy of `values`, in the order of a stream.
    pub(crate) fn from_host(on: &Stream, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<DeviceArray<T>> {
        let values = values.elements()?;
        let mut array = DeviceArray::allocate(on, values.len(), Contents::Nothing)?;
        array.copy_from_host(values)?;
        Ok(array)
    }

    /// A new array, in the order of a stream.
    pub(crate) fn allocate(on: &Stream, len: usize, contents: Contents) -> Result<DeviceArray<T>> {
        Ok(DeviceArray::from_memory(Memory::allocate::<T>(on, len, contents)?, len))
    }

    /// An array in memory of `len` elements.
    pub(crate) fn from_memory(memory: Memory, len: usize) -> DeviceArray<T> {
        let raw = RawSlice { pointer: memory.pointer(), len };
        DeviceArray { memory, raw, elements: PhantomData }
    }

    /// The memory of the array.
    #[cfg(feature = "cudarc")]
    pub(crate) fn into_memory(self) -> Memory {
        self.memory
    }

    /// A copy of the elements, once everything that was asked of them before is done.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel faulted since the last call that waited; the elements are then still there, and
    /// the next call gives them. [`Error::OutOfMemory`] where the host has no room.
    ///
    /// [`Error::Fault`]: crate::Error::Fault
    /// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
    pub fn to_host(&self) -> Result<Vec<T>> {
        self.as_slice().to_host()
    }

    /// Copies the elements into `values`, once everything that was asked of them before is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch); [`Error::Shape`](crate::Error::Shape) where an array of
    /// `ndarray` is not contiguous; [`Error::Fault`](crate::Error::Fault) as in [`DeviceArray::to_host`], where the elements
    /// have been copied all the same.
    pub fn copy_to_host(&self, values: &mut (impl HostArrayMut<Element = T> + ?Sized)) -> Result<()> {
        self.as_slice().copy_to_host(values)
    }

    /// Copies `values` over the elements, once everything that was asked of them before is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), [`Error::Shape`](crate::Error::Shape) where an array of
    /// `ndarray` is not contiguous, or what the driver refused.
    pub fn copy_from_host(&mut self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<()> {
        self.as_slice_mut().copy_from_host(values)
    }

    /// Copies the elements of another array, a part of one, or a page-locked buffer, over these. The other may be on another
    /// device. What is asked of either array later happens behind the copy, for which the call waits only where one of the
    /// arrays is on the CPU device.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1, 2, 3, 4])?;
    /// let mut y = device.zeros(2)?;
    /// y.copy_from(&x.slice(1..3)?)?;
    /// assert_eq!(y.to_host()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), or what the driver refused. Where the copy is from a GPU to the
    /// CPU device, [`Error::Fault`](crate::Error::Fault) as from [`DeviceArray::to_host`].
    pub fn copy_from(&mut self, from: &(impl CopySource<Element = T> + ?Sized)) -> Result<()> {
        self.as_slice_mut().copy_from(from)
    }

    /// Sets all elements to `value`, on the device.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::open()?.zeros::<f32>(4)?;
    /// x.fill(0.5)?;
    /// x.slice_mut(1..3)?.fill(f32::INFINITY)?; // a part of it
    /// assert_eq!(x.to_host()?, [0.5, f32::INFINITY, f32::INFINITY, 0.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.as_slice_mut().fill(value)
    }

    /// A copy of the array on a device, this one or another. Two GPUs copy between each other, without the host where they
    /// can.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or what the driver refused.
    pub fn to_device(&self, device: &Device) -> Result<DeviceArray<T>> {
        self.as_slice().to_device(device)
    }
}

impl<T> DeviceArray<T> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// The device that holds the array.
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// All elements, borrowed.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::whole(self)
    }

    /// All elements, borrowed to be written.
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSlice::whole(self)
    }

    /// The elements with an index in `range`, borrowed.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where the range is reversed or not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// As [`DeviceArray::slice`], to be written.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        self.as_slice_mut().slice(range)
    }

    /// The elements before `index`, and those from it on.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where there are fewer.
    pub fn split_at(&self, index: usize) -> Result<(DeviceSlice<'_, T>, DeviceSlice<'_, T>)> {
        self.as_slice().split_at(index)
    }

    /// As [`DeviceArray::split_at`], to be written: two kernels can write the two parts at the same time.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::split_at`].
    pub fn split_at_mut(&mut self, index: usize) -> Result<(DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>)> {
        self.as_slice_mut().split_at(index)
    }

    /// The elements in parts of `len`, of which the last may be shorter.
    ///
    /// # Panics
    ///
    /// Where `len` is 0, as [`slice::chunks`] does.
    pub fn chunks(&self, len: usize) -> DeviceChunks<'_, T> {
        self.as_slice().chunks(len)
    }

    /// As [`DeviceArray::chunks`], to be written.
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
    /// Where `len` is 0.
    pub fn chunks_mut(&mut self, len: usize) -> DeviceChunks<'_, T, Write> {
        self.as_slice_mut().chunks(len)
    }

    /// The array for a launch.
    #[inline]
    pub(crate) fn raw(&self) -> RawSlice {
        self.raw
    }

    /// Its memory.
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
    fn what_goes_in_comes_out() {
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
    fn an_empty_array_is_an_array() {
        let mut array = Device::cpu().to_device::<u64>(&[]).unwrap();
        assert!(array.is_empty());
        array.copy_from_host(&[]).unwrap();
        array.copy_to_host(&mut []).unwrap();
        assert_eq!(array.to_host().unwrap(), [0u64; 0]);
        assert!(Device::cpu().zeros::<f32>(0).unwrap().is_empty());
    }

    #[test]
    fn lengths_must_agree() {
        let mut array = Device::cpu().zeros::<i32>(3).unwrap();
        let error = array.copy_from_host(&[1, 2]).unwrap_err();
        assert_eq!(error.to_string(), "copy_from_host: the source has 2 elements and the target has 3");
        assert!(matches!(array.copy_to_host(&mut [0; 4]), Err(Error::LengthMismatch { from: 3, to: 4, .. })));
    }

    #[test]
    fn too_much_memory_is_an_error() {
        for len in [usize::MAX, isize::MAX as usize, 1 << 60, (1 << 47) / size_of::<f64>()] {
            let error = Device::cpu().zeros::<f64>(len).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            assert!(error.to_string().starts_with("out of memory on cpu"), "{error}");
        }
    }

    #[test]
    fn an_array_crosses_threads() {
        let array = Device::cpu().to_device(&[1u32, 2, 3]).unwrap();
        let sums: Vec<u32> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| array.to_host().unwrap().iter().sum())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(sums, [6; 4]);
    }
}
