//! Launch symbols: the numbers that the host knows at a launch.

use crate::ir::Scalar;

/// A number that is the same for all threads of a launch, and that the host knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaunchSymbol {
    /// The value of a parameter of the emitted kernel: a length, a stride, or an integer argument.
    Param {
        /// The position among the parameters of the emitted kernel.
        index: usize,
        /// The type of the parameter.
        scalar: Scalar,
    },
    /// The number of blocks along an axis.
    GridDim(Axis),
    /// The number of threads of a block along an axis.
    BlockDim(Axis),
    /// The size in bytes of a block's dynamic shared memory.
    DynamicSharedBytes,
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
