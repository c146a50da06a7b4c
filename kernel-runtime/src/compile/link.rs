//! Linking of a compiled kernel with the files that define its device functions, by nvJitLink.

use super::cache::{Cache, Key, file_stem};
use super::request::{Flags, Request, options};
use super::version_note;
use crate::cuda::{
    Architecture, Environment, Image, LinkError, LinkInput, LinkInputKind, NoNvJitLink, NvJitLink, Nvrtc, NvrtcError,
    SourceText, Version,
};
use crate::definition::{LinkedFile, LinkedKind};
use crate::error::CompileError;

/// Returns nvJitLink, locating and loading it if no earlier call has succeeded, and notes its version in the cache.
///
/// # Errors
///
/// [`CompileError::NoNvJitLink`] with each place that was searched.
pub(super) fn load(
    nvrtc: &Nvrtc,
    request: Request<'_>,
    cache: Option<&Cache>,
) -> Result<&'static NvJitLink, CompileError> {
    let on_load = |linker: &NvJitLink, environment: &Environment| {
        if let Some(cache) = cache {
            let fingerprint = fingerprint(environment, nvrtc.version());
            version_note::write(cache, &fingerprint, linker.path(), linker.version());
        }
    };
    NvJitLink::load(nvrtc, on_load).map_err(|NoNvJitLink { searched, nvrtc }| CompileError::NoNvJitLink {
        kernel: request.kernel.to_owned(),
        file: request.linked.first().map(|file| file.path.to_owned()).unwrap_or_default(),
        nvrtc,
        searched,
    })
}

/// Returns the version that [`load`] would return for an NVRTC of this version, if it is known without loading the library.
pub(super) fn version_without_loading(cache: &Cache, nvrtc: Version) -> Option<Version> {
    match NvJitLink::loaded() {
        Some(linker) => Some(linker.version()),
        None => version_note::read(cache, &fingerprint(&Environment::of_process(), nvrtc)),
    }
}

/// Returns a hash of the inputs of the search for nvJitLink.
fn fingerprint(environment: &Environment, nvrtc: Version) -> String {
    let inputs = environment.inputs().into_iter().chain(["nvJitLink".to_owned(), nvrtc.to_string()]);
    Key::of(&inputs.collect::<Vec<_>>()).to_string()
}

/// Links the machine code of a kernel with its files. The PTX remains that of the kernel alone.
///
/// # Errors
///
/// [`CompileError::LinkedFileRejected`], [`CompileError::NvrtcFailed`] or [`CompileError::LinkFailed`].
pub(super) fn link(
    nvrtc: &Nvrtc,
    linker: &NvJitLink,
    request: Request<'_>,
    architecture: &Architecture,
    image: Image,
) -> Result<Image, CompileError> {
    let Some(kernel) = &image.cubin else { return Ok(image) };
    let name = format!("{}.cu", file_stem(request.kernel));
    let mut compiled = Vec::new();
    for file in request.linked.iter().filter(|file| file.kind == LinkedKind::CudaC) {
        compiled.push(compile(nvrtc, request, architecture, file)?);
    }
    let mut compiled = compiled.iter();
    let files = request.linked.iter().map(|file| {
        let (kind, bytes) = match file.kind {
            LinkedKind::CudaC => (LinkInputKind::Cubin, compiled.next().map_or(file.bytes, Vec::as_slice)),
            LinkedKind::Ptx => (LinkInputKind::Ptx, file.bytes),
            LinkedKind::Cubin => (LinkInputKind::Cubin, file.bytes),
            LinkedKind::Fatbin => (LinkInputKind::Fatbin, file.bytes),
            LinkedKind::Object => (LinkInputKind::Object, file.bytes),
            LinkedKind::Library => (LinkInputKind::Library, file.bytes),
        };
        LinkInput { name: file.path, kind, bytes }
    });
    let kernel = LinkInput { name: &name, kind: LinkInputKind::Cubin, bytes: kernel };
    let inputs: Vec<LinkInput<'_>> = std::iter::once(kernel).chain(files).collect();
    let cubin = linker.link(&inputs, &linker_options(request), architecture).map_err(|error| {
        let LinkError { version, call, failure } = error;
        CompileError::LinkFailed {
            kernel: request.kernel.to_owned(),
            architecture: architecture.to_string(),
            files: request.linked.iter().map(|file| file.path.to_owned()).collect(),
            version,
            call,
            failure: Box::new(failure),
        }
    })?;
    Ok(Image { cubin: Some(cubin), ..image })
}

/// Returns the maximum number of registers of linked functions, which may not need more than the kernel is compiled for.
fn max_registers(Flags { max_registers, bounded_registers, .. }: Flags) -> Option<u32> {
    max_registers.into_iter().chain(bounded_registers).min()
}

/// Returns the options for PTX, which nvJitLink compiles; machine code keeps those that it was compiled with.
fn linker_options(request: Request<'_>) -> Vec<String> {
    let registers = max_registers(request.flags).map(|most| format!("-maxrregcount={most}"));
    std::iter::once("-lineinfo".to_owned()).chain(registers).collect()
}

/// Compiles a file with CUDA C++ to machine code, with the options of the kernel.
fn compile(
    nvrtc: &Nvrtc,
    request: Request<'_>,
    architecture: &Architecture,
    file: &LinkedFile,
) -> Result<Vec<u8>, CompileError> {
    let text = String::from_utf8_lossy(file.bytes);
    let request = Request { flags: Flags { max_registers: max_registers(request.flags), ..request.flags }, ..request };
    let source = SourceText { name: file.path, text: &text };
    let image = nvrtc.compile(source, &options(request), architecture).map_err(|error| match error {
        NvrtcError::Rejected { log } => {
            CompileError::LinkedFileRejected { kernel: request.kernel.to_owned(), file: file.path.to_owned(), log }
        }
        NvrtcError::UnsupportedArchitecture(error) => error.into(),
        NvrtcError::Failed { version, call, failure } => CompileError::NvrtcFailed { version, call, failure },
    })?;
    Ok(image.cubin.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    //! Links by the real NVRTC and nvJitLink. Skipped silently if one is missing, unless `CUMBIA_REQUIRE_NVRTC` is 1.

    use super::*;
    use crate::compile::nvrtc;
    use crate::compile::request::registers_for;

    fn toolchain() -> Option<(&'static Nvrtc, &'static NvJitLink)> {
        let loaded = nvrtc::load(None).and_then(|nvrtc| {
            let files = [file("half.cu", LinkedKind::CudaC, b"")];
            Ok((nvrtc, load(nvrtc, Request { linked: &files, ..request() }, None)?))
        });
        match loaded {
            Ok(loaded) => Some(loaded),
            Err(error) => {
                assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
                None
            }
        }
    }

    fn request() -> Request<'static> {
        const SOURCE: &str = "extern \"C\" __device__ float half_of(float);\n\
                              extern \"C\" __global__ void k(float* y) { y[0] = half_of(y[0]); }";
        Request::of_source("k", SOURCE)
    }

    fn file(path: &'static str, kind: LinkedKind, bytes: &[u8]) -> LinkedFile {
        LinkedFile { path, kind, bytes: bytes.to_vec().leak() }
    }

    const HALF: &str = "extern \"C\" __device__ float half_of(float x) { return x / 2; }";

    fn sm_90a() -> Architecture {
        Architecture::parse("sm_90a").unwrap()
    }

    /// Returns `HALF` as each kind of file that NVRTC can make.
    fn halves(nvrtc: &Nvrtc) -> [LinkedFile; 3] {
        let source = SourceText { name: "half.cu", text: HALF };
        let image = nvrtc.compile(source, &["--relocatable-device-code=true"], &sm_90a()).unwrap();
        [
            file("half.cu", LinkedKind::CudaC, HALF.as_bytes()),
            file("half.ptx", LinkedKind::Ptx, image.ptx.as_bytes()),
            file("half.cubin", LinkedKind::Cubin, &image.cubin.unwrap()),
        ]
    }

    #[test]
    fn every_kind_of_file_is_linked() {
        let Some((nvrtc, linker)) = toolchain() else { return };
        for file in halves(nvrtc) {
            let files = [file];
            let request = Request { linked: &files, ..request() };
            let image = nvrtc::compile(nvrtc, request, &sm_90a(), None).unwrap();
            let result = link(nvrtc, linker, request, &sm_90a(), image).unwrap();
            let cubin = result.cubin.unwrap();
            let defines = |symbol: &[u8]| cubin.windows(symbol.len()).any(|name| name == symbol);
            assert!(cubin.starts_with(b"\x7fELF") && defines(b".text.k\0") && defines(b"half_of\0"), "{}", file.path);
            assert!(result.ptx.contains(".extern .func"), "{}", result.ptx);
        }
    }

    #[test]
    fn rejected_files_are_named() {
        let Some((nvrtc, linker)) = toolchain() else { return };
        let rejected = |file: LinkedFile| {
            let files = [file];
            let request = Request { linked: &files, ..request() };
            let image = nvrtc::compile(nvrtc, request, &sm_90a(), None).unwrap();
            link(nvrtc, linker, request, &sm_90a(), image).unwrap_err().to_string()
        };
        let text = rejected(file("half.cu", LinkedKind::CudaC, b"float half_of(float x) { return y; }"));
        assert!(text.contains("NVRTC rejected `half.cu`") && text.contains("half.cu(1): error"), "{text}");
        let text = rejected(file("half.cubin", LinkedKind::Cubin, b"text"));
        assert!(text.contains("cannot link kernel `k` for sm_90a with `half.cubin`\n  help: "), "{text}");
        let text = rejected(file("other.cu", LinkedKind::CudaC, b"extern \"C\" __device__ float f() { return 1; }"));
        assert!(text.contains("Undefined reference to 'half_of' in 'k.cu'"), "{text}");
    }

    /// nvJitLink rejects a kernel that calls a function with more registers than its launch bounds permit.
    #[test]
    fn linked_functions_respect_the_launch_bounds() {
        let Some((nvrtc, linker)) = toolchain() else { return };
        let many = "extern \"C\" __device__ float half_of(float x) {\n\
                    float at[128];\n\
                    _Pragma(\"unroll\") for (int i = 0; i < 128; ++i) at[i] = sinf(x * i);\n\
                    float sum = 0;\n\
                    _Pragma(\"unroll\") for (int i = 0; i < 128; ++i) sum += at[i] * at[(i * 37 + 11) % 128] / at[127 - i];\n\
                    return sum;\n\
                    }";
        let image = nvrtc
            .compile(SourceText { name: "many.cu", text: many }, &["--relocatable-device-code=true"], &sm_90a())
            .unwrap();
        let source = request().source.replace("__global__", "__global__ __launch_bounds__(1024)");
        let with = |file: LinkedFile| {
            let files = [file];
            let flags = Flags { bounded_registers: Some(registers_for((1024, None))), ..Flags::default() };
            let request = Request { linked: &files, flags, ..Request::of_source("k", &source) };
            let image = nvrtc::compile(nvrtc, request, &sm_90a(), None).unwrap();
            link(nvrtc, linker, request, &sm_90a(), image)
        };
        with(file("many.cu", LinkedKind::CudaC, many.as_bytes())).unwrap();
        with(file("many.ptx", LinkedKind::Ptx, image.ptx.as_bytes())).unwrap();
        // Machine code has the registers that it was compiled with.
        let error = with(file("many.cubin", LinkedKind::Cubin, &image.cubin.unwrap())).unwrap_err().to_string();
        assert!(error.contains("regcount") && error.contains("-maxrregcount"), "{error}");
    }

    #[test]
    fn linked_files_include_nothing() {
        let Some((nvrtc, linker)) = toolchain() else { return };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("half.h"), HALF).unwrap();
        let path = folder.path().join("half.cu").to_string_lossy().into_owned();
        let files = [file(path.leak(), LinkedKind::CudaC, b"#include \"half.h\"\n")];
        let request = Request { linked: &files, ..request() };
        let image = nvrtc::compile(nvrtc, request, &sm_90a(), None).unwrap();
        let text = link(nvrtc, linker, request, &sm_90a(), image).unwrap_err().to_string();
        assert!(text.contains("half.h"), "{text}");
    }

    #[test]
    fn the_key_contains_the_files_and_the_version_of_the_linker() {
        let Some((nvrtc, linker)) = toolchain() else { return };
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("cache"));
        let version = |cache| version_without_loading(cache, nvrtc.version());
        assert_eq!(version(&cache), Some(linker.version()));
        let key = |file: &LinkedFile| {
            let files = [*file];
            let request = Request { linked: &files, ..request() };
            Key::of(&crate::compile::request::recipe_parts(request, &options(request)))
        };
        let [text, ptx, cubin] = halves(nvrtc);
        let edited = file("half.cu", LinkedKind::CudaC, HALF.replace('2', "4").as_bytes());
        let mistyped = LinkedFile { kind: LinkedKind::Ptx, ..text };
        let keys = [text, ptx, cubin, edited, mistyped].map(|file| key(&file));
        for (i, key) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|other| other != key));
        }
        // The path is in messages only.
        assert_eq!(key(&LinkedFile { path: "moved/half.cu", ..text }), keys[0]);
    }
}
