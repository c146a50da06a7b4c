//! Lowering of `if` to a conditional expression of C, if neither branch requires statements.

use crate::ir::{Block, Callee, ExprId, ExprKind, Filled, Intrinsic, Type};

use crate::lower::Expr;
use crate::lower::function::Lowering;
use crate::lower::value::Value;

/// The maximum number of nodes of an `if` that is emitted as `c ? x : y`.
const CONDITIONAL_SIZE: usize = 16;

impl Lowering<'_, '_> {
    /// Returns `c ? x : y`, unless a branch turns out to require statements.
    pub(in crate::lower) fn conditional(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        id: ExprId,
    ) -> Value {
        let condition = self.value(condition).expr();
        let (mut before_then, then) = self.scope(|this| this.value(then));
        let (mut before_otherwise, otherwise) = self.scope(|this| this.value(otherwise));
        match (then, otherwise) {
            (Value::Scalar(then, scalar), Value::Scalar(otherwise, _))
                if before_then.is_empty() && before_otherwise.is_empty() =>
            {
                Value::Scalar(Expr::conditional(condition, then, otherwise), scalar)
            }
            (then, otherwise) => {
                let vars = self.result_vars(self.ty(id));
                for (stmts, value) in [(&mut before_then, then), (&mut before_otherwise, otherwise)] {
                    let (assign, ()) = self.scope(|this| this.write(&vars, value));
                    stmts.extend(assign);
                }
                self.if_else(condition, before_then, before_otherwise);
                vars
            }
        }
    }

    /// Returns the number of nodes of an expression that becomes one C expression without statements, so that it can be
    /// a branch of `c ? x : y`. `None` if it cannot, or if it is too long to be readable there.
    pub(in crate::lower) fn plain_size(&self, id: ExprId) -> Option<usize> {
        if self.typed.constant_bool(id).is_some() {
            return Some(1);
        }
        let mut size = 1;
        let mut add = |ids: &[ExprId]| {
            for id in ids {
                size += self.plain_size(*id)?;
            }
            (size <= CONDITIONAL_SIZE).then_some(())
        };
        match &self.expr(id).kind {
            ExprKind::Literal { .. } => {}
            ExprKind::Constant(_) | ExprKind::Local(_) => return self.is_plain(id).then_some(1),
            ExprKind::Cast { operand, slot: _ } => add(&[*operand])?,
            ExprKind::Unary { op: _, operand, operator } => {
                if self.operator_function(*operator).is_some() {
                    return None;
                }
                add(&[*operand])?;
            }
            ExprKind::Binary { op: _, left, right, operator } => {
                if self.operator_function(*operator).is_some() {
                    return None;
                }
                add(&[*left, *right])?;
            }
            ExprKind::Logical { op: _, left, right } => add(&[*left, *right])?,
            ExprKind::Index { base, index } => {
                self.plain_place(*base)?;
                if matches!(self.ty(*base), Type::View { .. }) {
                    return None;
                }
                add(&[*index])?;
            }
            ExprKind::Field { base, name: _ } => self.plain_place(*base)?,
            ExprKind::Deref(reference) => self.plain_place(*reference)?,
            ExprKind::Call { callee, args } => {
                let callee = &self.typed.instance.slots[callee.index()];
                match callee {
                    Filled::Callee(Callee::Function(id)) => {
                        let takes_places =
                            self.function(*id).signature.params.iter().any(|param| param.scalar().is_none());
                        if self.output.summaries[id.index()].writes || takes_places {
                            return None;
                        }
                        add(args)?;
                    }
                    Filled::Callee(Callee::Method(_)) => {
                        // A slice is a receiver, too, but not a scalar.
                        let (receiver, args) = args.split_first()?;
                        if !matches!(self.expr(*receiver).kind, ExprKind::Local(_)) {
                            add(&[*receiver])?;
                        }
                        add(args)?;
                    }
                    Filled::Callee(Callee::Intrinsic(
                        Intrinsic::Grid(1)
                        | Intrinsic::GridSize(1)
                        | Intrinsic::LaneId
                        | Intrinsic::LaneMask(_)
                        | Intrinsic::Fast(_),
                    )) => add(args)?,
                    Filled::Callee(Callee::Intrinsic(_))
                    | Filled::Type(_)
                    | Filled::Constant(_)
                    | Filled::Operator(_) => return None,
                }
            }
            ExprKind::Block(Block { stmts, tail: Some(tail) }) if stmts.is_empty() => add(&[*tail])?,
            ExprKind::If { condition, then: Block { stmts, tail: Some(then) }, otherwise: Some(otherwise) }
                if stmts.is_empty() && self.typed.constant_bool(*condition).is_none() =>
            {
                add(&[*condition, *then, *otherwise])?;
            }
            ExprKind::SubSlice { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
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
            | ExprKind::Print(_) => return None,
        }
        self.is_plain(id).then_some(size)
    }

    /// Returns whether the value is a scalar or an enum: a single C expression that is cheap to select.
    fn is_plain(&self, id: ExprId) -> bool {
        matches!(self.ty(id), Type::Scalar(_) | Type::Enum(_))
    }

    /// Returns `Some` if the base of an index or a field can be evaluated without statements.
    fn plain_place(&self, id: ExprId) -> Option<()> {
        match &self.expr(id).kind {
            ExprKind::Local(_) => Some(()),
            ExprKind::Field { base, name: _ } => self.plain_place(*base),
            ExprKind::Deref(reference) => self.plain_place(*reference),
            ExprKind::Index { base, index } if !matches!(self.ty(*base), Type::View { .. }) => {
                self.plain_place(*base)?;
                self.plain_size(*index).map(|_| ())
            }
            _ => None,
        }
    }
}
