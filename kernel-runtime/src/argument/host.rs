//! Host arrays as arguments, which the launch copies to the device and back.

use super::array::{ArraySlice, Location, ViewArgument};
use super::transfer::Direction;
use super::transfer::HostCopy;
use super::{ReadArgument, ReadView, WriteArgument, WriteView};
use crate::array::{RawSlice, shape};
use crate::cpu::access::{Access, Read, Write};
use crate::error::Result;
use crate::host::{HostArray, HostArrayMut};
use crate::types::DeviceType;

/// A host array as the argument of a `&[T]` parameter. The launch copies it to the device.
///
/// [`In`], [`Out`] and [`InOut`] are for occasional launches: each launch copies the array, and a launch with an output waits
/// for the copy back and returns the fault of its kernel. If all arrays are host arrays, the launch has to name a device with
/// [`.on_device(&device)`](crate::Launch::on_device) or [`.on(&stream)`](crate::Launch::on). On the CPU device the kernel works
/// on the host arrays directly, without copies.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = grid(1);
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (x, mut y) = (vec![1.0, 2.0, 3.0], vec![10.0, 20.0, 30.0]);
/// saxpy(2.0, In(&x), InOut(&mut y)).over(3).on_device(&device).launch()?;
/// assert_eq!(y, [12.0, 24.0, 36.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct In<'a, A: ?Sized>(pub &'a A);

/// A host array as the argument of a `&mut [T]` parameter that is written only. The kernel starts with zeros, and the launch
/// copies the result to the host. See [`In`].
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn count(squares: &mut [u32]) {
///     let i = grid(1);
///     if i < squares.len() {
///         squares[i] = i as u32 * i as u32;
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let mut squares = [0; 4];
/// count(Out(&mut squares)).over(4).on_device(&Device::open()?).launch()?;
/// assert_eq!(squares, [0, 1, 4, 9]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Out<'a, A: ?Sized>(pub &'a mut A);

/// A host array as the argument of a `&mut [T]` parameter that is read and written. The launch copies it to the device, and the
/// result back. See [`In`].
#[derive(Debug)]
pub struct InOut<'a, A: ?Sized>(pub &'a mut A);

/// Returns the argument for host elements, or an invalid argument with the cause.
fn slice<'a, T: DeviceType, M: Access>(elements: Result<RawSlice>, direction: Direction) -> ArraySlice<'a, T, M> {
    match elements {
        Ok(raw) => ArraySlice::at(raw, Location::Host(HostCopy::new::<T>(direction))),
        Err(cause) => ArraySlice::invalid(cause),
    }
}

/// Returns the elements of an array that a launch reads.
fn read<T>(elements: &[T]) -> RawSlice {
    RawSlice { pointer: elements.as_ptr().cast_mut().cast(), len: elements.len() }
}

/// Returns the elements of an array that a launch writes.
fn written<T>(elements: &mut [T]) -> RawSlice {
    RawSlice { pointer: elements.as_mut_ptr().cast(), len: elements.len() }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostArray + ?Sized> ReadArgument<'a> for In<'a, A> {
    type Element = A::Element;

    fn bind(self) -> ArraySlice<'a, A::Element, Read> {
        slice(self.0.elements().map(read), Direction::In)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostArrayMut + ?Sized> WriteArgument<'a> for Out<'a, A> {
    type Element = A::Element;

    fn bind(self) -> ArraySlice<'a, A::Element, Write> {
        slice(self.0.elements_mut().map(written), Direction::Out)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostArrayMut + ?Sized> WriteArgument<'a> for InOut<'a, A> {
    type Element = A::Element;

    fn bind(self) -> ArraySlice<'a, A::Element, Write> {
        slice(self.0.elements_mut().map(written), Direction::InOut)
    }
}

/// A [`HostArray`] with a shape, for view parameters of kernels: arrays of `ndarray`, with the feature of that name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of {D} dimensions of the host",
    label = "expected an array of `ndarray`",
    note = "help: use arrays of `ndarray` (feature `ndarray`), or views of a `DeviceArray`: `array.reshape((rows, columns))?`"
)]
pub trait HostView<const D: usize>: HostArray {
    /// Returns the length of each dimension, in row-major order (the last varies fastest).
    fn lengths(&self) -> [usize; D];
}

/// A mutable [`HostView`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of {D} dimensions of the host that can be written",
    label = "expected an array of `ndarray` that is `mut`",
    note = "help: use arrays of `ndarray` (feature `ndarray`), or views of a `DeviceArray`: `array.reshape_mut((rows, columns))?`"
)]
pub trait HostViewMut<const D: usize>: HostView<D> + HostArrayMut {}

impl<A: HostView<D> + HostArrayMut + ?Sized, const D: usize> HostViewMut<D> for A {}

/// As [`slice`], with a shape. The shape is checked against the number of elements, since a user's implementation of
/// [`HostView`] may be wrong.
fn view<'a, T: DeviceType, const D: usize, M: Access>(
    elements: Result<RawSlice>,
    shape: [usize; D],
    direction: Direction,
) -> ViewArgument<'a, T, D, M> {
    let checked = elements.and_then(|raw| {
        shape::check(&shape, raw.len)?;
        Ok(raw)
    });
    match checked {
        Ok(RawSlice { pointer, len: _ }) => ViewArgument::on_host(pointer.cast(), shape, direction),
        Err(cause) => ViewArgument::invalid(cause),
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostView<D> + ?Sized, const D: usize> ReadView<'a, D> for In<'a, A> {
    type Element = A::Element;

    fn bind(self) -> ViewArgument<'a, A::Element, D, Read> {
        view(self.0.elements().map(read), self.0.lengths(), Direction::In)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostViewMut<D> + ?Sized, const D: usize> WriteView<'a, D> for Out<'a, A> {
    type Element = A::Element;

    fn bind(self) -> ViewArgument<'a, A::Element, D, Write> {
        let shape = self.0.lengths();
        view(self.0.elements_mut().map(written), shape, Direction::Out)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostViewMut<D> + ?Sized, const D: usize> WriteView<'a, D> for InOut<'a, A> {
    type Element = A::Element;

    fn bind(self) -> ViewArgument<'a, A::Element, D, Write> {
        let shape = self.0.lengths();
        view(self.0.elements_mut().map(written), shape, Direction::InOut)
    }
}
