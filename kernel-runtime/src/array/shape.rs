//! Shapes, and how the elements of an array lie in them.

use crate::error::{Result, ShapeError};

/// What a [`DeviceArray`](crate::DeviceArray) can be reshaped to: a number, `(rows, columns)`, `(planes, rows, columns)`, or
/// these in an array.
pub trait Shape<const D: usize> {
    /// The length of each dimension, the one that varies fastest last.
    fn lengths(self) -> [usize; D];
}

impl<const D: usize> Shape<D> for [usize; D] {
    fn lengths(self) -> [usize; D] {
        self
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

/// How many elements an array of this shape has; `None` where they cannot be counted.
fn count<const D: usize>(shape: &[usize; D]) -> Option<usize> {
    // A length of 0 makes any other lengths nothing.
    if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1usize, |count, &len| count.checked_mul(len)) }
}

/// Refuses a shape that has another number of elements.
///
/// # Errors
///
/// [`ShapeError::Reshape`].
pub(crate) fn check<const D: usize>(shape: &[usize; D], elements: usize) -> Result<(), ShapeError> {
    if count(shape) == Some(elements) { Ok(()) } else { Err(ShapeError::Reshape { elements, shape: shape.to_vec() }) }
}

/// The strides of an array whose elements follow each other, the last dimension varying fastest.
pub(crate) fn row_major<const D: usize>(shape: &[usize; D]) -> [usize; D] {
    let mut strides = [1usize; D];
    for axis in (1..D).rev() {
        // Without elements the product may be too large, and is never used.
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// How many elements of the array lie from the first of a view to behind its last one. None of it wraps, for a view is inside
/// an array.
pub(crate) fn reach<const D: usize>(shape: &[usize; D], strides: &[usize; D]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    let last: usize = shape.iter().zip(strides).map(|(len, stride)| (len - 1) * stride).sum();
    last + 1
}

/// Whether the elements of a view follow each other, the last dimension varying fastest. Along a dimension of one element
/// nothing follows, whatever its stride is.
#[inline]
pub(crate) fn is_contiguous<const D: usize>(shape: &[usize; D], strides: &[usize; D]) -> bool {
    let mut expected = 1usize;
    let mut all = true;
    for (&len, &stride) in shape.iter().zip(strides).rev() {
        all &= len == 1 || stride == expected;
        // Without elements the product may be too large, and is never used.
        expected = expected.saturating_mul(len);
    }
    all || shape.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_as_many_elements_as_the_array() {
        assert!(check(&[2, 3], 6).is_ok() && check(&[0, usize::MAX, 2], 0).is_ok());
        assert!(check(&[2, 3], 5).is_err() && check(&[usize::MAX, 2], 0).is_err());
    }

    #[test]
    fn strides_say_where_a_view_ends_and_whether_it_has_gaps() {
        let shape = [2, 3, 4];
        let strides = row_major(&shape);
        assert_eq!((strides, reach(&shape, &strides)), ([12, 4, 1], 24));
        assert!(is_contiguous(&shape, &strides) && is_contiguous(&[0, 3], &[1, 1]));
        // One column of four; the transpose; one row, whatever the distance to the next would be.
        assert!(
            !is_contiguous(&[3, 1], &[4, 1]) && !is_contiguous(&[3, 2], &[1, 3]) && is_contiguous(&[1, 3], &[7, 1])
        );
        assert_eq!((reach(&[3, 1], &[4, 1]), reach(&[0, 5], &[5, 1])), (9, 0));
    }
}
