//! Lowering of comparisons of structs, tuples and arrays: field by field, like Rust's derived implementations.
//!
//! `==` compares all fields. `<` compares the first two fields that are not equal; floats may be unordered, in which
//! case no ordering holds.

use crate::ir::{BinaryOp, Scalar, Span, StructType, Type, Unroll};

use crate::lower::control::not;
use crate::lower::function::Lowering;
use crate::lower::types::is_empty;
use crate::lower::value::{Value, field_type};
use crate::lower::{Expr, Header, Op, Operator, StmtKind};

/// The maximum length of an array whose elements are compared in straight-line code.
const MAX_UNROLLED_LEN: u64 = 4;

impl Lowering<'_, '_> {
    /// `left op right`, for two values of the same type.
    pub(in crate::lower) fn comparison(
        &mut self,
        op: BinaryOp,
        [left, right]: [Value; 2],
        ty: &Type,
        span: Span,
    ) -> Expr {
        match (ty, op) {
            (Type::Scalar(_) | Type::Enum(_), _) => match (self.load(left), self.load(right)) {
                (Value::Scalar(left, scalar), Value::Scalar(right, right_scalar)) => {
                    self.arithmetic(op, (left, scalar), (right, right_scalar), span)
                }
                (other, _) => self.unexpected(&other).expr(),
            },
            (_, BinaryOp::Ne) => not(self.comparison(BinaryOp::Eq, [left, right], ty, span)),
            _ if ty.tag().is_some() => {
                let operands = [left, right].map(|value| self.once(value));
                self.of_variants(op, &operands, ty, span)
            }
            _ if is_empty(ty) => {
                let equal = matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge);
                Expr::Literal(Scalar::Bool, equal.into())
            }
            (Type::Array(element, len), _) if *len > MAX_UNROLLED_LEN => {
                self.first_difference(op, [left, right], element, *len, span)
            }
            _ => {
                let operands = [left, right].map(|value| self.once(value));
                let pairs = self.pairs(&operands, ty);
                self.lexicographic(op, pairs, span)
            }
        }
    }

    /// Returns the comparison of two values of an enum with data: of the discriminants of their variants, and of the
    /// payloads of equal variants.
    fn of_variants(&mut self, op: BinaryOp, operands: &[Value; 2], ty: &Type, span: Span) -> Expr {
        let tag = field_type(ty, 0);
        let tags = operands.clone().map(|value| self.project(value, ty, 0));
        let equal = self.comparison(BinaryOp::Eq, tags.clone(), &tag, span);
        let variants = ty.tag().map_or(0, |tag| tag.variants.len());
        let mut result = None;
        for variant in 0..variants {
            let payload = field_type(ty, variant + 1);
            let values = operands.clone().map(|value| self.project(value, ty, variant + 1));
            let (loops, mut same) = self.scope(|this| this.comparison(op, values, &payload, span));
            if matches!(same, Expr::Literal(Scalar::Bool, 1)) {
                continue;
            }
            let is_variant = self.is_variant(operands[0].clone(), ty, variant);
            // The payload of another variant is not initialised.
            if !loops.is_empty() {
                let var = self.temporary("same", Scalar::Bool, Some(Expr::Literal(Scalar::Bool, 0)));
                let (assign, ()) =
                    self.scope(|this| this.push(StmtKind::Assign { place: Expr::Var(var), value: same.clone() }));
                let then = loops.into_iter().chain(assign).collect();
                let condition = Expr::binary(Operator::Both, equal.clone(), is_variant.clone());
                self.push(StmtKind::If { condition, then, otherwise: Vec::new() });
                same = Expr::Var(var);
            }
            let holds = Expr::binary(Operator::Either, not(is_variant), same);
            result = Some(match result {
                None => holds,
                Some(all) => Expr::binary(Operator::Both, all, holds),
            });
        }
        let same = match result {
            Some(payloads) => Expr::binary(Operator::Both, equal, payloads),
            None => equal,
        };
        match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let strict = if matches!(op, BinaryOp::Lt | BinaryOp::Le) { BinaryOp::Lt } else { BinaryOp::Gt };
                let decided = self.comparison(strict, tags, &tag, span);
                Expr::binary(Operator::Either, decided, same)
            }
            _ => same,
        }
    }

    /// Returns the corresponding fields of two values, without zero-sized ones.
    fn pairs(&mut self, operands: &[Value; 2], ty: &Type) -> Vec<([Value; 2], Type)> {
        let types: Vec<Type> = match ty {
            Type::Tuple(parts) => parts.clone(),
            Type::Struct(StructType { fields, .. }) => fields.iter().map(|field| field.ty.clone()).collect(),
            Type::Array(element, len) => (0..*len).map(|_| (**element).clone()).collect(),
            // The other types have no fields.
            Type::Unit
            | Type::Never
            | Type::Scalar(_)
            | Type::Enum(_)
            | Type::Slice { .. }
            | Type::View { .. }
            | Type::Ref { .. } => Vec::new(),
        };
        let mut parts = Vec::with_capacity(types.len());
        for (position, part) in types.into_iter().enumerate().filter(|(_, part)| !is_empty(part)) {
            let values = operands.clone().map(|whole| match ty {
                Type::Array(..) => element_of(whole, Expr::int(Scalar::Usize, position as u64), &part),
                _ => self.project(whole, ty, position),
            });
            debug_assert!(matches!(ty, Type::Array(..)) || part == field_type(ty, position));
            parts.push((values, part));
        }
        parts
    }

    /// Returns the comparison of the first two fields that are not equal.
    fn lexicographic(&mut self, op: BinaryOp, mut parts: Vec<([Value; 2], Type)>, span: Span) -> Expr {
        let Some((last, ty)) = parts.pop() else { return Expr::Literal(Scalar::Bool, 1) };
        let mut result = self.comparison(op, last, &ty, span);
        while let Some((values, ty)) = parts.pop() {
            let equal = self.comparison(BinaryOp::Eq, values.clone(), &ty, span);
            result = Expr::binary(Operator::Both, equal, result);
            let strict = match op {
                BinaryOp::Lt | BinaryOp::Le => Some(BinaryOp::Lt),
                BinaryOp::Gt | BinaryOp::Ge => Some(BinaryOp::Gt),
                _ => None,
            };
            if let Some(strict) = strict {
                let decided = self.comparison(strict, values, &ty, span);
                result = Expr::binary(Operator::Either, decided, result);
            }
        }
        result
    }

    /// Returns the comparison of the first two elements that are not equal, or of the last ones.
    fn first_difference(&mut self, op: BinaryOp, operands: [Value; 2], element: &Type, len: u64, span: Span) -> Expr {
        let operands = operands.map(|value| {
            let value = self.load(value);
            self.once(value)
        });
        let var = self.temporary("at", Scalar::Usize, Some(Expr::int(Scalar::Usize, 0)));
        let at = Expr::Var(var);
        let elements = operands.map(|whole| element_of(whole, at.clone(), element));
        let (mut body, equal) = self.scope(|this| this.comparison(BinaryOp::Eq, elements.clone(), element, span));
        let not_last = Expr::binary(Operator::Lt, at.clone(), Expr::int(Scalar::Usize, len - 1));
        let goes_on = Expr::binary(Operator::Both, not_last, equal);
        let test = body.is_empty().then(|| goes_on.clone());
        let (rest, ()) = self.scope(|this| {
            if test.is_none() {
                let (leave, ()) = this.scope(|this| this.push(StmtKind::Break));
                this.push(StmtKind::If { condition: not(goes_on), then: leave, otherwise: Vec::new() });
            }
            this.push(StmtKind::Update { op: Operator::Add, place: at, value: Expr::int(Scalar::Usize, 1) });
        });
        body.extend(rest);
        self.push(StmtKind::Loop {
            header: Header::open(test, Op::Progress),
            body,
            next: None,
            end: None,
            unroll: Unroll::Undecided,
        });
        self.comparison(op, elements, element, span)
    }
}

/// Returns an element of an array.
fn element_of(array: Value, index: Expr, element: &Type) -> Value {
    match array {
        Value::Whole(array, _) | Value::Place { lvalue: array, target: _ } => {
            Value::Place { lvalue: Expr::index(array, index), target: element.clone() }
        }
        other => other,
    }
}
