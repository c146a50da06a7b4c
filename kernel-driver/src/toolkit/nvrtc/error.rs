//! Errors of NVRTC: none is found, or it does not compile a source.

use std::fmt;
use std::path::PathBuf;

use crate::driver::Version;
use crate::toolkit::searched::{BadNvrtcReason, Joined, Searched};

/// Why no NVRTC is usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// None is installed.
    NoNvrtc {
        /// Every searched location, with the result of the search there.
        searched: Vec<Searched>,
        /// The major version of CUDA that the driver supports; `None` without a driver.
        driver: Option<u32>,
    },
    /// `CUMBIA_NVRTC` does not name a usable one.
    BadNvrtc {
        /// The variable's value.
        path: PathBuf,
        /// Why it is not usable.
        reason: BadNvrtcReason,
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
        /// Why it failed.
        failure: NvrtcFailure,
    },
}

/// Why a call of NVRTC failed, in [`NvrtcError::Failed`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NvrtcFailure {
    /// It returned an error.
    Status {
        /// The status, an `nvrtcResult`.
        code: i32,
        /// NVRTC's description of the status.
        message: String,
        /// NVRTC's log; may be empty.
        log: String,
    },
    /// It was not called, because an argument that is passed as a C string contains a NUL character.
    NulCharacter(NvrtcArgument),
}

/// A text that is passed to NVRTC, in [`NvrtcFailure::NulCharacter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NvrtcArgument {
    /// The source.
    Source,
    /// The name of the source.
    Name,
    /// A compiler option.
    CompilerOption,
}

/// An architecture that an NVRTC does not compile for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedArchitecture {
    /// The requested architecture.
    pub architecture: String,
    /// NVRTC's version.
    pub version: Version,
    /// Why it does not support it.
    pub reason: UnsupportedReason,
}

/// Why an NVRTC does not support an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsupportedReason {
    /// The architecture is none of those that this NVRTC supports.
    Unknown {
        /// The supported compute capabilities, without the dot.
        supported: Vec<u32>,
    },
    /// The GPU is older than the oldest architecture that this NVRTC supports.
    TooOld {
        /// The oldest supported compute capability, without the dot.
        oldest: u32,
    },
    /// The assembler of this NVRTC crashes on kernels for the architecture.
    AssemblerCrashes {
        /// The architecture of PTX for the same GPUs.
        virtual_architecture: String,
        /// The oldest version whose assembler does not crash.
        oldest: Version,
    },
}

impl From<UnsupportedArchitecture> for NvrtcError {
    fn from(error: UnsupportedArchitecture) -> Self {
        NvrtcError::UnsupportedArchitecture(error)
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::NoNvrtc { searched, driver: _ } => {
                write!(f, "NVRTC was not found: {}", Joined(searched))
            }
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
            NvrtcError::Failed { version, call, failure } => {
                write!(f, "NVRTC {version} failed in {call}: {failure}")
            }
        }
    }
}

impl std::error::Error for NvrtcError {}

impl fmt::Display for NvrtcFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NvrtcFailure::Status { code: _, message, log } if log.is_empty() => f.write_str(message),
            NvrtcFailure::Status { code: _, message, log } => write!(f, "{message}\n{log}"),
            NvrtcFailure::NulCharacter(argument) => write!(f, "the {argument} contains a NUL character"),
        }
    }
}

impl fmt::Display for NvrtcArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NvrtcArgument::Source => "source",
            NvrtcArgument::Name => "name of the source",
            NvrtcArgument::CompilerOption => "option",
        })
    }
}

impl fmt::Display for UnsupportedArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnsupportedArchitecture { architecture, version, reason } = self;
        write!(f, "NVRTC {version} cannot compile for {architecture}: {reason}")
    }
}

impl std::error::Error for UnsupportedArchitecture {}

impl fmt::Display for UnsupportedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnsupportedReason::Unknown { supported } => {
                let supported: Vec<_> = supported.iter().map(|number| format!("sm_{number}")).collect();
                write!(f, "the supported architectures are {}", supported.join(", "))
            }
            UnsupportedReason::TooOld { oldest } => {
                write!(f, "the oldest supported architecture is sm_{oldest}\n  help: use an older NVRTC")
            }
            UnsupportedReason::AssemblerCrashes { virtual_architecture, oldest } => write!(
                f,
                "its assembler crashes on kernels for this architecture\n  help: request `{virtual_architecture}`, which \
                 the driver assembles, or use NVRTC {oldest} or newer"
            ),
        }
    }
}
