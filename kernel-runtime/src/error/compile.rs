//! Compilation errors: why there is no machine code for a kernel.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use super::position::Position;
use super::proof::{Check, KeptCheck};
pub use cumbia_kernel_compiler::ObstacleKind;

use crate::cuda::{
    BadNvrtcReason, ImageRejection, Joined, LinkFailure, NvrtcFailure, Searched, UnsupportedReason, Version,
};

/// Why there is no machine code for a kernel.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// NVRTC, CUDA's run-time compiler, is not installed.
    #[error("{}", no_nvrtc(searched, *driver, MAX_SEARCHED_LINES))]
    NoNvrtc {
        /// Every searched location, with the result of the search there.
        searched: Vec<Searched>,
        /// The major version of CUDA that the driver supports; `None` without a driver.
        driver: Option<u32>,
    },
    /// `CUMBIA_NVRTC` does not name a usable NVRTC.
    #[error("CUMBIA_NVRTC is `{}`, but {reason}\n  help: set it to the path of libnvrtc.so of CUDA 12 or newer or to its directory, or unset it", path.display())]
    BadNvrtc {
        /// The variable's value.
        path: PathBuf,
        /// Why it is not usable.
        reason: BadNvrtcReason,
    },
    /// Neither `nvdisasm` nor `cuobjdump` is installed, or neither can disassemble the code.
    #[error(
        "no usable disassembler was found\n  help: install one with `pip install nvidia-cuda-nvdisasm`, or install the CUDA toolkit, or add the directory of `nvdisasm` or `cuobjdump` to PATH{}",
        searched_lines(searched, MAX_SEARCHED_LINES)
    )]
    NoDisassembler {
        /// Every searched location, with the result of the search there.
        searched: Vec<Searched>,
    },
    /// A kernel has functions in linked files, and nvJitLink, CUDA's run-time linker, is not installed.
    #[error(
        "nvJitLink, CUDA's run-time linker, was not found, and kernel `{kernel}` links `{file}`\n  help: install it with {}, or install the CUDA toolkit; it is searched beside NVRTC first{}",
        nvjitlink_package(*nvrtc),
        searched_lines(searched, MAX_SEARCHED_LINES)
    )]
    NoNvJitLink {
        /// The kernel.
        kernel: String,
        /// The path of a linked file, as written.
        file: String,
        /// The version of NVRTC, whose output is linked.
        nvrtc: Version,
        /// Every searched location, with the result of the search there.
        searched: Vec<Searched>,
    },
    /// nvJitLink did not link a kernel with the files that define its device functions.
    #[error(
        "nvJitLink {version} cannot link kernel `{kernel}` for {architecture} with {}{}\n  help: the files must define `extern \"C\" __device__` functions with the declared symbols, in relocatable device code (`nvcc -rdc=true`): PTX, or machine code for this architecture, with at most the registers of the kernel's launch bounds (`-maxrregcount`){}",
        files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", "),
        // The log says more than the status.
        if failure.log().is_none() { format!(": {failure} ({call})") } else { String::new() },
        failure.log().map_or_else(String::new, |log| format!("\n{log}"))
    )]
    LinkFailed {
        /// The kernel.
        kernel: String,
        /// The architecture.
        architecture: String,
        /// The paths of the linked files, as written.
        files: Vec<String>,
        /// The version of nvJitLink.
        version: Version,
        /// The function of nvJitLink.
        call: &'static str,
        /// Why it failed.
        failure: Box<LinkFailure>,
    },
    /// A kernel has functions in linked files, and PTX for later compilation by the driver was requested.
    #[error(
        "kernel `{kernel}` has functions in linked files, and cannot be precompiled for {architecture}: nvJitLink makes machine code\n  help: request real architectures, such as `sm_90`"
    )]
    LinkedPtx {
        /// The kernel.
        kernel: String,
        /// The architecture.
        architecture: String,
    },
    /// NVRTC rejected a linked file with CUDA C++.
    #[error(
        "NVRTC rejected `{file}`, which kernel `{kernel}` links\n  help: correct the file; it is compiled with the options of the kernel, and without include directories\n{log}"
    )]
    LinkedFileRejected {
        /// The kernel.
        kernel: String,
        /// The path of the file, as written.
        file: String,
        /// NVRTC's log.
        log: String,
    },
    /// NVRTC failed for a reason other than the source.
    #[error("NVRTC {version} failed in {call}: {failure}")]
    NvrtcFailed {
        /// NVRTC's version.
        version: Version,
        /// The NVRTC function.
        call: &'static str,
        /// Why it failed.
        failure: NvrtcFailure,
    },
    /// NVRTC rejected the emitted CUDA C, which is a bug in Cumbia.
    #[error("NVRTC rejected the CUDA C of kernel `{kernel}`, which is a bug in Cumbia; please report it with the source{}\n{log}",
        source_path.as_ref().map_or_else(String::new, |path| format!(" kept in {}", path.display())))]
    NvrtcRejected {
        /// The kernel.
        kernel: String,
        /// NVRTC's log.
        log: String,
        /// The file with the source; `None` if no file could be written.
        source_path: Option<PathBuf>,
        /// The source.
        source_text: String,
    },
    /// NVRTC rejected CUDA C that the user has written.
    #[error(
        "NVRTC rejected the CUDA C of the device function `{function}`, at {file}:{line}: {message}\n  help: correct the text in `#[device(unsafe(cuda = \"..\"))]`; Cumbia checks nothing in it but the parameters\n{log}"
    )]
    CudaCRejected {
        /// The kernel that calls the function.
        kernel: Box<str>,
        /// The device function.
        function: Box<str>,
        /// The Rust source file.
        file: Box<str>,
        /// The line in it, from 1.
        line: u32,
        /// NVRTC's first message about the text.
        message: String,
        /// NVRTC's log.
        log: String,
    },
    /// NVRTC rejected the declaration of a function in a linked file.
    #[error(
        "NVRTC rejected the symbol `{symbol}` of a linked function, at {file}:{line}: {message}\n  help: CUDA may declare a function of this name: rename it in the linked file, and name it by `symbol = \"..\"`"
    )]
    SymbolRejected {
        /// The kernel that calls the function.
        kernel: String,
        /// The symbol.
        symbol: String,
        /// The Rust source file.
        file: String,
        /// The line of the function in it, from 1.
        line: u32,
        /// NVRTC's first message.
        message: String,
    },
    /// A string is not the name of an architecture.
    #[error(
        "`{name}` is not an architecture\n  help: an architecture is `sm_` or `compute_` and a number, such as `sm_90` or `sm_90a`"
    )]
    NotAnArchitecture {
        /// The requested name.
        name: String,
    },
    /// A `compute_` architecture denotes PTX, which has no machine code until a driver compiles it.
    #[error("{architecture} has no machine code of its own\n  help: request a real architecture, such as `sm_90`")]
    NoMachineCode {
        /// The requested architecture.
        architecture: String,
    },
    /// The driver did not load the image that NVRTC compiled.
    #[error(
        "the CUDA driver, which supports CUDA {}, does not load the code of kernel `{kernel}` for {architecture}: {}\n  help: update NVIDIA's driver, or set CUMBIA_NVRTC to an NVRTC that is not newer than the driver (`pip install nvidia-cuda-nvrtc-cu12` installs one of CUDA 12)",
        version_text(*driver),
        Joined(rejections)
    )]
    ImageRejected {
        /// The kernel.
        kernel: String,
        /// The architecture that the image was compiled for.
        architecture: String,
        /// The latest CUDA version that the driver supports; `None` if it is not known.
        driver: Option<Version>,
        /// The driver's reason for each form of the code that it rejected: the machine code, if there is any, and the PTX.
        rejections: Vec<ImageRejection>,
    },
    /// NVRTC does not support the architecture.
    #[error("NVRTC {version} cannot compile for {architecture}: {reason}")]
    UnsupportedArchitecture {
        /// The requested architecture.
        architecture: String,
        /// NVRTC's version.
        version: Version,
        /// Why it does not support it.
        reason: UnsupportedReason,
    },
    /// The kernel violates rules of the kernel language that can be checked only after specialisation, when its types are known.
    #[error("kernel `{kernel}` cannot be compiled\n{}", blocks(diagnostics))]
    Rejected {
        /// The kernel.
        kernel: String,
        /// The violated rules, in source order.
        diagnostics: Vec<Diagnostic>,
    },
    /// A kernel with `prove` has checks that every launch executes.
    #[error(
        "kernel `{kernel}` has `prove`, but every launch executes {}\n{}",
        if kept.len() == 1 { "a check".to_owned() } else { format!("{} checks", kept.len()) },
        kept.iter().map(|check| KeptCheck(check).to_string()).collect::<Vec<_>>().join("\n\n")
    )]
    Unproven {
        /// The kernel.
        kernel: String,
        /// The kept checks, by position.
        kept: Vec<Check>,
    },
    /// A kernel with `coarsen = n` for which it is not known that a CUDA thread can execute several of its threads.
    #[error(
        "kernel `{kernel}` has `coarsen`, but thread coarsening does not apply to it: {reason}, in `{function}` at {file}:{line}\n  help: remove `coarsen`, or change that code: only threads that neither communicate nor execute checks can be coarsened"
    )]
    NotCoarsenable {
        /// The kernel.
        kernel: String,
        /// The reason.
        reason: ObstacleKind,
        /// The function that contains the reason.
        function: String,
        /// The Rust source file.
        file: String,
        /// The line in it, from 1.
        line: u32,
    },
}

/// A violated rule of the kernel language, in [`CompileError::Rejected`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The unsupported construct.
    pub message: String,
    /// Why it is not supported.
    pub why: String,
    /// The remedy.
    pub help: String,
    /// The source locations: one for most rules; for recursion each call of the cycle, outermost first; none for an error that
    /// concerns a whole function.
    pub positions: Vec<Position>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { message, why, help, positions } = self;
        write!(f, "error: {message}\n       why: {why}\n       help: {help}")?;
        positions.iter().try_for_each(|position| write!(f, "\n       at {position}"))
    }
}

impl From<cumbia_kernel_compiler::Error> for Diagnostic {
    fn from(error: cumbia_kernel_compiler::Error) -> Self {
        let cumbia_kernel_compiler::Error { function, file, span, diagnostic } = error;
        let cumbia_kernel_compiler::Diagnostic { message, why, help } = diagnostic;
        let position = Position { file, line: span.line, column: span.column, function, callee: None };
        Diagnostic { message, why, help, positions: vec![position] }
    }
}

/// Renders [`CompileError::NoNvrtc`], with at most this number of lines about the searched locations.
pub(crate) fn no_nvrtc(searched: &[Searched], driver: Option<u32>, most: usize) -> String {
    format!(
        "NVRTC, CUDA's run-time compiler, was not found\n  help: install it with {}, or install the CUDA toolkit, or set CUMBIA_NVRTC to the path of libnvrtc.so{}",
        nvrtc_package(driver),
        searched_lines(searched, most)
    )
}

/// Renders the CUDA version of a driver, after "CUDA".
pub(crate) fn version_text(version: Option<Version>) -> String {
    version.map_or_else(|| "of unknown version".to_owned(), |version| version.to_string())
}

/// Renders one line for each of the searched locations, and at most this number of lines; first those where there is something
/// that is not usable.
fn searched_lines(searched: &[Searched], most: usize) -> String {
    let (absent, unusable): (Vec<&Searched>, Vec<&Searched>) =
        searched.iter().partition(|place| place.outcome.is_absence());
    let shown = if searched.len() > most { most - 1 } else { most };
    let places = unusable.into_iter().chain(absent).take(shown);
    let lines = places.fold(String::new(), |lines, place| format!("{lines}\n  looked for {place}"));
    match searched.len().saturating_sub(shown) {
        0 => lines,
        others => format!("{lines}\n  and in {others} other places, which `cumbia::doctor()` lists"),
    }
}

/// The maximum number of lines about searched locations in an error: it has at most ten lines.
const MAX_SEARCHED_LINES: usize = 8;

/// Returns the command that installs an NVRTC whose code the driver loads. A driver loads the code of NVRTCs of its own major
/// version of CUDA and of older ones.
fn nvrtc_package(driver: Option<u32>) -> &'static str {
    match driver {
        Some(..12) => "`pip install nvidia-cuda-nvrtc` after an update of NVIDIA's driver, which is older than CUDA 12",
        Some(12) => "`pip install nvidia-cuda-nvrtc-cu12` (the driver supports CUDA 12)",
        Some(13..) => "`pip install nvidia-cuda-nvrtc`",
        None => "`pip install nvidia-cuda-nvrtc` (`nvidia-cuda-nvrtc-cu12` if the driver supports only CUDA 12)",
    }
}

/// Returns the command that installs an nvJitLink for the output of an NVRTC.
pub(crate) fn nvjitlink_package(nvrtc: Version) -> String {
    let suffix = if nvrtc.major < 13 { "-cu12" } else { "" };
    format!("`pip install 'nvidia-nvjitlink{suffix}>={nvrtc}'`")
}

/// Renders diagnostics, separated by empty lines.
fn blocks(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{SearchOutcome, SearchPlace};

    #[test]
    fn a_missing_nvjitlink_is_at_most_ten_lines() {
        let absent = Searched::new(SearchPlace::Toolkit("CUDA_HOME"), SearchOutcome::NotSet);
        let error = |major| CompileError::NoNvJitLink {
            kernel: "blur".to_owned(),
            file: "blur.ptx".to_owned(),
            nvrtc: Version { major, minor: 2 },
            searched: vec![absent.clone(); 20],
        };
        let text = error(13).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10, "{text}");
        assert!(lines[0].ends_with("kernel `blur` links `blur.ptx`"), "{text}");
        assert!(lines[1].starts_with("  help: install it with `pip install 'nvidia-nvjitlink>=13.2'`"), "{text}");
        assert!(error(12).to_string().contains("'nvidia-nvjitlink-cu12>=12.2'"));
    }

    #[test]
    fn a_missing_nvrtc_is_at_most_ten_lines() {
        let absent = Searched::new(SearchPlace::Toolkit("CUDA_HOME"), SearchOutcome::NotSet);
        let newer = SearchOutcome::NewerThanDriver { nvrtc: 13, driver: 12 };
        let mut searched = vec![absent; 20];
        searched.push(Searched::new(SearchPlace::Loader("libnvrtc.so.13"), newer));
        let text = CompileError::NoNvrtc { searched, driver: Some(12) }.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10, "{text}");
        assert!(lines[1].starts_with("  help: install it with") && lines[2].contains("libnvrtc.so.13"), "{text}");
        assert!(lines[9].starts_with("  and in 14 other places"), "{text}");
    }
}
