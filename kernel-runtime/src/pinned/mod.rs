//! Page-locked host memory for asynchronous copies.
//!
//! A borrow ends when a call returns, but an asynchronous copy does not. The buffer therefore tracks its copies in
//! flight: an event is recorded after each of them, and an access of the host waits for those that conflict. This holds
//! regardless of the values that enqueued the copies, even if they are passed to `mem::forget`.

mod memory;
mod slice;

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

pub(crate) use self::memory::{GraphId, PinnedMemory, Reservation};
pub use self::slice::{PinnedSlice, PinnedSliceMut};
use crate::array::host::{HostArray, HostArrayMut};
use crate::device::Device;
use crate::error::Result;
use crate::types::{self, DeviceType};

/// An array in page-locked (pinned) host memory, which a GPU copies from and to asynchronously and at full bandwidth.
///
/// [`Device::to_pinned`] and [`Device::pinned_zeros`] create one, and [`Stream::copy`](crate::Stream::copy) copies
/// between it and device arrays without waiting. The elements are accessed through [`as_slice`](PinnedArray::as_slice)
/// and [`as_mut_slice`](PinnedArray::as_mut_slice), which wait for copies in flight. Page-locked memory is not
/// available for paging, and page-locking takes milliseconds: allocate such buffers once, and reuse them.
///
/// On the CPU device it is ordinary memory.
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
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let stream = device.default_stream();
/// let mut buffer = device.to_pinned(&[1.0f32, 2.0, 3.0])?;
/// let mut x = device.zeros(3)?;
/// stream.copy(&buffer, &mut x)?; // these three calls are asynchronous
/// double(&mut x).over(3).launch()?;
/// stream.copy(&x, &mut buffer)?;
/// assert_eq!(buffer.as_slice()?, [2.0, 4.0, 6.0]); // waits for the copy
/// # Ok(())
/// # }
/// ```
// The array owns its elements, and is `Send` and `Sync` if they are. The host accesses them under Rust's borrow rules,
// once the conflicting copies have completed; enqueueing a copy borrows the array as well.
pub struct PinnedArray<T> {
    memory: Arc<PinnedMemory>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: DeviceType> PinnedArray<T> {
    pub(crate) fn zeros(device: &Device, len: usize) -> Result<PinnedArray<T>> {
        Ok(PinnedArray { memory: Arc::new(PinnedMemory::allocate::<T>(device, len)?), len, elements: PhantomData })
    }

    pub(crate) fn from_host(
        device: &Device,
        values: &(impl HostArray<Element = T> + ?Sized),
    ) -> Result<PinnedArray<T>> {
        let values = values.elements()?;
        let mut array = PinnedArray::zeros(device, values.len())?;
        array.as_mut_slice()?.copy_from_slice(values);
        Ok(array)
    }

    /// Returns the elements, after waiting for device copies that write them.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`](crate::Error::Fault) if this waits for a copy, and a kernel on its stream has faulted since the
    /// last call that waited for it: the copy has completed nevertheless, and the next call returns the elements.
    /// [`Error::Graph`](crate::Error::Graph) while a [`Graph`](crate::Graph) that copies them is being recorded. The
    /// driver error of a copy.
    pub fn as_slice(&self) -> Result<&[T]> {
        let pointer = self.memory.host_access(&self.bytes(), false)?;
        // SAFETY: the memory has `len` elements, which are valid values; writing them requires a mutable borrow of the
        // array, and the copies that wrote them have completed.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), self.len) })
    }

    /// Returns the elements mutably, after waiting for all device copies that access them.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let pointer = self.memory.host_access(&self.bytes(), true)?;
        // SAFETY: as above; in addition, the array is borrowed mutably.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.len) })
    }

    /// Returns the elements with indices in `range`, as a source of copies.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the range is decreasing or out of bounds.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedSlice<'_, T>> {
        PinnedSlice::whole(self).slice(range)
    }

    /// Returns the elements with indices in `range`, as a target of copies.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PinnedSliceMut<'_, T>> {
        PinnedSlice::whole(self).slice(range)
    }
}

impl Device {
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
        types::assert_zeros::<T>();
        PinnedArray::zeros(self, len)
    }
}

impl<T> PinnedArray<T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device that the array was created for. Other devices can copy from and to it as well.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    pub(crate) fn memory(&self) -> &Arc<PinnedMemory> {
        &self.memory
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        0..self.len * size_of::<T>()
    }
}

impl<T: DeviceType> HostArray for PinnedArray<T> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        self.as_slice()
    }
}

impl<T: DeviceType> HostArrayMut for PinnedArray<T> {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        self.as_mut_slice()
    }
}

impl<T> fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedArray<{}>(len {}, for {})", std::any::type_name::<T>(), self.len, self.device())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn copies_round_trip() {
        let device = Device::cpu();
        let mut buffer = device.to_pinned(&[1, 2, 3]).unwrap();
        buffer.as_mut_slice().unwrap()[1] = 20;
        let stream = device.default_stream();
        let mut x = device.zeros(3).unwrap();
        stream.copy(&buffer, &mut x).unwrap();
        buffer.as_mut_slice().unwrap().fill(0);
        stream.copy(&x.slice(1..).unwrap(), &mut buffer.slice_mut(..2).unwrap()).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [20, 3, 0]);
        assert_eq!(format!("{buffer:?}"), "PinnedArray<i32>(len 3, for cpu)");
    }

    #[test]
    fn slices_are_copied_to_and_from() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<u8>(6).unwrap();
        let whole = buffer.slice_mut(..).unwrap();
        let (mut left, mut right) = whole.split_at(2).unwrap();
        left.as_mut_slice().unwrap().fill(1);
        right.as_mut_slice().unwrap().fill(2);
        assert_eq!((left.len(), right.slice(3..).unwrap().as_slice().unwrap()), (2, &[2][..]));
        let other = device.to_pinned(&[7, 8]).unwrap();
        device.default_stream().copy(&other, &mut buffer.slice_mut(3..5).unwrap()).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [1, 1, 2, 7, 8, 2]);
        assert!(buffer.slice(5..7).is_err() && buffer.slice_mut(..).unwrap().split_at(7).is_err());
    }

    #[test]
    fn empty_arrays_are_supported() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<f64>(0).unwrap();
        device.default_stream().copy(&device.zeros::<f64>(0).unwrap(), &mut buffer).unwrap();
        assert!(buffer.is_empty() && buffer.as_slice().unwrap().is_empty());
        let error = device.default_stream().copy(&device.zeros::<f64>(1).unwrap(), &mut buffer).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { from: 1, to: 0, .. }), "{error}");
    }

    #[test]
    fn zero_sized_elements_are_supported() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<[bool; 0]>(0).unwrap();
        assert!(buffer.as_mut_slice().unwrap().is_empty());
        let mut buffer = device.pinned_zeros::<[bool; 0]>(3).unwrap();
        device.default_stream().copy(&device.zeros::<[bool; 0]>(3).unwrap(), &mut buffer).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [[]; 3]);
    }

    #[test]
    fn arrays_and_slices_are_send_and_sync() {
        fn check<T: Send + Sync>(_: &T) {}
        let mut buffer = Device::cpu().pinned_zeros::<f32>(4).unwrap();
        check(&buffer);
        check(&buffer.slice(..2).unwrap());
        check(&buffer.slice_mut(2..).unwrap());
    }
}
