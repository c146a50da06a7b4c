//! Reinterpretation of arrays of scalars as arrays of vectors, and back, without copying.

use std::any::type_name;

use super::{DeviceArray, DeviceSlice, DeviceSliceMut};
use crate::Components;
use crate::error::{Result, ShapeError};

impl<T: Components> DeviceArray<T> {
    /// Reinterprets the memory as elements of another type with the same scalar type: an array of `f32` as one of
    /// `Float4`, which a kernel accesses with 16-byte loads and stores. Nothing is copied.
    ///
    /// ```
    /// use cumbia::prelude::*;
    /// use cumbia::vector::Float4;
    ///
    /// #[kernel]
    /// fn axpy(a: f32, x: &[Float4], y: &mut [Float4]) {
    ///     let i = grid(1);
    ///     if i < y.len() {
    ///         y[i] += x[i] * a;
    ///     }
    /// }
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1.0f32; 1024])?;
    /// let mut y = device.zeros::<f32>(1024)?;
    /// axpy(3.0, &x.cast()?, &mut y.cast_mut()?).over(256).launch()?;
    /// assert_eq!(y.to_host()?, [3.0; 1024]);
    /// assert!(x.slice(..1023)?.cast::<Float4>().is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the size is not a multiple of the new element's.
    pub fn cast<U: Components<Component = T::Component>>(&self) -> Result<DeviceSlice<'_, U>> {
        DeviceSlice::whole(self).cast()
    }

    /// Like [`DeviceArray::cast`], for a mutable slice.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::cast`].
    pub fn cast_mut<U: Components<Component = T::Component>>(&mut self) -> Result<DeviceSliceMut<'_, U>> {
        DeviceSlice::whole(self).cast()
    }
}

impl<'a, T: Components, M> DeviceSlice<'a, T, M> {
    /// Reinterprets the memory as elements of another type with the same scalar type, like [`DeviceArray::cast`].
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the size is not a multiple of the new element's, or if the first
    /// element is not aligned for it: a `Float4` has to start at a multiple of four `f32` of an array.
    pub fn cast<U: Components<Component = T::Component>>(self) -> Result<DeviceSlice<'a, U, M>> {
        const { assert!(size_of::<U>() != 0, "zero-sized element type") };
        // Cannot overflow, since the memory exists.
        let bytes = self.len() * size_of::<T>();
        let (from, to) = (type_name::<T>(), type_name::<U>());
        if !bytes.is_multiple_of(size_of::<U>()) {
            return Err(ShapeError::CastLength { elements: self.len(), from, to }.into());
        }
        let needed = align_of::<U>();
        if !self.address().is_multiple_of(needed) {
            return Err(ShapeError::CastAlignment { from, to, needed }.into());
        }
        Ok(self.reinterpret(bytes / size_of::<U>()))
    }
}

#[cfg(test)]
mod tests {
    use crate::device::Device;
    use crate::error::{Error, ShapeError};

    #[test]
    fn scalars_are_cast_to_vectors_and_back() {
        let mut x = Device::cpu().to_device(&[1i16, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(x.cast::<[i16; 3]>().unwrap().to_host().unwrap(), [[1, 2, 3], [4, 5, 6]]);
        x.cast_mut::<[i16; 2]>().unwrap().copy_from_host(&[[7, 8], [9, 10], [11, 12]]).unwrap();
        assert_eq!(x.to_host().unwrap(), [7, 8, 9, 10, 11, 12]);
        let pairs = Device::cpu().to_device(&[[1.0f64, 2.0], [3.0, 4.0]]).unwrap();
        assert_eq!(pairs.cast::<f64>().unwrap().to_host().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(pairs.slice(1..).unwrap().cast::<f64>().unwrap().to_host().unwrap(), [3.0, 4.0]);
        assert_eq!(pairs.cast::<[[f64; 2]; 2]>().unwrap().len(), 1);
        // An empty array is a multiple of any element size.
        let nothing = Device::cpu().zeros::<u8>(0).unwrap();
        assert!(nothing.cast::<[u8; 16]>().unwrap().is_empty());
    }

    #[test]
    fn a_remainder_is_an_error() {
        let x = Device::cpu().to_device(&[0u32; 7]).unwrap();
        let error = x.cast::<[u32; 4]>().unwrap_err();
        let Error::Shape(ShapeError::CastLength { elements: 7, .. }) = &error else { panic!("{error:?}") };
        assert!(error.to_string().contains("cannot cast 7 elements of u32 to a whole number of [u32; 4]"), "{error}");
        assert_eq!(x.slice(3..).unwrap().cast::<[u32; 4]>().unwrap().len(), 1);
    }
}
