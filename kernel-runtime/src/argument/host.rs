//! Arrays of the host as arguments, which a launch takes to the device and back by itself.

use super::array::{ArraySlice, Location, ViewArgument};
use super::transfer::Direction;
use super::transfer::OnHost;
use super::{ReadArgument, ReadView, WriteArgument, WriteView};
use crate::array::{RawSlice, shape};
use crate::cpu::access::{Access, Read, Write};
use crate::error::Result;
use crate::host::{HostArray, HostArrayMut};
use crate::types::Element;

/// An array of the host as the argument of a `&[T]` parameter: the launch copies it to the device.
///
/// [`In`], [`Out`] and [`InOut`] are for a launch now and then: each copies its array each time, and a launch with an array that
/// comes back waits for it, and gives out the fault of its kernel. Where all arrays are the host's, the launch has to say
/// where it is to run, by [`.on_device(&device)`](crate::Launch::on_device) or [`.on(&stream)`](crate::Launch::on). On the
/// CPU device the kernel works on the arrays where they are.
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

/// An array of the host as the argument of a `&mut [T]` parameter: the kernel gets zeros, and the launch copies what it made of
/// them to the host. See [`In`].
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

/// An array of the host as the argument of a `&mut [T]` parameter: the launch copies it to the device, and what the kernel made of
/// it back. See [`In`].
#[derive(Debug)]
pub struct InOut<'a, A: ?Sized>(pub &'a mut A);

/// Elements of the host, or why they cannot be an argument.
fn slice<'a, T: Element, M: Access>(elements: Result<RawSlice>, direction: Direction) -> ArraySlice<'a, T, M> {
    match elements {
        Ok(raw) => ArraySlice::elsewhere(raw, Location::Host(OnHost::new::<T>(direction))),
        Err(why) => ArraySlice::refused(&why),
    }
}

/// Elements that a launch only reads.
fn read<T>(elements: &[T]) -> RawSlice {
    RawSlice { pointer: elements.as_ptr().cast_mut().cast(), len: elements.len() }
}

/// Elements that a launch writes.
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

/// A [`HostArray`] with a shape, for the parameters of kernels that are views: arrays of `ndarray`, with the feature of that name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of {D} dimensions of the host",
    label = "expected an array of `ndarray`",
    note = "help: use arrays of `ndarray` (feature `ndarray`), or views of a `DeviceArray`: `array.reshape((rows, columns))?`"
)]
pub trait HostView<const D: usize>: HostArray {
    /// The length of each dimension, of which the last varies fastest.
    fn lengths(&self) -> [usize; D];
}

/// A [`HostView`] that can be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of {D} dimensions of the host that can be written",
    label = "expected an array of `ndarray` that is `mut`",
    note = "help: use arrays of `ndarray` (feature `ndarray`), or views of a `DeviceArray`: `array.reshape_mut((rows, columns))?`"
)]
pub trait HostViewMut<const D: usize>: HostView<D> + HostArrayMut {}

impl<A: HostView<D> + HostArrayMut + ?Sized, const D: usize> HostViewMut<D> for A {}

/// As [`slice`], with a shape. Whose number of elements is compared: anyone may implement [`HostView`], and be wrong.
fn view<'a, T: Element, const D: usize, M: Access>(
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
        Err(why) => ViewArgument::refused(&why),
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
