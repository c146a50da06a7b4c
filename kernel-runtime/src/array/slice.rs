//! Parts of arrays, borrowed: what all arrays and parts of them can do is written here, once.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Bound, Range, RangeBounds};

use super::copy::{CopySource, copy};
use super::{DeviceArray, RawSlice};
use crate::cpu::access::{Access, Read, Writable, Write};
use crate::device::Device;
use crate::error::{Error, Result, ShapeError};
use crate::host::{HostArray, HostArrayMut};
use crate::memory::{Contents, Memory, no_room};
use crate::types::{Element, make_valid};

/// Elements of a [`DeviceArray`] that follow each other: what a kernel's `&[T]` takes, as the array itself does.
///
/// [`DeviceArray::slice`] makes one. `M` says whether its elements may be written: the names that a program uses are
/// `DeviceSlice<'_, T>` and [`DeviceSliceMut<'_, T>`](DeviceSliceMut). Rust's rules of borrowing hold as for slices of the
/// host, and so the halves of an array can be written at the same time:
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
/// let (left, right) = x.split_at_mut(2)?;
/// add(10, left).over(2).launch()?;
/// add(20, right).over(3).launch()?;
/// assert_eq!(x.slice(1..4)?.to_host()?, [12, 23, 24]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceSlice<'a, T, M = Read> {
    memory: &'a Memory,
    /// The first element; on a GPU, an address there. It stays inside the memory, or just behind it, where there is none.
    pointer: *mut T,
    len: usize,
    array: PhantomData<(&'a T, M)>,
}

/// A [`DeviceSlice`] whose elements may be written: what a kernel's `&mut [T]` takes.
pub type DeviceSliceMut<'a, T> = DeviceSlice<'a, T, Write>;

impl<T> Clone for DeviceSlice<'_, T, Read> {
    fn clone(&self) -> Self {
        *self
    }
}

// A slice that may be written is not `Copy`: no two of them have an element in common.
impl<T> Copy for DeviceSlice<'_, T, Read> {}

// SAFETY: a slice is a borrow of a `DeviceArray`: shared, or exclusive for the elements that it may write.
unsafe impl<T: Send + Sync, M: Access> Send for DeviceSlice<'_, T, M> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync, M: Access> Sync for DeviceSlice<'_, T, M> {}

impl<'a, T, M> DeviceSlice<'a, T, M> {
    /// All elements of an array. Who asks for a slice to be written has borrowed the array mutably.
    pub(super) fn whole(array: &'a DeviceArray<T>) -> Self {
        let RawSlice { pointer, len } = array.raw();
        DeviceSlice { memory: array.memory(), pointer: pointer.cast(), len, array: PhantomData }
    }

    /// The same memory as `len` elements of another type, whose alignment it has.
    pub(super) fn seen_as<U>(self, len: usize) -> DeviceSlice<'a, U, M> {
        let DeviceSlice { memory, pointer, len: _, array: _ } = self;
        DeviceSlice { memory, pointer: pointer.cast(), len, array: PhantomData }
    }

    /// Where the first element is, on the device.
    pub(super) fn address(&self) -> usize {
        self.pointer.addr()
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that holds the array.
    pub fn device(&self) -> &'a Device {
        self.memory.device()
    }

    /// The same elements, to be read only.
    pub fn as_slice(&self) -> DeviceSlice<'_, T, Read> {
        let &DeviceSlice { memory, pointer, len, array: _ } = self;
        DeviceSlice { memory, pointer, len, array: PhantomData }
    }

    /// The same elements for as long as the result lives, after which this slice may be used again.
    pub fn as_slice_mut(&mut self) -> DeviceSlice<'_, T, M>
    where
        M: Writable,
    {
        let &mut DeviceSlice { memory, pointer, len, array: _ } = self;
        DeviceSlice { memory, pointer, len, array: PhantomData }
    }

    /// The elements with an index in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] where the range is reversed or not inside.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let Range { start, end } = inside(range, 0, self.len)?;
        Ok(self.part(start, end - start))
    }

    /// The elements before `index`, and those from it on.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] where there are fewer.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        inside(index.., 0, self.len)?;
        let behind = self.len - index;
        Ok((self.part(0, index), self.part(index, behind)))
    }

    /// The elements in parts of `len`, of which the last may be shorter.
    ///
    /// # Panics
    ///
    /// Where `len` is 0, as [`slice::chunks`] does.
    pub fn chunks(self, len: usize) -> DeviceChunks<'a, T, M> {
        assert!(len != 0, "chunks of 0 elements");
        DeviceChunks { rest: self, len }
    }

    /// `len` elements from `start` on, which are inside. Of the parts that are made of one slice that may be written, no two
    /// that are used have an element in common.
    fn part(&self, start: usize, len: usize) -> Self {
        let &DeviceSlice { memory, pointer, len: _, array } = self;
        // It is an address of the device, so that it is only computed.
        DeviceSlice { memory, pointer: pointer.wrapping_add(start), len, array }
    }

    /// The memory that the elements are in.
    pub(crate) fn memory(&self) -> &'a Memory {
        self.memory
    }

    /// The first element.
    pub(crate) fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// The slice for a launch.
    pub(crate) fn raw(&self) -> RawSlice {
        RawSlice { pointer: self.pointer.cast(), len: self.len }
    }

    /// The bytes of the memory that the elements are.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let start = self.pointer.addr() - self.memory.pointer().addr();
        start..start + self.len * size_of::<T>()
    }
}

impl<T: Element, M> DeviceSlice<'_, T, M> {
    /// A copy of the elements, once everything that was asked of them before is done.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::to_host`].
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(self.len).map_err(|_| no_room::<T>("the host".to_owned(), self.len))?;
        // SAFETY: the vector has room for `len` elements; all of them are written, made values, and only then its own.
        unsafe {
            self.copy_bytes_to(values.as_mut_ptr())?;
            make_valid(values.as_mut_ptr(), self.len);
            values.set_len(self.len);
        }
        Ok(values)
    }

    /// A copy of the elements on a device, this one or another.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::to_device`].
    pub fn to_device(&self, device: &Device) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::allocate(&device.default_stream(), self.len, Contents::Nothing)?;
        array.copy_from(self)?;
        Ok(array)
    }

    /// Copies the elements into `values`, once everything that was asked of them before is done.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_to_host`].
    pub fn copy_to_host(&self, values: &mut (impl HostArrayMut<Element = T> + ?Sized)) -> Result<()> {
        let values = values.elements_mut()?;
        check_length("copy_to_host", self.len, values.len())?;
        // SAFETY: the slice has `len` elements. They are made values even if there was an error: a fault is given out behind
        // the copy.
        unsafe {
            let result = self.copy_bytes_to(values.as_mut_ptr());
            make_valid(values.as_mut_ptr(), self.len);
            result
        }
    }

    /// Copies the bytes of all elements to `to`. They may be no values: zeros and a kernel on a GPU can leave such.
    ///
    /// # Safety
    ///
    /// `to` is valid for writing `len` elements.
    unsafe fn copy_bytes_to(&self, to: *mut T) -> Result<()> {
        // SAFETY: the caller's promise, and the elements are inside of the memory.
        unsafe { self.memory.read(None, self.bytes(), to.cast()) }
    }
}

impl<T: Element, M: Writable> DeviceSlice<'_, T, M> {
    /// Copies `values` over the elements, once everything that was asked of them before is done.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_from_host`].
    pub fn copy_from_host(&mut self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<()> {
        let values = values.elements()?;
        check_length("copy_from_host", values.len(), self.len)?;
        // SAFETY: both have that many bytes, and the elements are borrowed mutably.
        unsafe { self.memory.write(None, self.bytes(), values.as_ptr().cast()) }
    }

    /// Copies the elements of another array, a part of one, or a page-locked buffer, over these.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_from`].
    pub fn copy_from(&mut self, from: &(impl CopySource<Element = T> + ?Sized)) -> Result<()> {
        copy(None, "copy_from", from, self)
    }

    /// Sets all elements to `value`, on the device.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn fill(&mut self, value: T) -> Result<()> {
        let mut element = MaybeUninit::<T>::uninit();
        // SAFETY: the place is aligned, and nobody else has it. What lies between the fields of a value is set in the place
        // itself: a `MaybeUninit::zeroed()` that is moved there need not bring it along. `store` leaves it as it is, so that
        // every byte is one that was set here or by it.
        let element = unsafe {
            element.as_mut_ptr().write_bytes(0, 1);
            T::store(element.as_mut_ptr(), value);
            std::slice::from_raw_parts(element.as_ptr().cast::<u8>(), size_of::<T>())
        };
        // SAFETY: the range is that of `len` elements, which are borrowed mutably.
        unsafe { self.memory.fill(&self.memory.home(), self.bytes(), element) }
    }
}

impl<T, M> fmt::Debug for DeviceSlice<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSlice<{}>(len {}, on {})", std::any::type_name::<T>(), self.len, self.device())
    }
}

/// The parts of a [`DeviceSlice`], from [`DeviceSlice::chunks`] or [`DeviceArray::chunks`].
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
        // The parts have no element in common, so that all of them may be written if the slice may.
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

/// The indices of `range`, which are below `len`.
///
/// # Errors
///
/// [`Error::Shape`] where they are not, or the range is reversed.
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

/// Whether both sides of a copy have as many elements.
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
    fn a_slice_is_a_part() {
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
    fn what_is_not_inside_is_refused() {
        let mut array = numbers(4);
        let error = array.slice(2..5).unwrap_err();
        assert_eq!(error.to_string(), "range 2..5 out of bounds for dimension 0 of length 4");
        assert!(array.slice((Bound::Included(3), Bound::Excluded(2))).is_err());
        assert!(array.slice(..=usize::MAX).is_err());
        assert!(array.slice_mut(5..).is_err());
        assert!(array.split_at(5).is_err() && array.split_at_mut(usize::MAX).is_err());
    }

    #[test]
    fn slices_are_written_through() {
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
    fn chunks_are_all_of_it() {
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
    fn a_value_of_any_size_fills() {
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
