//! NVRTC, CUDA's run-time compiler: found, loaded on first use, and called through its C interface.
//!
//! We bind it ourselves. cudarc's binding panics where the library is missing, and asks for the file names of the one
//! CUDA version that it was built for; the functions used here have been the same since CUDA 11.2, and 12 and 13 compile
//! what we write alike.

mod library;
mod program;
mod search;
mod users;
mod witness;

use std::path::{Path, PathBuf};
use std::time::Instant;

use library::Functions;
pub(super) use program::options;

use super::architecture::Architecture;
use super::environment::Environment;
use crate::cache::{COUNTS, Cache};
use crate::error::CompileError;
use crate::sync::{Mutex, OnceLock};
use crate::warning::event;

/// A loaded NVRTC. It is never unloaded.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    functions: Functions,
    version: Version,
    path: Option<PathBuf>,
    supported: Vec<u32>,
}

/// NVRTC's version, that of the CUDA toolkit it came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// The oldest that is used.
const OLDEST: Version = Version { major: 12, minor: 0 };

/// The oldest whose assembler is used for compute capability 9.0: those of 12.0.76 and 12.1.105 end the process on ordinary
/// kernels for it, by a recursion without end. The PTX of these is right.
const OLDEST_ASSEMBLER_FOR_90: Version = Version { major: 12, minor: 2 };

impl Version {
    /// Whether its machine code for a compute capability can be had.
    fn assembles_for(self, number: u32) -> bool {
        number < 90 || self >= OLDEST_ASSEMBLER_FOR_90
    }
}

static LOADED: OnceLock<Nvrtc> = OnceLock::new();

impl Nvrtc {
    /// NVRTC, looked for until it is found; then always the same, also where a driver that is older than it is opened later.
    ///
    /// # Errors
    ///
    /// [`CompileError::NoNvrtc`] with each place that was searched, or [`CompileError::BadNvrtc`].
    pub(crate) fn load(cache: Option<&Cache>) -> Result<&'static Nvrtc, CompileError> {
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
        COUNTS.loaded_nvrtc(took);
        let (version, path) = (nvrtc.version, nvrtc.path.clone());
        let milliseconds = took.as_secs_f64() * 1e3;
        event!(debug, target: "cumbia::compile", %version, ?path, milliseconds, "NVRTC loaded");
        if let Some(cache) = cache {
            witness::write(cache, &environment, nvrtc.path.as_deref(), nvrtc.version);
        }
        Ok(LOADED.get_or_init(|| nvrtc))
    }

    /// What a new search finds, and what was in each place before it. The library is the same as that in use, if it is
    /// still where it was.
    pub(crate) fn look() -> Result<(Nvrtc, Vec<String>), CompileError> {
        search::find(&Environment::of_process(), Nvrtc::open, Nvrtc::major)
    }

    /// The version of the NVRTC that [`Nvrtc::load`] would give, where it is known without loading it.
    pub(crate) fn version_without_loading(cache: &Cache) -> Option<Version> {
        match LOADED.get() {
            Some(nvrtc) => Some(nvrtc.version),
            None => witness::read(cache, &Environment::of_process()),
        }
    }

    /// Opens a library by its path, or by a name that the loader looks up.
    fn open(path: &Path) -> Result<Nvrtc, String> {
        let (functions, path) = Functions::open(path)?;
        let version = functions.version()?;
        if version < OLDEST {
            return Err(format!("this is NVRTC {version}, and {OLDEST} or newer is needed"));
        }
        let supported = functions.supported_architectures()?;
        Ok(Nvrtc { functions, version, path, supported })
    }

    /// Its version.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    fn major(&self) -> u32 {
        self.version.major
    }

    /// Its file, where the system tells.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The compute capabilities that it compiles for, without their dots.
    pub(crate) fn supported(&self) -> &[u32] {
        &self.supported
    }

    /// What to compile for a GPU: its own architecture, or the newest PTX for it where the GPU is newer than this NVRTC, or than
    /// its assembler.
    pub(crate) fn architecture_for(&self, gpu: &Architecture) -> Result<Architecture, CompileError> {
        if self.supported.contains(&gpu.number()) {
            return Ok(if self.version.assembles_for(gpu.number()) { gpu.clone() } else { gpu.to_virtual() });
        }
        gpu.newest_ptx(&self.supported).ok_or_else(|| CompileError::UnsupportedArchitecture {
            architecture: gpu.to_string(),
            version: self.version.to_string(),
            message: match self.supported.iter().min() {
                Some(oldest) => format!("the oldest architecture that it knows is sm_{oldest}; an older NVRTC may do"),
                None => "it knows no architecture".to_owned(),
            },
        })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
