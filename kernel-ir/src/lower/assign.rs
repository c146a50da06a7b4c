//! What is written to: `let`, `=`, `+=`, and the elements of arrays.

use crate::ir::{BinaryOp, ExprId, ExprKind, LocalId, Pattern, Scalar, Span, Type};
use crate::source::SiteKind;

use super::control::{Target, operator};
use super::function::Lowering;
use super::value::{Value, position};
use super::{CType, Expr, Helper, Op, Operator, StmtKind};

impl Lowering<'_, '_> {
    /// `let pattern = init;`
    pub(super) fn bind(&mut self, pattern: &Pattern, init: ExprId) {
        match pattern {
            Pattern::Wild => self.into(init, &Target::Discard),
            Pattern::Local(local) => self.bind_local(*local, init),
            Pattern::Tuple(_) => {
                let (value, effect) = self.root(init);
                self.bind_value(pattern, value, effect);
            }
        }
    }

    fn bind_local(&mut self, local: LocalId, init: ExprId) {
        match &self.expr(init).kind {
            ExprKind::Block(block) => {
                // The block's own variables are declared first, then the variable gets what is left.
                self.stmts(block);
                match block.tail {
                    Some(tail) => self.bind_local(local, tail),
                    None => self.bind_value(&Pattern::Local(local), Value::Unit, false),
                }
            }
            ExprKind::If { .. } | ExprKind::Loop { .. }
                if self.plain_size(init).is_none() && *self.ty(init) != Type::Never =>
            {
                let vars = self.declared_local(local);
                self.into(init, &Target::Vars(vars.clone()));
                self.locals[local.index()] = vars;
            }
            _ => {
                let (value, effect) = self.root(init);
                self.bind_value(&Pattern::Local(local), value, effect);
            }
        }
    }

    /// Binds a value that is there.
    fn bind_value(&mut self, pattern: &Pattern, value: Value, effect: bool) {
        match pattern {
            Pattern::Wild => self.give(value, effect, &Target::Discard),
            Pattern::Tuple(patterns) => {
                for (i, pattern) in patterns.iter().enumerate() {
                    self.bind_value(pattern, value.clone().part(i), effect);
                }
            }
            Pattern::Local(local) => {
                let bound = match value {
                    // The storage was named after the variable; there is nothing to copy.
                    Value::Array { .. } => value,
                    // A second name of the same slice.
                    Value::Slice { ref pointer, ref len, .. }
                        if matches!((pointer, len), (Expr::Var(_), Expr::Var(_)))
                            && self.is_stable(pointer)
                            && self.is_stable(len)
                            && !self.is_assigned(*local) =>
                    {
                        value
                    }
                    Value::Never
                    | Value::Unit
                    | Value::Scalar(..)
                    | Value::Parts(_)
                    | Value::Slice { .. }
                    | Value::Place { .. } => {
                        let vars = self.local_vars(*local, self.typed.local_type(*local), true);
                        self.declare_with(&vars, &value);
                        vars
                    }
                };
                self.locals[local.index()] = bound;
            }
        }
    }

    /// Declares each variable with its part of the value.
    fn declare_with(&mut self, vars: &Value, value: &Value) {
        let mut names = Vec::new();
        vars.leaves(&mut |leaf| {
            if let Expr::Var(var) = leaf {
                names.push(*var);
            }
        });
        let mut inits = Vec::new();
        value.leaves(&mut |leaf| inits.push(leaf.clone()));
        for (var, init) in names.into_iter().zip(inits) {
            self.push(StmtKind::Declare { var, init: Some(init) });
        }
    }

    /// `place = value`
    pub(super) fn assign(&mut self, place: ExprId, value: ExprId) {
        if let Some(vars) = self.variable(place) {
            if let Value::Scalar(..) = vars {
                return self.into(value, &Target::Vars(vars));
            }
            // The parts may read each other: `t = (t.1, t.0)`.
            let value = self.value(value);
            let value = self.saved(value);
            return self.write(&vars, &value);
        }
        let value = self.value(value);
        let mut operands = vec![value];
        let element = self.element(&mut operands, place);
        let value = operands.swap_remove(0);
        if let (Value::Place { lvalue, element: _ }, Value::Scalar(value, _)) = (element, value) {
            self.summary.writes = true;
            self.push(StmtKind::Assign { place: lvalue, value });
        }
    }

    /// `place op= value`
    pub(super) fn assign_op(&mut self, op: BinaryOp, place: ExprId, value: ExprId, span: Span) {
        let value = self.value(value);
        let (place, scalar, right) = if let Some(vars) = self.variable(place) {
            let Value::Scalar(var, scalar) = vars else { return };
            (var, scalar, value)
        } else {
            let mut operands = vec![value];
            let Value::Place { lvalue, element } = self.element(&mut operands, place) else { return };
            (lvalue, element, operands.swap_remove(0))
        };
        let Value::Scalar(right, right_scalar) = right else { return };
        if is_place_in_memory(&place) {
            self.summary.writes = true;
            self.summary.reads = true;
        }
        let unchecked = !self.overflow_checks();
        let same_in_c = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => match scalar {
                Scalar::F32 | Scalar::F64 => true,
                Scalar::U32 | Scalar::U64 | Scalar::Usize => unchecked,
                _ => false,
            },
            BinaryOp::Div => scalar.is_float(),
            // The bits of a `bool` in memory may be any.
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => scalar != Scalar::Bool,
            _ => false,
        };
        if same_in_c {
            return self.push(StmtKind::Update { op: operator(op), place, value: right });
        }
        let place = self.evaluated_once(place);
        let left = load(place.clone(), scalar);
        let value = self.arithmetic(op, (left, scalar), (right, right_scalar), span);
        self.push(StmtKind::Assign { place, value });
    }

    /// The C variables of a place that is a variable of the user's, or a part of one.
    fn variable(&mut self, place: ExprId) -> Option<Value> {
        match &self.expr(place).kind {
            ExprKind::Local(local) => Some(self.locals[local.index()].clone()),
            ExprKind::Field { base, name } => {
                let position = position(self.ty(*base), name);
                self.variable(*base).map(|whole| whole.part(position))
            }
            _ => None,
        }
    }

    /// The same place, with an index that can be written twice.
    fn evaluated_once(&mut self, place: Expr) -> Expr {
        match place {
            Expr::Index(base, index) => {
                let base = self.evaluated_once(*base);
                let simple = matches!(*index, Expr::Var(_) | Expr::Literal(..)) && self.is_stable(&index);
                let index = if simple { *index } else { self.constant("at", CType::Scalar(Scalar::Usize), *index) };
                Expr::index(base, index)
            }
            place => place,
        }
    }

    /// The element that an index names. `operands` were evaluated before it, and are kept if it has effects.
    pub(super) fn element(&mut self, operands: &mut Vec<Value>, place: ExprId) -> Value {
        // `tile[y][x]`: the array, then the indices from left to right.
        let mut indices = Vec::new();
        let mut base = place;
        while let ExprKind::Index { base: inner, index } = &self.expr(base).kind {
            indices.push((*index, base));
            base = *inner;
        }
        let earlier = operands.len();
        let mark = self.out.len();
        let array = self.value(base);
        self.settle(mark, operands);
        operands.push(array.clone());
        let lens = match &array {
            Value::Slice { len, .. } => vec![len.clone()],
            Value::Array { lens, .. } => lens.iter().map(|len| Expr::int(Scalar::Usize, *len)).collect(),
            Value::Never | Value::Unit | Value::Scalar(..) | Value::Parts(_) | Value::Place { .. } => Vec::new(),
        };
        let depth = indices.len();
        for ((index, element), len) in indices.into_iter().rev().zip(&lens) {
            let mark = self.out.len();
            let index = self.value(index).expr();
            self.settle(mark, operands);
            let index = self.checked_index(index, len.clone(), element);
            operands.push(Value::usize(index));
        }
        let indices: Vec<Expr> = operands.split_off(earlier + 1).into_iter().map(Value::expr).collect();
        match operands.pop() {
            Some(Value::Slice { pointer, element, .. }) => {
                let lvalue = indices.into_iter().fold(pointer, Expr::index);
                Value::Place { lvalue, element }
            }
            Some(Value::Array { place, element, lens }) => {
                let place = indices.into_iter().fold(place, Expr::index);
                if depth < lens.len() {
                    Value::Array { place, element, lens: lens[depth..].to_vec() }
                } else {
                    Value::Place { lvalue: place, element }
                }
            }
            _ => Value::Never,
        }
    }

    /// The index, if it is below the length.
    fn checked_index(&mut self, index: Expr, len: Expr, element: ExprId) -> Expr {
        let known = match (&index, &len) {
            (Expr::Literal(_, index), Expr::Literal(_, len)) => index < len,
            _ => false,
        };
        if known || self.known_inside.contains(&element) || !self.output.options.bounds_checks {
            return index;
        }
        let site = self.site(SiteKind::OutOfBounds, self.expr(element).span);
        Expr::faulting(Helper::new(Op::At, Scalar::Usize), site, vec![index, len])
    }
}

/// Reads an element. Memory holds a `bool` as a byte, and a byte of shared memory that was never written may hold
/// anything: any but zero is `true`, so that no invalid `bool` comes to be.
pub(super) fn load(place: Expr, scalar: Scalar) -> Expr {
    match (scalar, is_place_in_memory(&place)) {
        (Scalar::Bool, true) => Expr::binary(Operator::Ne, place, Expr::int(Scalar::U8, 0)),
        _ => place,
    }
}

fn is_place_in_memory(place: &Expr) -> bool {
    matches!(place, Expr::Index(..))
}
