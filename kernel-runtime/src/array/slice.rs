//! Slices of device arrays: the operations shared by arrays and their parts.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Bound, Range, RangeBounds};

use super::{DeviceArray, RawSlice};
use crate::array::host::{HostArray, HostArrayMut};
use crate::device::Device;
use crate::error::{DeviceName, Error, Result, ShapeError};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::memory::{Contents, Memory, no_room};
use crate::types::{DeviceType, make_valid};

/// A contiguous range of elements of a [`DeviceArray`], accepted for a kernel's `&[T]` like the array itself.
///
/// [`DeviceArray::slice`] creates one. The marker `M` tells whether the slice is mutable: programs use the names
/// `DeviceSlice<'_, T>` and [`DeviceSliceMut<'_, T>`](DeviceSliceMut). Rust's borrow rules apply as for host slices, so
/// that the halves of an array can be written concurrently:
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn add(by: i32, x: &mut [i32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] += by;
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::cpu().to_device(&[1, 2, 3, 4, 5])?;
/// let (mut left, mut right) = x.split_at_mut(2)?;
/// add(10, &mut left).over(2).launch()?;
/// add(20, &mut right).over(3).launch()?;
/// assert_eq!(x.slice(1..4)?.to_host()?, [12, 23, 24]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceSlice<'a, T, M = Read> {
    memory: &'a Memory,
    /// The first element; a device address on a GPU. In bounds, or one past the end if the slice is empty.
    pointer: *mut T,
    len: usize,
    array: PhantomData<(&'a T, M)>,
}

/// A mutable [`DeviceSlice`]. A reference to it, `&mut slice`, is accepted for a kernel's `&mut [T]`.
pub type DeviceSliceMut<'a, T> = DeviceSlice<'a, T, Write>;

impl<T> Clone for DeviceSlice<'_, T, Read> {
    fn clone(&self) -> Self {
        *self
    }
}

/// All elements, as [`DeviceArray::as_slice`].
impl<'a, T> From<&'a DeviceArray<T>> for DeviceSlice<'a, T, Read> {
    fn from(array: &'a DeviceArray<T>) -> Self {
        array.as_slice()
    }
}

/// All elements, as [`DeviceArray::as_slice_mut`].
impl<'a, T> From<&'a mut DeviceArray<T>> for DeviceSlice<'a, T, Write> {
    fn from(array: &'a mut DeviceArray<T>) -> Self {
        array.as_slice_mut()
    }
}

// A mutable slice is not `Copy`: no two of them overlap.
impl<T> Copy for DeviceSlice<'_, T, Read> {}

// SAFETY: a slice is a borrow of a `DeviceArray`: shared, or exclusive for a mutable slice's elements.
unsafe impl<T: Send + Sync, M: Access> Send for DeviceSlice<'_, T, M> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync, M: Access> Sync for DeviceSlice<'_, T, M> {}

impl<'a, T, M> DeviceSlice<'a, T, M> {
    /// Returns all elements of an array. The caller has borrowed the array mutably if the slice is mutable.
    pub(super) fn whole(array: &'a DeviceArray<T>) -> Self {
        let RawSlice { pointer, len } = array.raw();
        DeviceSlice { memory: array.memory(), pointer: pointer.cast(), len, array: PhantomData }
    }

    /// Returns `len` elements of the memory.
    ///
    /// # Safety
    ///
    /// The elements are in bounds of the memory, and borrowed for `'a`, mutably if `M` writes.
    pub(super) unsafe fn from_raw(memory: &'a Memory, pointer: *mut T, len: usize) -> Self {
        DeviceSlice { memory, pointer, len, array: PhantomData }
    }

    /// Reinterprets the memory as `len` elements of another type, for which it is aligned.
    pub(super) fn reinterpret<U>(self, len: usize) -> DeviceSlice<'a, U, M> {
        let DeviceSlice { memory, pointer, len: _, array: _ } = self;
        DeviceSlice { memory, pointer: pointer.cast(), len, array: PhantomData }
    }

    /// Returns the device address of the first element.
    pub(super) fn address(&self) -> usize {
        self.pointer.addr()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the slice is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device of the array.
    pub fn device(&self) -> &'a Device {
        self.memory.device()
    }

    /// Reborrows the slice as a shared one.
    pub fn as_slice(&self) -> DeviceSlice<'_, T, Read> {
        let &DeviceSlice { memory, pointer, len, array: _ } = self;
        DeviceSlice { memory, pointer, len, array: PhantomData }
    }

    /// Reborrows the slice mutably.
    pub fn as_slice_mut(&mut self) -> DeviceSlice<'_, T, M>
    where
        M: Writable,
    {
        let &mut DeviceSlice { memory, pointer, len, array: _ } = self;
        DeviceSlice { memory, pointer, len, array: PhantomData }
    }

    /// Returns the slice for a shorter time, exclusively borrowed, as `self` is.
    pub(crate) fn lent(&mut self) -> DeviceSlice<'_, T, M> {
        let &mut DeviceSlice { memory, pointer, len, array: _ } = self;
        DeviceSlice { memory, pointer, len, array: PhantomData }
    }

    /// Returns the elements with indices in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the range is decreasing or out of bounds.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let Range { start, end } = inside(range, 0, self.len)?;
        Ok(self.part(start, end - start))
    }

    /// Splits the slice at `index`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `index` is greater than the length.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        inside(index.., 0, self.len)?;
        let rest = self.len - index;
        Ok((self.part(0, index), self.part(index, rest)))
    }

    /// Returns an iterator over chunks of `len` elements; the last chunk may be shorter.
    ///
    /// # Panics
    ///
    /// If `len` is 0, like [`slice::chunks`].
    pub fn chunks(self, len: usize) -> DeviceChunks<'a, T, M> {
        assert!(len != 0, "chunk length must not be 0");
        DeviceChunks { rest: self, len }
    }

    /// Returns `len` elements from `start` on, which must be in bounds. Parts of a mutable slice that are in use must
    /// not overlap.
    fn part(&self, start: usize, len: usize) -> Self {
        let &DeviceSlice { memory, pointer, len: _, array } = self;
        // May be a device address: only computed, never dereferenced.
        DeviceSlice { memory, pointer: pointer.wrapping_add(start), len, array }
    }

    /// Returns the memory of the elements.
    pub(crate) fn memory(&self) -> &'a Memory {
        self.memory
    }

    /// Returns the address of the first element.
    pub(crate) fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// Returns the slice as a kernel argument.
    pub(crate) fn raw(&self) -> RawSlice {
        RawSlice { pointer: self.pointer.cast(), len: self.len }
    }

    /// Returns the byte range of the elements in the memory.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let start = self.pointer.addr() - self.memory.pointer().addr();
        start..start + self.len * size_of::<T>()
    }
}

impl<T: DeviceType, M> DeviceSlice<'_, T, M> {
    /// Copies the elements to a vector, after all earlier work that writes them.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::to_host`].
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(self.len).map_err(|_| no_room::<T>(DeviceName::Host, self.len))?;
        // SAFETY: the vector has capacity for `len` elements; all of them are written and made valid before its length
        // is set.
        unsafe {
            self.copy_bytes_to(values.as_mut_ptr())?;
            make_valid(values.as_mut_ptr(), self.len);
            values.set_len(self.len);
        }
        Ok(values)
    }

    /// Copies the elements to a new array on a device, the same or another one.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::to_device`].
    pub fn to_device(&self, device: &Device) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::allocate(&device.default_stream(), self.len, Contents::Nothing)?;
        array.copy_from(self)?;
        Ok(array)
    }

    /// Copies the elements to `values`, after all earlier work that writes them.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_to_host`].
    pub fn copy_to_host(&self, values: &mut (impl HostArrayMut<Element = T> + ?Sized)) -> Result<()> {
        let values = values.elements_mut()?;
        check_length("copy_to_host", self.len, values.len())?;
        // SAFETY: the slice has `len` elements. They are made valid even on an error: a fault is reported after the
        // copy.
        unsafe {
            let result = self.copy_bytes_to(values.as_mut_ptr());
            make_valid(values.as_mut_ptr(), self.len);
            result
        }
    }

    /// Copies the bytes of all elements to `to`. They need not be valid values: zeroing and kernels on a GPU can leave
    /// any bits.
    ///
    /// # Safety
    ///
    /// `to` is valid for writes of `len` elements.
    unsafe fn copy_bytes_to(&self, to: *mut T) -> Result<()> {
        // SAFETY: upheld by the caller, and the elements are in bounds of the memory.
        unsafe { self.memory.read(None, self.bytes(), to.cast()) }
    }
}

impl<T: DeviceType, M: Writable> DeviceSlice<'_, T, M> {
    /// Overwrites the elements with `values`, after all earlier work that accesses them.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_from_host`].
    pub fn copy_from_host(&mut self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<()> {
        let values = values.elements()?;
        check_length("copy_from_host", values.len(), self.len)?;
        // SAFETY: both sides have the same size, and the elements are borrowed mutably.
        unsafe { self.memory.write(None, self.bytes(), values.as_ptr().cast()) }
    }

    /// Sets all elements to `value`, on the device.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn fill(&mut self, value: T) -> Result<()> {
        // SAFETY: the range is that of `len` elements, which are borrowed mutably.
        with_bytes_of(value, |element| unsafe { self.memory.fill(&self.memory.home(), self.bytes(), element) })
    }
}

/// Calls `then` with the bytes of an element.
pub(super) fn with_bytes_of<T: DeviceType, R>(value: T, then: impl FnOnce(&[u8]) -> R) -> R {
    let mut element = MaybeUninit::<T>::uninit();
    // SAFETY: the memory is aligned and not shared. Padding between the fields of a value is zeroed in place:
    // moving a `MaybeUninit::zeroed()` need not preserve it. `store` leaves padding unchanged, so every byte is
    // initialised here or by `store`.
    let element = unsafe {
        element.as_mut_ptr().write_bytes(0, 1);
        T::__store(element.as_mut_ptr(), value);
        std::slice::from_raw_parts(element.as_ptr().cast::<u8>(), size_of::<T>())
    };
    then(element)
}

impl<T, M> fmt::Debug for DeviceSlice<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSlice<{}>(len {}, on {})", std::any::type_name::<T>(), self.len, self.device())
    }
}

/// An iterator over chunks of a [`DeviceSlice`], from [`DeviceSlice::chunks`] or [`DeviceArray::chunks`].
pub struct DeviceChunks<'a, T, M = Read> {
    rest: DeviceSlice<'a, T, M>,
    len: usize,
}

impl<'a, T, M> Iterator for DeviceChunks<'a, T, M> {
    type Item = DeviceSlice<'a, T, M>;

    fn next(&mut self) -> Option<DeviceSlice<'a, T, M>> {
        let len = self.len.min(self.rest.len);
        if len == 0 {
            return None;
        }
        // The chunks are disjoint, so all of them may be mutable if the slice is.
        let next = self.rest.part(0, len);
        self.rest = self.rest.part(len, self.rest.len - len);
        Some(next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.rest.len.div_ceil(self.len);
        (count, Some(count))
    }
}

impl<T, M> ExactSizeIterator for DeviceChunks<'_, T, M> {}

impl<T, M> FusedIterator for DeviceChunks<'_, T, M> {}

impl<T, M> fmt::Debug for DeviceChunks<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceChunks").field("rest", &self.rest).field("len", &self.len).finish()
    }
}

/// Resolves `range` against the length `len` of dimension `axis`.
///
/// # Errors
///
/// [`Error::Shape`] if it is out of bounds or decreasing.
pub(crate) fn inside(range: impl RangeBounds<usize>, axis: usize, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    if start > end || end > len {
        return Err(ShapeError::Range { start, end, axis, len }.into());
    }
    Ok(start..end)
}

/// Checks that both sides of a copy have the same number of elements.
pub(crate) fn check_length(operation: &'static str, from: usize, to: usize) -> Result<()> {
    if from == to { Ok(()) } else { Err(Error::LengthMismatch { operation, from, to }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(len: i32) -> DeviceArray<i32> {
        Device::cpu().to_device(&(0..len).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_slice_is_a_range_of_the_array() {
        let array = numbers(6);
        let slice = array.slice(1..5).unwrap();
        assert_eq!((slice.len(), slice.bytes()), (4, 4..20));
        assert_eq!(slice.slice(1..=2).unwrap().to_host().unwrap(), [2, 3]);
        assert_eq!(slice.slice((Bound::Excluded(1), Bound::Unbounded)).unwrap().to_host().unwrap(), [3, 4]);
        let (left, right) = slice.split_at(3).unwrap();
        assert_eq!((left.to_host().unwrap(), right.to_host().unwrap()), (vec![1, 2, 3], vec![4]));
        assert_eq!(array.slice(..).unwrap().len(), 6);
        assert_eq!(format!("{right:?}"), "DeviceSlice<i32>(len 1, on cpu)");
    }

    #[test]
    fn a_slice_may_be_empty_at_either_end() {
        let array = numbers(3);
        for at in 0..=3 {
            let slice = array.slice(at..at).unwrap();
            assert!(slice.is_empty() && slice.to_host().unwrap().is_empty());
            assert_eq!(slice.bytes(), at * 4..at * 4);
        }
        let none = numbers(0);
        let (left, right) = none.split_at(0).unwrap();
        assert!(left.is_empty() && right.is_empty());
        assert_eq!(none.chunks(4).count(), 0);
    }

    #[test]
    fn out_of_bounds_ranges_are_errors() {
        let mut array = numbers(4);
        let error = array.slice(2..5).unwrap_err();
        assert_eq!(error.to_string(), "range 2..5 out of bounds for dimension 0 of length 4");
        let error = array.slice((Bound::Included(3), Bound::Excluded(2))).unwrap_err();
        assert_eq!(error.to_string(), "range 3..2 of dimension 0 starts after its end\n  help: write `2..3`");
        let error = array.slice(5..).unwrap_err();
        assert_eq!(error.to_string(), "range 5.. out of bounds for dimension 0 of length 4");
        assert!(array.slice(..=usize::MAX).is_err());
        assert!(array.slice_mut(5..).is_err());
        assert!(array.split_at(5).is_err() && array.split_at_mut(usize::MAX).is_err());
    }

    #[test]
    fn writes_through_slices_reach_the_array() {
        let mut array = numbers(6);
        let (mut left, mut right) = array.split_at_mut(2).unwrap();
        left.fill(7).unwrap();
        right.as_slice_mut().slice(1..3).unwrap().copy_from_host(&[40, 50]).unwrap();
        right.copy_from(&right_of(&numbers(9))).unwrap_err();
        assert_eq!(right.as_slice().to_host().unwrap(), [2, 40, 50, 5]);
        left.copy_from(&right_of(&numbers(4))).unwrap();
        assert_eq!(array.to_host().unwrap(), [2, 3, 2, 40, 50, 5]);
    }

    fn right_of(array: &DeviceArray<i32>) -> DeviceSlice<'_, i32> {
        array.split_at(array.len() / 2).unwrap().1
    }

    #[test]
    fn chunks_cover_the_array() {
        let mut array = numbers(7);
        assert_eq!(array.chunks(3).map(|chunk| chunk.len()).collect::<Vec<_>>(), [3, 3, 1]);
        assert_eq!(array.chunks(3).len(), 3);
        let chunks: Vec<_> = array.chunks_mut(3).collect();
        for (mut chunk, value) in chunks.into_iter().zip([10, 20, 30]) {
            chunk.fill(value).unwrap();
        }
        assert_eq!(array.to_host().unwrap(), [10, 10, 10, 20, 20, 20, 30]);
    }

    #[test]
    fn fill_accepts_elements_of_any_size() {
        let device = Device::cpu();
        let mut bytes = device.zeros::<u8>(5).unwrap();
        bytes.fill(0xab).unwrap();
        assert_eq!(bytes.to_host().unwrap(), [0xab; 5]);
        let mut wide = device.zeros::<[u16; 3]>(4).unwrap();
        wide.slice_mut(1..).unwrap().fill([1, 2, 3]).unwrap();
        assert_eq!(wide.to_host().unwrap(), [[0; 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]);
        let mut none = device.zeros::<f64>(0).unwrap();
        none.fill(1.0).unwrap();
    }
}
