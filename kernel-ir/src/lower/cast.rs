//! `as`

use crate::ir::Scalar;

use super::{Expr, Helper, Op};

/// The value as another type. From float to integer it saturates, and NaN gives 0; C leaves both undefined, and PTX's
/// own conversion saturates only to 32 bits and less from `f32` (PTX ISA, `cvt`). C does not know `f16` and `bf16`. All
/// else C does as Rust does.
pub(super) fn cast(operand: Expr, from: Scalar, to: Scalar) -> Expr {
    if from == to {
        return operand;
    }
    // An `f32` has every `f16` and `bf16`, and every integer that is a finite `f16` or has 16 bits.
    let exact = from.is_half() || to == Scalar::F16 || from.bits() <= 16;
    if (from.is_half() || to.is_half()) && from != Scalar::F32 && to != Scalar::F32 && from != Scalar::F64 && exact {
        return cast(cast(operand, from, Scalar::F32), Scalar::F32, to);
    }
    if from.is_half() || to.is_half() || (from.is_float() && to.is_integer()) {
        return Expr::helper(Helper::new(Op::FloatTo(to), from), vec![operand]);
    }
    match operand {
        // `1usize as u32`, which the user meant as a number, is one.
        Expr::Literal(_, bits) if from.is_integer() && to.is_integer() && bits <= 0x7f => Expr::Literal(to, bits),
        operand => Expr::cast(to, operand),
    }
}
