//! `&[T]` and `&mut [T]` in a kernel on the CPU.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::cpu::access::{Access, Read, Writable, Write};
use crate::cpu::at::At;
use crate::cpu::context::{Call, Cx};
use crate::cpu::fault;
use crate::cpu::place::Place;
use crate::cpu::range::part_of;
use crate::types::Element;

/// `&[T]` or `&mut [T]` in a kernel. It stays on its thread, as a `Place` does.
pub struct Slice<'k, T, M> {
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

// What the macros write for a parameter asks nothing of its elements: their slot does, and says so once.
impl<'k, T, M> Slice<'k, T, M> {
    /// The place of `len` elements from `pointer`.
    ///
    /// # Safety
    ///
    /// For `'k` the elements must be live and initialised, at an aligned address, and all access to them by other
    /// threads atomic; if `M` is [`Write`], nothing but places may read or write them.
    #[inline]
    pub unsafe fn new(pointer: *mut T, len: usize) -> Self {
        Slice { pointer, len, array: PhantomData }
    }

    /// The elements of a host slice.
    #[inline]
    pub fn from_host(slice: &'k [T]) -> Slice<'k, T, Read> {
        // SAFETY: the borrow keeps the elements alive and unwritten for `'k`, and a `Read` slice does not write.
        unsafe { Slice::new(slice.as_ptr().cast_mut(), slice.len()) }
    }

    /// The elements of a host slice that may be written.
    #[inline]
    pub fn from_host_mut(slice: &'k mut [T]) -> Slice<'k, T, Write> {
        // SAFETY: the borrow is exclusive for `'k`, so that only places reach the elements.
        unsafe { Slice::new(slice.as_mut_ptr(), slice.len()) }
    }

    /// The same elements, to be read only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> Slice<'k, T, Read> {
        // SAFETY: these are the elements that this slice is of, and a `Read` slice promises less.
        unsafe { Slice::new(self.pointer, self.len) }
    }

    /// What a method is called on: the slice itself.
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

    /// The number of elements.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        self.len
    }
}

impl<'k, T: Element, M: Access> Slice<'k, T, M> {
    /// The elements as a host slice, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is used, nothing may write the elements, and their bits must be values.
    pub unsafe fn as_host(self) -> &'k [T] {
        // SAFETY: the elements are live for `'k`, and the rest the caller promises.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }

    /// The elements as a host slice that may be written, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is used, nothing else may reach the elements, and their bits must be values.
    pub unsafe fn as_host_mut(self) -> &'k mut [T]
    where
        M: Writable,
    {
        // SAFETY: the elements are live for `'k` and may be written, and the rest the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len) }
    }

    /// The place of element `index`, or a fault.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: usize, at: &'static At) -> Place<'k, T, M> {
        if index >= self.len {
            fault::out_of_bounds(at, index, self.len);
        }
        // SAFETY: `index` is below the length, so that the place is one of the elements.
        unsafe { Place::new(self.pointer.add(index)) }
    }

    /// As [`Slice::at`], to be written.
    #[inline(always)]
    pub fn at_mut(self, cx: Cx<'_>, index: usize, at: &'static At) -> Place<'k, T, Write>
    where
        M: Writable,
    {
        self.at(cx, index, at).write()
    }

    /// `&x[range]`, or a fault.
    #[inline(always)]
    pub fn part(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'k, T, Read> {
        self.within(range, at).read()
    }

    /// `&mut x[range]`, or a fault.
    #[inline(always)]
    pub fn part_mut(self, _cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'k, T, Write>
    where
        M: Writable,
    {
        self.within(range, at).write()
    }

    #[inline(always)]
    fn within(self, range: impl RangeBounds<usize>, at: &'static At) -> Self {
        let part = part_of(&range, self.len, at);
        // SAFETY: the part is inside, so that its elements are some of these.
        unsafe { Slice::new(self.pointer.add(part.start), part.len()) }
    }

    /// The elements before `mid` and those from it on, where there are that many.
    #[inline(always)]
    pub(crate) fn split(self, mid: usize) -> Option<(Self, Self)> {
        let rest = self.len.checked_sub(mid)?;
        // SAFETY: `mid` is not behind the end, so that both parts are inside.
        Some(unsafe { (Slice::new(self.pointer, mid), Slice::new(self.pointer.add(mid), rest)) })
    }

    /// The same elements, to be written.
    #[inline(always)]
    pub(crate) fn write(self) -> Slice<'k, T, Write>
    where
        M: Writable,
    {
        // SAFETY: the bound says that these elements may be written.
        unsafe { Slice::new(self.pointer, self.len) }
    }

    /// `x.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = Place<'k, T, Read>> + ExactSizeIterator {
        // SAFETY: each index is below the length, so that the place is one of the elements.
        (0..self.len).map(move |index| unsafe { Place::new(self.pointer.add(index)) })
    }

    /// `x.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = Place<'k, T, Write>> + ExactSizeIterator
    where
        M: Writable,
    {
        // SAFETY: as above, and the bound says that the elements may be written.
        (0..self.len).map(move |index| unsafe { Place::new(self.pointer.add(index)) })
    }

    /// `for &v in x`: each element, read when its turn comes.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.__elements().map(Place::get)
    }
}
