//! What of the developers' tool the tests use too: the generator of random kernels.

pub mod program;
pub mod random;
