//! The compiler of Cumbia's kernels: type resolution and validation of the IR, its lowering to CUDA C, and the analyses that
//! remove checks from it.
//!
//! ```text
//! ir ─→ typify ─→ validate ─→ lower ─→ prove ─→ coarsen ─→ cuda
//!       └──── check ────┘     └──────────── write ────────────┘
//! ```
//!
//! The [IR](cumbia_kernel_ir) is an untyped representation of a function. `typify` takes the types that rustc inferred,
//! which are stored in slots, and assigns a type to every expression; `validate` rejects programs that cannot be
//! compiled. The result, a [`Validated`] program, is the proof that [`write()`] requires, so that [`write()`] is
//! infallible. `lower` makes explicit the semantics in which Rust differs from C (wrapping arithmetic, faults,
//! evaluation order) in a small C syntax tree; `prove` removes the checks that cannot fail from it, and `lower::defer`
//! defers the faults of some that remain; `coarsen` lets a CUDA thread execute several threads of the launch; `cuda`
//! prints it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use cumbia_kernel_ir::{Block, Function, Instance, Program, Scalar, Span};
//! use cumbia_kernel_compiler::{Options, check, write};
//!
//! // The IR that `#[kernel] fn nothing() {}` emits. It has no slots to fill.
//! let function = Function {
//!     name: "nothing".to_owned(),
//!     span: Span { line: 1, column: 4 },
//!     params: vec![],
//!     result: None,
//!     foreign: None,
//!     locals: vec![],
//!     exprs: vec![],
//!     body: Block::default(),
//!     slots: 0,
//! };
//! let kernel = Instance { function, slots: vec![], file: "src/lib.rs".to_owned(), overflow_checks: true, built_in: false };
//! let program = Program { kernel: Arc::new(kernel), functions: vec![], index: Scalar::Usize };
//!
//! let validated = check(program)?;
//! let source = write(&validated, &Options::default());
//! assert!(source.text.contains("extern \"C\" __global__ void nothing() {"));
//! assert!(!source.takes_launch);
//! # Ok::<(), cumbia_kernel_compiler::Errors>(())
//! ```
//!
//! This crate does not depend on syn, on files or on devices. Its output is a pure function of its arguments: the same
//! program yields the same source, byte for byte.

use cumbia_kernel_ir as ir;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

mod analyse;
mod coarsen;
mod cuda;
mod error;
mod facts;
mod frames;
mod lower;
mod narrow;
mod prove;
mod reserved;
mod set;
mod source;
mod typify;
mod validate;
mod verdict;

pub use coarsen::{Coarsening, Gain, Obstacle, ObstacleKind};
pub use cuda::{LinkedSymbol, Source, UserText};
pub use error::{Diagnostic, Error, Errors};
pub use facts::Facts;
pub use lower::{Axis, Quantity};
pub use narrow::with_narrow_indices;
pub use prove::{
    CheckKind, Factor, GUARD_VALUES, Guard, LaunchCondition, LaunchSymbol, Predicate, Proof, Relation, Sum, Term,
};
pub use source::{
    FAULT_RECORD_BYTES, LAUNCH_BYTES, Options, PANIC_ARGS, PRINT_HEADER_BYTES, PRINT_WORDS, Site, SiteKind, Variant,
};
pub use validate::Validated;
pub use verdict::Verdict;

/// Resolves the types of a program and validates it. The result owns the program.
///
/// # Errors
///
/// Returns the errors of all functions at once: slots whose content does not match the IR (a bug in the macro, or
/// corrupt bytes), and constructs that cannot be compiled (see [`Diagnostic`]).
pub fn check(program: ir::Program) -> Result<Validated, Errors> {
    let mut errors = Errors::default();
    let typed = typify::program(&program, &mut errors);
    let flows = validate::program(&typed, &mut errors);
    errors.propagate()?;
    Ok(Validated::new(program, typed, flows))
}

/// Writes a program as CUDA C. Infallible, and a pure function of its arguments.
pub fn write(validated: &Validated, options: &Options) -> Source {
    let mut module = prove::lowered(validated, *options);
    // All variants have the same parameters, so that this depends on the program alone.
    let rejected = if module.takes_launch { None } else { coarsen::obstacle(&module) };
    module.takes_launch |= rejected.is_none();
    let predicate = prove::program(&mut module, *options);
    lower::defer::program(&mut module);
    let coarsening = match rejected {
        None => coarsen::program(&mut module, *options),
        Some(obstacle) => Err(obstacle),
    };
    coarsen::grid_stride(&mut module);
    lower::opaque::program(&mut module);
    lower::end::program(&mut module);
    cuda::source(module, *options, predicate, coarsening)
}

/// A run-time check of a program, and the result of its proof. That of the runtime is the union of those at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The position and the kind of fault.
    pub site: Site,
    /// The property that it tests.
    pub kind: CheckKind,
    /// Whether the check can be removed.
    pub proof: Proof,
    /// The group of checks in the [`Verdict`] of the [`Source::predicate`]; `None` if no variant omits the check, or if all do.
    pub group: Option<u32>,
    /// The symbols that the condition reads, without duplicates.
    pub symbols: Vec<LaunchSymbol>,
    /// Whether a test before a loop precedes the check: threads that pass the test run a version of the loop without it.
    pub tested: bool,
}

/// Returns the checks of a program, in the order of their sites.
pub fn checks(validated: &Validated, options: &Options) -> Vec<Check> {
    let (module, mut reported) = prove::report(validated, *options);
    reported.sort_by_key(|reported| reported.site);
    let checks = reported.into_iter().map(|prove::Reported { site, kind, proof, group, symbols, tested }| {
        let site = module.sites[site as usize].clone();
        Check { site, kind, proof, group, symbols, tested }
    });
    checks.collect()
}

/// Returns what launch symbols are in the user's terms: `x.len()` for the length of the parameter `x`.
pub fn quantities(validated: &Validated, options: &Options, symbols: &[LaunchSymbol]) -> Vec<Quantity> {
    let module = lower::program(validated, *options);
    symbols.iter().map(|symbol| prove::quantity(&module, *symbol)).collect()
}

/// Returns the parts of a [`Source::text`] that the user wrote in CUDA C.
pub fn user_texts(text: &str) -> Vec<UserText> {
    cuda::user_texts(text)
}

/// Returns the symbols of linked functions that a [`Source::text`] declares.
pub fn linked_symbols(text: &str) -> Vec<LinkedSymbol> {
    cuda::linked_symbols(text)
}
