//! Errors of NVRTC: none is found, or it does not compile a source.

use std::fmt;
use std::path::PathBuf;

use super::Version;

/// Why no NVRTC is usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// None is installed.
    NoNvrtc {
        /// Every searched location, with the result of the search there.
        searched: Vec<String>,
    },
    /// `CUMBIA_NVRTC` does not name a usable one.
    BadNvrtc {
        /// The variable's value.
        path: PathBuf,
        /// Why it is not usable.
        reason: String,
    },
}

/// Why NVRTC has not compiled a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NvrtcError {
    /// It rejected the source.
    Rejected {
        /// Its log.
        log: String,
    },
    /// It does not support the architecture.
    UnsupportedArchitecture(UnsupportedArchitecture),
    /// It failed for another reason.
    Failed {
        /// Its version.
        version: Version,
        /// The NVRTC function.
        call: &'static str,
        /// Its message.
        message: String,
    },
}

/// An architecture that an NVRTC does not compile for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedArchitecture {
    /// The requested architecture.
    pub architecture: String,
    /// NVRTC's version.
    pub version: Version,
    /// The reason, with a remedy.
    pub message: String,
}

impl From<UnsupportedArchitecture> for NvrtcError {
    fn from(error: UnsupportedArchitecture) -> Self {
        NvrtcError::UnsupportedArchitecture(error)
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::NoNvrtc { searched } => write!(f, "NVRTC was not found: {}", searched.join("; ")),
            SearchError::BadNvrtc { path, reason } => write!(f, "{} is not usable: {reason}", path.display()),
        }
    }
}

impl std::error::Error for SearchError {}

impl fmt::Display for NvrtcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NvrtcError::Rejected { log } => write!(f, "NVRTC rejected the source\n{log}"),
            NvrtcError::UnsupportedArchitecture(error) => error.fmt(f),
            NvrtcError::Failed { version, call, message } => {
                write!(f, "NVRTC {version} failed in {call}: {message}")
            }
        }
    }
}

impl std::error::Error for NvrtcError {}

impl fmt::Display for UnsupportedArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnsupportedArchitecture { architecture, version, message } = self;
        write!(f, "NVRTC {version} cannot compile for {architecture}: {message}")
    }
}

impl std::error::Error for UnsupportedArchitecture {}
