//! Compilation of CUDA C to an image that the driver loads: from the precompiled images, the disk cache, or NVRTC and
//! nvJitLink.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use super::cache::{COUNTS, Cache};
use super::precompiled::{CompilationInputs, Precompiled};
use super::request::{Request, options, recipe_parts};
use super::{link, nvrtc};
use crate::cuda::{Architecture, Image, NvJitLink, Nvrtc, Version};
use crate::error::{CompileError, Error};
use cumbia_kernel_sync::event;

/// The source of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A precompiled image shipped with the program.
    Precompiled,
    /// The disk cache.
    Cache,
    /// Compiled by NVRTC, and linked by nvJitLink, in this process.
    Nvrtc,
}

/// Compiles a kernel for a named architecture, such as `sm_90` or `compute_80`. Needs neither a GPU nor a driver.
///
/// # Errors
///
/// [`CompileError`].
pub(crate) fn compile(request: Request<'_>, architecture: &str) -> Result<Image, Error> {
    let architecture = Architecture::parse(architecture)?;
    Ok(Sources::of_process().find(request, &architecture, Target::Exactly, nvrtc::load)?.0)
}

/// Compiles a kernel into a directory of precompiled images, without using existing ones. Returns the file and its size
/// in bytes.
///
/// # Errors
///
/// [`CompileError`], or [`Error::File`].
pub(crate) fn precompile(
    request: Request<'_>,
    architecture: &Architecture,
    into: &Precompiled,
) -> Result<(PathBuf, u64), Error> {
    if !request.linked.is_empty() && !architecture.is_real() {
        // PTX is not linked, so no GPU could load it.
        let (kernel, architecture) = (request.kernel.to_owned(), architecture.to_string());
        return Err(CompileError::LinkedPtx { kernel, architecture }.into());
    }
    let sources = Sources { precompiled: None, ..Sources::of_process() };
    let (image, _) = sources.find(request, architecture, Target::Exactly, nvrtc::load)?;
    let options = options(request);
    let parts = recipe_parts(request, &options);
    let recipe = inputs(request, &parts);
    into.put(recipe, architecture, &image).map_err(|(path, source)| Error::File { operation: "writing", path, source })
}

/// Compiles for a GPU of an architecture. For a GPU newer than NVRTC this yields PTX, which the driver compiles.
///
/// # Errors
///
/// [`CompileError`].
pub(super) fn compile_for_gpu(
    request: Request<'_>,
    architecture: &Architecture,
) -> Result<(Image, Origin), CompileError> {
    Sources::of_process().find(request, architecture, Target::Gpu, nvrtc::load)
}

/// Like [`compile_for_gpu`], but ignores precompiled images, after the driver has rejected one.
///
/// # Errors
///
/// [`CompileError`].
pub(super) fn compile_without_precompiled(
    request: Request<'_>,
    architecture: &Architecture,
) -> Result<(Image, Origin), CompileError> {
    let sources = Sources { precompiled: None, ..Sources::of_process() };
    sources.find(request, architecture, Target::Gpu, nvrtc::load)
}

/// Returns whether an image of a kernel is among the precompiled ones.
pub(super) fn is_precompiled(request: Request<'_>, architecture: &Architecture) -> bool {
    let options = options(request);
    let parts = recipe_parts(request, &options);
    let recipe = inputs(request, &parts);
    Sources::of_process().precompiled(recipe, architecture, Target::Gpu).is_some()
}

/// Returns the inputs of a compilation.
fn inputs<'a>(request: Request<'a>, parts: &'a [&'a [u8]]) -> CompilationInputs<'a> {
    CompilationInputs { kernel: request.kernel, parts, links: !request.linked.is_empty() }
}

/// The versions of the tools that make an image, which are part of the name of a cached one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Toolchain {
    nvrtc: Version,
    /// The version of nvJitLink, if files are linked.
    linker: Option<Version>,
}

impl Toolchain {
    /// Returns the versions, if they are known without loading the libraries.
    fn without_loading(cache: &Cache, links: bool) -> Option<Toolchain> {
        let nvrtc = nvrtc::version_without_loading(cache)?;
        let linker = if links { Some(link::version_without_loading(cache, nvrtc)?) } else { None };
        Some(Toolchain { nvrtc, linker })
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Toolchain { nvrtc, linker } = self;
        nvrtc.fmt(f)?;
        linker.map_or(Ok(()), |linker| write!(f, "-nvjitlink.{linker}"))
    }
}

/// The meaning of a requested architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Code for exactly this architecture.
    Exactly,
    /// Code that runs on a GPU of this architecture, which may be PTX of an older one.
    Gpu,
}

/// The sources of images that are consulted before NVRTC.
struct Sources {
    precompiled: Option<Precompiled>,
    cache: Option<Cache>,
}

impl Sources {
    fn of_process() -> Sources {
        Sources { precompiled: Precompiled::of_process(), cache: Cache::of_process() }
    }

    /// Looks for an image in the precompiled ones, then in the cache, and finally compiles it with NVRTC.
    fn find(
        &self,
        request: Request<'_>,
        architecture: &Architecture,
        target: Target,
        load: impl FnOnce(Option<&Cache>) -> Result<&'static Nvrtc, CompileError>,
    ) -> Result<(Image, Origin), CompileError> {
        let options = options(request);
        let parts = recipe_parts(request, &options);
        let recipe = inputs(request, &parts);
        if let Some(image) = self.precompiled(recipe, architecture, target) {
            COUNTS.precompiled();
            return Ok((image, Origin::Precompiled));
        }
        let name = architecture.to_string();
        let key = recipe.key(architecture);
        let cache = self.cache.as_ref();
        let is_usable = |image: &Image| target == Target::Gpu || image.architecture == name;
        // PTX is not linked.
        let links = !request.linked.is_empty() && architecture.is_real();
        let cached = |toolchain: Toolchain| cache?.get(&key, &toolchain.to_string()).filter(is_usable);
        let hit = |image| {
            COUNTS.hit();
            let (kernel, variant, architecture) = (request.instance.to_owned(), request.variant, name.clone());
            let coarsened = request.coarsened;
            event!(debug, target: "cumbia::cache", kernel, %variant, coarsened, architecture, %key, "hit");
            Ok((image, Origin::Cache))
        };

        let expected = cache.and_then(|cache| Toolchain::without_loading(cache, links));
        if let Some(image) = expected.and_then(cached) {
            return hit(image);
        }
        let loaded = load(cache).and_then(|nvrtc| {
            let linker = if links { Some(link::load(nvrtc, request, cache)?) } else { None };
            Ok((nvrtc, linker))
        });
        let (nvrtc, linker) = match loaded {
            Ok(loaded) => loaded,
            // A cached kernel, compiled elsewhere or before a library was removed, does not need it.
            Err(error @ (CompileError::NoNvrtc { .. } | CompileError::NoNvJitLink { .. })) => {
                return match cache.and_then(|cache| cache.get_any_version(&key)).filter(is_usable) {
                    Some(image) => hit(image),
                    None => Err(error),
                };
            }
            Err(error) => return Err(error),
        };
        let toolchain = Toolchain { nvrtc: nvrtc.version(), linker: linker.map(NvJitLink::version) };
        if expected != Some(toolchain)
            && let Some(image) = cached(toolchain)
        {
            return hit(image);
        }
        if cache.is_some() {
            COUNTS.miss();
            let (kernel, variant, architecture) = (request.instance.to_owned(), request.variant, name.clone());
            let coarsened = request.coarsened;
            event!(debug, target: "cumbia::cache", kernel, %variant, coarsened, architecture, %key, "miss");
        }
        let architecture = match target {
            Target::Exactly => architecture.clone(),
            // nvJitLink emits machine code only, so that NVRTC has to know the GPU.
            Target::Gpu if links => architecture.clone(),
            Target::Gpu => nvrtc.architecture_for(architecture)?,
        };
        let image = compile_now(nvrtc, linker, request, &architecture, cache)?;
        if let Some(cache) = cache {
            cache.put(&key, &toolchain.to_string(), &image);
        }
        Ok((image, Origin::Nvrtc))
    }

    fn precompiled(&self, recipe: CompilationInputs<'_>, architecture: &Architecture, target: Target) -> Option<Image> {
        let precompiled = self.precompiled.as_ref()?;
        match target {
            Target::Exactly => precompiled.get(recipe, architecture),
            Target::Gpu => precompiled.get_for_gpu(recipe, architecture),
        }
    }
}

/// Compiles with NVRTC and links, counts the compilation and emits a `tracing` event.
fn compile_now(
    nvrtc: &Nvrtc,
    linker: Option<&NvJitLink>,
    request: Request<'_>,
    architecture: &Architecture,
    cache: Option<&Cache>,
) -> Result<Image, CompileError> {
    let start = Instant::now();
    let image = nvrtc::compile(nvrtc, request, architecture, cache).and_then(|image| match linker {
        Some(linker) => link::link(nvrtc, linker, request, architecture, image),
        None => Ok(image),
    });
    let took = start.elapsed();
    COUNTS.compiled(took);
    let (kernel, architecture, version) = (request.instance.to_owned(), architecture.clone(), nvrtc.version());
    let (variant, coarsened) = (request.variant, request.coarsened);
    let milliseconds = took.as_secs_f64() * 1e3;
    match &image {
        Ok(_) => event!(
            debug, target: "cumbia::compile",
            kernel, %variant, coarsened, %architecture, nvrtc = %version, milliseconds, "compiled"
        ),
        Err(error) => {
            let error = error.to_string();
            event!(
                debug, target: "cumbia::compile",
                kernel, %variant, coarsened, %architecture, nvrtc = %version, milliseconds, error, "not compiled"
            );
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Flags;
    use crate::compile::cache::Key;
    use crate::error::BadNvrtcReason;

    const SOURCE: &str = "extern \"C\" __global__ void one(int* y) { y[0] = 1; }";

    fn request(source: &str) -> Request<'_> {
        Request::of_source("one", source)
    }

    fn sm_90() -> Architecture {
        Architecture::parse("sm_90").unwrap()
    }

    /// A cache in a temporary directory.
    struct Fixture {
        sources: Sources,
        _folder: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Fixture {
            let folder = tempfile::tempdir().unwrap();
            let cache = Cache::in_folder(folder.path().join("cache"));
            Fixture { sources: Sources { precompiled: None, cache: Some(cache) }, _folder: folder }
        }

        fn cache(&self) -> &Cache {
            self.sources.cache.as_ref().unwrap()
        }

        fn find(&self, request: Request<'_>, architecture: &Architecture, target: Target) -> (Image, Origin) {
            self.sources.find(request, architecture, target, nvrtc::load).unwrap()
        }
    }

    /// The key of [`SOURCE`] for `sm_90`.
    fn key() -> Key {
        Key::of(&["sm_90", SOURCE, "--fmad=true", "--generate-line-info", "--std=c++17", "--no-source-include"])
    }

    #[test]
    fn the_second_lookup_hits_the_cache() {
        if nvrtc::load(None).is_err() {
            return;
        }
        let fixture = Fixture::new();
        let (first, origin) = fixture.find(request(SOURCE), &sm_90(), Target::Exactly);
        assert_eq!(origin, Origin::Nvrtc);
        // Replace the entry, to see where the second image comes from.
        let version = nvrtc::load(None).unwrap().version().to_string();
        assert_eq!(fixture.cache().get(&key(), &version).as_ref(), Some(&first));
        fixture.cache().put(&key(), &version, &Image { log: "cached".to_owned(), ..first.clone() });
        let (second, origin) = fixture.find(request(SOURCE), &sm_90(), Target::Gpu);
        assert_eq!((second.log.as_str(), origin), ("cached", Origin::Cache));

        let unfused = Request { flags: Flags { fmad: false, ..Flags::default() }, ..request(SOURCE) };
        let edited = SOURCE.replace('1', "2");
        let sm_90a = Architecture::parse("sm_90a").unwrap();
        for (request, architecture) in [(unfused, &sm_90()), (request(&edited), &sm_90()), (request(SOURCE), &sm_90a)] {
            assert_eq!(fixture.find(request, architecture, Target::Gpu).1, Origin::Nvrtc);
        }
        let without = Sources { precompiled: None, cache: None };
        assert_eq!(without.find(request(SOURCE), &sm_90(), Target::Gpu, nvrtc::load).unwrap().1, Origin::Nvrtc);
    }

    #[test]
    fn ptx_for_a_newer_gpu_is_not_returned_as_machine_code() {
        if nvrtc::load(None).is_err() {
            return;
        }
        let fixture = Fixture::new();
        let newer = Architecture::parse("sm_999").unwrap();
        for expected in [Origin::Nvrtc, Origin::Cache] {
            let (image, origin) = fixture.find(request(SOURCE), &newer, Target::Gpu);
            assert!(image.architecture.starts_with("compute_") && image.cubin.is_none());
            assert_eq!(origin, expected);
        }
        let error = fixture.sources.find(request(SOURCE), &newer, Target::Exactly, nvrtc::load).unwrap_err();
        assert!(matches!(error, CompileError::UnsupportedArchitecture { .. }), "{error}");
    }

    #[test]
    fn a_cache_hit_does_not_need_nvrtc() {
        let fixture = Fixture::new();
        let without = |_: Option<&Cache>| Err(CompileError::NoNvrtc { searched: Vec::new(), driver: None });
        let find = |target| fixture.sources.find(request(SOURCE), &sm_90(), target, without);
        assert!(matches!(find(Target::Gpu), Err(CompileError::NoNvrtc { .. })));

        let image = Image { architecture: "sm_90".to_owned(), cubin: None, ptx: "ptx".to_owned(), log: String::new() };
        fixture.cache().put(&key(), "99.9", &image);
        assert_eq!(find(Target::Gpu).unwrap(), (image.clone(), Origin::Cache));
        assert_eq!(find(Target::Exactly).unwrap(), (image, Origin::Cache));

        // An invalid CUMBIA_NVRTC is reported regardless of the cache.
        let bad =
            |_: Option<&Cache>| Err(CompileError::BadNvrtc { path: "x".into(), reason: BadNvrtcReason::NotFound });
        let error = fixture.sources.find(request(SOURCE), &sm_90(), Target::Gpu, bad).unwrap_err();
        assert!(matches!(error, CompileError::BadNvrtc { .. }));
    }

    #[test]
    fn a_precompiled_image_needs_neither_cache_nor_nvrtc() {
        let folder = tempfile::tempdir().unwrap();
        let precompiled = Precompiled::in_folder(folder.path());
        let image = Image { architecture: "sm_90".to_owned(), cubin: None, ptx: "ptx".to_owned(), log: String::new() };
        let options = options(request(SOURCE));
        let parts = recipe_parts(request(SOURCE), &options);
        precompiled.put(inputs(request(SOURCE), &parts), &sm_90(), &image).unwrap();

        let sources = Sources { precompiled: Some(precompiled), cache: None };
        let without = |_: Option<&Cache>| Err(CompileError::NoNvrtc { searched: Vec::new(), driver: None });
        for target in [Target::Exactly, Target::Gpu] {
            let found = sources.find(request(SOURCE), &sm_90(), target, without).unwrap();
            assert_eq!(found, (image.clone(), Origin::Precompiled));
        }
        // PTX of an older architecture is not machine code of a newer one, but a GPU of that one runs it.
        let newer = Architecture::parse("sm_120").unwrap();
        let found = sources.find(request(SOURCE), &newer, Target::Gpu, without).unwrap();
        assert_eq!(found.0.architecture, "compute_90");
        assert!(sources.find(request(SOURCE), &newer, Target::Exactly, without).is_err());
    }

    #[test]
    fn an_invalid_architecture_name_is_rejected_first() {
        let error = compile(request(SOURCE), "hopper").unwrap_err();
        assert!(matches!(error, Error::Compile(CompileError::NotAnArchitecture { .. })), "{error}");
    }
}
