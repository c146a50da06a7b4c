//! The searches for NVIDIA's software, as part of an error: the locations, and why nothing there is usable.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::driver::Version;

/// A location that was searched for a library or a program, and why nothing there is used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Searched {
    /// The location.
    pub place: SearchPlace,
    /// Why nothing there is used.
    pub outcome: SearchOutcome,
}

impl Searched {
    /// Creates a record.
    pub fn new(place: SearchPlace, outcome: SearchOutcome) -> Self {
        Searched { place, outcome }
    }
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Searched { place, outcome } = self;
        write!(f, "{place}: {outcome}")
    }
}

/// A location of [`Searched`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchPlace {
    /// The search path of the dynamic loader, for a library of this name.
    Loader(&'static str),
    /// `PATH`, for a program of this name.
    ProgramPath(&'static str),
    /// The CUDA toolkit that an environment variable names.
    Toolkit(&'static str),
    /// The Python environment that an environment variable or a program determines.
    Python(&'static str),
    /// A file or directory.
    Path {
        /// The variable, program or installation that determines the path; empty for a standard location.
        origin: &'static str,
        /// The file or directory.
        path: PathBuf,
    },
}

impl fmt::Display for SearchPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchPlace::Loader(library) => write!(f, "{library} in the loader's path"),
            SearchPlace::ProgramPath(program) => write!(f, "{program} on PATH"),
            SearchPlace::Toolkit(origin) => write!(f, "a toolkit in {origin}"),
            SearchPlace::Python(origin) => write!(f, "a Python package in {origin}"),
            SearchPlace::Path { origin: "", path } => write!(f, "{}", path.display()),
            SearchPlace::Path { origin, path } => write!(f, "{origin}: {}", path.display()),
        }
    }
}

/// Why nothing at a location is used, in [`Searched`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchOutcome {
    /// The variable that determines the location is not set, or the program is not installed.
    NotSet,
    /// There is no such file.
    NotFound,
    /// There is no such directory.
    NoFolder,
    /// The toolkit does not contain the library.
    NotInToolkit {
        /// The library.
        library: &'static str,
    },
    /// The Python environment has no package with the library.
    NotInPython {
        /// The library.
        library: &'static str,
    },
    /// The library is not usable.
    Unusable(LibraryFailure),
    /// The library is newer than the driver, which does not load its code.
    NewerThanDriver {
        /// The major version of NVRTC.
        nvrtc: u32,
        /// The major version of CUDA that the driver supports.
        driver: u32,
    },
    /// The program did not run, or its input could not be written.
    ProgramNotRun(io::ErrorKind),
    /// The program failed.
    ProgramFailed {
        /// The program's message.
        message: String,
        /// Its exit status.
        status: ExitStatus,
    },
}

impl SearchOutcome {
    /// Returns whether nothing was found at the location.
    pub fn is_absence(&self) -> bool {
        match self {
            SearchOutcome::NotSet
            | SearchOutcome::NotFound
            | SearchOutcome::NoFolder
            | SearchOutcome::NotInToolkit { library: _ }
            | SearchOutcome::NotInPython { library: _ } => true,
            SearchOutcome::Unusable(_)
            | SearchOutcome::NewerThanDriver { nvrtc: _, driver: _ }
            | SearchOutcome::ProgramNotRun(_)
            | SearchOutcome::ProgramFailed { message: _, status: _ } => false,
        }
    }
}

impl fmt::Display for SearchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchOutcome::NotSet => f.write_str("not set"),
            SearchOutcome::NotFound => f.write_str("not found"),
            SearchOutcome::NoFolder => f.write_str("no such directory"),
            SearchOutcome::NotInToolkit { library } => write!(f, "no {library} in this toolkit"),
            SearchOutcome::NotInPython { library } => write!(f, "no Python package with {library}"),
            SearchOutcome::Unusable(failure) => failure.fmt(f),
            SearchOutcome::NewerThanDriver { nvrtc, driver } => {
                write!(f, "this is NVRTC {nvrtc}, but the driver supports at most CUDA {driver}")
            }
            SearchOutcome::ProgramNotRun(error) => write!(f, "cannot be run: {error}"),
            SearchOutcome::ProgramFailed { message, status } => write!(f, "{message} ({status})"),
        }
    }
}

/// Why a library is not usable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryFailure {
    /// The loader cannot load it.
    NotLoaded {
        /// The loader's message.
        message: String,
    },
    /// It lacks a function, so it is not the library, or is older than any supported version.
    MissingFunction {
        /// The library and the oldest version with the function.
        library: &'static str,
        /// The function.
        function: &'static str,
    },
    /// A function that queries its properties failed.
    CallFailed {
        /// The function.
        call: &'static str,
        /// The library's message.
        message: String,
    },
    /// It is older than Cumbia supports.
    TooOld {
        /// Its version.
        version: Version,
        /// The oldest supported version.
        oldest: Version,
    },
    /// It is nvJitLink, but does not link the output of NVRTC.
    OtherThanNvrtc {
        /// Its version.
        version: Version,
        /// The version of NVRTC.
        nvrtc: Version,
    },
}

impl fmt::Display for LibraryFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryFailure::NotLoaded { message } => f.write_str(message),
            LibraryFailure::MissingFunction { library, function } => {
                write!(f, "it has no {function}, so it is not {library} or newer")
            }
            LibraryFailure::CallFailed { call, message } => write!(f, "{call} failed: {message}"),
            LibraryFailure::TooOld { version, oldest } => {
                write!(f, "this is NVRTC {version}, but {oldest} or newer is required")
            }
            LibraryFailure::OtherThanNvrtc { version, nvrtc } => {
                let Version { major, .. } = nvrtc;
                write!(
                    f,
                    "this is nvJitLink {version}, but NVRTC is {nvrtc}: {nvrtc} or newer of CUDA {major} is required"
                )
            }
        }
    }
}

/// Why the path in `CUMBIA_NVRTC` is not usable, in [`SearchError::BadNvrtc`](super::SearchError::BadNvrtc).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadNvrtcReason {
    /// There is no such file or directory.
    NotFound,
    /// The directory contains no usable NVRTC.
    NotInFolder {
        /// Every location that was searched in the directory.
        searched: Vec<Searched>,
    },
    /// The library is not usable.
    Unusable(LibraryFailure),
}

impl fmt::Display for BadNvrtcReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadNvrtcReason::NotFound => f.write_str("there is no such file or directory"),
            BadNvrtcReason::NotInFolder { searched } => {
                f.write_str("this directory contains no usable NVRTC: ")?;
                Joined(searched).fmt(f)
            }
            BadNvrtcReason::Unusable(failure) => failure.fmt(f),
        }
    }
}

/// The items of a list on one line, as part of a message.
pub struct Joined<'a, T>(pub &'a [T]);

impl<T: fmt::Display> fmt::Display for Joined<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for item in self.0 {
            write!(f, "{separator}{item}")?;
            separator = "; ";
        }
        Ok(())
    }
}
