//! What the driver answers where it does not do what it is asked: its status, and what that means.
//!
//! A status stays a number: a driver that is newer than the bindings has more of them than these know.

use std::ffi::{CStr, c_char, c_uint};

use super::driver::Driver;
use crate::error::{DriverFailure, Error};

/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(super) const OUT_OF_MEMORY: c_uint = 2;

/// `CUDA_ERROR_DEINITIALIZED`: the driver is being unloaded. The process ends, and everything of it is gone already.
pub(super) const DEINITIALIZED: c_uint = 4;

/// `CUDA_ERROR_UNKNOWN`: something went wrong, and nobody said what.
#[cfg(feature = "cudarc")]
pub(crate) const UNKNOWN: c_uint = 999;

/// `CUDA_ERROR_NOT_READY`: what a query asks for is not done yet.
pub(super) const NOT_READY: c_uint = 600;

/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
pub(super) const PEER_ACCESS_ALREADY_ENABLED: c_uint = 704;

/// `CUDA_ERROR_NOT_SUPPORTED`.
pub(super) const NOT_SUPPORTED: c_uint = 801;

/// A status other than success. Small and without allocation, so that the path of a launch stays short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The driver's function.
    pub(crate) call: &'static str,
    /// Its status.
    pub(crate) code: c_uint,
}

impl Refusal {
    /// Returns the failure of `cuInit` with this status.
    pub(super) fn driver_failure(self, driver: &Driver) -> DriverFailure {
        DriverFailure::Init { code: self.code, name: self.name(driver), message: self.message(driver) }
    }

    /// CUDA's name of the status.
    pub(crate) fn name(self, driver: &Driver) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the write; an unknown code is answered with a null pointer.
        let known = unsafe { driver.cuGetErrorName(self.code, &raw mut text) };
        // SAFETY: on success the driver gives a string that lives as long as the library.
        known.ok().and_then(|()| unsafe { text_of(text) }).unwrap_or_else(|| format!("CUDA error {}", self.code))
    }

    /// CUDA's description of the status.
    pub(crate) fn message(self, driver: &Driver) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the write; an unknown code is answered with a null pointer.
        let known = unsafe { driver.cuGetErrorString(self.code, &raw mut text) };
        // SAFETY: on success the driver gives a string that lives as long as the library.
        known.ok().and_then(|()| unsafe { text_of(text) }).unwrap_or_else(|| "no description".to_owned())
    }

    /// Whether the context is lost: these are reported by every later call of the process too.
    fn is_sticky(self) -> bool {
        // ECC_UNCORRECTABLE, CONTAINED, then ILLEGAL_ADDRESS and the other exceptions that a kernel can raise, as listed
        // in the manual's `CUresult` with "the process must be terminated and relaunched".
        matches!(self.code, 214 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721)
    }
}

impl From<Refusal> for Error {
    #[cold]
    fn from(refusal: Refusal) -> Error {
        match Driver::get() {
            Ok(driver) => {
                let mut message = refusal.message(driver);
                if refusal.is_sticky() {
                    message.push_str("; this process has lost the GPU and must be started anew to use it again");
                }
                Error::Driver { call: refusal.call, name: refusal.name(driver), message }
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
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
