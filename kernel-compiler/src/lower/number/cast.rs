//! Lowering of `as`.

use crate::ir::Scalar;

use crate::lower::{Expr, Helper, Op};

/// Converts a scalar to another type. From float to integer, the conversion saturates, and NaN becomes 0; in C both are
/// undefined, and PTX's conversion saturates only to at most 32 bits from `f32` (PTX ISA, `cvt`). `f16` and `bf16` do
/// not exist in C. All other conversions are the same in C and Rust.
pub(in crate::lower) fn cast(operand: Expr, from: Scalar, to: Scalar) -> Expr {
    if from == to {
        return operand;
    }
    // `f32` represents exactly every `f16` and `bf16`, every integer whose `f16` is finite, and every 16-bit integer.
    let exact = from.is_half() || to == Scalar::F16 || from.bits() <= 16;
    if (from.is_half() || to.is_half()) && from != Scalar::F32 && to != Scalar::F32 && from != Scalar::F64 && exact {
        return cast(cast(operand, from, Scalar::F32), Scalar::F32, to);
    }
    if from.is_half() || to.is_half() || (from.is_float() && to.is_integer()) {
        return Expr::helper(Helper::new(Op::FloatTo(to), from), vec![operand]);
    }
    match operand {
        // `1usize as u32` is emitted as a literal of the target type.
        Expr::Literal(_, bits) if from.is_integer() && to.is_integer() && bits <= 0x7f => Expr::Literal(to, bits),
        operand => Expr::cast(to, operand),
    }
}
