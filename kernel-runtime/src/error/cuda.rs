//! Conversions of the driver layer's errors.

use super::CompileError;
use crate::cuda::{SearchError, UnsupportedArchitecture};

impl From<SearchError> for CompileError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::NoNvrtc { searched } => CompileError::NoNvrtc { searched },
            SearchError::BadNvrtc { path, reason } => CompileError::BadNvrtc { path, reason },
        }
    }
}

impl From<UnsupportedArchitecture> for CompileError {
    fn from(error: UnsupportedArchitecture) -> Self {
        let UnsupportedArchitecture { architecture, version, message } = error;
        CompileError::UnsupportedArchitecture { architecture, version: version.to_string(), message }
    }
}
