//! Lowering of expressions: whether they become C expressions or statements, and the order of side effects.

use crate::ir::{
    BinaryOp, Block, ExprId, ExprKind, Filled, FunctionId, Literal, LogicalOp, Scalar, SlotId, Span, Type, UnaryOp,
};
use crate::source::SiteKind;

use super::call::Passing;
use super::control::not;
use super::function::Lowering;
use super::number::cast::cast;
use super::target::Target;
use super::value::Value;
use super::{Expr, Helper, Op, Operator, Prefix, StmtKind};

impl Lowering<'_, '_> {
    /// Returns the value of an expression whose side effects have been performed.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        let (value, effect) = self.root_place(id);
        // A reference is represented as the place itself.
        let is_read = matches!(value, Value::Place { .. }) && !matches!(self.ty(id), Type::Ref { .. });
        match (effect, is_read) {
            (false, false) => value,
            (false, true) => self.load(value),
            (true, _) => self.perform(value),
        }
    }

    /// Returns the values of several expressions, whose side effects are performed in order.
    pub(super) fn operands(&mut self, ids: &[ExprId]) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(ids.len());
        for id in ids {
            let mark = self.out.len();
            let value = self.value(*id);
            self.preserve(mark, &mut values);
            values.push(value);
        }
        values
    }

    /// Returns the value of an expression, and whether evaluating it has a side effect. If so, the next statement has
    /// to evaluate it exactly once.
    pub(super) fn root(&mut self, id: ExprId) -> (Value, bool) {
        let (value, effect) = self.root_place(id);
        if matches!(self.ty(id), Type::Ref { .. }) { (value, effect) } else { (self.load(value), effect) }
    }

    /// As [`Lowering::root`], but without the read of a place expression.
    pub(super) fn root_place(&mut self, id: ExprId) -> (Value, bool) {
        if let Some(decided) = self.typed.constant_bool(id) {
            return (Value::bool(Expr::Literal(Scalar::Bool, decided.into())), false);
        }
        // Each case is a function of its own, to keep the stack frame of this recursion small.
        let expr = self.expr(id);
        let value = match &expr.kind {
            ExprKind::Literal { value, slot: _ } => literal(value, self.ty(id)),
            ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Field { .. } | ExprKind::Deref(_) => {
                let value = self.place(&mut Vec::new(), id);
                // A `bool` that is borrowed is a byte.
                if let Value::Parts(_) = value { self.converted(value, self.ty(id)) } else { value }
            }
            ExprKind::Constant(slot) => self.constant_in(*slot),
            ExprKind::Unary { op, operand, operator } => return self.unary(*op, *operand, *operator, expr.span),
            ExprKind::Binary { op, left, right, operator } => {
                return self.binary(*op, [*left, *right], *operator, expr.span);
            }
            ExprKind::Logical { op, left, right } => self.logical(*op, *left, *right),
            ExprKind::Cast { operand, slot: _ } => self.cast(*operand, id),
            // `typify` has checked that sub-slices are borrowed.
            ExprKind::SubSlice { .. } => Value::Never,
            ExprKind::Tuple(parts) if parts.is_empty() => Value::Unit,
            ExprKind::Tuple(parts) => Value::Parts(self.operands(parts)),
            ExprKind::Struct { slot: _, name, fields, base } => self.structure(name, fields, *base, self.ty(id)),
            ExprKind::Array(elements) => self.array_of(elements, self.ty(id)),
            ExprKind::Repeat { value, slot: _ } => self.repeat(*value, self.ty(id)),
            ExprKind::Call { callee, args } => {
                return self.call(&self.typed.instance.slots[callee.index()], args, id);
            }
            ExprKind::Borrow { place, mutable } => self.borrow(*place, *mutable, id),
            ExprKind::Block(block) => return self.block_value(block, id),
            ExprKind::If { condition, then, otherwise } => return self.if_value(*condition, then, *otherwise, id),
            ExprKind::Match { .. } | ExprKind::Loop { .. } | ExprKind::Labelled { .. } => self.through_variables(id),
            ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Print(_) => {
                self.into(id, &Target::Discard);
                Value::Unit
            }
            ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic(_) => {
                self.into(id, &Target::Discard);
                Value::Never
            }
        };
        (value, false)
    }

    fn constant_in(&mut self, slot: SlotId) -> Value {
        match &self.typed.instance.slots[slot.index()] {
            Filled::Constant(constant) => self.constant_value(constant),
            Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => Value::Never,
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, operator: SlotId, span: Span) -> (Value, bool) {
        if let Some(function) = self.operator_function(operator) {
            return self.call_function(function, &[operand], Passing::Value, span);
        }
        let value = match self.value(operand) {
            Value::Scalar(operand, scalar) => {
                let result = match op {
                    UnaryOp::Neg => self.negation(operand, scalar, span),
                    UnaryOp::Not => complement(operand, scalar),
                };
                Value::Scalar(result, scalar)
            }
            other => other,
        };
        (value, false)
    }

    fn binary(&mut self, op: BinaryOp, operands: [ExprId; 2], operator: SlotId, span: Span) -> (Value, bool) {
        if let Some(function) = self.operator_function(operator) {
            return self.overloaded(op, function, operands, span);
        }
        let values = self.operands(&operands);
        (self.built_in(op, values, self.ty(operands[0]), span), false)
    }

    /// Lowers an operator that a user's function implements.
    fn overloaded(&mut self, op: BinaryOp, function: FunctionId, operands: [ExprId; 2], span: Span) -> (Value, bool) {
        let (value, effect) = self.call_function(function, &operands, Passing::Value, span);
        match (op, value) {
            // Users implement `eq`; `!=` is its negation.
            (BinaryOp::Ne, Value::Scalar(equal, Scalar::Bool)) => (Value::bool(not(equal)), effect),
            (_, value) => (value, effect),
        }
    }

    /// Lowers a built-in operator on scalars, or a comparison. `ty` is the type of the left operand.
    fn built_in(&mut self, op: BinaryOp, operands: Vec<Value>, ty: &Type, span: Span) -> Value {
        let mut operands = operands.into_iter();
        match (operands.next(), operands.next()) {
            (Some(Value::Scalar(left, left_type)), Some(Value::Scalar(right, right_type))) => {
                let result = self.arithmetic(op, (left, left_type), (right, right_type), span);
                Value::Scalar(result, if op.is_comparison() { Scalar::Bool } else { left_type })
            }
            (None | Some(Value::Never), _) | (_, Some(Value::Never)) => Value::Never,
            (Some(left), Some(right))
                if matches!(ty, Type::Struct(_) | Type::Tuple(_) | Type::Array(..) | Type::Unit) =>
            {
                Value::bool(self.comparison(op, [left, right], ty, span))
            }
            (Some(Value::Scalar(..)), Some(other)) | (Some(other), _) => self.unexpected(&other),
        }
    }

    fn cast(&mut self, operand: ExprId, id: ExprId) -> Value {
        match (self.value(operand), self.ty(id)) {
            (Value::Scalar(operand, from), Type::Scalar(to)) => Value::Scalar(cast(operand, from, *to), *to),
            _ => Value::Never,
        }
    }

    fn if_value(&mut self, condition: ExprId, then: &Block, otherwise: Option<ExprId>, id: ExprId) -> (Value, bool) {
        match (self.typed.constant_bool(condition), otherwise) {
            (Some(true), _) => return self.block_value(then, id),
            (Some(false), Some(otherwise)) => return self.root(otherwise),
            (Some(false), None) => return (Value::Unit, false),
            (None, _) => {}
        }
        let value = match (self.plain_size(id), then.tail, otherwise) {
            (Some(_), Some(then), Some(otherwise)) => self.conditional(condition, then, otherwise, id),
            _ => self.through_variables(id),
        };
        (value, false)
    }

    fn block_value(&mut self, block: &Block, id: ExprId) -> (Value, bool) {
        self.stmts(block);
        match block.tail {
            Some(tail) => self.root(tail),
            None if *self.ty(id) == Type::Never => (Value::Never, false),
            None => (Value::Unit, false),
        }
    }

    /// Returns the function that implements an operator, or `None` if it is built in.
    pub(super) fn operator_function(&self, slot: SlotId) -> Option<FunctionId> {
        match &self.typed.instance.slots[slot.index()] {
            Filled::Operator(function) => *function,
            Filled::Type(_) | Filled::Callee(_) | Filled::Constant(_) => None,
        }
    }

    /// Returns the value of an `if`, a `match` or a `loop` that cannot be a C expression, by way of variables.
    fn through_variables(&mut self, id: ExprId) -> Value {
        match self.ty(id) {
            Type::Unit => {
                self.into(id, &Target::Discard);
                Value::Unit
            }
            Type::Never => {
                self.into(id, &Target::Discard);
                Value::Never
            }
            ty => {
                let vars = self.result_vars(ty);
                self.into(id, &Target::Vars(vars.clone()));
                vars
            }
        }
    }

    fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> Value {
        match (op, self.typed.constant_bool(left)) {
            (LogicalOp::And, Some(true)) | (LogicalOp::Or, Some(false)) => return self.value(right),
            (LogicalOp::And, Some(false)) | (LogicalOp::Or, Some(true)) | (_, None) => {}
        }
        let left = self.value(left).expr();
        let (stmts, right) = self.scope(|this| this.value(right));
        let operator = match op {
            LogicalOp::And => Operator::Both,
            LogicalOp::Or => Operator::Either,
        };
        if stmts.is_empty() {
            return Value::bool(Expr::binary(operator, left, right.expr()));
        }
        // The right operand must not be evaluated if the left one determines the result.
        let decided = Expr::Var(self.temporary("decided", Scalar::Bool, Some(left)));
        let (assign, ()) = self.scope(|this| {
            this.out = stmts;
            if let Value::Scalar(value, _) = right {
                this.push(StmtKind::Assign { place: decided.clone(), value });
            }
        });
        let condition = match op {
            LogicalOp::And => decided.clone(),
            LogicalOp::Or => not(decided.clone()),
        };
        self.push(StmtKind::If { condition, then: assign, otherwise: Vec::new() });
        Value::bool(decided)
    }

    fn negation(&mut self, operand: Expr, scalar: Scalar, span: Span) -> Expr {
        match scalar {
            _ if scalar.is_float() => Expr::unary(Prefix::Minus, operand),
            _ if self.overflow_checks() => {
                let site = self.site(SiteKind::Overflow("attempt to negate with overflow"), span);
                Expr::faulting(Helper::new(Op::Neg, scalar), site, vec![operand])
            }
            _ => super::number::arithmetic::wrapping_neg(operand, scalar),
        }
    }
}

/// `!x`
fn complement(operand: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Bool => not(operand),
        // C computes in `int`, where the upper bits of the complement are set.
        _ => super::number::arithmetic::narrowed(Expr::unary(Prefix::BitNot, operand), scalar),
    }
}

/// Returns the value of a literal, by the bits of its type.
pub(super) fn literal(value: &Literal, ty: &Type) -> Value {
    let Type::Scalar(scalar) = *ty else { return Value::Never };
    let bits = match value {
        Literal::Bool(value) => u64::from(*value),
        Literal::Int { magnitude, negative } => {
            let magnitude = *magnitude as u64;
            let value = if *negative { magnitude.wrapping_neg() } else { magnitude };
            value & (u64::MAX >> (64 - scalar.bits()))
        }
        // Parsed at the literal's own precision: parsing as f64 and converting to f32 would round twice. No literal is
        // an `f16`.
        Literal::Float(digits) => match scalar {
            Scalar::F32 => digits.parse::<f32>().map_or(0, |value| u64::from(value.to_bits())),
            _ => digits.parse::<f64>().map_or(0, f64::to_bits),
        },
    };
    Value::Scalar(Expr::Literal(scalar, bits), scalar)
}
