//! Places of values in memory: `&T` and `&mut T` in a kernel on the CPU.

use std::marker::PhantomData;

use crate::cpu::{Cx, Location};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::types::{DeviceType, assert_same};

/// `&T` or `&mut T` in a kernel: the place of an element of an array, of a field of one, or of a shared variable.
///
/// It stays on its thread, since it may refer to a local variable of that thread, which is accessed non-atomically.
pub struct PlaceRef<'k, T, M = Read> {
    pointer: *mut T,
    memory: PhantomData<(&'k (), M)>,
}

impl<T, M> Clone for PlaceRef<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for PlaceRef<'_, T, M> {}

// No bounds on `T`: the code that the macros emit for a parameter would report them a second time, after the
// parameter's slot.
impl<'k, T, M> PlaceRef<'k, T, M> {
    /// # Safety
    ///
    /// For `'k` there must be a live, initialised `T` at `pointer`, aligned, though its bits need not be a value. All
    /// accesses by other threads are atomic; if `M` is [`Write`], it is accessed through places only.
    #[inline(always)]
    pub unsafe fn new(pointer: *mut T) -> Self {
        PlaceRef { pointer, memory: PhantomData }
    }

    /// Returns the place of a host value.
    #[inline(always)]
    pub fn from_ref(value: &'k T) -> PlaceRef<'k, T, Read> {
        // SAFETY: the borrow keeps the value live and unmodified for `'k`, and a `Read` place does not write.
        unsafe { PlaceRef::new(std::ptr::from_ref(value).cast_mut()) }
    }

    /// Returns the writable place of a host value.
    #[inline(always)]
    pub fn from_mut(value: &'k mut T) -> PlaceRef<'k, T, Write> {
        // SAFETY: the borrow is exclusive for `'k`, so that the value is accessed through places only.
        unsafe { PlaceRef::new(std::ptr::from_mut(value)) }
    }

    /// Returns the address of the value.
    #[inline(always)]
    pub(super) fn pointer(self) -> *mut T {
        self.pointer
    }

    /// Returns the same place, read-only.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> PlaceRef<'k, T, Read> {
        // SAFETY: it is the same place, and a `Read` place has weaker requirements.
        unsafe { PlaceRef::new(self.pointer) }
    }

    /// Returns the same place, writable.
    #[inline(always)]
    pub fn write(self) -> PlaceRef<'k, T, Write>
    where
        M: Writable,
    {
        // SAFETY: the bound guarantees that the place is writable.
        unsafe { PlaceRef::new(self.pointer) }
    }

    /// Returns the place for the variable of its parameter: see [`declared`](crate::types::declared).
    #[inline(always)]
    pub fn declared<U: 'static>(self) -> PlaceRef<'k, U, M>
    where
        T: 'static,
    {
        assert_same::<T, U>();
        // SAFETY: it is the same place, of the same type.
        unsafe { PlaceRef::new(self.pointer.cast()) }
    }

    /// Returns the place of a field of the value, of which `field` computes the address.
    #[inline(always)]
    pub fn project<U>(self, field: impl FnOnce(*mut T) -> FieldOf<U>) -> PlaceRef<'k, U, M> {
        let part = field_of(self.pointer, field);
        // SAFETY: a field is inside the value, so that the guarantees for the value hold for it.
        unsafe { PlaceRef::new(part) }
    }
}

/// The address of a field, as the closure of a projection returns it.
pub struct FieldOf<U>(*mut U);

impl<U> FieldOf<U> {
    /// Wraps the address of a field.
    ///
    /// # Safety
    ///
    /// This is the result of a closure that is passed to a `project`, and the address is that of a field of type `U` of
    /// the value that the closure's argument points to: of no other type, and not behind a pointer or a reference.
    #[inline(always)]
    pub unsafe fn new(address: *mut U) -> Self {
        FieldOf(address)
    }
}

/// Returns the address of the field that `field` computes, which is inside the value at `pointer`. For a field the
/// check always holds and is optimised away; a type that the compiler dereferences on the way would lead outside the
/// value.
#[inline(always)]
pub(super) fn field_of<T, U>(pointer: *mut T, field: impl FnOnce(*mut T) -> FieldOf<U>) -> *mut U {
    let FieldOf(part) = field(pointer);
    let offset = part.addr().wrapping_sub(pointer.addr());
    let inside = offset <= size_of::<T>() && size_of::<U>() <= size_of::<T>() - offset;
    assert!(inside && part.is_aligned(), "the field is not inside its struct");
    part
}

impl<'k, T: DeviceType, M: Access> PlaceRef<'k, T, M> {
    /// Returns the value as a Rust reference, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is in use, nothing may write the value, and its bits must be valid.
    pub unsafe fn as_host(self) -> &'k T {
        // SAFETY: the value is live for `'k`; the caller guarantees the rest.
        unsafe { &*self.pointer }
    }

    /// Returns the value as a mutable Rust reference, for a body that the user wrote for the CPU.
    ///
    /// # Safety
    ///
    /// While the result is in use, nothing else may access the value, and its bits must be valid.
    pub unsafe fn as_host_mut(self) -> &'k mut T
    where
        M: Writable,
    {
        // SAFETY: the value is live for `'k` and writable; the caller guarantees the rest.
        unsafe { &mut *self.pointer }
    }

    /// Reads the value.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: the place refers to a live, aligned value, which all threads access atomically.
        unsafe { T::__load(self.pointer) }
    }

    /// Reads the value, in a tuple: see [`Slot::value`](crate::slot::Slot::value). Its type is a projection to `T`: of a type that lacks
    /// its derive `T` is unknown, and what the value is compared with does not determine it.
    #[inline(always)]
    pub fn read_value(self) -> (T::This,) {
        (self.get(),)
    }

    /// Writes the value.
    #[inline(always)]
    pub fn set(self, value: T)
    where
        M: Writable,
    {
        // SAFETY: as in `get`; the bound guarantees that the place is writable.
        unsafe { T::__store(self.pointer, value) }
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

    /// Returns the address of the value, for atomic loads. It is aligned, live for `'k`, and accessed atomically only.
    #[inline(always)]
    pub fn as_const_ptr(self) -> *const T {
        self.pointer
    }

    /// Returns the address of the value, for atomic operations. It is aligned, live for `'k`, and accessed atomically
    /// only.
    #[inline(always)]
    pub fn as_ptr(self) -> *mut T
    where
        M: Writable,
    {
        self.pointer
    }
}

/// A type whose values are indexed. Arrays, slices and views are, by methods of their handles; it is implemented for no type.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be indexed",
    label = "not a slice, an array or a view",
    note = "why: only slices, arrays and views have elements with an index",
    note = "help: name the field, as in `v.x`; a vector has `v.component(i)`, and `v.with_component(i, value)` returns it with another component"
)]
pub trait Indexed {}

/// The error about an index of a value in memory that is no array.
pub trait IndexedPlace<'k>: Sized {
    /// The type of the value.
    type Value;
    /// The access mode of the place.
    type Access: Access;

    /// `x[i][j]`, an error.
    fn at<T, I>(self, _: Cx<'_>, _: I, _: &'static Location) -> PlaceRef<'k, T, Self::Access>
    where
        Self::Value: Indexed,
    {
        unreachable!("`Indexed` is implemented for no type")
    }

    /// `x[i][j] = value`, an error.
    fn at_mut<T, I>(self, _: Cx<'_>, _: I, _: &'static Location) -> PlaceRef<'k, T, Write>
    where
        Self::Value: Indexed,
    {
        unreachable!("`Indexed` is implemented for no type")
    }
}

impl<'k, T, M: Access> IndexedPlace<'k> for PlaceRef<'k, T, M> {
    type Value = T;
    type Access = M;
}
