//! What developers of Cumbia run: `cargo xtask COMMAND`.
//!
//! Each command is a file here. They use the standard library alone, so that building them takes no time.

mod bless;
mod gpu;
mod nvrtc;
mod program;
mod random;
mod test;

use std::process::ExitCode;

use program::{Failure, Result};

const HELP: &str = "\
cargo xtask COMMAND

  test    fetch NVRTC if it is not there, then run all tests, doctests and examples
  bless   write the golden files, docs/limits.md and the expected messages of tests/ui anew
  gpu     build what a GPU machine without Rust can run, into .gpu/
  random  compare random kernels with the emitted C in g++
            --seed N           what all follows from; 1 if left out
            --kernels N | A..B how many, or which; 200 if left out
            --kernel N         one
            --overflow wraps   compile them without checks of overflow
            --tallies on       call methods with atomics on elements that all threads share
            --gpu              compare with a GPU instead
            --batch N          compile so many at a time, go on behind failures, and from where it was stopped
            --pack FOLDER      compile them for another machine with a GPU, and run nothing
            --reduce           make the first that fails smaller
            --out FILE         only write them
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
