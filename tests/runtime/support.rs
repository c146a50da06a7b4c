//! Shared helpers of the runtime's tests: the devices, and child processes with another environment.

use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cumbia::prelude::*;
use cumbia::{Error, LaunchError};
use cumbia_corpus::left_out;

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
