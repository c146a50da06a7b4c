//! The development commands: `cargo xtask COMMAND`.
//!
//! Each command is a module. They need only the standard library and the random-kernel generator, so that they build in
//! seconds.

mod bless;
mod gpu;
mod nvrtc;
mod program;
mod quick;
mod random;
mod test;

use std::process::ExitCode;

use program::{Failure, Result};

const HELP: &str = "\
cargo xtask COMMAND

  test    install NVRTC if it is missing, then run all tests, doctests and examples
  quick   run the unit tests, a part of the corpus and a part of the compile errors
            --release          run the unit tests in a release build
  bless   rewrite the golden files, tests/checks.txt, docs/limits.md, the expected messages of tests/messages/ui, and
            their quotes in docs/troubleshooting.md
  gpu     build the tests and examples for a GPU machine without Rust, into .gpu/
  random  compare random kernels with the emitted C in g++
            --seed N           the seed (default: 1)
            --kernels N | A..B the number or the range of kernels (default: 200)
            --kernel N         one kernel
            --overflow wraps   compile without overflow checks
            --tallies off      no methods with atomics on elements shared by all threads
            --gpu              compare with a GPU instead
            --batch N          compile N kernels at a time, continue after failures, and resume an interrupted run
            --pack DIRECTORY   compile for another machine with a GPU, and run nothing
            --reduce           reduce the first kernel that fails
            --out FILE         only write the source
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test::run(),
        ["quick"] => quick::run(),
        ["quick", "--release"] => quick::run_release(),
        ["bless"] => bless::run(),
        ["gpu"] => gpu::run(),
        ["random", ref rest @ ..] => random::run(rest),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(Failure(format!("`{}` is not a command\n\n{HELP}", arguments.join(" ")))),
    }
}
