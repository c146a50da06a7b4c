//! Compound types, and the CPU handles of references to memory.

use cumbia_kernel_ir::ir;

use super::{DeviceType, Repr, VariableType};
use crate::cpu::access::Access;
use crate::cpu::{Local, Place, Slice, View};
use crate::dim::Dim3;

impl VariableType for () {
    type Repr = ();
}

impl Repr for () {
    fn ty() -> ir::Type {
        ir::Type::Unit
    }
}

/// Implements the traits for tuples.
macro_rules! tuple {
    ($($part:ident)*) => {
        impl<$($part: VariableType),*> VariableType for ($($part,)*) {
            type Repr = ($($part::Repr,)*);
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
}

impl<T: Repr, const N: usize> Repr for [T; N] {
    fn ty() -> ir::Type {
        ir::Type::Array(Box::new(T::ty()), N as u64)
    }
}

impl VariableType for Dim3 {
    type Repr = Dim3;
}

impl Repr for Dim3 {
    fn ty() -> ir::Type {
        ir::dim3()
    }
}

impl<T: DeviceType, M: Access> VariableType for Slice<'_, T, M> {
    type Repr = Slice<'static, T::Held, M>;
}

impl<T: DeviceType, M: Access> Repr for Slice<'static, T, M> {
    fn ty() -> ir::Type {
        ir::Type::Slice { element: Box::new(T::ty()), mutable: M::MUTABLE }
    }
}

impl<T: DeviceType, M: Access> VariableType for Place<'_, T, M> {
    type Repr = Place<'static, T::Held, M>;
}

impl<T: DeviceType, M: Access> Repr for Place<'static, T, M> {
    fn ty() -> ir::Type {
        ir::Type::Ref { target: Box::new(T::ty()), mutable: M::MUTABLE }
    }
}

/// To the compiler, a reference into a local array is a reference.
impl<T: DeviceType, M: Access> VariableType for Local<'_, T, M> {
    type Repr = Place<'static, T::Held, M>;
}

impl<T: DeviceType, const D: usize, M: Access> VariableType for View<'_, T, D, M> {
    type Repr = View<'static, T::Held, D, M>;
}

impl<T: DeviceType, const D: usize, M: Access> Repr for View<'static, T, D, M> {
    fn ty() -> ir::Type {
        ir::Type::View { element: Box::new(T::ty()), dimensions: D as u8, mutable: M::MUTABLE }
    }
}
