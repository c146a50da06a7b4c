//! The arrays that algorithms take, and the checks of their lengths.

use cumbia::access::{Access, Write};
use cumbia::error::{ArrayArgument, RequiredLength, ResultKind};
use cumbia::{
    AlgorithmError, ArrayView, ArrayView1, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Number, Result,
};

/// An array that an algorithm reads: a [`DeviceArray`], a [`DeviceSlice`], or a view of one dimension, such as a column of a matrix or
/// every n-th element.
///
/// The kernels of the algorithms take views. Cumbia compiles a kernel for contiguous views, in which a stride is the constant 1, and
/// another one for the first launch with a strided view, so that elements at a stride cost contiguous ones nothing. The results are
/// those for a contiguous copy of the elements, bit for bit.
///
/// ```
/// use cumbia::algorithm::{Plus, inclusive_scan, reduce};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1, 2, 3, 4, 5, 6])?;
/// let matrix = x.reshape((3, 2))?;
/// assert_eq!(reduce(&matrix.column(1)?, 0, Plus).value()?, 12);
/// let mut y = device.zeros(3)?;
/// inclusive_scan(&x.reshape(6)?.step(2)?, &mut y, Plus).launch()?;
/// assert_eq!(y.to_host()?, [1, 4, 9]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an algorithm reads a `DeviceArray<_>`, or a slice or a one-dimensional view of one, but the argument is of type `{Self}`",
    label = "not an array in device memory",
    note = "why: an algorithm runs on the device that has its arrays",
    note = "help: copy the data to the device with `let x = device.to_device(&data)?` and pass `&x`"
)]
pub trait Input {
    /// The element type.
    type Element: DeviceType;

    /// Borrows the elements.
    fn elements(&self) -> ArrayView1<'_, Self::Element>;
}

/// An array that an algorithm writes: a [`DeviceArray`] or a [`DeviceSliceMut`].
#[diagnostic::on_unimplemented(
    message = "an algorithm writes a `DeviceArray<_>` or a mutable slice of one, but the argument is of type `{Self}`",
    label = "not a mutable array in device memory",
    note = "why: an algorithm runs on the device that has its arrays",
    note = "help: allocate the results on the device with `let mut y = device.zeros(n)?`, pass `&mut y`, and copy them to the host with `y.to_host()?`"
)]
pub trait Output {
    /// The element type.
    type Element: DeviceType;

    /// Borrows the elements.
    fn elements_mut(&mut self) -> DeviceSliceMut<'_, Self::Element>;
}

impl<T: DeviceType> Input for DeviceArray<T> {
    type Element = T;

    fn elements(&self) -> ArrayView1<'_, T> {
        view_of(self.as_slice())
    }
}

impl<T: DeviceType, M: Access> Input for DeviceSlice<'_, T, M> {
    type Element = T;

    fn elements(&self) -> ArrayView1<'_, T> {
        view_of(self.as_slice())
    }
}

impl<T: DeviceType, M: Access> Input for ArrayView<'_, T, 1, M> {
    type Element = T;

    fn elements(&self) -> ArrayView1<'_, T> {
        self.view()
    }
}

impl<T: DeviceType> Output for DeviceArray<T> {
    type Element = T;

    fn elements_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.as_slice_mut()
    }
}

impl<T: DeviceType> Output for DeviceSlice<'_, T, Write> {
    type Element = T;

    fn elements_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.as_slice_mut()
    }
}

/// A view that an algorithm writes: it is implemented for no type. The view is no `Self`, since rustc would show the message of
/// [`Output`] instead.
#[diagnostic::on_unimplemented(
    message = "an algorithm does not write a view, and the argument is of type `{V}`",
    label = "not a mutable array or slice",
    note = "why: algorithms write contiguous elements, and those of a view may have strides; only an input may be a view of one dimension",
    note = "help: write to an array, `let mut y = device.zeros(n)?`, or to a part of one, `&mut x.slice_mut(a..b)?`; to write elements with strides, pass the view to a kernel with an `ArrayViewMut1` parameter"
)]
pub trait WrittenView<V> {}

impl<T: DeviceType, const D: usize, M: Access> Output for ArrayView<'_, T, D, M>
where
    (): WrittenView<Self>,
{
    type Element = T;

    fn elements_mut(&mut self) -> DeviceSliceMut<'_, T> {
        unreachable!("`WrittenView` is implemented for no type")
    }
}

/// An input of several dimensions: it is implemented for no type.
#[diagnostic::on_unimplemented(
    message = "an algorithm over the elements reads one dimension, and the argument is of type `{V}`",
    label = "not a view of one dimension",
    note = "why: it processes the elements in the order of one index",
    note = "help: pass the array itself for all elements, or a part, as `&a.row(i)?` or `&a.column(j)?`; for all rows of a matrix there are `reduce_rows`, `mean_rows` and others"
)]
pub trait OneDimensional<V> {}

/// Implements [`Input`] for views of other than one dimension, for the sake of the message.
macro_rules! several_dimensions {
    ($($dimensions:literal),*) => {$(
        impl<T: DeviceType, M: Access> Input for ArrayView<'_, T, $dimensions, M>
        where
            (): OneDimensional<Self>,
        {
            type Element = T;

            fn elements(&self) -> ArrayView1<'_, T> {
                unreachable!("`OneDimensional` is implemented for no type")
            }
        }
    )*};
}

several_dimensions!(0, 2, 3, 4);

/// Returns a slice as a view.
pub(crate) fn view_of<T: DeviceType>(x: DeviceSlice<'_, T>) -> ArrayView1<'_, T> {
    let Ok(view) = x.reshape(x.len()) else { unreachable!("a slice has the shape of its length") };
    view
}

/// Checks a rule for the length of an argument of `algorithm`.
///
/// # Errors
///
/// [`AlgorithmError::Length`] unless it `holds`.
pub(crate) fn require(
    holds: bool,
    algorithm: &'static str,
    argument: ArrayArgument,
    required: RequiredLength,
) -> Result<()> {
    if holds { Ok(()) } else { Err(AlgorithmError::Length { algorithm, argument, required }.into()) }
}

/// Checks that two arrays have the same length.
pub(crate) fn require_same_length(algorithm: &'static str, a: ArrayArgument, b: ArrayArgument) -> Result<()> {
    require(a.len == b.len, algorithm, a, RequiredLength::SameAs(b))
}

/// Checks that `output` has room for `count` results.
pub(crate) fn require_room(
    algorithm: &'static str,
    output: ArrayArgument,
    results: ResultKind,
    count: usize,
    input: &'static str,
) -> Result<()> {
    require(count <= output.len, algorithm, output, RequiredLength::Results { results, count, input })
}

/// Returns the number of indices that the type `I` represents.
pub(crate) fn represented<I: Number>() -> usize {
    usize::cast(I::MAX).saturating_add(1)
}

/// Checks that the type of the argument `indices`, which represents so many `values`, represents the indices of `x`.
pub(crate) fn require_indices(
    algorithm: &'static str,
    x: ArrayArgument,
    indices: &'static str,
    values: usize,
) -> Result<()> {
    require(x.len <= values, algorithm, x, RequiredLength::Represented { indices, values })
}
