//! Slices: `&[T]` and `&mut [T]` in a kernel on the CPU.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::cpu::{Cx, Location, fault};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::handles::place::PlaceRef;
use crate::handles::range;
use crate::handles::receiver::HandleReceiver;
use crate::types::{DeviceType, assert_same};

/// `&[T]` or `&mut [T]` in a kernel. It stays on its thread, as a [`PlaceRef`] does.
pub struct Slice<'k, T, M = Read> {
    pointer: *mut T,
    len: usize,
    array: PhantomData<(&'k (), M)>,
}

impl<T, M> Clone for Slice<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for Slice<'_, T, M> {}

// No bounds on `T`: the code that the macros emit for a parameter would report them a second time, after the
// parameter's slot.
impl<'k, T, M> Slice<'k, T, M> {
    /// Creates the slice of `len` elements at `pointer`.
    ///
    /// # Safety
    ///
    /// For `'k` the elements must be live and initialised, at an aligned address, and all accesses to them by other
    /// threads atomic; if `M` is [`Write`], they are accessed through places only.
    #[inline]
    pub unsafe fn new(pointer: *mut T, len: usize) -> Self {
        Slice { pointer, len, array: PhantomData }
    }

    /// Returns the elements of a host slice.
    #[inline]
    pub fn from_host(slice: &'k [T]) -> Slice<'k, T, Read> {
        // SAFETY: the borrow keeps the elements live and unmodified for `'k`, and a `Read` slice does not write.
        unsafe { Slice::new(slice.as_ptr().cast_mut(), slice.len()) }
    }

    /// Returns the elements of a mutable host slice.
    #[inline]
    pub fn from_host_mut(slice: &'k mut [T]) -> Slice<'k, T, Write> {
        // SAFETY: the borrow is exclusive for `'k`, so that the elements are accessed through places only.
        unsafe { Slice::new(slice.as_mut_ptr(), slice.len()) }
    }

    /// Returns the same elements, read-only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> Slice<'k, T, Read> {
        // SAFETY: these are the same elements, and a `Read` slice has weaker requirements.
        unsafe { Slice::new(self.pointer, self.len) }
    }

    /// Returns the slice for the variable of its parameter: see [`declared`](crate::types::declared).
    #[inline(always)]
    pub fn declared<U: 'static>(self) -> Slice<'k, U, M>
    where
        T: 'static,
    {
        assert_same::<T, U>();
        // SAFETY: it is the same slice, of the same type.
        unsafe { Slice::new(self.pointer.cast(), self.len) }
    }

    /// Returns the receiver for a method call.
    #[inline(always)]
    pub fn receiver(self) -> HandleReceiver<Self> {
        HandleReceiver::new(self)
    }

    /// Returns the place of element `index`; faults if it is out of bounds.
    #[inline(always)]
    pub fn at<I: Index>(self, _cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<PlaceRef<'k, T, M>> {
        I::place(self.element(index.position(), at))
    }

    /// As [`Slice::at`], for a built-in method.
    #[inline(always)]
    pub fn element(self, index: usize, at: &'static Location) -> PlaceRef<'k, T, M> {
        if index >= self.len {
            fault::out_of_bounds(at, index, self.len);
        }
        // SAFETY: `index` is less than the length.
        unsafe { PlaceRef::new(self.pointer.add(index)) }
    }

    /// As [`Slice::at`], writable.
    #[inline(always)]
    pub fn at_mut<I: Index>(self, _cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<PlaceRef<'k, T, Write>>
    where
        M: Writable,
    {
        I::place(self.element(index.position(), at).write())
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub fn count(self) -> usize {
        self.len
    }
}

impl<'k, T: DeviceType, M: Access> Slice<'k, T, M> {
    /// Returns the elements as a host slice, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is in use, nothing may write the elements, and their bits must be valid.
    pub unsafe fn as_host(self) -> &'k [T] {
        // SAFETY: the elements are live for `'k`; the caller guarantees the rest.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }

    /// Returns the elements as a mutable host slice, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is in use, nothing else may access the elements, and their bits must be valid.
    pub unsafe fn as_host_mut(self) -> &'k mut [T]
    where
        M: Writable,
    {
        // SAFETY: the elements are live for `'k` and writable; the caller guarantees the rest.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len) }
    }

    /// `&x[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'k, T, Read> {
        self.subslice(range, at).read()
    }

    /// `x[range]` as the receiver of a method or the base of one, with the access mode of the array.
    #[inline(always)]
    #[must_use]
    pub fn part_of_place(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'k, T, M> {
        self.subslice(range, at)
    }

    /// `&mut x[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part_mut(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'k, T, Write>
    where
        M: Writable,
    {
        self.subslice(range, at).write()
    }

    #[inline(always)]
    fn subslice(self, range: impl RangeBounds<usize>, at: &'static Location) -> Self {
        let part = range::resolve(&range, self.len, at);
        // SAFETY: the range is in bounds, so that its elements are a part of these.
        unsafe { Slice::new(self.pointer.add(part.start), part.len()) }
    }

    /// Returns the elements before `mid` and those from `mid` on, or `None` if `mid` exceeds the length.
    #[inline(always)]
    pub fn split(self, mid: usize) -> Option<(Self, Self)> {
        let rest = self.len.checked_sub(mid)?;
        // SAFETY: `mid` does not exceed the length, so that both parts are in bounds.
        Some(unsafe { (Slice::new(self.pointer, mid), Slice::new(self.pointer.add(mid), rest)) })
    }

    /// Returns the same elements, writable.
    #[inline(always)]
    pub fn write(self) -> Slice<'k, T, Write>
    where
        M: Writable,
    {
        // SAFETY: the bound guarantees that the elements are writable.
        unsafe { Slice::new(self.pointer, self.len) }
    }

    /// `x.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = PlaceRef<'k, T, Read>> + ExactSizeIterator {
        // SAFETY: each index is less than the length.
        (0..self.len).map(move |index| unsafe { PlaceRef::new(self.pointer.add(index)) })
    }

    /// `x.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = PlaceRef<'k, T, Write>> + ExactSizeIterator
    where
        M: Writable,
    {
        // SAFETY: as above, and the bound guarantees that the elements are writable.
        (0..self.len).map(move |index| unsafe { PlaceRef::new(self.pointer.add(index)) })
    }

    /// `for &v in x`: the value of each element, read in its iteration.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.__elements().map(PlaceRef::get)
    }
}

/// The type of an index of a slice or an array.
#[diagnostic::on_unimplemented(
    message = "an index must be a `usize`, not `{Self}`",
    label = "not a `usize`",
    note = "why: slices and arrays are indexed by `usize`, as in Rust",
    note = "help: for another integer write `x[i as usize]`, for a reference `x[*i]`; a slice has one dimension, `x[row * width + column]`, and a view several, `a[[row, column]]`"
)]
pub trait Index {
    /// The place `P` of the element. It is a projection, which is unknown if the index is an error: so that rustc reports the
    /// error about the index alone.
    type Place<P>;

    /// Returns the place.
    fn place<P>(place: P) -> Self::Place<P>;

    /// Returns the index.
    fn position(self) -> usize;
}

#[diagnostic::do_not_recommend]
impl Index for usize {
    type Place<P> = P;

    #[inline(always)]
    fn place<P>(place: P) -> P {
        place
    }

    #[inline(always)]
    fn position(self) -> usize {
        self
    }
}
