//! The types that a kernel can use, as Rust traits: types of variables, and types of values in memory.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

mod clone;
mod compound;
mod constant;
mod derived;
mod device_layout;
mod device_type;
mod fallible;
mod scalar;

use cumbia_kernel_ir as ir;

pub use clone::CloneMethod;
pub use constant::ConstantType;
pub use constant::Valued;
pub use derived::{
    DeviceCopy, argument_struct, bits_of, data_enumeration, enumeration, is_tag, load_bits, store_bits, structure,
};
pub(crate) use device_layout::assert_same;
pub(crate) use device_layout::has_device_layout;
pub use device_layout::{HasDeviceLayout, copied, declared};
pub use device_type::{DeviceType, assert_zeros, make_valid, require_element};
pub use fallible::{Branch, Branched, FromFailure, branch, from_failure};
pub use scalar::Scalar;

/// A type of variables and expressions in a kernel: every [`DeviceType`], tuples and arrays of such types, and slices,
/// references and views.
///
/// The expansion of a kernel requires it of every slot. Users bound type parameters by [`DeviceType`] alone: the other
/// types here are parts of a signature or of a body, never arguments of a type parameter.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used on a device",
    label = "not supported on a device",
    note = "why: the device compiler must know the layout of each type",
    note = "help: use numbers, `bool`, tuples and arrays of them, slices, or a type with `#[derive(Clone, Copy, DeviceType)]`; a type parameter requires `T: Number` or `T: DeviceType`"
)]
pub trait VariableType: Copy + HasDeviceLayout<This = Self> {
    /// The compiler's representation of the type. A slot is typed by this rather than by `Self`, so that a type that is
    /// not a [`VariableType`] is one error and not one for each bound.
    #[doc(hidden)]
    type Repr: Repr;

    /// Returns an arbitrary value: for an enum, of the variant at this position. `None` if there is no such variant, or
    /// no value that could be made here, such as a reference.
    #[doc(hidden)]
    #[inline]
    fn sample(_variant: usize) -> Option<Self> {
        None
    }
}

/// The compiler's representation of a type.
#[doc(hidden)]
pub trait Repr: 'static {
    /// Returns the type.
    fn ty() -> ir::Type;
}
