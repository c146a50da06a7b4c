//! Launch predicates: conditions on the numbers of a launch under which checks can be left out.

use crate::ir::Scalar;

/// A dimension of a grid or of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// The first dimension.
    X,
    /// The second dimension.
    Y,
    /// The third dimension.
    Z,
}

/// A number that the host knows at a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchSymbol {
    /// The value of a C parameter of the kernel: a length, a stride, or an integer argument.
    Param {
        /// The position among the C parameters: a slice takes two, its pointer and its length.
        index: usize,
        /// The type. On the host, `usize` has 64 bits.
        scalar: Scalar,
    },
    /// The number of blocks of the grid, after rounding to blocks and clusters.
    GridDim(Axis),
    /// The number of threads of a block.
    BlockDim(Axis),
    /// The size in bytes of a block's dynamic shared memory.
    DynamicSharedBytes,
}

/// A condition on the numbers of a launch, under which no thread violates a check that [`Variant::Proven`] omits.
///
/// [`Variant::Proven`]: crate::Variant::Proven
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    symbols: Vec<LaunchSymbol>,
}

impl Predicate {
    /// Returns the condition that a one-dimensional grid has at most as many threads as each of these lengths, which
    /// are C parameters.
    pub(super) fn grid_within(lengths: impl IntoIterator<Item = usize>) -> Predicate {
        let shape = [LaunchSymbol::GridDim(Axis::X), LaunchSymbol::BlockDim(Axis::X)];
        let lengths = lengths.into_iter().map(|index| LaunchSymbol::Param { index, scalar: Scalar::Usize });
        Predicate { symbols: shape.into_iter().chain(lengths).collect() }
    }

    /// Returns the symbols that the condition reads, without duplicates.
    pub fn symbols(&self) -> &[LaunchSymbol] {
        &self.symbols
    }

    /// Returns whether the condition holds. `values[i]` is the value of `symbols()[i]`.
    pub fn holds(&self, values: &[i128]) -> bool {
        let &[grid, block, ref lengths @ ..] = values else { return false };
        let within = |threads: i128| lengths.iter().all(|len| threads <= *len);
        values.len() == self.symbols.len() && grid.checked_mul(block).is_some_and(within)
    }
}
