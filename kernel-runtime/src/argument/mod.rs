//! Kernel arguments: the types that a kernel's parameters accept, and their binding at a launch.
//!
//! A launch visits its arguments with a [`Visitor`]: [`FastBinder`] on the fast path, [`Binder`] on the slow path.

mod array;
mod binder;
mod compound;
mod fast_binder;
mod host;
mod packed_params;
mod transfer;
mod visitor;

pub use self::array::{ArraySlice, ViewArgument, host_view};
#[cfg(feature = "cudarc")]
pub(crate) use self::array::{ForeignMemory, Location};
pub(crate) use self::binder::{ArgumentFacts, Binder};
pub use self::compound::{
    ArgumentMethod, ByReference, ByValue, HostOf, KernelArgument, Reborrow, Received, ReferenceToField, host_of,
};
pub(crate) use self::fast_binder::{FastBinder, HistoryBuffer, ParamBuffer};
pub use self::host::{HostView, HostViewMut, In, InOut, Out};
pub(crate) use self::packed_params::PackedParams;
pub(crate) use self::transfer::{Transfer, run_in_place, run_with_copies};
pub use self::visitor::Visitor;
use crate::array::view::ArrayView;
use crate::array::{DeviceArray, DeviceSlice};
use crate::handles::access::{Access, Read, Write};
use crate::types::DeviceType;

/// An array that a `&[T]` parameter of a kernel accepts by reference: a [`DeviceArray<T>`], a [`DeviceSlice<T>`], a host array
/// as [`In(&x)`](In()), and with the feature `cudarc` the arrays of that crate.
///
/// The parameter has the type `&impl ReadArgument<Element = T>`, as helpers that launch kernels can have:
///
/// ```
/// use cumbia::prelude::*;
/// use cumbia::{ReadArgument, WriteArgument};
///
/// #[kernel]
/// fn add(x: &[f32], y: &mut [f32]) {
///     let i = grid(1);
///     if i < y.len() {
///         y[i] += x[i];
///     }
/// }
///
/// /// Adds `x` to `y` twice. `y` is reborrowed by each call.
/// fn add_twice(
///     x: &impl ReadArgument<Element = f32>,
///     y: &mut impl WriteArgument<Element = f32>,
///     len: usize,
/// ) -> cumbia::Result<()> {
///     add(x, y).over(len).launch()?;
///     add(x, y).over(len).launch()
/// }
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let (x, mut y) = (device.to_device(&[1.0, 2.0, 3.0])?, device.zeros(3)?);
/// add_twice(&x, &mut y, 3)?;
/// add_twice(&x.slice(1..)?, &mut y.slice_mut(..2)?, 2)?;
/// assert_eq!(y.to_host()?, [6.0, 10.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a `&[_]` parameter of a kernel takes a `&DeviceArray<_>`, but the argument is a `&{Self}`",
    label = "not an array in device memory",
    note = "why: a kernel reads only memory of its device",
    note = "help: copy the data to the device with `let x = device.to_device(&data)?` and pass `&x`, or pass `In(&data)` to have the launch copy it"
)]
pub trait ReadArgument {
    /// The element type.
    type Element: DeviceType;
    #[doc(hidden)]
    fn bind(&self) -> ArraySlice<'_, Self::Element, Read>;
}

/// An array that a `&mut [T]` parameter of a kernel accepts by mutable reference: a [`DeviceArray<T>`], a
/// [`DeviceSliceMut<T>`](crate::DeviceSliceMut), a host array as [`InOut(&mut x)`](InOut()) or [`Out(&mut x)`](Out()), and with
/// the feature `cudarc` the arrays of that crate. See [`ReadArgument`].
#[diagnostic::on_unimplemented(
    message = "a `&mut [_]` parameter of a kernel takes a `&mut DeviceArray<_>`, but the argument is a `&mut {Self}`",
    label = "not a mutable array in device memory",
    note = "why: a kernel writes only to memory of its device",
    note = "help: copy the data to the device with `let mut x = device.to_device(&data)?` and pass `&mut x`, or pass `InOut(&mut data)` to have the launch copy it"
)]
pub trait WriteArgument {
    /// The element type.
    type Element: DeviceType;
    #[doc(hidden)]
    fn bind_mut(&mut self) -> ArraySlice<'_, Self::Element, Write>;
}

impl<T: DeviceType> ReadArgument for DeviceArray<T> {
    type Element = T;

    #[inline]
    fn bind(&self) -> ArraySlice<'_, T, Read> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

impl<T: DeviceType> WriteArgument for DeviceArray<T> {
    type Element = T;

    #[inline]
    fn bind_mut(&mut self) -> ArraySlice<'_, T, Write> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType, M: Access> ReadArgument for DeviceSlice<'_, T, M> {
    type Element = T;

    #[inline]
    fn bind(&self) -> ArraySlice<'_, T, Read> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> WriteArgument for DeviceSlice<'_, T, Write> {
    type Element = T;

    #[inline]
    fn bind_mut(&mut self) -> ArraySlice<'_, T, Write> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

/// Arguments for an `ArrayView0<T>` to `ArrayView4<T>` parameter: such a view, or a mutable one.
#[diagnostic::on_unimplemented(
    message = "an `ArrayView{D}<_>` parameter of a kernel does not take `{Self}`",
    label = "not a view of {D} dimensions",
    note = "why: a kernel reads memory of its device",
    note = "help: make a view of a `DeviceArray`: `array.reshape((rows, columns))?`"
)]
pub trait ReadView<'a, const D: usize> {
    /// The element type.
    type Element: DeviceType;
    #[doc(hidden)]
    fn bind(self) -> ViewArgument<'a, Self::Element, D, Read>;
}

/// Arguments for an `ArrayViewMut0<T>` to `ArrayViewMut4<T>` parameter: such a view.
#[diagnostic::on_unimplemented(
    message = "an `ArrayViewMut{D}<_>` parameter of a kernel does not take `{Self}`",
    label = "not a mutable view of {D} dimensions",
    note = "why: a kernel writes only to memory of its device, and needs exclusive access to it",
    note = "help: make a view of a `DeviceArray`: `array.reshape_mut((rows, columns))?`"
)]
pub trait WriteView<'a, const D: usize> {
    /// The element type.
    type Element: DeviceType;
    #[doc(hidden)]
    fn bind(self) -> ViewArgument<'a, Self::Element, D, Write>;
}

impl<'a, T: DeviceType, const D: usize> ReadView<'a, D> for ArrayView<'a, T, D, Read> {
    type Element = T;

    #[inline]
    fn bind(self) -> ViewArgument<'a, T, D, Read> {
        ViewArgument::on_device(self)
    }
}

impl<'a, T: DeviceType, const D: usize, M: Access> ReadView<'a, D> for &'a ArrayView<'_, T, D, M> {
    type Element = T;

    #[inline]
    fn bind(self) -> ViewArgument<'a, T, D, Read> {
        ViewArgument::on_device(self.view())
    }
}

impl<'a, T: DeviceType, const D: usize> WriteView<'a, D> for ArrayView<'a, T, D, Write> {
    type Element = T;

    #[inline]
    fn bind(self) -> ViewArgument<'a, T, D, Write> {
        ViewArgument::on_device(self)
    }
}

impl<'a, T: DeviceType, const D: usize> WriteView<'a, D> for &'a mut ArrayView<'_, T, D, Write> {
    type Element = T;

    #[inline]
    fn bind(self) -> ViewArgument<'a, T, D, Write> {
        ViewArgument::on_device(self.view_mut())
    }
}
