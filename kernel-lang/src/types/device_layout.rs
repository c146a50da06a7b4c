//! Projections of types to themselves, by which a type that lacks its derive is reported once.
//!
//! The variables of the parameters have their types by such a projection. If the type lacks its derive, it is an error where the
//! parameter is declared, and the variable's type stays unknown, so that rustc says nothing about what the body does with it.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::any::{Any, TypeId};

/// A type that a body can have values of. It is implemented for each type separately: rustc would select a blanket implementation for
/// any type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used on a device",
    label = "not supported on a device",
    note = "why: the device compiler must know the layout of each type, which the host and the device share",
    note = "help: use numbers, `bool`, tuples and arrays of them, slices, or a type with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub trait HasDeviceLayout {
    /// `Self`
    type This;
}

/// Implements [`HasDeviceLayout`] for types with generic parameters in brackets.
macro_rules! has_device_layout {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::types::HasDeviceLayout for $ty {
            type This = Self;
        }
    )*};
}

pub(crate) use has_device_layout;

/// Returns the value of a parameter for its variable, which has the same type. rustc does not infer the one from the other.
#[inline(always)]
pub fn declared<T: 'static, U: 'static>(value: T) -> U {
    let mut value = Some(value);
    let same = (&mut value as &mut dyn Any).downcast_mut::<Option<U>>();
    same.and_then(Option::take).expect("a variable has the type of its parameter")
}

/// Returns a copy of a field of type `T`. `C` is the same type by a projection, and `U` by the declaration of the field: rustc does not
/// infer the one from the other, so that it does not report that a type which lacks its derive is not `Copy`.
#[inline(always)]
pub fn copied<T: 'static, C: Copy + 'static, U: 'static>(value: &T) -> U {
    let value = (value as &dyn Any).downcast_ref::<C>().expect("a field has the type of its declaration");
    declared(*value)
}

/// Panics unless the types are the same, which the expansion of a kernel guarantees.
#[inline(always)]
pub(crate) fn assert_same<T: 'static, U: 'static>() {
    assert!(TypeId::of::<T>() == TypeId::of::<U>(), "a variable has the type of its parameter");
}
