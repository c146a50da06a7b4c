//! `cargo xtask quick`: the tests to run while working, in less than two minutes once everything is built.
//!
//! The unit tests, a part of the corpus on the CPU device against the emitted C in `g++`, and a part of the compile
//! errors. `cargo xtask test` runs everything. Each command selects the whole workspace, as `cargo test --workspace`
//! does: a single package would be built with other features of its dependencies, and so a second time.
//!
//! With `--release` the unit tests run optimised and without overflow checks. The emulated corpus takes too long then, and
//! the messages of rustc do not depend on the profile.

use std::process::Command;

use crate::program::{self, Result};

/// The cases of the corpus that run: those with one of these words in their names.
const CASES: &str = "linear,control,views,shared_memory::reductions,atomics,warps,halves,structs,slices,matching";

/// The compile errors that are compared: those with one of these words in their names.
const MESSAGES: [&str; 4] = ["closure", "string", "unknown", "launch"];

/// The packages that are not built in release mode: the optimisation of the corpus and of the random kernels would take longer
/// than all the rest, and macros are compiled without optimisation in any build, with all that their tests use.
const NOT_OPTIMISED: [&str; 5] =
    ["cumbia-cases", "cumbia-kernel-macros", "cumbia-random", "cumbia-random-kernels", "cumbia-tests"];

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
    program::run(&mut optimised(&["test", "--lib"]))?;
    eprintln!("the quick tests passed in release mode");
    Ok(())
}

/// Returns a command of Cargo for a release build. Commands for the same packages share their dependencies, whose features
/// depend on the packages.
pub(crate) fn optimised(arguments: &[&str]) -> Command {
    let mut cargo = program::cargo(arguments);
    cargo.args(["--release", "--workspace"]).args(NOT_OPTIMISED.map(|package| format!("--exclude={package}")));
    cargo
}
