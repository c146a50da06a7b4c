//! CUDA driver errors: status codes with the call that returned them.
//!
//! A status stays an integer: a driver newer than the bindings may return codes that they do not define.

use std::ffi::{CStr, c_char, c_uint};

use super::driver::Driver;
use crate::error::{DriverFailure, Error};

/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(super) const OUT_OF_MEMORY: c_uint = 2;

/// `CUDA_ERROR_DEINITIALIZED`: the driver is being unloaded. The process is ending, and all CUDA resources are already
/// gone.
pub(super) const DEINITIALIZED: c_uint = 4;

/// `CUDA_ERROR_UNKNOWN`: an internal error without further details.
#[cfg(feature = "cudarc")]
pub(crate) const UNKNOWN: c_uint = 999;

/// `CUDA_ERROR_NOT_READY`: the queried work has not completed.
pub(super) const NOT_READY: c_uint = 600;

/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
pub(super) const PEER_ACCESS_ALREADY_ENABLED: c_uint = 704;

/// `CUDA_ERROR_NOT_SUPPORTED`.
pub(super) const NOT_SUPPORTED: c_uint = 801;

/// A status other than success. Small and free of allocations, to keep the launch path short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CudaError {
    /// The name of the driver function.
    pub(crate) call: &'static str,
    /// The status code.
    pub(crate) code: c_uint,
}

impl CudaError {
    /// Returns the failure of `cuInit` with this status.
    pub(super) fn driver_failure(self, driver: &Driver) -> DriverFailure {
        DriverFailure::Init { code: self.code, name: self.name(driver), message: self.message(driver) }
    }

    /// Returns the name of the status, such as `CUDA_ERROR_INVALID_VALUE`.
    pub(crate) fn name(self, driver: &Driver) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the write; an unknown code yields a null pointer.
        let known = unsafe { driver.cuGetErrorName(self.code, &raw mut text) };
        // SAFETY: on success the driver returns a string that lives as long as the library.
        known.ok().and_then(|()| unsafe { text_of(text) }).unwrap_or_else(|| format!("CUDA error {}", self.code))
    }

    /// Returns the driver's description of the status.
    pub(crate) fn message(self, driver: &Driver) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the write; an unknown code yields a null pointer.
        let known = unsafe { driver.cuGetErrorString(self.code, &raw mut text) };
        // SAFETY: on success the driver returns a string that lives as long as the library.
        known.ok().and_then(|()| unsafe { text_of(text) }).unwrap_or_else(|| "no description".to_owned())
    }

    /// Returns whether the context is corrupted: a sticky error is returned by every later call of the process.
    fn is_sticky(self) -> bool {
        // ECC_UNCORRECTABLE, CONTAINED, then ILLEGAL_ADDRESS and the other exceptions that a kernel can raise: those
        // documented in `CUresult` with "the process must be terminated and relaunched".
        matches!(self.code, 214 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721)
    }
}

impl From<CudaError> for Error {
    #[cold]
    fn from(error: CudaError) -> Error {
        match Driver::get() {
            Ok(driver) => {
                let mut message = error.message(driver);
                if error.is_sticky() {
                    message.push_str(
                        "; the CUDA context is lost, and the process must be restarted to use this GPU again",
                    );
                }
                Error::Driver { call: error.call, name: error.name(driver), message }
            }
            Err(no_driver) => no_driver.into(),
        }
    }
}

/// # Safety
///
/// `text` is null or a C string.
unsafe fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: upheld by the caller.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
