//! Arrays of the host, as what the device's arrays are filled from and copied to.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::Result;
use crate::types::Element;

/// Elements in the memory of the host, one after the other: slices, arrays and vectors, [`PinnedArray`](crate::PinnedArray),
/// and with the feature `ndarray` the arrays of that crate.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let (numbers, more) = (vec![1.0f32, 2.0], [3.0f32, 4.0]);
/// let mut x = device.to_device(&numbers)?;
/// x.copy_from_host(&more)?;
/// x.copy_from_host(&numbers[..])?;
/// assert_eq!(x.to_host()?, numbers);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of the host",
    label = "expected a slice, an array or a `Vec`",
    note = "why: elements are copied to the device as they lie in memory, one after the other",
    note = "help: pass `&[_]`, `&Vec<_>`, or a contiguous array of `ndarray` (feature `ndarray`)"
)]
pub trait HostArray {
    /// The elements.
    type Element: Element;

    /// The elements, as they lie in memory.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where they do not follow each other; for a page-locked buffer, what the driver
    /// said of the copies that were waited for.
    fn elements(&self) -> Result<&[Self::Element]>;
}

/// A [`HostArray`] that can be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of the host that can be written",
    label = "expected a slice, an array or a `Vec` that is `mut`",
    note = "help: pass `&mut [_]`, `&mut Vec<_>`, or a contiguous array of `ndarray` (feature `ndarray`)"
)]
pub trait HostArrayMut: HostArray {
    /// The elements, to be written.
    ///
    /// # Errors
    ///
    /// As for [`HostArray::elements`].
    fn elements_mut(&mut self) -> Result<&mut [Self::Element]>;
}

impl<T: Element> HostArray for [T] {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

impl<T: Element> HostArrayMut for [T] {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        Ok(self)
    }
}

impl<T: Element, const N: usize> HostArray for [T; N] {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

impl<T: Element, const N: usize> HostArrayMut for [T; N] {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        Ok(self)
    }
}

impl<T: Element> HostArray for Vec<T> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

impl<T: Element> HostArrayMut for Vec<T> {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        Ok(self)
    }
}

impl<T: Element> HostArray for Cow<'_, [T]> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

/// What refers to an array is as good as the array.
macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<A: HostArray + ?Sized> HostArray for $pointer {
            type Element = A::Element;

            fn elements(&self) -> Result<&[A::Element]> {
                (**self).elements()
            }
        }
    )*};
}

through!(&A, &mut A, Box<A>, Rc<A>, Arc<A>);

impl<A: HostArrayMut + ?Sized> HostArrayMut for &mut A {
    fn elements_mut(&mut self) -> Result<&mut [A::Element]> {
        (**self).elements_mut()
    }
}

impl<H: HostArrayMut + ?Sized> HostArrayMut for Box<H> {
    fn elements_mut(&mut self) -> Result<&mut [H::Element]> {
        (**self).elements_mut()
    }
}
