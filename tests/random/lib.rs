//! The random kernels that `build.rs` generates, and their launches.
//!
//! `tests/random-kernels` describes the kernels.

#![allow(
    missing_docs,
    warnings,
    arithmetic_overflow,
    unconditional_panic,
    clippy::all,
    clippy::pedantic,
    reason = "the kernels are generated"
)]

use cumbia_cases::{Agreement, Run};

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The source of the kernels, for the reports of failures.
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The configuration of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub blocks: usize,
    pub threads: usize,
    /// Whether there is a single thread, so that the effects before a fault are deterministic.
    pub alone: bool,
    pub agreement: Agreement,
}

/// Launches all threads of a kernel. If one faults, launches each thread alone as well, to compare its effects before
/// the fault. `launch` takes the index of the first thread, and returns whether there was a fault.
fn launch_and_compare(
    run: &mut Run<'_>,
    blocks: usize,
    threads: usize,
    mut launch: impl FnMut(&mut Run<'_>, usize, Shape) -> bool,
) {
    let all = Shape { blocks, threads, alone: false, agreement: Agreement::Any };
    if launch(run, 0, all) {
        let agreement = Agreement::Statement(LONG_STATEMENTS);
        let alone = Shape { blocks: 1, threads: 1, alone: true, agreement };
        for first in 0..blocks * threads {
            launch(run, first, alone);
        }
    }
}

/// Returns the source of the module of a kernel, from its doc comment to its closing brace.
pub fn text_of(name: &str) -> &'static str {
    let Some(start) = TEXT.find(&format!("pub mod {name} {{\n")) else {
        return "";
    };
    let start = TEXT[..start].rfind("/// ").unwrap_or(start);
    let end = TEXT[start..].find("\n}\n").map_or(TEXT.len(), |end| start + end + 3);
    &TEXT[start..end]
}
