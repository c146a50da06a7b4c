//! Implementation of the element traits for vectors.
//!
//! `#[derive(DeviceType)]` would include the zero-sized alignment field in the device type.

use std::mem::offset_of;

use cumbia_kernel_lang::__private::{
    BuiltIn, ConstantType, HasDeviceLayout, Operator, Repr, VariableType, ir, op, structure,
};
use cumbia_kernel_lang::{Components, DeviceType};

use super::{Component, Vec2, Vec3, Vec4};

/// Implements the traits for a vector with these components.
macro_rules! elements {
    ($($name:ident [$($field:ident)*];)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Component> HasDeviceLayout for $name<T> {
            type This = Self;
        }

        impl<T: Component> VariableType for $name<T> {
            type Repr = Self;

            fn sample(_variant: usize) -> Option<Self> {
                Some(Self::__placeholder())
            }
        }

        impl<T: Component> Repr for $name<T> {
            fn ty() -> ir::Type {
                structure::<Self>(
                    stringify!($name),
                    &[$((stringify!($field), <T::Held as Repr>::ty, offset_of!(Self, $field))),*],
                )
            }
        }

        impl<T: Component> ConstantType for $name<T> {
            type Repr = Self;
            type Value = Self;

            fn value(self) -> Self {
                self
            }
        }

        // `PartialEq` is derived, and the components are numbers.
        impl<T: Component> Operator<op::Eq, $name<T>> for $name<T> {
            type Key = BuiltIn;
        }

        // SAFETY: each component is loaded and stored as a number at its own address; the remaining field is
        // zero-sized. `ty` describes rustc's layout of the components.
        unsafe impl<T: Component> DeviceType for $name<T> {
            type Held = Self;

            const ANY_BITS: bool = T::ANY_BITS;

            #[inline(always)]
            unsafe fn __load(place: *mut Self) -> Self {
                // SAFETY: the caller's guarantee for the vector holds for its components.
                unsafe { $name { $($field: T::__load(&raw mut (*place).$field),)* call_new_instead: [] } }
            }

            #[inline(always)]
            unsafe fn __store(place: *mut Self, value: Self) {
                // SAFETY: as above.
                unsafe {
                    $(T::__store(&raw mut (*place).$field, value.$field);)*
                }
            }

            #[inline(always)]
            fn __placeholder() -> Self {
                $name { $($field: T::__placeholder(),)* call_new_instead: [] }
            }

            fn __constant(&self) -> ir::ConstantValue {
                ir::ConstantValue::Parts(vec![$(self.$field.__constant()),*])
            }
        }

        // SAFETY: the components are contiguous from the start (`repr(C)`), and their sizes add up to that of the
        // vector, which `component.rs` tests for each scalar type; the alignment field is zero-sized.
        unsafe impl<T: Component> Components for $name<T> {
            type Component = T;
        }
    )*};
}

elements! {
    Vec2 [x y];
    Vec3 [x y z];
    Vec4 [x y z w];
}
