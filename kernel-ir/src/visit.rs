//! Traversal of the direct children of expressions, and of the variables that patterns bind.

use super::{Adapter, Arm, Block, ExprId, ExprKind, LocalId, Message, Pattern, Range, Sequence, Stmt};

impl ExprKind {
    /// Calls `visit` with every direct child expression, in source order.
    pub fn for_each_child(&self, visit: &mut impl FnMut(ExprId)) {
        match self {
            ExprKind::Literal { value: _, slot: _ }
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Continue { target: _ } => {}
            ExprKind::Unary { op: _, operand, operator: _ }
            | ExprKind::Cast { operand, slot: _ }
            | ExprKind::Borrow { place: operand, mutable: _ }
            | ExprKind::Deref(operand)
            | ExprKind::Field { base: operand, name: _ }
            | ExprKind::Repeat { value: operand, slot: _ } => visit(*operand),
            ExprKind::Binary { op: _, left, right, operator: _ } | ExprKind::Logical { op: _, left, right } => {
                visit(*left);
                visit(*right);
            }
            ExprKind::Index { base, index } => {
                visit(*base);
                visit(*index);
            }
            ExprKind::SubSlice { base, start, end, inclusive: _ } => {
                visit(*base);
                start.iter().copied().for_each(&mut *visit);
                end.iter().copied().for_each(visit);
            }
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().copied().for_each(visit),
            ExprKind::Struct { slot: _, name: _, fields, base } => {
                fields.iter().map(|(_, value)| *value).for_each(&mut *visit);
                base.iter().copied().for_each(visit);
            }
            ExprKind::Call { callee: _, args } => args.iter().copied().for_each(visit),
            ExprKind::Block(body) | ExprKind::Labelled { id: _, body } | ExprKind::Loop { id: _, body, unroll: _ } => {
                body.for_each_child(visit);
            }
            ExprKind::If { condition, then, otherwise } => {
                visit(*condition);
                then.for_each_child(visit);
                otherwise.iter().copied().for_each(visit);
            }
            ExprKind::Match { scrutinee, arms } => {
                visit(*scrutinee);
                for Arm { pattern: _, guard, body } in arms {
                    guard.iter().copied().for_each(&mut *visit);
                    visit(*body);
                }
            }
            ExprKind::While { id: _, condition, body, unroll: _ } => {
                visit(*condition);
                body.for_each_child(visit);
            }
            ExprKind::For { id: _, sequence, body, unroll: _ } => {
                sequence.for_each_child(visit);
                body.for_each_child(visit);
            }
            ExprKind::Break { target: _, value } | ExprKind::Return(value) => value.iter().copied().for_each(visit),
            ExprKind::Assign { place, value } | ExprKind::AssignOp { op: _, place, value, operator: _ } => {
                visit(*place);
                visit(*value);
            }
            ExprKind::Panic(Message { pieces: _, args }) | ExprKind::Print(Message { pieces: _, args }) => {
                args.iter().copied().for_each(visit);
            }
        }
    }

    /// Returns the block that is a direct child of this expression.
    pub fn block(&self) -> Option<&Block> {
        match self {
            ExprKind::Block(block)
            | ExprKind::Labelled { id: _, body: block }
            | ExprKind::Loop { id: _, body: block, unroll: _ }
            | ExprKind::While { id: _, condition: _, body: block, unroll: _ }
            | ExprKind::For { id: _, sequence: _, body: block, unroll: _ }
            | ExprKind::If { condition: _, then: block, otherwise: _ } => Some(block),
            ExprKind::Literal { .. }
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Call { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Deref(_)
            | ExprKind::Match { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => None,
        }
    }

    /// Returns whether this is a place expression, which can be borrowed and assigned to.
    pub fn is_place(&self) -> bool {
        match self {
            ExprKind::Local(_)
            | ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_) => true,
            ExprKind::Literal { .. }
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Call { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Labelled { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => false,
        }
    }
}

impl Sequence {
    /// Calls `visit` with every expression that is evaluated once, before the first iteration.
    pub fn for_each_child(&self, visit: &mut impl FnMut(ExprId)) {
        match self {
            Sequence::Range { local: _, range } => {
                let Range { start, end, inclusive: _, adapters } = range;
                visit(*start);
                visit(*end);
                for adapter in adapters {
                    match adapter {
                        Adapter::Reversed => {}
                        Adapter::StepBy(step) => visit(*step),
                    }
                }
            }
            Sequence::Elements { of, index: _, element: _, reversed: _ } => visit(*of),
        }
    }

    /// Calls `visit` with the variables that each iteration declares anew.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        match self {
            Sequence::Range { local, range: _ } => local.iter().copied().for_each(visit),
            Sequence::Elements { of: _, index, element, reversed: _ } => {
                index.iter().chain(element).copied().for_each(visit);
            }
        }
    }
}

impl Block {
    /// Calls `visit` with every direct child expression, in source order.
    pub fn for_each_child(&self, visit: &mut impl FnMut(ExprId)) {
        for stmt in &self.stmts {
            match stmt {
                Stmt::Let { pattern: _, init, span: _ } => init.iter().copied().for_each(&mut *visit),
                Stmt::Expr(expr) => visit(*expr),
            }
        }
        self.tail.iter().copied().for_each(visit);
    }

    /// Calls `visit` with the variables that the statements of this block declare.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        for stmt in &self.stmts {
            match stmt {
                Stmt::Let { pattern, init: _, span: _ } => pattern.for_each_local(visit),
                Stmt::Expr(_) => {}
            }
        }
    }
}

impl Pattern {
    /// Calls `visit` with the variables that the pattern binds. For `a | b`, these are the variables of `a`.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        match self {
            Pattern::Wild | Pattern::Literal(_) | Pattern::Constant(_) | Pattern::Range { .. } => {}
            Pattern::Local(local) => visit(*local),
            Pattern::At(local, inner) => {
                visit(*local);
                inner.for_each_local(visit);
            }
            Pattern::Tuple(parts) | Pattern::Array(parts) => {
                for part in parts {
                    part.for_each_local(visit);
                }
            }
            Pattern::Struct { name: _, fields } => {
                for (_, field) in fields {
                    field.for_each_local(visit);
                }
            }
            Pattern::Or(choices) => {
                if let Some(choice) = choices.first() {
                    choice.for_each_local(visit);
                }
            }
        }
    }
}
