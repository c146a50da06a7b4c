//! Random kernels, to compare what the CPU device makes of them with what the emitted CUDA C does.
//!
//! A kernel is a tree in which each expression has its type, so that rustc accepts what is written. It ends, since
//! each loop is bounded. It has one meaning, since no two threads touch an element that one of them writes: a thread has
//! elements of its own of each array that it writes to, those of shared memory change hands at barriers, and what is
//! added up by atomics is not read. A fault is rare and has a meaning too: all devices have to have it.
//!
//! What a seed generates is the same everywhere. Kernel 17 of a seed is the same whatever other kernels there are.

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

/// The kernels, with their names.
pub fn programs(options: &Options) -> Vec<(String, Program)> {
    options.kernels.clone().map(|number| (format!("k{number}"), generate::program(options, number))).collect()
}

/// The Rust text of the kernels, which `tests/random` includes.
pub fn source(programs: &[(String, Program)]) -> String {
    print::file(programs)
}
