//! Random kernels, to compare what the CPU device makes of them with what the emitted CUDA C does.
//!
//! A kernel is a tree in which each expression has its type, so that rustc accepts what is written. It ends, since
//! each loop is bounded. It has one meaning, since no two threads touch an element that one of them writes: a thread has
//! elements of its own of each array that it writes to, those of shared memory change hands at barriers, and what is
//! added up by atomics is not read. A fault is rare and has a meaning too: all devices have to have it.
//!
//! What a seed generates is the same everywhere. Kernel 17 of a seed is the same whatever other kernels there are.

pub mod command;
mod expr;
mod full;
mod generate;
mod kernel;
mod ops;
mod print;
mod reduce;
mod rng;
mod scope;
mod stmt;
mod tree;
#[cfg(test)]
mod tests;
mod types;

use std::ops::Range;

/// The lengths of the arrays that kernels read.
const SHORTEST: usize = 8;
const LONGEST: usize = 20;

/// What is generated.
#[derive(Clone, Debug)]
pub struct Options {
    /// What all follows from.
    pub seed: u64,
    /// How much of the language is used.
    pub language: Language,
    /// What the kernels are compiled for.
    pub overflow: Overflow,
}

/// How much of the language is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Numbers, tuples and slices.
    Numbers,
    /// Arrays, structs, enums, references and methods too.
    Full,
}

impl Language {
    fn is_full(self) -> bool {
        self == Language::Full
    }
}

/// What arithmetic does that overflows, as the profile says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// A fault, so that it is mostly avoided.
    Faults,
    /// It wraps.
    Wraps,
}

impl Options {
    /// The options and the kernels from what a user wrote, or what they mean if nothing is written: the kernels that CI
    /// compares.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(
        seed: Option<&str>,
        kernels: Option<&str>,
        overflow: Option<&str>,
        language: Option<&str>,
    ) -> Result<(Options, Range<u64>), String> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        let seed = seed.map_or(Ok(1), number)?;
        let kernels = match kernels.unwrap_or("200").split_once("..") {
            Some((first, end)) => number(first)?..number(end)?,
            None => 0..number(kernels.unwrap_or("200"))?,
        };
        let overflow = match overflow {
            None | Some("faults") => Overflow::Faults,
            Some("wraps") => Overflow::Wraps,
            Some(other) => return Err(format!("overflow `{other}` is neither `faults` nor `wraps`")),
        };
        let language = match language {
            None | Some("numbers") => Language::Numbers,
            Some("full") => Language::Full,
            Some(other) => return Err(format!("language `{other}` is neither `numbers` nor `full`")),
        };
        Ok((Options { seed, language, overflow }, kernels))
    }
}

/// The Rust text of some kernels.
pub fn text(options: &Options, kernels: Range<u64>) -> String {
    let programs: Vec<_> = kernels.map(|number| (format!("k{number}"), kernel::program(options, number))).collect();
    print::file(&programs)
}
