//! The memory layout of views.

/// The memory layout of the views that a launch is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// All views are contiguous, or there are no views.
    Contiguous,
    /// The elements are at the strides of the views.
    Strided,
}
