//! CUDA driver errors: status codes with the call that returned them.
//!
//! A status stays an integer: a driver newer than the bindings may return codes that they do not define. The driver
//! itself names and describes a status (`driver.rs`).

use std::ffi::c_uint;

/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(crate) const OUT_OF_MEMORY: c_uint = 2;

/// `CUDA_ERROR_DEINITIALIZED`: the driver is being unloaded. The process is ending, and all CUDA resources are already
/// gone.
pub(crate) const DEINITIALIZED: c_uint = 4;

/// `CUDA_ERROR_UNKNOWN`: an internal error without further details.
pub const UNKNOWN: c_uint = 999;

/// `CUDA_ERROR_NOT_READY`: the queried work has not completed.
pub(crate) const NOT_READY: c_uint = 600;

/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
pub(crate) const PEER_ACCESS_ALREADY_ENABLED: c_uint = 704;

/// `CUDA_ERROR_NOT_PERMITTED`.
pub(crate) const NOT_PERMITTED: c_uint = 800;

/// `CUDA_ERROR_NOT_SUPPORTED`.
pub(crate) const NOT_SUPPORTED: c_uint = 801;

/// A status other than success. Small and free of allocations, to keep the launch path short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaError {
    /// The name of the driver function.
    pub call: &'static str,
    /// The status code.
    pub code: c_uint,
}

impl CudaError {
    /// Returns whether an allocation exceeded the available memory.
    pub fn is_out_of_memory(self) -> bool {
        self.code == OUT_OF_MEMORY
    }

    /// Returns whether the context is corrupted: a sticky error is returned by every later call of the process.
    pub(crate) fn is_sticky(self) -> bool {
        // ECC_UNCORRECTABLE, CONTAINED, then ILLEGAL_ADDRESS and the other exceptions that a kernel can raise: those
        // documented in `CUresult` with "the process must be terminated and relaunched".
        matches!(self.code, 214 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721)
    }
}
