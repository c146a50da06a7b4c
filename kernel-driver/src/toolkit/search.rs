//! The search for a library of NVIDIA's: the loader's search path, CUDA toolkits, Python environments.
//!
//! The search takes an [`Environment`] as data and opens candidates through a function argument, so that tests can
//! search directories of their own.

use std::path::{Path, PathBuf};

use super::environment::{Environment, newest_first, nvidia_packages};
use super::searched::{LibraryFailure, SearchOutcome, SearchPlace, Searched};

/// The library directories of a CUDA toolkit.
const TOOLKIT_FOLDERS: &[&str] = if cfg!(target_os = "windows") {
    &["bin", "bin/x64"]
} else if cfg!(target_arch = "aarch64") {
    &["lib64", "lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"]
} else {
    &["lib64", "lib", "targets/x86_64-linux/lib"]
};

/// A library to search for.
pub(super) struct Wanted {
    /// The name of the library in messages.
    pub(super) name: &'static str,
    /// The names that are looked up through the loader, newest first.
    pub(super) loader_names: &'static [&'static str],
    /// Returns whether a file name is that of the library.
    pub(super) is_file: fn(&str) -> bool,
}

/// The state of a search.
pub(super) struct Search<N, F, M> {
    pub(super) wanted: &'static Wanted,
    pub(super) open: F,
    pub(super) major_of: M,
    /// The newest major version that the driver supports.
    pub(super) newest: Option<u32>,
    /// The first library with a newer major version.
    pub(super) newer: Option<N>,
    /// The locations searched so far, with their outcomes.
    pub(super) searched: Vec<Searched>,
}

impl<N, F: FnMut(&Path) -> Result<N, LibraryFailure>, M: Fn(&N) -> u32> Search<N, F, M> {
    /// Searches the loader's path, then the toolkits, then the Python environments.
    pub(super) fn everywhere(&mut self, environment: &Environment) -> Option<N> {
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
        self.wanted.loader_names.iter().find_map(|name| self.library(SearchPlace::Loader(name), Path::new(name)))
    }

    fn toolkit_of(&mut self, origin: &'static str, toolkit: Option<PathBuf>) -> Option<N> {
        match toolkit {
            Some(folder) => self.toolkit(origin, &folder),
            None => self.note(SearchPlace::Toolkit(origin), SearchOutcome::NotSet),
        }
    }

    /// Searches the library directories of a toolkit.
    pub(super) fn toolkit(&mut self, origin: &'static str, toolkit: &Path) -> Option<N> {
        if !toolkit.is_dir() {
            return self.note(at(origin, toolkit), SearchOutcome::NoFolder);
        }
        let before = self.searched.len();
        let found = TOOLKIT_FOLDERS.iter().find_map(|folder| self.libraries_in(origin, &toolkit.join(folder)));
        if found.is_none() && self.searched.len() == before {
            return self.note(at(origin, toolkit), SearchOutcome::NotInToolkit { library: self.wanted.name });
        }
        found
    }

    /// Searches NVIDIA's packages of pip.
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
            return self.note(at(origin, &prefix), SearchOutcome::NotInPython { library: self.wanted.name });
        }
        None
    }

    /// Opens the libraries in a directory, newest first, until one succeeds.
    pub(super) fn libraries_in(&mut self, origin: &'static str, folder: &Path) -> Option<N> {
        let libraries = newest_first(folder, self.wanted.is_file);
        libraries.iter().find_map(|library| self.library(at(origin, library), library))
    }

    /// Opens a library, and sets it aside if it is newer than the driver supports.
    fn library(&mut self, place: SearchPlace, path: &Path) -> Option<N> {
        let library = match (self.open)(path) {
            Ok(library) => library,
            Err(failure) => return self.note(place, SearchOutcome::Unusable(failure)),
        };
        let major = (self.major_of)(&library);
        match self.newest {
            Some(newest) if newest < major => {
                self.newer.get_or_insert(library);
                self.note(place, SearchOutcome::NewerThanDriver { nvrtc: major, driver: newest })
            }
            _ => Some(library),
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
