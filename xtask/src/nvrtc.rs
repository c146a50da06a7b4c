//! The NVRTC and nvJitLink of the tests. They compile and link for any GPU, and need none themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{self, Failure, Result};

/// The pip packages that contain NVRTC and nvJitLink. Since CUDA 13 they install into the same directory.
const PACKAGES: [&str; 2] = ["nvidia-cuda-nvrtc", "nvidia-nvjitlink"];

/// Returns the value for `CUMBIA_NVRTC`: the current value of the variable, or else `target/nvrtc`, into which pip
/// installs NVRTC and nvJitLink on the first call.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os("CUMBIA_NVRTC").filter(|value| !value.is_empty()) {
        return Ok(chosen.into());
    }
    let folder = program::target().join("nvrtc");
    if let Some(found) = find(&folder) {
        return Ok(found);
    }
    fetch(&folder)?;
    find(&folder).ok_or_else(|| {
        let packages = PACKAGES.join(" and ");
        Failure(format!(
            "pip installed {packages} into {}, but there is no directory with libnvrtc and libnvJitLink in it",
            folder.display()
        ))
    })
}

fn fetch(folder: &Path) -> Result<()> {
    let mut pip = Command::new(if cfg!(windows) { "python" } else { "python3" });
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(folder).args(PACKAGES);
    program::run(&mut pip).map_err(|Failure(reason)| {
        Failure(format!(
            "the tests need NVRTC and nvJitLink, and pip could not install them: {reason}\n  \
             help: install Python 3 with pip and try again, or set CUMBIA_NVRTC to an installed NVRTC \
             (libnvrtc.so of CUDA 12 or newer, or its directory) with nvJitLink beside it\n  \
             help: `cargo test --workspace` runs without it, and reports the skipped checks"
        ))
    })
}

/// Returns the directory of both libraries in a pip installation: `nvidia/cu13/lib`.
fn find(folder: &Path) -> Option<PathBuf> {
    const NVRTC: [&str; 3] = ["libnvrtc.so", "libnvrtc.dylib", "nvrtc64_"];
    const NVJITLINK: [&str; 2] = ["libnvJitLink.so", "nvJitLink_"];
    let packages = std::fs::read_dir(folder.join("nvidia")).ok()?.flatten();
    let mut folders = packages.flat_map(|package| ["lib", "bin", "bin/x86_64"].map(|lib| package.path().join(lib)));
    folders.find(|folder| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        let has = |starts: &[&str]| names.iter().any(|name| starts.iter().any(|start| name.starts_with(start)));
        has(&NVRTC) && (has(&NVJITLINK) || cfg!(target_os = "macos"))
    })
}
