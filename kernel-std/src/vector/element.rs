//! Vectors as elements of memory.
//!
//! `#[derive(DeviceType)]` would count the field that brings the alignment among those of the device.

use std::mem::offset_of;

use cumbia_kernel_runtime::__private::{BuiltIn, ConstantType, Operator, Repr, ir, op, structure};
use cumbia_kernel_runtime::{Components, DeviceType, Element};

use super::{Lane, Vec2, Vec3, Vec4};

/// Implements the traits for a vector with these lanes.
macro_rules! elements {
    ($($name:ident [$($lane:ident)*];)*) => {$(
        impl<T: Lane> DeviceType for $name<T> {
            type Repr = Self;
        }

        impl<T: Lane> Repr for $name<T> {
            fn ty() -> ir::Type {
                structure::<Self>(
                    stringify!($name),
                    &[$((stringify!($lane), <T::Held as Repr>::ty, offset_of!(Self, $lane))),*],
                )
            }
        }

        impl<T: Lane> ConstantType for $name<T> {
            type Repr = Self;
            type Value = Self;

            fn value(self) -> Self {
                self
            }
        }

        // `PartialEq` is derived, and the lanes are numbers.
        impl<T: Lane> Operator<op::Eq, $name<T>> for $name<T> {
            type Key = BuiltIn;
        }

        // SAFETY: each lane is loaded and stored as the number that it is, at its own place; what is left of the value
        // takes no room. `ty` gives rustc's layout of the lanes.
        unsafe impl<T: Lane> Element for $name<T> {
            type Held = Self;

            const ANY_BITS: bool = T::ANY_BITS;

            #[inline(always)]
            unsafe fn load(place: *mut Self) -> Self {
                // SAFETY: the caller's promise for the vector holds for its lanes.
                unsafe { $name { $($lane: T::load(&raw mut (*place).$lane),)* align: [] } }
            }

            #[inline(always)]
            unsafe fn store(place: *mut Self, value: Self) {
                // SAFETY: as above.
                unsafe {
                    $(T::store(&raw mut (*place).$lane, value.$lane);)*
                }
            }

            #[inline(always)]
            fn placeholder() -> Self {
                $name { $($lane: T::placeholder(),)* align: [] }
            }

            fn constant(&self) -> ir::ConstantValue {
                ir::ConstantValue::Parts(vec![$(self.$lane.constant()),*])
            }
        }

        // SAFETY: the lanes follow each other from the start (`repr(C)`), and their sizes add up to that of the vector, which
        // `lane.rs` tests for each number; the field that brings the alignment takes no room.
        unsafe impl<T: Lane> Components for $name<T> {
            type Component = T;
        }
    )*};
}

elements! {
    Vec2 [x y];
    Vec3 [x y z];
    Vec4 [x y z w];
}
