//! Spells out what Rust means and C does not: from typed IR to a tree of C.
//!
//! - Aggregates are split: a tuple or a `Dim3` is a C variable for each part, a slice is a pointer and a length.
//! - Values without effects become C expressions; whatever has an effect becomes a statement, in Rust's order. Where a
//!   later operand has an effect, what came before it is kept in a temporary, unless nothing can change it.
//! - What can fail gets a [`Site`]. Which of two faults of one C expression is reported is not specified;
//!   no effect that Rust orders after a fault happens before it.
//!
//! Nothing here knows how C is punctuated or what a variable is called in the end.

mod arithmetic;
mod assign;
mod call;
mod cast;
mod control;
mod expr;
mod function;
mod helper;
mod hoist;
mod method;
mod range;
mod tree;
mod value;

use std::collections::BTreeSet;

use crate::Validated;
use crate::source::{Options, Site};

pub(crate) use helper::{Helper, Op};
pub(crate) use tree::{
    CType, Callee, Expr, Function, Header, Label, Module, Named, Next, Operator, Prefix, Stmt, StmtKind, VarId,
    Variable,
};

/// Lowers a program.
pub(crate) fn program(validated: &Validated<'_>, options: Options) -> Module {
    let mut output = Output { options, sites: Vec::new(), summaries: Vec::new() };
    let kernel = validated.functions().len() - 1;
    let mut functions = Vec::with_capacity(kernel + 1);
    for (i, typed) in validated.functions().iter().enumerate() {
        functions.push(function::lower(typed, i == kernel, &mut output));
    }
    let Output { options: _, sites, summaries: _ } = output;
    let helpers = helpers(&functions);
    Module { functions, sites, helpers }
}

/// What the functions of a program share while they are lowered.
struct Output {
    options: Options,
    sites: Vec<Site>,
    /// Of the functions that are done.
    summaries: Vec<Summary>,
}

/// What a call of a function can do.
#[derive(Clone, Copy, Default)]
struct Summary {
    /// It writes to memory or waits for other threads: its place among other effects matters.
    writes: bool,
    /// It reads memory: its value may change when others write.
    reads: bool,
    /// It can fault.
    faults: bool,
}

/// The helpers that are called somewhere.
fn helpers(functions: &[Function]) -> BTreeSet<Helper> {
    fn collect(expr: &Expr, found: &mut BTreeSet<Helper>) {
        if let Expr::Call(Callee::Helper(helper, _), _) = expr {
            found.insert(*helper);
        }
        expr.for_each_child(&mut |child| collect(child, found));
    }
    let mut found = BTreeSet::new();
    for stmt in functions.iter().flat_map(|function| &function.body) {
        stmt.for_each_expr(&mut |expr| collect(expr, &mut found));
    }
    found
}
