//! The corpus: kernels, each written once, with the inputs they are run on. Every consumer (golden files, NVRTC, the
//! emulator, the GPU) picks up every case.
//!
//! A [`Case`] is a function that receives a [`Run`]: it creates arrays, launches kernels and names the results. The run
//! determines the device, or collects the kernels without launching them.

#![recursion_limit = "1024"]
#![allow(
    missing_docs,
    clippy::cast_lossless,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::precedence,
    clippy::too_many_arguments,
    clippy::too_many_lines,
    reason = "kernels and their twins on the host are written in every way that Rust allows"
)]

mod inputs;
mod program;
mod sweep;
mod twin;

pub mod algorithms;
pub mod alternatives;
pub mod arguments;
pub mod arrays;
pub mod assignments;
pub mod atomics;
pub mod binding_modes;
pub mod bindings;
pub mod borrows;
pub mod casts;
pub mod coarsened;
pub mod comparisons;
pub mod compound_order;
pub mod control;
pub mod conversions;
pub mod cooperation;
pub mod cuda_bodies;
pub mod deferred;
pub mod device_functions;
pub mod endless;
pub mod fallible;
pub mod float_methods;
pub mod foreign_names;
pub mod geometry;
pub mod halves;
pub mod hidden_names;
pub mod indices;
pub mod initialisation;
pub mod integer_methods;
pub mod integer_results;
pub mod linear;
pub mod matching;
pub mod matrices;
pub mod messages;
pub mod methods;
pub mod narrow;
pub mod operators;
pub mod options;
pub mod order;
pub mod paths;
pub mod payloads;
pub mod probing;
pub mod ranges;
pub mod receivers;
pub mod resolution;
pub mod sequences;
pub mod shared_memory;
pub mod shipped;
pub mod slice_methods;
pub mod slices;
pub mod slots;
pub mod structs;
pub mod subviews;
pub mod temporaries;
pub mod unchecked;
pub mod undefined;
pub mod variants;
pub mod vectors;
pub mod views;
pub mod warps;
pub mod widths;
pub mod words;

pub use cumbia_cases::{
    Agreement, Case, Emulated, Emulator, Kernels, Look, Record, Run, Text, Tolerance, Usage, compare, kernels_of,
    left_out, sources,
};

/// The cases of a module, named after their functions.
macro_rules! listed {
    ($($case:ident),* $(,)?) => {
        &[$($crate::Case { name: concat!(module_path!(), "::", stringify!($case)), run: $case }),*]
    };
}
use listed;

/// The cases of each module.
const MODULES: &[&[Case]] = &[
    linear::CASES,
    algorithms::CASES,
    matrices::CASES,
    coarsened::CASES,
    operators::CASES,
    casts::CASES,
    integer_methods::CASES,
    float_methods::CASES,
    control::CASES,
    ranges::CASES,
    order::CASES,
    shared_memory::CASES,
    geometry::CASES,
    indices::CASES,
    deferred::CASES,
    device_functions::CASES,
    foreign_names::CASES,
    integer_results::CASES,
    halves::CASES,
    hidden_names::CASES,
    atomics::CASES,
    warps::CASES,
    cooperation::CASES,
    messages::CASES,
    views::CASES,
    subviews::CASES,
    arguments::CASES,
    vectors::CASES,
    options::CASES,
    cuda_bodies::CASES,
    words::CASES,
    narrow::CASES,
    shipped::CASES,
    unchecked::CASES,
    endless::CASES,
    undefined::CASES,
];

/// The cases of modules with programs or submodules.
const GROUPS: &[&[&[Case]]] = &[
    comparisons::CASES,
    compound_order::CASES,
    conversions::CASES,
    paths::CASES,
    probing::CASES,
    receivers::CASES,
    resolution::CASES,
    assignments::CASES,
    structs::CASES,
    matching::CASES,
    alternatives::CASES,
    fallible::CASES,
    payloads::CASES,
    variants::CASES,
    temporaries::CASES,
    initialisation::CASES,
    binding_modes::CASES,
    bindings::CASES,
    borrows::CASES,
    arrays::CASES,
    sequences::CASES,
    slice_methods::CASES,
    slices::CASES,
    methods::CASES,
    widths::CASES,
];

/// Returns all cases; with `CUMBIA_CASES` in the environment, those with one of its words, separated by commas, in
/// their names.
pub fn cases() -> Vec<&'static Case> {
    let wanted = std::env::var("CUMBIA_CASES").unwrap_or_default();
    let groups = GROUPS.iter().copied().flatten();
    let modules = MODULES.iter().chain(slots::CASES).chain(groups);
    let is_wanted = |case: &&Case| wanted.split(',').any(|word| case.name.contains(word));
    modules.copied().flatten().filter(is_wanted).collect()
}

/// Returns every kernel instance that a case launches.
pub fn kernels() -> Kernels {
    kernels_of(&cases())
}
