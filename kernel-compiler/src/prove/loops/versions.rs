//! The loops that are emitted in two versions, and the checks that only one of these has.

use crate::lower::{Body, CallTarget, Expr, Helper, Module, Op, SiteRef, Stmt, StmtKind};

/// A loop in two versions.
pub(in crate::prove) struct Versions<'m> {
    /// The tests before the loop. If all of them hold, the first version is entered.
    pub(in crate::prove) tests: Vec<&'m Expr>,
    /// The checks that only the second version has: if none of them fails, no access of the first version is out of bounds.
    pub(in crate::prove) checks: Vec<&'m Expr>,
}

/// Returns the loops of a program that are emitted in two versions.
pub(in crate::prove) fn versions(module: &Module) -> Vec<Versions<'_>> {
    let mut found = Vec::new();
    for function in module.functions.values().chain([&module.kernel]) {
        if let Body::Stmts(stmts) = &function.body {
            collect(stmts, &mut found);
        }
    }
    found
}

fn collect<'m>(stmts: &'m [Stmt], found: &mut Vec<Versions<'m>>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let mut tests = Vec::new();
                condition.for_each(&mut |expr| {
                    if matches!(expr, Expr::Call(CallTarget::Helper(Helper { op: Op::Within, .. }, _), _)) {
                        tests.push(expr);
                    }
                });
                if !tests.is_empty() {
                    let (first, second) = (checks(then), checks(otherwise));
                    let count =
                        |checks: &[&Expr], of: &Expr| checks.iter().filter(|expr| site(expr) == site(of)).count();
                    let is_in_both = |expr: &&Expr| count(&first, expr) == count(&second, expr);
                    let checks = second.iter().copied().filter(|expr| !is_in_both(expr)).collect();
                    found.push(Versions { tests, checks });
                }
                collect(then, found);
                collect(otherwise, found);
            }
            StmtKind::Switch { on: _, cases, otherwise } => {
                for case in cases {
                    collect(&case.body, found);
                }
                collect(otherwise, found);
            }
            StmtKind::Block { body, .. } | StmtKind::Loop { body, .. } => collect(body, found),
            _ => {}
        }
    }
}

/// Returns the checks in statements.
fn checks(stmts: &[Stmt]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for stmt in stmts {
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| {
                if matches!(expr, Expr::Call(CallTarget::Helper(_, Some(_)), _)) {
                    found.push(expr);
                }
            });
        });
    }
    found
}

/// Returns the operation and the first site of a check. Both versions of a loop have the same ones.
fn site(expr: &Expr) -> Option<(Op, SiteRef)> {
    match expr {
        Expr::Call(CallTarget::Helper(helper, Some(site)), _) => Some((helper.op, *site)),
        _ => None,
    }
}

impl Versions<'_> {
    /// Returns the first sites of the checks.
    pub(in crate::prove) fn sites(&self) -> impl Iterator<Item = u32> {
        self.checks.iter().filter_map(|expr| match site(expr) {
            Some((_, SiteRef::Own(site))) => Some(site),
            _ => None,
        })
    }
}
