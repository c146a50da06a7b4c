//! Interoperation with the arrays of the crate `ndarray`.

use ndarray::{Array, ArrayBase, Axis, Data, DataMut, Dim, Dimension, IntoDimension};

use crate::argument::HostView;
use crate::array::host::{HostArray, HostArrayMut};
use crate::array::view::ArrayView;
use crate::error::{Error, Result, ShapeError};
use crate::handles::access::Access;
use crate::types::DeviceType;

/// Only contiguous row-major arrays, which is the default order of device views as well.
impl<T: DeviceType, S: Data<Elem = T>, D: Dimension> HostArray for ArrayBase<S, D> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        self.as_slice().ok_or_else(|| not_contiguous(self.shape(), self.strides()))
    }
}

impl<T: DeviceType, S: DataMut<Elem = T>, D: Dimension> HostArrayMut for ArrayBase<S, D> {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        let error = not_contiguous(self.shape(), self.strides());
        self.as_slice_mut().ok_or(error)
    }
}

macro_rules! shaped {
    ($($dimensions:literal),*) => {$(
        impl<T: DeviceType, S: Data<Elem = T>> HostView<$dimensions> for ArrayBase<S, Dim<[usize; $dimensions]>> {
            fn lengths(&self) -> [usize; $dimensions] {
                // The number of dimensions is part of the type.
                std::array::from_fn(|axis| self.len_of(Axis(axis)))
            }
        }
    )*};
}

shaped!(0, 1, 2, 3, 4);

fn not_contiguous(shape: &[usize], strides: &[isize]) -> Error {
    ShapeError::NotContiguous { shape: shape.to_vec(), strides: strides.to_vec() }.into()
}

impl<T: DeviceType, const D: usize, M: Access> ArrayView<'_, T, D, M>
where
    [usize; D]: IntoDimension<Dim = Dim<[usize; D]>>,
    Dim<[usize; D]>: Dimension,
{
    /// Copies the elements to an array of `ndarray`, after all earlier work that writes them.
    ///
    /// ```
    /// use cumbia::prelude::*;
    /// use ndarray::array;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// let x = Device::cpu().to_device(&matrix)?;
    /// assert_eq!(x.reshape((2, 3))?.to_ndarray()?, matrix);
    /// assert_eq!(x.reshape((2, 3))?.t().to_ndarray()?, matrix.t());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ArrayView::to_host`].
    pub fn to_ndarray(&self) -> Result<Array<T, Dim<[usize; D]>>> {
        let values = self.to_host()?;
        let shape = self.shape();
        Array::from_shape_vec(shape.into_dimension(), values)
            .map_err(|_| ShapeError::Reshape { elements: self.len(), shape: shape.to_vec() }.into())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array, s};

    use crate::{Device, Error, ShapeError};

    #[test]
    fn arrays_round_trip() {
        let device = Device::cpu();
        let matrix = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as i32);
        let x = device.to_device(&matrix).unwrap();
        assert_eq!(x.len(), 12);
        assert_eq!(x.reshape((3, 4)).unwrap().to_ndarray().unwrap(), matrix);
        // A range of rows is contiguous, a range of columns is not.
        assert_eq!(device.to_device(&matrix.slice(s![1.., ..])).unwrap().to_host().unwrap()[..2], [10, 11]);
        let part = x.reshape((3, 4)).unwrap().slice(.., 1..3).unwrap();
        assert_eq!(part.to_ndarray().unwrap(), matrix.slice(s![.., 1..3]));
        let mut into = Array1::zeros(12);
        x.copy_to_host(&mut into).unwrap();
        assert_eq!(into[11], 23);
    }

    #[test]
    fn non_contiguous_arrays_are_rejected() {
        let matrix = array![[1, 2, 3], [4, 5, 6]];
        let error = Device::cpu().to_device(&matrix.t()).unwrap_err();
        let Error::Shape(ShapeError::NotContiguous { shape, strides }) = &error else { panic!("{error}") };
        assert_eq!((&shape[..], &strides[..]), (&[3, 2][..], &[1, 3][..]));
        assert!(error.to_string().contains("help: "), "{error}");
        let owned = matrix.t().as_standard_layout().into_owned();
        assert_eq!(Device::cpu().to_device(&owned).unwrap().to_host().unwrap(), [1, 4, 2, 5, 3, 6]);
    }
}
