//! Methods of arrays for the most common algorithms, with the names of `NumPy` and `CuPy`.

use cumbia::{DeviceType, Number, Result};
use cumbia_kernel_macros::{DeviceType, device};

use crate::arrays::{Input, Output};
use crate::operator::{Function1, Function2, Identity, Maximum, Minimum, Plus, Times};
use crate::reduce::{Mapping, OfOne, Reduce, reduce, transform_reduce, transform_reduce2};
use crate::scan::inclusive_scan;

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

/// An element and its index.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
struct Indexed<T: DeviceType> {
    value: T,
    index: usize,
}

/// The element with its index.
#[derive(Clone, Copy, DeviceType)]
struct Enumerated;

#[device]
impl<T: DeviceType> Mapping<T, u8> for Enumerated {
    type Output = Indexed<T>;

    fn apply(self, a: T, _b: u8, index: usize) -> Indexed<T> {
        Indexed { value: a, index }
    }
}

/// The greater or the lesser of two elements, the first of equal ones; a NaN only if both are.
#[derive(Clone, Copy, DeviceType)]
struct Extreme<const GREATEST: bool>;

#[device]
impl<T: Number, const GREATEST: bool> Function2<Indexed<T>, Indexed<T>> for Extreme<GREATEST> {
    type Output = Indexed<T>;

    const COMMUTATIVE: bool = true;

    fn call(self, a: Indexed<T>, b: Indexed<T>) -> Indexed<T> {
        let is_before = if GREATEST { a.value > b.value } else { a.value < b.value };
        let is_after = if GREATEST { b.value > a.value } else { b.value < a.value };
        let (a_is_nan, b_is_nan) = (a.value != a.value, b.value != b.value);
        let is_a = if a_is_nan != b_is_nan { b_is_nan } else { is_before || !is_after && a.index < b.index };
        if is_a { a } else { b }
    }
}

/// The least and the greatest of some numbers.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
struct Extent<T: DeviceType> {
    least: T,
    greatest: T,
}

/// The number as the least and the greatest.
#[derive(Clone, Copy, DeviceType)]
struct ToExtent;

#[device]
impl<T: Number> Function1<T> for ToExtent {
    type Output = Extent<T>;

    fn call(self, a: T) -> Extent<T> {
        Extent { least: a, greatest: a }
    }
}

/// The extent of two extents.
#[derive(Clone, Copy, DeviceType)]
struct Union;

#[device]
impl<T: Number> Function2<Extent<T>, Extent<T>> for Union {
    type Output = Extent<T>;

    const COMMUTATIVE: bool = true;

    fn call(self, a: Extent<T>, b: Extent<T>) -> Extent<T> {
        Extent { least: a.least.min(b.least), greatest: a.greatest.max(b.greatest) }
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
    /// [`Error::LengthMismatch`](cumbia::Error::LengthMismatch) if the lengths differ, and those of [`Reduce::value`].
    fn dot(&self, other: &(impl Input<Element = Self::Element> + ?Sized)) -> Result<Self::Element> {
        transform_reduce2(self, other, Times, Self::Element::ZERO, Plus).value()
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
        let extent = Reduce::new(self.elements(), None, OfOne(ToExtent), None, Union);
        Ok(extent.value_unless_empty()?.map(|found| (found.least, found.greatest)))
    }

    /// Computes the index of the least element, the first of equal ones. NaNs are ignored, unless there is nothing else.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn argmin(&self) -> Result<Option<usize>> {
        let least = Reduce::new(self.elements(), None, Enumerated, None, Extreme::<false>);
        Ok(least.value_unless_empty()?.map(|found| found.index))
    }

    /// Computes the index of the greatest element, the first of equal ones. NaNs are ignored, unless there is nothing else.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::value`].
    fn argmax(&self) -> Result<Option<usize>> {
        let greatest = Reduce::new(self.elements(), None, Enumerated, None, Extreme::<true>);
        Ok(greatest.value_unless_empty()?.map(|found| found.index))
    }

    /// Computes the sums of the elements up to each, as [`inclusive_scan`] with [`Plus`].
    ///
    /// # Errors
    ///
    /// Those of [`Scan::launch`](crate::Scan::launch).
    fn cumsum(&self, sums: &mut (impl Output<Element = Self::Element> + ?Sized)) -> Result<()> {
        inclusive_scan(self, sums, Plus).launch()
    }
}

impl<A: Input + ?Sized> ArrayMethods for A where A::Element: Number {}
