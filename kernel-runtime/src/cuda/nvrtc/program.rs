//! A single compilation by NVRTC.

use std::borrow::Cow;
use std::ffi::{CString, c_char, c_int};

use super::library::{BytesOf, COMPILATION, INVALID_OPTION, RawProgram, SUCCESS, SizeOf, Status};
use super::{Architecture, Nvrtc, OLDEST_ASSEMBLER_FOR_90, user_error};
use crate::cache::{Cache, Key, REFUSED, file_stem};
use crate::cuda::image::{Flags, Image, Request};
use crate::error::{CompileError, UnsupportedReason};

/// An `nvrtcProgram`, destroyed when dropped.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    raw: RawProgram,
}

/// Returns the options besides the architecture. They are part of the cache key.
pub(in crate::cuda) fn options(request: Request<'_>) -> Vec<Cow<'static, str>> {
    let Flags { fmad, fast_math, max_registers } = request.flags;
    let mut options: Vec<Cow<'static, str>> = Vec::with_capacity(8);
    options.push(if fmad { "--fmad=true" } else { "--fmad=false" }.into());
    // Line tables have no run-time cost, and let profilers and compute-sanitizer refer to Rust source lines.
    options.push("--generate-line-info".into());
    options.push("--std=c++17".into());
    if fast_math {
        // Implies `--fmad=true`, which an explicit option overrides.
        options.push("--use_fast_math".into());
    }
    if let Some(most) = max_registers {
        options.push(format!("--maxrregcount={most}").into());
    }
    options
}

impl Nvrtc {
    /// Compiles CUDA C: to machine code and PTX for an `sm_` architecture, to PTX for a `compute_` one.
    ///
    /// # Errors
    ///
    /// [`CompileError::NvrtcRefused`], [`CompileError::CudaCRefused`], [`CompileError::UnsupportedArchitecture`] or
    /// [`CompileError::NvrtcFailed`].
    pub(in crate::cuda) fn compile(
        &self,
        request: Request<'_>,
        architecture: &Architecture,
        cache: Option<&Cache>,
    ) -> Result<Image, CompileError> {
        if architecture.is_real() && !self.version.assembles_for(architecture.number()) {
            return Err(CompileError::UnsupportedArchitecture {
                architecture: architecture.to_string(),
                version: self.version.to_string(),
                reason: UnsupportedReason::AssemblerCrashes {
                    virtual_architecture: architecture.to_virtual().to_string(),
                    oldest: OLDEST_ASSEMBLER_FOR_90.to_string(),
                },
            });
        }
        let program = Program::new(self, request)?;
        let status = program.compile(options(request), architecture);
        let log = program.log();
        match status {
            SUCCESS => {}
            INVALID_OPTION | COMPILATION if is_about_the_architecture(&log) => {
                return Err(CompileError::UnsupportedArchitecture {
                    architecture: architecture.to_string(),
                    version: self.version.to_string(),
                    reason: UnsupportedReason::Unknown { supported: self.supported.clone() },
                });
            }
            COMPILATION => {
                if let Some(error) = user_error::find(request.kernel, request.source, &log) {
                    return Err(error);
                }
                return Err(CompileError::NvrtcRefused {
                    kernel: request.kernel.to_owned(),
                    log,
                    source_path: keep_source(request, cache),
                    source_text: request.source.to_owned(),
                });
            }
            other => {
                let message = format!("{}\n{log}", self.functions.message(other));
                return Err(self.failed("nvrtcCompileProgram", message.trim_end().to_owned()));
            }
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

    fn failed(&self, call: &'static str, message: String) -> CompileError {
        CompileError::NvrtcFailed { version: self.version.to_string(), call, message }
    }
}

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, request: Request<'_>) -> Result<Program<'a>, CompileError> {
        let failed = |message: &str| nvrtc.failed("nvrtcCreateProgram", message.to_owned());
        let source = CString::new(request.source).map_err(|_| failed("the source holds a NUL character"))?;
        let name = CString::new(format!("{}.cu", file_stem(request.kernel)))
            .map_err(|_| failed("the name holds a NUL character"))?;
        let mut raw = std::ptr::null_mut();
        let (headers, names) = (std::ptr::null(), std::ptr::null());
        // SAFETY: the strings are C strings, which NVRTC copies; no headers are passed.
        let status = unsafe {
            (nvrtc.functions.create_program)(&raw mut raw, source.as_ptr(), name.as_ptr(), 0, headers, names)
        };
        if status == SUCCESS { Ok(Program { nvrtc, raw }) } else { Err(failed(&nvrtc.functions.message(status))) }
    }

    fn compile(&self, options: Vec<Cow<'static, str>>, architecture: &Architecture) -> Status {
        let mut options: Vec<String> = options.into_iter().map(Cow::into_owned).collect();
        options.push(format!("--gpu-architecture={architecture}"));
        // None of them can contain a NUL: they are generated here, and an architecture consists of letters and digits.
        let options: Vec<CString> = options.into_iter().filter_map(|option| CString::new(option).ok()).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: the program is alive, and `count` C strings are passed.
        unsafe { (self.nvrtc.functions.compile_program)(self.raw, count, pointers.as_ptr()) }
    }

    fn log(&self) -> String {
        let functions = &self.nvrtc.functions;
        let log = self.bytes("nvrtcGetProgramLog", functions.get_program_log_size, functions.get_program_log);
        log.map(|log| text(&log).trim_end().to_owned()).unwrap_or_default()
    }

    /// Returns the output of a pair of NVRTC functions: one returns the size, the other the bytes.
    fn bytes(&self, call: &'static str, size_of: SizeOf, bytes_of: BytesOf) -> Result<Vec<u8>, CompileError> {
        let mut size = 0;
        // SAFETY: the program is alive and the pointer valid for the write.
        let mut status = unsafe { size_of(self.raw, &raw mut size) };
        let mut bytes = vec![0; size];
        if status == SUCCESS && size != 0 {
            // SAFETY: there is room for the number of bytes that NVRTC reported.
            status = unsafe { bytes_of(self.raw, bytes.as_mut_ptr().cast()) };
        }
        if status == SUCCESS { Ok(bytes) } else { Err(self.nvrtc.failed(call, self.nvrtc.functions.message(status))) }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created in `new`, and not used again.
        unsafe { (self.nvrtc.functions.destroy_program)(&raw mut self.raw) };
    }
}

/// Returns the text of a C string, without its NUL.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}

/// NVRTC rejects an unknown number as an invalid option, and an unknown suffix as a compilation that did not start.
fn is_about_the_architecture(log: &str) -> bool {
    log.contains("invalid value for --gpu-architecture")
        || log.contains("Command-line error") && log.contains("nv_arch")
}

/// Stores a rejected source for inspection: in the cache folder, or else as a temporary file.
fn keep_source(request: Request<'_>, cache: Option<&Cache>) -> Option<std::path::PathBuf> {
    let hash = Key::of(&[request.source]).to_string();
    let name = format!("{}-{}.cu", file_stem(request.kernel), &hash[..16]);
    cache.and_then(|cache| cache.write_note(REFUSED, &name, request.source)).or_else(|| {
        let mut file = tempfile::Builder::new().prefix("cumbia-").suffix(".cu").tempfile().ok()?;
        std::io::Write::write_all(&mut file, request.source.as_bytes()).ok()?;
        Some(file.keep().ok()?.1)
    })
}

#[cfg(test)]
mod tests;
