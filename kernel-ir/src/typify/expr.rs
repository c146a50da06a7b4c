//! The types of expressions, each from those of its operands.

use std::collections::BTreeMap;

use crate::ir::{
    BinaryOp, Block, Expr, ExprId, ExprKind, Literal, LocalId, LoopId, Pattern, Range, Scalar, Span, Stmt, StructType,
    Type, UnaryOp,
};

use super::Scope;
use super::call::fits;

/// The types of all expressions. Operands come first in the table, so one pass in its order is enough.
///
/// An expression with an error has type `!`, which fits everywhere: one contradiction gives one error.
pub(super) fn types(scope: &mut Scope<'_, '_>, locals: &[Type], result: &Type) -> Vec<Type> {
    let function = &scope.instance.function;
    let mut typing =
        Typing { scope, locals, result, types: Vec::with_capacity(function.exprs.len()), breaks: BTreeMap::new() };
    for expr in &function.exprs {
        let ty = typing.expr(expr);
        typing.types.push(ty);
    }
    let body = typing.block(&function.body);
    typing.require(&body, result, "the function's body", function.span);
    typing.types
}

struct Typing<'s, 'a, 'e> {
    scope: &'s mut Scope<'a, 'e>,
    locals: &'s [Type],
    result: &'s Type,
    types: Vec<Type>,
    /// What the `break`s of each loop bring, for those that have one.
    breaks: BTreeMap<LoopId, Type>,
}

impl Typing<'_, '_, '_> {
    fn of(&self, id: ExprId) -> &Type {
        &self.types[id.index()]
    }

    fn require(&mut self, actual: &Type, expected: &Type, what: &str, span: Span) {
        if !fits(actual, expected) {
            self.scope.inconsistent(span, format!("{what} is `{actual}`, not `{expected}`"));
        }
    }

    fn require_expr(&mut self, id: ExprId, expected: &Type, what: &str) {
        let actual = self.of(id).clone();
        let span = self.scope.instance.function.expr(id).span;
        self.require(&actual, expected, what, span);
    }

    fn wrong(&mut self, span: Span, message: impl Into<String>) -> Type {
        self.scope.inconsistent(span, message);
        Type::Never
    }

    fn expr(&mut self, expr: &Expr) -> Type {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Literal { value, slot } => {
                let ty = self.scope.slot_type(*slot);
                self.literal(value, ty, span)
            }
            ExprKind::Local(local) => self.locals[local.index()].clone(),
            ExprKind::Constant(slot) => match self.scope.slot_constant(*slot) {
                Some(constant) => Type::Scalar(constant.scalar),
                None => Type::Never,
            },
            ExprKind::Unary { op, operand } => self.unary(*op, *operand, span),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.of(*left).clone(), self.of(*right).clone());
                self.binary(*op, &left, &right, span)
            }
            ExprKind::Logical { op: _, left, right } => {
                self.require_expr(*left, &Type::BOOL, "an operand of `&&` or `||`");
                self.require_expr(*right, &Type::BOOL, "an operand of `&&` or `||`");
                Type::BOOL
            }
            ExprKind::Cast { operand, slot } => {
                let to = self.scope.slot_type(*slot);
                self.cast(*operand, to, span)
            }
            ExprKind::Index { base, index } => {
                self.require_expr(*index, &Type::USIZE, "an index");
                match element(self.of(*base)) {
                    Some(element) => element,
                    None => self.wrong(span, format!("`{}` has no elements", self.of(*base))),
                }
            }
            ExprKind::Field { base, name } => self.field(*base, name, span),
            ExprKind::Tuple(parts) if parts.is_empty() => Type::Unit,
            ExprKind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.of(*part).clone()).collect()),
            ExprKind::Call { callee, args } => self.scope.call(*callee, args, &self.types, span),
            ExprKind::Method { receiver, method, args } => {
                self.scope.method((*receiver, args), *method, &self.types, span)
            }
            ExprKind::Borrow(place) => match self.of(*place).clone() {
                Type::Never => Type::Never,
                // `&mut buf` of what is already borrowed is that again.
                same @ (Type::Slice { .. } | Type::Shared(_)) => same,
                other => Type::Place(Box::new(other)),
            },
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                self.require_expr(*condition, &Type::BOOL, "the condition of an `if`");
                let then = self.block(then);
                let Some(otherwise) = otherwise else {
                    self.require(&then, &Type::Unit, "an `if` without `else`", span);
                    return Type::Unit;
                };
                let otherwise = self.of(*otherwise).clone();
                self.join(then, otherwise, "the arms of an `if`", span)
            }
            ExprKind::Loop { id, body } => {
                self.body(body, span);
                self.breaks.get(id).cloned().unwrap_or(Type::Never)
            }
            ExprKind::While { id, condition, body } => {
                self.require_expr(*condition, &Type::BOOL, "the condition of a `while`");
                self.counting_loop(*id, body, span)
            }
            ExprKind::For { id, local, range, body } => {
                self.range(range, *local, span);
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
                let result = self.result;
                self.require(&value, result, "what is returned", span);
                Type::Never
            }
            ExprKind::Assign { place, value } => {
                let (place, value) = (self.of(*place).clone(), self.of(*value).clone());
                self.require(&value, &place, "what is assigned", span);
                Type::Unit
            }
            ExprKind::AssignOp { op, place, value } => {
                let (place, value) = (self.of(*place).clone(), self.of(*value).clone());
                if op.is_comparison() {
                    return self.wrong(span, "a comparison cannot be combined with an assignment");
                }
                self.binary(*op, &place, &value, span);
                Type::Unit
            }
            ExprKind::Continue { target: _ } | ExprKind::Panic { message: _ } => Type::Never,
        }
    }

    fn literal(&mut self, value: &Literal, ty: Type, span: Span) -> Type {
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
            (Literal::Float(digits), Some(Scalar::F32)) => digits.parse::<f32>().is_ok(),
            (Literal::Float(digits), Some(Scalar::F64)) => digits.parse::<f64>().is_ok(),
            _ => false,
        };
        if fits { ty } else { self.wrong(span, format!("the literal {value:?} does not fit `{ty}`")) }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> Type {
        let ty = self.of(operand).clone();
        match (op, &ty) {
            (_, Type::Never) => ty,
            (UnaryOp::Neg, Type::Scalar(scalar)) if scalar.is_float() || scalar.is_signed() => ty,
            (UnaryOp::Not, Type::Scalar(scalar)) if !scalar.is_float() => ty,
            (UnaryOp::Neg, _) => self.wrong(span, format!("`-` of `{ty}`")),
            (UnaryOp::Not, _) => self.wrong(span, format!("`!` of `{ty}`")),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Type, right: &Type, span: Span) -> Type {
        use BinaryOp as B;
        if *left == Type::Never || *right == Type::Never {
            return if op.is_comparison() { Type::BOOL } else { left.clone() };
        }
        let fits = match (left.scalar(), right.scalar()) {
            (Some(left), Some(right)) => match op {
                B::Add | B::Sub | B::Mul | B::Div | B::Rem => left == right && left != Scalar::Bool,
                B::BitAnd | B::BitOr | B::BitXor => left == right && !left.is_float(),
                B::Shl | B::Shr => left.is_integer() && right.is_integer(),
                B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge => left == right,
            },
            _ => false,
        };
        if !fits {
            return self.wrong(span, format!("{op:?} of `{left}` and `{right}`"));
        }
        if op.is_comparison() { Type::BOOL } else { left.clone() }
    }

    fn cast(&mut self, operand: ExprId, to: Type, span: Span) -> Type {
        let from = self.of(operand).clone();
        match (from.scalar(), to.scalar()) {
            (Some(from), Some(to)) if to != Scalar::Bool || from == Scalar::Bool => Type::Scalar(to),
            _ if from == Type::Never => to,
            _ => self.wrong(span, format!("a cast from `{from}` to `{to}`")),
        }
    }

    fn field(&mut self, base: ExprId, name: &str, span: Span) -> Type {
        let base = self.of(base).clone();
        let found = match &base {
            Type::Never => Some(Type::Never),
            Type::Tuple(parts) => name.parse::<usize>().ok().and_then(|position| parts.get(position).cloned()),
            Type::Struct(StructType { name: _, fields }) => {
                fields.iter().find(|field| field.name == name).map(|field| field.ty.clone())
            }
            Type::Unit | Type::Scalar(_) | Type::Array(..) | Type::Slice { .. } | Type::Shared(_) | Type::Place(_) => {
                None
            }
        };
        match found {
            Some(ty) => ty,
            None => self.wrong(span, format!("`{base}` has no field `{name}`")),
        }
    }

    fn block(&mut self, block: &Block) -> Type {
        let mut diverges = false;
        for stmt in &block.stmts {
            diverges |= match stmt {
                Stmt::Let { pattern, init: Some(init), span } => {
                    let ty = self.of(*init).clone();
                    self.pattern(pattern, &ty, *span);
                    ty == Type::Never
                }
                Stmt::Let { pattern: _, init: None, span: _ } => false,
                Stmt::Expr(expr) => *self.of(*expr) == Type::Never,
            };
        }
        match block.tail {
            Some(tail) => self.of(tail).clone(),
            None if diverges => Type::Never,
            None => Type::Unit,
        }
    }

    /// The bounds of a `for`, and its variable.
    fn range(&mut self, range: &Range, local: Option<LocalId>, span: Span) {
        let Range { start, end, inclusive: _, step } = range;
        let (start, end) = (self.of(*start).clone(), self.of(*end).clone());
        let counter = self.join(start, end, "the bounds of a range", span);
        if !matches!(&counter, Type::Scalar(scalar) if scalar.is_integer()) && counter != Type::Never {
            self.wrong(span, format!("a range of `{counter}`"));
        }
        if let Some(step) = step {
            self.require_expr(*step, &Type::USIZE, "a step");
        }
        if let Some(local) = local {
            let locals = self.locals;
            self.require(&counter, &locals[local.index()], "the variable of a `for`", span);
        }
    }

    /// The body of a loop, which has no value.
    fn body(&mut self, body: &Block, span: Span) {
        let ty = self.block(body);
        self.require(&ty, &Type::Unit, "the body of a loop", span);
    }

    /// A loop that ends by itself, and so has no value either.
    fn counting_loop(&mut self, id: LoopId, body: &Block, span: Span) -> Type {
        self.body(body, span);
        if let Some(value) = self.breaks.get(&id).cloned() {
            self.require(&value, &Type::Unit, "the value of a `break` out of a `while` or `for`", span);
        }
        Type::Unit
    }

    fn pattern(&mut self, pattern: &Pattern, ty: &Type, span: Span) {
        match (pattern, ty) {
            (Pattern::Wild, _) | (Pattern::Tuple(_), Type::Never) => {}
            (Pattern::Local(local), _) => {
                let locals = self.locals;
                self.require(ty, &locals[local.index()], "the value of a `let`", span);
            }
            (Pattern::Tuple(patterns), Type::Tuple(parts)) if patterns.len() == parts.len() => {
                for (pattern, part) in patterns.iter().zip(parts) {
                    self.pattern(pattern, part, span);
                }
            }
            (Pattern::Tuple(patterns), _) => {
                self.wrong(span, format!("a pattern of {} parts for `{ty}`", patterns.len()));
            }
        }
    }

    /// The type of what comes from one place or another.
    fn join(&mut self, one: Type, other: Type, what: &str, span: Span) -> Type {
        if fits(&one, &other) {
            other
        } else if fits(&other, &one) {
            one
        } else {
            self.wrong(span, format!("{what} are `{one}` and `{other}`"))
        }
    }
}

/// What an index into a value of this type gives.
fn element(base: &Type) -> Option<Type> {
    match base {
        Type::Slice { element, mutable: _ } | Type::Array(element, _) => Some((**element).clone()),
        Type::Shared(inner) => match &**inner {
            Type::Array(element, _) => Some((**element).clone()),
            _ => None,
        },
        Type::Never => Some(Type::Never),
        Type::Unit | Type::Scalar(_) | Type::Tuple(_) | Type::Struct(_) | Type::Place(_) => None,
    }
}
