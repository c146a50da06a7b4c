//! The unroll factors of loops.

use crate::ir::Unroll;
use crate::lower::tree::{Expr, Header, Next, Operator, Stmt, VarId};

/// The largest factor by which a loop is unrolled without `#[unroll]`.
const MAX_FACTOR: u64 = 4;

/// Returns the factor of a loop, given the user's.
///
/// A loop that counts from 0 and needs the remainder of its counter by 2 or 4 is unrolled by that number, so that each copy has
/// a constant remainder: modulo unrolling (Barua, Lee, Amarasinghe and Agarwal, 1999). It typically selects one of two buffers
/// in shared memory, whose addresses are then constants: a register-tiled matrix product took 0.95 times as long on an H200.
pub(in crate::lower) fn factor(unroll: Unroll, header: &Header, body: &[Stmt]) -> Unroll {
    let Header::For { var, init: Expr::Literal(_, first), test: Expr::Binary(_, _, end), next } = header else {
        return power_of_two(unroll);
    };
    match (unroll, next) {
        (_, Next::Increment | Next::Decrement) if matches!(**end, Expr::Literal(..)) => unroll,
        (Unroll::Undecided, Next::Increment) if *first == 0 => divisor(*var, body).map_or(unroll, Unroll::By),
        _ => power_of_two(unroll),
    }
}

/// Returns the largest small power of two by which the remainder of the counter is computed.
fn divisor(counter: VarId, body: &[Stmt]) -> Option<u32> {
    let mut found = None;
    let mut note = |expr: &Expr| {
        if let Expr::Binary(Operator::Rem, left, right) = expr
            && let (Expr::Var(of), Expr::Literal(_, divisor)) = (&**left, &**right)
            && *of == counter
            && (2..=MAX_FACTOR).contains(divisor)
            && divisor.is_power_of_two()
        {
            found = found.max(u32::try_from(*divisor).ok());
        }
    };
    for stmt in body {
        stmt.for_each_expr(&mut |expr| expr.for_each(&mut note));
    }
    found
}

/// Returns the unroll factor rounded down to a power of two.
///
/// NVRTC 13.0 and 13.5 miscompile other factors: they round the trip count up to a multiple of three, and execute too
/// many iterations, if the counter has 32 bits and the bound is known to be small: `end = min(n, 5)`,
/// `#pragma unroll 3`, `for (u32 i = 0; i < end; ++i)`. Factors of 2, 4 and 8, which need no division, are compiled
/// correctly.
pub(in crate::lower) fn power_of_two(unroll: Unroll) -> Unroll {
    match unroll {
        Unroll::By(factor) => Unroll::By(factor.checked_ilog2().map_or(factor, |log| 1 << log)),
        Unroll::Undecided | Unroll::Full => unroll,
    }
}
