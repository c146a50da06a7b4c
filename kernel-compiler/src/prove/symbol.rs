//! Launch symbols: the numbers that the host knows at a launch.

use crate::ir::Scalar;
use crate::lower::{Axis, Function, Quantity};

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

impl LaunchSymbol {
    /// Returns the value whose bits, extended to 64 bits, are these.
    pub fn value(self, bits: u64) -> i128 {
        if self.is_signed() { bits.cast_signed().into() } else { bits.into() }
    }

    pub(super) fn is_signed(self) -> bool {
        match self {
            LaunchSymbol::Param { scalar, .. } => {
                matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
            }
            LaunchSymbol::GridDim(_) | LaunchSymbol::BlockDim(_) | LaunchSymbol::DynamicSharedBytes => false,
        }
    }
}

/// Returns what a launch symbol is in the user's terms.
pub(super) fn quantity(kernel: &Function, symbol: LaunchSymbol) -> Quantity {
    match symbol {
        LaunchSymbol::GridDim(axis) => Quantity::GridDim(axis),
        LaunchSymbol::BlockDim(axis) => Quantity::BlockDim(axis),
        LaunchSymbol::DynamicSharedBytes => Quantity::SharedBytes,
        LaunchSymbol::Param { index, scalar: _ } => {
            kernel.quantities.get(index).cloned().unwrap_or_else(|| Quantity::Argument(format!("parameter {index}")))
        }
    }
}
