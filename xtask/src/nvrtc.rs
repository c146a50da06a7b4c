//! The NVRTC of the tests. It compiles for any GPU, and needs none itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{self, Failure, Result};

/// The pip package that contains NVRTC.
const PACKAGE: &str = "nvidia-cuda-nvrtc";

/// Returns the value for `CUMBIA_NVRTC`: the current value of the variable, or else `target/nvrtc`, into which pip
/// installs NVRTC on the first call.
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
        Failure(format!("pip installed {PACKAGE} into {}, but there is no libnvrtc in it", folder.display()))
    })
}

fn fetch(folder: &Path) -> Result<()> {
    let mut pip = Command::new(if cfg!(windows) { "python" } else { "python3" });
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(folder).arg(PACKAGE);
    program::run(&mut pip).map_err(|Failure(reason)| {
        Failure(format!(
            "the tests need NVRTC, and pip could not install it: {reason}\n  \
             help: install Python 3 with pip and try again, or set CUMBIA_NVRTC to an installed NVRTC \
             (libnvrtc.so of CUDA 12 or newer, or its directory)\n  \
             help: `cargo test --workspace` runs without it, and reports the skipped checks"
        ))
    })
}

/// Returns the directory of the library in a pip installation: `nvidia/cu13/lib`, or `nvidia/cuda_nvrtc/lib` before
/// CUDA 13.
fn find(folder: &Path) -> Option<PathBuf> {
    let is_nvrtc = |name: &str| ["libnvrtc.so", "libnvrtc.dylib", "nvrtc64_"].iter().any(|it| name.starts_with(it));
    let packages = std::fs::read_dir(folder.join("nvidia")).ok()?.flatten();
    let mut folders = packages.flat_map(|package| ["lib", "bin", "bin/x86_64"].map(|lib| package.path().join(lib)));
    folders.find(|folder| {
        let mut files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.any(|file| is_nvrtc(&file.file_name().to_string_lossy()))
    })
}
