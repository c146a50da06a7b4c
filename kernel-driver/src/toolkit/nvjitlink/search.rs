//! The search for nvJitLink: beside NVRTC, and then where NVRTC is searched.

use std::path::{Path, PathBuf};

use crate::toolkit::environment::Environment;
use crate::toolkit::search::{Search, Wanted};
use crate::toolkit::searched::{LibraryFailure, Searched};

/// nvJitLink, for the search.
const NVJITLINK: Wanted = Wanted { name: "nvJitLink", loader_names: LOADER_NAMES, is_file: is_nvjitlink };

/// The names that are looked up through the loader, newest first.
const LOADER_NAMES: &[&str] = if cfg!(target_os = "windows") {
    &["nvJitLink_130_0.dll", "nvJitLink_120_0.dll"]
} else {
    &["libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"]
};

/// Returns the first nvJitLink that `open` accepts, and the outcome at each location before it. `nvrtc` is the path of NVRTC.
///
/// # Errors
///
/// Every location and its error.
pub(super) fn find<N>(
    environment: &Environment,
    nvrtc: Option<&Path>,
    open: impl FnMut(&Path) -> Result<N, LibraryFailure>,
) -> Result<(N, Vec<Searched>), Vec<Searched>> {
    let mut search = Search {
        wanted: &NVJITLINK,
        open,
        major_of: |_: &N| 0,
        // The version has to fit NVRTC's, which fits the driver's.
        newest: None,
        newer: None,
        searched: Vec::new(),
    };
    let beside = nvrtc.map(beside).unwrap_or_default();
    let found = beside.iter().find_map(|folder| search.libraries_in("", folder));
    match found.or_else(|| search.everywhere(environment)) {
        Some(linker) => Ok((linker, search.searched)),
        None => Err(search.searched),
    }
}

/// Returns the directory of NVRTC, and that of the package `nvidia-nvjitlink-cu12` beside `nvidia-cuda-nvrtc-cu12`.
fn beside(nvrtc: &Path) -> Vec<PathBuf> {
    let folder = nvrtc.parent().map(Path::to_owned);
    let package = folder.as_deref().and_then(|folder| {
        let name = folder.file_name()?;
        Some(folder.parent()?.parent()?.join("nvjitlink").join(name))
    });
    folder.into_iter().chain(package).collect()
}

fn is_nvjitlink(name: &str) -> bool {
    if cfg!(target_os = "windows") {
        name.starts_with("nvJitLink_") && name.ends_with("_0.dll")
    } else {
        name == "libnvJitLink.so" || name.starts_with("libnvJitLink.so.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(root: &Path, environment: &Environment, nvrtc: Option<&str>, expected: &str) {
        let missing = || LibraryFailure::NotLoaded { message: "cannot open shared object file".to_owned() };
        let open = |path: &Path| path.is_file().then(|| path.to_owned()).ok_or_else(missing);
        let nvrtc = nvrtc.map(|nvrtc| root.join(nvrtc));
        let (found, _) = find(environment, nvrtc.as_deref(), open).unwrap();
        assert_eq!(found.strip_prefix(root).unwrap(), Path::new(expected));
    }

    #[test]
    fn the_library_beside_nvrtc_is_preferred() {
        let root = tempfile::tempdir().unwrap();
        let packages = "venv/lib/python3.12/site-packages/nvidia";
        for file in [
            "cuda/lib64/libnvJitLink.so.13",
            "toolkit/lib64/libnvJitLink.so.13",
            &format!("{packages}/nvjitlink/lib/libnvJitLink.so.12"),
        ] {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let at = |name: &str| Some(root.path().join(name).into_os_string());
        let mut environment =
            Environment { root: root.path().to_owned(), cuda_home: at("toolkit"), ..Environment::default() };
        check(root.path(), &environment, Some("cuda/lib64/libnvrtc.so.13"), "cuda/lib64/libnvJitLink.so.13");
        check(root.path(), &environment, None, "toolkit/lib64/libnvJitLink.so.13");
        let in_package = format!("{packages}/nvjitlink/lib/libnvJitLink.so.12");
        check(root.path(), &environment, Some(&format!("{packages}/cuda_nvrtc/lib/libnvrtc.so.12")), &in_package);
        environment.cuda_home = None;
        environment.virtual_env = at("venv");
        check(root.path(), &environment, None, &in_package);
        environment.virtual_env = None;
        let searched = find(&environment, None, |_| Err::<(), _>(LibraryFailure::NotLoaded { message: String::new() }));
        assert!(searched.unwrap_err().iter().any(|place| place.to_string().starts_with("libnvJitLink.so.13 in")));
    }
}
