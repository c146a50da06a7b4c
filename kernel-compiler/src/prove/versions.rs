//! Loops that are emitted in two versions: see `lower::hoist`.

use crate::lower::{Body, CallTarget, Expr, Helper, Module, Op, SiteRef, Stmt, StmtKind};

/// A loop in two versions.
pub(super) struct Versions<'m> {
    /// The tests before the loop. If all of them hold, the first version is entered.
    pub(super) tests: Vec<&'m Expr>,
    /// The checks that only the second version has: if none of them fails, no access of the first version is out of bounds.
    pub(super) checks: Vec<&'m Expr>,
}

/// Returns the loops of a program that are emitted in two versions.
pub(super) fn versions(module: &Module) -> Vec<Versions<'_>> {
    let mut found = Vec::new();
    for function in module.functions.values().chain([&module.kernel]) {
        if let Body::Stmts(stmts) = &function.body {
            collect(module, stmts, &mut found);
        }
    }
    found
}

fn collect<'m>(module: &'m Module, stmts: &'m [Stmt], found: &mut Vec<Versions<'m>>) {
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
                    // The first version has the same checks but for those that the tests stand for. If it has fewer of a place
                    // than the second, it is unknown which of them it has: a macro may give several checks one place.
                    let place = |expr: &Expr| own_site(expr).map(|(op, site)| (op, module.sites[site as usize].span));
                    let (first, second) = (checks(then), checks(otherwise));
                    let count =
                        |checks: &[&Expr], of: &Expr| checks.iter().filter(|expr| place(expr) == place(of)).count();
                    let is_in_both =
                        |expr: &&Expr| place(expr).is_some() && count(&first, expr) == count(&second, expr);
                    let checks = second.iter().copied().filter(|expr| !is_in_both(expr)).collect();
                    found.push(Versions { tests, checks });
                }
                collect(module, then, found);
                collect(module, otherwise, found);
            }
            StmtKind::Switch { on: _, cases, otherwise } => {
                for case in cases {
                    collect(module, &case.body, found);
                }
                collect(module, otherwise, found);
            }
            StmtKind::Block { body, .. } | StmtKind::Loop { body, .. } => collect(module, body, found),
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

/// Returns the operation and the first site of a check whose sites are not those of its callers.
fn own_site(expr: &Expr) -> Option<(Op, u32)> {
    match expr {
        Expr::Call(CallTarget::Helper(helper, Some(SiteRef::Own(site))), _) => Some((helper.op, *site)),
        _ => None,
    }
}

impl Versions<'_> {
    /// Returns the first sites of the checks.
    pub(super) fn sites(&self) -> impl Iterator<Item = u32> {
        self.checks.iter().filter_map(|expr| own_site(expr).map(|(_, site)| site))
    }
}
