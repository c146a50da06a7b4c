//! Checks in loops whose operands the optimiser does not follow.
//!
//! NVRTC 13.0 and 13.5 derive from a comparison of a counter in the exit of a loop that the loop ends after one iteration
//! (see `opaque` in `cuda::prelude::integer`), and a check is such an exit. NVRTC 13.0 removed the last check of
//!
//! ```text
//! for (; w > 0;) { w = w - 1; rt::part_len(i, w, len, ..); }
//! ```
//!
//! with all iterations but the first. So the operands of the checks of indices that remain in a loop are opaque if they change in it:
//! `rt::at(rt::opaque(i), len, ..)`. It costs no instruction.

use crate::ir::Scalar;
use crate::lower::{Body, CallTarget, Case, Expr, Header, Helper, Module, Next, Op, Stmt, StmtKind};
use crate::set::Set;

/// Makes the operands of checks in loops opaque.
pub(crate) fn program(module: &mut Module) {
    let (mut found, index) = (false, module.index);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain([&mut module.kernel]) {
        if let Body::Stmts(stmts) = &mut function.body {
            found |= in_stmts(stmts, &Set::new(), index);
        }
    }
    if found {
        module.helpers = crate::lower::helpers(module.functions.values().chain([&module.kernel]));
    }
}

/// Visits statements in a loop that changes these variables. Returns whether something has changed.
fn in_stmts(stmts: &mut [Stmt], changed: &Set<u32>, index: Scalar) -> bool {
    let mut found = false;
    for stmt in stmts {
        let mut inner = None;
        if let StmtKind::Loop { header, body, .. } = &stmt.kind {
            let mut changed = changed.clone();
            if let Header::For { var, .. } = header {
                changed.insert(var.0);
            }
            collect(body, &mut changed);
            inner = Some(changed);
        }
        let changed = inner.as_ref().unwrap_or(changed);
        if !changed.is_empty() {
            for_each_expr(&mut stmt.kind, &mut |expr| found |= in_expr(expr, changed, index));
        }
        stmt.kind.for_each_block_mut(&mut |block| found |= in_stmts(block, changed, index));
    }
    found
}

/// Collects the variables that statements declare or assign.
fn collect(stmts: &[Stmt], found: &mut Set<u32>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, .. }
            | StmtKind::Assign { place: Expr::Var(var), .. }
            | StmtKind::Update { place: Expr::Var(var), .. }
            | StmtKind::Loop { header: Header::For { var, .. }, .. } => {
                found.insert(var.0);
            }
            _ => {}
        }
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| {
                if let Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) = expr
                    && let Some(Expr::Var(var)) = op.output().and_then(|position| args.get(position))
                {
                    found.insert(var.0);
                }
            });
        });
        stmt.kind.for_each_block(&mut |block| collect(block, found));
    }
}

/// Calls `visit` with the outermost expressions of a statement, without those of nested statements.
fn for_each_expr(kind: &mut StmtKind, visit: &mut impl FnMut(&mut Expr)) {
    match kind {
        StmtKind::Declare { var: _, init } => init.iter_mut().for_each(visit),
        StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
            visit(place);
            visit(value);
        }
        StmtKind::Expr(expr) | StmtKind::If { condition: expr, .. } => visit(expr),
        StmtKind::Switch { on, cases, otherwise: _ } => {
            visit(on);
            for Case { values, body: _ } in cases {
                values.iter_mut().for_each(&mut *visit);
            }
        }
        StmtKind::Loop { header, .. } => in_header(header, visit),
        StmtKind::Return(value) => value.iter_mut().for_each(visit),
        StmtKind::Fault { site: _, args } | StmtKind::Print { site: _, args } => args.iter_mut().for_each(visit),
        StmtKind::Shared { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::InternalError(_) => {}
    }
}

fn in_header(header: &mut Header, visit: &mut impl FnMut(&mut Expr)) {
    match header {
        Header::Open { test, progress } => test.iter_mut().chain(progress).for_each(visit),
        Header::For { var: _, init, test, next } => {
            visit(init);
            visit(test);
            if let Next::Assign(value) = next {
                visit(value);
            }
        }
        Header::Deferred(deferred) => in_header(&mut deferred.header, visit),
    }
}

fn in_expr(expr: &mut Expr, changed: &Set<u32>, index: Scalar) -> bool {
    let mut found = false;
    expr.for_each_child_mut(&mut |child| found |= in_expr(child, changed, index));
    if let Expr::Call(CallTarget::Helper(Helper { op, .. }, Some(_)), args) = expr
        && matches!(op, Op::At | Op::SplitAt | Op::PartLen | Op::RestLen | Op::PartToLen)
    {
        for arg in args {
            if is_counter(arg, changed) {
                let operand = std::mem::replace(arg, Expr::int(Scalar::Usize, 0));
                *arg = Expr::helper(Helper::new(Op::Opaque, index), vec![operand]);
                found = true;
            }
        }
    }
    found
}

/// Returns whether an operand consists of variables, of which the loop changes some, and of numbers. Other operands are no
/// counters: they are loaded, or the results of checks.
fn is_counter(operand: &Expr, changed: &Set<u32>) -> bool {
    let (mut is_arithmetic, mut is_changed) = (true, false);
    operand.for_each(&mut |expr| match expr {
        Expr::Var(var) => is_changed |= changed.contains(&var.0),
        Expr::Literal(..) | Expr::Special(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(..) => {}
        Expr::Call(CallTarget::Helper(Helper { op, .. }, _), _) => is_arithmetic &= !op.has_effect(),
        _ => is_arithmetic = false,
    });
    is_arithmetic && is_changed
}
