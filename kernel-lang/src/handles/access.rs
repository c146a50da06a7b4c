//! Access modes of slices and views: read-only and mutable, as type parameters.
//!
//! `DeviceSlice<'_, T>` is `DeviceSlice<'_, T, Read>`, and `DeviceSliceMut<'_, T>` is `DeviceSlice<'_, T, Write>`; likewise
//! for views. Code that is generic over both bounds the mode by [`Access`]:
//!
//! ```
//! use cumbia::DeviceSlice;
//! use cumbia::access::Access;
//! use cumbia::prelude::*;
//!
//! /// Returns the first element.
//! fn first<M: Access>(x: &DeviceSlice<'_, f32, M>) -> cumbia::Result<f32> {
//!     Ok(x.to_host()?[0])
//! }
//! # fn main() -> cumbia::Result<()> {
//! let mut x = Device::cpu().to_device(&[1.0, 2.0])?;
//! assert_eq!(first(&x.slice_mut(1..)?)?, 2.0);
//! assert_eq!(first(&x.slice(..)?)?, 1.0);
//! # Ok(())
//! # }
//! ```

/// The access mode of a slice or a view, as a type: [`Read`] or [`Write`]. The trait is sealed.
pub trait Access: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Whether the place was borrowed mutably.
    #[doc(hidden)]
    const MUTABLE: bool;

    /// The Rust reference of this access mode: `&T` or `&mut T`.
    type Reference<'r, T: 'r>;

    /// Reborrows a value with this access mode.
    fn reborrow<T>(value: &mut T) -> Self::Reference<'_, T>;
}

mod sealed {
    /// Seals [`super::Access`].
    pub trait Sealed {}

    impl Sealed for super::Read {}
    impl Sealed for super::Write {}
}

/// The access mode of `&[T]` and `&T`.
#[derive(Clone, Copy, Debug)]
pub struct Read;

/// The access mode of `&mut [T]` and `&mut T`, and of shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl Access for Read {
    const MUTABLE: bool = false;
    type Reference<'r, T: 'r> = &'r T;

    #[inline(always)]
    fn reborrow<T>(value: &mut T) -> &T {
        value
    }
}

impl Access for Write {
    const MUTABLE: bool = true;
    type Reference<'r, T: 'r> = &'r mut T;

    #[inline(always)]
    fn reborrow<T>(value: &mut T) -> &mut T {
        value
    }
}

/// The access mode that an assignment requires of its target.
#[diagnostic::on_unimplemented(
    message = "cannot assign through a `&[_]` or `&_`",
    label = "this is read-only",
    note = "why: device code must not write through a shared reference",
    note = "help: make the parameter a `&mut [_]` or `&mut _`; of a view take `row_mut`, `column_mut` or `plane_mut`"
)]
pub trait Writable: Access {}

impl Writable for Write {}
