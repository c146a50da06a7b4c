//! A single compilation by NVRTC.

use std::ffi::{CString, c_char, c_int};

use super::library::{COMPILATION, INVALID_OPTION, RawProgram};
use super::{
    Architecture, Nvrtc, NvrtcArgument, NvrtcError, NvrtcFailure, OLDEST_ASSEMBLER_FOR_90, OLDEST_WITH_MINIMAL,
    UnsupportedArchitecture, UnsupportedReason,
};
use crate::toolkit::library::{BytesOf, SUCCESS, SizeOf, Status, output, text};

/// A source in CUDA C.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// The file name in NVRTC's log.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// The compiled code of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The architecture it was compiled for.
    pub architecture: String,
    /// The machine code; `None` for a virtual (`compute_`) architecture.
    pub cubin: Option<Vec<u8>>,
    /// PTX.
    pub ptx: String,
    /// The log of NVRTC: warnings, or empty.
    pub log: String,
}

/// An `nvrtcProgram`, destroyed when dropped.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    raw: RawProgram,
}

impl Nvrtc {
    /// Compiles CUDA C with these options: to machine code and PTX for an `sm_` architecture, to PTX for a `compute_`
    /// one.
    ///
    /// The text is first compiled with NVRTC's minimal set of declarations, where it has one, and if that fails with all
    /// of them: functions of the user's in CUDA C may name any.
    ///
    /// # Errors
    ///
    /// [`NvrtcError`].
    pub fn compile(
        &self,
        source: SourceText<'_>,
        options: &[impl AsRef<str>],
        architecture: &Architecture,
    ) -> Result<Image, NvrtcError> {
        if architecture.is_real() && !self.version.assembles_for(architecture.number()) {
            return Err(self.cannot_compile_for(
                architecture,
                UnsupportedReason::AssemblerCrashes {
                    virtual_architecture: architecture.to_virtual().to_string(),
                    oldest: OLDEST_ASSEMBLER_FOR_90,
                },
            ));
        }
        let mut options: Vec<&str> = options.iter().map(AsRef::as_ref).collect();
        if self.version >= OLDEST_WITH_MINIMAL {
            options.push("--minimal");
        }
        let mut program = Program::new(self, source)?;
        let mut status = program.compile(&options, architecture)?;
        if status == COMPILATION && options.pop_if(|option| *option == "--minimal").is_some() {
            program = Program::new(self, source)?;
            status = program.compile(&options, architecture)?;
        }
        let log = program.log();
        match status {
            SUCCESS => {}
            INVALID_OPTION | COMPILATION if is_about_the_architecture(&log) => {
                let supported = self.supported.clone();
                return Err(self.cannot_compile_for(architecture, UnsupportedReason::Unknown { supported }));
            }
            COMPILATION => return Err(NvrtcError::Rejected { log }),
            other => return Err(self.failed("nvrtcCompileProgram", self.status(other, log))),
        }
        let functions = &self.functions;
        let cubin = if architecture.is_real() {
            Some(program.bytes("nvrtcGetCUBIN", functions.get_cubin_size, functions.get_cubin)?)
        } else {
            None
        };
        let ptx = program.bytes("nvrtcGetPTX", functions.get_ptx_size, functions.get_ptx)?;
        Ok(Image { architecture: architecture.to_string(), cubin, ptx: text(&ptx), log })
    }

    fn failed(&self, call: &'static str, failure: NvrtcFailure) -> NvrtcError {
        NvrtcError::Failed { version: self.version, call, failure }
    }

    fn status(&self, code: Status, log: String) -> NvrtcFailure {
        NvrtcFailure::Status { code, message: self.functions.message(code), log }
    }

    fn cannot_compile_for(&self, architecture: &Architecture, reason: UnsupportedReason) -> NvrtcError {
        UnsupportedArchitecture { architecture: architecture.to_string(), version: self.version, reason }.into()
    }
}

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, SourceText { name, text }: SourceText<'_>) -> Result<Program<'a>, NvrtcError> {
        let failed = |failure| nvrtc.failed("nvrtcCreateProgram", failure);
        let c_string =
            |text: &str, argument| CString::new(text).map_err(|_| failed(NvrtcFailure::NulCharacter(argument)));
        let (source, name) = (c_string(text, NvrtcArgument::Source)?, c_string(name, NvrtcArgument::Name)?);
        let mut raw = std::ptr::null_mut();
        let (headers, names) = (std::ptr::null(), std::ptr::null());
        // SAFETY: the strings are C strings, which NVRTC copies; no headers are passed.
        let status = unsafe {
            (nvrtc.functions.create_program)(&raw mut raw, source.as_ptr(), name.as_ptr(), 0, headers, names)
        };
        if status == SUCCESS { Ok(Program { nvrtc, raw }) } else { Err(failed(nvrtc.status(status, String::new()))) }
    }

    fn compile(&self, options: &[&str], architecture: &Architecture) -> Result<Status, NvrtcError> {
        let architecture = format!("--gpu-architecture={architecture}");
        let options = options.iter().copied().chain([architecture.as_str()]).map(CString::new);
        let options: Vec<CString> = options.collect::<Result<_, _>>().map_err(|_| {
            self.nvrtc.failed("nvrtcCompileProgram", NvrtcFailure::NulCharacter(NvrtcArgument::CompilerOption))
        })?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: the program is alive, and `count` C strings are passed.
        Ok(unsafe { (self.nvrtc.functions.compile_program)(self.raw, count, pointers.as_ptr()) })
    }

    fn log(&self) -> String {
        let functions = &self.nvrtc.functions;
        let log = self.bytes("nvrtcGetProgramLog", functions.get_program_log_size, functions.get_program_log);
        log.map(|log| text(&log).trim_end().to_owned()).unwrap_or_default()
    }

    fn bytes(&self, call: &'static str, size_of: SizeOf, bytes_of: BytesOf) -> Result<Vec<u8>, NvrtcError> {
        // SAFETY: these functions take a program, and it is alive.
        unsafe { output(self.raw, size_of, bytes_of) }
            .map_err(|status| self.nvrtc.failed(call, self.nvrtc.status(status, String::new())))
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created in `new`, and not used again.
        unsafe { (self.nvrtc.functions.destroy_program)(&raw mut self.raw) };
    }
}

/// NVRTC rejects an unknown number as an invalid option, and an unknown suffix as a compilation that did not start.
fn is_about_the_architecture(log: &str) -> bool {
    log.contains("invalid value for --gpu-architecture")
        || log.contains("Command-line error") && log.contains("nv_arch")
}

#[cfg(test)]
mod tests;
