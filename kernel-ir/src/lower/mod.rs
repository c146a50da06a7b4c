//! Spells out what Rust means and C does not: from typed IR to a tree of C.
//!
//! - A slice is a pointer and a length, a variable that is a tuple or a `Dim3` is a variable for each part. Structs,
//!   arrays, and tuples where they have to be in one piece, are C values; a reference is one of C++'s.
//! - Values without effects become C expressions; whatever has an effect becomes a statement, in Rust's order. Where a
//!   later operand has an effect, what came before it is kept in a temporary, unless nothing can change it.
//! - What can fail gets a [`Site`]. Which of two faults of one C expression is reported is not specified;
//!   no effect that Rust orders after a fault happens before it.
//!
//! Nothing here knows how C is punctuated or what a variable is called in the end.

mod aggregate;
mod arithmetic;
mod assign;
mod bind;
mod call;
mod cast;
mod choice;
mod compare;
mod constant;
mod control;
mod endless;
mod expr;
mod float;
mod function;
mod geometry;
mod helper;
mod hoist;
mod integer;
mod intrinsic;
mod lvalue;
mod matching;
mod message;
mod method;
mod place;
mod range;
mod saved;
#[cfg(test)]
mod tests;
mod tree;
mod types;
mod value;
mod variable;
mod verify;

use std::collections::{BTreeMap, BTreeSet};

use crate::Validated;
use crate::ir::FunctionId;
use crate::source::{Options, Site};
use crate::typify::TypedFunction;

pub(crate) use helper::{Atomic, Helper, Op};
pub(crate) use tree::{
    Body, CType, Callee, Case, Constant, ConstantId, Expr, Function, Header, Label, Layout, Member, Module, Named,
    Next, Operator, Prefix, Stmt, StmtKind, Template, TypeDef, TypeId, TypeKind, VarId, Variable,
};

/// Lowers a program.
pub(crate) fn program(validated: &Validated<'_>, options: Options) -> Module {
    let (program, flows) = (validated.functions(), validated.flows());
    let mut output = Output {
        options,
        program,
        sites: Vec::new(),
        summaries: vec![Summary::default(); program.len()],
        types: types::Types::default(),
        constants: constant::Constants::default(),
        templates: BTreeSet::new(),
    };
    let last = program.len() - 1;
    let mut functions = BTreeMap::new();
    for (id, (typed, flow)) in (0u32..).map(FunctionId).zip(program[..last].iter().zip(flows)) {
        if typed.reached {
            let (function, summary) = function::lower(typed, flow, false, &mut output);
            output.summaries[id.index()] = summary;
            functions.insert(id, function);
        }
    }
    let (kernel, _) = function::lower(&program[last], &flows[last], true, &mut output);
    let Output { options: _, program, sites, summaries: _, types, constants, mut templates } = output;
    templates.extend(types.arrays.then_some(Template::Array));
    let helpers = helpers(functions.values().chain([&kernel]));
    Module {
        types: types.defs,
        constants: constants.defs,
        functions,
        kernel,
        index: program[last].index,
        sites,
        helpers,
        templates,
    }
}

/// What the functions of a program share while they are lowered.
struct Output<'a> {
    options: Options,
    program: &'a [TypedFunction<'a>],
    sites: Vec<Site>,
    /// Of the functions that are done.
    summaries: Vec<Summary>,
    types: types::Types,
    constants: constant::Constants,
    templates: BTreeSet<Template>,
}

/// What a call of a function can do.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent answers")]
struct Summary {
    /// It writes to memory or waits for other threads: its place among other effects matters.
    writes: bool,
    /// It reads memory: its value may change when others write.
    reads: bool,
    /// It can fault.
    faults: bool,
    /// It takes the launch: it can fault or print.
    takes_launch: bool,
}

/// The helpers that are called somewhere.
fn helpers<'f>(functions: impl Iterator<Item = &'f Function>) -> BTreeSet<Helper> {
    fn collect(expr: &Expr, found: &mut BTreeSet<Helper>) {
        if let Expr::Call(Callee::Helper(helper, _), _) = expr {
            found.insert(*helper);
        }
        expr.for_each_child(&mut |child| collect(child, found));
    }
    let mut found = BTreeSet::new();
    for function in functions {
        let Body::Stmts(stmts) = &function.body else { continue };
        for stmt in stmts {
            stmt.for_each_expr(&mut |expr| collect(expr, &mut found));
        }
    }
    found
}
