//! Host arrays as arguments, which the launch copies to the device and back.

use super::array::{ArraySlice, Location, ViewArgument};
use super::transfer::Direction;
use super::transfer::HostCopy;
use super::{ReadArgument, ReadView, WriteArgument, WriteView};
use crate::array::host::{HostArray, HostArrayMut};
use crate::array::{RawSlice, shape};
use crate::error::Result;
use crate::handles::access::{Access, Read, Write};
use crate::types::DeviceType;

/// A host array as the argument of a `&[T]` parameter. The launch copies it to the device.
///
/// `In`, `Out` and `InOut` are for occasional launches: each launch copies the array, and a launch with an output waits
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
#[repr(transparent)]
pub struct In<A: ?Sized> {
    host: A,
}

/// A host array as the argument of a `&mut [T]` parameter that is written only. The kernel starts with zeros, and the launch
/// copies the result to the host. See [`struct@In`].
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
#[repr(transparent)]
pub struct Out<A: ?Sized> {
    host: A,
}

/// A host array as the argument of a `&mut [T]` parameter that is read and written. The launch copies it to the device, and the
/// result back. See [`struct@In`].
#[derive(Debug)]
#[repr(transparent)]
pub struct InOut<A: ?Sized> {
    host: A,
}

/// Returns a host array as the argument of a `&[T]` parameter: see [`struct@In`].
#[allow(non_snake_case, reason = "the constructor of the type with this name")]
pub fn In<A: ?Sized>(host: &A) -> &In<A> {
    // SAFETY: `In` is a transparent wrapper, so both references have the same layout, metadata and validity.
    unsafe { &*(std::ptr::from_ref(host) as *const In<A>) }
}

/// Returns a host array as the argument of a `&mut [T]` parameter that is written only: see [`struct@Out`].
#[allow(non_snake_case, reason = "the constructor of the type with this name")]
pub fn Out<A: ?Sized>(host: &mut A) -> &mut Out<A> {
    // SAFETY: `Out` is a transparent wrapper, as in `In`.
    unsafe { &mut *(std::ptr::from_mut(host) as *mut Out<A>) }
}

/// Returns a host array as the argument of a `&mut [T]` parameter that is read and written: see [`struct@InOut`].
#[allow(non_snake_case, reason = "the constructor of the type with this name")]
pub fn InOut<A: ?Sized>(host: &mut A) -> &mut InOut<A> {
    // SAFETY: `InOut` is a transparent wrapper, as in `In`.
    unsafe { &mut *(std::ptr::from_mut(host) as *mut InOut<A>) }
}

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
impl<A: HostArray + ?Sized> ReadArgument for In<A> {
    type Element = A::Element;

    fn bind(&self) -> ArraySlice<'_, A::Element, Read> {
        slice(self.host.elements().map(read), Direction::In)
    }
}

#[diagnostic::do_not_recommend]
impl<A: HostArrayMut + ?Sized> WriteArgument for Out<A> {
    type Element = A::Element;

    fn bind_mut(&mut self) -> ArraySlice<'_, A::Element, Write> {
        slice(self.host.elements_mut().map(written), Direction::Out)
    }
}

#[diagnostic::do_not_recommend]
impl<A: HostArrayMut + ?Sized> WriteArgument for InOut<A> {
    type Element = A::Element;

    fn bind_mut(&mut self) -> ArraySlice<'_, A::Element, Write> {
        slice(self.host.elements_mut().map(written), Direction::InOut)
    }
}

/// A [`HostArray`] with a shape, for view parameters of kernels: arrays of `ndarray`, with the feature of that name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a host array with {D} dimensions",
    label = "expected an array of `ndarray`",
    note = "help: use arrays of `ndarray` (feature `ndarray`), or views of a `DeviceArray`: `array.reshape((rows, columns))?`"
)]
pub trait HostView<const D: usize>: HostArray {
    /// Returns the length of each dimension, in row-major order (the last varies fastest).
    fn lengths(&self) -> [usize; D];
}

/// A mutable [`HostView`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mutable host array with {D} dimensions",
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
impl<'a, A: HostView<D> + ?Sized, const D: usize> ReadView<'a, D> for &'a In<A> {
    type Element = A::Element;

    fn bind(self) -> ViewArgument<'a, A::Element, D, Read> {
        view(self.host.elements().map(read), self.host.lengths(), Direction::In)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostViewMut<D> + ?Sized, const D: usize> WriteView<'a, D> for &'a mut Out<A> {
    type Element = A::Element;

    fn bind(self) -> ViewArgument<'a, A::Element, D, Write> {
        let shape = self.host.lengths();
        view(self.host.elements_mut().map(written), shape, Direction::Out)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, A: HostViewMut<D> + ?Sized, const D: usize> WriteView<'a, D> for &'a mut InOut<A> {
    type Element = A::Element;

    fn bind(self) -> ViewArgument<'a, A::Element, D, Write> {
        let shape = self.host.lengths();
        view(self.host.elements_mut().map(written), shape, Direction::InOut)
    }
}
