//! Random kernels, to compare what the CPU device makes of them with what the emitted CUDA C does.
//!
//! A kernel is a tree in which each expression has its type, so that rustc accepts what is written. It ends, since
//! each loop is bounded. It has one meaning, since no two threads touch an element that one of them writes: a thread has
//! elements of its own of each array that it writes to, those of shared memory change hands at barriers, and what is
//! added up by atomics is not read. A fault is rare and has a meaning too: all devices have to have it.
//!
//! What a seed generates is the same everywhere. Kernel 17 of a seed is the same whatever other kernels there are.

mod batches;
pub mod command;
mod compare;
mod edit;
mod generate;
mod options;
mod print;
mod reduce;
mod rng;
mod tree;
mod types;

#[cfg(test)]
mod tests;

pub use options::{Options, Overflow};

/// The Rust text of the kernels.
pub fn text(options: &Options) -> String {
    print::file(&programs(options))
}

/// The kernels, with their names.
fn programs(options: &Options) -> Vec<(String, tree::Program)> {
    options.kernels.clone().map(|number| (format!("k{number}"), generate::program(options, number))).collect()
}
