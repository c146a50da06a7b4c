//! `ArrayView2<T>` and its like in a kernel on the CPU.

use std::marker::PhantomData;

use crate::cpu::access::{Access, Read, Writable, Write};
use crate::cpu::at::At;
use crate::cpu::context::{Call, Cx};
use crate::cpu::fault;
use crate::cpu::place::Place;
use crate::types::Element;

/// `ArrayViewN<T>` or `ArrayViewMutN<T>` in a kernel, where `N` is `D`.
pub struct View<'k, T, const D: usize, M> {
    pointer: *mut T,
    /// How many elements there are in each dimension.
    shape: [usize; D],
    /// How many elements of the memory lie between neighbours of each dimension.
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
    /// For each index inside the shape, there must be a live and initialised element for `'k` as many elements behind
    /// `pointer` as the index and the strides say, which is less than 2⁶⁴ bytes, at an aligned address. All access to it by
    /// other threads is atomic; if `M` is [`Write`], nothing but places may read or write it.
    #[inline]
    pub(crate) unsafe fn new(pointer: *mut T, shape: [usize; D], strides: [usize; D]) -> Self {
        View { pointer, shape, strides, array: PhantomData }
    }

    /// The same elements, to be read only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> View<'k, T, D, Read> {
        // SAFETY: these are the elements that this view is of, and a `Read` view promises less.
        unsafe { View::new(self.pointer, self.shape, self.strides) }
    }

    /// The same elements, to be written.
    #[inline(always)]
    pub(crate) fn write(self) -> View<'k, T, D, Write>
    where
        M: Writable,
    {
        // SAFETY: the bound says that these elements may be written.
        unsafe { View::new(self.pointer, self.shape, self.strides) }
    }

    /// What a method is called on: the view itself.
    #[inline(always)]
    #[must_use]
    pub fn receiver(self) -> Self {
        self
    }

    /// The call of a method on it.
    #[inline(always)]
    pub fn called(self, call: Call<'_>) -> Call<'_> {
        call
    }

    /// How many elements there are in each dimension.
    #[inline(always)]
    pub(crate) fn shape(self) -> [usize; D] {
        self.shape
    }

    /// With the dimensions in reverse order.
    #[inline(always)]
    pub(crate) fn transposed(self) -> Self {
        let View { pointer, mut shape, mut strides, array } = self;
        shape.reverse();
        strides.reverse();
        // Each element is where it was: the sum over the dimensions is the same in any order.
        View { pointer, shape, strides, array }
    }
}

impl<'k, T: Element, const D: usize, M: Access> View<'k, T, D, M> {
    /// The place of an element, or a fault.
    #[inline(always)]
    fn element(self, index: [usize; D], at: &'static At) -> Place<'k, T, M> {
        let mut offset = 0;
        for ((index, len), stride) in index.into_iter().zip(self.shape).zip(self.strides) {
            if index >= len {
                fault::out_of_bounds(at, index, len);
            }
            // Where there are elements it does not wrap. Without any, the index of another dimension is a fault.
            offset = index.wrapping_mul(stride).wrapping_add(offset);
        }
        // SAFETY: the index is inside the shape, so that there is an element.
        unsafe { Place::new(self.pointer.add(offset)) }
    }

    /// The view with `index` in dimension `axis`, which it then has no more, or a fault.
    #[inline(always)]
    pub(crate) fn with_index<const E: usize>(self, axis: usize, index: usize, at: &'static At) -> View<'k, T, E, M> {
        const { assert!(E + 1 == D, "one dimension less") };
        if index >= self.shape[axis] {
            fault::out_of_bounds(at, index, self.shape[axis]);
        }
        let kept = |of: [usize; D]| std::array::from_fn(|i| of[if i < axis { i } else { i + 1 }]);
        let (shape, strides) = (kept(self.shape), kept(self.strides));
        let is_empty = shape.contains(&0);
        let offset = if is_empty { 0 } else { index * self.strides[axis] };
        // SAFETY: an index of the result together with `index` is one inside this view's shape. Where the result has no
        // elements, there may be none at the offset either, and the pointer stays where it is.
        unsafe { View::new(self.pointer.add(offset), shape, strides) }
    }
}

/// How a view of one dimension is indexed: `v[i]`, or `v[[i]]` as views of more dimensions are.
#[diagnostic::on_unimplemented(
    message = "a view of one dimension is not indexed by `{Self}`",
    label = "not a `usize`",
    note = "help: index it by a `usize`: `v[i]`, with `as usize` where that is not its type"
)]
pub trait Index1 {
    /// The position.
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

impl<'k, T: Element, M: Access> View<'k, T, 1, M> {
    /// The place of an element, or a fault.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: impl Index1, at: &'static At) -> Place<'k, T, M> {
        self.element([index.position()], at)
    }

    /// As [`View::at`], to be written.
    #[inline(always)]
    pub fn at_mut(self, cx: Cx<'_>, index: impl Index1, at: &'static At) -> Place<'k, T, Write>
    where
        M: Writable,
    {
        self.at(cx, index, at).write()
    }

    /// `v.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = Place<'k, T, Read>> + ExactSizeIterator {
        let ([len], [stride]) = (self.shape, self.strides);
        // SAFETY: each index is inside the shape, so that there is an element.
        (0..len).map(move |index| unsafe { Place::new(self.pointer.add(index * stride)) })
    }

    /// `v.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = Place<'k, T, Write>> + ExactSizeIterator
    where
        M: Writable,
    {
        let ([len], [stride]) = (self.shape, self.strides);
        // SAFETY: as above, and the bound says that the elements may be written.
        (0..len).map(move |index| unsafe { Place::new(self.pointer.add(index * stride)) })
    }

    /// `for &v in x`: each element, read when its turn comes.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.__elements().map(Place::get)
    }
}

/// Indices as an array of fixed length, so that a wrong number of them is rustc's error.
macro_rules! indexed {
    ($($dimensions:literal),*) => {$(
        impl<'k, T: Element, M: Access> View<'k, T, $dimensions, M> {
            /// The place of an element, or a fault.
            #[inline(always)]
            pub fn at(self, _cx: Cx<'_>, index: [usize; $dimensions], at: &'static At) -> Place<'k, T, M> {
                self.element(index, at)
            }

            /// As [`View::at`], to be written.
            #[inline(always)]
            pub fn at_mut(self, cx: Cx<'_>, index: [usize; $dimensions], at: &'static At) -> Place<'k, T, Write>
            where
                M: Writable,
            {
                self.at(cx, index, at).write()
            }
        }
    )*};
}

indexed!(2, 3);
