//! `as`

use crate::ir::Scalar;

use super::{Expr, Helper, Op};

/// The value as another type. From float to integer it saturates, and NaN gives 0; C leaves both undefined, and PTX's
/// own conversion saturates only to 32 bits and less from `f32` (PTX ISA, `cvt`). All else C does as Rust does.
pub(super) fn cast(operand: Expr, from: Scalar, to: Scalar) -> Expr {
    if from == to {
        return operand;
    }
    if from.is_float() && to.is_integer() {
        return Expr::helper(Helper::new(Op::FloatTo(to), from), vec![operand]);
    }
    match operand {
        // `1usize as u32`, which the user meant as a number, is one.
        Expr::Literal(_, bits) if from.is_integer() && to.is_integer() && bits <= 0x7f => Expr::Literal(to, bits),
        operand => Expr::cast(to, operand),
    }
}
