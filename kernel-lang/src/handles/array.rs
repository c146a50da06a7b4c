//! Arrays in memory: `&[T; N]` and `&mut [T; N]` in a kernel on the CPU.

use std::ops::RangeBounds;

use crate::cpu::{Cx, Location, fault};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::handles::place::PlaceRef;
use crate::handles::slice::{Index, Slice};
use crate::types::DeviceType;

impl<'k, T: DeviceType, const N: usize, M: Access> PlaceRef<'k, [T; N], M> {
    /// Returns the elements as a slice.
    #[inline(always)]
    pub fn as_slice(self) -> Slice<'k, T, M> {
        // SAFETY: an array consists of its `N` contiguous elements, so that the guarantees for it hold for them.
        unsafe { Slice::new(self.pointer().cast(), N) }
    }

    /// Returns the place of element `index`; faults if it is out of bounds.
    #[inline(always)]
    pub fn at<I: Index>(self, _cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<PlaceRef<'k, T, M>> {
        I::place(self.element(index.position(), at))
    }

    /// As [`PlaceRef::at`], for an index that is a `usize`.
    #[inline(always)]
    fn element(self, index: usize, at: &'static Location) -> PlaceRef<'k, T, M> {
        if index >= N {
            fault::out_of_bounds(at, index, N);
        }
        // SAFETY: `index` is less than the length.
        unsafe { PlaceRef::new(self.pointer().cast::<T>().add(index)) }
    }

    /// As [`PlaceRef::at`], writable.
    #[inline(always)]
    pub fn at_mut<I: Index>(self, _cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<PlaceRef<'k, T, Write>>
    where
        M: Writable,
    {
        I::place(self.element(index.position(), at).write())
    }

    /// `&x[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'k, T, Read> {
        self.as_slice().part(cx, range, at)
    }

    /// `x[range]` as the receiver of a method or the base of one, with the access mode of the array.
    #[inline(always)]
    pub fn part_of_place(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'k, T, M> {
        self.as_slice().part_of_place(cx, range, at)
    }

    /// `&mut x[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part_mut(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'k, T, Write>
    where
        M: Writable,
    {
        self.as_slice().part_mut(cx, range, at)
    }

    /// `x.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = PlaceRef<'k, T, Read>> + ExactSizeIterator {
        self.as_slice().__elements()
    }

    /// `x.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = PlaceRef<'k, T, Write>> + ExactSizeIterator
    where
        M: Writable,
    {
        self.as_slice().__elements_mut()
    }

    /// `for &v in x`: the value of each element, read in its iteration.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.as_slice().__values()
    }
}
