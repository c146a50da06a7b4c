//! Algorithms on rows: transposition, reductions of rows and of segments, softmax and layer normalisation.

pub(crate) mod reduce_rows;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod transpose;
