//! Why a slice or a view cannot be made.

use thiserror::Error;

/// Why a slice or an [`ArrayView`](crate::ArrayView) cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Lengths that do not multiply to that of the array.
    #[error("an array of {elements} elements has not the shape {}", by(shape))]
    Reshape {
        /// Elements of the array.
        elements: usize,
        /// As asked for.
        shape: Vec<usize>,
    },
    /// An index that is not below the length.
    #[error("index {index} of dimension {axis}, whose length is {len}")]
    Index {
        /// As asked for.
        index: usize,
        /// The dimension, from 0.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// A range that is reversed or not inside.
    #[error("range {start}..{end} of dimension {axis}, whose length is {len}")]
    Range {
        /// Where it starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// The dimension, from 0.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// An array of `ndarray` whose elements do not follow each other in memory, in the order of its indices.
    #[error(
        "an array of shape {} and strides {strides:?} is not contiguous\n  help: `array.as_standard_layout()` gives a copy that is",
        by(shape)
    )]
    NotContiguous {
        /// Its shape.
        shape: Vec<usize>,
        /// How many elements lie between neighbours of each dimension.
        strides: Vec<isize>,
    },
    /// Elements that do not make whole elements of another type.
    #[error(
        "{elements} elements of {from} are no whole number of {to}\n  help: cast a part that is: `array.slice(..n)?`"
    )]
    CastLength {
        /// How many there are.
        elements: usize,
        /// Their type.
        from: &'static str,
        /// The other type.
        to: &'static str,
    },
    /// A first element that does not stand where one of another type can.
    #[error(
        "a {to} begins at a multiple of {needed} bytes, and this part of an array of {from} does not\n  help: begin the part at a multiple of that"
    )]
    CastAlignment {
        /// The type of the elements.
        from: &'static str,
        /// The other type.
        to: &'static str,
        /// The alignment of the other type, in bytes.
        needed: usize,
    },
    /// A dimension that the view does not have.
    #[error("dimension {axis} of a view of {dimensions}")]
    Axis {
        /// As asked for, from 0.
        axis: usize,
        /// How many there are.
        dimensions: usize,
    },
}

/// The lengths of the dimensions, as in `2 × 3`.
fn by(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}
