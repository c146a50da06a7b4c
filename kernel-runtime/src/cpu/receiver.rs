//! Receivers of methods that are in memory: `particles[i].accelerate(force)`.
//!
//! A method is a Rust function that takes `&self` or `&mut self`, and rustc resolves it by a receiver of the user's type. No
//! Rust reference may lead into an array that other threads access, and the method must work on the place itself all the same:
//! its atomic operations, its fences and its waiting would be lost on a copy. So two things travel to the hidden method that a
//! call in a kernel resolves to: a reference to a *stand-in* of the receiver's type, by which rustc resolves the method, and,
//! in the [`Call`], the place that it stands for. The hidden method asks [`Place::of_receiver`] what `self` means, and passes
//! that handle to the body. Nothing looks at a stand-in that was borrowed.
//!
//! A method that takes `self` by value gets the value that the place has where the receiver is evaluated, which is before the
//! arguments. Whether a method takes `self` or `&self` does not show where the receiver is dereferenced, so that the value is
//! read for both; for `&mut self` any value will do, and the optimiser removes it.
//!
//! Safe code may call a hidden method with any reference and any [`Call`]. The place in a `Call` is valid for the lifetime of
//! the `Call`. It is taken only for a `self` of its own type, and for a `&mut self` only if it may be written. So any
//! combination gives a valid place.

use std::any::TypeId;
use std::cell::OnceCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::cpu::access::{Access, Read, Writable, Write};
use crate::cpu::context::Call;
use crate::cpu::place::Place;

/// A place that a method can be called on.
pub trait Handle<'k>: Copy {
    /// The value in that place.
    type Value: Copy + 'static;
    /// Whether it may be written.
    type Access: Access;

    /// Reads the value.
    fn load(self) -> Self::Value;

    /// Writes the value.
    fn store(self, value: Self::Value)
    where
        Self::Access: Writable;

    /// The place as device functions take it.
    fn place(self) -> Place<'k, Self::Value, Self::Access>;

    /// Any value, which is not looked at: making it has no effect, so that it costs nothing.
    #[doc(hidden)]
    fn stand_in(self) -> Self::Value;
}

/// The receiver of a method call, for as long as the call lasts.
pub struct Receiver<'k, H: Handle<'k>> {
    handle: H,
    /// The value for a method that takes it; any value for one that borrows it mutably.
    stand_in: OnceCell<H::Value>,
    lifetime: PhantomData<&'k ()>,
}

/// The place that the receiver of a [`Call`] stands for.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'k> {
    /// A place of `ty` that is valid for `'k`: [`Place::new`] has been promised so, of a [`Write`] place if it is `writable`.
    pointer: *mut (),
    ty: TypeId,
    writable: bool,
    lifetime: PhantomData<&'k ()>,
}

impl<'k, H: Handle<'k>> Receiver<'k, H> {
    #[inline(always)]
    pub(super) fn new(handle: H) -> Self {
        Receiver { handle, stand_in: OnceCell::new(), lifetime: PhantomData }
    }

    /// The call of a method on this receiver.
    #[inline(always)]
    pub fn called<'c>(&self, call: Call<'c>) -> Call<'c>
    where
        'k: 'c,
    {
        let origin = Origin {
            pointer: self.handle.place().pointer().cast(),
            ty: TypeId::of::<H::Value>(),
            writable: H::Access::MUTABLE,
            lifetime: PhantomData,
        };
        call.on(origin)
    }

    /// The place itself.
    #[inline(always)]
    pub(crate) fn handle(&self) -> H {
        self.handle
    }
}

impl<'k, H: Handle<'k>> Deref for Receiver<'k, H> {
    type Target = H::Value;

    #[inline(always)]
    fn deref(&self) -> &H::Value {
        self.stand_in.get_or_init(|| self.handle.load())
    }
}

impl<'k, H: Handle<'k>> DerefMut for Receiver<'k, H>
where
    H::Access: Writable,
{
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut H::Value {
        self.stand_in.get_or_init(|| self.handle.stand_in());
        self.stand_in.get_mut().expect("it was made just now")
    }
}

impl<'k, T: 'static> Place<'k, T, Read> {
    /// What `&self` means in a method that a kernel calls: the place that the call was made on, or what `this` refers to.
    #[inline(always)]
    pub fn of_receiver(this: &'k T, call: Call<'k>) -> Self {
        match call.origin() {
            // SAFETY: the place is one of a `T`, valid for `'k`, and a `Read` place promises less than any other.
            Some(origin) if origin.ty == TypeId::of::<T>() => unsafe { Place::new(origin.pointer.cast()) },
            _ => Place::<T, Read>::from_ref(this),
        }
    }
}

impl<'k, T: 'static> Place<'k, T, Write> {
    /// As [`Place::of_receiver`], of `&mut self`.
    #[inline(always)]
    pub fn of_receiver_mut(this: &'k mut T, call: Call<'k>) -> Self {
        match call.origin() {
            // SAFETY: the place is one of a `T`, valid for `'k`, that may be written.
            Some(origin) if origin.writable && origin.ty == TypeId::of::<T>() => unsafe {
                Place::new(origin.pointer.cast())
            },
            _ => Place::<T, Write>::from_mut(this),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{At, Cx, Slice};

    static AT: At = At { file: "kernel.rs", line: 1, column: 1, id: 0 };

    /// Safe code can combine any call with any reference.
    #[test]
    fn a_call_gives_places_of_its_type_and_access_only() {
        let mut values = [1u32, 2];
        let (mut other, mut another) = (7u32, 1.0f32);
        Cx::host(|cx| {
            let place = Slice::<u32, Write>::from_host_mut(&mut values).at_mut(cx, 1, &AT);
            let receiver = place.receiver();
            let call = receiver.called(cx.call(&AT));
            Place::of_receiver_mut(&mut other, call).set(9);
            assert_eq!(Place::of_receiver(&other, call).get(), 9);
            Place::of_receiver_mut(&mut another, call).set(2.0);
            let receiver = place.read().receiver();
            let call = receiver.called(cx.call(&AT));
            assert_eq!(Place::of_receiver(&other, call).get(), 9);
            Place::of_receiver_mut(&mut other, call).set(5);
            let next = other + 1;
            Place::of_receiver_mut(&mut other, cx.call(&AT)).set(next);
        });
        assert_eq!((values, other, another), ([1, 9], 6, 2.0));
    }

    #[test]
    fn a_receiver_by_value_is_read_where_it_is_dereferenced() {
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
