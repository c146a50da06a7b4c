//! `cargo xtask quick`: the tests to run while working, in less than two minutes once everything is built.
//!
//! The unit tests, a part of the corpus on the CPU device against the emitted C in `g++`, and a part of the compile
//! errors. `cargo xtask test` runs everything. Each command selects the whole workspace, as `cargo test --workspace`
//! does: a single package would be built with other features of its dependencies, and so a second time.
//!
//! With `--release` the unit tests run optimised and without overflow checks. The emulated corpus takes too long then, and
//! the messages of rustc do not depend on the profile.

use crate::program::{self, Result};

/// The cases of the corpus that run: those with one of these words in their names.
const CASES: &str = "linear,control,views,shared_memory::reductions,atomics,warps,halves,structs,slices,matching";

/// The compile errors that are compared: those with one of these words in their names.
const MESSAGES: [&str; 4] = ["closure", "string", "unknown", "launch"];

pub(crate) fn run() -> Result<()> {
    program::run(&mut program::cargo(&["test", "--workspace", "--lib", "--test", "repository"]))?;
    let name = "emitted_c_agrees_with_the_cpu_body";
    program::run(program::cargo(&["test", "--workspace", "--test", "emitted", "--", name]).env("CUMBIA_CASES", CASES))?;
    let filters = MESSAGES.map(|word| format!("trybuild={word}"));
    program::run(program::cargo(&["test", "--workspace", "--test", "ui", "--", "mistakes"]).args(filters))?;
    eprintln!("the quick tests passed; `cargo xtask test` runs all of them");
    Ok(())
}

/// Runs the quick tests of a release build.
pub(crate) fn run_release() -> Result<()> {
    // The optimisation of the corpus and of the random kernels would take longer than all the rest.
    let units = ["test", "--workspace", "--exclude=cumbia-tests", "--exclude=cumbia-random", "--release", "--lib"];
    program::run(&mut program::cargo(&units))?;
    eprintln!("the quick tests passed in release mode");
    Ok(())
}
