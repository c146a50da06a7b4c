//! The search for NVRTC: the loader's search path, CUDA toolkits, Python environments.
//!
//! The search takes an [`Environment`] as data and opens candidates through a function argument, so that tests can
//! search directories of their own.

use std::path::{Path, PathBuf};

use super::SearchError;
use crate::toolkit::environment::{Environment, newest_first, nvidia_packages};
use crate::toolkit::searched::{BadNvrtcReason, LibraryFailure, SearchOutcome, SearchPlace, Searched};

/// The names that are looked up through the loader, newest first.
const LOADER_NAMES: &[&str] = if cfg!(target_os = "windows") {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else if cfg!(target_os = "macos") {
    &["libnvrtc.dylib"]
} else {
    &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
};

/// The library directories of a CUDA toolkit.
const TOOLKIT_FOLDERS: &[&str] = if cfg!(target_os = "windows") {
    &["bin", "bin/x64"]
} else if cfg!(target_arch = "aarch64") {
    &["lib64", "lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"]
} else {
    &["lib64", "lib", "targets/x86_64-linux/lib"]
};

/// Returns the first NVRTC that `open` accepts, and the outcome at each location before it.
///
/// A library with a newer major version than the driver's is used only if there is no other one: such a driver loads
/// neither its machine code nor its PTX ("CUDA Compatibility": an older driver supports newer toolkits of its own major
/// version only, unless the forward-compatibility package is installed, whose driver reports its own version).
/// `major_of` returns the major version of a library.
///
/// # Errors
///
/// [`SearchError::BadNvrtc`] if `CUMBIA_NVRTC` is set but unusable: an explicit choice is never replaced by another
/// library. [`SearchError::NoNvrtc`] with every location and its error.
pub(super) fn find<N>(
    environment: &Environment,
    open: impl FnMut(&Path) -> Result<N, LibraryFailure>,
    major_of: impl Fn(&N) -> u32,
) -> Result<(N, Vec<Searched>), SearchError> {
    let mut search = Search { open, major_of, newest: environment.driver, newer: None, searched: Vec::new() };
    if let Some(requested) = &environment.cumbia_nvrtc {
        search.newest = None;
        return Ok((search.exactly(Path::new(requested))?, search.searched));
    }
    match search.everywhere(environment).or(search.newer) {
        Some(nvrtc) => Ok((nvrtc, search.searched)),
        None => Err(SearchError::NoNvrtc { searched: search.searched, driver: environment.driver }),
    }
}

/// The state of a search.
struct Search<N, F, M> {
    open: F,
    major_of: M,
    /// The newest major version that the driver supports.
    newest: Option<u32>,
    /// The first library with a newer major version.
    newer: Option<N>,
    /// The locations searched so far, with their outcomes.
    searched: Vec<Searched>,
}

impl<N, F: FnMut(&Path) -> Result<N, LibraryFailure>, M: Fn(&N) -> u32> Search<N, F, M> {
    /// Opens the file that the user named, or the library in the directory that the user named.
    fn exactly(&mut self, path: &Path) -> Result<N, SearchError> {
        let bad = |reason: BadNvrtcReason| SearchError::BadNvrtc { path: path.to_owned(), reason };
        if path.is_dir() {
            let found = self.libraries_in("", path).or_else(|| self.toolkit("", path, TOOLKIT_FOLDERS));
            return found
                .ok_or_else(|| bad(BadNvrtcReason::NotInFolder { searched: std::mem::take(&mut self.searched) }));
        }
        if !path.exists() {
            return Err(bad(BadNvrtcReason::NotFound));
        }
        (self.open)(path).map_err(|failure| bad(BadNvrtcReason::Unusable(failure)))
    }

    fn everywhere(&mut self, environment: &Environment) -> Option<N> {
        let in_toolkits = |search: &mut Self| {
            environment.toolkits().into_iter().find_map(|(label, toolkit)| search.toolkit_of(label, toolkit))
        };
        let in_pythons = |search: &mut Self| {
            environment.pythons().into_iter().find_map(|(label, prefix)| search.python(label, prefix))
        };
        self.loader().or_else(|| in_toolkits(self)).or_else(|| in_pythons(self))
    }

    /// Searches by name through the loader: `LD_LIBRARY_PATH`, the loader's cache, the system's directories.
    fn loader(&mut self) -> Option<N> {
        LOADER_NAMES.iter().find_map(|name| self.library(SearchPlace::Loader(name), Path::new(name)))
    }

    fn toolkit_of(&mut self, origin: &'static str, toolkit: Option<PathBuf>) -> Option<N> {
        match toolkit {
            Some(folder) => self.toolkit(origin, &folder, TOOLKIT_FOLDERS),
            None => self.note(SearchPlace::Toolkit(origin), SearchOutcome::NotSet),
        }
    }

    fn toolkit(&mut self, origin: &'static str, toolkit: &Path, folders: &[&str]) -> Option<N> {
        if !toolkit.is_dir() {
            return self.note(at(origin, toolkit), SearchOutcome::NoFolder);
        }
        let before = self.searched.len();
        let found = folders.iter().find_map(|folder| self.libraries_in(origin, &toolkit.join(folder)));
        if found.is_none() && self.searched.len() == before {
            return self.note(at(origin, toolkit), SearchOutcome::NotInToolkit);
        }
        found
    }

    /// Searches the `nvidia-cuda-nvrtc` packages of pip.
    fn python(&mut self, origin: &'static str, prefix: Option<PathBuf>) -> Option<N> {
        let Some(prefix) = prefix else {
            return self.note(SearchPlace::Python(origin), SearchOutcome::NotSet);
        };
        let before = self.searched.len();
        for package in nvidia_packages(&prefix) {
            let folders = if cfg!(target_os = "windows") { ["bin", "bin/x86_64"] } else { ["lib", "lib64"] };
            for folder in folders {
                let found = self.libraries_in(origin, &package.join(folder));
                if found.is_some() {
                    return found;
                }
            }
        }
        if self.searched.len() == before {
            return self.note(at(origin, &prefix), SearchOutcome::NotInPython);
        }
        None
    }

    /// Opens the libraries in a directory, newest first, until one succeeds.
    fn libraries_in(&mut self, origin: &'static str, folder: &Path) -> Option<N> {
        let libraries = newest_first(folder, is_nvrtc);
        libraries.iter().find_map(|library| self.library(at(origin, library), library))
    }

    /// Opens a library, and sets it aside if it is newer than the driver supports.
    fn library(&mut self, place: SearchPlace, path: &Path) -> Option<N> {
        let nvrtc = match (self.open)(path) {
            Ok(nvrtc) => nvrtc,
            Err(failure) => return self.note(place, SearchOutcome::Unusable(failure)),
        };
        let major = (self.major_of)(&nvrtc);
        match self.newest {
            Some(newest) if newest < major => {
                self.newer.get_or_insert(nvrtc);
                self.note(place, SearchOutcome::NewerThanDriver { nvrtc: major, driver: newest })
            }
            _ => Some(nvrtc),
        }
    }

    /// Records a location without a usable library.
    fn note(&mut self, place: SearchPlace, outcome: SearchOutcome) -> Option<N> {
        self.searched.push(Searched::new(place, outcome));
        None
    }
}

/// Returns the location of a file or directory.
fn at(origin: &'static str, path: &Path) -> SearchPlace {
    SearchPlace::Path { origin, path: path.to_owned() }
}

/// Returns whether a file name is that of NVRTC; `libnvrtc-builtins.so` and `libnvrtc.alt.so` are not.
fn is_nvrtc(name: &str) -> bool {
    if cfg!(target_os = "windows") {
        name.starts_with("nvrtc64_") && name.ends_with("_0.dll")
    } else if cfg!(target_os = "macos") {
        name == "libnvrtc.dylib"
    } else {
        name == "libnvrtc.so" || name.starts_with("libnvrtc.so.")
    }
}

#[cfg(test)]
mod tests;
