//! An instruction at the end of kernels that end with a check.
//!
//! The assembler of NVRTC 13.0 (13.0.88) merges adjacent conditional exits that precede a call of a function that does not
//! return. For
//!
//! ```text
//! if (a) return;
//! if (b) return;
//! fault(..);
//! ```
//!
//! it emits `@a EXIT b`, which ends the thread if both hold instead of one: the thread reports a fault that has not occurred.
//! The PTX is correct, and NVRTC 13.5 assembles it correctly. The end of a kernel is such an exit if a check precedes it and no
//! other effect, as in a kernel of assertions. With an instruction of its own there, it is not merged with others.

use crate::ir::Scalar;
use crate::lower::{Body, CType, CallTarget, Expr, Helper, Module, Op, Stmt, StmtKind, VarId, Variable};

/// Adds an instruction to the end of the kernel if it ends with a check.
pub(crate) fn program(module: &mut Module) {
    let vars = &module.kernel.vars;
    let Body::Stmts(stmts) = &mut module.kernel.body else { return };
    if !ends_with_check(vars, stmts) {
        return;
    }
    let line = stmts.last().map_or(0, |last| last.line);
    let helper = Helper::new(Op::KeepLoop, Scalar::Usize);
    stmts.push(Stmt { line, kind: StmtKind::Expr(Expr::helper(helper, Vec::new())) });
    module.helpers.insert(helper);
}

/// Returns whether a check precedes the end of statements, and no other effect.
fn ends_with_check(vars: &[Variable], stmts: &[Stmt]) -> bool {
    for stmt in stmts.iter().rev() {
        if has_effect(vars, stmt) {
            // The end of a branch is that of the statement.
            let mut found = false;
            if !matches!(stmt.kind, StmtKind::Loop { .. }) {
                stmt.kind.for_each_block(&mut |block| found |= ends_with_check(vars, block));
            }
            return found;
        }
        if has_check(stmt) {
            return true;
        }
    }
    false
}

/// Returns whether a statement, or one in it, writes memory, prints or communicates.
fn has_effect(vars: &[Variable], stmt: &Stmt) -> bool {
    let mut found = match &stmt.kind {
        StmtKind::Assign { place, value: _ } | StmtKind::Update { op: _, place, value: _ } => !is_local(vars, place),
        StmtKind::Print { .. } => true,
        _ => false,
    };
    stmt.for_each_expr(&mut |expr| {
        expr.for_each(&mut |expr| {
            found |= match expr {
                Expr::Call(CallTarget::Helper(Helper { op, .. }, _), _) => {
                    op.has_effect() && op.output().is_none() && !matches!(op, Op::Progress)
                }
                // It may have one.
                Expr::Call(CallTarget::Function(..) | CallTarget::Effect(_), _) => true,
                _ => false,
            };
        });
    });
    stmt.kind.for_each_block(&mut |block| found = found || block.iter().any(|stmt| has_effect(vars, stmt)));
    found
}

/// Returns whether a place is a part of a variable of the thread.
fn is_local(vars: &[Variable], place: &Expr) -> bool {
    let is_value = |var: &VarId| !matches!(vars[var.index()].ty, CType::Pointer { .. } | CType::Reference { .. });
    match place {
        Expr::Var(var) => is_value(var),
        Expr::Field(base, _, _) | Expr::Index(base, _) => is_local(vars, base),
        _ => false,
    }
}

/// Returns whether a statement may fault.
fn has_check(stmt: &Stmt) -> bool {
    let mut found = matches!(stmt.kind, StmtKind::Fault { .. });
    stmt.for_each_expr(&mut |expr| {
        expr.for_each(&mut |expr| found |= matches!(expr, Expr::Call(CallTarget::Helper(_, Some(_)), _)));
    });
    stmt.kind.for_each_block(&mut |block| found = found || block.iter().any(has_check));
    found
}
