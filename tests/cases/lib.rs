//! Test cases of kernels: launches with device-independent results, and the comparison of those results.
//!
//! A [`Case`] is a function that takes a [`Run`]: it allocates its arrays, launches its kernels and records its
//! outputs. The run decides on which device the kernels execute, or whether they are only collected.

#![allow(missing_docs, reason = "an interface for tests only")]

mod record;
mod report;
mod run;
mod usage;

pub use record::{Agreement, Record, Tolerance};
pub use report::{compare, in_our_words, left_out};
pub use run::{Emulated, Emulator, Kernels, Look, Run};
pub use usage::Usage;

/// A set of launches with the same results on every device.
#[derive(Clone, Copy)]
pub struct Case {
    /// The path of the function.
    pub name: &'static str,
    /// Allocates the inputs, launches the kernels, and records the outputs.
    pub run: fn(&mut Run<'_>),
}

/// Returns every kernel that one of these cases launches.
pub fn kernels_of(cases: &[&Case]) -> Kernels {
    let mut kernels = Kernels::new();
    for case in cases {
        let mut run = Run::nowhere();
        (case.run)(&mut run);
        for (name, look) in run.into_kernels() {
            let known = kernels.entry(name).or_insert_with(|| look.clone());
            known.others.extend(look.others);
            known.launched.extend(look.launched);
        }
    }
    kernels
}

/// The CUDA C of a kernel in one of its forms.
#[derive(Clone)]
pub struct Text {
    /// The name under which the emulator looks it up.
    pub name: String,
    /// The CUDA C.
    pub source: String,
    /// Whether a launch is known to choose it: the others are compiled only if a launch does.
    pub is_launched: bool,
}

/// Returns the CUDA C of kernels in all forms.
pub fn sources(kernels: &Kernels) -> Vec<Text> {
    let texts = |(kernel, look): (&&'static str, &Look)| {
        let text = |form: &'static str, source| Text {
            name: (*kernel).to_owned() + form,
            source,
            is_launched: look.launched.contains(form),
        };
        let contiguous = (look.cuda_source)().ok().map(|source| text("", source));
        let others = look.others.iter().map(|(form, source)| text(form, source.clone()));
        contiguous.into_iter().chain(others).collect::<Vec<_>>()
    };
    kernels.iter().flat_map(texts).collect()
}
