//! Conversions of scalars.

use crate::tree::{Expr, ExprKind};
use crate::types::{Float, Int, Range, Type};

/// Returns whether the standard library has `From<from> for to`.
pub(super) fn widens(from: Int, to: Int) -> bool {
    let word = |int: Int| matches!(int, Int::Isize | Int::Usize);
    match (from, to) {
        _ if from == to => true,
        (Int::U8 | Int::U16, Int::Usize) | (Int::U8 | Int::I8 | Int::I16, Int::Isize) => true,
        _ if word(from) || word(to) => false,
        _ => from.bits() < to.bits() && (from.is_signed() == to.is_signed() || !from.is_signed()),
    }
}

/// Converts a scalar to another type.
pub(super) fn converted(value: Expr, to: &Type) -> Expr {
    let cast = |value: Expr, to: &Type| Expr::any(to.clone(), ExprKind::Cast(Box::new(value)));
    match (&value.ty, to) {
        (from, to) if from == to => value,
        (Type::Float(float), _) if float.is_half() => converted(widened(value, to), to),
        (Type::Float(Float::F64), Type::Float(half)) if half.is_half() => from_wide(*half, "from_f64", value),
        (_, Type::Float(half)) if half.is_half() => from_wide(*half, "from_f32", converted(value, &Type::F32)),
        (Type::Bool, Type::Float(_)) => cast(cast(value, &Type::Int(Int::U8)), to),
        (Type::Float(float), Type::Bool) => {
            let zero = zero(*float);
            Expr::binary(Type::Bool, Range::NONE, "<", value, zero)
        }
        (Type::Int(_), Type::Bool) => {
            let ty = value.ty.clone();
            let low = Expr::binary(ty.clone(), Range::new(0, 1), "&", value, Expr::int(ty.clone(), 1));
            Expr::binary(Type::Bool, Range::NONE, "==", low, Expr::int(ty, 1))
        }
        (_, Type::Int(int)) => {
            let range = match &value.ty {
                Type::Bool => Range::new(0, 1),
                Type::Int(_) if value.range.is_inside(int.range()) => value.range,
                _ => int.range(),
            };
            Expr { range, ..cast(value, to) }
        }
        _ => cast(value, to),
    }
}

/// Widens an `f16` or `bf16` to the float of 32 or 64 bits through which it is converted.
fn widened(half: Expr, to: &Type) -> Expr {
    let (float, method) = if *to == Type::Float(Float::F64) { (Float::F64, "to_f64") } else { (Float::F32, "to_f32") };
    Expr::method(Type::Float(float), Range::NONE, half, method, vec![])
}

/// Returns a conversion to a type of `half`: `f16::from_f32(x)`.
fn from_wide(half: Float, function: &str, value: Expr) -> Expr {
    Expr::any(Type::Float(half), ExprKind::Call(format!("{}::{function}", half.name()), vec![value]))
}

/// Returns the zero of a float type.
pub(super) fn zero(float: Float) -> Expr {
    let text = if float.is_half() { format!("{}::ZERO", float.name()) } else { String::from("0.0") };
    Expr::any(Type::Float(float), ExprKind::Literal(text))
}
