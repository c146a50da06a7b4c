//! The heart of Cumbia's compiler: from the IR that `#[kernel]` wrote down to CUDA C.
//!
//! ```text
//! ir ─→ typify ─→ validate ─→ lower ─→ cuda
//!       └──── check ────┘     └── write ──┘
//! ```
//!
//! [`ir`] is a function without types. `typify` takes the types that rustc inferred from the slots and gives every
//! expression its own; `validate` refuses what cannot be compiled. The result, a [`Validated`] program, is the proof
//! that [`write()`] asks for, and so [`write()`] never fails. `lower` spells out what Rust means and C does not (wrapping,
//! faults, the order of evaluation) in a small tree of C; `cuda` prints that tree.
//!
//! ```
//! use cumbia_kernel_ir::ir::{Block, Function, Instance, Program, Scalar, Span};
//! use cumbia_kernel_ir::{Options, check, write};
//!
//! // What `#[kernel] fn nothing() {}` writes down, without slots to fill.
//! let function = Function {
//!     name: "nothing".to_owned(),
//!     span: Span { line: 1, column: 4 },
//!     params: vec![],
//!     result: None,
//!     cuda: None,
//!     locals: vec![],
//!     exprs: vec![],
//!     body: Block::default(),
//!     slots: 0,
//! };
//! let kernel = Instance { function, slots: vec![], file: "src/lib.rs".to_owned(), overflow_checks: true };
//! let program = Program { kernel, functions: vec![], index: Scalar::Usize };
//!
//! let validated = check(&program)?;
//! let source = write(&validated, &Options::default());
//! assert!(source.text.contains("extern \"C\" __global__ void nothing() {"));
//! assert!(!source.takes_launch);
//! # Ok::<(), cumbia_kernel_ir::Errors>(())
//! ```
//!
//! Nothing here knows syn, files or devices, and nothing here depends on anything but its arguments: the same program
//! gives the same text, byte for byte.

// The parser of the tests names the crate as its users do.
#[cfg(test)]
extern crate self as cumbia_kernel_ir;

pub mod ir;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

mod analyse;
mod cuda;
mod error;
mod facts;
mod frames;
mod lower;
mod source;
mod typify;
mod validate;

pub use cuda::UsersText;
pub use error::{Error, Errors, What};
pub use facts::Facts;
pub use ir::dim3;
pub use source::{
    FAULT_RECORD_BYTES, LAUNCH_BYTES, Options, PANIC_ARGS, PRINT_HEADER_BYTES, PRINT_WORDS, Site, SiteKind, Source,
    Text,
};
pub use validate::Validated;

/// Types and checks a program. On a mistake, gives all errors of all functions at once.
///
/// # Errors
///
/// Where a slot holds what does not fit (a mistake of the macro or of damaged bytes), and where the program uses what
/// cannot be compiled (see [`What`]).
pub fn check(program: &ir::Program) -> Result<Validated<'_>, Errors> {
    let mut errors = Errors::default();
    let typed = typify::program(program, &mut errors);
    let flows = validate::program(&typed, &mut errors);
    errors.propagate()?;
    Ok(Validated::new(typed, flows))
}

/// Writes a program as CUDA C. Never fails, and is a pure function of its arguments.
pub fn write(validated: &Validated<'_>, options: &Options) -> Source {
    let module = lower::program(validated, *options);
    cuda::source(module, *options)
}

/// What of a [`Source::text`] the user wrote in CUDA C.
pub fn users_texts(text: &str) -> Vec<UsersText> {
    cuda::users_texts(text)
}
