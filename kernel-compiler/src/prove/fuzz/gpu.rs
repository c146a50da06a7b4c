//! Random kernels on a GPU, compiled by NVRTC.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;

use libloading::{Library, Symbol};

use super::compiled::{Batch, Experiment, Found, Memory, Text, all, assert_detected, invalid_launches, seeds};
use super::variable;
use nvrtc::Nvrtc;

#[path = "../../../tests/common/nvrtc.rs"]
mod nvrtc;

type Handle = *mut c_void;

/// The functions of the driver that a launch needs, and the memory of all launches.
struct Gpu {
    driver: Library,
    nvrtc: Nvrtc,
    architecture: String,
    memory: u64,
}

/// The size of the memory in bytes: more than a launch needs.
const CAPACITY: usize = 1 << 20;

/// Calls a function of the driver, and panics if it fails.
macro_rules! call {
    ($gpu:expr, $name:literal, ($($ty:ty),*), $($arg:expr),*) => {{
        type Function = unsafe extern "C" fn($($ty),*) -> c_int;
        // SAFETY: the type is that of cuda.h.
        let function: Result<Symbol<'_, Function>, _> = unsafe { $gpu.get($name.as_bytes()) };
        let function = function.expect("the driver exports the function");
        // SAFETY: the pointers are valid during the call, and the handles are live.
        let status = unsafe { function($($arg),*) };
        assert_eq!(status, 0, $name);
    }};
}

impl Gpu {
    fn open() -> Gpu {
        // SAFETY: the driver's initialisers run in every program that uses CUDA.
        let driver = unsafe { Library::new("libcuda.so.1") }.expect("a GPU's driver");
        let nvrtc = Nvrtc::find().expect("NVRTC");
        let (mut device, mut context, mut memory) = (0, ptr::null_mut(), 0);
        let (mut major, mut minor) = (0, 0);
        call!(driver, "cuInit", (c_uint), 0);
        call!(driver, "cuDeviceGet", (*mut c_int, c_int), &raw mut device, 0);
        call!(driver, "cuDeviceGetAttribute", (*mut c_int, c_int, c_int), &raw mut major, 75, device);
        call!(driver, "cuDeviceGetAttribute", (*mut c_int, c_int, c_int), &raw mut minor, 76, device);
        call!(driver, "cuDevicePrimaryCtxRetain", (*mut Handle, c_int), &raw mut context, device);
        call!(driver, "cuCtxSetCurrent", (Handle), context);
        call!(driver, "cuMemAlloc_v2", (*mut u64, usize), &raw mut memory, CAPACITY);
        Gpu { driver, nvrtc, architecture: format!("sm_{major}{minor}"), memory }
    }

    /// Returns the results of a batch.
    fn results(&self, batch: &Batch) -> Vec<Found> {
        let mut found = Vec::new();
        for (number, text) in batch.texts.iter().enumerate() {
            let of_text = |experiment: &&Experiment| experiment.text == number;
            let experiments: Vec<_> = batch.experiments.iter().enumerate().filter(|(_, of)| of_text(of)).collect();
            if experiments.is_empty() {
                continue;
            }
            let image = compile(&self.nvrtc, text, &self.architecture);
            let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
            let name = CString::new(text.source.entry.as_str()).expect("a name without NUL characters");
            call!(
                self.driver,
                "cuModuleLoadData",
                (*mut Handle, *const c_void),
                &raw mut module,
                image.as_ptr().cast()
            );
            call!(
                self.driver,
                "cuModuleGetFunction",
                (*mut Handle, Handle, *const c_char),
                &raw mut function,
                module,
                name.as_ptr()
            );
            for (position, experiment) in experiments {
                found.push((position, self.execute(function, experiment, text.source.takes_launch)));
            }
            call!(self.driver, "cuModuleUnload", (Handle), module);
        }
        found.sort_by_key(|(position, _)| *position);
        found.into_iter().map(|(_, found)| found).collect()
    }

    fn execute(&self, function: Handle, experiment: &Experiment, takes_launch: bool) -> Found {
        let Experiment { launch, grid, blocks, .. } = experiment;
        let mut memory = Memory::new(launch);
        assert!(memory.bytes.len() <= CAPACITY);
        let mut args = memory.args(launch, self.memory);
        // `rt::Launch`: the fault record, no print buffer, no grid barrier, kernel 0, and the extent of the launch's grid.
        let mut last = [self.memory, 0, 0, u64::from(*blocks) << 32];
        let mut pointers: Vec<Handle> = args.iter_mut().map(|arg| ptr::from_mut(arg).cast()).collect();
        if takes_launch {
            pointers.push(last.as_mut_ptr().cast());
        }
        let len = memory.bytes.len();
        let bytes = memory.bytes.as_mut_ptr().cast::<c_void>();
        call!(self.driver, "cuMemcpyHtoD_v2", (u64, *const c_void, usize), self.memory, bytes, len);
        let ([gx, gy, gz], [bx, by, bz]) = (*grid, launch.block);
        call!(
            self.driver,
            "cuLaunchKernel",
            (Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *mut Handle, *mut Handle),
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            0,
            ptr::null_mut(),
            pointers.as_mut_ptr(),
            ptr::null_mut()
        );
        call!(self.driver, "cuMemcpyDtoH_v2", (*mut c_void, u64, usize), bytes, self.memory, len);
        Found { memory, stops: None }
    }
}

fn compile(nvrtc: &Nvrtc, text: &Text, architecture: &str) -> Vec<u8> {
    if variable("CUMBIA_PROOF_SHOW").is_some() {
        eprintln!("{}\n{}", text.name, text.source.text);
    }
    let image = nvrtc.compile(&text.source.text, architecture);
    image.unwrap_or_else(|log| panic!("{}: {log}\n{}", text.name, text.source.text))
}

/// The seeds of kernels whose texts NVRTC has rejected: with the result of an overflowing operation as a narrow
/// variable, and with an assignment to an operand of one.
const REJECTED: [u64; 2] = [104_422, 110_028];

/// On a machine without a GPU, too.
#[test]
fn texts_of_random_kernels_are_valid() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    let mut batch = Batch::default();
    seeds(10).chain(REJECTED).for_each(|seed| batch.add(seed));
    for text in &batch.texts {
        compile(&nvrtc, text, "sm_90");
    }
}

#[test]
#[ignore = "needs a GPU and NVRTC"]
fn random_kernels_agree_with_the_interpreter() {
    let gpu = Gpu::open();
    all(200, |batch| gpu.results(batch)).assert_all();
}

#[test]
#[ignore = "needs a GPU and NVRTC"]
fn missing_checks_are_detected() {
    let batch = invalid_launches();
    assert_detected(&batch, &Gpu::open().results(&batch));
}
