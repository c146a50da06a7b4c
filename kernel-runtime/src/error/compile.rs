//! Why there is no machine code.

use std::path::PathBuf;

use thiserror::Error;

/// Why there is no machine code.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// NVRTC, the compiler, is not on this machine.
    #[error(
        "NVRTC, CUDA's run-time compiler, was not found\n{}  help: `pip install nvidia-cuda-nvrtc`, or install the CUDA toolkit, or point CUMBIA_NVRTC at libnvrtc.so",
        places(searched)
    )]
    NoNvrtc {
        /// Every place, with what was found there.
        searched: Vec<String>,
    },
    /// `CUMBIA_NVRTC` holds something else than a usable NVRTC.
    #[error("CUMBIA_NVRTC is `{}`, but {reason}\n  help: point it at libnvrtc.so of CUDA 12 or newer, or at its folder, or unset it", path.display())]
    BadNvrtc {
        /// The variable's value.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Neither `nvdisasm` nor `cuobjdump` is on this machine, or none of them can show the code.
    #[error(
        "no program was found that shows machine code\n{}  help: `pip install nvidia-cuda-nvdisasm`, or install the CUDA toolkit, or put the folder of `nvdisasm` or `cuobjdump` on PATH",
        places(searched)
    )]
    NoDisassembler {
        /// Every place, with what was found there.
        searched: Vec<String>,
    },
    /// NVRTC broke down, for a reason that is not in the source.
    #[error("NVRTC {version} failed in {call}: {message}")]
    NvrtcFailed {
        /// NVRTC's version.
        version: String,
        /// NVRTC's function.
        call: &'static str,
        /// NVRTC's words.
        message: String,
    },
    /// NVRTC refused the source: a bug of ours.
    #[error("NVRTC refused the CUDA C of kernel `{kernel}`, which is a bug in Cumbia; please report it with the source{}\n{log}",
        source_path.as_ref().map_or_else(String::new, |path| format!(" kept in {}", path.display())))]
    NvrtcRefused {
        /// The kernel.
        kernel: String,
        /// NVRTC's log.
        log: String,
        /// Where the source is kept; `None` where no file could be written.
        source_path: Option<PathBuf>,
        /// The source itself.
        source_text: String,
    },
    /// NVRTC refused what the user wrote in CUDA C.
    #[error(
        "NVRTC refused the CUDA C of the device function `{function}`, at {file}:{line}: {message}\n  help: correct the text in `#[device(unsafe(cuda = \"..\"))]`, of which Cumbia knows nothing but its parameters\n{log}"
    )]
    CudaCRefused {
        /// The kernel that calls it.
        kernel: String,
        /// The device function.
        function: String,
        /// The file in Rust.
        file: String,
        /// The line in it, from 1.
        line: u32,
        /// NVRTC's first words about it.
        message: String,
        /// NVRTC's log.
        log: String,
    },
    /// The name of an architecture is not spelled as one.
    #[error(
        "`{name}` is not an architecture\n  help: an architecture is `sm_` or `compute_` and a number, such as `sm_90` or `sm_90a`"
    )]
    NotAnArchitecture {
        /// As asked for.
        name: String,
    },
    /// A `compute_` architecture stands for PTX, which has no machine code before a driver has compiled it.
    #[error("{architecture} has no machine code of its own\n  help: ask for a GPU's, such as `sm_90`")]
    NoMachineCode {
        /// As asked for.
        architecture: String,
    },
    /// The driver did not load what NVRTC made.
    #[error(
        "the CUDA driver, which serves CUDA {driver}, does not load the code of kernel `{kernel}` for {architecture}: {reason}\n  help: update NVIDIA's driver, or point CUMBIA_NVRTC at an NVRTC that is not newer than the driver (`pip install nvidia-cuda-nvrtc-cu12` for CUDA 12)"
    )]
    ImageRefused {
        /// The kernel.
        kernel: String,
        /// What it was compiled for.
        architecture: String,
        /// The newest CUDA version of the driver.
        driver: String,
        /// What the driver said.
        reason: String,
    },
    /// NVRTC does not know the architecture.
    #[error("NVRTC {version} cannot compile for {architecture}: {message}")]
    UnsupportedArchitecture {
        /// As asked for.
        architecture: String,
        /// NVRTC's version.
        version: String,
        /// NVRTC's words.
        message: String,
    },
    /// The kernel breaks a rule that only its types could show.
    #[error("kernel `{kernel}` cannot be compiled\n{errors}")]
    Rejected {
        /// The kernel.
        kernel: String,
        /// What the compiler found.
        errors: String,
    },
}

/// A line for each place.
fn places(searched: &[String]) -> String {
    searched.iter().fold(String::new(), |lines, place| lines + "  looked for " + place + "\n")
}
