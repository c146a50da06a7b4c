//! Lowering of built-in methods.
//!
//! This file handles slices, arrays and views, and methods common to all scalars; see `float` and `integer` for the
//! others.

use crate::ir::{ExprId, Method, Scalar, Span, Type};
use crate::source::SiteKind;

use super::cast::cast;
use super::function::Lowering;
use super::value::Value;
use super::{CType, Callee, Expr, Helper, Op, Operator, StmtKind};

impl Lowering<'_, '_> {
    /// `receiver.method(args)`, with the receiver as the first argument. Methods have no side effects.
    pub(super) fn method(&mut self, method: Method, args: &[ExprId], id: ExprId) -> (Value, bool) {
        let Some((receiver, rest)) = args.split_first() else { return (Value::Never, false) };
        let value = match self.ty(*receiver).target() {
            _ if method == Method::Clone => {
                let value = self.value(*receiver);
                self.load(value)
            }
            Type::Array(..) | Type::Slice { .. } => self.sequence_method(method, *receiver, rest, id),
            Type::View { .. } => self.view_method(method, args, id),
            Type::Scalar(_) => self.number_method(method, args, self.expr(id).span),
            // A diverging receiver: only its side effects remain.
            Type::Never => self.value(*receiver),
            Type::Unit | Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) | Type::Ref { .. } => Value::Never,
        };
        (value, false)
    }

    fn sequence_method(&mut self, method: Method, receiver: ExprId, args: &[ExprId], id: ExprId) -> Value {
        let mut operands = Vec::new();
        let base = self.place(&mut operands, receiver);
        match method {
            Method::Len | Method::IsEmpty => {
                let len = match base {
                    Value::Slice { len, .. } => len,
                    Value::Place { lvalue: whole, target: Type::Array(_, len) }
                    | Value::Whole(whole, Type::Array(_, len)) => {
                        // Nothing is read, but an index of the receiver may be out of bounds.
                        if self.can_fault(&whole) {
                            self.push(StmtKind::Expr(whole));
                        }
                        Expr::int(Scalar::Usize, len)
                    }
                    _ => return Value::Never,
                };
                match method {
                    Method::IsEmpty => Value::bool(Expr::binary(Operator::Eq, len, Expr::int(Scalar::Usize, 0))),
                    _ => Value::usize(len),
                }
            }
            Method::SplitAt | Method::SplitAtMut => {
                let Some(at) = args.first() else { return Value::Never };
                operands.push(base);
                let mark = self.out.len();
                let at = self.number(*at);
                self.preserve(mark, &mut operands);
                let Some(base) = operands.pop() else { return Value::Never };
                let Value::Slice { pointer, len, element, mutable: _ } = self.as_slice(base) else {
                    return Value::Never;
                };
                let at = if self.output.options.bounds_checks {
                    let site = self.site(SiteKind::panic("mid > len"), self.expr(id).span);
                    Expr::faulting(Helper::new(Op::SplitAt, Scalar::Usize), site, vec![at, len.clone()])
                } else {
                    at
                };
                let at = self.reused("at", at, Scalar::Usize);
                let mutable = method == Method::SplitAtMut;
                let half = |pointer, len| Value::Slice { pointer, len, element: element.clone(), mutable };
                let rest = Expr::binary(Operator::Add, pointer.clone(), at.clone());
                let rest_len = Expr::binary(Operator::Sub, len, at.clone());
                Value::Parts(vec![half(pointer, at), half(rest, rest_len)])
            }
            // `typify` has rejected methods that slices do not have.
            _ => Value::Never,
        }
    }

    fn view_method(&mut self, method: Method, args: &[ExprId], id: ExprId) -> Value {
        let mut values = self.operands(args).into_iter();
        let Some(Value::View { pointer, mut lens, mut strides, element, mutable }) = values.next() else {
            return Value::Never;
        };
        let len = |lens: Vec<Expr>| {
            let product = lens.into_iter().reduce(|product, len| Expr::binary(Operator::Mul, product, len));
            product.unwrap_or(Expr::int(Scalar::Usize, 1))
        };
        let (axis, mutable) = match method {
            Method::Len => return Value::usize(len(lens)),
            Method::IsEmpty => {
                return Value::bool(Expr::binary(Operator::Eq, len(lens), Expr::int(Scalar::Usize, 0)));
            }
            Method::Nrows => return Value::usize(lens.swap_remove(0)),
            Method::Ncols => return Value::usize(lens.swap_remove(1)),
            Method::Shape => {
                self.output.types.arrays = true;
                let ty = Type::Array(Box::new(Type::USIZE), lens.len() as u64);
                return Value::Whole(Expr::Array(CType::USIZE, lens), ty);
            }
            Method::Dim if lens.len() == 1 => return Value::usize(lens.swap_remove(0)),
            Method::Dim => return Value::Parts(lens.into_iter().map(Value::usize).collect()),
            Method::Transposed => {
                lens.reverse();
                strides.reverse();
                return Value::View { pointer, lens, strides, element, mutable };
            }
            Method::Row | Method::Plane => (0, false),
            Method::RowMut | Method::PlaneMut => (0, true),
            Method::Column => (1, false),
            Method::ColumnMut => (1, true),
            // `typify` has rejected methods that views do not have.
            _ => return Value::Never,
        };
        let Some(index) = values.next() else { return Value::Never };
        let index = self.load(index).expr();
        let (len, stride) = (lens.remove(axis), strides.remove(axis));
        let index = self.checked_index(index, len, id);
        let offset = match stride {
            Expr::Literal(_, 1) => index,
            stride => Expr::binary(Operator::Mul, index, stride),
        };
        let start = Expr::binary(Operator::Add, pointer, offset);
        // Checked here, whether or not it is used.
        let start = match self.pointer_type(&start) {
            Some(ty) => self.constant(method.name(), ty, start),
            None => start,
        };
        Value::View { pointer: start, lens, strides, element, mutable }
    }

    /// Returns the scalar value of an expression, or of its referent.
    fn number(&mut self, id: ExprId) -> Expr {
        let value = self.value(id);
        self.load(value).expr()
    }

    fn number_method(&mut self, method: Method, args: &[ExprId], span: Span) -> Value {
        let mut numbers = Vec::with_capacity(args.len());
        let mut scalar = None;
        for value in self.operands(args) {
            let Value::Scalar(expr, of) = self.load(value) else { return Value::Never };
            scalar = scalar.or(Some(of));
            numbers.push(expr);
        }
        match scalar {
            None => Value::Never,
            Some(scalar) => match conversion(method, scalar, &mut numbers) {
                Some(value) => value,
                None if scalar.is_half() => self.half_method(method, scalar, numbers, span),
                None if scalar.is_float() => self.float_method(method, scalar, numbers, span),
                None => self.integer_method(method, scalar, numbers, span),
            },
        }
    }

    /// Returns a scalar that is used repeatedly, but computed once.
    pub(super) fn reused(&mut self, hint: &str, number: Expr, scalar: Scalar) -> Expr {
        match number {
            Expr::Var(_) | Expr::Literal(..) if self.is_stable(&number) => number,
            number => self.constant(hint, CType::Scalar(scalar), number),
        }
    }

    /// Returns a call of a helper with a single fault site.
    pub(super) fn checked(&mut self, op: Op, kind: SiteKind, scalar: Scalar, args: Vec<Expr>, span: Span) -> Expr {
        let site = self.site(kind, span);
        Expr::faulting(Helper::new(op, scalar), site, args)
    }

    /// Lowers `clamp`. Literal bounds that are ordered need no check.
    pub(super) fn clamp(&mut self, scalar: Scalar, args: Vec<Expr>, message: &str, span: Span) -> Expr {
        match args.as_slice() {
            [_, Expr::Literal(_, low), Expr::Literal(_, high)] if in_order(scalar, *low, *high) => {
                return Expr::helper(Helper::new(Op::ClampTo, scalar), args);
            }
            _ => {}
        }
        self.checked(Op::Clamp, SiteKind::panic(message), scalar, args, span)
    }
}

/// Lowers conversions that only change a scalar's type or reinterpret its bits.
fn conversion(method: Method, scalar: Scalar, args: &mut Vec<Expr>) -> Option<Value> {
    use Method as M;
    let builtin = |name, arg| Expr::Call(Callee::Builtin(name), vec![arg]);
    let (to, from) = match method {
        M::ToBits | M::F32FromBits | M::F64FromBits | M::F16FromBits | M::Bf16FromBits => (None, args.pop()?),
        M::ToF32 => (Some(Scalar::F32), args.pop()?),
        M::ToF64 => (Some(Scalar::F64), args.pop()?),
        M::F16FromF32 | M::F16FromF64 => (Some(Scalar::F16), args.pop()?),
        M::Bf16FromF32 | M::Bf16FromF64 => (Some(Scalar::Bf16), args.pop()?),
        _ => return None,
    };
    if let Some(to) = to {
        return Some(Value::Scalar(cast(from, scalar, to), to));
    }
    Some(match (method, scalar) {
        (M::F32FromBits, _) => Value::Scalar(builtin("__uint_as_float", from), Scalar::F32),
        (M::F64FromBits, _) => {
            Value::Scalar(builtin("__longlong_as_double", Expr::cast(Scalar::I64, from)), Scalar::F64)
        }
        (M::F16FromBits, _) => {
            Value::Scalar(Expr::helper(Helper::new(Op::FromBits, Scalar::F16), vec![from]), Scalar::F16)
        }
        (M::Bf16FromBits, _) => {
            Value::Scalar(Expr::helper(Helper::new(Op::FromBits, Scalar::Bf16), vec![from]), Scalar::Bf16)
        }
        (_, Scalar::F32) => Value::Scalar(builtin("__float_as_uint", from), Scalar::U32),
        (_, Scalar::F64) => Value::Scalar(Expr::cast(Scalar::U64, builtin("__double_as_longlong", from)), Scalar::U64),
        (_, half) => Value::Scalar(Expr::helper(Helper::new(Op::ToBits, half), vec![from]), Scalar::U16),
    })
}

/// Returns whether `low <= high`, for numbers given by their bits.
fn in_order(scalar: Scalar, low: u64, high: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(low as u32) <= f32::from_bits(high as u32),
        Scalar::F64 => f64::from_bits(low) <= f64::from_bits(high),
        Scalar::F16 | Scalar::Bf16 => false,
        _ if scalar.is_signed() => {
            // Shifts the sign bit to the top of an i64.
            let widened = |bits: u64| (bits << (64 - scalar.bits())).cast_signed();
            widened(low) <= widened(high)
        }
        _ => low <= high,
    }
}
