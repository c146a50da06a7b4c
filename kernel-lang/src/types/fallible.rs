//! `Option` and `Result` as types of values: of variables, parameters and results of device functions, but not in memory
//! that the host and the device share, since their layout is unspecified.

use std::marker::PhantomData;

use cumbia_kernel_ir::{ConstantValue, EnumType, Scalar, Type, Variant};

use super::{ConstantType, Repr, Valued, VariableType, has_device_layout};

has_device_layout! {
    [T] Option<T>;
    [T, E] Result<T, E>;
}

impl<T: VariableType> VariableType for Option<T> {
    type Repr = Option<T::Repr>;

    #[inline]
    fn sample(variant: usize) -> Option<Self> {
        if variant == 0 { Some(None) } else { T::sample(0).map(Some) }
    }
}

impl<R: Repr> Repr for Option<R> {
    fn ty() -> Type {
        of_variants("Option", [("None", Type::Unit), ("Some", R::ty())])
    }
}

impl<T: ConstantType> ConstantType for Option<T> {
    type Repr = Option<T::Repr>;
    // Not a projection of `T`, which rustc infers from the use of a `None`.
    type Value = Option<T>;

    #[inline(always)]
    fn value(self) -> Option<T> {
        self
    }
}

impl<T, R: Valued<T>> Valued<Option<T>> for Option<R> {
    fn ty() -> Type {
        of_variants("Option", [("None", Type::Unit), ("Some", R::ty())])
    }

    fn of(value: &Option<T>) -> ConstantValue {
        match value {
            None => variant(0, ConstantValue::Parts(Vec::new())),
            Some(value) => variant(1, R::of(value)),
        }
    }
}

impl<T: VariableType, E: VariableType> VariableType for Result<T, E> {
    type Repr = Result<T::Repr, E::Repr>;

    #[inline]
    fn sample(variant: usize) -> Option<Self> {
        if variant == 0 { T::sample(0).map(Ok) } else { E::sample(0).map(Err) }
    }
}

impl<R: Repr, S: Repr> Repr for Result<R, S> {
    fn ty() -> Type {
        of_variants("Result", [("Ok", R::ty()), ("Err", S::ty())])
    }
}

impl<T: ConstantType, E: ConstantType> ConstantType for Result<T, E> {
    type Repr = Result<T::Repr, E::Repr>;
    type Value = Result<T, E>;

    #[inline(always)]
    fn value(self) -> Result<T, E> {
        self
    }
}

impl<T, E, R: Valued<T>, S: Valued<E>> Valued<Result<T, E>> for Result<R, S> {
    fn ty() -> Type {
        of_variants("Result", [("Ok", R::ty()), ("Err", S::ty())])
    }

    fn of(value: &Result<T, E>) -> ConstantValue {
        match value {
            Ok(value) => variant(0, R::of(value)),
            Err(error) => variant(1, S::of(error)),
        }
    }
}

/// Returns the type of an enum whose variants have the given names and payloads.
fn of_variants(name: &str, variants: [(&str, Type); 2]) -> Type {
    let [first, second] = variants;
    let payloads = [&first, &second].into_iter().filter(|(name, _)| *name != "None");
    let payloads: Vec<String> = payloads.map(|(_, ty)| ty.to_string()).collect();
    let path = format!("{name}<{}>", payloads.join(", "));
    let variant = |name: &str, bits| Variant { name: name.to_owned(), bits };
    let tag = Type::Enum(EnumType {
        name: name.to_owned(),
        path,
        repr: Scalar::U32,
        variants: vec![variant(first.0, 0), variant(second.0, 1)],
        has_data: true,
    });
    Type::Tuple(vec![tag, first.1, second.1])
}

/// Returns the constant of a variant.
fn variant(bits: u64, payload: ConstantValue) -> ConstantValue {
    ConstantValue::Parts(vec![ConstantValue::Bits(bits), payload])
}

/// The operand of `?` and `expect`: an `Option` or a `Result`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an `Option` nor a `Result`",
    label = "neither an `Option` nor a `Result`",
    note = "why: `?` and `expect` evaluate to the payload of `Some` or `Ok`",
    note = "help: remove it, or call a function that returns an `Option` or a `Result`"
)]
pub trait Branch: Sized {
    /// The payload of `Some` or `Ok`.
    type Success;
    /// The payload of `Err`, or `()`.
    type Failure;
    /// `Self`. If the trait is not implemented, this projection is an error type, so that the mistake is reported once.
    type Of;

    /// Separates the variants.
    fn branch(self) -> Branched<Self::Success, Self::Failure, Self::Of>;
}

/// An `Option` or a `Result` of type `B`, by the variants that `?` distinguishes.
pub enum Branched<S, F, B> {
    /// `Some` or `Ok`
    Success(S),
    /// `None` or `Err`
    Failure(F, PhantomData<B>),
}

impl<T> Branch for Option<T> {
    type Success = T;
    type Failure = ();
    type Of = Self;

    #[inline(always)]
    fn branch(self) -> Branched<T, (), Self> {
        match self {
            Some(value) => Branched::Success(value),
            None => Branched::Failure((), PhantomData),
        }
    }
}

impl<T, E> Branch for Result<T, E> {
    type Success = T;
    type Failure = E;
    type Of = Self;

    #[inline(always)]
    fn branch(self) -> Branched<T, E, Self> {
        match self {
            Ok(value) => Branched::Success(value),
            Err(error) => Branched::Failure(error, PhantomData),
        }
    }
}

/// Separates the variants of the operand of `?` or `expect`. The parts are inferred from `B`: if it is neither of the two,
/// rustc reports that alone, and not each projection of it.
#[inline(always)]
pub fn branch<B: Branch<Success = S, Failure = F, Of = O>, S, F, O>(value: B) -> Branched<S, F, O> {
    value.branch()
}

/// The result of a function in which `?` is applied to a value of type `B`, whose `Err` has a payload of type `F`.
#[diagnostic::on_unimplemented(
    message = "`?` on a `{B}` in a function that returns `{Self}`",
    label = "cannot be returned from this function",
    note = "why: `?` returns `None` from a function that returns an `Option`, and `Err(e)` unchanged from one that returns a `Result` with the same error type",
    note = "help: convert the value first: `.ok()?`, `.ok_or(error)?`, or a `match`"
)]
pub trait FromFailure<B, F> {
    /// Returns `None`, or an `Err` with this payload.
    fn from_failure(failure: F) -> Self;
}

impl<T, U> FromFailure<Option<T>, ()> for Option<U> {
    #[inline(always)]
    fn from_failure((): ()) -> Self {
        None
    }
}

impl<T, U, E> FromFailure<Result<T, E>, E> for Result<U, E> {
    #[inline(always)]
    fn from_failure(failure: E) -> Self {
        Err(failure)
    }
}

/// Returns `None`, or an `Err` with this payload.
#[inline(always)]
pub fn from_failure<B, F, R: FromFailure<B, F>>(failure: F, _of: PhantomData<B>) -> R {
    R::from_failure(failure)
}
