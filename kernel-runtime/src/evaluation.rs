//! Which side of `place += value` is evaluated first.
//!
//! Of numbers Rust evaluates the value first, and of types with a function behind the operator the place. Which of the two it
//! is, rustc decides where it checks a body: a type parameter is of the second kind, whatever it stands for later. Where
//! that can be seen, because both sides have effects, the body asks in the same way: rustc finds the method of the slot
//! itself where the type is known to be a number, and that of [`AnyOrder`] where it is not.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::marker::PhantomData;

use cumbia_kernel_ir::ir::{Constant, ConstantValue, Type};

use crate::slot::{Content, Slot, Slots};

/// An order of evaluation.
pub trait Order {
    /// The place is evaluated before the value.
    const PLACE_FIRST: bool;
}

/// That of numbers.
pub struct ValueFirst;

/// That of functions.
pub struct PlaceFirst;

impl Order for ValueFirst {
    const PLACE_FIRST: bool = false;
}

impl Order for PlaceFirst {
    const PLACE_FIRST: bool = true;
}

/// The types with operators of Rust's own.
pub trait Primitive {}

macro_rules! primitive {
    ($($ty:ident)*) => {
        $(impl Primitive for $ty {})*
    };
}

primitive!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

/// The content of the slot of an assignment whose order shows: the type of the place, and the order.
pub struct OrderOf<T, O>(PhantomData<fn() -> (T, O)>);

impl<T, O> Slot<OrderOf<T, O>> {
    /// Learns the type of the place.
    #[inline(always)]
    pub fn place(&self, _: &T) {}

    /// Learns the order, and gives whether the place comes first.
    #[inline(always)]
    pub fn place_first(&self, _order: O) -> bool
    where
        O: Order,
    {
        O::PLACE_FIRST
    }
}

impl<T: Primitive, O> Slot<OrderOf<T, O>> {
    /// The order where the place holds a number.
    #[inline(always)]
    pub fn order(&self) -> ValueFirst {
        ValueFirst
    }
}

/// The order of all other places.
pub trait AnyOrder {
    /// The order.
    #[inline(always)]
    fn order(&self) -> PlaceFirst {
        PlaceFirst
    }
}

impl<T, O> AnyOrder for Slot<OrderOf<T, O>> {}

impl<T, O: Order> Slots for Slot<OrderOf<T, O>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        let value = ConstantValue::Bits(O::PLACE_FIRST.into());
        into.push(Content::Constant(Constant { ty: Type::BOOL, value }));
    }
}
