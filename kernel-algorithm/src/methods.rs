//! Methods of arrays for the most common algorithms, with the names of `NumPy` and `CuPy`.

use cumbia::{Number, Result};
use cumbia_kernel_macros::{DeviceType, device};

use crate::arrays::{Input, Output};
use crate::key::SortKey;
use crate::operator::{Function1, Identity, Maximum, Minimum, Plus, Times};
use crate::reduce::chunks::OfOne;
use crate::reduce::{Reduce, reduce, transform_reduce, transform_reduce2};
use crate::scan::inclusive_scan;
use crate::search::{argmax, argmin, min_max};
use crate::sort::radix::sort;

/// A number as `f64`.
#[derive(Clone, Copy, DeviceType)]
struct ToF64;

#[device]
impl<T: Number> Function1<T> for ToF64 {
    type Output = f64;

    fn call(self, a: T) -> f64 {
        f64::cast(a)
    }
}

/// The square of a number in `f64`.
#[derive(Clone, Copy, DeviceType)]
struct SquareInF64;

#[device]
impl<T: Number> Function1<T> for SquareInF64 {
    type Output = f64;

    fn call(self, a: T) -> f64 {
        f64::cast(a) * f64::cast(a)
    }
}

/// Methods of arrays of numbers for the most common algorithms. Each waits for its result.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3.0f32, -1.0, 4.0, -1.0])?;
/// assert_eq!((x.sum()?, x.mean()?, x.dot(&x)?), (5.0, 1.25, 27.0));
/// assert_eq!(x.slice(2..3)?.norm()?, 4.0);
/// assert_eq!((x.min()?, x.max()?), (Some(-1.0), Some(4.0)));
/// assert_eq!(x.min_max()?, Some((-1.0, 4.0)));
/// assert_eq!((x.argmin()?, x.argmax()?), (Some(1), Some(2)));
/// let mut y = device.zeros(4)?;
/// x.cumsum(&mut y)?;
/// assert_eq!(y.to_host()?, [3.0, 2.0, 6.0, 5.0]);
/// # Ok(())
/// # }
/// ```
pub trait ArrayMethods: Input
where
    Self::Element: Number,
{
    /// Computes the sum of the elements, as [`reduce`] with [`Plus`]; of an empty array, 0.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`]; of integers, a fault if a partial sum overflows and Cumbia has overflow checks.
    fn sum(&self) -> Result<Self::Element> {
        reduce(self, Self::Element::ZERO, Plus).value()
    }

    /// Computes the mean of the elements, in `f64`; of an empty array, NaN.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn mean(&self) -> Result<f64> {
        Ok(transform_reduce(self, ToF64, 0.0, Plus).value()? / self.elements().len() as f64)
    }

    /// Computes the dot product with another array, as [`transform_reduce2`] with [`Times`] and [`Plus`].
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths differ, and those of [`Reduce::value`].
    fn dot(&self, other: &(impl Input<Element = Self::Element> + ?Sized)) -> Result<Self::Element> {
        transform_reduce2(self, other, Times, Self::Element::ZERO, Plus).named("dot", ["self", "other"]).value()
    }

    /// Computes the Euclidean norm, the square root of the sum of the squares, in `f64`; of an empty array, 0. Squares
    /// are not scaled: those of elements of type `f64` overflow above 1.3 · 10¹⁵⁴ and underflow below 1.5 · 10⁻¹⁵⁴.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn norm(&self) -> Result<f64> {
        Ok(transform_reduce(self, SquareInF64, 0.0, Plus).value()?.sqrt())
    }

    /// Computes the least element, if there is one. NaNs are ignored, as by [`f32::min`].
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn min(&self) -> Result<Option<Self::Element>> {
        Reduce::new(self.elements(), None, OfOne(Identity), None, Minimum).value_unless_empty()
    }

    /// Computes the greatest element, if there is one. NaNs are ignored, as by [`f32::max`].
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn max(&self) -> Result<Option<Self::Element>> {
        Reduce::new(self.elements(), None, OfOne(Identity), None, Maximum).value_unless_empty()
    }

    /// Computes the least and the greatest element, if there are any, in one pass. NaNs are ignored, as by [`f32::min`].
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn min_max(&self) -> Result<Option<(Self::Element, Self::Element)>> {
        min_max(self).value()
    }

    /// Computes the index of the least element, the first of equal ones. NaNs are ignored, unless there is nothing else.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn argmin(&self) -> Result<Option<usize>> {
        argmin(self).value()
    }

    /// Computes the index of the greatest element, the first of equal ones. NaNs are ignored, unless there is nothing else.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn argmax(&self) -> Result<Option<usize>> {
        argmax(self).value()
    }

    /// Computes the sums of the elements up to each, as [`inclusive_scan`] with [`Plus`].
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths differ, and those of
    /// [`Scan::launch`](crate::Scan::launch).
    fn cumsum(&self, sums: &mut (impl Output<Element = Self::Element> + ?Sized)) -> Result<()> {
        inclusive_scan(self, sums, Plus).named("cumsum", ["self", "sums"]).launch()
    }
}

impl<A: Input + ?Sized> ArrayMethods for A where A::Element: Number {}

/// Methods that reorder arrays of numbers in place.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&[3.0f32, -1.0, 4.0, -1.0])?;
/// x.slice_mut(1..)?.sort()?;
/// assert_eq!(x.to_host()?, [3.0, -1.0, -1.0, 4.0]);
/// x.sort()?;
/// assert_eq!(x.to_host()?, [-1.0, -1.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub trait ArrayMethodsMut: Output
where
    Self::Element: SortKey,
{
    /// Enqueues a sort of the elements from the least to the greatest, as [`sort`](crate::sort()).
    ///
    /// # Errors
    ///
    /// Those of [`Sort::launch`](crate::Sort::launch).
    fn sort(&mut self) -> Result<()> {
        sort(self).launch()
    }
}

impl<A: Output + ?Sized> ArrayMethodsMut for A where A::Element: SortKey {}
