//! Parts of a page-locked array.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

use super::{PinnedArray, PinnedMemory};
use crate::array::{CopySource, CopyTarget, Place, Region, inside};
use crate::cpu::access::{Read, Writable, Write};
use crate::error::Result;
use crate::types::Element;

/// Elements of a [`PinnedArray`] that follow each other. `M` says whether they may be written.
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

/// A [`PinnedSlice`] that can be copied to.
pub type PinnedSliceMut<'a, T> = PinnedSlice<'a, T, Write>;

impl<T> Clone for PinnedSlice<'_, T, Read> {
    fn clone(&self) -> Self {
        *self
    }
}

// A slice that may be written is not `Copy`: no two of them have an element in common.
impl<T> Copy for PinnedSlice<'_, T, Read> {}

impl<'a, T, M> PinnedSlice<'a, T, M> {
    /// All elements. Who asks for a slice to be written has borrowed the array mutably.
    pub(super) fn whole(array: &'a PinnedArray<T>) -> Self {
        PinnedSlice { memory: &array.memory, start: 0, len: array.len, array: PhantomData }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements with an index in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where the range is reversed or not inside.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let PinnedSlice { memory, start: before, len, array } = self;
        let Range { start, end } = inside(range, 0, len)?;
        Ok(PinnedSlice { memory, start: before + start, len: end - start, array })
    }

    /// The elements before `index`, and those from it on.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where there are fewer.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        let PinnedSlice { memory, start, len, array } = self;
        inside(index.., 0, len)?;
        // The two have no element in common, so that both may be written if this slice may.
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

impl<T: Element, M> PinnedSlice<'_, T, M> {
    /// The elements, once no device is writing them. Copies of other parts of the buffer may be under way.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_slice(&self) -> Result<&[T]> {
        let pointer = self.memory.settled(&self.bytes(), false)?;
        // SAFETY: the range is inside of the memory, and as in `PinnedArray::as_slice`.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), self.len) })
    }
}

impl<T: Element, M: Writable> PinnedSlice<'_, T, M> {
    /// The elements, to be written, once no device is using them. Copies of other parts of the buffer may be under way.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let pointer = self.memory.settled(&self.bytes(), true)?;
        // SAFETY: the range is inside of the memory, and as in `PinnedArray::as_mut_slice`.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.len) })
    }
}

impl<T: Element, M> CopySource for PinnedSlice<'_, T, M> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { place: Place::Pinned(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: Element, M: Writable> CopyTarget for PinnedSlice<'_, T, M> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T, M> fmt::Debug for PinnedSlice<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedSlice<{}>(len {}, for {})", std::any::type_name::<T>(), self.len, self.memory.device)
    }
}
