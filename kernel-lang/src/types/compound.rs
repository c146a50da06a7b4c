//! Compound types.

use cumbia_kernel_ir as ir;

use super::{Repr, VariableType, has_device_layout};
use crate::dim::Dim3;

has_device_layout! {
    [] ();
    [T, const N: usize] [T; N];
    [] Dim3;
}

impl VariableType for () {
    type Repr = ();

    #[inline]
    fn sample(_variant: usize) -> Option<Self> {
        Some(())
    }
}

impl Repr for () {
    fn ty() -> ir::Type {
        ir::Type::Unit
    }
}

/// Implements the traits for tuples.
macro_rules! tuple {
    ($($part:ident)*) => {
        has_device_layout!([$($part),*] ($($part,)*););

        impl<$($part: VariableType),*> VariableType for ($($part,)*) {
            type Repr = ($($part::Repr,)*);

            #[inline]
            fn sample(_variant: usize) -> Option<Self> {
                Some(($($part::sample(0)?,)*))
            }
        }

        impl<$($part: Repr),*> Repr for ($($part,)*) {
            fn ty() -> ir::Type {
                ir::Type::Tuple(vec![$($part::ty()),*])
            }
        }
    };
}

tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E F);
tuple!(A B C D E F G);
tuple!(A B C D E F G H);

impl<T: VariableType, const N: usize> VariableType for [T; N] {
    type Repr = [T::Repr; N];

    #[inline]
    fn sample(_variant: usize) -> Option<Self> {
        Some([T::sample(0)?; N])
    }
}

impl<T: Repr, const N: usize> Repr for [T; N] {
    fn ty() -> ir::Type {
        ir::Type::Array(Box::new(T::ty()), N as u64)
    }
}

impl VariableType for Dim3 {
    type Repr = Dim3;

    #[inline]
    fn sample(_variant: usize) -> Option<Self> {
        Some(Dim3::ZERO)
    }
}

impl Repr for Dim3 {
    fn ty() -> ir::Type {
        ir::dim3()
    }
}
