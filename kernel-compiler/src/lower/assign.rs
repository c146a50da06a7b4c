//! Lowering of `=` and `+=`, to variables and to memory.

use crate::ir::{BinaryOp, ExprId, ExprKind, Scalar, SlotId, Span, Type};

use super::StmtKind;
use super::call::Passing;
use super::control::operator;
use super::function::Lowering;
use super::target::Target;
use super::value::{Value, position};

impl Lowering<'_, '_> {
    /// `place = value`
    pub(super) fn assign(&mut self, place: ExprId, value: ExprId) {
        let ty = self.ty(place);
        if let Some(vars) = self.variable(place) {
            if let Value::Scalar(..) | Value::Whole(..) | Value::Place { .. } = vars {
                return self.into(value, &Target::Vars(vars));
            }
            // The elements may depend on each other: `t = (t.1, t.0)`.
            let value = self.value(value);
            let value = self.converted(value, ty);
            let value = self.saved(value);
            return self.write(&vars, value);
        }
        let value = self.value(value);
        let mut operands = vec![value];
        let place = self.place(&mut operands, place);
        let value = operands.swap_remove(0);
        self.record_write(&place);
        self.write(&place, value);
    }

    /// `place op= value`
    pub(super) fn assign_op(&mut self, op: BinaryOp, place: ExprId, value: ExprId, operator: SlotId, span: Span) {
        if let Some(function) = self.operator_function(operator) {
            self.call_function(function, &[place, value], Passing::Place, span);
            return;
        }
        let value = self.value(value);
        let mut operands = vec![value];
        let place = self.place(&mut operands, place);
        let Value::Scalar(right, right_scalar) = self.load(operands.swap_remove(0)) else { return };
        self.record_write(&place);
        let (lvalue, scalar, as_memory) = match place {
            Value::Scalar(lvalue, scalar) => (lvalue, scalar, false),
            Value::Place { lvalue, target: Type::Scalar(scalar) } => (lvalue, scalar, true),
            other => {
                self.unexpected(&other);
                return;
            }
        };
        let unchecked = !self.overflow_checks();
        let same_in_c = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => match scalar {
                _ if scalar.is_float() => true,
                Scalar::U32 | Scalar::U64 | Scalar::Usize => unchecked,
                _ => false,
            },
            BinaryOp::Div => scalar.is_float(),
            // In memory, a `bool` may have any non-zero byte.
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => scalar != Scalar::Bool,
            _ => false,
        };
        if same_in_c {
            self.summary.reads |= self.is_in_memory(&lvalue);
            return self.push(StmtKind::Update { op: self::operator(op), place: lvalue, value: right });
        }
        let place = self.preserved_place(lvalue);
        let left = if as_memory {
            self.load(Value::Place { lvalue: place.clone(), target: Type::Scalar(scalar) }).expr()
        } else {
            place.clone()
        };
        let value = self.arithmetic(op, (left, scalar), (right, right_scalar), span);
        self.push(StmtKind::Assign { place, value });
    }

    /// Records that memory which other threads can observe may be written.
    fn record_write(&mut self, place: &Value) {
        if let Value::Place { lvalue, target: _ } = place {
            self.summary.writes |= self.is_in_memory(lvalue);
        }
    }

    /// Returns the C variables of a place that is a user's variable or a field of one.
    fn variable(&mut self, place: ExprId) -> Option<Value> {
        match &self.expr(place).kind {
            ExprKind::Local(local) => Some(self.locals[local.index()].clone()),
            ExprKind::Field { base, name } => {
                let ty = self.ty(*base);
                if matches!(ty, Type::Ref { .. }) {
                    return None;
                }
                let whole = self.variable(*base)?;
                Some(self.project(whole, ty, position(ty, name)))
            }
            _ => None,
        }
    }
}
