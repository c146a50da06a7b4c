//! Host arrays: the sources and targets of copies between host and device.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::Result;
use crate::types::DeviceType;

/// A contiguous array of elements in host memory: a slice, an array or a vector, a [`PinnedArray`](crate::PinnedArray),
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
    message = "`{Self}` is not a host array",
    label = "expected a slice, an array or a `Vec`",
    note = "why: elements are copied to the device as contiguous memory",
    note = "help: pass `&[_]`, `&Vec<_>`, or a contiguous array of `ndarray` (feature `ndarray`)"
)]
pub trait HostArray {
    /// The element type.
    type Element: DeviceType;

    /// Returns the elements in memory order.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if they are not contiguous; for a page-locked array, the errors of
    /// [`PinnedArray::as_slice`](crate::PinnedArray::as_slice).
    fn elements(&self) -> Result<&[Self::Element]>;
}

/// A mutable [`HostArray`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mutable host array",
    label = "expected a mutable slice, array or `Vec`",
    note = "help: pass `&mut [_]`, `&mut Vec<_>`, or a contiguous array of `ndarray` (feature `ndarray`)"
)]
pub trait HostArrayMut: HostArray {
    /// Returns the elements mutably, in memory order.
    ///
    /// # Errors
    ///
    /// As for [`HostArray::elements`].
    fn elements_mut(&mut self) -> Result<&mut [Self::Element]>;
}

impl<T: DeviceType> HostArray for [T] {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

impl<T: DeviceType> HostArrayMut for [T] {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        Ok(self)
    }
}

impl<T: DeviceType, const N: usize> HostArray for [T; N] {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

impl<T: DeviceType, const N: usize> HostArrayMut for [T; N] {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        Ok(self)
    }
}

impl<T: DeviceType> HostArray for Vec<T> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

impl<T: DeviceType> HostArrayMut for Vec<T> {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        Ok(self)
    }
}

impl<T: DeviceType> HostArray for Cow<'_, [T]> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        Ok(self)
    }
}

/// Implements the trait for references and smart pointers to a host array.
macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<A: HostArray + ?Sized> HostArray for $pointer {
            type Element = A::Element;

            fn elements(&self) -> Result<&[A::Element]> {
                (**self).elements()
            }
        }
    )*};
}

forward!(&A, &mut A, Box<A>, Rc<A>, Arc<A>);

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
