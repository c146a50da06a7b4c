//! The library of built-in functions that NVRTC opens by its name when it compiles.

use std::path::{Path, PathBuf};

use crate::driver::Version;

/// Returns the library of built-in functions in the directory of NVRTC, if there is one.
///
/// The loader does not look for it there: the `PyPI` packages of CUDA 12 and 13.0 have no run path. A library that is loaded is found by
/// its name, wherever it is.
pub(super) fn beside(nvrtc: &Path, version: Version) -> Option<PathBuf> {
    let Version { major, minor } = version;
    let name = if cfg!(target_os = "windows") {
        format!("nvrtc-builtins64_{major}{minor}.dll")
    } else if cfg!(target_os = "macos") {
        format!("libnvrtc-builtins.{major}.{minor}.dylib")
    } else {
        format!("libnvrtc-builtins.so.{major}.{minor}")
    };
    // NVRTC itself may be a link.
    let target = nvrtc.canonicalize().ok();
    let beside = |nvrtc: &Path| nvrtc.with_file_name(&name);
    [Some(beside(nvrtc)), target.as_deref().map(beside)].into_iter().flatten().find(|path| path.is_file())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{Version, beside};

    #[test]
    fn builtins_are_found_beside_the_library_and_what_it_links_to() {
        let root = std::env::temp_dir().join(format!("cumbia-builtins-{}", std::process::id()));
        let (package, links) = (root.join("package"), root.join("links"));
        std::fs::create_dir_all(&package).unwrap();
        std::fs::create_dir_all(&links).unwrap();
        let (nvrtc, builtins) = (package.join("libnvrtc.so.13"), package.join("libnvrtc-builtins.so.13.0"));
        let link = links.join("libnvrtc.so");
        std::fs::write(&nvrtc, "").unwrap();
        std::os::unix::fs::symlink(&nvrtc, &link).unwrap();
        let version = Version { major: 13, minor: 0 };
        assert_eq!((beside(&nvrtc, version), beside(&link, version)), (None, None));
        std::fs::write(&builtins, "").unwrap();
        assert_eq!(beside(&nvrtc, version).as_deref(), Some(&*builtins));
        assert_eq!(beside(&link, version), Some(builtins.canonicalize().unwrap()));
        assert_eq!(beside(&nvrtc, Version { major: 13, minor: 1 }), None);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
