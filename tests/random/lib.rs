//! Random kernels, which `build.rs` generates, and how they are launched.
//!
//! See `tests/random-kernels` for what they are like.

#![allow(
    missing_docs,
    warnings,
    arithmetic_overflow,
    unconditional_panic,
    clippy::all,
    clippy::pedantic,
    reason = "nobody wrote these kernels"
)]

use cumbia_cases::{Agreement, Run};

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The kernels as text, to show those that fail.
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub blocks: usize,
    pub threads: usize,
    /// There is one thread, so that it is known what comes before a fault.
    pub alone: bool,
    pub agreement: Agreement,
}

/// Launches all threads of a kernel. If one faults, then each alone, to compare what it did until then: `launch` is told
/// the position of the first thread, and says whether there was a fault.
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

/// The module of a kernel as text, from its comment to its brace.
pub fn text_of(name: &str) -> &'static str {
    let Some(start) = TEXT.find(&format!("pub mod {name} {{\n")) else {
        return "";
    };
    let start = TEXT[..start].rfind("/// ").unwrap_or(start);
    let end = TEXT[start..].find("\n}\n").map_or(TEXT.len(), |end| start + end + 3);
    &TEXT[start..end]
}
