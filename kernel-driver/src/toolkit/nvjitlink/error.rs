//! Errors of nvJitLink: none is found, or it does not link the input.

use std::fmt;

use crate::driver::Version;
use crate::toolkit::searched::{Joined, Searched};

/// No usable nvJitLink is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoNvJitLink {
    /// Every searched location, with the result of the search there.
    pub searched: Vec<Searched>,
    /// The version of NVRTC, whose output is linked.
    pub nvrtc: Version,
}

impl fmt::Display for NoNvJitLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nvJitLink was not found: {}", Joined(&self.searched))
    }
}

impl std::error::Error for NoNvJitLink {}

/// nvJitLink did not link the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// Its version.
    pub version: Version,
    /// The function of nvJitLink that failed.
    pub call: &'static str,
    /// Why it failed.
    pub failure: LinkFailure,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkError { version, call, failure } = self;
        write!(f, "nvJitLink {version} failed in {call}: {failure}")?;
        failure.log().map_or(Ok(()), |log| write!(f, "\n{log}"))
    }
}

impl std::error::Error for LinkError {}

/// Why a call of nvJitLink failed, in [`LinkError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkFailure {
    /// It returned an error.
    Status {
        /// The status, an `nvJitLinkResult`.
        code: i32,
        /// nvJitLink's log; may be empty.
        log: String,
    },
    /// It was not called, because an argument that is passed as a C string contains a NUL character.
    NulCharacter,
}

impl LinkFailure {
    /// Returns nvJitLink's log, unless it is empty.
    pub fn log(&self) -> Option<&str> {
        match self {
            LinkFailure::Status { code: _, log } => Some(log.as_str()).filter(|log| !log.is_empty()),
            LinkFailure::NulCharacter => None,
        }
    }
}

impl fmt::Display for LinkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkFailure::Status { code, log: _ } => f.write_str(description(*code)),
            LinkFailure::NulCharacter => f.write_str("a name, an option or a file of PTX contains a NUL character"),
        }
    }
}

/// Returns the description of a status, as `nvJitLink.h` numbers them.
fn description(status: i32) -> &'static str {
    const DESCRIPTIONS: [&str; 19] = [
        "success",
        "unrecognized option",
        "missing architecture",
        "invalid input",
        "the PTX does not compile",
        "the NVVM IR does not compile",
        "internal error",
        "error of the thread pool",
        "unrecognized input",
        "the linked code cannot be finalized",
        "null input",
        "incompatible options",
        "the input is not of the stated type",
        "architecture mismatch",
        "outdated library",
        "missing fatbin",
        "unrecognized architecture",
        "unsupported architecture",
        "LTO is not enabled",
    ];
    let index = usize::try_from(status).unwrap_or(usize::MAX);
    DESCRIPTIONS.get(index).copied().unwrap_or("unknown error")
}
