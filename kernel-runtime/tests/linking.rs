//! Device functions in linked files: on the CPU device by their Rust bodies; compiled and linked for a GPU by NVRTC and nvJitLink,
//! which need no GPU; and on a GPU if there is one.

use cumbia::intrinsics::*;
use cumbia::precompile::Plan;
use cumbia::prelude::*;
use cumbia::{CompileError, Error};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    low: f32,
    high: f32,
}

#[device(unsafe(link = "linking/functions.cu", symbol = "clamp_to"))]
fn clamped(x: f32, limits: Pair) -> f32 {
    x.clamp(limits.low, limits.high)
}

#[device(unsafe(link = "linking/functions.cu"))]
fn sum_of(x: &[f32]) -> f32 {
    x.iter().sum()
}

#[device(unsafe(link = "linking/functions.cu"))]
fn step(state: &mut u32) {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
}

struct Halves;

#[device]
impl Halves {
    #[device(unsafe(link = concat!("linking/", "half.ptx")))]
    fn half_of(x: f32) -> f32 {
        x / 2.0
    }
}

#[device]
trait Half {
    fn half(self) -> Self;
}

/// A method of a trait, with the symbol that `Halves::half_of` has as well.
#[device]
impl Half for f32 {
    #[device(unsafe(link = "linking/half.ptx", symbol = "half_of"))]
    fn half(self) -> f32 {
        self / 2.0
    }
}

#[device]
fn half_of_any<T: Half>(x: T) -> T {
    x.half()
}

#[kernel]
fn combine(weights: &[f32], x: &[f32], y: &mut [f32], states: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = half_of_any(2.0 * Halves::half_of(clamped(x[i], Pair { low: -1.0, high: 4.0 }))) + sum_of(weights);
        step(&mut states[i]);
    }
}

#[device(unsafe(link = "linking/functions.cu", symbol = "not_in_the_file"))]
fn missing(_x: f32) -> f32 {
    unimplemented!()
}

#[kernel]
fn call_missing(x: &mut [f32]) {
    x[0] = missing(x[0]);
}

#[device(unsafe(link = "linking/broken.cu"))]
fn broken(x: f32) -> f32 {
    x
}

#[kernel]
fn call_broken(x: &mut [f32]) {
    x[0] = broken(x[0]);
}

#[device(unsafe(link = "linking/functions.cu"))]
fn mean_square(x: &[f32]) -> f32 {
    x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32
}

#[kernel(max_registers = 64, fmad = false)]
fn rows(a: &[f32], width: usize, y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    let i = grid(1);
    let is_row = i < a.len() / width;
    if is_row {
        tile[thread_idx().x] = mean_square(&a[i * width..(i + 1) * width]);
    }
    sync_threads();
    // Faults if `y` is too short.
    if is_row {
        y[i] = tile[thread_idx().x];
    }
}

#[kernel(index = u32)]
fn narrow(x: &mut [f32]) {
    x[0] = sum_of(x);
}

/// CUDA declares a function of this name, with another type.
#[device(unsafe(link = "linking/functions.cu", symbol = "__brevll"))]
fn reversed(x: f32) -> f32 {
    x
}

#[kernel]
fn call_reversed(x: &mut [f32]) {
    x[0] = reversed(x[0]);
}

#[track_caller]
fn check(device: &Device) {
    let x: Vec<f32> = (0..100).map(|i| i as f32 / 10.0 - 3.0).collect();
    let weights = device.to_device(&[1.0, 2.0, 4.0]).unwrap();
    let mut states = device.to_device(&(0..100).collect::<Vec<u32>>()).unwrap();
    let (x_on_device, mut y) = (device.to_device(&x).unwrap(), device.zeros(100).unwrap());
    combine(&weights, &x_on_device, &mut y, &mut states).over(100).launch().unwrap();
    let expected: Vec<f32> = x.iter().map(|x| x.clamp(-1.0, 4.0) / 2.0 + 7.0).collect();
    assert_eq!(y.to_host().unwrap(), expected);
    let stepped = (0..100u32).map(|i| i.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    assert_eq!(states.to_host().unwrap(), stepped.collect::<Vec<_>>());
}

#[track_caller]
fn check_faults(device: &Device) {
    let a = device.to_device(&(0..6000).map(|i| (i % 7) as f32).collect::<Vec<_>>()).unwrap();
    let mut y = device.zeros::<f32>(1000).unwrap();
    rows(&a, 6, &mut y).over(1000).block(64).launch().unwrap();
    let row = |i: usize| (0..6).map(|j| ((6 * i + j) % 7) as f32).map(|x| x * x).sum::<f32>() / 6.0;
    assert_eq!(y.to_host().unwrap(), (0..1000).map(row).collect::<Vec<_>>());
    let mut short = device.zeros::<f32>(999).unwrap();
    rows(&a, 6, &mut short).over(1000).block(64).launch().unwrap();
    let fault = short.to_host().unwrap_err().to_string();
    assert!(fault.contains("999"), "{fault}");
}

#[test]
fn the_cpu_runs_the_rust_bodies() {
    check(&Device::cpu());
    check_faults(&Device::cpu());
    let mut x = Device::cpu().zeros::<f32>(1).unwrap();
    call_missing(&mut x).over(1).launch().unwrap();
    let fault = x.to_host().unwrap_err().to_string();
    assert!(fault.contains("`missing` is defined in a linked file only"), "{fault}");
}

#[test]
fn a_gpu_runs_the_linked_functions() {
    match Device::cuda(0) {
        Ok(device) => {
            check(&device);
            check_faults(&device);
        }
        Err(error) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_GPU").is_none_or(|value| value != "1"), "{error}");
            eprintln!("skipped: {error}");
        }
    }
}

/// Returns whether NVRTC and nvJitLink are installed.
fn can_link() -> bool {
    match combine::cubin("sm_90") {
        Err(Error::Compile(error @ (CompileError::NoNvrtc { .. } | CompileError::NoNvJitLink { .. }))) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
            eprintln!("skipped: {error}");
            false
        }
        _ => true,
    }
}

#[test]
fn the_source_declares_the_symbols() {
    let source = combine::cuda_source().unwrap();
    for declaration in [
        "extern \"C\" __device__ float clamp_to(float x, types::Pair limits);",
        "extern \"C\" __device__ float sum_of(const float* x, usize x_len);",
        "extern \"C\" __device__ void step(u32& state);",
        "extern \"C\" __device__ float half_of(float x);",
    ] {
        assert!(source.contains(declaration), "{declaration} is not in\n{source}");
    }
}

#[test]
fn kernels_are_linked_for_each_architecture() {
    if !can_link() {
        return;
    }
    for architecture in ["sm_75", "sm_90a"] {
        let cubin = combine::cubin(architecture).unwrap();
        let defines = |symbol: &[u8]| cubin.windows(symbol.len()).any(|name| name == symbol);
        assert!(cubin.starts_with(b"\x7fELF") && defines(b".text.combine\0"));
        assert!(defines(b"\0half_of\0") && defines(b"\0clamp_to\0"));
    }
    // PTX is that of the kernel alone.
    let ptx = combine::ptx("compute_90").unwrap();
    assert!(ptx.contains(".extern .func") && ptx.contains("half_of"), "{ptx}");
}

#[test]
fn files_that_do_not_link_are_errors() {
    if !can_link() {
        return;
    }
    let error = call_missing::cubin("sm_90").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Compile(CompileError::LinkFailed { .. })), "{text}");
    let undefined = "Undefined reference to 'not_in_the_file' in 'call_missing.cu'";
    assert!(text.contains("with `linking/functions.cu`") && text.contains(undefined), "{text}");
    assert!(text.lines().nth(1).is_some_and(|help| help.starts_with("  help: ")), "{text}");

    let error = call_broken::cubin("sm_90").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Compile(CompileError::LinkedFileRejected { .. })), "{text}");
    assert!(text.contains("linking/broken.cu(2): error: identifier \"undeclared\" is undefined"), "{text}");

    let error = call_reversed::cubin("sm_90").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Compile(CompileError::SymbolRejected { .. })), "{text}");
    assert!(text.contains("the symbol `__brevll` of a linked function, at kernel-runtime"), "{text}");

    let newer = combine::cubin("sm_999").unwrap_err();
    assert!(matches!(newer, Error::Compile(CompileError::UnsupportedArchitecture { .. })), "{newer}");
}

#[test]
fn lengths_have_64_bits() {
    let error = narrow::cuda_source().unwrap_err().to_string();
    assert!(error.contains("`sum_of` has a `&[f32]` in its signature, in a kernel with `index = u32`"), "{error}");
}

#[test]
fn precompiled_kernels_are_machine_code() {
    if !can_link() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new().instance::<combine>().quiet();
    let report = plan.clone().architectures(["sm_90"]).compile_into(folder.path()).unwrap();
    assert!(!report.kernels.is_empty() && report.kernels.iter().all(|kernel| kernel.path.is_file()), "{report}");
    let text = plan.architectures(["compute_80"]).compile_into(folder.path()).unwrap_err().to_string();
    assert!(text.contains("kernel `combine` has functions in linked files"), "{text}");
}
