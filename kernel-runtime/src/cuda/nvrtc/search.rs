//! Where NVRTC may be: the loader's path, CUDA toolkits, Python environments.
//!
//! The search is over data, an [`Environment`], and opens what it finds through a function that it is given; tests search
//! folders that they made.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::witness::stamp_of;
use crate::cache::Key;
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

/// What the search depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// `CUMBIA_NVRTC`, absolute.
    pub(super) cumbia_nvrtc: Option<OsString>,
    /// `LD_LIBRARY_PATH`, which the loader reads.
    pub(super) ld_library_path: Option<OsString>,
    /// `CUDA_HOME`.
    pub(super) cuda_home: Option<OsString>,
    /// `CUDA_PATH`.
    pub(super) cuda_path: Option<OsString>,
    /// `VIRTUAL_ENV`.
    pub(super) virtual_env: Option<OsString>,
    /// `CONDA_PREFIX`.
    pub(super) conda_prefix: Option<OsString>,
    /// `PATH`: its first `python3` has packages too.
    pub(super) path: Option<OsString>,
    /// `HOME`: `pip install --user` puts packages there.
    pub(super) home: Option<OsString>,
    /// `/`, but for tests.
    pub(super) root: PathBuf,
}

impl Environment {
    /// That of this process.
    pub(super) fn of_process() -> Environment {
        // A variable that is set to nothing is meant as not set.
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Environment {
            // The loader would take a name without a slash as one to look up, and a note must not depend on the
            // current folder.
            cumbia_nvrtc: variable("CUMBIA_NVRTC").map(|path| std::path::absolute(&path).map_or(path, Into::into)),
            ld_library_path: variable("LD_LIBRARY_PATH"),
            cuda_home: variable("CUDA_HOME"),
            cuda_path: variable("CUDA_PATH"),
            virtual_env: variable("VIRTUAL_ENV"),
            conda_prefix: variable("CONDA_PREFIX"),
            path: variable("PATH"),
            home: variable("HOME"),
            root: PathBuf::from("/"),
        }
    }

    /// A hash of it, and of the cache of the loader, which changes when libraries are installed.
    pub(super) fn fingerprint(&self) -> String {
        let Environment {
            cumbia_nvrtc,
            ld_library_path,
            cuda_home,
            cuda_path,
            virtual_env,
            conda_prefix,
            path,
            home,
            root,
        } = self;
        let variables = [cumbia_nvrtc, ld_library_path, cuda_home, cuda_path, virtual_env, conda_prefix, path, home];
        // `Debug` writes bytes that are no text as escapes, and tells an empty value from a missing one.
        let mut parts: Vec<String> = variables.iter().map(|variable| format!("{variable:?}")).collect();
        parts.push(stamp_of(&root.join("etc/ld.so.cache")).unwrap_or_default());
        Key::of(&parts.iter().map(String::as_str).collect::<Vec<_>>()).to_string()
    }
}

/// The first NVRTC that `open` opens.
///
/// # Errors
///
/// [`CompileError::BadNvrtc`] where `CUMBIA_NVRTC` is set and is not usable: what the user asked for is not replaced by
/// something else. [`CompileError::NoNvrtc`] with every place and what was wrong with it.
pub(super) fn find<N>(
    environment: &Environment,
    open: impl FnMut(&Path) -> Result<N, String>,
) -> Result<N, CompileError> {
    let mut search = Search { open, searched: Vec::new() };
    if let Some(asked_for) = &environment.cumbia_nvrtc {
        return search.exactly(Path::new(asked_for));
    }
    search.everywhere(environment).ok_or(CompileError::NoNvrtc { searched: search.searched })
}

/// A search under way.
struct Search<F> {
    open: F,
    /// Each place, with what was found there.
    searched: Vec<String>,
}

impl<N, F: FnMut(&Path) -> Result<N, String>> Search<F> {
    /// The file that the user named, or the one in the folder that the user named.
    fn exactly(mut self, path: &Path) -> Result<N, CompileError> {
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
        let Environment { cuda_home, cuda_path, virtual_env, conda_prefix, home, root, .. } = environment;
        self.loader()
            .or_else(|| self.toolkit_of("CUDA_HOME", cuda_home.as_ref()))
            .or_else(|| self.toolkit_of("CUDA_PATH", cuda_path.as_ref()))
            .or_else(|| self.installed_toolkits(&root.join("usr/local")))
            .or_else(|| self.python("VIRTUAL_ENV", virtual_env.as_deref().map(PathBuf::from)))
            .or_else(|| self.python("CONDA_PREFIX", conda_prefix.as_deref().map(PathBuf::from)))
            .or_else(|| self.python("the python3 of PATH", first_python(environment)))
            .or_else(|| self.python("HOME", home.as_ref().map(|home| Path::new(home).join(".local"))))
            .or_else(|| self.pyenv(home.as_ref()))
            // Where `pip` puts packages for the system's own Python on Debian and its kin.
            .or_else(|| self.python("the system's Python", Some(root.join("usr/local"))))
    }

    /// The Pythons that pyenv installed: the `python3` that it puts on PATH is a script beside none of them.
    fn pyenv(&mut self, home: Option<&OsString>) -> Option<N> {
        let versions = Path::new(home?).join(".pyenv/versions");
        newest_first(&versions, |_| true).into_iter().find_map(|prefix| self.python("pyenv", Some(prefix)))
    }

    /// By name, through the loader: `LD_LIBRARY_PATH`, the loader's cache, the system's folders.
    fn loader(&mut self) -> Option<N> {
        LOADER_NAMES.iter().find_map(|name| match (self.open)(Path::new(name)) {
            Ok(nvrtc) => Some(nvrtc),
            Err(reason) => self.note(format!("{name} in the loader's path: {reason}")),
        })
    }

    fn toolkit_of(&mut self, variable: &str, value: Option<&OsString>) -> Option<N> {
        match value {
            Some(folder) => self.toolkit(&format!("{variable}: "), Path::new(folder), TOOLKIT_FOLDERS),
            None => self.note(format!("a toolkit in {variable}: it is not set")),
        }
    }

    /// The toolkit in `/usr/local/cuda`, then those in `/usr/local/cuda-*`, newest first.
    fn installed_toolkits(&mut self, folder: &Path) -> Option<N> {
        let mut toolkits = vec![folder.join("cuda")];
        toolkits.extend(newest_first(folder, |name| name.starts_with("cuda-")));
        toolkits.iter().find_map(|toolkit| self.toolkit("", toolkit, TOOLKIT_FOLDERS))
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

    /// `nvidia-cuda-nvrtc` of pip, which is under `nvidia/cu13` since CUDA 13 and under `nvidia/cuda_nvrtc` before.
    fn python(&mut self, label: &str, prefix: Option<PathBuf>) -> Option<N> {
        let Some(prefix) = prefix else {
            return self.note(format!("a Python package in {label}: it is not set"));
        };
        let before = self.searched.len();
        for packages in packages_of(&prefix) {
            for package in newest_first(&packages.join("nvidia"), |name| name.starts_with("cu")) {
                let folders = if cfg!(target_os = "windows") { ["bin", "bin/x86_64"] } else { ["lib", "lib64"] };
                for folder in folders {
                    let found = self.libraries_in(&format!("{label}: "), &package.join(folder));
                    if found.is_some() {
                        return found;
                    }
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
        newest_first(folder, is_nvrtc).iter().find_map(|library| match (self.open)(library) {
            Ok(nvrtc) => Some(nvrtc),
            Err(reason) => self.note(format!("{label}{}: {reason}", library.display())),
        })
    }

    /// Notes a place where nothing was found.
    fn note(&mut self, line: String) -> Option<N> {
        self.searched.push(line);
        None
    }
}

/// The folder above the `bin` that holds the first `python3` of `PATH`. A link is not followed: that of a virtual
/// environment leads to the system's Python, and its packages are beside the link.
fn first_python(environment: &Environment) -> Option<PathBuf> {
    let name = if cfg!(target_os = "windows") { "python.exe" } else { "python3" };
    let folder = std::env::split_paths(environment.path.as_ref()?).find(|folder| folder.join(name).exists())?;
    if cfg!(target_os = "windows") { Some(folder) } else { folder.parent().map(Path::to_owned) }
}

/// The folders with the packages of the Pythons under a prefix.
fn packages_of(prefix: &Path) -> Vec<PathBuf> {
    if cfg!(target_os = "windows") {
        return vec![prefix.join("Lib/site-packages")];
    }
    let pythons = newest_first(&prefix.join("lib"), |name| name.starts_with("python"));
    pythons.iter().flat_map(|python| [python.join("site-packages"), python.join("dist-packages")]).collect()
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

/// What is in a folder under names of a kind, those with the highest numbers first.
fn newest_first(folder: &Path, is_of_the_kind: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_of_the_kind(name))
        .collect();
    names.sort_by_cached_key(|name| (numbers_in(name), name.clone()));
    names.iter().rev().map(|name| folder.join(name)).collect()
}

/// The numbers in a name, so that `cuda-13.10` is newer than `cuda-13.9`.
fn numbers_in(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
