//! What slices and shared arrays are in a kernel on the CPU.
//!
//! A view is a raw pointer. Elements are read and written one at a time, by relaxed atomics: many threads hold views
//! of the same array, as on the GPU, so no Rust reference to an element may exist.

use std::marker::PhantomData;

use crate::cpu::access::{Access, Read, Writable, Write};
use crate::cpu::at::At;
use crate::cpu::context::Cx;
use crate::cpu::fault;
use crate::types::{Element, Inner};

/// `&[T]` or `&mut [T]` in a kernel.
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

// SAFETY: elements are `Send` and `Sync`, and all access to them is atomic.
unsafe impl<T: Send + Sync, M: Access> Send for Slice<'_, T, M> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync, M: Access> Sync for Slice<'_, T, M> {}

impl<T, M> Slice<'_, T, M> {
    /// A view of `len` elements from `pointer`.
    ///
    /// # Safety
    ///
    /// For `'k` the elements must be live and initialised, at an aligned address, and all access to them by other
    /// threads atomic; if `M` is [`Write`], nothing but views may read or write them.
    #[inline]
    pub unsafe fn new(pointer: *mut T, len: usize) -> Self {
        Slice { pointer, len, array: PhantomData }
    }
}

impl<'k, T: Element, M: Access> Slice<'k, T, M> {
    /// A view of a host slice.
    #[inline]
    pub fn from_host(slice: &'k [T]) -> Slice<'k, T, Read> {
        // SAFETY: the borrow keeps the elements alive and unwritten for `'k`, and a `Read` view does not write.
        unsafe { Slice::new(slice.as_ptr().cast_mut(), slice.len()) }
    }

    /// A view of a host slice that may be written.
    #[inline]
    pub fn from_host_mut(slice: &'k mut [T]) -> Slice<'k, T, Write> {
        // SAFETY: the borrow is exclusive for `'k`, so that only views reach the elements.
        unsafe { Slice::new(slice.as_mut_ptr(), slice.len()) }
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The place of element `index`, or a fault.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: usize, at: &'static At) -> Elem<'k, T, M> {
        if index >= self.len {
            fault::out_of_bounds(at, index, self.len);
        }
        // SAFETY: `index` is below the length, so the place is inside the array.
        Elem { pointer: unsafe { self.pointer.add(index) }, array: PhantomData }
    }
}

/// An argument for a `&[T]` parameter of a device function: `&[T]`, or a `&mut [T]` lent out for reading.
pub trait IntoSlice<'k> {
    /// The elements.
    type Element;
    /// The view.
    fn into_slice(self) -> Slice<'k, Self::Element, Read>;
}

impl<'k, T, M> IntoSlice<'k> for Slice<'k, T, M> {
    type Element = T;

    #[inline(always)]
    fn into_slice(self) -> Slice<'k, T, Read> {
        Slice { pointer: self.pointer, len: self.len, array: PhantomData }
    }
}

/// The place of one element.
pub struct Elem<'k, T, M> {
    pointer: *mut T,
    array: PhantomData<(&'k (), M)>,
}

impl<T, M> Clone for Elem<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for Elem<'_, T, M> {}

impl<T: Element, M: Access> Elem<'_, T, M> {
    /// Reads the element.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: an `Elem` comes from a view whose bounds were checked, and all views access atomically.
        unsafe { T::load(self.pointer) }
    }

    /// Writes the element.
    #[inline(always)]
    pub fn set(self, value: T)
    where
        M: Writable,
    {
        // SAFETY: as in `get`; the bound says that the view may be written.
        unsafe { T::store(self.pointer, value) }
    }

    /// Where the element is, for atomic operations. It is aligned, live for `'k`, and accessed atomically only.
    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut T
    where
        M: Writable,
    {
        self.pointer
    }
}

/// Storage of a block: what `shared::<A>()` gives, and rows of it.
pub struct Storage<'k, A> {
    pointer: *mut A,
    block: PhantomData<&'k ()>,
}

impl<A> Clone for Storage<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Storage<'_, A> {}

impl<A> Storage<'_, A> {
    /// # Safety
    ///
    /// `pointer` must be aligned and point to an `A` whose bytes are initialised, live for `'k`, and accessed through
    /// views only.
    pub(crate) unsafe fn new(pointer: *mut A) -> Self {
        Storage { pointer, block: PhantomData }
    }
}

impl<'k, T: Inner, const N: usize> Storage<'k, [T; N]> {
    /// The number of elements, or of rows.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "an array's type tells")]
    pub fn len(self) -> usize {
        N
    }

    /// The place of element or row `index`, or a fault.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: usize, at: &'static At) -> T::Place<'k> {
        if index >= N {
            fault::out_of_bounds(at, index, N);
        }
        // SAFETY: `index` is below the length, so the place is inside the storage.
        unsafe { T::place(self.pointer.cast::<T>().add(index)) }
    }
}

impl<T> Elem<'_, T, Write> {
    /// # Safety
    ///
    /// As for [`Storage::new`].
    pub(crate) unsafe fn new(pointer: *mut T) -> Self {
        Elem { pointer, array: PhantomData }
    }
}
