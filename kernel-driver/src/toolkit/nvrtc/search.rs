//! The search for NVRTC, which `CUMBIA_NVRTC` can decide.

use std::path::Path;

use super::SearchError;
use crate::toolkit::environment::Environment;
use crate::toolkit::search::{Search, Wanted};
use crate::toolkit::searched::{BadNvrtcReason, LibraryFailure, Searched};

/// The names that are looked up through the loader, newest first.
const LOADER_NAMES: &[&str] = if cfg!(target_os = "windows") {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else if cfg!(target_os = "macos") {
    &["libnvrtc.dylib"]
} else {
    &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
};

/// NVRTC, for the search.
const NVRTC: Wanted = Wanted { name: "NVRTC", loader_names: LOADER_NAMES, is_file: is_nvrtc };

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
    let mut search =
        Search { wanted: &NVRTC, open, major_of, newest: environment.driver, newer: None, searched: Vec::new() };
    if let Some(requested) = &environment.cumbia_nvrtc {
        search.newest = None;
        return Ok((exactly(&mut search, Path::new(requested))?, search.searched));
    }
    match search.everywhere(environment).or(search.newer) {
        Some(nvrtc) => Ok((nvrtc, search.searched)),
        None => Err(SearchError::NoNvrtc { searched: search.searched, driver: environment.driver }),
    }
}

/// Opens the file that the user named, or the library in the directory that the user named.
fn exactly<N, F, M>(search: &mut Search<N, F, M>, path: &Path) -> Result<N, SearchError>
where
    F: FnMut(&Path) -> Result<N, LibraryFailure>,
    M: Fn(&N) -> u32,
{
    let bad = |reason: BadNvrtcReason| SearchError::BadNvrtc { path: path.to_owned(), reason };
    if path.is_dir() {
        let found = search.libraries_in("", path).or_else(|| search.toolkit("", path));
        return found
            .ok_or_else(|| bad(BadNvrtcReason::NotInFolder { searched: std::mem::take(&mut search.searched) }));
    }
    if !path.exists() {
        return Err(bad(BadNvrtcReason::NotFound));
    }
    (search.open)(path).map_err(|failure| bad(BadNvrtcReason::Unusable(failure)))
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
