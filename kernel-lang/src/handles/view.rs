//! Array views (`ArrayView2<T>` and the others) in a kernel on the CPU.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::cpu::{Cx, Location, fault};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::handles::place::PlaceRef;
use crate::handles::range;
use crate::handles::receiver::HandleReceiver;
use crate::handles::slice::Slice;
use crate::types::{DeviceType, assert_same};

/// `ArrayView{D}<T>` or `ArrayViewMut{D}<T>` in a kernel.
pub struct View<'k, T, const D: usize, M = Read> {
    pointer: *mut T,
    /// The number of elements in each dimension.
    shape: [usize; D],
    /// The distance between neighbours in each dimension, in elements.
    strides: [usize; D],
    array: PhantomData<(&'k (), M)>,
}

impl<T, const D: usize, M> Clone for View<'_, T, D, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize, M> Copy for View<'_, T, D, M> {}

impl<'k, T, const D: usize, M> View<'k, T, D, M> {
    /// # Safety
    ///
    /// For each index within the shape, there must be a live and initialised element for `'k` at the offset from
    /// `pointer` that the index and the strides determine, which is less than 2⁶⁴ bytes, at an aligned address. All
    /// accesses to it by other threads are atomic; if `M` is [`Write`], it is accessed through places only.
    #[inline]
    pub unsafe fn new(pointer: *mut T, shape: [usize; D], strides: [usize; D]) -> Self {
        View { pointer, shape, strides, array: PhantomData }
    }

    /// Returns the view for the variable of its parameter: see [`declared`](crate::types::declared).
    #[inline(always)]
    pub fn declared<U: 'static>(self) -> View<'k, U, D, M>
    where
        T: 'static,
    {
        assert_same::<T, U>();
        // SAFETY: it is the same view, of the same type.
        unsafe { View::new(self.pointer.cast(), self.shape, self.strides) }
    }

    /// Returns a view of the same elements, read-only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> View<'k, T, D, Read> {
        // SAFETY: these are the same elements, and a `Read` view has weaker requirements.
        unsafe { View::new(self.pointer, self.shape, self.strides) }
    }

    /// Returns a view of the same elements, writable.
    #[inline(always)]
    pub fn write(self) -> View<'k, T, D, Write>
    where
        M: Writable,
    {
        // SAFETY: the bound guarantees that the elements are writable.
        unsafe { View::new(self.pointer, self.shape, self.strides) }
    }

    /// Returns the receiver for a method call.
    #[inline(always)]
    pub fn receiver(self) -> HandleReceiver<Self> {
        HandleReceiver::new(self)
    }

    /// Returns the number of elements in each dimension.
    #[inline(always)]
    pub fn shape(self) -> [usize; D] {
        self.shape
    }

    /// Returns whether the elements are contiguous in row-major order. The stride of a dimension of length 1 is
    /// irrelevant.
    #[inline(always)]
    pub fn is_contiguous(self) -> bool {
        let (mut expected, mut all) = (1usize, true);
        for (&len, &stride) in self.shape.iter().zip(&self.strides).rev() {
            all &= len == 1 || stride == expected;
            // The product of an empty view may overflow; it is irrelevant.
            expected = expected.wrapping_mul(len);
        }
        all || self.shape.contains(&0)
    }

    /// Returns the elements as a slice, or `None` if they are not contiguous.
    #[inline(always)]
    pub fn to_slice(self) -> Option<Slice<'k, T, M>> {
        let len = self.shape.into_iter().fold(1, usize::wrapping_mul);
        // SAFETY: the elements are live for `'k` and contiguous, and accessed as those of the view are.
        self.is_contiguous().then(|| unsafe { Slice::new(self.pointer, len) })
    }

    /// Returns the view with its dimensions in reverse order.
    #[inline(always)]
    #[must_use]
    pub fn transposed(self) -> Self {
        let View { pointer, mut shape, mut strides, array } = self;
        shape.reverse();
        strides.reverse();
        // Each element keeps its address: the sum over the dimensions is the same in any order.
        View { pointer, shape, strides, array }
    }
}

impl<'k, T: DeviceType, const D: usize, M: Access> View<'k, T, D, M> {
    /// Returns the place of an element; faults if the index is out of bounds.
    #[inline(always)]
    fn element(self, index: [usize; D], at: &'static Location) -> PlaceRef<'k, T, M> {
        let mut offset = 0;
        for ((index, len), stride) in index.into_iter().zip(self.shape).zip(self.strides) {
            if index >= len {
                fault::out_of_bounds(at, index, len);
            }
            // This does not wrap if the view has elements. If it has none, the index of another dimension faults.
            offset = index.wrapping_mul(stride).wrapping_add(offset);
        }
        // SAFETY: the index is within the shape, so that there is an element.
        unsafe { PlaceRef::new(self.pointer.add(offset)) }
    }

    /// Returns the view of one dimension less at `index` in dimension `axis`; faults if `index` is out of bounds.
    #[inline(always)]
    pub fn with_index<const E: usize>(self, axis: usize, index: usize, at: &'static Location) -> View<'k, T, E, M> {
        const { assert!(E + 1 == D, "the result has one dimension less") };
        if index >= self.shape[axis] {
            fault::out_of_bounds(at, index, self.shape[axis]);
        }
        let kept = |of: [usize; D]| std::array::from_fn(|i| of[if i < axis { i } else { i + 1 }]);
        let (shape, strides) = (kept(self.shape), kept(self.strides));
        let is_empty = shape.contains(&0);
        let offset = if is_empty { 0 } else { index * self.strides[axis] };
        // SAFETY: an index of the result together with `index` is within the shape of this view. If the result has no
        // elements, there may be none at the offset either, so the pointer is not offset.
        unsafe { View::new(self.pointer.add(offset), shape, strides) }
    }
}

/// The index types of a one-dimensional view: `v[i]`, or `v[[i]]` as for more dimensions.
#[diagnostic::on_unimplemented(
    message = "a view of one dimension is not indexed by `{Self}`",
    label = "not a `usize`",
    note = "why: views are indexed by `usize`, as slices are in Rust",
    note = "help: index it by a `usize`: `v[i]`; convert other integers with `as usize`"
)]
pub trait Index1 {
    /// Returns the index.
    fn position(self) -> usize;
}

impl Index1 for usize {
    #[inline(always)]
    fn position(self) -> usize {
        self
    }
}

impl Index1 for [usize; 1] {
    #[inline(always)]
    fn position(self) -> usize {
        self[0]
    }
}

impl<'k, T: DeviceType, M: Access> View<'k, T, 1, M> {
    /// Returns the place of an element; faults if the index is out of bounds.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: impl Index1, at: &'static Location) -> PlaceRef<'k, T, M> {
        self.element([index.position()], at)
    }

    /// As [`View::at`], writable.
    #[inline(always)]
    pub fn at_mut(self, cx: Cx<'_>, index: impl Index1, at: &'static Location) -> PlaceRef<'k, T, Write>
    where
        M: Writable,
    {
        self.at(cx, index, at).write()
    }

    /// Returns the view of the elements in a range; faults if it is out of bounds.
    #[inline(always)]
    fn subview(self, range: impl RangeBounds<usize>, at: &'static Location) -> Self {
        let ([len], [stride]) = (self.shape, self.strides);
        let part = range::resolve(&range, len, at);
        let offset = if part.is_empty() { 0 } else { part.start * stride };
        // SAFETY: an index of the result, moved by the start of the range, is within the shape of this view. If the result
        // has no elements, there may be none at the offset either, so the pointer is not offset.
        unsafe { View::new(self.pointer.add(offset), [part.len()], [stride]) }
    }

    /// `&v[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> View<'k, T, 1, Read> {
        self.subview(range, at).read()
    }

    /// `v[range]` as the receiver of a method or the base of one, with the access mode of the view.
    #[inline(always)]
    #[must_use]
    pub fn part_of_place(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Self {
        self.subview(range, at)
    }

    /// `&mut v[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part_mut(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> View<'k, T, 1, Write>
    where
        M: Writable,
    {
        self.subview(range, at).write()
    }

    /// `v.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = PlaceRef<'k, T, Read>> + ExactSizeIterator {
        let ([len], [stride]) = (self.shape, self.strides);
        // SAFETY: each index is within the shape, so that there is an element.
        (0..len).map(move |index| unsafe { PlaceRef::new(self.pointer.add(index * stride)) })
    }

    /// `v.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = PlaceRef<'k, T, Write>> + ExactSizeIterator
    where
        M: Writable,
    {
        let ([len], [stride]) = (self.shape, self.strides);
        // SAFETY: as above, and the bound guarantees that the elements are writable.
        (0..len).map(move |index| unsafe { PlaceRef::new(self.pointer.add(index * stride)) })
    }

    /// `for &v in x`: the value of each element, read in its iteration.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.__elements().map(PlaceRef::get)
    }
}

/// The index type of a view of several dimensions. It is a trait for the sake of its message.
#[diagnostic::on_unimplemented(
    message = "a view of {D} dimensions is not indexed by `{Self}`",
    label = "expected an array of {D} indices of type `usize`",
    note = "why: an element has an index for each dimension",
    note = "help: index it by a `[usize; {D}]`, as in `a[[i, j]]`; convert other integers with `as usize`"
)]
pub trait IndexOf<const D: usize> {
    /// As that of [`Index`](crate::handles::slice::Index).
    type Place<P>;

    /// Returns the place.
    fn place<P>(place: P) -> Self::Place<P>;

    /// Returns the index for each dimension.
    fn positions(self) -> [usize; D];
}

impl<const D: usize> IndexOf<D> for [usize; D] {
    type Place<P> = P;

    #[inline(always)]
    fn place<P>(place: P) -> P {
        place
    }

    #[inline(always)]
    fn positions(self) -> [usize; D] {
        self
    }
}

/// A view that has ranges of elements. Only views of one dimension do, by inherent methods; it is implemented for no type.
#[diagnostic::on_unimplemented(
    message = "a view of several dimensions has no sub-views in a kernel",
    label = "a range selects elements of a view of one dimension",
    note = "why: a view of several dimensions is indexed by an array of `usize`",
    note = "help: on the host, pass a part: `a.slice(1..3, ..)?`; in a kernel, take a range of a row: `let row = a.row(i);` and `&row[1..3]`"
)]
pub trait Sliceable {}

/// Implements indexing by an array, and the error about a range.
macro_rules! indexed {
    ($($dimensions:literal),*) => {$(
        impl<'k, T: DeviceType, M: Access> View<'k, T, $dimensions, M> {
            /// Returns the place of an element; faults if the index is out of bounds.
            #[inline(always)]
            pub fn at<I: IndexOf<$dimensions>>(
                self,
                _cx: Cx<'_>,
                index: I,
                at: &'static Location,
            ) -> I::Place<PlaceRef<'k, T, M>> {
                I::place(self.element(index.positions(), at))
            }

            /// As [`View::at`], writable.
            #[inline(always)]
            pub fn at_mut<I: IndexOf<$dimensions>>(
                self,
                _cx: Cx<'_>,
                index: I,
                at: &'static Location,
            ) -> I::Place<PlaceRef<'k, T, Write>>
            where
                M: Writable,
            {
                I::place(self.element(index.positions(), at).write())
            }

            /// `&v[range]`, an error.
            pub fn part<R>(self, _: Cx<'_>, _: R, _: &'static Location) -> View<'k, T, $dimensions, Read>
            where
                Self: Sliceable,
            {
                unreachable!("`Sliceable` is implemented for no type")
            }

            /// `v[range]`, an error.
            #[must_use]
            pub fn part_of_place<R>(self, _: Cx<'_>, _: R, _: &'static Location) -> Self
            where
                Self: Sliceable,
            {
                unreachable!("`Sliceable` is implemented for no type")
            }

            /// `&mut v[range]`, an error.
            pub fn part_mut<R>(self, _: Cx<'_>, _: R, _: &'static Location) -> View<'k, T, $dimensions, Write>
            where
                Self: Sliceable,
            {
                unreachable!("`Sliceable` is implemented for no type")
            }
        }
    )*};
}

indexed!(0, 2, 3, 4);
