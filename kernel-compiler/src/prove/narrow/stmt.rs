//! The statements of a function, with narrow variables.

use super::form::{Form, is_ring};
use super::{Rewriter, is_index};
use crate::ir::Scalar;
use crate::lower::{CallTarget, Case, Expr, Header, Helper, Next, Op, Operator, Stmt, StmtKind, VarId};
use crate::prove::condition::Condition;
use crate::prove::rewrite;

impl<'m> Rewriter<'m> {
    /// Takes a form into the program.
    pub(super) fn take(&mut self, form: Form) -> Expr {
        self.conditions.extend(form.conditions);
        form.expr
    }

    pub(super) fn whole(&mut self, expr: &'m Expr) -> Expr {
        let form = self.wide(expr);
        self.take(form)
    }

    /// Returns the value that a variable is set to.
    pub(super) fn value_for(&mut self, var: VarId, value: &'m Expr) -> Expr {
        let form = if self.is_narrow(var) { self.fitting(value) } else { self.wide(value) };
        self.take(form)
    }

    /// Returns the place of an assignment.
    pub(super) fn place(&mut self, place: &'m Expr) -> Expr {
        if let Expr::Var(_) = place {
            return place.clone();
        }
        let form = self.plain(place);
        self.take(form)
    }

    pub(super) fn stmts(&mut self, stmts: &'m [Stmt]) -> Vec<Stmt> {
        let mut rewritten = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match self.stmt(&stmt.kind) {
                // The loop whose checks are removed: see `prove::loops`.
                StmtKind::If { condition: Expr::Literal(Scalar::Bool, 1), then, otherwise: _ } => {
                    rewritten.extend(then);
                }
                kind => rewritten.push(Stmt { line: stmt.line, kind }),
            }
        }
        rewritten
    }

    pub(super) fn stmt(&mut self, kind: &'m StmtKind) -> StmtKind {
        match kind {
            StmtKind::Declare { var, init } => {
                let init = init.as_ref().map(|init| self.value_for(*var, init));
                StmtKind::Declare { var: *var, init }
            }
            StmtKind::Assign { place: Expr::Var(var), value } => {
                StmtKind::Assign { place: Expr::Var(*var), value: self.value_for(*var, value) }
            }
            StmtKind::Assign { place, value } => {
                StmtKind::Assign { place: self.place(place), value: self.whole(value) }
            }
            StmtKind::Update { op, place: place @ Expr::Var(var), value } if self.is_narrow(*var) => {
                self.update(*op, place, *var, value)
            }
            StmtKind::Update { op, place, value } => {
                StmtKind::Update { op: *op, place: self.place(place), value: self.whole(value) }
            }
            StmtKind::Expr(expr) => StmtKind::Expr(self.whole(expr)),
            StmtKind::If { condition, then, otherwise } => {
                let mut condition = self.whole(condition);
                rewrite::simplify(&mut condition);
                StmtKind::If { condition, then: self.stmts(then), otherwise: self.stmts(otherwise) }
            }
            StmtKind::Switch { on, cases, otherwise } => {
                let on = self.whole(on);
                let case = |this: &mut Self, Case { values, body }: &'m Case| Case {
                    values: values.clone(),
                    body: this.stmts(body),
                };
                let cases = cases.iter().map(|of| case(self, of)).collect();
                StmtKind::Switch { on, cases, otherwise: self.stmts(otherwise) }
            }
            StmtKind::Loop { header, body, next, end, unroll } => {
                let mut rewritten = self.header(header);
                let body = self.stmts(body);
                self.step(header, &mut rewritten);
                let header = rewritten;
                StmtKind::Loop { header, body, next: *next, end: *end, unroll: *unroll }
            }
            StmtKind::Block { body, end } => StmtKind::Block { body: self.stmts(body), end: *end },
            StmtKind::Return(Some(value)) => {
                let form = if self.returns_narrow { self.fitting(value) } else { self.wide(value) };
                StmtKind::Return(Some(self.take(form)))
            }
            StmtKind::Fault { site, args } => {
                StmtKind::Fault { site: *site, args: args.iter().map(|arg| self.whole(arg)).collect() }
            }
            StmtKind::Print { site, args } => {
                StmtKind::Print { site: *site, args: args.iter().map(|arg| self.whole(arg)).collect() }
            }
            StmtKind::Shared { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(None)
            | StmtKind::InternalError(_) => kind.clone(),
        }
    }

    /// Returns the statement for `var op= value`. The result fits, since the variable is narrow.
    pub(super) fn update(&mut self, op: Operator, place: &'m Expr, var: VarId, value: &'m Expr) -> StmtKind {
        let scalar = is_index(&self.function.vars[var.index()].ty).unwrap_or(Scalar::Usize);
        let unsigned = !scalar.is_signed();
        let narrow = self.narrow(value);
        if is_ring(op)
            && let Some(value) = &narrow
        {
            return StmtKind::Update { op, place: place.clone(), value: self.take(value.form.clone()) };
        }
        let var = Form::new(Expr::Var(var));
        let form = match (op, narrow) {
            (Operator::Div | Operator::Rem, Some(value)) if unsigned && value.nonnegative => {
                Form::binary(op, var.cast(Scalar::U32), value.form.clone().cast(Scalar::U32)).cast(Scalar::I32)
            }
            (Operator::Shr, _) if unsigned && matches!(value, Expr::Literal(_, 0..31)) => {
                let amount = Form::new(value.clone());
                Form::binary(op, var.cast(Scalar::U32), amount).cast(Scalar::I32)
            }
            _ => {
                let value = self.wide(value);
                Form::binary(op, var.map(|var| Expr::cast(scalar, var)), value).cast(Scalar::I32)
            }
        };
        StmtKind::Assign { place: place.clone(), value: self.take(form) }
    }

    /// Replaces the step of a narrow counter by an addition, if it does not overflow past the end.
    pub(super) fn step(&mut self, original: &'m Header, header: &mut Header) {
        if let (Header::For { next: Next::Assign(call), .. }, Header::For { var, next: Next::Assign(next), .. }) =
            (original, header)
            && let Expr::Call(CallTarget::Helper(Helper { op: Op::Step, scalar: Scalar::I32 }, None), args) = next
            && let [Expr::Var(counter), _, by] = args.as_slice()
            && counter == var
            && let Some(condition) = self.fits.steps.get(&std::ptr::from_ref(call))
            && *condition != Condition::FALSE
        {
            self.conditions.insert(*condition);
            let by = Form::new(by.clone()).cast(Scalar::I32);
            *next = Expr::binary(Operator::Add, Expr::Var(*var), by.expr);
        }
    }

    pub(super) fn header(&mut self, header: &'m Header) -> Header {
        match header {
            Header::Open { test, progress } => Header::Open {
                test: test.as_ref().map(|test| self.whole(test)),
                progress: progress.as_ref().map(|progress| self.whole(progress)),
            },
            Header::For { var, init, test, next } => Header::For {
                var: *var,
                init: self.value_for(*var, init),
                test: self.whole(test),
                next: match next {
                    Next::Increment => Next::Increment,
                    Next::Decrement => Next::Decrement,
                    Next::Assign(value) => Next::Assign(self.value_for(*var, value)),
                },
            },
            // Introduced later.
            Header::Deferred(_) => header.clone(),
        }
    }
}
