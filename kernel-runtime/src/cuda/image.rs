//! From CUDA C to an image that the driver loads: the disk cache first, then NVRTC.

use super::architecture::Architecture;
use super::nvrtc::{self, Nvrtc};
use crate::cache::{Cache, Key};
use crate::error::{CompileError, Error};
use crate::kernel::Options;

/// A kernel's CUDA C and how to compile it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// The kernel's name, for errors.
    pub(super) kernel: &'a str,
    /// The CUDA C.
    pub(super) source: &'a str,
    /// How.
    pub(super) flags: Flags,
}

/// What a kernel asks of NVRTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Whether `a * b + c` may become one operation, which rounds once.
    pub(crate) fmad: bool,
    /// Approximations, and zero for subnormal numbers.
    pub(crate) fast_math: bool,
    /// The most registers of a thread.
    pub(crate) max_registers: Option<u32>,
}

impl Default for Flags {
    /// Those of a kernel without options.
    fn default() -> Self {
        Flags { fmad: true, fast_math: false, max_registers: None }
    }
}

impl From<Options> for Flags {
    fn from(options: Options) -> Self {
        let Options { fmad, fast_math, max_registers, .. } = options;
        Flags { fmad, fast_math, max_registers }
    }
}

/// What NVRTC makes of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// What it was compiled for.
    pub(crate) architecture: String,
    /// Machine code; none where the architecture is a `compute_` one.
    pub(crate) cubin: Option<Vec<u8>>,
    /// PTX.
    pub(crate) ptx: String,
    /// What NVRTC said: warnings, or nothing.
    pub(crate) log: String,
}

/// Compiles a kernel for an architecture by name, such as `sm_90` or `compute_80`. No GPU and no driver is needed.
///
/// # Errors
///
/// [`CompileError`].
pub(crate) fn compile(kernel: &str, source: &str, architecture: &str, flags: Flags) -> Result<Image, Error> {
    let request = Request { kernel, source, flags };
    let architecture = Architecture::parse(architecture)?;
    Ok(make(request, &architecture, Target::Exactly, Cache::of_process().as_ref(), Nvrtc::load)?)
}

/// Compiles for a GPU of an architecture. One that is newer than NVRTC gets PTX, which the driver compiles.
///
/// # Errors
///
/// [`CompileError`].
pub(super) fn compile_for_gpu(request: Request<'_>, architecture: &Architecture) -> Result<Image, CompileError> {
    make(request, architecture, Target::Gpu, Cache::of_process().as_ref(), Nvrtc::load)
}

/// What an architecture stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Itself.
    Exactly,
    /// A GPU, which runs PTX of older architectures too.
    Gpu,
}

fn make(
    request: Request<'_>,
    architecture: &Architecture,
    target: Target,
    cache: Option<&Cache>,
    load: impl FnOnce(Option<&Cache>) -> Result<&'static Nvrtc, CompileError>,
) -> Result<Image, CompileError> {
    let name = architecture.to_string();
    let mut parts = vec![name.as_str(), request.source];
    let options = nvrtc::options(request);
    parts.extend(options.iter().map(AsRef::as_ref));
    let key = Key::of(&parts);
    let is_usable = |image: &Image| target == Target::Gpu || image.architecture == name;
    let cached = |version: nvrtc::Version| cache?.get(&key, &version.to_string()).filter(is_usable);

    let expected = cache.and_then(Nvrtc::version_without_loading);
    if let Some(image) = expected.and_then(cached) {
        return Ok(image);
    }
    let nvrtc = match load(cache) {
        Ok(nvrtc) => nvrtc,
        // A kernel that was compiled elsewhere, or before NVRTC was removed, needs none.
        Err(error @ CompileError::NoNvrtc { .. }) => {
            return cache.and_then(|cache| cache.get_any(&key)).filter(is_usable).ok_or(error);
        }
        Err(error) => return Err(error),
    };
    if expected != Some(nvrtc.version())
        && let Some(image) = cached(nvrtc.version())
    {
        return Ok(image);
    }
    let architecture = match target {
        Target::Exactly => architecture.clone(),
        Target::Gpu => nvrtc.architecture_for(architecture)?,
    };
    let image = nvrtc.compile(request, &architecture, cache)?;
    if let Some(cache) = cache {
        cache.put(&key, &nvrtc.version().to_string(), &image);
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "extern \"C\" __global__ void one(int* y) { y[0] = 1; }";

    fn request(source: &str) -> Request<'_> {
        Request { kernel: "one", source, flags: Flags::default() }
    }

    fn sm_90() -> Architecture {
        Architecture::parse("sm_90").unwrap()
    }

    #[test]
    fn the_second_time_comes_from_the_cache() {
        if Nvrtc::load(None).is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().to_owned());
        let first = make(request(SOURCE), &sm_90(), Target::Exactly, Some(&cache), Nvrtc::load).unwrap();
        // Put something else in its place, to see where the second comes from.
        let key = Key::of(&["sm_90", SOURCE, "--fmad=true", "--generate-line-info", "--std=c++17"]);
        let version = Nvrtc::load(None).unwrap().version().to_string();
        assert_eq!(cache.get(&key, &version).as_ref(), Some(&first));
        cache.put(&key, &version, &Image { log: "cached".to_owned(), ..first.clone() });
        assert_eq!(make(request(SOURCE), &sm_90(), Target::Gpu, Some(&cache), Nvrtc::load).unwrap().log, "cached");

        let unfused = Flags { fmad: false, ..Flags::default() };
        for other in [
            make(Request { flags: unfused, ..request(SOURCE) }, &sm_90(), Target::Gpu, Some(&cache), Nvrtc::load),
            make(request(&SOURCE.replace('1', "2")), &sm_90(), Target::Gpu, Some(&cache), Nvrtc::load),
            make(request(SOURCE), &Architecture::parse("sm_90a").unwrap(), Target::Gpu, Some(&cache), Nvrtc::load),
            make(request(SOURCE), &sm_90(), Target::Gpu, None, Nvrtc::load),
        ] {
            assert_eq!(other.unwrap().log, "");
        }
    }

    #[test]
    fn ptx_for_a_newer_gpu_is_not_taken_for_its_own_code() {
        if Nvrtc::load(None).is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().to_owned());
        let newer = Architecture::parse("sm_999").unwrap();
        for _ in 0..2 {
            let image = make(request(SOURCE), &newer, Target::Gpu, Some(&cache), Nvrtc::load).unwrap();
            assert!(image.architecture.starts_with("compute_") && image.cubin.is_none());
        }
        let error = make(request(SOURCE), &newer, Target::Exactly, Some(&cache), Nvrtc::load).unwrap_err();
        assert!(matches!(error, CompileError::UnsupportedArchitecture { .. }), "{error}");
    }

    #[test]
    fn without_nvrtc_the_cache_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().to_owned());
        let without = |_: Option<&Cache>| Err(CompileError::NoNvrtc { searched: vec!["everywhere".to_owned()] });
        let make = |target| make(request(SOURCE), &sm_90(), target, Some(&cache), without);
        assert!(matches!(make(Target::Gpu), Err(CompileError::NoNvrtc { .. })));

        let key = Key::of(&["sm_90", SOURCE, "--fmad=true", "--generate-line-info", "--std=c++17"]);
        let image = Image { architecture: "sm_90".to_owned(), cubin: None, ptx: "ptx".to_owned(), log: String::new() };
        cache.put(&key, "99.9", &image);
        assert_eq!(make(Target::Gpu).unwrap(), image);
        assert_eq!(make(Target::Exactly).unwrap(), image);

        // A wrong CUMBIA_NVRTC is a mistake to be told, whatever the cache holds.
        let bad = |_: Option<&Cache>| Err(CompileError::BadNvrtc { path: "x".into(), reason: "odd".to_owned() });
        let error = super::make(request(SOURCE), &sm_90(), Target::Gpu, Some(&cache), bad).unwrap_err();
        assert!(matches!(error, CompileError::BadNvrtc { .. }));
    }

    #[test]
    fn a_name_that_is_no_architecture_is_refused_first() {
        let error = compile("one", SOURCE, "hopper", Flags::default()).unwrap_err();
        assert!(matches!(error, Error::Compile(CompileError::NotAnArchitecture { .. })), "{error}");
    }
}
