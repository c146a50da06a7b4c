//! Elements of the arrays that a kernel has in its variables.
//!
//! A variable belongs to one thread, so its memory is plain: nothing here is atomic, and the optimiser may keep an array in
//! registers. It becomes a [`Place`] where a device function takes a reference to it.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::cpu::access::{Access, Read, Writable, Write};
use crate::cpu::at::At;
use crate::cpu::context::Cx;
use crate::cpu::fault;
use crate::cpu::place::{FieldOf, Place, field_of};
use crate::cpu::receiver::{Handle, Receiver};
use crate::cpu::slice::Slice;
use crate::types::Element;

/// The place of an element of a local array, or of a part of one.
///
/// It is a pointer and no reference, so that it can be copied, as a [`Place`] can. It does not leave its thread.
pub struct Local<'a, T, M> {
    pointer: *mut T,
    array: PhantomData<(&'a (), M)>,
}

/// The place of an element of an array that is not written.
pub type LocalRef<'a, T> = Local<'a, T, Read>;

/// The place of an element of an array that may be written.
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
    /// For `'a` there must be a live `T` at `pointer`, which no other thread reaches. If `M` is [`Write`], only copies of
    /// this place and of what is made of it may read or write it; otherwise nothing writes it.
    #[inline(always)]
    unsafe fn new(pointer: *mut T) -> Self {
        Local { pointer, array: PhantomData }
    }

    /// The same place, to be read only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> LocalRef<'a, T> {
        // SAFETY: it is the place that this one is, and is only read through the result. This one may still write: both are
        // pointers, so that no reference forbids it.
        unsafe { Local::new(self.pointer) }
    }

    /// The same place, to be written.
    #[inline(always)]
    fn write(self) -> LocalMut<'a, T>
    where
        M: Writable,
    {
        // SAFETY: the bound says that the place may be written.
        unsafe { Local::new(self.pointer) }
    }

    /// The place of a part of the value: `field` gives one of its fields.
    #[inline(always)]
    pub fn project<U>(self, field: impl FnOnce(*mut T) -> FieldOf<U>) -> Local<'a, U, M> {
        let part = field_of(self.pointer, field);
        // SAFETY: the part is a field of the value, so that all that is promised of the value holds for it.
        unsafe { Local::new(part) }
    }
}

impl<'a, T: Copy, M: Access> Local<'a, T, M> {
    /// Reads the value.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: a place is one of a live value, and of this thread only.
        unsafe { self.pointer.read() }
    }

    /// Writes the value.
    #[inline(always)]
    pub fn set(self, value: T)
    where
        M: Writable,
    {
        // SAFETY: as in `get`; the bound says that the place may be written.
        unsafe { self.pointer.write(value) }
    }

    /// What a method is called on.
    #[inline(always)]
    pub fn receiver(self) -> Receiver<'a, Self>
    where
        T: 'static,
    {
        Receiver::new(self)
    }

    /// The place as device functions take it.
    #[inline(always)]
    pub(crate) fn as_place(self) -> Place<'a, T, M>
    where
        T: Element,
    {
        // SAFETY: the value is live for `'a`, aligned, a value, and only this thread reaches it; if it may be written, only
        // through places.
        unsafe { Place::new(self.pointer) }
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
    fn place(self) -> Place<'a, T, M> {
        // SAFETY: as in `Local::as_place`.
        unsafe { Place::new(self.pointer) }
    }

    #[inline(always)]
    fn stand_in(self) -> T {
        self.get()
    }
}

impl<'a, T: Copy, const N: usize, M: Access> Local<'a, [T; N], M> {
    /// The place of element `index`, or a fault.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: usize, at: &'static At) -> Local<'a, T, M> {
        if index >= N {
            fault::out_of_bounds(at, index, N);
        }
        // SAFETY: `index` is below the length, so that the place is one of the elements.
        unsafe { self.element(index) }
    }

    /// As [`Local::at`], to be written.
    #[inline(always)]
    pub fn at_mut(self, cx: Cx<'_>, index: usize, at: &'static At) -> LocalMut<'a, T>
    where
        M: Writable,
    {
        self.at(cx, index, at).write()
    }

    /// # Safety
    ///
    /// `index` is below the length.
    #[inline(always)]
    unsafe fn element(self, index: usize) -> Local<'a, T, M> {
        // SAFETY: the element is inside of the array, so that all that is promised of the array holds for it.
        unsafe { Local::new(self.pointer.cast::<T>().add(index)) }
    }

    /// The elements as a slice.
    #[inline(always)]
    pub(crate) fn as_slice(self) -> Slice<'a, T, M>
    where
        T: Element,
    {
        self.as_place().as_slice()
    }

    /// `&x[range]`, or a fault.
    #[inline(always)]
    pub fn part(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'a, T, Read>
    where
        T: Element,
    {
        self.as_slice().part(cx, range, at)
    }

    /// `&mut x[range]`, or a fault.
    #[inline(always)]
    pub fn part_mut(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'a, T, Write>
    where
        T: Element,
        M: Writable,
    {
        self.as_slice().part_mut(cx, range, at)
    }

    /// `x.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = LocalRef<'a, T>> + ExactSizeIterator {
        // SAFETY: each index is below the length.
        (0..N).map(move |index| unsafe { self.read().element(index) })
    }

    /// `x.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = LocalMut<'a, T>> + ExactSizeIterator
    where
        M: Writable,
    {
        // SAFETY: each index is below the length.
        (0..N).map(move |index| unsafe { self.write().element(index) })
    }

    /// `for &v in x`: each element.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.__elements().map(Local::get)
    }
}

/// What an array in a variable can do in a kernel, under the names that places have for it.
pub trait LocalArray<T: Copy, const N: usize> {
    /// The place of element `index`, or a fault.
    fn at(&self, cx: Cx<'_>, index: usize, at: &'static At) -> LocalRef<'_, T>;

    /// As [`LocalArray::at`], to be written.
    fn at_mut(&mut self, cx: Cx<'_>, index: usize, at: &'static At) -> LocalMut<'_, T>;

    /// `&x[range]`, or a fault.
    fn part(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'_, T, Read>
    where
        T: Element;

    /// `&mut x[range]`, or a fault.
    fn part_mut(&mut self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'_, T, Write>
    where
        T: Element;

    /// `x.iter()`: the place of each element.
    fn __elements(&self) -> impl DoubleEndedIterator<Item = LocalRef<'_, T>> + ExactSizeIterator;

    /// `x.iter_mut()`: the place of each element.
    fn __elements_mut(&mut self) -> impl DoubleEndedIterator<Item = LocalMut<'_, T>> + ExactSizeIterator;

    /// `for v in x`: each element.
    fn __values(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator;
}

/// The place of an array that is borrowed.
#[inline(always)]
fn of<T>(value: &T) -> LocalRef<'_, T> {
    // SAFETY: the borrow keeps the value alive and unwritten; a `Read` place does not leave the thread.
    unsafe { Local::new(std::ptr::from_ref(value).cast_mut()) }
}

/// The place of an array that is borrowed mutably.
#[inline(always)]
fn of_mut<T>(value: &mut T) -> LocalMut<'_, T> {
    // SAFETY: the borrow keeps the value alive and is exclusive.
    unsafe { Local::new(std::ptr::from_mut(value)) }
}

impl<T: Copy, const N: usize> LocalArray<T, N> for [T; N] {
    #[inline(always)]
    fn at(&self, cx: Cx<'_>, index: usize, at: &'static At) -> LocalRef<'_, T> {
        of(self).at(cx, index, at)
    }

    #[inline(always)]
    fn at_mut(&mut self, cx: Cx<'_>, index: usize, at: &'static At) -> LocalMut<'_, T> {
        of_mut(self).at_mut(cx, index, at)
    }

    #[inline(always)]
    fn part(&self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'_, T, Read>
    where
        T: Element,
    {
        of(self).part(cx, range, at)
    }

    #[inline(always)]
    fn part_mut(&mut self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'_, T, Write>
    where
        T: Element,
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
