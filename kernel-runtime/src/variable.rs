//! Variables of the environment.

use std::ffi::OsString;

/// What a variable is set to. One that is set to nothing is meant as not set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
