//! Which expressions stand directly inside another one.

use super::{Block, ExprId, ExprKind, Range, Stmt};

impl ExprKind {
    /// Calls `visit` with every expression directly inside this one, in the order of the source.
    pub(crate) fn for_each_child(&self, visit: &mut impl FnMut(ExprId)) {
        match self {
            ExprKind::Literal { value: _, slot: _ }
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Continue { target: _ }
            | ExprKind::Panic { message: _ } => {}
            ExprKind::Unary { op: _, operand } | ExprKind::Cast { operand, slot: _ } | ExprKind::Borrow(operand) => {
                visit(*operand);
            }
            ExprKind::Binary { op: _, left, right } | ExprKind::Logical { op: _, left, right } => {
                visit(*left);
                visit(*right);
            }
            ExprKind::Index { base, index } => {
                visit(*base);
                visit(*index);
            }
            ExprKind::Field { base, name: _ } => visit(*base),
            ExprKind::Tuple(parts) => parts.iter().copied().for_each(visit),
            ExprKind::Call { callee: _, args } => args.iter().copied().for_each(visit),
            ExprKind::Method { receiver, method: _, args } => {
                visit(*receiver);
                args.iter().copied().for_each(visit);
            }
            ExprKind::Block(block) | ExprKind::Loop { id: _, body: block } => block.for_each_child(visit),
            ExprKind::If { condition, then, otherwise } => {
                visit(*condition);
                then.for_each_child(visit);
                otherwise.iter().copied().for_each(visit);
            }
            ExprKind::While { id: _, condition, body } => {
                visit(*condition);
                body.for_each_child(visit);
            }
            ExprKind::For { id: _, local: _, range, body } => {
                let Range { start, end, inclusive: _, step } = range;
                visit(*start);
                visit(*end);
                step.iter().copied().for_each(&mut *visit);
                body.for_each_child(visit);
            }
            ExprKind::Break { target: _, value } | ExprKind::Return(value) => value.iter().copied().for_each(visit),
            ExprKind::Assign { place, value } | ExprKind::AssignOp { op: _, place, value } => {
                visit(*place);
                visit(*value);
            }
        }
    }

    /// The block directly inside this expression.
    pub(crate) fn block(&self) -> Option<&Block> {
        match self {
            ExprKind::Block(block)
            | ExprKind::Loop { id: _, body: block }
            | ExprKind::While { id: _, condition: _, body: block }
            | ExprKind::For { id: _, local: _, range: _, body: block }
            | ExprKind::If { condition: _, then: block, otherwise: _ } => Some(block),
            ExprKind::Literal { .. }
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Index { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Call { .. }
            | ExprKind::Method { .. }
            | ExprKind::Borrow(_)
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic { .. } => None,
        }
    }
}

impl Block {
    /// Calls `visit` with every expression directly inside this block, in the order of the source.
    pub(crate) fn for_each_child(&self, visit: &mut impl FnMut(ExprId)) {
        for stmt in &self.stmts {
            match stmt {
                Stmt::Let { pattern: _, init, span: _ } => init.iter().copied().for_each(&mut *visit),
                Stmt::Expr(expr) => visit(*expr),
            }
        }
        self.tail.iter().copied().for_each(visit);
    }
}
