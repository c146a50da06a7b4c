//! The locations of NVIDIA's software: environment variables, CUDA toolkits, Python environments.
//!
//! The environment is passed as data, so that tests can search directories of their own. No process is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::driver::Driver;

/// Returns the value of an environment variable. An empty value counts as unset.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The inputs of the search for NVIDIA's software.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `CUMBIA_NVRTC`, as an absolute path.
    pub(crate) cumbia_nvrtc: Option<OsString>,
    /// `LD_LIBRARY_PATH`, which the loader reads.
    pub(crate) ld_library_path: Option<OsString>,
    /// `CUDA_HOME`.
    pub(crate) cuda_home: Option<OsString>,
    /// `CUDA_PATH`.
    pub(crate) cuda_path: Option<OsString>,
    /// `VIRTUAL_ENV`.
    pub(crate) virtual_env: Option<OsString>,
    /// `CONDA_PREFIX`.
    pub(crate) conda_prefix: Option<OsString>,
    /// `PATH`: the packages of its first `python3` are searched.
    pub(crate) path: Option<OsString>,
    /// `HOME`: the packages of `pip install --user` are below it.
    pub(crate) home: Option<OsString>,
    /// The major number of the latest CUDA version that the driver supports, if this process has loaded the driver.
    pub(crate) driver: Option<u32>,
    /// `/`, except in tests.
    pub(crate) root: PathBuf,
}

impl Environment {
    /// Reads the environment of this process.
    pub fn of_process() -> Environment {
        Environment {
            // The loader would look up a name without a slash in its search path, and a note must not depend on the
            // current directory.
            cumbia_nvrtc: variable("CUMBIA_NVRTC").map(|path| std::path::absolute(&path).map_or(path, Into::into)),
            ld_library_path: variable("LD_LIBRARY_PATH"),
            cuda_home: variable("CUDA_HOME"),
            cuda_path: variable("CUDA_PATH"),
            virtual_env: variable("VIRTUAL_ENV"),
            conda_prefix: variable("CONDA_PREFIX"),
            path: variable("PATH"),
            home: variable("HOME"),
            // Compiling for other machines does not load the driver.
            driver: Driver::if_open().and_then(Driver::version).map(|version| version.major),
            root: PathBuf::from("/"),
        }
    }

    /// Returns the inputs as text, and with them the state of the loader's cache, which changes when libraries are
    /// installed. If they are equal to those of an earlier search, it had the same result.
    pub fn inputs(&self) -> Vec<String> {
        let Environment {
            cumbia_nvrtc,
            ld_library_path,
            cuda_home,
            cuda_path,
            virtual_env,
            conda_prefix,
            path,
            home,
            driver,
            root,
        } = self;
        let variables = [cumbia_nvrtc, ld_library_path, cuda_home, cuda_path, virtual_env, conda_prefix, path, home];
        // `Debug` escapes bytes that are not UTF-8, and distinguishes an empty value from a missing one.
        let mut parts: Vec<String> = variables.iter().map(|variable| format!("{variable:?}")).collect();
        parts.push(format!("{driver:?}"));
        parts.push(stamp_of(&root.join("etc/ld.so.cache")).unwrap_or_default());
        parts
    }
}

impl Environment {
    /// Returns the CUDA toolkits in search order, with a label for their origin. `None` if a variable is not set.
    pub(crate) fn toolkits(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let local = self.root.join("usr/local");
        let mut toolkits = vec![
            ("CUDA_HOME", self.cuda_home.as_ref().map(PathBuf::from)),
            ("CUDA_PATH", self.cuda_path.as_ref().map(PathBuf::from)),
            ("", Some(local.join("cuda"))),
        ];
        let installed = newest_first(&local, |name| name.starts_with("cuda-"));
        toolkits.extend(installed.into_iter().map(|toolkit| ("", Some(toolkit))));
        // conda's own packages install libraries and programs in the layout of a toolkit.
        toolkits.extend(self.conda_prefix.as_ref().map(|prefix| ("CONDA_PREFIX", Some(PathBuf::from(prefix)))));
        toolkits
    }

    /// Returns the installation prefixes of Python in search order, with their labels.
    pub(crate) fn pythons(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let home = self.home.as_deref().map(Path::new);
        let mut pythons = vec![
            ("VIRTUAL_ENV", self.virtual_env.as_ref().map(PathBuf::from)),
            ("CONDA_PREFIX", self.conda_prefix.as_ref().map(PathBuf::from)),
            ("the python3 of PATH", first_python(self)),
            ("HOME", home.map(|home| home.join(".local"))),
        ];
        // The `python3` that pyenv puts on PATH is a shim, which is not located beside any of its installations.
        let versions = home.map(|home| newest_first(&home.join(".pyenv/versions"), |_| true)).unwrap_or_default();
        pythons.extend(versions.into_iter().map(|prefix| ("pyenv", Some(prefix))));
        // The package directory of the system's Python on Debian and its derivatives.
        pythons.push(("the system's Python", Some(self.root.join("usr/local"))));
        pythons
    }
}

/// Returns NVIDIA's packages that `pip` installed under a Python prefix: `nvidia/cu13` since CUDA 13, before that one
/// per component, such as `nvidia/cuda_nvrtc` and `nvidia/nvjitlink`.
pub(crate) fn nvidia_packages(prefix: &Path) -> Vec<PathBuf> {
    let nvidia = packages_of(prefix).into_iter().map(|packages| packages.join("nvidia"));
    nvidia.flat_map(|nvidia| newest_first(&nvidia, |name| name.starts_with("cu") || name == "nvjitlink")).collect()
}

/// Returns the parent of the `bin` directory with the first `python3` of `PATH`. Symbolic links are not followed: that
/// of a virtual environment refers to the system's Python, but the packages are beside the link.
fn first_python(environment: &Environment) -> Option<PathBuf> {
    let name = if cfg!(target_os = "windows") { "python.exe" } else { "python3" };
    let folder = std::env::split_paths(environment.path.as_ref()?).find(|folder| folder.join(name).exists())?;
    if cfg!(target_os = "windows") { Some(folder) } else { folder.parent().map(Path::to_owned) }
}

/// Returns the package directories of the Pythons under a prefix.
fn packages_of(prefix: &Path) -> Vec<PathBuf> {
    if cfg!(target_os = "windows") {
        return vec![prefix.join("Lib/site-packages")];
    }
    let pythons = newest_first(&prefix.join("lib"), |name| name.starts_with("python"));
    pythons.iter().flat_map(|python| [python.join("site-packages"), python.join("dist-packages")]).collect()
}

/// Returns the matching entries of a directory, those with the highest version numbers first.
pub(crate) fn newest_first(folder: &Path, is_of_the_kind: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_of_the_kind(name))
        .collect();
    names.sort_by_cached_key(|name| (numbers_in(name), name.clone()));
    names.iter().rev().map(|name| folder.join(name)).collect()
}

/// Returns the numbers in a name, so that `cuda-13.10` sorts after `cuda-13.9`.
fn numbers_in(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Returns a file's size and modification time. Symbolic links are followed, so that retargeting `/usr/local/cuda`
/// changes it.
pub fn stamp_of(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", metadata.len(), modified.as_nanos()))
}
