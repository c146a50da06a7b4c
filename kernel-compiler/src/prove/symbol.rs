//! Launch symbols: the numbers that the host knows at a launch.

use crate::ir::Scalar;
use crate::lower::Function;

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

/// Returns the name of a launch symbol in the user's terms.
pub(super) fn symbol_name(kernel: &Function, symbol: LaunchSymbol) -> String {
    let axis = |axis: Axis| match axis {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    };
    match symbol {
        LaunchSymbol::GridDim(of) => format!("grid_dim().{}", axis(of)),
        LaunchSymbol::BlockDim(of) => format!("block_dim().{}", axis(of)),
        LaunchSymbol::DynamicSharedBytes => "shared_bytes".to_owned(),
        LaunchSymbol::Param { index, scalar: _ } => {
            let hint = |index: usize| kernel.params.get(index).map_or("", |param| &kernel.vars[param.index()].hint);
            let name = hint(index);
            // The numbers of a slice or a view follow its pointer: see `lower::variable`.
            let of = (0..index).rev().map(hint).find_map(|of| Some((of, name.strip_prefix(of)?)));
            match of.map(|(of, rest)| (of, rest.trim_start_matches('_'))) {
                Some((of, "len")) => format!("{of}.len()"),
                Some((of, rest)) if rest.starts_with("len_") => format!("{of}.shape()[{}]", &rest[4..]),
                Some((of, rest)) if rest.starts_with("stride_") => format!("{of}.strides()[{}]", &rest[7..]),
                _ => name.to_owned(),
            }
        }
    }
}

/// Returns whether a launch symbol is the length of a slice.
pub(super) fn is_length(kernel: &Function, symbol: LaunchSymbol) -> bool {
    symbol_name(kernel, symbol).ends_with(".len()")
}
