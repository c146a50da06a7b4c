//! Environment variables.

use std::ffi::OsString;

/// Returns the value of an environment variable. An empty value counts as unset.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
