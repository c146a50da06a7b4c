//! The generator of random kernels, for comparing the CPU device with the emitted CUDA C.
//!
//! `generate` builds a syntax tree in which each expression has a type and each integer a value range, so that rustc
//! accepts the program; `print` writes it as Rust; [`edit`] removes parts of it, to reduce a program that fails.
//!
//! Every program terminates, since its loops are bounded, and is deterministic, since it has no races: a thread writes
//! only elements that it owns, elements of shared memory change their owner at barriers, and the results of atomic
//! additions are not read. A fault is rare, and has to be the same on every device.
//!
//! A seed reproduces its kernels on every machine: kernel 17 of a seed does not depend on the number of kernels.

pub mod edit;
mod generate;
mod options;
mod print;
mod rng;
mod tree;
mod types;

#[cfg(test)]
mod tests;

pub use options::{Options, Overflow};
pub use tree::Program;

/// Generates the kernels that the options select. Returns them with their names, `k0`, `k1`, ...
pub fn programs(options: &Options) -> Vec<(String, Program)> {
    options.kernels.clone().map(|number| (format!("k{number}"), generate::program(options, number))).collect()
}

/// Returns the Rust source of programs, which `tests/random` includes.
pub fn source(programs: &[(String, Program)]) -> String {
    print::file(programs)
}
