//! Type resolution of blocks, branches and loops.

use crate::ir::{Adapter, Arm, Block, ExprId, LoopId, Range, Sequence, Span, Stmt, Type};

use super::expr::Typing;

impl Typing<'_, '_, '_> {
    pub(super) fn block(&mut self, block: &Block) -> Type {
        let mut diverges = false;
        for stmt in &block.stmts {
            diverges |= match stmt {
                Stmt::Let { pattern, init: Some(init), span } => {
                    let ty = self.of(*init).clone();
                    self.pattern(pattern, &ty, *span);
                    ty == Type::Never
                }
                Stmt::Let { pattern: _, init: None, span: _ } => false,
                Stmt::Expr(expr) => *self.of(*expr) == Type::Never,
            };
        }
        match block.tail {
            Some(tail) => self.of(tail).clone(),
            None if diverges => Type::Never,
            None => Type::Unit,
        }
    }

    pub(super) fn branch(&mut self, condition: ExprId, then: &Block, otherwise: Option<ExprId>, span: Span) -> Type {
        self.require_expr(condition, &Type::BOOL, "the condition of an `if`");
        let decided = self.function.constant_bool(condition);
        let Some(otherwise) = otherwise else {
            if decided != Some(false) {
                let then = self.block(then);
                self.require(&then, &Type::Unit, "an `if` without `else`", span);
            }
            return Type::Unit;
        };
        match decided {
            Some(true) => self.block(then),
            Some(false) => self.of(otherwise).clone(),
            None => {
                let then = self.block(then);
                let otherwise = self.of(otherwise).clone();
                self.join(then, otherwise, "the arms of an `if`", span)
            }
        }
    }

    pub(super) fn arms(&mut self, scrutinee: ExprId, arms: &[Arm], span: Span) -> Type {
        let scrutinee = self.of(scrutinee).clone();
        let mut joined = Type::Never;
        for Arm { pattern, guard, body } in arms {
            if self.function.is_reachable(*body) {
                self.pattern(pattern, &scrutinee, span);
                if let Some(guard) = guard {
                    self.require_expr(*guard, &Type::BOOL, "the guard of an arm");
                }
                let body = self.of(*body).clone();
                joined = self.join(joined, body, "the arms of a `match`", span);
            }
        }
        joined
    }

    /// Resolves the sequence of a `for` and the types of its variables.
    pub(super) fn sequence(&mut self, sequence: &Sequence, span: Span) {
        let function = self.function;
        match sequence {
            Sequence::Range { local, range } => {
                let counter = self.range(range, span);
                if let Some(local) = local {
                    self.require(&counter, function.local_type(*local), "the variable of a `for`", span);
                }
            }
            Sequence::Elements { of, index, element, reversed: _ } => {
                if let Some(index) = index {
                    self.require(&self.scope.index_type(), function.local_type(*index), "the index in a `for`", span);
                }
                // A thread-local array can be borrowed either way.
                let mutable = self.access_through(*of).unwrap_or(true);
                let of = self.of(*of).clone();
                let target = match of {
                    Type::View { element, dimensions: 1, mutable: _ } => *element,
                    other => self.element(&other, span),
                };
                if let Some(element) = element {
                    let local = function.local_type(*element);
                    match local {
                        Type::Ref { .. } if target != Type::Never => {
                            let given = Type::Ref { target: Box::new(target), mutable };
                            self.require(&given, local, "the variable of a `for`", span);
                        }
                        _ => self.require(&target, local, "the variable of a `for`", span),
                    }
                }
            }
        }
    }

    /// Returns the element type of a range.
    fn range(&mut self, range: &Range, span: Span) -> Type {
        let Range { start, end, inclusive: _, adapters } = range;
        let (start, end) = (self.of(*start).clone(), self.of(*end).clone());
        let counter = self.join(start, end, "the bounds of a range", span);
        if !matches!(&counter, Type::Scalar(scalar) if scalar.is_integer()) && counter != Type::Never {
            self.wrong(span, format!("a range of `{counter}`"));
        }
        for adapter in adapters {
            match adapter {
                Adapter::Reversed => {}
                Adapter::StepBy(step) => self.require_expr(*step, &self.scope.index_type(), "a step"),
            }
        }
        counter
    }

    /// Resolves the body of a loop, which has type `()`.
    pub(super) fn body(&mut self, body: &Block, span: Span) {
        let ty = self.block(body);
        self.require(&ty, &Type::Unit, "the body of a loop", span);
    }

    /// Resolves a `while` or a `for`, which has type `()` since it may end without a `break`.
    pub(super) fn counting_loop(&mut self, id: LoopId, body: &Block, span: Span) -> Type {
        self.body(body, span);
        if let Some(value) = self.breaks.get(&id).cloned() {
            self.require(&value, &Type::Unit, "the value of a `break` out of a `while` or `for`", span);
        }
        Type::Unit
    }
}
