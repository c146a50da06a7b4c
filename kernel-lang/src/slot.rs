//! Slots: the transfer of types inferred by rustc to the compiler.
//!
//! `#[kernel]` emits the user's body once, for the CPU, and passes values through slots. A slot does nothing at run
//! time; rustc's type inference fills in its *type*, and the body returns its slots, so that [`contents_of`] can read
//! them from the body's return type without calling it.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::marker::PhantomData;

use cumbia_kernel_ir as ir;

use crate::definition::{CalleeKey, Content, DeviceFunction, MethodResult};
use crate::handles::{Handle, Write};
use crate::operator::{Applied, AppliedEqual, AppliedOrdered};
use crate::types::{ConstantType, DeviceType, Repr, Valued, VariableType};

/// A hole in the IR, whose type parameter is inferred as the missing type.
///
/// The macro makes slots by the literal of the struct. A constructor would be one more function for each slot of each instance of
/// a generic kernel: of those there are so many that they determine how long a program compiles.
pub struct Slot<R> {
    #[doc(hidden)]
    pub of: Types<R>,
}

// The methods take a slot by value, which is rustc's first candidate in method resolution: a blanket trait of the
// user's with a method such as `tap` never takes precedence.
impl<R> Clone for Slot<R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Slot<R> {}

impl<R> Slot<R> {
    /// Returns the slot. If `T` is unknown, because a type lacks its derive, which is reported, the type of the result is unknown as
    /// well, and rustc reports nothing about what is passed to it.
    #[inline(always)]
    pub fn given<T: Given>(self) -> T::Same<Self> {
        T::same(self)
    }

    /// Infers the type of a variable.
    #[inline(always)]
    pub fn is<T: VariableType<Repr = R>>(self, _: &T) {}

    /// Infers the type of a kernel parameter that is passed by value.
    #[inline(always)]
    pub fn element<T: DeviceType<Held = R>>(self, _: &T) {}

    /// Infers the type of a borrowed constant, and returns the reference.
    #[inline(always)]
    pub fn shared<T: VariableType<Repr = R>>(self, value: &T) -> &T {
        value
    }

    /// Infers the type of the value, and returns it in a tuple: rustc checks the base of a field without the type that is expected of
    /// it, so that a mismatch is an error of the value, and none of this call.
    #[inline(always)]
    pub fn value<T: VariableType<Repr = R>>(self, value: T) -> (T,) {
        (value,)
    }

    /// Infers the type of the value, and returns it.
    #[inline(always)]
    pub fn tap<T: VariableType<Repr = R>>(self, value: T) -> T {
        value
    }
}

/// A projection of a slot to itself that depends on a type, for [`Slot::given`].
pub trait Given {
    /// `S`
    type Same<S>;

    /// Returns the slot.
    fn same<S>(slot: S) -> Self::Same<S>;
}

impl<T> Given for T {
    type Same<S> = S;

    #[inline(always)]
    fn same<S>(slot: S) -> S {
        slot
    }
}

/// The content of a callee's slot: the callee, and a non-capturing closure that returns the content.
pub struct CalleeOf<C, G>(PhantomData<fn() -> (C, G)>);

impl<C, G> Slot<CalleeOf<C, G>> {
    /// Infers the callee. `_content` calls [`callee_content`], whose bound rustc checks where the macro emits the call:
    /// at the callee's name, and not a second time where the slots are collected.
    #[inline(always)]
    pub fn callee(self, callee: C, _content: G) -> C::This
    where
        C: DeviceFunction,
        G: Fn(PhantomData<C>) -> Content + Copy,
    {
        callee.this()
    }
}

/// Returns the slot content of a call to `C`.
pub fn callee_content<C: DeviceFunction>(_: PhantomData<C>) -> Content {
    C::Key::content()
}

/// The content of a constant's slot: a non-capturing closure that returns the constant.
pub struct ConstantOf<F, T, R>(PhantomData<F>, PhantomData<T>, PhantomData<R>);

impl<F, T, R> Slot<ConstantOf<F, T, R>> {
    /// Infers the closure's type, and returns the constant.
    #[inline(always)]
    pub fn constant(self, value: F) -> T::Value
    where
        T: ConstantType<Repr = R>,
        F: Fn() -> T + Copy,
    {
        T::value(value())
    }

    /// As [`Slot::constant`], for a constant that is borrowed: rustc promotes `&CONSTANT` to a static.
    #[inline(always)]
    pub fn promoted(self, _value: F, borrowed: &T) -> &T
    where
        T: ConstantType<Repr = R>,
        F: Fn() -> T + Copy,
    {
        borrowed
    }

    /// As [`Slot::constant`], for a constant whose type may be inferred from its use: a literal in `const { .. }`.
    #[inline(always)]
    pub fn computed(self, value: F) -> T
    where
        T: ConstantType<Repr = R>,
        F: Fn() -> T + Copy,
    {
        value()
    }
}

/// The content of a variant's slot: a non-capturing closure that matches a value against the path, and [`variant_content`].
pub struct VariantOf<T, F, G>(Types<(T, F, G)>);

impl<T, F, G> Slot<VariantOf<T, F, G>> {
    /// Infers the type of the value and the closure, and returns the value. As for [`Slot::callee`], rustc checks the bound of
    /// `_content` where the macro emits the call, and not a second time where the slots are collected.
    #[inline(always)]
    pub fn variant(self, value: T, _is: F, _content: G) -> T
    where
        F: Fn(&T) -> bool + Copy,
        G: Fn(&dyn Fn(&T) -> bool) -> Content + Copy,
    {
        value
    }
}

/// The content of the slot of a constant in a pattern: two closures without captures, which return the constant and the content.
pub struct MatchedOf<T, F, G>(Types<(T, F, G)>);

impl<T, F, G> Slot<MatchedOf<T, F, G>> {
    /// Infers the types of the closures: see [`crate::matched`].
    #[inline(always)]
    pub fn matched(self, _value: F, _content: G)
    where
        F: Fn() -> T + Copy,
        G: Fn(&T) -> Content + Copy,
    {
    }
}

/// Returns the slot content for a value of type `T`: the type, and the name of the variant for which `is` holds, found by a
/// sample of each variant.
pub fn variant_content<T: VariableType>(is: &dyn Fn(&T) -> bool) -> Content {
    let ty = T::Repr::ty();
    let of_enum = match &ty {
        ir::Type::Enum(of_enum) => Some(of_enum),
        ty => ty.tag(),
    };
    let name = of_enum.and_then(|of_enum| {
        let is_sampled = |position: &usize| T::sample(*position).is_some_and(|sample| is(&sample));
        let position = (0..of_enum.variants.len()).find(is_sampled)?;
        Some(of_enum.variants[position].name.clone())
    });
    Content::Variant(ty, name)
}

/// The content of a method call's slot: the key of the method that rustc resolved.
pub struct KeyOf<K>(PhantomData<fn() -> K>);

impl<K> Slot<KeyOf<K>> {
    /// Infers the called method, and returns its result.
    #[inline(always)]
    pub fn method<R: MethodResult<Key = K>>(self, result: R) -> R::Value {
        result.value()
    }
}

/// A marker for types without values.
pub type Types<T> = PhantomData<fn() -> T>;

/// The content of an operator's slot: the types of its operands, and its key.
pub struct OperatorOf<L, R, K>(Types<(L, R, K)>);

impl<L, R, K> Slot<OperatorOf<L, R, K>> {
    /// Infers the type of the left operand, and returns it in a tuple, for the reason of [`Slot::value`].
    #[inline(always)]
    pub fn left(self, left: L) -> (L,) {
        (left,)
    }

    /// Infers the type of the place of a compound assignment, such as `x += 1`.
    #[inline(always)]
    pub fn target(self, _: &L) {}

    /// As [`left`](Self::left), for the right operand.
    #[inline(always)]
    pub fn right(self, right: R) -> (R,) {
        (right,)
    }

    /// Wraps the result. The bounds on the operands are those of [`ResultOf::of`], which rustc checks after it has
    /// resolved the operator: so an operator that does not exist is reported once.
    #[inline(always)]
    pub fn result<T>(self, value: T) -> ResultOf<L, R, T, K> {
        ResultOf { value, operands: PhantomData }
    }
}

impl<L, R, K> Slot<OperatorOf<L, R, K>> {
    /// Wraps a compound assignment to a place in memory, and its operand. As for [`Slot::result`], the bounds are those
    /// of [`AssignmentOf::of`]; `assign` applies Rust's own operator.
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
    /// As [`left`](Self::left), for the operand of a unary operator.
    #[inline(always)]
    pub fn operand(self, operand: L) -> (L,) {
        (operand,)
    }
}

/// The result of an operator, before its bounds are checked.
pub struct ResultOf<L, R, T, K> {
    value: T,
    operands: Types<(L, R, K)>,
}

impl<L, R, T, K> ResultOf<L, R, T, K> {
    /// Returns the result, if the device has the operator. The operator is an explicit argument: of an unknown one rustc assumes that of a
    /// bound, as in `T: Number + PartialOrd`.
    #[inline(always)]
    pub fn of<O>(self) -> T
    where
        L: Applied<O, R, T, Key = K>,
    {
        self.value
    }

    /// Returns the result of `==` or `!=`, if the device has it.
    #[inline(always)]
    pub fn equal(self) -> T
    where
        L: AppliedEqual<R, T, K>,
    {
        self.value
    }

    /// Returns the result of `<` or another order comparison, if the device has it.
    #[inline(always)]
    pub fn ordered(self) -> T
    where
        L: AppliedOrdered<R, T, K>,
    {
        self.value
    }
}

/// A compound assignment, before its bounds are checked.
pub struct AssignmentOf<H, R, T, F, K> {
    place: H,
    right: R,
    assign: F,
    result: Types<(T, K)>,
}

impl<H, R, T, F, K> AssignmentOf<H, R, T, F, K> {
    /// Carries out the assignment, if the device has the operator.
    #[inline(always)]
    pub fn of<'k, O>(self)
    where
        H: Handle<'k, Access = Write>,
        F: FnOnce(&mut H::Value, R) -> T,
        H::Value: Applied<O, R, T, Key = K>,
    {
        let assign = self.assign;
        H::Value::assign(self.place, self.right, |value, right| {
            assign(value, right);
        });
    }
}

/// Slots, in order: a single one, or a tree of tuples.
///
/// The implementations for types are not inlined: they run once per kernel, and inlined into the function that collects all slots
/// of a kernel they would be compiled once per slot, not once per type.
#[diagnostic::on_unimplemented(
    message = "a type in this function could not be inferred",
    note = "help: annotate the variable: `let x: f32 = ..`"
)]
pub trait Slots {
    /// Appends the contents of the slots.
    ///
    /// # Safety
    ///
    /// The closures in the slots must capture nothing: they are created from their types.
    unsafe fn collect(into: &mut Vec<Content>);
}

/// A value of a type without a size.
union Instance<F: Copy> {
    nothing: (),
    of: F,
}

/// Creates a non-capturing closure from its type `F: Copy`. This is a macro for the reason for which slots have no constructor.
///
/// # Safety
///
/// `F` must capture nothing: a closure of size 0 may still have captured a value of an uninhabited or unconstructible
/// type.
macro_rules! instance_of {
    ($F:ident) => {{
        const {
            assert!(size_of::<$F>() == 0, "a constant of a kernel cannot depend on its variables");
        }
        // `F` has no size, so that any union with it contains one. It captures nothing, so that it contains no value that could
        // not have been constructed.
        Instance::<$F> { nothing: () }.of
    }};
}

/// Appends a content. The functions that are called for each slot contain nothing that does not depend on its type.
fn add(into: &mut Vec<Content>, content: Content) {
    into.push(content);
}

/// Appends a constant.
fn add_constant<R: Valued<T>, T>(into: &mut Vec<Content>, value: &T) {
    add(into, Content::Constant(ir::Constant { ty: R::ty(), value: R::of(value) }));
}

impl<R: Repr> Slots for Slot<R> {
    #[inline(never)]
    unsafe fn collect(into: &mut Vec<Content>) {
        into.push(Content::Type(R::ty()));
    }
}

impl<C, G: Fn(PhantomData<C>) -> Content + Copy> Slots for Slot<CalleeOf<C, G>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: guaranteed by the caller.
        add(into, unsafe { instance_of!(G) }(PhantomData));
    }
}

impl<F: Fn() -> T + Copy, T, R: Valued<T>> Slots for Slot<ConstantOf<F, T, R>> {
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: guaranteed by the caller.
        add_constant::<R, T>(into, &unsafe { instance_of!(F) }());
    }
}

impl<T, F, G> Slots for Slot<VariantOf<T, F, G>>
where
    F: Fn(&T) -> bool + Copy,
    G: Fn(&dyn Fn(&T) -> bool) -> Content + Copy,
{
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: guaranteed by the caller, for both.
        add(into, unsafe { instance_of!(G)(&instance_of!(F)) });
    }
}

impl<T, F, G> Slots for Slot<MatchedOf<T, F, G>>
where
    F: Fn() -> T + Copy,
    G: Fn(&T) -> Content + Copy,
{
    unsafe fn collect(into: &mut Vec<Content>) {
        // SAFETY: guaranteed by the caller, for both.
        add(into, unsafe { instance_of!(G)(&instance_of!(F)()) });
    }
}

impl<K: CalleeKey> Slots for Slot<KeyOf<K>> {
    #[inline(never)]
    unsafe fn collect(into: &mut Vec<Content>) {
        into.push(K::content());
    }
}

impl<L, R, K: CalleeKey> Slots for Slot<OperatorOf<L, R, K>> {
    #[inline(never)]
    unsafe fn collect(into: &mut Vec<Content>) {
        into.push(K::content().of_operator());
    }
}

/// The check, at compile time, that a closure captures something. It rejects a closure that captures nothing: the
/// variable that it names resolves to an item instead.
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
/// Without a constant of this name, the variable is captured:
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
pub struct Captured<F>(PhantomData<fn() -> F>);

impl<F> Captured<F> {
    /// The check of a closure that is not known yet.
    #[inline(always)]
    #[allow(clippy::new_without_default, reason = "only the macro makes checks")]
    pub const fn new() -> Self {
        Captured(PhantomData)
    }

    /// Infers the closure. The call is unreachable, so that its borrow of the variable conflicts with no other.
    #[inline(always)]
    pub fn by(&self, _: F)
    where
        F: Fn(),
    {
    }

    /// Carries out the check.
    #[inline(always)]
    pub fn check(self) {
        const {
            assert!(size_of::<F>() != 0, "a glob import hides a variable: import by name what is needed");
        }
    }
}

impl Slots for () {
    unsafe fn collect(_: &mut Vec<Content>) {}
}

/// Implements [`Slots`] for the tuples of at least two of these types.
macro_rules! slots_of_tuples {
    ($last:ident) => {};
    ($first:ident $($rest:ident)+) => {
        impl<$first: Slots, $($rest: Slots),+> Slots for ($first, $($rest),+) {
            unsafe fn collect(into: &mut Vec<Content>) {
                // SAFETY: guaranteed by the caller, for each.
                unsafe {
                    $first::collect(into);
                    $($rest::collect(into);)+
                }
            }
        }

        slots_of_tuples!($($rest)+);
    };
}

slots_of_tuples!(A B C D E F G H I J K L M N O P);

/// Returns the contents of the slots of the function that `body` returns. Neither is called, and rustc compiles neither: a pointer to
/// the function would cost an instance of the body beside those in which it is inlined.
///
/// # Safety
///
/// As for [`Slots::collect`].
#[cold]
pub unsafe fn contents_of<C, A, V, S: Slots>(_body: impl FnOnce() -> fn(C, A) -> (V, S)) -> Vec<Content> {
    let mut contents = Vec::new();
    // SAFETY: guaranteed by the caller.
    unsafe { S::collect(&mut contents) };
    contents
}
