//! Expressions: which stay expressions in C, and in which order their effects happen.

use crate::ir::{
    Block, Callee as IrCallee, ExprId, ExprKind, Filled, Intrinsic, Literal, LogicalOp, Scalar, Type, UnaryOp,
};
use crate::source::SiteKind;

use super::assign::load;
use super::control::{Target, not};
use super::function::Lowering;
use super::value::{Value, position};
use super::{Expr, Helper, Op, Operator, Prefix, StmtKind};

/// The most nodes that an `if` may have to be written as `c ? x : y`.
const CONDITIONAL_SIZE: usize = 16;

impl Lowering<'_, '_> {
    /// The value of an expression. Its effects have happened.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        match self.root(id) {
            (Value::Scalar(expr, scalar), true) => {
                let kept = self.constant("value", super::CType::Scalar(scalar), expr);
                Value::Scalar(kept, scalar)
            }
            (value, _) => value,
        }
    }

    /// The values of several expressions, whose effects happen in their order.
    pub(super) fn operands(&mut self, ids: &[ExprId]) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(ids.len());
        for id in ids {
            let mark = self.out.len();
            let value = self.value(*id);
            self.settle(mark, &mut values);
            values.push(value);
        }
        values
    }

    /// The value of an expression, and whether evaluating it has an effect: then the next statement has to use it,
    /// exactly once.
    pub(super) fn root(&mut self, id: ExprId) -> (Value, bool) {
        let expr = self.expr(id);
        let value = match &expr.kind {
            ExprKind::Literal { value, slot: _ } => literal(value, self.ty(id)),
            ExprKind::Local(local) => self.locals[local.index()].clone(),
            ExprKind::Constant(slot) => match &self.typed.instance.slots[slot.index()] {
                Filled::Constant(constant) => {
                    Value::Scalar(Expr::Literal(constant.scalar, constant.bits), constant.scalar)
                }
                Filled::Type(_) | Filled::Callee(_) => Value::Never,
            },
            ExprKind::Unary { op, operand } => match self.value(*operand) {
                Value::Scalar(operand, scalar) => {
                    let result = match op {
                        UnaryOp::Neg => self.negation(operand, scalar, expr.span),
                        UnaryOp::Not => complement(operand, scalar),
                    };
                    Value::Scalar(result, scalar)
                }
                other => other,
            },
            ExprKind::Binary { op, left, right } => {
                let mut values = self.operands(&[*left, *right]).into_iter();
                match (values.next(), values.next()) {
                    (Some(Value::Scalar(left, left_type)), Some(Value::Scalar(right, right_type))) => {
                        let result = self.arithmetic(*op, (left, left_type), (right, right_type), expr.span);
                        Value::Scalar(result, if op.is_comparison() { Scalar::Bool } else { left_type })
                    }
                    _ => Value::Never,
                }
            }
            ExprKind::Logical { op, left, right } => self.logical(*op, *left, *right),
            ExprKind::Cast { operand, slot: _ } => match (self.value(*operand), self.ty(id)) {
                (Value::Scalar(operand, from), Type::Scalar(to)) => {
                    Value::Scalar(super::cast::cast(operand, from, *to), *to)
                }
                _ => Value::Never,
            },
            ExprKind::Index { .. } => match self.element(&mut Vec::new(), id) {
                Value::Place { lvalue, element } => {
                    self.summary.reads = true;
                    Value::Scalar(load(lvalue, element), element)
                }
                other => other,
            },
            ExprKind::Field { base, name } => {
                let position = position(self.ty(*base), name);
                self.value(*base).part(position)
            }
            ExprKind::Tuple(parts) if parts.is_empty() => Value::Unit,
            ExprKind::Tuple(parts) => Value::Parts(self.operands(parts)),
            ExprKind::Call { callee, args } => {
                let callee = &self.typed.instance.slots[callee.index()];
                return self.call(callee, args, id);
            }
            ExprKind::Method { receiver, method, args } => self.method(*method, *receiver, args, expr.span),
            ExprKind::Borrow(place) => match &self.expr(*place).kind {
                ExprKind::Index { .. } => self.element(&mut Vec::new(), *place),
                _ => self.value(*place),
            },
            ExprKind::Block(block) => {
                self.stmts(block);
                return match block.tail {
                    Some(tail) => self.root(tail),
                    None if *self.ty(id) == Type::Never => (Value::Never, false),
                    None => (Value::Unit, false),
                };
            }
            ExprKind::If { condition, then, otherwise } => match (self.plain_size(id), then.tail, otherwise) {
                (Some(_), Some(then), Some(otherwise)) => {
                    let condition = self.value(*condition).expr();
                    match (self.value(then), self.value(*otherwise)) {
                        (Value::Scalar(then, scalar), Value::Scalar(otherwise, _)) => {
                            Value::Scalar(Expr::conditional(condition, then, otherwise), scalar)
                        }
                        _ => Value::Never,
                    }
                }
                _ => self.through_variables(id),
            },
            ExprKind::Loop { .. } => self.through_variables(id),
            ExprKind::While { .. } | ExprKind::For { .. } | ExprKind::Assign { .. } | ExprKind::AssignOp { .. } => {
                self.into(id, &Target::Discard);
                Value::Unit
            }
            ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic { .. } => {
                self.into(id, &Target::Discard);
                Value::Never
            }
        };
        (value, false)
    }

    /// The value of an `if` or a `loop` that is not a C expression.
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
                let vars = self.receiver(ty);
                self.into(id, &Target::Vars(vars.clone()));
                vars
            }
        }
    }

    fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> Value {
        let left = self.value(left).expr();
        let (stmts, right) = self.scope(|this| this.value(right));
        let operator = match op {
            LogicalOp::And => Operator::Both,
            LogicalOp::Or => Operator::Either,
        };
        if stmts.is_empty() {
            return Value::bool(Expr::binary(operator, left, right.expr()));
        }
        // What the right operand does must not be done where the left one decides.
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

    fn negation(&mut self, operand: Expr, scalar: Scalar, span: crate::ir::Span) -> Expr {
        match scalar {
            Scalar::F32 | Scalar::F64 => Expr::unary(Prefix::Minus, operand),
            _ if self.overflow_checks() => {
                let site = self.site(SiteKind::Overflow("attempt to negate with overflow"), span);
                Expr::faulting(Helper::new(Op::Neg, scalar), site, vec![operand])
            }
            _ => super::arithmetic::wrapping_neg(operand, scalar),
        }
    }

    /// How many nodes an expression has, if it becomes one C expression without statements: it is safe to evaluate it
    /// in an arm of `c ? x : y`. `None` also where it would be too long to read there.
    pub(super) fn plain_size(&self, id: ExprId) -> Option<usize> {
        let mut size = 1;
        let mut add = |ids: &[ExprId]| {
            for id in ids {
                size += self.plain_size(*id)?;
            }
            (size <= CONDITIONAL_SIZE).then_some(())
        };
        match &self.expr(id).kind {
            ExprKind::Literal { .. } | ExprKind::Constant(_) => {}
            ExprKind::Local(_) => return self.ty(id).scalar().map(|_| 1),
            ExprKind::Unary { op: _, operand } | ExprKind::Cast { operand, slot: _ } => add(&[*operand])?,
            ExprKind::Binary { op: _, left, right } | ExprKind::Logical { op: _, left, right } => {
                add(&[*left, *right])?;
            }
            ExprKind::Index { base, index } => match &self.expr(*base).kind {
                ExprKind::Local(_) => add(&[*index])?,
                _ => add(&[*base, *index])?,
            },
            ExprKind::Method { receiver, method: _, args } => {
                // A slice is a receiver without being a number.
                if !matches!(self.expr(*receiver).kind, ExprKind::Local(_)) {
                    add(&[*receiver])?;
                }
                add(args)?;
            }
            ExprKind::Call { callee, args } => {
                add(args)?;
                match &self.typed.instance.slots[callee.index()] {
                    Filled::Callee(IrCallee::Function(id)) if !self.output.summaries[id.index()].writes => {}
                    Filled::Callee(IrCallee::Intrinsic(Intrinsic::Grid(1) | Intrinsic::GridSize(1))) => {}
                    Filled::Callee(_) | Filled::Type(_) | Filled::Constant(_) => return None,
                }
            }
            ExprKind::Block(Block { stmts, tail: Some(tail) }) if stmts.is_empty() => add(&[*tail])?,
            ExprKind::If { condition, then: Block { stmts, tail: Some(then) }, otherwise: Some(otherwise) }
                if stmts.is_empty() =>
            {
                add(&[*condition, *then, *otherwise])?;
            }
            ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Borrow(_)
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic { .. } => return None,
        }
        (self.ty(id).scalar().is_some() || matches!(self.ty(id), Type::Array(..))).then_some(size)
    }
}

/// `!x`
fn complement(operand: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Bool => not(operand),
        // C computes in `int`, where the upper bits of the complement are set.
        _ => super::arithmetic::narrowed(Expr::unary(Prefix::BitNot, operand), scalar),
    }
}

/// A number by the bits of its type.
fn literal(value: &Literal, ty: &Type) -> Value {
    let Type::Scalar(scalar) = *ty else { return Value::Never };
    let bits = match value {
        Literal::Bool(value) => u64::from(*value),
        Literal::Int { magnitude, negative } => {
            let magnitude = *magnitude as u64;
            let value = if *negative { magnitude.wrapping_neg() } else { magnitude };
            value & (u64::MAX >> (64 - scalar.bits()))
        }
        // Read at the literal's own precision: f64 first and f32 then would round twice.
        Literal::Float(digits) => match scalar {
            Scalar::F32 => digits.parse::<f32>().map_or(0, |value| u64::from(value.to_bits())),
            _ => digits.parse::<f64>().map_or(0, f64::to_bits),
        },
    };
    Value::Scalar(Expr::Literal(scalar, bits), scalar)
}
