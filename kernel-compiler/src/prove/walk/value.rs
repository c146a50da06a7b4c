//! The abstract value of an expression or a variable.

use std::rc::Rc;

use crate::ir::Scalar;
use crate::prove::poly::Poly;
use crate::prove::prover::Facts;

/// The value of an expression or a variable.
#[derive(Clone, Debug)]
pub(in crate::prove) enum Value {
    Unknown,
    /// An integer that equals `poly` modulo the width of its type, or exactly.
    Int {
        poly: Poly,
        scalar: Scalar,
        exact: bool,
    },
    /// The facts that hold if it is false and if it is true; `None` if it cannot have this value.
    Bool([Option<Facts>; 2]),
}

impl Value {
    pub(in crate::prove) fn exact(poly: Poly, scalar: Scalar) -> Value {
        Value::Int { poly, scalar, exact: true }
    }

    pub(in crate::prove) fn wrapping(poly: Option<Poly>, scalar: Scalar) -> Value {
        poly.map_or(Value::Unknown, |poly| Value::Int { poly, scalar, exact: false })
    }

    pub(in crate::prove) fn boolean() -> Value {
        Value::Bool([Some(Vec::new()), Some(Vec::new())])
    }
}

/// Returns whether two values are equal, and have the same facts.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    let same_facts = |left: &Option<Facts>, right: &Option<Facts>| match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| Rc::ptr_eq(left, right))
        }
        _ => false,
    };
    match (left, right) {
        (Value::Unknown, Value::Unknown) => true,
        (
            Value::Int { poly: left, scalar: left_scalar, exact: left_exact },
            Value::Int { poly: right, scalar: right_scalar, exact: right_exact },
        ) => left == right && left_scalar == right_scalar && left_exact == right_exact,
        (Value::Bool(left), Value::Bool(right)) => left.iter().zip(right).all(|(left, right)| same_facts(left, right)),
        _ => false,
    }
}
