//! Removal of checks that cannot fail.

use crate::ir::{FunctionId, Scalar};
use crate::lower::{
    Body, CallTarget, Case, Expr, Function, Header, Helper, Module, Next, Op, Operator, Prefix, SiteRef, Stmt, StmtKind,
};
use crate::set::Set;
use litemap::LiteMap;

/// Replaces each check for which `removed` returns true, given its number, operation and first site, by what it returns
/// if it does not fail. The checks are numbered in the order of [`checks`].
pub(super) fn remove(module: &mut Module, removed: impl Fn(usize, Op, Option<SiteRef>) -> bool) {
    let mut rewriter = Rewriter { next: 0, removed };
    for (_, function) in &mut module.functions {
        rewriter.function(function);
    }
    rewriter.function(&mut module.kernel);
}

/// Replaces checks in statements, the first of which has the number `first`.
pub(super) fn remove_in(stmts: &mut Vec<Stmt>, first: usize, removed: impl Fn(usize) -> bool) {
    Rewriter { next: first, removed: |number, _, _| removed(number) }.stmts(stmts);
}

/// Calls `visit` with the checks of a program, in the order in which [`remove`] numbers them.
pub(super) fn checks<'m>(module: &'m Module, visit: &mut impl FnMut(&'m Expr, Op, Option<SiteRef>)) {
    for (_, function) in functions(module) {
        function.for_each_expr(&mut |expr| {
            if let Some((op, site)) = check(expr) {
                visit(expr, op, site);
            }
        });
    }
}

/// Returns the function that contains each check, in the order of [`checks`]; `None` for the kernel.
pub(super) fn owners(module: &Module) -> Vec<Option<FunctionId>> {
    let mut owners = Vec::new();
    for (owner, function) in functions(module) {
        function.for_each_expr(&mut |expr| owners.extend(check(expr).map(|_| owner)));
    }
    owners
}

/// Returns, for each definition of a built-in method, the first of the sites that its calls pass.
pub(super) fn caller_sites(module: &Module) -> LiteMap<FunctionId, Set<u32>> {
    let mut bases: LiteMap<FunctionId, Set<u32>> = LiteMap::new();
    // Callers before their callees.
    for (owner, function) in functions(module).into_iter().rev() {
        let own = owner.and_then(|owner| bases.get(&owner)).cloned().unwrap_or_default();
        function.for_each_expr(&mut |expr| {
            let Expr::Call(CallTarget::Function(id, Some(site)), _) = expr else { return };
            let of = bases.entry(*id).or_default();
            match site {
                SiteRef::Own(site) => drop(of.insert(*site)),
                SiteRef::Caller(offset) => of.extend(own.iter().map(|base| base + offset)),
            }
        });
    }
    bases
}

/// Returns the functions of a program, callees before their callers, and the kernel.
pub(super) fn functions(module: &Module) -> Vec<(Option<FunctionId>, &Function)> {
    let functions = module.functions.iter().map(|(id, function)| (Some(*id), function));
    functions.chain([(None, &module.kernel)]).collect()
}

/// Returns the operation of a check, and its first site. The step of a counter is one as well: it stops at the end of the
/// type.
pub(super) fn check(expr: &Expr) -> Option<(Op, Option<SiteRef>)> {
    match expr {
        Expr::Call(CallTarget::Helper(Helper { op: op @ (Op::Within | Op::Step), .. }, site), _) => Some((*op, *site)),
        Expr::Call(CallTarget::Helper(helper, Some(site)), _) => Some((helper.op, Some(*site))),
        _ => None,
    }
}

struct Rewriter<F> {
    next: usize,
    removed: F,
}

impl<F: Fn(usize, Op, Option<SiteRef>) -> bool> Rewriter<F> {
    fn function(&mut self, function: &mut Function) {
        if let Body::Stmts(stmts) = &mut function.body {
            self.stmts(stmts);
        }
    }

    /// Visits the statements in the order of `Stmt::for_each_expr`.
    fn stmts(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            self.stmt(&mut stmt.kind);
            match stmt.kind {
                // The loop whose checks are removed: see `prove::loops`.
                StmtKind::If { condition: Expr::Literal(Scalar::Bool, 1), then, otherwise: _ } => stmts.extend(then),
                kind => stmts.push(Stmt { line: stmt.line, kind }),
            }
        }
    }

    fn stmt(&mut self, kind: &mut StmtKind) {
        match kind {
            StmtKind::Declare { var: _, init } => init.iter_mut().for_each(|init| self.expr(init)),
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                self.expr(place);
                self.expr(value);
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                simplify(condition);
                self.stmts(then);
                self.stmts(otherwise);
            }
            StmtKind::Switch { on, cases, otherwise } => {
                self.expr(on);
                cases.iter_mut().flat_map(|case| &mut case.values).for_each(|value| self.expr(value));
                for Case { values: _, body } in cases {
                    self.stmts(body);
                }
                self.stmts(otherwise);
            }
            StmtKind::Block { body, end: _ } => self.stmts(body),
            StmtKind::Loop { header, body, next: _, end: _, unroll: _ } => {
                match header {
                    Header::Open { test, progress } => {
                        if let Some(test) = test {
                            self.expr(test);
                        }
                        if let Some(progress) = progress {
                            self.expr(progress);
                        }
                    }
                    Header::For { var: _, init, test, next } => {
                        self.expr(init);
                        self.expr(test);
                        match next {
                            Next::Increment | Next::Decrement => {}
                            Next::Assign(value) => self.expr(value),
                        }
                    }
                    // Introduced later.
                    Header::Deferred(_) => {}
                }
                self.stmts(body);
            }
            StmtKind::Return(value) => value.iter_mut().for_each(|value| self.expr(value)),
            StmtKind::Fault { site: _, args } | StmtKind::Print { site: _, args } => {
                for arg in args {
                    self.expr(arg);
                }
            }
            StmtKind::Shared { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::InternalError(_) => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let removed = check(expr).is_some_and(|(op, site)| {
            let number = self.next;
            self.next += 1;
            (self.removed)(number, op, site)
        });
        expr.for_each_child_mut(&mut |child| self.expr(child));
        if removed
            && let Expr::Call(CallTarget::Helper(helper, _), args) = expr
            && let Some(result) = result(*helper, args)
        {
            *expr = result;
        }
    }
}

/// Returns what a check returns if it does not fail.
pub(super) fn result(Helper { op, scalar }: Helper, args: &mut Vec<Expr>) -> Option<Expr> {
    let taken = |args: &mut Vec<Expr>| std::mem::take(args);
    let literals = args.iter().filter(|arg| matches!(arg, Expr::Literal(..))).count();
    Some(match (op, args.len()) {
        (Op::Within, _) => Expr::Literal(Scalar::Bool, 1),
        (Op::At | Op::SplitAt, 2) => taken(args).swap_remove(0),
        (Op::RestLen, 2) => {
            let [start, len] = <[Expr; 2]>::try_from(taken(args)).ok()?;
            difference(len, start)
        }
        (Op::PartLen, 3) => {
            let [start, end, _] = <[Expr; 3]>::try_from(taken(args)).ok()?;
            difference(end, start)
        }
        (Op::PartToLen, 3) => {
            let [start, last, _] = <[Expr; 3]>::try_from(taken(args)).ok()?;
            let end = match last {
                Expr::Literal(scalar, last) => Expr::Literal(scalar, last.wrapping_add(1)),
                last => Expr::binary(Operator::Add, last, Expr::int(Scalar::Usize, 1)),
            };
            difference(end, start)
        }
        // A literal has the type of the other operand.
        (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem, 2) if literals < 2 => {
            let operator = match op {
                Op::Add => Operator::Add,
                Op::Sub => Operator::Sub,
                Op::Mul => Operator::Mul,
                Op::Div => Operator::Div,
                _ => Operator::Rem,
            };
            let [left, right] = <[Expr; 2]>::try_from(taken(args)).ok()?;
            let result = Expr::binary(operator, left, right);
            if scalar.bits() < 32 { Expr::cast(scalar, result) } else { result }
        }
        // The dividend is evaluated twice.
        (Op::DivCeil, 2) if matches!(args.as_slice(), [Expr::Var(_), Expr::Var(_) | Expr::Literal(..)]) => {
            let [left, right] = <[Expr; 2]>::try_from(taken(args)).ok()?;
            let remainder = Expr::binary(Operator::Rem, left.clone(), right.clone());
            let partial = Expr::binary(Operator::Ne, remainder, Expr::int(scalar, 0));
            Expr::binary(Operator::Add, Expr::binary(Operator::Div, left, right), Expr::cast(scalar, partial))
        }
        (Op::NextMultipleOf | Op::CheckedNextMultipleOf, 2)
            if matches!(args.as_slice(), [Expr::Var(_), Expr::Var(_) | Expr::Literal(..)]) =>
        {
            let mut divided = taken(args);
            let divisor = divided.get(1).cloned()?;
            let quotient = result(Helper { op: Op::DivCeil, scalar }, &mut divided)?;
            let product = Expr::binary(Operator::Mul, quotient, divisor);
            if scalar.bits() < 32 { Expr::cast(scalar, product) } else { product }
        }
        (Op::Neg, 1) => {
            let negative = Expr::unary(Prefix::Minus, taken(args).swap_remove(0));
            if scalar.bits() < 32 { Expr::cast(scalar, negative) } else { negative }
        }
        (Op::CheckedAbs, 1) => Expr::helper(Helper { op: Op::Abs, scalar }, taken(args)),
        (Op::Clamp, 3) => Expr::helper(Helper { op: Op::ClampTo, scalar }, taken(args)),
        (Op::Step, 3) => {
            let by = match (&args[2], scalar) {
                (by, Scalar::Usize) => by.clone(),
                // Both conversions preserve the value.
                (Expr::Literal(_, by), _) if *by < 1 << (scalar.bits() - 1) => Expr::int(scalar, *by),
                _ => return None,
            };
            let sum = Expr::binary(Operator::Add, taken(args).swap_remove(0), by);
            if scalar.bits() < 32 { Expr::cast(scalar, sum) } else { sum }
        }
        (Op::ShiftAmount, 2) => Expr::cast(Scalar::I32, taken(args).swap_remove(0)),
        _ => return None,
    })
}

fn difference(end: Expr, start: Expr) -> Expr {
    match (end, start) {
        (end, Expr::Literal(_, 0)) => end,
        (Expr::Literal(scalar, end), Expr::Literal(_, start)) => Expr::Literal(scalar, end.wrapping_sub(start)),
        (end, start) => Expr::binary(Operator::Sub, end, start),
    }
}

/// Removes the operands of a conjunction that are `true`.
pub(super) fn simplify(condition: &mut Expr) {
    let Expr::Binary(Operator::Both, left, right) = condition else { return };
    simplify(left);
    simplify(right);
    let is_true = |expr: &Expr| matches!(expr, Expr::Literal(Scalar::Bool, 1));
    let rest = match (is_true(left), is_true(right)) {
        (true, _) => right,
        (_, true) => left,
        _ => return,
    };
    *condition = std::mem::replace(rest, Expr::Literal(Scalar::Bool, 1));
}
