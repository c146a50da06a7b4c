//! The numbers of a launch, in the user's terms.

use std::fmt;

/// A number that is the same for all threads of a launch. `Display` is the expression that the user would write for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// A scalar parameter, or a part of a tuple: `n`, `size.0`.
    Argument(String),
    /// The length of a slice.
    Length(String),
    /// The length of a view along a dimension.
    Shape(String, usize),
    /// The stride of a view along a dimension, in elements.
    Stride(String, usize),
    /// The number of blocks along an axis.
    GridDim(Axis),
    /// The number of threads of a block along an axis.
    BlockDim(Axis),
    /// The size in bytes of a block's dynamic shared memory.
    SharedBytes,
}

/// An axis of the grid and its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// `x`
    X,
    /// `y`
    Y,
    /// `z`
    Z,
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Argument(name) => f.write_str(name),
            Quantity::Length(of) => write!(f, "{of}.len()"),
            Quantity::Shape(of, dimension) => write!(f, "{of}.shape()[{dimension}]"),
            Quantity::Stride(of, dimension) => write!(f, "{of}.strides()[{dimension}]"),
            Quantity::GridDim(axis) => write!(f, "grid_dim().{axis}"),
            Quantity::BlockDim(axis) => write!(f, "block_dim().{axis}"),
            Quantity::SharedBytes => f.write_str("shared_bytes"),
        }
    }
}
