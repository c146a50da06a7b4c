//! Compilations by the real NVRTC. Skipped silently if there is none, unless `CUMBIA_REQUIRE_NVRTC` is 1.

use super::*;

const SAXPY: &str = r#"
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned long long n) {
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"#;

fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::load(None) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
            None
        }
    }
}

fn request(source: &str) -> Request<'_> {
    Request { kernel: "saxpy", instance: "saxpy", source, flags: Flags::default() }
}

fn architecture(name: &str) -> Architecture {
    Architecture::parse(name).unwrap()
}

#[test]
fn one_compilation_yields_machine_code_and_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(nvrtc.version() >= super::super::OLDEST);
    let image = nvrtc.compile(request(SAXPY), &architecture("sm_90a"), None).unwrap();
    assert!(image.cubin.unwrap().starts_with(b"\x7fELF"));
    assert!(image.ptx.contains(".target sm_90a") && image.ptx.contains(".entry saxpy("), "{}", image.ptx);
    assert!(!image.ptx.contains('\0') && image.log.is_empty());
    assert!(!image.ptx.contains("f64"));

    let image = nvrtc.compile(request(SAXPY), &architecture("compute_80"), None).unwrap();
    assert_eq!(image.cubin, None);
    assert!(image.ptx.contains(".target sm_80"));
}

#[test]
fn fmad_follows_the_request() {
    let Some(nvrtc) = nvrtc() else { return };
    let compile = |fmad| {
        let request = Request { flags: Flags { fmad, ..Flags::default() }, ..request(SAXPY) };
        nvrtc.compile(request, &architecture("compute_90"), None).unwrap().ptx
    };
    assert!(compile(true).contains("fma.rn.f32"));
    assert!(!compile(false).contains("fma.rn.f32"));
}

#[test]
fn compiler_flags_follow_the_request() {
    let Some(nvrtc) = nvrtc() else { return };
    let source = "extern \"C\" __global__ void k(float a, float* y) { y[0] = sinf(y[1]) / y[2] + a * y[3]; }";
    let compile = |flags| {
        let request = Request { flags, ..request(source) };
        nvrtc.compile(request, &architecture("compute_90"), None).unwrap().ptx
    };
    let fast = compile(Flags { fast_math: true, ..Flags::default() });
    assert!(fast.contains("sin.approx.ftz.f32") && fast.contains("div.approx.ftz.f32") && fast.contains("fma.rn.ftz"));
    let unfused = compile(Flags { fast_math: true, fmad: false, ..Flags::default() });
    assert!(unfused.contains("sin.approx.ftz.f32") && !unfused.contains("fma.rn"), "{unfused}");
    assert!(!compile(Flags::default()).contains("approx"));

    let request = Request { flags: Flags { max_registers: Some(32), ..Flags::default() }, ..request(source) };
    assert!(nvrtc.compile(request, &architecture("sm_90"), None).unwrap().cubin.is_some());
}

#[test]
fn a_rejected_source_is_stored() {
    let Some(nvrtc) = nvrtc() else { return };
    let source = "extern \"C\" __global__ void k(float* y) { y[0] = z; }";
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().to_owned());
    for cache in [Some(&cache), None] {
        let request = Request { kernel: "odd::name<f32>", ..request(source) };
        let error = nvrtc.compile(request, &architecture("sm_90"), cache).unwrap_err();
        let text = error.to_string();
        let CompileError::NvrtcRefused { kernel, log, source_path: Some(path), source_text } = error else {
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
    let error = nvrtc.compile(request(source), &architecture("sm_90"), None).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the CUDA C of the device function `f`, at src/lib.rs:10: identifier \"z\" is undefined"),
        "{text}"
    );
    assert!(matches!(error, CompileError::CudaCRefused { .. }) && !text.contains("bug"), "{text}");
}

#[test]
fn an_unknown_architecture_is_reported_as_unsupported() {
    let Some(nvrtc) = nvrtc() else { return };
    for name in ["sm_999", "sm_20", "compute_999", "sm_75a"] {
        let error = nvrtc.compile(request(SAXPY), &architecture(name), None).unwrap_err();
        assert!(matches!(error, CompileError::UnsupportedArchitecture { .. }), "{error}");
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
    use super::super::Version;
    for (minor, number, assembles) in [(0, 89, true), (0, 90, false), (1, 90, false), (1, 75, true), (2, 90, true)] {
        assert_eq!(Version { major: 12, minor }.assembles_for(number), assembles, "12.{minor} for sm_{number}");
    }
    let Some(nvrtc) = nvrtc() else { return };
    if nvrtc.version().assembles_for(90) {
        return; // this version is not affected
    }
    let gpu = Architecture::of_device(9, 0);
    assert_eq!(nvrtc.architecture_for(&gpu).unwrap().to_string(), "compute_90a");
    let error = nvrtc.compile(request(SAXPY), &gpu, None).unwrap_err();
    assert!(error.to_string().contains("request `compute_90a`"), "{error}");
}

#[test]
fn a_nul_in_the_source_is_an_error() {
    let Some(nvrtc) = nvrtc() else { return };
    let error = nvrtc.compile(request("a\0b"), &architecture("sm_90"), None).unwrap_err();
    assert!(matches!(error, CompileError::NvrtcFailed { call: "nvrtcCreateProgram", .. }), "{error}");
}

#[test]
fn threads_may_compile_concurrently() {
    let Some(nvrtc) = nvrtc() else { return };
    let images: Vec<Image> = std::thread::scope(|scope| {
        let compile = || nvrtc.compile(request(SAXPY), &architecture("sm_80"), None).unwrap();
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
    for source in [SAXPY, tiled] {
        for name in ["sm_80", "sm_90a"] {
            let compile = |lines: bool| {
                let program = Program::new(nvrtc, request(source)).unwrap();
                let mut options = options(request(source));
                options.retain(|option| lines || option != "--generate-line-info");
                assert_eq!(program.compile(options, &architecture(name)), SUCCESS, "{}", program.log());
                let functions = &nvrtc.functions;
                program.bytes("nvrtcGetCUBIN", functions.get_cubin_size, functions.get_cubin).unwrap()
            };
            let ((with, long), (without, short)) = (code_of(&compile(true)), code_of(&compile(false)));
            assert!(!with.is_empty() && with == without, "{name}");
            assert!(long > short, "there are line tables");
        }
    }
}
