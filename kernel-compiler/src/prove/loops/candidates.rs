//! The loops that may be emitted twice.

use crate::ir::FunctionId;
use crate::lower::{Body, CallTarget, Expr, Function, Header, Helper, Module, Op, Stmt, StmtKind, VarId};
use crate::prove::rewrite;
use crate::set::Set;

/// The maximum number of expressions in a loop that is emitted twice.
const SIZE: usize = 300;

/// An innermost loop whose threads do not communicate.
pub(super) struct Candidate<'m> {
    /// The number of the loop, among all loops of the program.
    pub(super) number: usize,
    pub(super) header: &'m Header,
    /// The checks in it, in the order of the text.
    pub(super) checks: Vec<&'m Expr>,
    /// The variables in scope ahead of it.
    pub(super) scope: Vec<VarId>,
}

/// Returns the loops that may be emitted twice, in the order of the text.
pub(super) fn candidates(module: &Module) -> Vec<Candidate<'_>> {
    let mut search = Search { communicating: communicating(module), found: Vec::new(), loops: 0, scope: Vec::new() };
    for function in module.functions.values().chain([&module.kernel]) {
        search.scope.clone_from(&function.params);
        if let Body::Stmts(stmts) = &function.body {
            search.stmts(stmts);
        }
    }
    search.found
}

/// Returns the functions whose threads may communicate, or that print.
fn communicating(module: &Module) -> Set<FunctionId> {
    let mut found = Set::new();
    // Callees precede their callers.
    for (id, function) in &module.functions {
        if communicates(function, &found) {
            found.insert(*id);
        }
    }
    found
}

fn communicates(function: &Function, functions: &Set<FunctionId>) -> bool {
    match &function.body {
        Body::Stmts(stmts) => !is_independent(stmts, functions),
        Body::Foreign(_) => true,
    }
}

/// Returns whether the threads that execute statements need not execute them together. They may loop.
fn is_independent(stmts: &[Stmt], communicating: &Set<FunctionId>) -> bool {
    stmts.iter().all(|stmt| {
        let mut independent =
            !matches!(stmt.kind, StmtKind::Shared { .. } | StmtKind::Print { .. } | StmtKind::InternalError(_));
        stmt.kind.for_each_block(&mut |block| independent = independent && is_independent(block, communicating));
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| {
                independent &= match expr {
                    Expr::Call(CallTarget::Helper(Helper { op, .. }, _), _) => {
                        let keeps_loop = matches!(op, Op::Progress | Op::KeepLoop);
                        !op.has_effect() || op.output().is_some() || keeps_loop
                    }
                    Expr::Call(CallTarget::Function(id, _), _) => !communicating.contains(id),
                    Expr::Call(CallTarget::Effect(_), _) => false,
                    _ => true,
                };
            });
        });
        independent
    })
}

/// Returns the checks in a loop, if the loop may be emitted twice.
fn checks<'m>(stmt: &'m Stmt, body: &[Stmt], communicating: &Set<FunctionId>) -> Option<Vec<&'m Expr>> {
    let (mut checks, mut size) = (Vec::new(), 0);
    stmt.for_each_expr(&mut |expr| {
        expr.for_each(&mut |expr| {
            size += 1;
            if rewrite::check(expr).is_some() {
                checks.push(expr);
            }
        });
    });
    (!checks.is_empty() && size <= SIZE && !has_loop(body) && is_independent(body, communicating)).then_some(checks)
}

fn has_loop(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut found = matches!(stmt.kind, StmtKind::Loop { .. });
        stmt.kind.for_each_block(&mut |block| found = found || has_loop(block));
        found
    })
}

struct Search<'m> {
    communicating: Set<FunctionId>,
    found: Vec<Candidate<'m>>,
    /// The number of the next loop.
    loops: usize,
    scope: Vec<VarId>,
}

impl<'m> Search<'m> {
    fn stmts(&mut self, stmts: &'m [Stmt]) {
        let outer = self.scope.len();
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Declare { var, init: _ } => self.scope.push(*var),
                StmtKind::Loop { header, body, .. } => {
                    let number = self.loops;
                    self.loops += 1;
                    if let Some(checks) = checks(stmt, body, &self.communicating) {
                        let scope = self.scope.clone();
                        self.found.push(Candidate { number, header, checks, scope });
                    }
                    let inside = self.scope.len();
                    if let Header::For { var, .. } = header {
                        self.scope.push(*var);
                    }
                    self.stmts(body);
                    self.scope.truncate(inside);
                }
                kind => kind.for_each_block(&mut |block| self.stmts(block)),
            }
        }
        self.scope.truncate(outer);
    }
}
