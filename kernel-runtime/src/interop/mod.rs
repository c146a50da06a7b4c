//! Interoperation with the types of other crates, each behind a feature of the same name.

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "ndarray")]
mod ndarray;
