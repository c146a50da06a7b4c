//! Compilation by NVRTC: the note of its version in the cache, and errors that name the kernel.

use std::path::PathBuf;

use super::cache::{COUNTS, Cache, Key, REJECTED, file_stem};
use super::request::{Request, options};
use super::{user_error, version_note};
use crate::cuda::{Architecture, Environment, Image, Nvrtc, NvrtcError, SourceText, Version};
use crate::error::CompileError;

/// Returns NVRTC, locating and loading it if no earlier call has succeeded, and notes its version in the cache.
///
/// # Errors
///
/// [`CompileError::NoNvrtc`] with each place that was searched, or [`CompileError::BadNvrtc`].
pub(crate) fn load(cache: Option<&Cache>) -> Result<&'static Nvrtc, CompileError> {
    let nvrtc = Nvrtc::load(|nvrtc, environment, took| {
        COUNTS.loaded_nvrtc(took);
        if let Some(cache) = cache {
            version_note::write(cache, &fingerprint(environment), nvrtc.path(), nvrtc.version());
        }
    })?;
    Ok(nvrtc)
}

/// Returns the version that [`load`] would return, if it is known without loading the library.
pub(crate) fn version_without_loading(cache: &Cache) -> Option<Version> {
    match Nvrtc::loaded() {
        Some(nvrtc) => Some(nvrtc.version()),
        None => version_note::read(cache, &fingerprint(&Environment::of_process())),
    }
}

/// Returns a hash of the inputs of the search for NVRTC.
fn fingerprint(environment: &Environment) -> String {
    Key::of(&environment.inputs().iter().map(String::as_str).collect::<Vec<_>>()).to_string()
}

/// Compiles the CUDA C of a kernel. A rejected source is stored in the cache directory.
///
/// # Errors
///
/// [`CompileError::NvrtcRejected`], [`CompileError::CudaCRejected`], [`CompileError::UnsupportedArchitecture`] or
/// [`CompileError::NvrtcFailed`].
pub(crate) fn compile(
    nvrtc: &Nvrtc,
    request: Request<'_>,
    architecture: &Architecture,
    cache: Option<&Cache>,
) -> Result<Image, CompileError> {
    let name = format!("{}.cu", file_stem(request.kernel));
    let source = SourceText { name: &name, text: request.source };
    nvrtc.compile(source, &options(request), architecture).map_err(|error| match error {
        NvrtcError::Rejected { log } => rejected(request, cache, log),
        NvrtcError::UnsupportedArchitecture(error) => error.into(),
        NvrtcError::Failed { version, call, failure } => CompileError::NvrtcFailed { version, call, failure },
    })
}

/// Returns the error for a source that NVRTC rejected.
fn rejected(request: Request<'_>, cache: Option<&Cache>, log: String) -> CompileError {
    user_error::find(request.kernel, request.source, &log).unwrap_or_else(|| CompileError::NvrtcRejected {
        kernel: request.kernel.to_owned(),
        log,
        source_path: keep_source(request, cache),
        source_text: request.source.to_owned(),
    })
}

/// Stores a rejected source for inspection: in the cache directory, or else as a temporary file.
fn keep_source(request: Request<'_>, cache: Option<&Cache>) -> Option<PathBuf> {
    let hash = Key::of(&[request.source]).to_string();
    let name = format!("{}-{}.cu", file_stem(request.kernel), &hash[..16]);
    cache.and_then(|cache| cache.write_note(REJECTED, &name, request.source)).or_else(|| {
        let mut file = tempfile::Builder::new().prefix("cumbia-").suffix(".cu").tempfile().ok()?;
        std::io::Write::write_all(&mut file, request.source.as_bytes()).ok()?;
        Some(file.keep().ok()?.1)
    })
}

#[cfg(test)]
mod tests {
    //! Compilations by the real NVRTC. Skipped silently if there is none, unless `CUMBIA_REQUIRE_NVRTC` is 1.

    use super::*;
    use crate::compile::Flags;

    fn nvrtc() -> Option<&'static Nvrtc> {
        match load(None) {
            Ok(nvrtc) => Some(nvrtc),
            Err(error) => {
                assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
                None
            }
        }
    }

    fn request(source: &str) -> Request<'_> {
        Request::of_source("saxpy", source)
    }

    fn architecture(name: &str) -> Architecture {
        Architecture::parse(name).unwrap()
    }

    #[test]
    fn fmad_follows_the_request() {
        let Some(nvrtc) = nvrtc() else { return };
        let source = "extern \"C\" __global__ void k(float a, float* y) { y[0] = a * y[1] + y[2]; }";
        let compiled = |fmad| {
            let request = Request { flags: Flags { fmad, ..Flags::default() }, ..request(source) };
            compile(nvrtc, request, &architecture("compute_90"), None).unwrap().ptx
        };
        assert!(compiled(true).contains("fma.rn.f32"));
        assert!(!compiled(false).contains("fma.rn.f32"));
    }

    #[test]
    fn compiler_flags_follow_the_request() {
        let Some(nvrtc) = nvrtc() else { return };
        let source = "extern \"C\" __global__ void k(float a, float* y) { y[0] = sinf(y[1]) / y[2] + a * y[3]; }";
        let compiled = |flags| {
            let request = Request { flags, ..request(source) };
            compile(nvrtc, request, &architecture("compute_90"), None).unwrap().ptx
        };
        let fast = compiled(Flags { fast_math: true, ..Flags::default() });
        assert!(fast.contains("sin.approx.ftz.f32"));
        assert!(fast.contains("div.approx.ftz.f32") && fast.contains("fma.rn.ftz"));
        let unfused = compiled(Flags { fast_math: true, fmad: false, ..Flags::default() });
        assert!(unfused.contains("sin.approx.ftz.f32") && !unfused.contains("fma.rn"), "{unfused}");
        assert!(!compiled(Flags::default()).contains("approx"));

        let request = Request { flags: Flags { max_registers: Some(32), ..Flags::default() }, ..request(source) };
        assert!(compile(nvrtc, request, &architecture("sm_90"), None).unwrap().cubin.is_some());
    }

    #[test]
    fn a_rejected_source_is_stored() {
        let Some(nvrtc) = nvrtc() else { return };
        let source = "extern \"C\" __global__ void k(float* y) { y[0] = z; }";
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().to_owned());
        for cache in [Some(&cache), None] {
            let request = Request { kernel: "odd::name<f32>", ..request(source) };
            let error = compile(nvrtc, request, &architecture("sm_90"), cache).unwrap_err();
            let text = error.to_string();
            let CompileError::NvrtcRejected { kernel, log, source_path: Some(path), source_text } = error else {
                panic!("{text}")
            };
            assert_eq!((kernel.as_str(), source_text.as_str()), ("odd::name<f32>", source));
            assert!(log.contains("odd__name_f32_.cu(1): error: identifier \"z\" is undefined"), "{log}");
            assert!(text.contains(&path.display().to_string()) && text.contains(&log), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), source);
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn an_error_in_user_cuda_c_is_reported_as_such() {
        let Some(nvrtc) = nvrtc() else { return };
        let source = "#line 3 \"src/lib.rs\"\nstatic __device__ int f(int x) {\n// CUDA C of f, 2 lines\n#line 9 \"src/lib.rs\"\n\
                      int unused;\nreturn x + z;\n}\nextern \"C\" __global__ void k(int* y) { y[0] = f(1); }";
        let error = compile(nvrtc, request(source), &architecture("sm_90"), None).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("the CUDA C of the device function `f`, at src/lib.rs:10: identifier \"z\" is undefined"),
            "{text}"
        );
        assert!(matches!(error, CompileError::CudaCRejected { .. }) && !text.contains("bug"), "{text}");
    }
}
