//! Kernel arguments: the types that a kernel's parameters accept, and their binding at a launch.
//!
//! A launch visits its arguments with a [`Visitor`]: [`FastBinder`] on the fast path, [`Binder`] on the slow path.

mod array;
mod binder;
mod fast_binder;
mod host;
mod packed_params;
mod transfer;
mod visitor;

pub use self::array::{ArraySlice, ViewArgument, host_view};
#[cfg(feature = "cudarc")]
pub(crate) use self::array::{ForeignMemory, Location};
pub(crate) use self::binder::{ArgumentFacts, Binder};
pub(crate) use self::fast_binder::{FastBinder, HistoryBuffer, ParamBuffer};
pub use self::host::{HostView, HostViewMut, In, InOut, Out};
pub(crate) use self::packed_params::PackedParams;
pub(crate) use self::transfer::{Transfer, run_in_place, run_with_copies};
pub use self::visitor::Visitor;
use crate::array::{DeviceArray, DeviceSlice};
use crate::array_view::ArrayView;
use crate::cpu::access::{Access, Read, Write};
use crate::types::DeviceType;

/// Arguments for a `&[T]` parameter: `&DeviceArray<T>`, a [`DeviceSlice<T>`](DeviceSlice), or a host array as `In(&x)`.
#[diagnostic::on_unimplemented(
    message = "a `&[_]` parameter of a kernel takes a `&DeviceArray<_>`, not a `{Self}`",
    label = "not a device array",
    note = "why: a kernel reads memory of its device",
    note = "help: copy the data there first: `let x = device.to_device(&data)?`, then pass `&x`; or let the launch do so, with `In(&data)`"
)]
pub trait ReadArgument<'a> {
    /// The element type.
    type Element: DeviceType;
    #[doc(hidden)]
    fn bind(self) -> ArraySlice<'a, Self::Element, Read>;
}

/// Arguments for a `&mut [T]` parameter: `&mut DeviceArray<T>`, a [`DeviceSliceMut<T>`](crate::DeviceSliceMut), or a host array
/// as `InOut(&mut x)` or `Out(&mut x)`.
#[diagnostic::on_unimplemented(
    message = "a `&mut [_]` parameter of a kernel takes a `&mut DeviceArray<_>`, not a `{Self}`",
    label = "not an array that the kernel may change",
    note = "why: a kernel writes to memory of its device, and nothing else may use the array meanwhile",
    note = "help: pass `&mut array`, where `array` is a `DeviceArray`; or let the launch copy an array of the host, with `InOut(&mut data)`"
)]
pub trait WriteArgument<'a> {
    /// The element type.
    type Element: DeviceType;
    #[doc(hidden)]
    fn bind(self) -> ArraySlice<'a, Self::Element, Write>;
}

impl<'a, T: DeviceType> ReadArgument<'a> for &'a DeviceArray<T> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Read> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: DeviceType> ReadArgument<'a> for &'a mut DeviceArray<T> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Read> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

impl<'a, T: DeviceType> WriteArgument<'a> for &'a mut DeviceArray<T> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Write> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: DeviceType, M: Access> ReadArgument<'a> for DeviceSlice<'a, T, M> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Read> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: DeviceType, M: Access> ReadArgument<'a> for &'a DeviceSlice<'_, T, M> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Read> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: DeviceType> WriteArgument<'a> for DeviceSlice<'a, T, Write> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Write> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: DeviceType> WriteArgument<'a> for &'a mut DeviceSlice<'_, T, Write> {
    type Element = T;

    #[inline]
    fn bind(self) -> ArraySlice<'a, T, Write> {
        ArraySlice::on_device(self.memory(), self.raw())
    }
}

/// Arguments for an `ArrayView1<T>`, `ArrayView2<T>` or `ArrayView3<T>` parameter: such a view, or a mutable one.
#[diagnostic::on_unimplemented(
    message = "an `ArrayView{D}<_>` parameter of a kernel does not take a `{Self}`",
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

/// Arguments for an `ArrayViewMut1<T>`, `ArrayViewMut2<T>` or `ArrayViewMut3<T>` parameter: such a view.
#[diagnostic::on_unimplemented(
    message = "an `ArrayViewMut{D}<_>` parameter of a kernel does not take a `{Self}`",
    label = "not a view of {D} dimensions that the kernel may change",
    note = "why: a kernel writes to memory of its device, and nothing else may use the elements meanwhile",
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
