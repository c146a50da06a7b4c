//! Proof of bounds checks on the lowered program: which of them can be left out, and under which condition on a launch.
//!
//! A check is left out in the proven variant if the [`Predicate`] implies that it cannot fail, for any thread. Sites
//! are numbered before, by the lowering, so that a fault resolves equally in all variants.
//!
//! Only one form is recognised: an element `x[i]` of a parameter in a statement of the kernel's outermost block, where
//! `i` is a constant with the value `grid(1)`.

mod predicate;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ir::Scalar;
use crate::lower::{self, Body, CType, Callee, Expr, Function, Module, Op, Operator, StmtKind, VarId};
use crate::source::{Options, Variant};

pub use predicate::{Axis, LaunchSymbol, Predicate};

/// Removes the checks of a program that the variant of the options omits. Returns the condition of the proven variant;
/// `None` if the variants do not differ.
pub(crate) fn program(module: &mut Module, options: Options) -> Option<Arc<Predicate>> {
    // In 32 bits, `grid(1)` can wrap.
    if !options.bounds_checks || module.index != Scalar::Usize {
        return None;
    }
    let indices = global_indices(&module.kernel);
    let mut proof = Proof { function: &module.kernel, indices, lengths: BTreeSet::new() };
    let Body::Stmts(stmts) = &module.kernel.body else { return None };
    for expr in stmts.iter().flat_map(|stmt| outermost(&stmt.kind)) {
        proof.collect(expr);
    }
    let Proof { function: _, indices, lengths } = proof;
    if lengths.is_empty() {
        return None;
    }
    let params = &module.kernel.params;
    let positions = lengths.iter().filter_map(|len| params.iter().position(|param| param.0 == *len));
    let predicate = Predicate::grid_within(positions);
    if options.variant == Variant::Proven {
        remove(&mut module.kernel, &indices, &lengths);
        module.helpers = lower::helpers(module.functions.values().chain([&module.kernel]));
    }
    Some(Arc::new(predicate))
}

/// The collection of the checks to prove.
struct Proof<'f> {
    function: &'f Function,
    /// The constants with the value `grid(1)`.
    indices: BTreeSet<u32>,
    /// The lengths that they are compared with.
    lengths: BTreeSet<u32>,
}

impl Proof<'_> {
    fn collect(&mut self, expr: &Expr) {
        if let Some((index, len)) = check(expr)
            && self.indices.contains(&index.0)
            && self.is_length(len)
        {
            self.lengths.insert(len.0);
        }
        expr.for_each_child(&mut |child| self.collect(child));
    }

    /// Returns whether a variable is a parameter of type `usize` that is never assigned.
    fn is_length(&self, id: VarId) -> bool {
        let var = &self.function.vars[id.index()];
        self.function.params.contains(&id) && var.constant && var.ty == CType::USIZE
    }
}

/// Returns the constants of the outermost block with the value `grid(1)`.
fn global_indices(kernel: &Function) -> BTreeSet<u32> {
    let Body::Stmts(stmts) = &kernel.body else { return BTreeSet::new() };
    let declared = stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Declare { var, init: Some(init) } if is_global_index(init) => Some(*var),
        _ => None,
    });
    let constants =
        declared.filter(|var| kernel.vars[var.index()].constant && kernel.vars[var.index()].ty == CType::USIZE);
    constants.map(|var| var.0).collect()
}

/// Returns whether an expression is `blockIdx.x * (usize)blockDim.x + threadIdx.x`.
fn is_global_index(expr: &Expr) -> bool {
    let Expr::Binary(Operator::Add, product, thread) = expr else { return false };
    let Expr::Binary(Operator::Mul, block, threads) = &**product else { return false };
    let Expr::Cast(ty, threads) = &**threads else { return false };
    let is = |expr: &Expr, name| matches!(expr, Expr::Special(special) if *special == name);
    *ty == CType::USIZE && is(block, "blockIdx.x") && is(threads, "blockDim.x") && is(thread, "threadIdx.x")
}

/// Returns the operands of a bounds check of variables.
fn check(expr: &Expr) -> Option<(VarId, VarId)> {
    let Expr::Call(Callee::Helper(helper, Some(_)), args) = expr else { return None };
    match args.as_slice() {
        &[Expr::Var(index), Expr::Var(len)] if helper.op == Op::At => Some((index, len)),
        _ => None,
    }
}

/// Returns the expressions of a statement without inner statements.
fn outermost(kind: &StmtKind) -> Vec<&Expr> {
    match kind {
        StmtKind::Declare { var: _, init } => init.iter().collect(),
        StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => vec![place, value],
        StmtKind::Expr(expr) => vec![expr],
        _ => Vec::new(),
    }
}

/// Replaces the proved checks by their indices.
fn remove(kernel: &mut Function, indices: &BTreeSet<u32>, lengths: &BTreeSet<u32>) {
    let Body::Stmts(stmts) = &mut kernel.body else { return };
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Declare { var: _, init } => init.iter_mut().for_each(|expr| rewrite(expr, indices, lengths)),
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                rewrite(place, indices, lengths);
                rewrite(value, indices, lengths);
            }
            StmtKind::Expr(expr) => rewrite(expr, indices, lengths),
            _ => {}
        }
    }
}

fn rewrite(expr: &mut Expr, indices: &BTreeSet<u32>, lengths: &BTreeSet<u32>) {
    if let Some((index, len)) = check(expr)
        && indices.contains(&index.0)
        && lengths.contains(&len.0)
    {
        *expr = Expr::Var(index);
        return;
    }
    match expr {
        Expr::Var(_) | Expr::Literal(..) | Expr::Special(_) | Expr::Variant(..) | Expr::Constant(_) => {}
        Expr::Unary(_, operand)
        | Expr::Cast(_, operand)
        | Expr::Field(operand, _, _)
        | Expr::Deref(operand)
        | Expr::AddressOf(operand)
        | Expr::Filled(_, _, operand) => rewrite(operand, indices, lengths),
        Expr::Binary(_, left, right) | Expr::Index(left, right) => {
            rewrite(left, indices, lengths);
            rewrite(right, indices, lengths);
        }
        Expr::Conditional(condition, then, otherwise) => {
            rewrite(condition, indices, lengths);
            rewrite(then, indices, lengths);
            rewrite(otherwise, indices, lengths);
        }
        Expr::Call(_, parts) | Expr::Struct(_, parts) | Expr::Array(_, parts) => {
            for part in parts {
                rewrite(part, indices, lengths);
            }
        }
    }
}
