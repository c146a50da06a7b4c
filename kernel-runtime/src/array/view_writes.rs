//! Writes of the host into views: contiguous runs of elements are copied or filled one by one.
//!
//! The gaps between the elements of a strided view belong to others, who may write them concurrently, so that a view is
//! never written as a whole.

use crate::array::slice::with_bytes_of;
use crate::array::view::ArrayView;
use crate::array::{HostArray, check_length};
use crate::error::{Result, ShapeError};
use crate::handles::access::Writable;
use crate::types::DeviceType;

/// Returns the length of the runs of elements that are contiguous in each of several views of one shape, and the offsets of
/// each run in these views, in row-major order.
fn runs<const D: usize, const N: usize>(
    shape: [usize; D],
    strides: [[usize; D]; N],
) -> (usize, impl Iterator<Item = [usize; N]>) {
    let (mut run, mut outer) = (1, D);
    while outer > 0
        && (shape[outer - 1] == 1 || strides.iter().all(|strides| strides[outer - 1] == run))
        && !shape.contains(&0)
    {
        run *= shape[outer - 1];
        outer -= 1;
    }
    let number = if shape.contains(&0) { 0 } else { shape[..outer].iter().product() };
    let offsets = (0..number).map(move |mut index| {
        let mut offsets = [0; N];
        for axis in (0..outer).rev() {
            for (offset, strides) in offsets.iter_mut().zip(&strides) {
                *offset += index % shape[axis] * strides[axis];
            }
            index /= shape[axis];
        }
        offsets
    });
    (run, offsets)
}

impl<T: DeviceType, const D: usize, M: Writable> ArrayView<'_, T, D, M> {
    /// Overwrites the elements with `values`, in row-major order, after all earlier work that accesses them.
    ///
    /// A contiguous view is copied at once. For a strided view of a GPU, each run of contiguous elements is a copy that the call
    /// waits for: one per row of a range of columns, and one per element of a column.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?;
    /// x.reshape_mut((2, 3))?.column(1)?.copy_from_host(&[20, 50])?;
    /// assert_eq!(x.to_host()?, [1, 20, 3, 4, 50, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_from_host`](crate::DeviceArray::copy_from_host). After a CUDA driver error, some of the
    /// elements may have been written.
    pub fn copy_from_host(&mut self, values: &(impl HostArray<Element = T> + ?Sized)) -> Result<()> {
        let values = values.elements()?;
        check_length("copy_from_host", values.len(), self.len())?;
        let (run, offsets) = runs(self.shape(), [self.strides()]);
        let start = self.bytes().start;
        for ([offset], values) in offsets.zip(values.chunks_exact(run)) {
            let at = start + offset * size_of::<T>();
            // SAFETY: the run has as many elements as the chunk, and is in bounds of the view, which is borrowed mutably.
            unsafe { self.memory().write(None, at..at + size_of_val(values), values.as_ptr().cast()) }?;
        }
        Ok(())
    }

    /// Overwrites the elements with those of a view of the same shape, which may be on another device. Later work on either
    /// is ordered after the copy. The call only waits for the copy if one of them is on the CPU device.
    ///
    /// Each run of elements that is contiguous in both views is one copy: all of them, if both are contiguous.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1, 2, 3, 4])?;
    /// let mut y = device.zeros(4)?;
    /// y.reshape_mut((2, 2))?.copy_from(&x.reshape((2, 2))?.t())?;
    /// assert_eq!(y.to_host()?, [1, 3, 2, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ShapeError::Mismatch`](crate::error::ShapeError::Mismatch) if the shapes differ; otherwise as for
    /// [`DeviceArray::copy_from`](crate::DeviceArray::copy_from).
    pub fn copy_from<N>(&mut self, from: &ArrayView<'_, T, D, N>) -> Result<()> {
        if self.shape() != from.shape() {
            let (expected, found) = (self.shape().to_vec(), from.shape().to_vec());
            return Err(ShapeError::Mismatch { operation: "copy_from", expected, found }.into());
        }
        let (run, offsets) = runs(self.shape(), [from.strides(), self.strides()]);
        let (source, target) = (from.bytes().start, self.bytes().start);
        let (stream, size) = (self.memory().home(), size_of::<T>());
        for [from_offset, to_offset] in offsets {
            let start = source + from_offset * size;
            // SAFETY: both runs are in bounds of their views, which do not overlap, since this one is borrowed mutably.
            unsafe {
                let bytes = start..start + run * size;
                from.memory().copy_to(&stream, bytes, self.memory(), target + to_offset * size)?;
            }
        }
        Ok(())
    }

    /// Sets all elements to `value`, on the device: by one operation for each run of contiguous elements.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().zeros(6)?;
    /// x.reshape_mut((2, 3))?.slice(.., 1..)?.fill(7)?;
    /// assert_eq!(x.to_host()?, [0, 7, 7, 0, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn fill(&mut self, value: T) -> Result<()> {
        let (run, offsets) = runs(self.shape(), [self.strides()]);
        let (start, stream, size) = (self.bytes().start, self.memory().home(), size_of::<T>());
        with_bytes_of(value, |element| {
            for [offset] in offsets {
                let at = start + offset * size;
                // SAFETY: the run is in bounds of the view, which is borrowed mutably.
                unsafe { self.memory().fill(&stream, at..at + run * size, element) }?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::runs;
    use crate::{Device, Error};

    #[test]
    fn runs_are_contiguous_in_all_views() {
        let check = |shape, strides, run, expected: &[[usize; 1]]| {
            let (found, offsets) = runs::<3, 1>(shape, [strides]);
            assert_eq!((found, &offsets.collect::<Vec<_>>()[..]), (run, expected), "{shape:?} {strides:?}");
        };
        check([2, 3, 4], [12, 4, 1], 24, &[[0]]);
        check([2, 3, 2], [12, 4, 1], 2, &[[0], [4], [8], [12], [16], [20]]);
        check([2, 1, 4], [12, 4, 1], 4, &[[0], [12]]);
        check([2, 2, 4], [24, 4, 1], 8, &[[0], [24]]);
        check([2, 1, 2], [1, 9, 2], 1, &[[0], [2], [1], [3]]);
        check([2, 0, 4], [12, 4, 1], 1, &[]);
        let (run, offsets) = runs([2, 2], [[2, 1], [1, 2]]);
        assert_eq!((run, offsets.collect::<Vec<_>>()), (1, vec![[0, 0], [1, 2], [2, 1], [3, 3]]));
    }

    #[test]
    fn writes_leave_the_gaps() {
        let device = Device::cpu();
        let mut x = device.to_device(&(0..24).collect::<Vec<i32>>()).unwrap();
        let mut part = x.reshape_mut((2, 3, 4)).unwrap().slice(.., 1.., 2..).unwrap();
        part.copy_from_host(&[-1, -2, -3, -4, -5, -6, -7, -8]).unwrap();
        assert_eq!(part.to_host().unwrap(), [-1, -2, -3, -4, -5, -6, -7, -8]);
        assert!(matches!(part.copy_from_host(&[1]), Err(Error::LengthMismatch { from: 1, to: 8, .. })));
        part.t().fill(9).unwrap();
        let inside = |i: i32| i % 12 / 4 >= 1 && i % 4 >= 2;
        let expected: Vec<i32> = (0..24).map(|i| if inside(i) { 9 } else { i }).collect();
        assert_eq!(x.to_host().unwrap(), expected);
        x.reshape_mut((6, 4)).unwrap().slice(2..2, ..).unwrap().fill(1).unwrap();
        assert_eq!(x.to_host().unwrap(), expected);
    }

    #[test]
    fn views_are_copied_by_shape() {
        let device = Device::cpu();
        let x = device.to_device(&[1u16, 2, 3, 4, 5, 6]).unwrap();
        let mut y = device.zeros(8).unwrap();
        let matrix = x.reshape((2, 3)).unwrap();
        let mut target = y.reshape_mut((4, 2)).unwrap().slice(..3, ..).unwrap();
        target.copy_from(&matrix.t()).unwrap();
        assert!(matches!(target.copy_from(&matrix), Err(Error::Shape(_))));
        assert_eq!(y.to_host().unwrap(), [1, 4, 2, 5, 3, 6, 0, 0]);
        let (mut left, right) = y.reshape_mut((4, 2)).unwrap().split_at(1, 1).unwrap();
        left.copy_from(&right).unwrap();
        assert_eq!(y.to_host().unwrap(), [4, 4, 5, 5, 6, 6, 0, 0]);
    }

    #[test]
    fn steps_skip_elements() {
        let device = Device::cpu();
        let mut x = device.to_device(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        assert_eq!(x.reshape(8).unwrap().step(3).unwrap().to_host().unwrap(), [0, 3, 6]);
        let matrix = x.reshape((2, 4)).unwrap();
        assert_eq!(matrix.step_axis(1, 2).unwrap().to_host().unwrap(), [0, 2, 4, 6]);
        assert_eq!(matrix.step_axis(0, usize::MAX).unwrap().to_host().unwrap(), [0, 1, 2, 3]);
        assert_eq!(matrix.slice(.., 1..).unwrap().step_axis(1, 2).unwrap().shape(), [2, 2]);
        assert!(matches!(matrix.step_axis(1, 0), Err(Error::Shape(_))));
        assert!(matches!(matrix.step_axis(2, 1), Err(Error::Shape(_))));
        assert_eq!(x.reshape_mut((2, 4)).unwrap().slice(.., 4..).unwrap().step_axis(1, 2).unwrap().len(), 0);
        x.reshape_mut(8).unwrap().step(2).unwrap().fill(-1).unwrap();
        assert_eq!(x.to_host().unwrap(), [-1, 1, -1, 3, -1, 5, -1, 7]);
    }
}
