//! The arrays that algorithms take, and the checks of their lengths.

use cumbia::access::{Access, Write};
use cumbia::error::{ArrayArgument, RequiredLength, ResultKind};
use cumbia::{AlgorithmError, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Integer, Number, Result};

/// An array that an algorithm reads: a [`DeviceArray`] or a [`DeviceSlice`].
#[diagnostic::on_unimplemented(
    message = "an algorithm reads a `DeviceArray<_>` or a slice of one, but the argument is a `{Self}`",
    label = "not an array in device memory",
    note = "why: an algorithm runs on the device that has its arrays",
    note = "help: copy the data to the device with `let x = device.to_device(&data)?` and pass `&x`"
)]
pub trait Input {
    /// The element type.
    type Element: DeviceType;

    /// Borrows the elements.
    fn elements(&self) -> DeviceSlice<'_, Self::Element>;
}

/// An array that an algorithm writes: a [`DeviceArray`] or a [`DeviceSliceMut`].
#[diagnostic::on_unimplemented(
    message = "an algorithm writes a `DeviceArray<_>` or a mutable slice of one, but the argument is a `{Self}`",
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

    fn elements(&self) -> DeviceSlice<'_, T> {
        self.as_slice()
    }
}

impl<T: DeviceType, M: Access> Input for DeviceSlice<'_, T, M> {
    type Element = T;

    fn elements(&self) -> DeviceSlice<'_, T> {
        self.as_slice()
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

/// Checks that the type `I` of the argument `indices` represents the indices of `x`.
pub(crate) fn require_indices<I: Integer>(
    algorithm: &'static str,
    x: ArrayArgument,
    indices: &'static str,
) -> Result<()> {
    let values = usize::cast(I::MAX).saturating_add(1);
    require(x.len <= values, algorithm, x, RequiredLength::Represented { indices, values })
}
