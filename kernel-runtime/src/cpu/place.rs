//! `&T` and `&mut T` in a kernel on the CPU: the place of a value in memory.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::cpu::access::{Access, Read, Writable, Write};
use crate::cpu::at::At;
use crate::cpu::context::Cx;
use crate::cpu::fault;
use crate::cpu::receiver::{Handle, Receiver};
use crate::cpu::slice::Slice;
use crate::types::Element;

/// `&T` or `&mut T` in a kernel: an element of an array, a field of it, shared memory.
///
/// It stays on its thread, as it may lead to a variable of the thread, whose memory is accessed without atomics.
pub struct Place<'k, T, M> {
    pointer: *mut T,
    memory: PhantomData<(&'k (), M)>,
}

impl<T, M> Clone for Place<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for Place<'_, T, M> {}

// What the macros write for a parameter asks nothing of its type: its slot does, and says so once.
impl<'k, T, M> Place<'k, T, M> {
    /// # Safety
    ///
    /// For `'k` there must be a live, initialised `T` at `pointer`, aligned, though its bits need not be a value. All access
    /// to it by other threads is atomic; if `M` is [`Write`], nothing but places may read or write it.
    #[inline(always)]
    pub(crate) unsafe fn new(pointer: *mut T) -> Self {
        Place { pointer, memory: PhantomData }
    }

    /// The place of a value of the host's.
    #[inline(always)]
    pub fn from_ref(value: &'k T) -> Place<'k, T, Read> {
        // SAFETY: the borrow keeps the value alive and unwritten for `'k`, and a `Read` place does not write.
        unsafe { Place::new(std::ptr::from_ref(value).cast_mut()) }
    }

    /// The place of a value of the host's that may be written.
    #[inline(always)]
    pub fn from_mut(value: &'k mut T) -> Place<'k, T, Write> {
        // SAFETY: the borrow is exclusive for `'k`, so that only places reach the value.
        unsafe { Place::new(std::ptr::from_mut(value)) }
    }

    /// Where the value is.
    #[inline(always)]
    pub(super) fn pointer(self) -> *mut T {
        self.pointer
    }

    /// The same place, to be read only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> Place<'k, T, Read> {
        // SAFETY: it is the place that this one is, and a `Read` place promises less.
        unsafe { Place::new(self.pointer) }
    }

    /// The same place, to be written.
    #[inline(always)]
    pub(crate) fn write(self) -> Place<'k, T, Write>
    where
        M: Writable,
    {
        // SAFETY: the bound says that the place may be written.
        unsafe { Place::new(self.pointer) }
    }

    /// The place of a part of the value: `field` gives one of its fields.
    #[inline(always)]
    pub fn project<U>(self, field: impl FnOnce(*mut T) -> FieldOf<U>) -> Place<'k, U, M> {
        let part = field_of(self.pointer, field);
        // SAFETY: the part is a field of the value, so that all that is promised of the value holds for it.
        unsafe { Place::new(part) }
    }
}

/// The address of a field, as a projection gives it.
pub struct FieldOf<U>(*mut U);

impl<U> FieldOf<U> {
    /// The field at an address.
    ///
    /// # Safety
    ///
    /// This is the result of the closure that a `project` has been given, and the address is that of a field of type `U` of
    /// what the closure's argument points to: no other type, and nothing behind a pointer or a reference.
    #[inline(always)]
    pub unsafe fn new(address: *mut U) -> Self {
        FieldOf(address)
    }
}

/// The address of the field that `field` gives, which is inside of the value at `pointer`. For a field it always is, so that
/// nothing is left of the check; a type that the compiler dereferences on the way would lead elsewhere.
#[inline(always)]
pub(super) fn field_of<T, U>(pointer: *mut T, field: impl FnOnce(*mut T) -> FieldOf<U>) -> *mut U {
    let FieldOf(part) = field(pointer);
    let offset = part.addr().wrapping_sub(pointer.addr());
    let inside = offset <= size_of::<T>() && size_of::<U>() <= size_of::<T>() - offset;
    assert!(inside && part.is_aligned(), "a field is inside of its struct");
    part
}

impl<'k, T: Element, M: Access> Place<'k, T, M> {
    /// The value as a reference of Rust's, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is used, nothing may write the value, and its bits must be one.
    pub unsafe fn as_host(self) -> &'k T {
        // SAFETY: the value is live for `'k`, and the rest the caller promises.
        unsafe { &*self.pointer }
    }

    /// The value as a mutable reference of Rust's, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is used, nothing else may reach the value, and its bits must be one.
    pub unsafe fn as_host_mut(self) -> &'k mut T
    where
        M: Writable,
    {
        // SAFETY: the value is live for `'k` and may be written, and the rest the caller promises.
        unsafe { &mut *self.pointer }
    }

    /// Reads the value.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: a place is one of a live value, aligned, that all threads access atomically.
        unsafe { T::load(self.pointer) }
    }

    /// Writes the value.
    #[inline(always)]
    pub fn set(self, value: T)
    where
        M: Writable,
    {
        // SAFETY: as in `get`; the bound says that the place may be written.
        unsafe { T::store(self.pointer, value) }
    }

    /// What a method is called on.
    #[inline(always)]
    pub fn receiver(self) -> Receiver<'k, Self> {
        Receiver::new(self)
    }

    /// Where the value is, for atomic loads. It is aligned, live for `'k`, and accessed atomically only.
    #[inline(always)]
    pub(crate) fn as_const_ptr(self) -> *const T {
        self.pointer
    }

    /// Where the value is, for atomic operations. It is aligned, live for `'k`, and accessed atomically only.
    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut T
    where
        M: Writable,
    {
        self.pointer
    }
}

impl<'k, T: Element, M: Access> Handle<'k> for Place<'k, T, M> {
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
    fn place(self) -> Self {
        self
    }

    // An atomic read is an effect to LLVM, used or not.
    #[inline(always)]
    fn stand_in(self) -> T {
        T::stand_in()
    }
}

impl<'k, T: Element, const N: usize, M: Access> Place<'k, [T; N], M> {
    /// The elements as a slice.
    #[inline(always)]
    pub(crate) fn as_slice(self) -> Slice<'k, T, M> {
        // SAFETY: an array is its `N` elements, one after the other, so that all that is promised of it holds for them.
        unsafe { Slice::new(self.pointer.cast(), N) }
    }

    /// The place of element `index`, or a fault.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: usize, at: &'static At) -> Place<'k, T, M> {
        if index >= N {
            fault::out_of_bounds(at, index, N);
        }
        // SAFETY: `index` is below the length, so that the place is one of the elements.
        unsafe { Place::new(self.pointer.cast::<T>().add(index)) }
    }

    /// As [`Place::at`], to be written.
    #[inline(always)]
    pub fn at_mut(self, cx: Cx<'_>, index: usize, at: &'static At) -> Place<'k, T, Write>
    where
        M: Writable,
    {
        self.at(cx, index, at).write()
    }

    /// `&x[range]`, or a fault.
    #[inline(always)]
    pub fn part(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'k, T, Read> {
        self.as_slice().part(cx, range, at)
    }

    /// `&mut x[range]`, or a fault.
    #[inline(always)]
    pub fn part_mut(self, cx: Cx<'_>, range: impl RangeBounds<usize>, at: &'static At) -> Slice<'k, T, Write>
    where
        M: Writable,
    {
        self.as_slice().part_mut(cx, range, at)
    }

    /// `x.iter()`: the place of each element.
    #[inline(always)]
    pub fn __elements(self) -> impl DoubleEndedIterator<Item = Place<'k, T, Read>> + ExactSizeIterator {
        self.as_slice().__elements()
    }

    /// `x.iter_mut()`: the place of each element.
    #[inline(always)]
    pub fn __elements_mut(self) -> impl DoubleEndedIterator<Item = Place<'k, T, Write>> + ExactSizeIterator
    where
        M: Writable,
    {
        self.as_slice().__elements_mut()
    }

    /// `for &v in x`: each element, read when its turn comes.
    #[inline(always)]
    pub fn __values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.as_slice().__values()
    }
}
