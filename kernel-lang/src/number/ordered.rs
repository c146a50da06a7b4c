//! The [`OrderedElement`] trait.

use crate::definition::CalleeKey;
use crate::types::DeviceType;

/// A type of elements with a total order on a device, with the keys of the methods that need one. The key is a parameter of
/// these methods: with a projection such as `T::Max` in the type of the result, rustc would report that the method does
/// not exist, instead of this missing trait.
#[diagnostic::on_unimplemented(
    message = "`max`, `min` and `sort` of elements of type `{Self}` are not supported on a device",
    label = "the elements are not integers",
    note = "why: they need a total order; floats are only partially ordered, as in Rust",
    note = "help: for the greatest element write `for &v in x.iter() {{ greatest = greatest.max(v); }}`"
)]
pub trait OrderedElement: DeviceType + Ord {
    /// The key of `x.iter().copied().max()`.
    type Max: CalleeKey;
    /// The key of `x.iter().copied().min()`.
    type Min: CalleeKey;
    /// The key of `x.sort()`.
    type Sort: CalleeKey;
    /// The key of `x.sort_unstable()`.
    type SortUnstable: CalleeKey;
}
