//! Page-locked memory of the host, which a GPU copies from and to while the program goes on.
//!
//! Rust's borrows end when a call returns, and such a copy does not. So the buffer itself knows what copies are under way:
//! each has an event behind it, and whoever wants to look at the elements waits for those that matter. That holds whatever
//! becomes of the values that started the copies, `mem::forget` included.

mod memory;
mod slice;

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

pub(crate) use self::memory::{GraphNumber, PinnedMemory, Planned};
pub use self::slice::{PinnedSlice, PinnedSliceMut};
use crate::array::{CopySource, CopyTarget, Place, Region};
use crate::device::Device;
use crate::error::Result;
use crate::host::{HostArray, HostArrayMut};
use crate::types::Element;

/// An array in page-locked memory of the host: a GPU copies from and to it at full speed, and while the program goes on.
///
/// [`Device::to_pinned`] and [`Device::pinned_zeros`] make one, and [`Stream::copy`](crate::Stream::copy) copies between it
/// and the arrays of devices without waiting. The elements are reached through [`as_slice`](PinnedArray::as_slice) and
/// [`as_mut_slice`](PinnedArray::as_mut_slice), which wait for the copies that are under way. Locked pages are lost to the
/// rest of the system, and locking them takes milliseconds: keep such buffers, and use them again.
///
/// On the CPU device it is memory like any other.
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
/// stream.copy(&buffer, &mut x)?; // these three return at once
/// double(&mut x).over(3).launch()?;
/// stream.copy(&x, &mut buffer)?;
/// assert_eq!(buffer.as_slice()?, [2.0, 4.0, 6.0]); // this waits for the copy
/// # Ok(())
/// # }
/// ```
// The elements belong to the array, which crosses threads where they do. The host reaches them as Rust's borrows allow, once
// the copies that conflict are over; those that start meanwhile borrow the array, too, while they start.
pub struct PinnedArray<T> {
    memory: Arc<PinnedMemory>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> PinnedArray<T> {
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

    /// The elements, once no device is writing them.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`](crate::Error::Fault) where this waits for a copy, and a kernel faulted on its stream since the last call
    /// that waited for that: the copy is over all the same, and the next call gives the elements. [`Error::Graph`](crate::Error::Graph)
    /// while a [`Graph`](crate::Graph) is being recorded that copies them. What the driver said of a copy.
    pub fn as_slice(&self) -> Result<&[T]> {
        let pointer = self.memory.settled(&self.bytes(), false)?;
        // SAFETY: the memory has `len` elements, which are values; whoever writes them borrows the array mutably, and the
        // copies that were writing are over.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), self.len) })
    }

    /// The elements, to be written, once no device is using them.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let pointer = self.memory.settled(&self.bytes(), true)?;
        // SAFETY: as above, and the array is borrowed mutably.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.len) })
    }

    /// The elements with an index in `range`: a part to copy from.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where the range is reversed or not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedSlice<'_, T>> {
        PinnedSlice::whole(self).slice(range)
    }

    /// As [`PinnedArray::slice`]: a part to copy to.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PinnedSliceMut<'_, T>> {
        PinnedSlice::whole(self).slice(range)
    }
}

impl<T> PinnedArray<T> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that it was made for. Others copy from and to it as well.
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

impl<T: Element> HostArray for PinnedArray<T> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        self.as_slice()
    }
}

impl<T: Element> HostArrayMut for PinnedArray<T> {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        self.as_mut_slice()
    }
}

impl<T> fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedArray<{}>(len {}, for {})", std::any::type_name::<T>(), self.len, self.device())
    }
}

impl<T: Element> CopySource for PinnedArray<T> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { place: Place::Pinned(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: Element> CopyTarget for PinnedArray<T> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn what_goes_in_comes_out() {
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
    fn parts_are_copied_to_and_from() {
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
    fn empty_buffers_are_buffers() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<f64>(0).unwrap();
        device.default_stream().copy(&device.zeros::<f64>(0).unwrap(), &mut buffer).unwrap();
        assert!(buffer.is_empty() && buffer.as_slice().unwrap().is_empty());
        let error = device.default_stream().copy(&device.zeros::<f64>(1).unwrap(), &mut buffer).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { from: 1, to: 0, .. }), "{error}");
    }

    #[test]
    fn elements_without_bytes_are_elements() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<[bool; 0]>(0).unwrap();
        assert!(buffer.as_mut_slice().unwrap().is_empty());
        let mut buffer = device.pinned_zeros::<[bool; 0]>(3).unwrap();
        device.default_stream().copy(&device.zeros::<[bool; 0]>(3).unwrap(), &mut buffer).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [[]; 3]);
    }

    #[test]
    fn buffers_and_their_parts_cross_threads() {
        fn check<T: Send + Sync>(_: &T) {}
        let mut buffer = Device::cpu().pinned_zeros::<f32>(4).unwrap();
        check(&buffer);
        check(&buffer.slice(..2).unwrap());
        check(&buffer.slice_mut(2..).unwrap());
    }
}
