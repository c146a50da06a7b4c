//! Slots: how rustc hands its types to the compiler.
//!
//! `#[kernel]` emits the user's body once, for the CPU, and lets values pass through slots. A slot does nothing at
//! run time; its *type* ends up holding what rustc inferred, and the body returns its slots, so that
//! [`contents_of`] can read them off the body's return type without ever calling it.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::marker::PhantomData;

use cumbia_kernel_ir::ir;

use crate::cpu::{Handle, Write};
use crate::equality::Compound;
use crate::kernel::{Callee, CalleeKey, Definition, MethodResult};
use crate::operator::{Applied, AppliedEqual, AppliedOrdered};
use crate::types::{ConstantType, DeviceType, Element, Repr, Valued};

/// A gap in the IR, typed by what belongs there.
pub struct Slot<R>(PhantomData<fn() -> R>);

// The methods take a slot by value, where rustc looks for methods first: one of a user's trait for all types, such as `tap`, is
// then never found before them.
impl<R> Clone for Slot<R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Slot<R> {}

impl<R> Slot<R> {
    #[inline(always)]
    #[allow(clippy::new_without_default, reason = "only the macro makes slots")]
    pub const fn new() -> Self {
        Slot(PhantomData)
    }

    /// Learns the type of a variable.
    #[inline(always)]
    pub fn is<T: DeviceType<Repr = R>>(self, _: &T) {}

    /// Learns the type of what a kernel takes by value.
    #[inline(always)]
    pub fn element<T: Element<Held = R>>(self, _: &T) {}

    /// Learns the type of the value that passes through.
    #[inline(always)]
    pub fn tap<T: DeviceType<Repr = R>>(self, value: T) -> T {
        value
    }
}

/// The content of a callee's slot: what is called, and a closure without captures that gives the content.
pub struct CalleeOf<C, G>(PhantomData<fn() -> (C, G)>);

impl<C, G> Slot<CalleeOf<C, G>> {
    /// Learns what is called. `_content` calls [`callee_content`], whose bound rustc checks where the macro writes the call: at the
    /// callee's name, and not once more where the slots are collected.
    #[inline(always)]
    pub fn callee(self, callee: C, _content: G) -> C::This
    where
        C: Callee,
        G: Fn(PhantomData<C>) -> Content + Copy,
    {
        callee.this()
    }
}

/// The content of the slot of a call to `C`.
pub fn callee_content<C: Callee>(_: PhantomData<C>) -> Content {
    C::Key::content()
}

/// The content of a constant's slot: a closure without captures that gives it.
pub struct ConstantOf<F, T, R>(PhantomData<F>, PhantomData<T>, PhantomData<R>);

impl<F, T, R> Slot<ConstantOf<F, T, R>> {
    /// Learns the closure that gives a constant, and gives the constant.
    #[inline(always)]
    pub fn constant(self, value: F) -> T::Value
    where
        T: ConstantType<Repr = R>,
        F: Fn() -> T + Copy,
    {
        T::value(value())
    }

    /// As [`Slot::constant`], of a constant whose type may follow from its use: a literal in `const { .. }`.
    #[inline(always)]
    pub fn computed(self, value: F) -> T
    where
        T: ConstantType<Repr = R>,
        F: Fn() -> T + Copy,
    {
        value()
    }
}

/// The content of the slot of a method call: the method that rustc found.
pub struct KeyOf<K>(PhantomData<fn() -> K>);

impl<K> Slot<KeyOf<K>> {
    /// Learns which method was called, and gives its result.
    #[inline(always)]
    pub fn method<R: MethodResult<Key = K>>(self, result: R) -> R::Value {
        result.value()
    }
}

/// Types that nothing holds a value of.
type Types<T> = PhantomData<fn() -> T>;

/// The content of an operator's slot: the types of its operands, and what it is to the compiler.
pub struct OperatorOf<L, R, K>(Types<(L, R, K)>);

impl<L, R, K> Slot<OperatorOf<L, R, K>> {
    /// Learns the type of the left operand.
    #[inline(always)]
    pub fn left(self, left: L) -> L {
        left
    }

    /// Learns the type of the place that is assigned to, as in `x += 1`.
    #[inline(always)]
    pub fn target(self, _: &L) {}

    /// Learns the type of the right operand.
    #[inline(always)]
    pub fn right(self, right: R) -> R {
        right
    }

    /// Takes the result. What is asked of the operands is asked by [`ResultOf::of`], once rustc has found that the operator
    /// exists: so the mistake of one that does not is reported once.
    #[inline(always)]
    pub fn result<T>(self, value: T) -> ResultOf<L, R, T, K> {
        ResultOf { value, operands: PhantomData }
    }
}

impl<L, R, K> Slot<OperatorOf<L, R, K>> {
    /// Takes an operator that assigns to a place in memory, and its operand. As for [`Slot::result`], the rest is asked by
    /// [`AssignmentOf::of`]; `assign` applies Rust's own operator.
    #[inline(always)]
    pub fn assignment<'k, H, T, F>(&self, place: H, right: R, assign: F) -> AssignmentOf<H, R, T, F, K>
    where
        H: Handle<'k, Value = L>,
        F: FnOnce(&mut L, R) -> T,
    {
        AssignmentOf { place, right, assign, result: PhantomData }
    }
}

impl<L, K> Slot<OperatorOf<L, (), K>> {
    /// Learns the type of the only operand.
    #[inline(always)]
    pub fn operand(self, operand: L) -> L {
        operand
    }
}

/// The result of an operator on its way.
pub struct ResultOf<L, R, T, K> {
    value: T,
    operands: Types<(L, R, K)>,
}

impl<L, R, T, K> ResultOf<L, R, T, K> {
    /// The result, if the operator is one that the device has.
    #[inline(always)]
    pub fn of<O>(self, _operator: O) -> T
    where
        L: Applied<O, R, T, Key = K>,
    {
        self.value
    }

    /// The result of `==` or `!=`, if the device has it.
    #[inline(always)]
    pub fn equal(self) -> T
    where
        L: AppliedEqual<R, T, K>,
    {
        self.value
    }

    /// The result of `<` or its like, if the device has it.
    #[inline(always)]
    pub fn ordered(self) -> T
    where
        L: AppliedOrdered<R, T, K>,
    {
        self.value
    }
}

/// An assignment on its way.
pub struct AssignmentOf<H, R, T, F, K> {
    place: H,
    right: R,
    assign: F,
    result: Types<(T, K)>,
}

impl<H, R, T, F, K> AssignmentOf<H, R, T, F, K> {
    /// Assigns, if the operator is one that the device has.
    #[inline(always)]
    pub fn of<'k, O, L>(self, _operator: O)
    where
        H: Handle<'k, Value = L, Access = Write>,
        F: FnOnce(&mut L, R) -> T,
        L: Applied<O, R, T, Key = K>,
    {
        let assign = self.assign;
        L::assign(self.place, self.right, |value, right| {
            assign(value, right);
        });
    }
}

/// What a slot holds.
pub enum Content {
    Type(ir::Type),
    Constant(ir::Constant),
    Intrinsic(ir::Intrinsic),
    Function(Definition),
    Method(ir::Method),
    /// A conversion of the only argument to this type: to the compiler a cast.
    Cast(ir::Scalar),
    Operator(Option<Definition>),
    /// `==` of a compound type whose parts have functions for it.
    Compound(Compound),
}

impl Content {
    /// What the slot of an operator with this key holds.
    pub(crate) fn of_operator(self) -> Content {
        match self {
            Content::Function(definition) => Content::Operator(Some(definition)),
            // What is built in, and keys that no operator has: the compiler refuses those.
            content @ (Content::Operator(_)
            | Content::Compound(_)
            | Content::Type(_)
            | Content::Constant(_)
            | Content::Intrinsic(_)
            | Content::Method(_)
            | Content::Cast(_)) => content,
        }
    }
}

/// Slots, in order: one, or a pair of trees.
#[diagnostic::on_unimplemented(
    message = "a type in this kernel could not be made out",
    note = "help: annotate the variable: `let x: f32 = ..`"
)]
pub trait Slots {
    /// Adds what they hold.
    ///
    /// # Safety
    ///
    /// The closures in the slots capture nothing: they are made out of their types.
    unsafe fn collect(into: &mut Vec<Content>);
}

impl<R: Repr> Slots for Slot<R> {
    unsafe fn collect(into: &mut Vec<Content>) {
        into.push(Content::Type(R::ty()));
    }
}

impl<C, G: Fn(PhantomData<C>) -> Content + Copy> Slots for Slot<CalleeOf<C, G>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: the caller's promise.
        into.push(unsafe { instance_of::<G>() }(PhantomData));
    }
}

impl<F: Fn() -> T + Copy, T, R: Valued<T>> Slots for Slot<ConstantOf<F, T, R>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: the caller's promise.
        let value = R::of(&unsafe { instance_of::<F>() }());
        into.push(Content::Constant(ir::Constant { ty: R::ty(), value }));
    }
}

impl<K: CalleeKey> Slots for Slot<KeyOf<K>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        into.push(K::content());
    }
}

impl<L, R, K: CalleeKey> Slots for Slot<OperatorOf<L, R, K>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        into.push(K::content().of_operator());
    }
}

/// A closure without captures, out of its type.
///
/// # Safety
///
/// `F` captures nothing: one of size 0 may still have captured a value that cannot exist, or cannot be made.
unsafe fn instance_of<F: Copy>() -> F {
    const {
        assert!(size_of::<F>() == 0, "a constant of a kernel cannot depend on its variables");
    }
    // SAFETY: `F` has no size, so a dangling pointer that is aligned is valid to read it from. It captures nothing, so that
    // there is nothing in it that could not be made.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// Refuses a closure that captures nothing, when the program is built: the variable that it names is an item's name there.
///
/// ```compile_fail
/// mod limits {
///     #![allow(non_upper_case_globals)]
///     pub const n: u32 = 5;
/// }
///
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn kernel(n: u32, out: &mut [u32]) {
///     use limits::*;
///     out[0] = n;
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// kernel(3, &mut Device::cpu().zeros(1)?).grid(1).block(1).launch()
/// # }
/// ```
///
/// Without the constant of this name, the variable is found:
///
/// ```
/// mod limits {
///     pub const MOST: u32 = 5;
/// }
///
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn kernel(n: u32, out: &mut [u32]) {
///     use limits::*;
///     out[0] = n + MOST;
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// kernel(3, &mut Device::cpu().zeros(1)?).grid(1).block(1).launch()
/// # }
/// ```
#[inline(always)]
pub fn captured<F: Fn()>(_: F) {
    const {
        assert!(size_of::<F>() != 0, "a glob import hides a variable of the kernel: import by name what is needed");
    }
}

impl Slots for () {
    unsafe fn collect(_: &mut Vec<Content>) {}
}

impl<A: Slots, B: Slots> Slots for (A, B) {
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: the caller's promise, of each.
        unsafe {
            A::collect(into);
            B::collect(into);
        }
    }
}

/// What the slots of `body` hold. `body` is not called.
///
/// # Safety
///
/// As for [`Slots::collect`].
pub unsafe fn contents_of<C, A, V, S: Slots>(_body: fn(C, A) -> (V, S)) -> Vec<Content> {
    let mut contents = Vec::new();
    // SAFETY: the caller's promise.
    unsafe { S::collect(&mut contents) };
    contents
}
