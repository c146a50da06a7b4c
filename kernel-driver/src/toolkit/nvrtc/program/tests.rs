//! Compilations by the real NVRTC. Skipped silently if there is none, unless `CUMBIA_REQUIRE_NVRTC` is 1.

use super::*;

const SAXPY: &str = r#"
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned long long n) {
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"#;

fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::load(|_, _, _| {}) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
            None
        }
    }
}

const OPTIONS: [&str; 3] = ["--fmad=true", "--generate-line-info", "--std=c++17"];

fn source(text: &str) -> SourceText<'_> {
    SourceText { name: "saxpy.cu", text }
}

fn architecture(name: &str) -> Architecture {
    Architecture::parse(name).unwrap()
}

#[test]
fn one_compilation_yields_machine_code_and_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(nvrtc.version() >= super::super::OLDEST);
    let image = nvrtc.compile(source(SAXPY), &OPTIONS, &architecture("sm_90a")).unwrap();
    assert!(image.cubin.unwrap().starts_with(b"\x7fELF"));
    assert!(image.ptx.contains(".target sm_90a") && image.ptx.contains(".entry saxpy("), "{}", image.ptx);
    assert!(!image.ptx.contains('\0') && image.log.is_empty());
    assert!(!image.ptx.contains("f64"));

    let image = nvrtc.compile(source(SAXPY), &OPTIONS, &architecture("compute_80")).unwrap();
    assert_eq!(image.cubin, None);
    assert!(image.ptx.contains(".target sm_80"));
}

#[test]
fn a_rejected_source_is_reported_with_its_log() {
    let Some(nvrtc) = nvrtc() else { return };
    let text = "extern \"C\" __global__ void k(float* y) { y[0] = z; }";
    let error = nvrtc.compile(source(text), &OPTIONS, &architecture("sm_90")).unwrap_err();
    let NvrtcError::Rejected { log } = error else { panic!("{error}") };
    assert!(log.contains("saxpy.cu(1): error: identifier \"z\" is undefined"), "{log}");
}

#[test]
fn an_unknown_architecture_is_reported_as_unsupported() {
    let Some(nvrtc) = nvrtc() else { return };
    for name in ["sm_999", "sm_20", "compute_999", "sm_75a"] {
        let error = nvrtc.compile(source(SAXPY), &OPTIONS, &architecture(name)).unwrap_err();
        assert!(matches!(error, NvrtcError::UnsupportedArchitecture { .. }), "{error}");
        assert!(error.to_string().contains(name) && error.to_string().contains("sm_90"), "{error}");
    }
}

#[test]
fn a_newer_gpu_uses_ptx_and_an_older_one_is_an_error() {
    let Some(nvrtc) = nvrtc() else { return };
    assert_eq!(nvrtc.architecture_for(&Architecture::of_device(9, 0)).unwrap().to_string(), "sm_90a");
    let newest = nvrtc.supported().iter().max().unwrap();
    let ptx = nvrtc.architecture_for(&Architecture::of_device(99, 0)).unwrap();
    assert_eq!(ptx.to_string(), format!("compute_{newest}"));
    let error = nvrtc.architecture_for(&Architecture::of_device(2, 0)).unwrap_err();
    assert!(error.to_string().contains("the oldest supported architecture is sm_"), "{error}");
}

#[test]
fn broken_assemblers_are_not_used_for_hopper() {
    use crate::driver::Version;
    for (minor, number, assembles) in [(0, 89, true), (0, 90, false), (1, 90, false), (1, 75, true), (2, 90, true)] {
        assert_eq!(Version { major: 12, minor }.assembles_for(number), assembles, "12.{minor} for sm_{number}");
    }
    let Some(nvrtc) = nvrtc() else { return };
    if nvrtc.version().assembles_for(90) {
        return; // this version is not affected
    }
    let gpu = Architecture::of_device(9, 0);
    assert_eq!(nvrtc.architecture_for(&gpu).unwrap().to_string(), "compute_90a");
    let error = nvrtc.compile(source(SAXPY), &OPTIONS, &gpu).unwrap_err();
    assert!(error.to_string().contains("request `compute_90a`"), "{error}");
}

#[test]
fn a_nul_in_the_source_or_an_option_is_an_error() {
    let Some(nvrtc) = nvrtc() else { return };
    let error = nvrtc.compile(source("a\0b"), &OPTIONS, &architecture("sm_90")).unwrap_err();
    assert!(matches!(error, NvrtcError::Failed { call: "nvrtcCreateProgram", .. }), "{error}");
    let error = nvrtc.compile(source(SAXPY), &["--fmad=true\0"], &architecture("sm_90")).unwrap_err();
    assert!(matches!(error, NvrtcError::Failed { call: "nvrtcCompileProgram", .. }), "{error}");
}

#[test]
fn threads_may_compile_concurrently() {
    let Some(nvrtc) = nvrtc() else { return };
    let images: Vec<Image> = std::thread::scope(|scope| {
        let compile = || nvrtc.compile(source(SAXPY), &OPTIONS, &architecture("sm_80")).unwrap();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(compile)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(images.iter().all(|image| *image == images[0]));
}

#[test]
fn a_library_that_is_not_nvrtc_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libnvrtc.so.13");
    std::fs::write(&file, "no library").unwrap();
    assert!(Nvrtc::open(&file).is_err());
    if cfg!(target_os = "linux") {
        assert!(
            Nvrtc::open(std::path::Path::new("libc.so.6")).unwrap_err().to_string().contains("it has no nvrtcVersion")
        );
    }
}

/// Returns the machine code of each function, and the size of the whole cubin.
fn code_of(cubin: &[u8]) -> (Vec<(String, Vec<u8>)>, usize) {
    use object::{Object, ObjectSection};
    let elf = object::File::parse(cubin).unwrap();
    let code = elf.sections().filter_map(|section| {
        let name = section.name().ok().filter(|name| name.starts_with(".text"))?.to_owned();
        Some((name, section.data().unwrap().to_vec()))
    });
    (code.collect(), cubin.len())
}

/// Line tables are on by default because the machine code with them is identical, bit for bit.
#[test]
fn line_tables_do_not_change_the_code() {
    let Some(nvrtc) = nvrtc() else { return };
    // Loops, a call, shared memory and a barrier, which an optimiser could treat differently.
    let tiled = r#"
#line 3 "kernel.rs"
__device__ __noinline__ float mix(float a, float b) { return a * b + sqrtf(a); }
extern "C" __global__ void tiled(const float* __restrict__ a, float* __restrict__ c, int n) {
#line 20 "kernel.rs"
    __shared__ float tile[256];
    float sum = 0;
    for (int k = 0; k < n; k += 256) {
#line 30 "other.rs"
        tile[threadIdx.x] = a[k + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 256; ++i) sum += mix(tile[i], sum);
        __syncthreads();
    }
    c[threadIdx.x] = sum;
}
"#;
    for text in [SAXPY, tiled] {
        for name in ["sm_80", "sm_90a"] {
            let compile = |lines: bool| {
                let program = Program::new(nvrtc, source(text)).unwrap();
                let mut options = OPTIONS.to_vec();
                options.retain(|option| lines || *option != "--generate-line-info");
                assert_eq!(program.compile(&options, &architecture(name)), Ok(SUCCESS), "{}", program.log());
                let functions = &nvrtc.functions;
                program.bytes("nvrtcGetCUBIN", functions.get_cubin_size, functions.get_cubin).unwrap()
            };
            let ((with, long), (without, short)) = (code_of(&compile(true)), code_of(&compile(false)));
            assert!(!with.is_empty() && with == without, "{name}");
            assert!(long > short, "there are line tables");
        }
    }
}
