//! Places of local arrays.
//!
//! A local array belongs to one thread, so its elements are accessed non-atomically, and the optimiser may keep it in
//! registers. It becomes a [`PlaceRef`] when a device function borrows it.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::cpu::{Cx, Location, fault};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::handles::place::{FieldOf, PlaceRef, field_of};
use crate::handles::receiver::{Handle, Receiver};
use crate::handles::slice::{Index, Slice};
use crate::types::DeviceType;

/// The place of an element of a local array, or of a part of an element.
///
/// It is a pointer rather than a reference, so that it can be copied like a [`PlaceRef`]. It does not leave its thread.
pub struct Local<'a, T, M> {
    pointer: *mut T,
    array: PhantomData<(&'a (), M)>,
}

/// A read-only place in a local array.
pub type LocalRef<'a, T> = Local<'a, T, Read>;

/// A writable place in a local array.
pub type LocalMut<'a, T> = Local<'a, T, Write>;

impl<T, M> Clone for Local<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for Local<'_, T, M> {}

impl<'a, T, M> Local<'a, T, M> {
    /// # Safety
    ///
    /// For `'a` there must be a live `T` at `pointer`, which no other thread accesses. If `M` is [`Write`], only copies
    /// of this place and places derived from it may read or write it; otherwise nothing writes it.
    #[inline(always)]
    unsafe fn new(pointer: *mut T) -> Self {
        Local { pointer, array: PhantomData }
    }

    /// Returns the same place, read-only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> LocalRef<'a, T> {
        // SAFETY: it is the same place, and the result only reads it. `self` may still write: both are pointers, so
        // that no reference is invalidated.
        unsafe { Local::new(self.pointer) }
    }

    /// Returns the same place, writable.
    #[inline(always)]
    fn write(self) -> LocalMut<'a, T>
    where
        M: Writable,
    {
        // SAFETY: the bound guarantees that the place is writable.
        unsafe { Local::new(self.pointer) }
    }

    /// Returns the place of a field of the value, of which `field` computes the address.
    #[inline(always)]
    pub fn project<U>(self, field: impl FnOnce(*mut T) -> FieldOf<U>) -> Local<'a, U, M> {
        let part = field_of(self.pointer, field);
        // SAFETY: a field is inside the value, so that the guarantees for the value hold for it.
        unsafe { Local::new(part) }
    }
}

impl<'a, T: Copy, M: Access> Local<'a, T, M> {
    /// Reads the value.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: the place refers to a live value, which only this thread accesses.
        unsafe { self.pointer.read() }
    }

    /// Reads the value, in a tuple: see [`Slot::value`](crate::slot::Slot::value).
    #[inline(always)]
    pub fn read_value(self) -> (T,) {
        (self.get(),)
    }

    /// Writes the value.
    #[inline(always)]
    pub fn set(self, value: T)
    where
        M: Writable,
    {
        // SAFETY: as in `get`; the bound guarantees that the place is writable.
        unsafe { self.pointer.write(value) }
    }

    /// As [`set`](Self::set), with the value that a closure returns: an error about its type is shown at the value, and is none of
    /// this call.
    #[inline(always)]
    pub fn set_to(self, value: impl FnOnce() -> T)
    where
        M: Writable,
    {
        self.set(value());
    }

    /// Returns the receiver for a method call.
    #[inline(always)]
    pub fn receiver(self) -> Receiver<'a, Self>
    where
        T: 'static,
    {
        Receiver::new(self)
    }

    /// Returns the place in the form that device functions take.
    #[inline(always)]
    pub fn as_place(self) -> PlaceRef<'a, T, M>
    where
        T: DeviceType,
    {
        // SAFETY: the value is live for `'a`, aligned and valid, and accessed by this thread only; if it is writable,
        // through places only.
        unsafe { PlaceRef::new(self.pointer) }
    }
}

impl<'a, T: Copy + 'static, M: Access> Handle<'a> for Local<'a, T, M> {
    type Value = T;
    type Access = M;

    #[inline(always)]
    fn load(self) -> T {
        self.get()
    }

    #[inline(always)]
    fn store(self, value: T)
    where
        M: Writable,
    {
        self.set(value);
    }

    #[inline(always)]
    fn place(self) -> PlaceRef<'a, T, M> {
        // SAFETY: as in `Local::as_place`.
        unsafe { PlaceRef::new(self.pointer) }
    }

    #[inline(always)]
    fn placeholder(self) -> T {
        self.get()
    }
}

impl<'a, T: Copy, const N: usize, M: Access> Local<'a, [T; N], M> {
    /// Returns the place of element `index`; faults if it is out of bounds.
    #[inline(always)]
    pub fn at<I: Index>(self, _cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<Local<'a, T, M>> {
        I::place(self.checked(index.position(), at))
    }

    /// Returns the place of element `index`; faults if it is out of bounds.
    #[inline(always)]
    fn checked(self, index: usize, at: &'static Location) -> Local<'a, T, M> {
        if index >= N {
            fault::out_of_bounds(at, index, N);
        }
        // SAFETY: `index` is less than the length.
        unsafe { self.element(index) }
    }

    /// As [`Local::at`], writable.
    #[inline(always)]
    pub fn at_mut<I: Index>(self, _cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<LocalMut<'a, T>>
    where
        M: Writable,
    {
        I::place(self.checked(index.position(), at).write())
    }

    /// # Safety
    ///
    /// `index` is less than the length.
    #[inline(always)]
    unsafe fn element(self, index: usize) -> Local<'a, T, M> {
        // SAFETY: an element is inside the array, so that the guarantees for the array hold for it.
        unsafe { Local::new(self.pointer.cast::<T>().add(index)) }
    }

    /// Returns the elements as a slice.
    #[inline(always)]
    pub fn as_slice(self) -> Slice<'a, T, M>
    where
        T: DeviceType,
    {
        self.as_place().as_slice()
    }

    /// `&x[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'a, T, Read>
    where
        T: DeviceType,
    {
        self.as_slice().part(cx, range, at)
    }

    /// `x[range]` as the receiver of a method or the base of one, with the access mode of the array.
    #[inline(always)]
    pub fn part_of_place(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'a, T, M>
    where
        T: DeviceType,
    {
        self.as_slice().part_of_place(cx, range, at)
    }

    /// `&mut x[range]`; faults if the range is out of bounds.
    #[inline(always)]
    pub fn part_mut(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'a, T, Write>
    where
        T: DeviceType,
        M: Writable,
    {
        self.as_slice().part_mut(cx, range, at)
    }

    /// `x.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = LocalRef<'a, T>> + ExactSizeIterator {
        // SAFETY: each index is less than the length.
        (0..N).map(move |index| unsafe { self.read().element(index) })
    }

    /// `x.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = LocalMut<'a, T>> + ExactSizeIterator
    where
        M: Writable,
    {
        // SAFETY: each index is less than the length.
        (0..N).map(move |index| unsafe { self.write().element(index) })
    }

    /// `for &v in x`: the value of each element.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.__elements().map(Local::get)
    }
}

/// The operations of a local array in a kernel, with the names that they have for places.
pub trait LocalArray<T: Copy, const N: usize> {
    /// Returns the place of element `index`; faults if it is out of bounds.
    fn at<I: Index>(&self, cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<LocalRef<'_, T>>;

    /// As [`LocalArray::at`], writable.
    fn at_mut<I: Index>(&mut self, cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<LocalMut<'_, T>>;

    /// `&x[range]`; faults if the range is out of bounds.
    fn part(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Read>
    where
        T: DeviceType;

    /// `x[range]` as the receiver of a method that borrows it shared.
    fn part_of_place(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Read>
    where
        T: DeviceType;

    /// `&mut x[range]`; faults if the range is out of bounds.
    fn part_mut(&mut self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Write>
    where
        T: DeviceType;

    /// `x.iter()`: the place of each element.
    fn __elements(&self) -> impl DoubleEndedIterator<Item = LocalRef<'_, T>> + ExactSizeIterator;

    /// `x.iter_mut()`: the place of each element.
    fn __elements_mut(&mut self) -> impl DoubleEndedIterator<Item = LocalMut<'_, T>> + ExactSizeIterator;

    /// `for v in x`: the value of each element.
    fn __values(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator;
}

/// Returns the place of a borrowed array.
#[inline(always)]
fn of<T>(value: &T) -> LocalRef<'_, T> {
    // SAFETY: the borrow keeps the value live and unmodified; a `Read` place does not leave the thread.
    unsafe { Local::new(std::ptr::from_ref(value).cast_mut()) }
}

/// Returns the place of a mutably borrowed array.
#[inline(always)]
fn of_mut<T>(value: &mut T) -> LocalMut<'_, T> {
    // SAFETY: the borrow keeps the value live and is exclusive.
    unsafe { Local::new(std::ptr::from_mut(value)) }
}

impl<T: Copy, const N: usize> LocalArray<T, N> for [T; N] {
    #[inline(always)]
    fn at<I: Index>(&self, cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<LocalRef<'_, T>> {
        of(self).at(cx, index, at)
    }

    #[inline(always)]
    fn at_mut<I: Index>(&mut self, cx: Cx<'_>, index: I, at: &'static Location) -> I::Place<LocalMut<'_, T>> {
        of_mut(self).at_mut(cx, index, at)
    }

    #[inline(always)]
    fn part(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Read>
    where
        T: DeviceType,
    {
        of(self).part(cx, range, at)
    }

    #[inline(always)]
    fn part_of_place(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Read>
    where
        T: DeviceType,
    {
        of(self).part(cx, range, at)
    }

    #[inline(always)]
    fn part_mut(&mut self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Write>
    where
        T: DeviceType,
    {
        of_mut(self).part_mut(cx, range, at)
    }

    #[inline(always)]
    fn __elements(&self) -> impl DoubleEndedIterator<Item = LocalRef<'_, T>> + ExactSizeIterator {
        of(self).__elements()
    }

    #[inline(always)]
    fn __elements_mut(&mut self) -> impl DoubleEndedIterator<Item = LocalMut<'_, T>> + ExactSizeIterator {
        of_mut(self).__elements_mut()
    }

    #[inline(always)]
    fn __values(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        of(self).__values()
    }
}

/// The operations of a sub-slice of a local array, which is a place of Rust's.
pub trait LocalSlice<T> {
    /// `x[range]` as the receiver of a method that borrows it shared.
    fn part_of_place(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Read>;
}

impl<T: DeviceType> LocalSlice<T> for [T] {
    #[inline(always)]
    fn part_of_place(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static Location) -> Slice<'_, T, Read> {
        Slice::<T, Read>::from_host(self).part(cx, range, at)
    }
}
