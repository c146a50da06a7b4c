//! Expressions: which stay expressions in C, and in which order their effects happen.

use crate::ir::{
    BinaryOp, Block, Callee as IrCallee, ExprId, ExprKind, Filled, FunctionId, Intrinsic, Literal, LogicalOp, Scalar,
    SlotId, Span, Type, UnaryOp,
};
use crate::source::SiteKind;

use super::cast::cast;
use super::control::{Target, not};
use super::function::Lowering;
use super::value::{Value, field_type};
use super::{Expr, Helper, Op, Operator, Prefix, StmtKind, Template};

/// The most nodes that an `if` may have to be written as `c ? x : y`.
const CONDITIONAL_SIZE: usize = 16;

/// The longest array that is written out element by element.
const WRITTEN_OUT: u64 = 4;

impl Lowering<'_, '_> {
    /// The value of an expression. Its effects have happened.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        let (value, effect) = self.root_place(id);
        // A reference is the place itself.
        let is_read = matches!(value, Value::Place { .. }) && !matches!(self.ty(id), Type::Ref { .. });
        match (effect, is_read) {
            (false, false) => value,
            (false, true) => self.load(value),
            (true, _) => self.performed(value),
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
        let (value, effect) = self.root_place(id);
        if matches!(self.ty(id), Type::Ref { .. }) { (value, effect) } else { (self.load(value), effect) }
    }

    /// As [`Lowering::root`], but a place is not read yet.
    pub(super) fn root_place(&mut self, id: ExprId) -> (Value, bool) {
        if let Some(decided) = self.typed.decided(id) {
            return (Value::bool(Expr::Literal(Scalar::Bool, decided.into())), false);
        }
        // Each case is a function, so that deep expressions do not need the stack of all of them at each level.
        let expr = self.expr(id);
        let value = match &expr.kind {
            ExprKind::Literal { value, slot: _ } => literal(value, self.ty(id)),
            ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Field { .. } | ExprKind::Deref(_) => {
                self.place(&mut Vec::new(), id)
            }
            ExprKind::Constant(slot) => self.constant_in(*slot),
            ExprKind::Unary { op, operand, operator } => return self.unary(*op, *operand, *operator, expr.span),
            ExprKind::Binary { op, left, right, operator } => {
                return self.binary(*op, [*left, *right], *operator, expr.span);
            }
            ExprKind::Logical { op, left, right } => self.logical(*op, *left, *right),
            ExprKind::Cast { operand, slot: _ } => self.cast(*operand, id),
            // `typify` has seen that it is borrowed.
            ExprKind::SubSlice { .. } => Value::Never,
            ExprKind::Tuple(parts) if parts.is_empty() => Value::Unit,
            ExprKind::Tuple(parts) => Value::Parts(self.operands(parts)),
            ExprKind::Struct { slot: _, fields, base } => self.structure(fields, *base, self.ty(id)),
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
            return self.call_function(function, &[operand]);
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
            return self.overloaded(op, function, operands);
        }
        let values = self.operands(&operands);
        (self.built_in(op, values, self.ty(operands[0]), span), false)
    }

    /// The result of an operator that is a function of the user's.
    fn overloaded(&mut self, op: BinaryOp, function: FunctionId, operands: [ExprId; 2]) -> (Value, bool) {
        let (value, effect) = self.call_function(function, &operands);
        match (op, value) {
            // Users write `eq`, and `!=` is its opposite.
            (BinaryOp::Ne, Value::Scalar(equal, Scalar::Bool)) => (Value::bool(not(equal)), effect),
            (_, value) => (value, effect),
        }
    }

    /// The result of an operator on numbers, or of a comparison. `ty` is that of the left operand.
    fn built_in(&mut self, op: BinaryOp, operands: Vec<Value>, ty: &Type, span: Span) -> Value {
        let mut operands = operands.into_iter();
        match (operands.next(), operands.next()) {
            (Some(Value::Scalar(left, left_type)), Some(Value::Scalar(right, right_type))) => {
                let result = self.arithmetic(op, (left, left_type), (right, right_type), span);
                Value::Scalar(result, if op.is_comparison() { Scalar::Bool } else { left_type })
            }
            (Some(Value::Never), _) | (_, Some(Value::Never)) => Value::Never,
            (Some(left), Some(right))
                if matches!(ty, Type::Struct(_) | Type::Tuple(_) | Type::Array(..) | Type::Unit) =>
            {
                Value::bool(self.comparison(op, [left, right], ty, span))
            }
            (Some(Value::Scalar(..)), Some(other)) | (Some(other), _) => self.unexpected(&other),
            (None, _) => Value::Never,
        }
    }

    fn cast(&mut self, operand: ExprId, id: ExprId) -> Value {
        match (self.value(operand), self.ty(id)) {
            (Value::Scalar(operand, from), Type::Scalar(to)) => Value::Scalar(cast(operand, from, *to), *to),
            _ => Value::Never,
        }
    }

    fn if_value(&mut self, condition: ExprId, then: &Block, otherwise: Option<ExprId>, id: ExprId) -> (Value, bool) {
        match (self.typed.decided(condition), otherwise) {
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

    /// `c ? x : y`, if neither arm needs a statement after all.
    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, id: ExprId) -> Value {
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
                let vars = self.awaited(self.ty(id));
                for (stmts, value) in [(&mut before_then, then), (&mut before_otherwise, otherwise)] {
                    let (assign, ()) = self.scope(|this| this.write(&vars, value));
                    stmts.extend(assign);
                }
                self.if_else(condition, before_then, before_otherwise);
                vars
            }
        }
    }

    fn block_value(&mut self, block: &Block, id: ExprId) -> (Value, bool) {
        self.stmts(block);
        match block.tail {
            Some(tail) => self.root(tail),
            None if *self.ty(id) == Type::Never => (Value::Never, false),
            None => (Value::Unit, false),
        }
    }

    /// The function that an operator calls, where it is not built in.
    pub(super) fn operator_function(&self, slot: SlotId) -> Option<FunctionId> {
        match &self.typed.instance.slots[slot.index()] {
            Filled::Operator(function) => *function,
            Filled::Type(_) | Filled::Callee(_) | Filled::Constant(_) => None,
        }
    }

    /// `Point { x: 1.0, ..base }`
    fn structure(&mut self, fields: &[(String, ExprId)], base: Option<ExprId>, ty: &Type) -> Value {
        let mut values: Vec<Value> = Vec::with_capacity(fields.len() + 1);
        for (_, field) in fields {
            let mark = self.out.len();
            let value = self.value(*field);
            self.settle(mark, &mut values);
            values.push(value);
        }
        let base = base.map(|base| {
            let base = self.place(&mut values, base);
            let mark = self.out.len();
            let base = self.once(base);
            self.settle(mark, &mut values);
            base
        });
        let id = self.output.types.id(ty);
        let positions: Vec<usize> = self.output.types.members_of(id).iter().map(|member| member.position).collect();
        let mut members = Vec::with_capacity(positions.len());
        for position in positions {
            let given = fields.iter().position(|(name, _)| super::value::position(ty, name) == position);
            let value = match (given, &base) {
                (Some(given), _) => std::mem::replace(&mut values[given], Value::Never),
                (None, Some(base)) => {
                    let field = self.project(base.clone(), ty, position);
                    self.load(field)
                }
                (None, None) => Value::Never,
            };
            match self.member(value, &field_type(ty, position)) {
                Some(member) => members.push(member),
                None => return Value::Never,
            }
        }
        Value::Whole(Expr::Struct(id, members), ty.clone())
    }

    fn array_of(&mut self, elements: &[ExprId], ty: &Type) -> Value {
        let values = self.operands(elements);
        self.array(values, ty)
    }

    /// `[x, y]`
    fn array(&mut self, values: Vec<Value>, ty: &Type) -> Value {
        let Type::Array(element, _) = ty else { return Value::Never };
        let mut elements = Vec::with_capacity(values.len());
        for value in values {
            match self.member(value, element) {
                Some(element) => elements.push(element),
                None => return Value::Never,
            }
        }
        self.output.types.arrays = true;
        let element = self.output.types.memory(element);
        Value::Whole(Expr::Array(element, elements), ty.clone())
    }

    /// `[x; N]`
    fn repeat(&mut self, value: ExprId, ty: &Type) -> Value {
        let value = self.value(value);
        let Type::Array(element, len) = ty else { return Value::Never };
        if *len <= WRITTEN_OUT {
            let value = self.once(value);
            let value = match value {
                Value::Scalar(expr, scalar) if *len != 1 => {
                    Value::Scalar(self.saved_expr("value", expr, super::CType::Scalar(scalar)), scalar)
                }
                value => value,
            };
            let elements = usize::try_from(*len).unwrap_or(0);
            return self.array(vec![value; elements], ty);
        }
        let Some(value) = self.member(value, element) else { return Value::Never };
        self.output.types.arrays = true;
        self.output.templates.insert(Template::Filled);
        let element = self.output.types.memory(element);
        Value::Whole(Expr::Filled(element, *len, Box::new(value)), ty.clone())
    }

    /// The value of an `if`, a `match` or a `loop` that is not a C expression.
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
                let vars = self.awaited(ty);
                self.into(id, &Target::Vars(vars.clone()));
                vars
            }
        }
    }

    fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> Value {
        match (op, self.typed.decided(left)) {
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

    fn negation(&mut self, operand: Expr, scalar: Scalar, span: Span) -> Expr {
        match scalar {
            _ if scalar.is_float() => Expr::unary(Prefix::Minus, operand),
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
        if self.typed.decided(id).is_some() {
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
                    Filled::Callee(IrCallee::Function(id)) => {
                        let takes_places =
                            self.function(*id).signature.params.iter().any(|param| param.scalar().is_none());
                        if self.output.summaries[id.index()].writes || takes_places {
                            return None;
                        }
                        add(args)?;
                    }
                    Filled::Callee(IrCallee::Method(_)) => {
                        // A slice is a receiver without being a number.
                        let (receiver, args) = args.split_first()?;
                        if !matches!(self.expr(*receiver).kind, ExprKind::Local(_)) {
                            add(&[*receiver])?;
                        }
                        add(args)?;
                    }
                    Filled::Callee(IrCallee::Intrinsic(
                        Intrinsic::Grid(1)
                        | Intrinsic::GridSize(1)
                        | Intrinsic::LaneId
                        | Intrinsic::LaneMask(_)
                        | Intrinsic::Fast(_),
                    )) => add(args)?,
                    Filled::Callee(IrCallee::Intrinsic(_))
                    | Filled::Type(_)
                    | Filled::Constant(_)
                    | Filled::Operator(_) => return None,
                }
            }
            ExprKind::Block(Block { stmts, tail: Some(tail) }) if stmts.is_empty() => add(&[*tail])?,
            ExprKind::If { condition, then: Block { stmts, tail: Some(then) }, otherwise: Some(otherwise) }
                if stmts.is_empty() && self.typed.decided(*condition).is_none() =>
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

    /// The value is a number, a `bool` or an enum: one C expression that is cheap to choose.
    fn is_plain(&self, id: ExprId) -> bool {
        matches!(self.ty(id), Type::Scalar(_) | Type::Enum(_))
    }

    /// What an index or a field is taken of, where finding it needs no statements.
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

/// `!x`
fn complement(operand: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Bool => not(operand),
        // C computes in `int`, where the upper bits of the complement are set.
        _ => super::arithmetic::narrowed(Expr::unary(Prefix::BitNot, operand), scalar),
    }
}

/// A number by the bits of its type.
pub(super) fn literal(value: &Literal, ty: &Type) -> Value {
    let Type::Scalar(scalar) = *ty else { return Value::Never };
    let bits = match value {
        Literal::Bool(value) => u64::from(*value),
        Literal::Int { magnitude, negative } => {
            let magnitude = *magnitude as u64;
            let value = if *negative { magnitude.wrapping_neg() } else { magnitude };
            value & (u64::MAX >> (64 - scalar.bits()))
        }
        // Read at the literal's own precision: f64 first and f32 then would round twice. No literal is an `f16`.
        Literal::Float(digits) => match scalar {
            Scalar::F32 => digits.parse::<f32>().map_or(0, |value| u64::from(value.to_bits())),
            _ => digits.parse::<f64>().map_or(0, f64::to_bits),
        },
    };
    Value::Scalar(Expr::Literal(scalar, bits), scalar)
}
