//! The types that a kernel can use, as Rust traits: types of variables, and types of values in memory.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

mod components;
mod compound;
mod constant;
mod derived;
mod element;
mod scalar;

use cumbia_kernel_ir::ir;

pub use components::Components;
pub use constant::ConstantType;
pub use constant::Valued;
pub use derived::{DerivesCopy, bits_of, enumeration, is_tag, load_bits, store_bits, structure};
pub use element::Element;
pub use element::make_valid;
pub use scalar::Scalar;

/// A type that a variable of a kernel can have: numbers, `bool`, structs and enums that derive it, tuples and arrays of
/// them, and slices, references and views of [`Element`]s.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// #[kernel]
/// fn fall(by: f32, particles: &mut [Particle]) {
///     let i = grid(1);
///     if i < particles.len() {
///         particles[i].position[2] -= by;
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let mut particles = Device::cpu().to_device(&[Particle { position: [0.0, 0.0, 5.0], mass: 1.0 }])?;
/// fall(2.0, &mut particles).over(1).launch()?;
/// assert_eq!(particles.to_host()?[0].position, [0.0, 0.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a kernel",
    label = "a GPU thread has no `{Self}`",
    note = "why: a kernel computes with values that fit into registers and device memory",
    note = "help: use numbers, `bool`, tuples and arrays of them, slices, or a type with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub trait DeviceType: Copy {
    /// The compiler's representation of the type. A slot is typed by this rather than by `Self`, so that a type that is
    /// not a [`DeviceType`] is one error and not one for each bound.
    #[doc(hidden)]
    type Repr: Repr;
}

/// The compiler's representation of a type.
#[doc(hidden)]
pub trait Repr: 'static {
    /// Returns the type.
    fn ty() -> ir::Type;
}
