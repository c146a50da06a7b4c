//! Lowering of built-in methods.
//!
//! This file handles slices, arrays and views, and methods common to all scalars; see `float` and `integer` for the
//! others.

use crate::ir::{
    AnyMethod, ConversionMethod, ExprId, LengthMethod, Method, MethodGroup, NumberMethod, Scalar, SequenceMethod, Span,
    Type, ViewMethod,
};
use crate::source::SiteKind;

use crate::lower::function::Lowering;
use crate::lower::number::cast::cast;
use crate::lower::number::float;
use crate::lower::value::Value;
use crate::lower::{CType, CallTarget, Expr, Helper, Op, Operator, Prefix, StmtKind};

impl Lowering<'_, '_> {
    /// `receiver.method(args)`, with the receiver as the first argument. Methods have no side effects.
    pub(in crate::lower) fn method(&mut self, method: Method, args: &[ExprId], id: ExprId) -> (Value, bool) {
        let Some((receiver, rest)) = args.split_first() else { return (Value::Never, false) };
        let value = match (method.group(), self.ty(*receiver).target()) {
            // A diverging receiver: only its side effects remain.
            (_, Type::Never) => self.value(*receiver),
            (MethodGroup::AnyMethod(AnyMethod::Clone), _) => {
                let value = self.value(*receiver);
                self.load(value)
            }
            (MethodGroup::LengthMethod(method), Type::View { .. }) => self.len_of_view(method, args),
            (MethodGroup::LengthMethod(method), _) => self.len_of_sequence(method, *receiver),
            (MethodGroup::SequenceMethod(method), _) => self.split(method, *receiver, rest, id),
            (MethodGroup::ViewMethod(method), _) => self.view_method(method, args, id),
            (MethodGroup::FloatFunction(method), _) => {
                self.scalars(args, |this, scalar, numbers| this.float_function(method, scalar, numbers))
            }
            (MethodGroup::FloatMethod(method), _) => {
                self.scalars(args, |this, scalar, numbers| this.float_method(method, scalar, numbers))
            }
            (MethodGroup::ClassMethod(method), _) => {
                self.scalars(args, |_, scalar, numbers| float::class(method, scalar, numbers))
            }
            (MethodGroup::ConversionMethod(method), _) => {
                self.scalars(args, |_, scalar, numbers| conversion(method, scalar, numbers))
            }
            (MethodGroup::NumberMethod(method), _) => {
                let span = self.expr(id).span;
                self.scalars(args, |this, scalar, numbers| this.number_method(method, scalar, numbers, span))
            }
            (MethodGroup::IntegerMethod(method), _) => {
                let span = self.expr(id).span;
                self.scalars(args, |this, scalar, numbers| this.integer_method(method, scalar, numbers, span))
            }
        };
        (value, false)
    }

    fn len_of_sequence(&mut self, method: LengthMethod, receiver: ExprId) -> Value {
        let len = match self.place(&mut Vec::new(), receiver) {
            Value::Slice { len, .. } => len,
            Value::Parts(parts) => Expr::int(Scalar::Usize, parts.len() as u64),
            Value::Place { lvalue: whole, target: Type::Array(_, len) } | Value::Whole(whole, Type::Array(_, len)) => {
                // Nothing is read, but an index of the receiver may be out of bounds.
                if self.can_fault(&whole) {
                    self.push(StmtKind::Expr(whole));
                }
                Expr::int(Scalar::Usize, len)
            }
            _ => return Value::Never,
        };
        length(method, len)
    }

    fn len_of_view(&mut self, method: LengthMethod, args: &[ExprId]) -> Value {
        match self.operands(args).pop() {
            Some(Value::View { lens, .. }) => length(method, product(&lens)),
            _ => Value::Never,
        }
    }

    fn split(&mut self, method: SequenceMethod, receiver: ExprId, args: &[ExprId], id: ExprId) -> Value {
        let mut operands = Vec::new();
        let base = self.place(&mut operands, receiver);
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
        let mutable = method == SequenceMethod::SplitAtMut;
        let half = |pointer, len| Value::Slice { pointer, len, element: element.clone(), mutable };
        let rest = Expr::binary(Operator::Add, pointer.clone(), at.clone());
        let rest_len = Expr::binary(Operator::Sub, len, at.clone());
        Value::Parts(vec![half(pointer, at), half(rest, rest_len)])
    }

    fn view_method(&mut self, method: ViewMethod, args: &[ExprId], id: ExprId) -> Value {
        let mut values = self.operands(args).into_iter();
        let Some(Value::View { pointer, mut lens, mut strides, element, mutable }) = values.next() else {
            return Value::Never;
        };
        let (axis, name, mutable) = match method {
            ViewMethod::Nrows => return Value::usize(lens.swap_remove(0)),
            ViewMethod::Ncols => return Value::usize(lens.swap_remove(1)),
            ViewMethod::Shape => {
                self.output.types.arrays = true;
                let ty = Type::Array(Box::new(Type::USIZE), lens.len() as u64);
                return if lens.is_empty() {
                    self.empty(&ty)
                } else {
                    Value::Whole(Expr::Array(CType::USIZE, lens), ty)
                };
            }
            ViewMethod::Dim if lens.len() == 1 => return Value::usize(lens.swap_remove(0)),
            ViewMethod::Dim => return Value::Parts(lens.into_iter().map(Value::usize).collect()),
            ViewMethod::Transposed => {
                lens.reverse();
                strides.reverse();
                return Value::View { pointer, lens, strides, element, mutable };
            }
            ViewMethod::IsStandardLayout => return Value::bool(is_contiguous(&lens, &strides)),
            ViewMethod::AsSlice | ViewMethod::AsSliceMut => {
                return self.elements_of_view(method, pointer, (&lens, &strides), element, id);
            }
            ViewMethod::Row => (0, Method::Row, false),
            ViewMethod::Plane => (0, Method::Plane, false),
            ViewMethod::RowMut => (0, Method::RowMut, true),
            ViewMethod::PlaneMut => (0, Method::PlaneMut, true),
            ViewMethod::Volume => (0, Method::Volume, false),
            ViewMethod::VolumeMut => (0, Method::VolumeMut, true),
            ViewMethod::Column => (1, Method::Column, false),
            ViewMethod::ColumnMut => (1, Method::ColumnMut, true),
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
            Some(ty) => self.constant(name.name(), ty, start),
            None => start,
        };
        Value::View { pointer: start, lens, strides, element, mutable }
    }

    /// `v.as_slice().unwrap()`: the elements of a view as a slice, with a check that they are contiguous.
    fn elements_of_view(
        &mut self,
        method: ViewMethod,
        pointer: Expr,
        (lens, strides): (&[Expr], &[Expr]),
        element: Type,
        id: ExprId,
    ) -> Value {
        if self.output.options.bounds_checks {
            // Registered in any case: the sources for contiguous and for strided views have the same sites.
            let text = SiteKind::panic("called `Option::unwrap()` on a `None` value");
            let site = self.site(text, self.expr(id).span);
            let condition = is_contiguous(lens, strides);
            if condition != Expr::Literal(Scalar::Bool, 1) {
                let (then, ()) = self.scope(|this| this.push(StmtKind::Fault { site, args: Vec::new() }));
                let condition = Expr::unary(Prefix::Not, condition);
                self.push(StmtKind::If { condition, then, otherwise: Vec::new() });
            }
        }
        let len = product(lens);
        let len = if lens.len() == 1 { len } else { self.constant("len", CType::USIZE, len) };
        Value::Slice { pointer, len, element, mutable: method == ViewMethod::AsSliceMut }
    }

    /// Returns the scalar value of an expression, or of its referent.
    fn number(&mut self, id: ExprId) -> Expr {
        let value = self.value(id);
        self.load(value).expr()
    }

    /// Evaluates the arguments of a method of scalars, and lowers it for the type of the receiver.
    fn scalars(&mut self, args: &[ExprId], lower: impl FnOnce(&mut Self, Scalar, Vec<Expr>) -> Value) -> Value {
        let mut numbers = Vec::with_capacity(args.len());
        let mut scalar = None;
        for value in self.operands(args) {
            let Value::Scalar(expr, of) = self.load(value) else { return Value::Never };
            scalar = scalar.or(Some(of));
            numbers.push(expr);
        }
        scalar.map_or(Value::Never, |scalar| lower(self, scalar, numbers))
    }

    /// Lowers a method of integers and floats.
    fn number_method(&mut self, method: NumberMethod, scalar: Scalar, args: Vec<Expr>, span: Span) -> Value {
        use NumberMethod as M;
        let helper = |op, args| Expr::helper(Helper::new(op, scalar), args);
        let function = |single, double, args| {
            Expr::Call(CallTarget::Builtin(if scalar == Scalar::F32 { single } else { double }), args)
        };
        let is_large_float = matches!(scalar, Scalar::F32 | Scalar::F64);
        let expr = match method {
            M::Abs if is_large_float => function("fabsf", "fabs", args),
            M::Abs if scalar.is_integer() && self.overflow_checks() => {
                self.checked(Op::CheckedAbs, SiteKind::Overflow("attempt to negate with overflow"), scalar, args, span)
            }
            M::Abs => helper(Op::Abs, args),
            M::Signum => helper(Op::Signum, args),
            // `fminf` and `fmaxf` return the number if one operand is NaN, as in Rust.
            M::Min if is_large_float => function("fminf", "fmin", args),
            M::Max if is_large_float => function("fmaxf", "fmax", args),
            M::Min => helper(Op::Min, args),
            M::Max => helper(Op::Max, args),
            M::Clamp if scalar.is_integer() => self.clamp(scalar, args, "min > max", span),
            M::Clamp if is_large_float => self.clamp(scalar, args, "min > max, or either was NaN", span),
            M::Clamp => self.clamp(scalar, args, "assertion failed: min <= max", span),
        };
        Value::Scalar(expr, scalar)
    }

    /// Returns a scalar that is used repeatedly, but computed once.
    pub(in crate::lower) fn reused(&mut self, hint: &str, number: Expr, scalar: Scalar) -> Expr {
        match number {
            Expr::Var(_) | Expr::Literal(..) if self.is_stable(&number) => number,
            number => self.constant(hint, CType::Scalar(scalar), number),
        }
    }

    /// Returns a call of a helper with a single fault site.
    pub(in crate::lower) fn checked(
        &mut self,
        op: Op,
        kind: SiteKind,
        scalar: Scalar,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let site = self.site(kind, span);
        Expr::faulting(Helper::new(op, scalar), site, args)
    }

    /// Lowers `clamp`. Literal bounds that are ordered need no check.
    fn clamp(&mut self, scalar: Scalar, args: Vec<Expr>, message: &str, span: Span) -> Expr {
        match args.as_slice() {
            [_, Expr::Literal(_, low), Expr::Literal(_, high)] if in_order(scalar, *low, *high) => {
                return Expr::helper(Helper::new(Op::ClampTo, scalar), args);
            }
            _ => {}
        }
        self.checked(Op::Clamp, SiteKind::panic(message), scalar, args, span)
    }
}

/// Returns the product of the lengths of a view: the number of its elements.
fn product(lens: &[Expr]) -> Expr {
    let product = lens.iter().cloned().reduce(|product, len| Expr::binary(Operator::Mul, product, len));
    product.unwrap_or(Expr::int(Scalar::Usize, 1))
}

/// Returns whether the elements of a view are contiguous in row-major order: a literal if its strides follow from its
/// lengths. The stride of a dimension of length 1 is irrelevant.
fn is_contiguous(lens: &[Expr], strides: &[Expr]) -> Expr {
    let one = || Expr::int(Scalar::Usize, 1);
    let either = |left, right| Expr::binary(Operator::Either, left, right);
    let (mut expected, mut all) = (one(), None);
    for (len, stride) in lens.iter().zip(strides).rev() {
        if *stride != expected {
            let is_single = Expr::binary(Operator::Eq, len.clone(), one());
            let test = either(is_single, Expr::binary(Operator::Eq, stride.clone(), expected.clone()));
            all = Some(match all {
                Some(all) => Expr::binary(Operator::Both, all, test),
                None => test,
            });
        }
        expected = match expected {
            Expr::Literal(_, 1) => len.clone(),
            product => Expr::binary(Operator::Mul, len.clone(), product),
        };
    }
    let Some(all) = all else { return Expr::Literal(Scalar::Bool, 1) };
    let is_empty = |len: &Expr| Expr::binary(Operator::Eq, len.clone(), Expr::int(Scalar::Usize, 0));
    lens.iter().fold(all, |any, len| either(any, is_empty(len)))
}

/// Returns the length of a sequence, or whether it is 0.
fn length(method: LengthMethod, len: Expr) -> Value {
    match method {
        LengthMethod::Len => Value::usize(len),
        LengthMethod::IsEmpty => Value::bool(Expr::binary(Operator::Eq, len, Expr::int(Scalar::Usize, 0))),
    }
}

/// Lowers conversions that only change a scalar's type or reinterpret its bits.
fn conversion(method: ConversionMethod, scalar: Scalar, mut args: Vec<Expr>) -> Value {
    use ConversionMethod as C;
    let builtin = |name, arg| Expr::Call(CallTarget::Builtin(name), vec![arg]);
    let helper = |op, half, arg| Expr::helper(Helper::new(op, half), vec![arg]);
    let Some(from) = args.pop() else { return Value::Never };
    let (expr, to) = match method {
        C::ToF32 => (cast(from, scalar, Scalar::F32), Scalar::F32),
        C::ToF64 => (cast(from, scalar, Scalar::F64), Scalar::F64),
        C::F16FromF32 | C::F16FromF64 => (cast(from, scalar, Scalar::F16), Scalar::F16),
        C::Bf16FromF32 | C::Bf16FromF64 => (cast(from, scalar, Scalar::Bf16), Scalar::Bf16),
        C::F32FromBits => (builtin("__uint_as_float", from), Scalar::F32),
        C::F64FromBits => (builtin("__longlong_as_double", Expr::cast(Scalar::I64, from)), Scalar::F64),
        C::F16FromBits => (helper(Op::FromBits, Scalar::F16, from), Scalar::F16),
        C::Bf16FromBits => (helper(Op::FromBits, Scalar::Bf16, from), Scalar::Bf16),
        C::ToBits if scalar == Scalar::F32 => (builtin("__float_as_uint", from), Scalar::U32),
        C::ToBits if scalar == Scalar::F64 => {
            (Expr::cast(Scalar::U64, builtin("__double_as_longlong", from)), Scalar::U64)
        }
        C::ToBits => (helper(Op::ToBits, scalar, from), Scalar::U16),
    };
    Value::Scalar(expr, to)
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
