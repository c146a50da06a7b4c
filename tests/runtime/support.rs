//! Shared helpers of the runtime's tests: the devices, child processes with another environment, and the inputs and
//! operators of algorithms.

use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cumbia::algorithm::Function2;
use cumbia::prelude::*;
use cumbia::{AlgorithmError, Error, LaunchError};
use cumbia_cases::left_out;

/// Runs `test` on each device, exclusively: a fault is returned to the next caller that synchronizes the device.
pub(crate) fn on_each_device(test: impl Fn(&Device)) {
    let _alone = alone();
    test(&Device::cpu());
    if let Some(gpu) = gpu() {
        test(gpu);
    }
}

/// Runs `test` on the GPU, if there is one, exclusively.
pub(crate) fn on_gpu(test: impl FnOnce(&Device)) {
    let _alone = alone();
    if let Some(gpu) = gpu() {
        test(gpu);
    }
}

/// Keeps the other tests of this process from launching.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns CUDA device 0. Without one, reports that once.
pub(crate) fn gpu() -> Option<&'static Device> {
    static GPU: OnceLock<Option<Device>> = OnceLock::new();
    let open = || match Device::cuda(0) {
        Ok(gpu) => Some(gpu),
        Err(Error::Device(error)) => {
            left_out("the runtime on a GPU", &error.to_string(), "CUMBIA_REQUIRE_GPU");
            None
        }
        Err(error) => panic!("the GPU cannot be opened: {error}"),
    };
    GPU.get_or_init(open).as_ref()
}

/// Returns the algorithm, the argument and its length, of an error of a length.
#[track_caller]
pub(crate) fn wrong_length(error: &Error) -> (&'static str, &'static str, usize) {
    let Error::Algorithm(AlgorithmError::Length { algorithm, argument, .. }) = error else { panic!("{error}") };
    (algorithm, argument.name, argument.len)
}

/// Runs an ignored test, given by its path, in a child process with these environment variables.
#[track_caller]
pub(crate) fn in_process(test: &str, environment: &[(&str, &str)]) -> Output {
    let executable = std::env::current_exe().expect("tests know their executable");
    let mut command = Command::new(executable);
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    for variable in ["CUMBIA_DEVICE", "CUMBIA_NVRTC", "CUMBIA_CACHE_DIR", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    let output = command.envs(environment.iter().copied()).output().expect("a process");
    let said = said(&output);
    assert!(said.contains("1 passed") || !output.status.success(), "{test} did not run:\n{said}");
    output
}

/// As [`in_process`], for a test that has to pass.
#[track_caller]
pub(crate) fn passes_in_process(test: &str, environment: &[(&str, &str)]) {
    let output = in_process(test, environment);
    assert!(output.status.success(), "{test} with {environment:?}:\n{}", said(&output));
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns 0, after a number of iterations of a loop that no compiler can remove.
#[device]
pub(crate) fn spin(seed: u32, turns: u32) -> u32 {
    let mut state = seed;
    for _ in 0..turns {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    // Never true: the states of this generator are even and odd by turns, so that this one is even where `seed + turns`
    // is.
    if state == seed.wrapping_add(turns).wrapping_add(1) { 1 } else { 0 }
}

/// Checks the error of a launch, and that its text contains all of `words`.
#[track_caller]
pub(crate) fn rejected(result: cumbia::Result<()>, words: &[&str]) -> LaunchError {
    let error = result.expect_err("a launch that cannot be");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
    match error {
        Error::Launch(error) => error,
        other => panic!("not an error of the launch: {other:?}"),
    }
}

/// Returns 64 pseudorandom bits for each index, those of `SplitMix64`.
pub(crate) fn bits(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Returns the values of `of` for the indices below `len`.
pub(crate) fn values<T>(len: usize, of: impl Fn(usize) -> T) -> Vec<T> {
    (0..len).map(of).collect()
}

/// The function `x ↦ a x + b`, modulo 2³². The composition of two is associative, and not commutative.
#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
pub(crate) struct Affine {
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// The composition of two functions, of which the first is applied first.
#[derive(Clone, Copy, DeviceType)]
pub(crate) struct Then;

#[device]
impl Function2<Affine, Affine> for Then {
    type Output = Affine;

    fn call(self, a: Affine, b: Affine) -> Affine {
        Affine { a: a.a.wrapping_mul(b.a), b: a.b.wrapping_mul(b.a).wrapping_add(b.b) }
    }
}

/// Returns a pseudorandom invertible function for each index.
pub(crate) fn affine(i: usize) -> Affine {
    let bits = bits(i);
    Affine { a: bits as u32 | 1, b: (bits >> 32) as u32 }
}

/// An element of 48 bytes, whose tiles are small.
#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
pub(crate) struct Wide {
    pub(crate) parts: [u64; 6],
}

/// The first part of the first operand, the last part of the second one, and the exclusive or of the parts between them:
/// an associative operator that is not commutative.
#[derive(Clone, Copy, DeviceType)]
pub(crate) struct Joined;

#[device]
impl Function2<Wide, Wide> for Joined {
    type Output = Wide;

    fn call(self, a: Wide, b: Wide) -> Wide {
        let mut parts = a.parts;
        for k in 1..5 {
            parts[k] ^= b.parts[k];
        }
        parts[5] = b.parts[5];
        Wide { parts }
    }
}

/// Returns a pseudorandom element of 48 bytes for each index.
pub(crate) fn wide(i: usize) -> Wide {
    Wide { parts: [0, 1, 2, 3, 4, 5].map(|k| bits(6 * i + k)) }
}
