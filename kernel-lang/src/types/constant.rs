//! Types of constants in a kernel, and their values for the compiler.

use std::marker::PhantomData;

use cumbia_kernel_ir::{ConstantValue, Type};

/// A type that a `const`, an associated constant or a const generic can have in a kernel: every
/// [`DeviceType`](super::DeviceType), and arrays and tuples of such types.
///
/// Each type has an implementation of its own. rustc would find a blanket implementation for all elements for every
/// type, and report a second error where the constant is used.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as a value on a device",
    label = "not a device type",
    note = "why: a name from outside the function is compiled into the device code as a constant",
    note = "help: use a constant of numbers, `bool`s or a type with `#[derive(Clone, Copy, DeviceType)]`, or call a `#[device]` function"
)]
pub trait ConstantType: Copy {
    /// The compiler's representation of the constant, as [`VariableType::Repr`](super::VariableType::Repr) is that of a
    /// variable.
    type Repr: Valued<Self>;
    /// `Self`. If the trait is not implemented, this projection is an error type, so that the mistake is reported once.
    type Value;

    /// Returns the constant itself.
    fn value(self) -> Self::Value;
}

/// The compiler's representation of a constant of type `T`.
#[doc(hidden)]
pub trait Valued<T> {
    /// Returns the type.
    fn ty() -> Type;

    /// Returns the value.
    fn of(value: &T) -> ConstantValue;
}

/// The compiler's representation of an array of constants. It is not an array, since arrays of elements are elements.
#[doc(hidden)]
pub struct ArrayOf<R, const N: usize>(PhantomData<fn() -> R>);

impl<T: ConstantType, const N: usize> ConstantType for [T; N] {
    type Repr = ArrayOf<T::Repr, N>;
    type Value = [T::Value; N];

    #[inline(always)]
    fn value(self) -> [T::Value; N] {
        self.map(T::value)
    }
}

impl<T, R: Valued<T>, const N: usize> Valued<[T; N]> for ArrayOf<R, N> {
    fn ty() -> Type {
        Type::Array(Box::new(R::ty()), N as u64)
    }

    fn of(value: &[T; N]) -> ConstantValue {
        ConstantValue::Parts(value.iter().map(R::of).collect())
    }
}

impl ConstantType for () {
    type Repr = ();
    type Value = ();

    #[inline(always)]
    fn value(self) {}
}

impl Valued<()> for () {
    fn ty() -> Type {
        Type::Unit
    }

    fn of((): &()) -> ConstantValue {
        ConstantValue::Parts(Vec::new())
    }
}

/// Implements the traits for tuples, given each part's type, representation and position.
macro_rules! tuple {
    ($($part:ident $repr:ident $position:tt),*) => {
        impl<$($part: ConstantType),*> ConstantType for ($($part,)*) {
            type Repr = ($($part::Repr,)*);
            type Value = ($($part::Value,)*);

            #[inline(always)]
            fn value(self) -> Self::Value {
                ($(self.$position.value(),)*)
            }
        }

        impl<$($part, $repr: Valued<$part>),*> Valued<($($part,)*)> for ($($repr,)*) {
            fn ty() -> Type {
                Type::Tuple(vec![$($repr::ty()),*])
            }

            fn of(value: &($($part,)*)) -> ConstantValue {
                ConstantValue::Parts(vec![$($repr::of(&value.$position)),*])
            }
        }
    };
}

tuple!(A Ra 0);
tuple!(A Ra 0, B Rb 1);
tuple!(A Ra 0, B Rb 1, C Rc 2);
tuple!(A Ra 0, B Rb 1, C Rc 2, D Rd 3);
tuple!(A Ra 0, B Rb 1, C Rc 2, D Rd 3, E Re 4);
tuple!(A Ra 0, B Rb 1, C Rc 2, D Rd 3, E Re 4, F Rf 5);
tuple!(A Ra 0, B Rb 1, C Rc 2, D Rd 3, E Re 4, F Rf 5, G Rg 6);
tuple!(A Ra 0, B Rb 1, C Rc 2, D Rd 3, E Re 4, F Rf 5, G Rg 6, H Rh 7);
