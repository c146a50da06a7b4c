//! Constant folding with the semantics of Rust's operators.
//!
//! Operations that would fault are not folded, nor is the arithmetic of `f16` and `bf16`.

use crate::ir::{BinaryOp, ConstantValue, ExprId, Literal, Scalar, StructType, Type, UnaryOp};

/// A constant value. Evaluating it has no side effects except those of its elements.
#[derive(Clone, Copy)]
pub(super) enum Known<'a> {
    /// The bits of a scalar, in the low-order bits; the remaining bits are zero.
    Scalar(Scalar, u64),
    /// An enum, or an aggregate constant.
    Constant(&'a Type, &'a ConstantValue),
    /// `(a, b)` or `[a, b]`, whose elements may be constant.
    Parts(&'a [ExprId]),
}

impl<'a> Known<'a> {
    pub(super) fn new(ty: &'a Type, value: &'a ConstantValue) -> Known<'a> {
        match (ty, value) {
            (Type::Scalar(scalar), ConstantValue::Bits(bits)) => Known::Scalar(*scalar, *bits),
            _ => Known::Constant(ty, value),
        }
    }

    pub(super) fn of_bool(value: bool) -> Known<'a> {
        Known::Scalar(Scalar::Bool, value.into())
    }

    pub(super) fn bool(self) -> Option<bool> {
        match self {
            Known::Scalar(Scalar::Bool, bits) => Some(bits != 0),
            Known::Scalar(..) | Known::Constant(..) | Known::Parts(_) => None,
        }
    }
}

/// Returns the index of a field in its struct or tuple.
pub(super) fn position(ty: &Type, name: &str) -> Option<usize> {
    match ty {
        Type::Struct(StructType { fields, .. }) => fields.iter().position(|field| field.name == name),
        _ => name.parse().ok(),
    }
}

/// Returns an element of a constant.
pub(super) fn part<'a>(ty: &'a Type, value: &'a ConstantValue, position: usize) -> Option<Known<'a>> {
    let ConstantValue::Parts(values) = value else { return None };
    if ty.tag().is_some() {
        return None;
    }
    let ty = match ty {
        Type::Struct(StructType { fields, .. }) => &fields.get(position)?.ty,
        Type::Tuple(parts) => parts.get(position)?,
        Type::Array(element, _) => element,
        Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Enum(_)
        | Type::Slice { .. }
        | Type::View { .. }
        | Type::Ref { .. } => return None,
    };
    Some(Known::new(ty, values.get(position)?))
}

/// Returns the bits of a literal of this type.
pub(super) fn literal(value: &Literal, scalar: Scalar) -> Option<u64> {
    match (value, scalar) {
        (Literal::Bool(value), Scalar::Bool) => Some((*value).into()),
        (Literal::Int { magnitude, negative }, scalar) if scalar.is_integer() => {
            let magnitude = i128::try_from(*magnitude).ok()?;
            from_int(scalar, if *negative { -magnitude } else { magnitude })
        }
        (Literal::Float(digits), Scalar::F32) => Some(digits.parse::<f32>().ok()?.to_bits().into()),
        (Literal::Float(digits), Scalar::F64) => Some(digits.parse::<f64>().ok()?.to_bits()),
        _ => None,
    }
}

/// Returns an integer's value, or a `bool`'s as 0 or 1.
fn to_int(scalar: Scalar, bits: u64) -> Option<i128> {
    if scalar.is_float() {
        return None;
    }
    let unused = 64 - scalar.bits();
    Some(if scalar.is_signed() { i128::from((bits << unused) as i64 >> unused) } else { bits.into() })
}

/// Returns the bits of an integer, if the type can represent it.
fn from_int(scalar: Scalar, value: i128) -> Option<u64> {
    let bits = wrap(scalar, value);
    (scalar.is_integer() && to_int(scalar, bits) == Some(value)).then_some(bits)
}

/// Returns the low-order bits of an integer.
fn wrap(scalar: Scalar, value: i128) -> u64 {
    value as u64 & (u64::MAX >> (64 - scalar.bits()))
}

/// Returns the exact value of a float.
fn to_float(scalar: Scalar, bits: u64) -> Option<f64> {
    match scalar {
        Scalar::F64 => Some(f64::from_bits(bits)),
        Scalar::F32 => Some(f32::from_bits(bits as u32).into()),
        Scalar::Bf16 => Some(f32::from_bits((bits as u32) << 16).into()),
        Scalar::F16 => {
            let (exponent, mantissa) = (bits >> 10 & 0x1f, (bits & 0x3ff) as f64);
            let magnitude = match exponent {
                0 => mantissa * 2f64.powi(-24),
                0x1f if mantissa == 0.0 => f64::INFINITY,
                0x1f => f64::NAN,
                _ => (1024.0 + mantissa) * 2f64.powi(exponent as i32 - 25),
            };
            Some(if bits >> 15 & 1 == 1 { -magnitude } else { magnitude })
        }
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::Isize
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Usize => None,
    }
}

pub(super) fn unary(op: UnaryOp, scalar: Scalar, bits: u64) -> Option<u64> {
    match op {
        UnaryOp::Neg if scalar.is_float() => Some(bits ^ 1 << (scalar.bits() - 1)),
        UnaryOp::Neg => from_int(scalar, -to_int(scalar, bits)?),
        UnaryOp::Not if scalar == Scalar::Bool => Some(bits ^ 1),
        UnaryOp::Not => Some(wrap(scalar, !to_int(scalar, bits)?)),
    }
}

/// Folds `as`, except to `f16` and `bf16`, which Rust does not support.
pub(super) fn cast(from: Scalar, bits: u64, to: Scalar) -> Option<u64> {
    if let Some(value) = to_float(from, bits) {
        return match to {
            Scalar::F64 => Some(value.to_bits()),
            Scalar::F32 => Some((value as f32).to_bits().into()),
            Scalar::F16 | Scalar::Bf16 | Scalar::Bool => None,
            _ => {
                let (least, greatest) = if to.is_signed() {
                    (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1)
                } else {
                    (0, (1i128 << to.bits()) - 1)
                };
                from_int(to, (value as i128).clamp(least, greatest))
            }
        };
    }
    let value = to_int(from, bits)?;
    match to {
        Scalar::F64 => Some((value as f64).to_bits()),
        Scalar::F32 => Some((value as f32).to_bits().into()),
        Scalar::F16 | Scalar::Bf16 => None,
        Scalar::Bool => (from == Scalar::Bool).then_some(bits),
        _ => Some(wrap(to, value)),
    }
}

pub(super) fn binary<'a>(op: BinaryOp, left: Known<'a>, right: Known<'a>) -> Option<Known<'a>> {
    use BinaryOp as B;
    if op.is_comparison() {
        return compare(op, left, right).map(Known::of_bool);
    }
    let (Known::Scalar(scalar, left), Known::Scalar(other, right)) = (left, right) else { return None };
    let bits = match (op, scalar) {
        (B::Shl | B::Shr, _) => {
            let amount = to_int(other, right).filter(|amount| (0..scalar.bits().into()).contains(amount))?;
            let value = to_int(scalar, left).filter(|_| scalar.is_integer())?;
            wrap(scalar, if op == B::Shl { value << amount } else { value >> amount })
        }
        _ if scalar != other => return None,
        (_, Scalar::F64) => float(op, f64::from_bits(left), f64::from_bits(right))?.to_bits(),
        // Sums, products and quotients of two `f32` are rounded identically, whether or not they were first rounded to
        // `f64` (Figueroa, "When is double rounding innocuous?", 1995); remainders are exact.
        (_, Scalar::F32) => {
            let (left, right) = (to_float(scalar, left)?, to_float(scalar, right)?);
            (float(op, left, right)? as f32).to_bits().into()
        }
        (B::BitAnd, _) => left & right,
        (B::BitOr, _) => left | right,
        (B::BitXor, _) => left ^ right,
        _ => {
            let (left, right) = (to_int(scalar, left)?, to_int(scalar, right)?);
            let value = match op {
                B::Add => left.checked_add(right),
                B::Sub => left.checked_sub(right),
                B::Mul => left.checked_mul(right),
                B::Div => left.checked_div(right),
                // The remainder of the minimum by -1 overflows, as the quotient does.
                B::Rem => from_int(scalar, left.checked_div(right)?).and(left.checked_rem(right)),
                B::BitAnd | B::BitOr | B::BitXor | B::Shl | B::Shr | B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge => {
                    None
                }
            };
            from_int(scalar, value?)?
        }
    };
    if scalar.is_float() && matches!(op, B::BitAnd | B::BitOr | B::BitXor) {
        return None;
    }
    Some(Known::Scalar(scalar, bits))
}

fn float(op: BinaryOp, left: f64, right: f64) -> Option<f64> {
    match op {
        BinaryOp::Add => Some(left + right),
        BinaryOp::Sub => Some(left - right),
        BinaryOp::Mul => Some(left * right),
        BinaryOp::Div => Some(left / right),
        BinaryOp::Rem => Some(left % right),
        _ => None,
    }
}

pub(super) fn compare(op: BinaryOp, left: Known<'_>, right: Known<'_>) -> Option<bool> {
    use BinaryOp as B;
    let (scalar, left_bits, right_bits) = match (left, right) {
        (Known::Scalar(scalar, left), Known::Scalar(other, right)) if scalar == other => (scalar, left, right),
        _ if op == B::Eq => return equal(left, right),
        _ if op == B::Ne => return equal(left, right).map(|equal| !equal),
        _ => return None,
    };
    let order = if scalar.is_float() {
        to_float(scalar, left_bits)?.partial_cmp(&to_float(scalar, right_bits)?)
    } else {
        Some(to_int(scalar, left_bits)?.cmp(&to_int(scalar, right_bits)?))
    };
    // Unordered values: at least one is NaN.
    Some(match op {
        B::Eq => order.is_some_and(std::cmp::Ordering::is_eq),
        B::Ne => !order.is_some_and(std::cmp::Ordering::is_eq),
        B::Lt => order.is_some_and(std::cmp::Ordering::is_lt),
        B::Le => order.is_some_and(std::cmp::Ordering::is_le),
        B::Gt => order.is_some_and(std::cmp::Ordering::is_gt),
        B::Ge => order.is_some_and(std::cmp::Ordering::is_ge),
        B::Add | B::Sub | B::Mul | B::Div | B::Rem | B::BitAnd | B::BitOr | B::BitXor | B::Shl | B::Shr => return None,
    })
}

/// Folds `==`. Also used to compare a value with the constant of a pattern.
pub(super) fn equal(left: Known<'_>, right: Known<'_>) -> Option<bool> {
    match (left, right) {
        (Known::Scalar(scalar, _), Known::Scalar(other, _)) if scalar == other => compare(BinaryOp::Eq, left, right),
        (Known::Constant(ty, left), Known::Constant(other, right)) if ty == other => match (left, right) {
            (ConstantValue::Bits(left), ConstantValue::Bits(right)) => Some(left == right),
            (ConstantValue::Parts(lefts), ConstantValue::Parts(rights)) => {
                let parts = 0..lefts.len().max(rights.len());
                all(parts.map(|position| equal(part(ty, left, position)?, part(ty, right, position)?)))
            }
            (ConstantValue::Bits(_), ConstantValue::Parts(_)) | (ConstantValue::Parts(_), ConstantValue::Bits(_)) => {
                None
            }
        },
        _ => None,
    }
}

/// Returns the conjunction: a false operand determines it even if others are unknown.
pub(super) fn all(conditions: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for condition in conditions {
        match condition {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}
