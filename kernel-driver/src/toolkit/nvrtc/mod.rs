//! NVRTC, CUDA's run-time compiler: located and loaded on first use, and called through its C interface.
//!
//! The bindings are our own. cudarc's panic if the library is missing, and look for the file names of the one CUDA
//! version that they were built for. The functions used here have been unchanged since CUDA 11.2, and CUDA 12 and 13
//! compile our CUDA C alike.

mod builtins;
mod error;
mod library;
mod program;
mod search;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use error::{NvrtcArgument, NvrtcError, NvrtcFailure, SearchError, UnsupportedArchitecture, UnsupportedReason};
use library::Functions;
pub use program::{Image, SourceText};

use super::architecture::Architecture;
use super::environment::Environment;
use super::searched::{LibraryFailure, Searched};
use crate::driver::Version;
use crate::sync::{Mutex, OnceLock};
use cumbia_kernel_sync::event;

/// A loaded NVRTC. It is never unloaded.
#[derive(Debug)]
pub struct Nvrtc {
    functions: Functions,
    version: Version,
    path: Option<PathBuf>,
    supported: Vec<u32>,
}

/// The oldest supported version.
const OLDEST: Version = Version { major: 12, minor: 0 };

/// The oldest version whose assembler is used for compute capability 9.0: those of 12.0.76 and 12.1.105 terminate the
/// process on ordinary kernels for it, by unbounded recursion. Their PTX is correct.
const OLDEST_ASSEMBLER_FOR_90: Version = Version { major: 12, minor: 2 };

/// The oldest version with the option `--minimal`, which omits the declarations of textures, surfaces, and the CUDA
/// runtime. NVRTC spends a sixth of the time for a short kernel on them. The machine code is the same.
const OLDEST_WITH_MINIMAL: Version = Version { major: 12, minor: 4 };

impl Version {
    /// Returns whether the assembler is usable for a compute capability.
    fn assembles_for(self, number: u32) -> bool {
        number < 90 || self >= OLDEST_ASSEMBLER_FOR_90
    }
}

static LOADED: OnceLock<Nvrtc> = OnceLock::new();

impl Nvrtc {
    /// Returns NVRTC, locating and loading it if no earlier call has succeeded. All successful calls return the same
    /// library, even if a driver older than it is loaded later. The call that loads it also calls `on_load`, with the
    /// inputs of the search and the time that it took.
    ///
    /// # Errors
    ///
    /// [`SearchError::NoNvrtc`] with each place that was searched, or [`SearchError::BadNvrtc`].
    pub fn load(on_load: impl FnOnce(&Nvrtc, &Environment, Duration)) -> Result<&'static Nvrtc, SearchError> {
        static LOADING: Mutex<()> = Mutex::new(());
        if let Some(nvrtc) = LOADED.get() {
            return Ok(nvrtc);
        }
        let _loading = LOADING.lock();
        if let Some(nvrtc) = LOADED.get() {
            return Ok(nvrtc);
        }
        let start = Instant::now();
        let environment = Environment::of_process();
        let (nvrtc, _) = search::find(&environment, Nvrtc::open, Nvrtc::major)?;
        let took = start.elapsed();
        let (version, path) = (nvrtc.version, nvrtc.path.clone());
        let milliseconds = took.as_secs_f64() * 1e3;
        event!(debug, target: "cumbia::compile", %version, ?path, milliseconds, "NVRTC loaded");
        on_load(&nvrtc, &environment, took);
        Ok(LOADED.get_or_init(|| nvrtc))
    }

    /// Repeats the search. Returns its result, and the outcome at each location searched before. The library is the
    /// loaded one if it is still at the same location.
    pub fn look() -> Result<(Nvrtc, Vec<Searched>), SearchError> {
        search::find(&Environment::of_process(), Nvrtc::open, Nvrtc::major)
    }

    /// Returns the library that [`Nvrtc::load`] has loaded.
    pub fn loaded() -> Option<&'static Nvrtc> {
        LOADED.get()
    }

    /// Opens a library by its path, or by a name that the loader resolves.
    fn open(path: &Path) -> Result<Nvrtc, LibraryFailure> {
        let (functions, path) = Functions::open(path)?;
        let version = functions.version()?;
        if version < OLDEST {
            return Err(LibraryFailure::TooOld { version, oldest: OLDEST });
        }
        let supported = functions.supported_architectures()?;
        if let Some(builtins) = path.as_deref().and_then(|path| builtins::beside(path, version)) {
            crate::toolkit::library::keep_loaded(&builtins);
        }
        Ok(Nvrtc { functions, version, path, supported })
    }

    /// Returns the version.
    pub fn version(&self) -> Version {
        self.version
    }

    fn major(&self) -> u32 {
        self.version.major
    }

    /// Returns the path of the library, where the system reports it.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the supported compute capabilities, without the dot.
    pub fn supported(&self) -> &[u32] {
        &self.supported
    }

    /// Returns the architecture to compile for on a GPU: its own, or the newest compatible PTX if the GPU is newer than
    /// this NVRTC or its assembler is unusable for it.
    ///
    /// # Errors
    ///
    /// [`UnsupportedArchitecture`] if the GPU is older than all architectures of this NVRTC.
    pub fn architecture_for(&self, gpu: &Architecture) -> Result<Architecture, UnsupportedArchitecture> {
        if self.supported.contains(&gpu.number()) {
            return Ok(if self.version.assembles_for(gpu.number()) { gpu.clone() } else { gpu.to_virtual() });
        }
        gpu.newest_ptx(&self.supported).ok_or_else(|| UnsupportedArchitecture {
            architecture: gpu.to_string(),
            version: self.version,
            reason: match self.supported.iter().min() {
                Some(&oldest) => UnsupportedReason::TooOld { oldest },
                None => UnsupportedReason::Unknown { supported: Vec::new() },
            },
        })
    }
}
