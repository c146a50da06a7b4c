//! Evaluation order of compound assignments: which operand of `place += value` is evaluated first.
//!
//! For primitive types Rust evaluates the value first, and for types with an operator function the place. rustc decides
//! which case applies where it type-checks a body: a type parameter is of the second kind, whatever it is instantiated
//! with. If the order is observable, because both operands have side effects, the body makes the same decision by
//! method resolution: rustc finds the inherent method of the slot if the type is known to be primitive, and otherwise
//! that of [`FallbackOrder`].

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::marker::PhantomData;

use cumbia_kernel_ir::{Constant, ConstantValue, Type};

use crate::definition::Content;
use crate::slot::{Slot, Slots};

/// An evaluation order.
pub trait EvaluationOrder {
    /// Whether the place is evaluated before the value.
    const PLACE_FIRST: bool;
}

/// The order of primitive operators.
pub struct ValueFirst;

/// The order of operator functions.
pub struct PlaceFirst;

impl EvaluationOrder for ValueFirst {
    const PLACE_FIRST: bool = false;
}

impl EvaluationOrder for PlaceFirst {
    const PLACE_FIRST: bool = true;
}

/// The types with operators that are built into Rust.
pub trait Primitive {}

macro_rules! primitive {
    ($($ty:ident)*) => {
        $(impl Primitive for $ty {})*
    };
}

primitive!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

/// The content of the slot of an assignment with an observable order: the type of the place, and the order.
pub struct OrderOf<T, O>(PhantomData<fn() -> (T, O)>);

impl<T, O> Slot<OrderOf<T, O>> {
    /// Infers the type of the place.
    #[inline(always)]
    pub fn place(&self, _: &T) {}

    /// Infers the order. Returns whether the place is evaluated first.
    #[inline(always)]
    pub fn place_first(&self, _order: O) -> bool
    where
        O: EvaluationOrder,
    {
        O::PLACE_FIRST
    }
}

impl<T: Primitive, O> Slot<OrderOf<T, O>> {
    /// Returns the order for a place of a primitive type.
    #[inline(always)]
    pub fn order(&self) -> ValueFirst {
        ValueFirst
    }
}

/// The order for all other places.
pub trait FallbackOrder {
    /// Returns the order.
    #[inline(always)]
    fn order(&self) -> PlaceFirst {
        PlaceFirst
    }
}

impl<T, O> FallbackOrder for Slot<OrderOf<T, O>> {}

impl<T, O: EvaluationOrder> Slots for Slot<OrderOf<T, O>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        let value = ConstantValue::Bits(O::PLACE_FIRST.into());
        into.push(Content::Constant(Constant { ty: Type::BOOL, value }));
    }
}
