//! Widths of integers: the conditions under which 64-bit numbers fit into 32 bits.
//!
//! The walk notes the value of each 64-bit expression. A number fits if it is in the range of an `i32`, and not negative
//! if its type is unsigned. A variable of type `usize` or `isize` fits if every value that is assigned to it does. That is
//! an invariant of the program like those of loops: it is assumed wherever the variable is read, and its condition is
//! that of all assignments. This is sound by induction over the steps of an execution: the first assignment that violates
//! it would follow from facts that held before.

use std::collections::{HashMap, HashSet};

use super::atoms::Range;
use super::condition::Condition;
use super::poly::Poly;
use super::prover::BUDGET;
use crate::ir::Scalar;
use crate::lower::{Expr, Function, VarId};

/// The magnitude of the numbers of type `usize` that the launch of a narrow variant may have.
pub(super) const EXTENT: i128 = (1 << 31) - 1;

/// The condition under which the value of an expression fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The type of the expression.
    pub(super) scalar: Scalar,
    pub(super) condition: Condition,
}

/// The conditions of a program.
#[derive(Default)]
pub(super) struct Widths {
    /// The expressions that the walk has evaluated: those with 64 bits, and operands that C converts to 64 bits.
    pub(super) exprs: HashMap<*const Expr, Fit>,
    /// The expressions of which nothing was known in one of their evaluations, so that they do not fit.
    pub(super) unknown: HashSet<*const Expr>,
    /// The variables of type `usize` and `isize`.
    pub(super) vars: HashMap<(*const Function, u32), Invariant>,
    /// The results of type `usize` and `isize`.
    pub(super) results: HashMap<*const Function, Condition>,
    /// The calls of the helper that steps to the end of a range: whether the sum of the counter and the step fits.
    pub(super) steps: HashMap<*const Expr, Condition>,
    /// The functions that were not walked at one of their calls.
    pub(super) opaque: HashSet<*const Function>,
    /// The values that the current statement has computed so far.
    pub(super) queue: Vec<(*const Expr, Poly, Scalar)>,
    /// The effort left, apart from that for the checks.
    pub(super) budget: usize,
}

/// The invariant that a variable fits.
pub(super) struct Invariant {
    pub(super) number: usize,
    pub(super) assumed: Condition,
    /// The condition of the assignments so far.
    pub(super) condition: Condition,
}

impl Widths {
    pub(super) fn new() -> Widths {
        Widths { budget: BUDGET, ..Widths::default() }
    }

    /// Returns the variables, each with the condition under which it fits.
    pub(super) fn vars(&self) -> impl Iterator<Item = ((*const Function, VarId), Condition)> + '_ {
        self.vars.iter().map(|((function, var), invariant)| ((*function, VarId(*var)), invariant.assumed))
    }
}

/// Returns the range of the numbers of a type that fit.
pub(super) fn fitting(scalar: Scalar) -> Range {
    let most = i128::from(i32::MAX);
    Range::new(if scalar.is_signed() { -most - 1 } else { 0 }, most)
}
