//! Where NVRTC may be: the loader's path, CUDA toolkits, Python environments.
//!
//! The search is over data, an [`Environment`], and opens what it finds through a function that it is given; tests search
//! folders that they made.

use std::path::{Path, PathBuf};

use crate::cuda::environment::{Environment, newest_first, nvidia_packages};
use crate::error::CompileError;

/// The names that the loader is asked for, newest first.
const LOADER_NAMES: &[&str] = if cfg!(target_os = "windows") {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else if cfg!(target_os = "macos") {
    &["libnvrtc.dylib"]
} else {
    &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
};

/// The folders of a CUDA toolkit that hold its libraries.
const TOOLKIT_FOLDERS: &[&str] = if cfg!(target_os = "windows") {
    &["bin", "bin/x64"]
} else if cfg!(target_arch = "aarch64") {
    &["lib64", "lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"]
} else {
    &["lib64", "lib", "targets/x86_64-linux/lib"]
};

/// The first NVRTC that `open` opens, and what was found in each place before it.
///
/// One of a newer major version than the driver's is taken only where there is no other: such a driver loads neither its machine
/// code nor its PTX ("CUDA Compatibility": an older driver serves newer toolkits of its own major version alone, unless the
/// package for forward compatibility is there, whose driver tells its own version). `major_of` is the version of one.
///
/// # Errors
///
/// [`CompileError::BadNvrtc`] where `CUMBIA_NVRTC` is set and is not usable: what the user asked for is not replaced by
/// something else. [`CompileError::NoNvrtc`] with every place and what was wrong with it.
pub(super) fn find<N>(
    environment: &Environment,
    open: impl FnMut(&Path) -> Result<N, String>,
    major_of: impl Fn(&N) -> u32,
) -> Result<(N, Vec<String>), CompileError> {
    let mut search = Search { open, major_of, newest: environment.driver, newer: None, searched: Vec::new() };
    if let Some(asked_for) = &environment.cumbia_nvrtc {
        search.newest = None;
        return Ok((search.exactly(Path::new(asked_for))?, search.searched));
    }
    match search.everywhere(environment).or(search.newer) {
        Some(nvrtc) => Ok((nvrtc, search.searched)),
        None => Err(CompileError::NoNvrtc { searched: search.searched }),
    }
}

/// A search under way.
struct Search<N, F, M> {
    open: F,
    major_of: M,
    /// The newest major version that the driver serves.
    newest: Option<u32>,
    /// The first that is newer.
    newer: Option<N>,
    /// Each place, with what was found there.
    searched: Vec<String>,
}

impl<N, F: FnMut(&Path) -> Result<N, String>, M: Fn(&N) -> u32> Search<N, F, M> {
    /// The file that the user named, or the one in the folder that the user named.
    fn exactly(&mut self, path: &Path) -> Result<N, CompileError> {
        let bad = |reason: String| CompileError::BadNvrtc { path: path.to_owned(), reason };
        if path.is_dir() {
            let found = self.libraries_in("", path).or_else(|| self.toolkit("", path, TOOLKIT_FOLDERS));
            return found.ok_or_else(|| {
                let refusals = self.searched.join("; ");
                bad(format!("this folder holds no NVRTC that can be used: {refusals}"))
            });
        }
        if !path.exists() {
            return Err(bad("there is no such file or folder".to_owned()));
        }
        (self.open)(path).map_err(bad)
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

    /// By name, through the loader: `LD_LIBRARY_PATH`, the loader's cache, the system's folders.
    fn loader(&mut self) -> Option<N> {
        LOADER_NAMES.iter().find_map(|name| self.library(&format!("{name} in the loader's path"), Path::new(name)))
    }

    fn toolkit_of(&mut self, label: &str, toolkit: Option<PathBuf>) -> Option<N> {
        match toolkit {
            Some(folder) if label.is_empty() => self.toolkit("", &folder, TOOLKIT_FOLDERS),
            Some(folder) => self.toolkit(&format!("{label}: "), &folder, TOOLKIT_FOLDERS),
            None => self.note(format!("a toolkit in {label}: it is not set")),
        }
    }

    fn toolkit(&mut self, label: &str, toolkit: &Path, folders: &[&str]) -> Option<N> {
        if !toolkit.is_dir() {
            return self.note(format!("{label}{}: there is no such folder", toolkit.display()));
        }
        let before = self.searched.len();
        let found = folders.iter().find_map(|folder| self.libraries_in(label, &toolkit.join(folder)));
        if found.is_none() && self.searched.len() == before {
            return self.note(format!("{label}{}: no NVRTC there", toolkit.display()));
        }
        found
    }

    /// `nvidia-cuda-nvrtc` of pip.
    fn python(&mut self, label: &str, prefix: Option<PathBuf>) -> Option<N> {
        let Some(prefix) = prefix else {
            return self.note(format!("a Python package in {label}: it is not set"));
        };
        let before = self.searched.len();
        for package in nvidia_packages(&prefix) {
            let folders = if cfg!(target_os = "windows") { ["bin", "bin/x86_64"] } else { ["lib", "lib64"] };
            for folder in folders {
                let found = self.libraries_in(&format!("{label}: "), &package.join(folder));
                if found.is_some() {
                    return found;
                }
            }
        }
        if self.searched.len() == before {
            return self.note(format!("{label}: no Python package with NVRTC under {}", prefix.display()));
        }
        None
    }

    /// Opens the libraries in a folder, newest first, until one opens.
    fn libraries_in(&mut self, label: &str, folder: &Path) -> Option<N> {
        let libraries = newest_first(folder, is_nvrtc);
        libraries.iter().find_map(|library| self.library(&format!("{label}{}", library.display()), library))
    }

    /// Opens a library, and puts it aside where it is newer than the driver.
    fn library(&mut self, place: &str, path: &Path) -> Option<N> {
        let nvrtc = match (self.open)(path) {
            Ok(nvrtc) => nvrtc,
            Err(reason) => return self.note(format!("{place}: {reason}")),
        };
        let major = (self.major_of)(&nvrtc);
        match self.newest {
            Some(newest) if newest < major => {
                self.newer.get_or_insert(nvrtc);
                self.note(format!("{place}: this is NVRTC {major}, and the driver serves CUDA {newest} at most"))
            }
            _ => Some(nvrtc),
        }
    }

    /// Notes a place where nothing was found.
    fn note(&mut self, line: String) -> Option<N> {
        self.searched.push(line);
        None
    }
}

/// Whether a file is NVRTC by its name; `libnvrtc-builtins.so` and `libnvrtc.alt.so` are not.
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
