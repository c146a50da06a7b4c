//! The types of the handles, as the compiler sees them: references, slices and views.

use cumbia_kernel_ir as ir;

use crate::handles::access::Access;
use crate::handles::local::Local;
use crate::handles::place::PlaceRef;
use crate::handles::slice::Slice;
use crate::handles::view::View;
use crate::types::{DeviceType, Repr, VariableType, has_device_layout};

has_device_layout! {
    [T, M] Slice<'_, T, M>;
    [T, M] PlaceRef<'_, T, M>;
    [T, M] Local<'_, T, M>;
    [T, const D: usize, M] View<'_, T, D, M>;
}

impl<T: DeviceType, M: Access> VariableType for Slice<'_, T, M> {
    type Repr = Slice<'static, T::Held, M>;
}

impl<T: DeviceType, M: Access> Repr for Slice<'static, T, M> {
    fn ty() -> ir::Type {
        ir::Type::Slice { element: Box::new(T::ty()), mutable: M::MUTABLE }
    }
}

impl<T: DeviceType, M: Access> VariableType for PlaceRef<'_, T, M> {
    type Repr = PlaceRef<'static, T::Held, M>;
}

impl<T: DeviceType, M: Access> Repr for PlaceRef<'static, T, M> {
    fn ty() -> ir::Type {
        ir::Type::Ref { target: Box::new(T::ty()), mutable: M::MUTABLE }
    }
}

/// To the compiler, a reference into a local array is a reference.
impl<T: DeviceType, M: Access> VariableType for Local<'_, T, M> {
    type Repr = PlaceRef<'static, T::Held, M>;
}

impl<T: DeviceType, const D: usize, M: Access> VariableType for View<'_, T, D, M> {
    type Repr = View<'static, T::Held, D, M>;
}

impl<T: DeviceType, const D: usize, M: Access> Repr for View<'static, T, D, M> {
    fn ty() -> ir::Type {
        ir::Type::View { element: Box::new(T::ty()), dimensions: D as u8, mutable: M::MUTABLE }
    }
}
