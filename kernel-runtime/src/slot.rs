//! Slots: how rustc hands its types to the compiler.
//!
//! `#[kernel]` emits the user's body once, for the CPU, and lets values pass through slots. A slot does nothing at
//! run time; its *type* ends up holding what rustc inferred, and the body returns its slots, so that
//! [`contents_of`] can read them off the body's return type without ever calling it.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::any::Any;
use std::marker::PhantomData;

use cumbia_kernel_ir::ir;

use crate::kernel::{Callee, CalleeKey as _};
use crate::types::{DeviceType, Element, Repr};

/// A gap in the IR, typed by what belongs there.
pub struct Slot<R>(PhantomData<fn() -> R>);

impl<R> Slot<R> {
    #[inline(always)]
    #[allow(clippy::new_without_default, reason = "only the macro makes slots")]
    pub const fn new() -> Self {
        Slot(PhantomData)
    }

    /// Learns the type of a variable.
    #[inline(always)]
    pub fn is<T: DeviceType<Repr = R>>(&self, _: &T) {}

    /// Learns the type of a parameter that is no slice, or of a device function's result.
    #[inline(always)]
    pub fn scalar<T: Element<Held = R>>(&self, _: &T) {}

    /// Learns the type of the value that passes through.
    #[inline(always)]
    pub fn tap<T: DeviceType<Repr = R>>(&self, value: T) -> T {
        value
    }
}

/// The content of a callee's slot: what is called, and a closure without captures that gives the content.
pub struct CalleeOf<C, G>(PhantomData<fn() -> (C, G)>);

impl<C, G> Slot<CalleeOf<C, G>> {
    /// Learns what is called. `_give` calls [`give`], whose bound rustc checks where the macro writes the call: at the
    /// callee's name, and not once more where the slots are collected.
    #[inline(always)]
    pub fn callee(&self, callee: C, _give: G) -> C::This
    where
        C: Callee,
        G: Fn(PhantomData<C>) -> Content + Copy,
    {
        callee.this()
    }
}

/// The content of the slot of a call to `C`.
pub fn give<C: Callee>(_: PhantomData<C>) -> Content {
    C::Key::content()
}

/// The content of a constant's slot: a closure without captures that gives it.
pub struct ConstantOf<F, T, R>(PhantomData<F>, PhantomData<T>, PhantomData<R>);

impl<F, T, R> Slot<ConstantOf<F, T, R>> {
    /// Learns the closure that gives a constant, and gives the constant.
    #[inline(always)]
    pub fn constant(&self, value: F) -> T::Value
    where
        T: ConstantType<Repr = R>,
        F: Fn() -> T + Copy,
    {
        T::value(value())
    }
}

/// What a `const`, an associated constant or a const generic can be in a kernel: the types that are [`Element`]s, each
/// with an implementation of its own. One for all elements would be found for every type, and fail a second time where
/// the constant is used.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as a value in a kernel",
    label = "not a number or `bool`",
    note = "why: a name that is not a variable of the kernel is a constant, and is copied into the device code",
    note = "help: use a constant number, or call a `#[device]` function"
)]
pub trait ConstantType: Copy {
    type Repr;
    /// `Self`. Where the trait is not implemented this has no meaning either, so that the mistake is reported once.
    type Value;
    fn value(self) -> Self::Value;
}

/// What a slot holds.
pub enum Content {
    Type(ir::Type),
    Constant(ir::Constant),
    Intrinsic(ir::Intrinsic),
    Function(crate::kernel::Definition),
}

/// Slots, in order: one, or a pair of trees.
#[diagnostic::on_unimplemented(
    message = "a type in this kernel could not be made out",
    note = "help: annotate the variable: `let x: f32 = ..`"
)]
pub trait Slots {
    fn collect(into: &mut Vec<Content>);
}

impl<R: Repr> Slots for Slot<R> {
    fn collect(into: &mut Vec<Content>) {
        into.push(Content::Type(R::ty()));
    }
}

impl<C, G: Fn(PhantomData<C>) -> Content + Copy> Slots for Slot<CalleeOf<C, G>> {
    fn collect(into: &mut Vec<Content>) {
        into.push(instance_of::<G>()(PhantomData));
    }
}

impl<F: Fn() -> T + Copy, T: 'static, R> Slots for Slot<ConstantOf<F, T, R>> {
    fn collect(into: &mut Vec<Content>) {
        into.push(Content::Constant(bits_of(&instance_of::<F>()())));
    }
}

/// A closure without captures, out of its type.
fn instance_of<F: Copy>() -> F {
    const {
        assert!(size_of::<F>() == 0, "a constant of a kernel cannot depend on its variables");
    }
    // SAFETY: `F` has no size, so a dangling pointer that is aligned is valid to read it from. It is inhabited: the only
    // ways to a `ConstantOf<F, ..>` and a `CalleeOf<_, F>` are the methods of their slots, whose arguments come from closure
    // expressions, and a closure of size 0 captures nothing whose invariants could matter.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// The scalar and bits of a constant.
fn bits_of(value: &dyn Any) -> ir::Constant {
    /// The constant, if `value` is an `E`.
    fn of<E: Element>(value: &dyn Any) -> Option<ir::Constant> {
        let value = value.downcast_ref::<E>()?;
        Some(ir::Constant { scalar: E::SCALAR, bits: value.to_bits64() })
    }
    of::<bool>(value)
        .or_else(|| of::<i8>(value))
        .or_else(|| of::<i16>(value))
        .or_else(|| of::<i32>(value))
        .or_else(|| of::<i64>(value))
        .or_else(|| of::<isize>(value))
        .or_else(|| of::<u8>(value))
        .or_else(|| of::<u16>(value))
        .or_else(|| of::<u32>(value))
        .or_else(|| of::<u64>(value))
        .or_else(|| of::<usize>(value))
        .or_else(|| of::<f32>(value))
        .or_else(|| of::<f64>(value))
        .expect("`ConstantType` is implemented for exactly these types, which `Element` being sealed ensures")
}

impl Slots for () {
    fn collect(_: &mut Vec<Content>) {}
}

impl<A: Slots, B: Slots> Slots for (A, B) {
    fn collect(into: &mut Vec<Content>) {
        A::collect(into);
        B::collect(into);
    }
}

/// What the slots of `body` hold. `body` is not called.
pub fn contents_of<C, A, V, S: Slots>(_body: fn(C, A) -> (V, S)) -> Vec<Content> {
    let mut contents = Vec::new();
    S::collect(&mut contents);
    contents
}
