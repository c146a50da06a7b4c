//! Slices of page-locked arrays.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

use super::{PinnedArray, PinnedMemory};
use crate::array::inside;
use crate::error::Result;
use crate::handles::access::{Read, Writable, Write};
use crate::types::DeviceType;

/// A contiguous range of elements of a [`PinnedArray`]. The marker `M` tells whether the slice is mutable.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let buffer = device.to_pinned(&[1, 2, 3, 4])?;
/// let mut x = device.zeros(4)?;
/// let (mut left, mut right) = x.split_at_mut(2)?;
/// left.copy_from(&buffer.slice(2..)?)?;
/// right.copy_from(&buffer.slice(..2)?)?;
/// assert_eq!(x.to_host()?, [3, 4, 1, 2]);
/// # Ok(())
/// # }
/// ```
pub struct PinnedSlice<'a, T, M = Read> {
    memory: &'a Arc<PinnedMemory>,
    start: usize,
    len: usize,
    array: PhantomData<(&'a T, M)>,
}

/// A mutable [`PinnedSlice`], which is a target of copies.
pub type PinnedSliceMut<'a, T> = PinnedSlice<'a, T, Write>;

impl<T> Clone for PinnedSlice<'_, T, Read> {
    fn clone(&self) -> Self {
        *self
    }
}

// A mutable slice is not `Copy`: no two of them overlap.
impl<T> Copy for PinnedSlice<'_, T, Read> {}

impl<'a, T, M> PinnedSlice<'a, T, M> {
    /// Returns all elements. The caller has borrowed the array mutably if the slice is mutable.
    pub(super) fn whole(array: &'a PinnedArray<T>) -> Self {
        PinnedSlice { memory: &array.memory, start: 0, len: array.len, array: PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the slice is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the elements with indices in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the range is decreasing or out of bounds.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let PinnedSlice { memory, start: before, len, array } = self;
        let Range { start, end } = inside(range, 0, len)?;
        Ok(PinnedSlice { memory, start: before + start, len: end - start, array })
    }

    /// Splits the slice at `index`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is greater than the length.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        let PinnedSlice { memory, start, len, array } = self;
        inside(index.., 0, len)?;
        // The halves are disjoint, so both may be mutable if this slice is.
        let before = PinnedSlice { memory, start, len: index, array };
        Ok((before, PinnedSlice { memory, start: start + index, len: len - index, array }))
    }

    pub(crate) fn memory(&self) -> &'a Arc<PinnedMemory> {
        self.memory
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        self.start * size_of::<T>()..(self.start + self.len) * size_of::<T>()
    }
}

impl<T: DeviceType, M> PinnedSlice<'_, T, M> {
    /// Returns the elements, after waiting for device copies that write them. Copies of other parts of the array may be
    /// in flight.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_slice(&self) -> Result<&[T]> {
        let pointer = self.memory.host_access(&self.bytes(), false)?;
        // SAFETY: the range is in bounds; otherwise as in `PinnedArray::as_slice`.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), self.len) })
    }
}

impl<T: DeviceType, M: Writable> PinnedSlice<'_, T, M> {
    /// Returns the elements mutably, after waiting for all device copies that access them. Copies of other parts of the
    /// array may be in flight.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let pointer = self.memory.host_access(&self.bytes(), true)?;
        // SAFETY: the range is in bounds; otherwise as in `PinnedArray::as_mut_slice`.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.len) })
    }
}

impl<T, M> fmt::Debug for PinnedSlice<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedSlice<{}>(len {}, for {})", std::any::type_name::<T>(), self.len, self.memory.device)
    }
}
