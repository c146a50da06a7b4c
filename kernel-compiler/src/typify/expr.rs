//! Type resolution of expressions, bottom-up.

use crate::Diagnostic;
use crate::ir::{
    BinaryOp, ExprId, ExprKind, Literal, LoopId, Message, Piece, Scalar, SlotId, Span, StructType, Type, UnaryOp,
};
use litemap::LiteMap;

use super::call::is_assignable;
use super::{Scope, TypedFunction};

/// Returns the types of all expressions. Operands precede their users in the table, so a single pass suffices.
///
/// An erroneous expression has type `!`, which is accepted everywhere, so that one inconsistency causes one error.
/// Unreachable expressions have type `!`, too.
pub(super) fn types(scope: &mut Scope<'_, '_>, function: &TypedFunction) -> Vec<Type> {
    let ir = &function.instance.function;
    let mut typing = Typing { scope, function, types: Vec::with_capacity(ir.exprs.len()), breaks: LiteMap::new() };
    for (id, expr) in (0u32..).map(ExprId).zip(&ir.exprs) {
        let ty = if function.is_reachable(id) { typing.expr(&expr.kind, expr.span) } else { Type::Never };
        typing.types.push(ty);
    }
    let body = typing.block(&ir.body);
    if ir.foreign.is_none() {
        typing.require(&body, &function.signature.result, "the function's body", ir.span);
    }
    typing.types
}

pub(super) struct Typing<'s, 'a, 'e> {
    pub(super) scope: &'s mut Scope<'a, 'e>,
    /// The function, with the types of its variables and of its result.
    pub(super) function: &'s TypedFunction,
    types: Vec<Type>,
    /// The joined types of the `break` values of each loop that has any.
    pub(super) breaks: LiteMap<LoopId, Type>,
}

/// The maximum number of scalars in an argument of a message.
const MOST_WORDS: usize = 64;

impl Typing<'_, '_, '_> {
    pub(super) fn of(&self, id: ExprId) -> &Type {
        &self.types[id.index()]
    }

    /// Reports an inconsistency unless `actual` is accepted where `expected` is required.
    pub(super) fn require(&mut self, actual: &Type, expected: &Type, what: &str, span: Span) {
        if !is_assignable(actual, expected) {
            self.scope.inconsistent(span, format!("{what} is `{actual}`, not `{expected}`"));
        }
    }

    pub(super) fn require_expr(&mut self, id: ExprId, expected: &Type, what: &str) {
        let actual = self.of(id).clone();
        let span = self.scope.instance.function.expr(id).span;
        self.require(&actual, expected, what, span);
    }

    /// Reports an inconsistency, and returns the type `!`, which is accepted everywhere.
    pub(super) fn wrong(&mut self, span: Span, message: impl Into<String>) -> Type {
        self.scope.inconsistent(span, message);
        Type::Never
    }

    fn expr(&mut self, kind: &ExprKind, span: Span) -> Type {
        match kind {
            ExprKind::Literal { value, slot } => {
                let ty = self.scope.slot_type(*slot);
                self.literal(value, ty, span)
            }
            ExprKind::Local(local) => self.function.local_type(*local).clone(),
            ExprKind::Constant(slot) => self.scope.slot_constant(*slot).map_or(Type::Never, |known| known.ty.clone()),
            ExprKind::Unary { op, operand, operator } => self.unary(*op, *operand, *operator, span),
            ExprKind::Binary { op, left, right, operator } => self.binary(*op, [*left, *right], *operator, span),
            ExprKind::Logical { op: _, left, right } => {
                self.require_expr(*left, &Type::BOOL, "an operand of `&&` or `||`");
                self.require_expr(*right, &Type::BOOL, "an operand of `&&` or `||`");
                Type::BOOL
            }
            ExprKind::Cast { operand, slot } => {
                let to = self.scope.slot_type(*slot);
                self.cast(*operand, to, span)
            }
            ExprKind::Index { base, index } => self.index(*base, *index, span),
            ExprKind::SubSlice { base, start, end, inclusive: _ } => {
                for bound in [start, end].into_iter().flatten() {
                    self.require_expr(*bound, &self.scope.index_type(), "a bound of a sub-slice");
                }
                self.sub_slice(*base, false, span)
            }
            ExprKind::Field { base, name } => self.field(*base, name, span),
            ExprKind::Tuple(parts) if parts.is_empty() => Type::Unit,
            ExprKind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.of(*part).clone()).collect()),
            ExprKind::Struct { slot, name, fields, base } => self.structure(*slot, name, fields, *base, span),
            ExprKind::Array(elements) => self.array(elements, span),
            ExprKind::Repeat { value, slot } => match self.scope.slot_type(*slot) {
                Type::Array(element, len) => {
                    if len > 0 || *self.of(*value) != Type::Unit {
                        self.require_expr(*value, &element, "the element of an array");
                    }
                    Type::Array(element, len)
                }
                other => self.wrong(span, format!("an array of type `{other}`")),
            },
            ExprKind::Call { callee, args } => self.scope.call(*callee, args, &self.types, span),
            ExprKind::Borrow { place, mutable } => self.borrow(*place, *mutable, span),
            ExprKind::Deref(reference) => match self.of(*reference).clone() {
                Type::Ref { target, mutable: _ } => *target,
                Type::Never => Type::Never,
                other => self.wrong(span, format!("`*` of `{other}`")),
            },
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => self.branch(*condition, then, *otherwise, span),
            ExprKind::Match { scrutinee, arms } => self.arms(*scrutinee, arms, span),
            ExprKind::Labelled { id, body } => {
                let end = self.block(body);
                match self.breaks.get(id).cloned() {
                    Some(breaks) => self.join(end, breaks, "the values of a labelled block", span),
                    None => end,
                }
            }
            ExprKind::Loop { id, body, unroll: _ } => {
                self.body(body, span);
                self.breaks.get(id).cloned().unwrap_or(Type::Never)
            }
            ExprKind::While { id, condition, body, unroll: _ } => {
                self.require_expr(*condition, &Type::BOOL, "the condition of a `while`");
                self.counting_loop(*id, body, span)
            }
            ExprKind::For { id, sequence, body, unroll: _ } => {
                self.sequence(sequence, span);
                self.counting_loop(*id, body, span)
            }
            ExprKind::Break { target, value } => {
                let value = value.map_or(Type::Unit, |value| self.of(value).clone());
                let joined = match self.breaks.remove(target) {
                    Some(earlier) => self.join(earlier, value, "the `break`s of a loop", span),
                    None => value,
                };
                self.breaks.insert(*target, joined);
                Type::Never
            }
            ExprKind::Return(value) => {
                let value = value.map_or(Type::Unit, |value| self.of(value).clone());
                let function = self.function;
                self.require(&value, &function.signature.result, "the returned value", span);
                Type::Never
            }
            ExprKind::Assign { place, value } => {
                let (place, value) = (self.of(*place).clone(), self.of(*value).clone());
                self.require(&value, &place, "the assigned value", span);
                Type::Unit
            }
            ExprKind::AssignOp { op, place, value, operator } => self.assign_op(*op, [*place, *value], *operator, span),
            ExprKind::Panic(message) => {
                self.message(message);
                Type::Never
            }
            ExprKind::Print(message) => {
                self.message(message);
                Type::Unit
            }
            ExprKind::Continue { target: _ } => Type::Never,
        }
    }

    /// Returns the type of a literal, if the type can represent it.
    pub(super) fn literal(&mut self, value: &Literal, ty: Type, span: Span) -> Type {
        let fits = match (value, ty.scalar()) {
            (Literal::Bool(_), Some(Scalar::Bool)) => true,
            (Literal::Int { magnitude, negative }, Some(scalar)) if scalar.is_integer() => {
                let values = 1u128 << (scalar.bits() - u32::from(scalar.is_signed()));
                if *negative {
                    *magnitude <= values && (scalar.is_signed() || *magnitude == 0)
                } else {
                    *magnitude < values
                }
            }
            // A float literal is valid for every float type.
            (Literal::Float(digits), Some(scalar)) if scalar.is_float() => digits.parse::<f64>().is_ok(),
            _ => false,
        };
        if fits { ty } else { self.wrong(span, format!("the literal {value:?} does not fit `{ty}`")) }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, operator: SlotId, span: Span) -> Type {
        if let Some(function) = self.scope.slot_operator(operator) {
            return self.scope.function(function, &[operand], &self.types, span);
        }
        let ty = self.of(operand).clone();
        match (op, &ty) {
            (_, Type::Never) => ty,
            (UnaryOp::Neg, Type::Scalar(scalar)) if scalar.is_float() || scalar.is_signed() => ty,
            (UnaryOp::Not, Type::Scalar(scalar)) if !scalar.is_float() => ty,
            (UnaryOp::Neg, _) => self.wrong(span, format!("`-` of `{ty}`")),
            (UnaryOp::Not, _) => self.wrong(span, format!("`!` of `{ty}`")),
        }
    }

    fn binary(&mut self, op: BinaryOp, operands: [ExprId; 2], operator: SlotId, span: Span) -> Type {
        use BinaryOp as B;
        let Some(function) = self.scope.slot_operator(operator) else {
            return self.built_in(op, operands, span);
        };
        let result = self.scope.function(function, &operands, &self.types, span);
        match op {
            // `!=` is the negation of `eq`.
            B::Eq | B::Ne => {
                self.require(&result, &Type::BOOL, "the result of a comparison", span);
                Type::BOOL
            }
            B::Lt | B::Le | B::Gt | B::Ge => self.wrong(span, format!("a function for {op:?}")),
            B::Add | B::Sub | B::Mul | B::Div | B::Rem | B::BitAnd | B::BitOr | B::BitXor | B::Shl | B::Shr => result,
        }
    }

    /// Returns the result type of a built-in operator on two scalars, or of a comparison.
    fn built_in(&mut self, op: BinaryOp, [left, right]: [ExprId; 2], span: Span) -> Type {
        use BinaryOp as B;
        let (left, right) = (self.of(left).clone(), self.of(right).clone());
        if left == Type::Never || right == Type::Never {
            return if op.is_comparison() { Type::BOOL } else { left };
        }
        let fits = match (&left, &right) {
            (Type::Scalar(left), Type::Scalar(right)) => match op {
                B::Add | B::Sub | B::Mul | B::Div | B::Rem => left == right && *left != Scalar::Bool,
                B::BitAnd | B::BitOr | B::BitXor => left == right && !left.is_float(),
                B::Shl | B::Shr => left.is_integer() && right.is_integer(),
                B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge => left == right,
            },
            _ => left == right && op.is_comparison() && left.is_comparable(),
        };
        if !fits {
            return self.wrong(span, format!("{op:?} of `{left}` and `{right}`"));
        }
        if op.is_comparison() { Type::BOOL } else { left }
    }

    fn assign_op(&mut self, op: BinaryOp, operands: [ExprId; 2], operator: SlotId, span: Span) -> Type {
        if op.is_comparison() {
            return self.wrong(span, "a comparison cannot be combined with an assignment");
        }
        if let Some(function) = self.scope.slot_operator(operator) {
            let result = self.scope.function(function, &operands, &self.types, span);
            self.require(&result, &Type::Unit, "the result of a compound assignment", span);
        } else {
            self.built_in(op, operands, span);
        }
        Type::Unit
    }

    fn cast(&mut self, operand: ExprId, to: Type, span: Span) -> Type {
        let from = self.of(operand).clone();
        match (&from, &to) {
            (Type::Scalar(from), Type::Scalar(scalar)) if *scalar != Scalar::Bool || *from == Scalar::Bool => to,
            (Type::Enum(_), Type::Scalar(scalar)) if scalar.is_integer() => to,
            (Type::Never, _) => to,
            _ => self.wrong(span, format!("a cast from `{from}` to `{to}`")),
        }
    }

    fn structure(
        &mut self,
        slot: SlotId,
        name: &str,
        values: &[(String, ExprId)],
        base: Option<ExprId>,
        span: Span,
    ) -> Type {
        let ty = self.scope.slot_type(slot);
        if ty.tag().is_some() {
            return self.enum_value(ty, name, values, base, span);
        }
        // `Kind::Leaf {}`
        if let (Type::Enum(choice), [], None) = (&ty, values, base) {
            if choice.variants.iter().any(|variant| variant.name == *name) {
                return ty;
            }
            self.no_variant(name, &ty, span);
            return Type::Never;
        }
        let Type::Struct(StructType { fields, .. }) = &ty else {
            return self.wrong(span, format!("`{ty}` is not a struct"));
        };
        for (i, (name, value)) in values.iter().enumerate() {
            if values[..i].iter().any(|(earlier, _)| earlier == name) {
                return self.wrong(span, format!("`{ty}` is given `{name}` twice"));
            }
            match fields.iter().find(|field| field.name == *name) {
                Some(field) => self.require_expr(*value, &field.ty, "the value of a field"),
                None => return self.wrong(span, format!("`{ty}` has no field `{name}`")),
            }
        }
        match base {
            Some(base) => self.require_expr(base, &ty, "the base of a struct expression"),
            None if values.len() < fields.len() => {
                return self.wrong(span, format!("`{ty}` is given {} of {} fields", values.len(), fields.len()));
            }
            None => {}
        }
        ty
    }

    /// Returns the type of a variant with its fields.
    fn enum_value(
        &mut self,
        ty: Type,
        name: &str,
        values: &[(String, ExprId)],
        base: Option<ExprId>,
        span: Span,
    ) -> Type {
        let Some(variant) = ty.variant(name) else {
            self.no_variant(name, &ty, span);
            return Type::Never;
        };
        let known = ty.payload_fields(variant);
        let is_given = |(field, _, _): &(&str, _, _)| values.iter().filter(|(given, _)| given == field).count() == 1;
        if base.is_some() || values.len() != known.len() || !known.iter().all(is_given) {
            return self.wrong(span, format!("`{ty}::{name}` is not given each of its fields once"));
        }
        for (field, value) in values {
            if let Some((_, _, of)) = known.iter().find(|(known, _, _)| known == field) {
                self.require_expr(*value, of, "the value of a field");
            }
        }
        ty
    }

    fn array(&mut self, elements: &[ExprId], span: Span) -> Type {
        let mut joined = Type::Never;
        for element in elements {
            let element = self.of(*element).clone();
            joined = self.join(joined, element, "the elements of an array", span);
        }
        match joined {
            Type::Never => Type::Never,
            element => Type::Array(Box::new(element), elements.len() as u64),
        }
    }

    fn message(&mut self, message: &Message) {
        let Message { pieces, args } = message;
        for (i, arg) in args.iter().enumerate() {
            let ty = self.of(*arg).clone();
            // Only an enum's own implementation knows its `{}`; its `{:?}` is the variant's name.
            let as_name = pieces.iter().all(|piece| match piece {
                Piece::Number { position, format } => *position as usize != i || format.ends_with('?'),
                Piece::Text(_) => true,
            });
            let diagnostic = match (ty.target(), ty.words()) {
                (Type::Scalar(_) | Type::Never, _) => continue,
                (_, None) => Diagnostic::new(
                    format!("a format argument of type `{ty}` is not supported"),
                    "the host formats the message, and receives values, not the memory behind a reference",
                    "pass the elements individually, as in `{} {}`",
                ),
                (_, Some(_)) if !as_name => Diagnostic::new(
                    format!("a format argument of type `{ty}` needs `{{:?}}`"),
                    "its `Display` is compiled for the host only",
                    "write `{:?}`, which formats it as a derived `Debug` does, or pass its parts",
                ),
                (_, Some(words)) if words > MOST_WORDS => Diagnostic::new(
                    format!("a format argument of type `{ty}` has more than {MOST_WORDS} scalars"),
                    "a message has a fixed capacity for the scalars that the device passes to the host",
                    "print its parts in a loop",
                ),
                (_, Some(_)) => continue,
            };
            let span = self.scope.instance.function.expr(*arg).span;
            self.scope.error(span, diagnostic);
        }
    }

    /// Returns the common type of two alternative values.
    pub(super) fn join(&mut self, one: Type, other: Type, what: &str, span: Span) -> Type {
        if is_assignable(&one, &other) {
            other
        } else if is_assignable(&other, &one) {
            one
        } else {
            self.wrong(span, format!("{what} are `{one}` and `{other}`"))
        }
    }
}
