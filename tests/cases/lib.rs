//! Test cases of kernels: launches whose results are the same on each device, and their comparison.
//!
//! A [`Case`] is a function that is handed a [`Run`]: it makes its arrays, launches its kernels and names its results.
//! Where the kernels run, or whether they are only collected, is decided by the run.

#![allow(missing_docs, reason = "the interface of tests")]

mod record;
mod report;
mod run;
mod usage;

pub use record::{Agreement, Record, Tolerance};
pub use report::{compare, in_our_words, left_out};
pub use run::{Emulated, Emulator, Kernels, Look, Run, STRIDED};
pub use usage::Usage;

/// A set of launches whose results are the same wherever they run.
#[derive(Clone, Copy)]
pub struct Case {
    /// The function's path.
    pub name: &'static str,
    /// Makes the inputs, launches, and notes the outputs.
    pub run: fn(&mut Run<'_>),
}

/// Every kernel that one of these cases launches.
pub fn kernels_of(cases: &[&Case]) -> Kernels {
    let mut kernels = Kernels::new();
    for case in cases {
        let mut run = Run::nowhere();
        (case.run)(&mut run);
        for (name, look) in run.into_kernels() {
            let known = kernels.entry(name).or_insert_with(|| look.clone());
            known.strided = known.strided.take().or(look.strided);
        }
    }
    kernels
}

/// The texts of kernels, by the names under which the emulator is asked for them.
pub fn sources(kernels: &Kernels) -> Vec<(String, String)> {
    let texts = |(kernel, look): (&&'static str, &Look)| {
        let contiguous = (look.cuda_source)().ok().map(|text| ((*kernel).to_owned(), text));
        let strided = look.strided.clone().map(|text| ((*kernel).to_owned() + STRIDED, text));
        [contiguous, strided].into_iter().flatten()
    };
    kernels.iter().flat_map(texts).collect()
}
