//! Receivers of method calls that are in memory: `particles[i].accelerate(force)`.
//!
//! A method is a Rust function with a `&self` or `&mut self` parameter, and rustc resolves it by a receiver of the
//! user's type. A Rust reference must not point into an array that other threads access, yet the method must operate on
//! the place itself: its atomic operations, fences and waits would have no effect on a copy. So the hidden method that
//! a call in a kernel resolves to receives two things: a reference to a *placeholder* of the receiver's type, by which
//! rustc resolves the method, and, in the [`Call`], the place that the placeholder represents. The hidden method
//! obtains the meaning of `self` from [`PlaceRef::of_receiver`], and passes that handle to the body. A borrowed
//! placeholder is never read.
//!
//! A method that takes `self` by value receives the value that the place has when the receiver is evaluated, which is
//! before the arguments. Where the receiver is dereferenced, `self` and `&self` cannot be distinguished, so that the
//! value is read for both; for `&mut self` any value is sufficient, and the optimiser removes it.
//!
//! Rust probes the methods of `r.m()` beginning with the type of `r`: if `r` is a `&mut S`, a method with a `&mut self`
//! parameter precedes one with `self`. For such a call the hidden method is called on a [`ReferenceReceiver`], which
//! dereferences to a Rust reference of the same type as `r`. An element `x[i]` is a place of type `S`, for which the
//! methods with `self` come first.
//!
//! Safe code may call a hidden method with any reference and any [`Call`]. The place in a `Call` is valid for the
//! lifetime of the `Call`. It is used only for a `self` of its own type, and for a `&mut self` only if it is writable.
//! So any combination results in a valid place.

use std::cell::{Cell, OnceCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::cpu::{Call, Origin};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::handles::place::PlaceRef;
use crate::types::DeviceType;

/// A place that a method can be called on.
pub trait Handle<'k>: Copy {
    /// The type of the value in the place.
    type Value: Copy + 'static;
    /// The access mode of the place.
    type Access: Access;

    /// Reads the value.
    fn load(self) -> Self::Value;

    /// Writes the value.
    fn store(self, value: Self::Value)
    where
        Self::Access: Writable;

    /// Returns the place in the form that device functions take.
    fn place(self) -> PlaceRef<'k, Self::Value, Self::Access>;

    /// Returns an arbitrary value, which is never read. It has no side effect, so that it is optimised away.
    #[doc(hidden)]
    fn placeholder(self) -> Self::Value;
}

/// The receiver of a method call, for the duration of the call.
pub struct Receiver<'k, H: Handle<'k>> {
    handle: H,
    /// The value for a method that takes `self` by value; an arbitrary value for `&mut self`.
    placeholder: OnceCell<H::Value>,
    lifetime: PhantomData<&'k ()>,
}

impl<'k, H: Handle<'k>> Receiver<'k, H> {
    #[inline(always)]
    pub(super) fn new(handle: H) -> Self {
        Receiver { handle, placeholder: OnceCell::new(), lifetime: PhantomData }
    }

    /// Returns the context of a method call on this receiver.
    #[inline(always)]
    pub fn called<'c>(&self, call: Call<'c>) -> Call<'c>
    where
        'k: 'c,
    {
        // SAFETY: the requirements of [`PlaceRef::new`] hold for the handle's place, for [`Write`] if its access is mutable.
        call.on(unsafe { Origin::new(self.handle.place().pointer(), H::Access::MUTABLE) })
    }

    /// Returns the place itself.
    #[inline(always)]
    pub fn handle(&self) -> H {
        self.handle
    }

    /// Returns the receiver of a call on a reference to the place.
    #[inline(always)]
    pub fn reference<'r>(&'r mut self) -> ReferenceReceiver<'r, 'k, H> {
        let Receiver { handle, placeholder, lifetime: _ } = self;
        ReferenceReceiver { handle: *handle, placeholder: Cell::new(Some(placeholder)), reference: OnceCell::new() }
    }
}

/// The receiver of a method call on a reference, `r.m()`. It dereferences to a Rust reference to the placeholder, whose
/// type is that of `r`.
pub struct ReferenceReceiver<'r, 'k, H: Handle<'k>> {
    handle: H,
    /// The memory of the placeholder, until `reference` is initialised.
    placeholder: Cell<Option<&'r mut OnceCell<H::Value>>>,
    reference: OnceCell<<H::Access as Access>::Reference<'r, H::Value>>,
}

impl<'r, 'k, H: Handle<'k>> ReferenceReceiver<'r, 'k, H> {
    /// Returns the reference to a placeholder with this value, unless there is one already.
    #[inline(always)]
    fn reference(&self, value: impl FnOnce(H) -> H::Value) -> &<H::Access as Access>::Reference<'r, H::Value> {
        self.reference.get_or_init(|| {
            let placeholder = self.placeholder.take().expect("it is taken once, by this function");
            *placeholder = OnceCell::from(value(self.handle));
            H::Access::reborrow(placeholder.get_mut().expect("it was initialised by the line above"))
        })
    }
}

impl<'r, 'k, H: Handle<'k>> Deref for ReferenceReceiver<'r, 'k, H> {
    type Target = <H::Access as Access>::Reference<'r, H::Value>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        self.reference(H::load)
    }
}

/// Rust dereferences mutably for a method with a `&mut self` parameter only, which does not read the placeholder.
impl<'k, H: Handle<'k>> DerefMut for ReferenceReceiver<'_, 'k, H>
where
    H::Access: Writable,
{
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.reference(H::placeholder);
        self.reference.get_mut().expect("it was initialised by the line above")
    }
}

impl<'k, H: Handle<'k>> Deref for Receiver<'k, H> {
    type Target = H::Value;

    #[inline(always)]
    fn deref(&self) -> &H::Value {
        self.placeholder.get_or_init(|| self.handle.load())
    }
}

impl<'k, H: Handle<'k>> DerefMut for Receiver<'k, H>
where
    H::Access: Writable,
{
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut H::Value {
        self.placeholder.get_or_init(|| self.handle.placeholder());
        self.placeholder.get_mut().expect("it was initialised by the line above")
    }
}

impl<'k, T: DeviceType, M: Access> Handle<'k> for PlaceRef<'k, T, M> {
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

    // Not a load: LLVM treats an atomic load as a side effect, even if its result is unused.
    #[inline(always)]
    fn placeholder(self) -> T {
        T::__placeholder()
    }
}

impl<'k, T: DeviceType, M: Access> PlaceRef<'k, T, M> {
    /// Returns the receiver for a method call.
    #[inline(always)]
    pub fn receiver(self) -> Receiver<'k, Self> {
        Receiver::new(self)
    }
}

impl<'k, T: 'static> PlaceRef<'k, T, Read> {
    /// Returns the meaning of `&self` in a method called from a kernel: the place of the receiver, or that of `this`.
    #[inline(always)]
    pub fn of_receiver(this: &'k T, call: Call<'k>) -> Self {
        match call.origin().and_then(|origin| origin.address_of::<T>(false)) {
            // SAFETY: the place is one of a `T`, valid for `'k`, and a `Read` place has the weakest requirements.
            Some(address) => unsafe { PlaceRef::new(address) },
            None => PlaceRef::<T, Read>::from_ref(this),
        }
    }
}

impl<'k, T: 'static> PlaceRef<'k, T, Write> {
    /// As [`PlaceRef::of_receiver`], for `&mut self`.
    #[inline(always)]
    pub fn of_receiver_mut(this: &'k mut T, call: Call<'k>) -> Self {
        match call.origin().and_then(|origin| origin.address_of::<T>(true)) {
            // SAFETY: the place is one of a `T`, valid for `'k`, and writable.
            Some(address) => unsafe { PlaceRef::new(address) },
            None => PlaceRef::<T, Write>::from_mut(this),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{Cx, Location};
    use crate::handles::Slice;

    static AT: Location = Location { file: "kernel.rs", line: 1, column: 1, id: 0 };

    /// Safe code can combine any call with any reference.
    #[test]
    fn a_call_yields_only_places_of_its_type_and_access_mode() {
        let mut values = [1u32, 2];
        let (mut other, mut another) = (7u32, 1.0f32);
        Cx::host(|cx| {
            let place = Slice::<u32, Write>::from_host_mut(&mut values).at_mut(cx, 1, &AT);
            let receiver = place.receiver();
            let call = receiver.called(cx.call(&AT));
            PlaceRef::of_receiver_mut(&mut other, call).set(9);
            assert_eq!(PlaceRef::of_receiver(&other, call).get(), 9);
            PlaceRef::of_receiver_mut(&mut another, call).set(2.0);
            let receiver = place.read().receiver();
            let call = receiver.called(cx.call(&AT));
            assert_eq!(PlaceRef::of_receiver(&other, call).get(), 9);
            PlaceRef::of_receiver_mut(&mut other, call).set(5);
            let next = other + 1;
            PlaceRef::of_receiver_mut(&mut other, cx.call(&AT)).set(next);
        });
        assert_eq!((values, other, another), ([1, 9], 6, 2.0));
    }

    #[test]
    fn a_receiver_by_value_is_read_when_it_is_dereferenced() {
        let mut values = [3u32];
        Cx::host(|cx| {
            let place = Slice::<u32, Write>::from_host_mut(&mut values).at_mut(cx, 0, &AT);
            let receiver = place.receiver();
            let before = *receiver;
            place.set(4);
            assert_eq!((before, place.get()), (3, 4));
        });
    }
}

/// The receiver of a method call on a slice or a view, which is dereferenced like one in memory.
#[derive(Clone, Copy)]
pub struct HandleReceiver<H>(H);

impl<H: Copy> HandleReceiver<H> {
    /// Returns the receiver for a handle.
    #[inline(always)]
    pub(super) fn new(handle: H) -> Self {
        HandleReceiver(handle)
    }

    /// Returns the receiver of a call on a reference.
    #[inline(always)]
    #[must_use]
    pub fn reference(self) -> Self {
        self
    }

    /// Returns the context of a method call on it.
    #[inline(always)]
    pub fn called(self, call: Call<'_>) -> Call<'_> {
        call
    }
}

impl<H> Deref for HandleReceiver<H> {
    type Target = H;

    #[inline(always)]
    fn deref(&self) -> &H {
        &self.0
    }
}

impl<H> DerefMut for HandleReceiver<H> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut H {
        &mut self.0
    }
}
