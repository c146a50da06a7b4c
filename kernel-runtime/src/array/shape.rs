//! Shapes and strides of arrays.

use crate::error::{Result, ShapeError};

/// A shape that a [`DeviceArray`](crate::DeviceArray) can be reshaped to: `()` for a single element, a length, `(rows,
/// columns)`, `(planes, rows, columns)`, `(volumes, planes, rows, columns)`, or an array of these lengths.
pub trait Shape<const D: usize> {
    /// Returns the length of each dimension, in row-major order: the last dimension varies fastest.
    fn lengths(self) -> [usize; D];
}

impl<const D: usize> Shape<D> for [usize; D] {
    fn lengths(self) -> [usize; D] {
        self
    }
}

impl Shape<0> for () {
    fn lengths(self) -> [usize; 0] {
        []
    }
}

impl Shape<1> for usize {
    fn lengths(self) -> [usize; 1] {
        [self]
    }
}

impl Shape<2> for (usize, usize) {
    fn lengths(self) -> [usize; 2] {
        [self.0, self.1]
    }
}

impl Shape<3> for (usize, usize, usize) {
    fn lengths(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

impl Shape<4> for (usize, usize, usize, usize) {
    fn lengths(self) -> [usize; 4] {
        [self.0, self.1, self.2, self.3]
    }
}

/// Returns the number of elements of a shape; `None` on overflow.
fn count<const D: usize>(shape: &[usize; D]) -> Option<usize> {
    // With a length of 0 the other lengths are irrelevant, even if their product overflows.
    if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1usize, |count, &len| count.checked_mul(len)) }
}

/// Checks that a shape has this number of elements.
///
/// # Errors
///
/// [`ShapeError::Reshape`].
pub(crate) fn check<const D: usize>(shape: &[usize; D], elements: usize) -> Result<(), ShapeError> {
    if count(shape) == Some(elements) { Ok(()) } else { Err(ShapeError::Reshape { elements, shape: shape.to_vec() }) }
}

/// Returns the strides, in elements, of a contiguous row-major array.
pub(crate) fn row_major<const D: usize>(shape: &[usize; D]) -> [usize; D] {
    let mut strides = [1usize; D];
    for axis in (1..D).rev() {
        // An empty array's product may overflow; its strides are never used.
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// Returns the distance, in elements, from the first element of a view to one past its last. Cannot overflow, since a
/// view is in bounds of an array.
pub(crate) fn reach<const D: usize>(shape: &[usize; D], strides: &[usize; D]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    let last: usize = shape.iter().zip(strides).map(|(len, stride)| (len - 1) * stride).sum();
    last + 1
}

/// Returns whether the elements of a view are contiguous in row-major order. The stride of a dimension of length 1 is
/// irrelevant.
#[inline]
pub(crate) fn is_contiguous<const D: usize>(shape: &[usize; D], strides: &[usize; D]) -> bool {
    let mut expected = 1usize;
    let mut all = true;
    for (&len, &stride) in shape.iter().zip(strides).rev() {
        all &= len == 1 || stride == expected;
        // An empty array's product may overflow; it is never used.
        expected = expected.saturating_mul(len);
    }
    all || shape.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_elements_must_match() {
        assert!(check(&[2, 3], 6).is_ok() && check(&[0, usize::MAX, 2], 0).is_ok());
        assert!(check(&[2, 3], 5).is_err() && check(&[usize::MAX, 2], 0).is_err());
    }

    #[test]
    fn reach_and_contiguity_follow_from_strides() {
        let shape = [2, 3, 4];
        let strides = row_major(&shape);
        assert_eq!((strides, reach(&shape, &strides)), ([12, 4, 1], 24));
        assert!(is_contiguous(&shape, &strides) && is_contiguous(&[0, 3], &[1, 1]));
        // One column of a matrix with four columns; the transpose; a single row, whatever its stride is.
        assert!(
            !is_contiguous(&[3, 1], &[4, 1]) && !is_contiguous(&[3, 2], &[1, 3]) && is_contiguous(&[1, 3], &[7, 1])
        );
        assert_eq!((reach(&[3, 1], &[4, 1]), reach(&[0, 5], &[5, 1])), (9, 0));
    }
}
