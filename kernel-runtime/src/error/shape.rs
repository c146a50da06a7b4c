//! Shape errors: why a slice or a view of an array is invalid.

use thiserror::Error;

/// Why a slice or an [`ArrayView`](crate::ArrayView) of an array is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Lengths whose product is not the number of elements.
    #[error(
        "cannot reshape {} to {}\n  help: the product of the lengths must be {elements}; `array.slice(..n)?` is a part of the array",
        counted(*elements),
        tuple(shape)
    )]
    Reshape {
        /// The number of elements.
        elements: usize,
        /// The requested shape.
        shape: Vec<usize>,
    },
    /// An index out of bounds.
    #[error("index {index} out of bounds for dimension {axis} of length {len}")]
    Index {
        /// The requested index.
        index: usize,
        /// The dimension, from 0.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// A range that is reversed or out of bounds.
    #[error("{}", describe_range(*start, *end, *axis, *len))]
    Range {
        /// The start of the range.
        start: usize,
        /// The end of the range, exclusive.
        end: usize,
        /// The dimension, from 0.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// An array of `ndarray` that is not contiguous in row-major order.
    #[error(
        "an array of shape {} and strides {strides:?} is not contiguous\n  help: `array.as_standard_layout()` returns a contiguous copy",
        tuple(shape)
    )]
    NotContiguous {
        /// Its shape.
        shape: Vec<usize>,
        /// The stride of each dimension, in elements.
        strides: Vec<isize>,
    },
    /// A cast of elements whose size is not a multiple of the other element type's.
    #[error(
        "cannot cast {} of {from} to a whole number of {to}\n  help: cast a slice whose size is a multiple: `array.slice(..n)?`",
        counted(*elements)
    )]
    CastLength {
        /// The number of elements.
        elements: usize,
        /// Their type.
        from: &'static str,
        /// The requested element type.
        to: &'static str,
    },
    /// A cast of elements whose address is misaligned for the other element type.
    #[error(
        "cannot cast a slice of {from} to {to}, which requires an alignment of {needed} bytes\n  help: start the slice at a multiple of {needed} bytes"
    )]
    CastAlignment {
        /// The type of the elements.
        from: &'static str,
        /// The requested element type.
        to: &'static str,
        /// The alignment of the requested type, in bytes.
        needed: usize,
    },
    /// A view whose shape does not fit the other arguments of an operation.
    #[error("{operation}: expected an array of shape {}, but found {}", tuple(expected), tuple(found))]
    Mismatch {
        /// The operation.
        operation: &'static str,
        /// The shape that fits.
        expected: Vec<usize>,
        /// The shape of the view.
        found: Vec<usize>,
    },
    /// A step of 0.
    #[error("the step of dimension {axis} is 0\n  help: a step of 1 takes every element")]
    ZeroStep {
        /// The dimension, from 0.
        axis: usize,
    },
    /// A dimension that the view does not have.
    #[error("dimension {axis} does not exist in a view of {dimensions} dimensions")]
    Axis {
        /// The requested dimension, from 0.
        axis: usize,
        /// The number of dimensions.
        dimensions: usize,
    },
}

/// Renders a number of elements.
pub(super) fn counted(elements: usize) -> String {
    format!("{elements} element{}", if elements == 1 { "" } else { "s" })
}

/// Renders a shape as a tuple, such as `(2, 3)`.
fn tuple(shape: &[usize]) -> String {
    format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

/// Renders why a range is invalid. The end of `5..` is the length, so that only its start is out of bounds.
fn describe_range(start: usize, end: usize, axis: usize, len: usize) -> String {
    if start > end && end != len {
        format!("range {start}..{end} of dimension {axis} starts after its end\n  help: write `{end}..{start}`")
    } else if start > end {
        format!("range {start}.. out of bounds for dimension {axis} of length {len}")
    } else {
        format!("range {start}..{end} out of bounds for dimension {axis} of length {len}")
    }
}
