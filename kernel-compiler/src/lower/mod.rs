//! Lowering: translation of the typed IR into a C syntax tree that makes Rust's semantics explicit.
//!
//! - A slice becomes a pointer and a length; a variable of a tuple type or of type `Dim3` becomes one variable per
//!   field. Structs, arrays, and tuples that have to be contiguous are C values. A reference becomes a C++ reference.
//! - Expressions without side effects become C expressions; side effects become statements in Rust's evaluation order.
//!   If a later operand has a side effect, earlier operands are stored in temporaries, unless nothing can change them.
//! - Every operation that can fault gets a [`Site`]. If two operations of one C expression fault, it is unspecified
//!   which fault is reported. No side effect that Rust orders after a fault is performed before it.
//!
//! This phase determines neither the syntax of the C text nor the final names of variables.

mod aggregate;
mod assign;
mod bind;
mod call;
mod constant;
mod control;
mod expr;
mod function;
mod helper;
mod loops;
mod matching;
mod number;
pub(crate) mod passes;
mod place;
mod target;
#[cfg(test)]
mod tests;
mod tree;
mod types;
mod value;
mod variable;

use crate::Validated;
use crate::ir::FunctionId;
use crate::set::Set;
use crate::source::{Options, Site, SiteKind};
use crate::typify::TypedFunction;
use litemap::LiteMap;

pub(crate) use helper::{
    Atomic, CastOp, ClassOp, ExactOp, FastOp, HalfOp, Helper, IndexOp, IntegerOp, NumberOp, Op, OpGroup, ThreadOp,
};
pub(crate) use number::arithmetic::narrowed;
pub(crate) use passes::defer::{self, renumber};
pub(crate) use passes::{end, opaque};
pub use tree::{Axis, Quantity};
pub(crate) use tree::{
    Body, CHUNK, CType, CallTarget, Case, Chunk, Constant, ConstantId, Deferred, Expr, Function, Header, Label, Layout,
    Member, Module, NameOrigin, Next, Operator, Prefix, SiteRef, Stmt, StmtKind, Template, TypeDef, TypeId, TypeKind,
    VarId, Variable, label_count,
};

/// Lowers a program.
pub(crate) fn program(validated: &Validated, options: Options) -> Module {
    let (program, flows) = (validated.functions(), validated.flows());
    let mut output = Output {
        options,
        program,
        sites: Vec::new(),
        summaries: vec![Summary::default(); program.len()],
        caller_sites: vec![Vec::new(); program.len()],
        types: types::Types::default(),
        constants: constant::Constants::default(),
        templates: Set::new(),
    };
    let last = program.len() - 1;
    let mut functions = LiteMap::new();
    for (id, (typed, flow)) in (0u32..).map(FunctionId).zip(program[..last].iter().zip(flows)) {
        if typed.reached {
            let (function, summary, caller_sites) = function::lower(typed, flow, false, &mut output);
            output.summaries[id.index()] = summary;
            output.caller_sites[id.index()] = caller_sites;
            functions.insert(id, function);
        }
    }
    let (kernel, ..) = function::lower(&program[last], &flows[last], true, &mut output);
    let Output { options: _, program, sites, summaries: _, caller_sites: _, types, constants, mut templates } = output;
    templates.extend(types.arrays.then_some(Template::Array));
    let helpers = helpers(functions.values().chain([&kernel]));
    Module {
        types: types.defs,
        constants: constants.defs,
        functions,
        kernel,
        index: program[last].index,
        takes_launch: !sites.is_empty(),
        reads_blocks: false,
        sites,
        helpers,
        templates,
    }
}

/// State shared by all functions of a program during lowering.
struct Output<'a> {
    options: Options,
    program: &'a [TypedFunction],
    sites: Vec<Site>,
    /// The summaries of the functions lowered so far.
    summaries: Vec<Summary>,
    /// For each definition of a built-in method that has been lowered, the kinds of its sites.
    caller_sites: Vec<Vec<SiteKind>>,
    types: types::Types,
    constants: constant::Constants,
    templates: Set<Template>,
}

/// The possible effects of calling a function.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property")]
struct Summary {
    /// It writes to memory or synchronises with other threads, so its order relative to other side effects matters.
    writes: bool,
    /// It reads memory, so its result may change if others write.
    reads: bool,
    /// It can fault.
    faults: bool,
    /// It takes the launch parameter, because it can fault or print.
    takes_launch: bool,
}

/// Returns the helpers that are called directly.
pub(crate) fn helpers<'f>(functions: impl Iterator<Item = &'f Function>) -> Set<Helper> {
    let mut found = Set::new();
    for function in functions {
        function.for_each_expr(&mut |expr| {
            if let Expr::Call(CallTarget::Helper(helper, _), _) = expr {
                found.insert(*helper);
            }
        });
    }
    found
}
