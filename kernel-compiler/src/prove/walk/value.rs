//! The abstract value of an expression or a variable.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::ir::Scalar;
use crate::lower::{Expr, VarId};
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
    /// The fields of a struct or a tuple, each with its position in Rust.
    Struct(Rc<[(usize, Value)]>),
    /// The elements of an array that nothing changes.
    Array(Rc<[Value]>),
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

    /// Returns the value of a field, at any depth; `None` if nothing is known of it.
    pub(in crate::prove) fn field(&self, path: &[usize]) -> Option<&Value> {
        let Some((position, path)) = path.split_first() else { return Some(self) };
        let Value::Struct(fields) = self else { return None };
        fields.iter().find(|(of, _)| of == position)?.1.field(path)
    }

    /// Returns the value with another value of a field, at any depth.
    pub(super) fn with_field(&self, path: &[usize], value: Value) -> Value {
        let Some((position, path)) = path.split_first() else { return value };
        let Value::Struct(fields) = self else { return Value::Unknown };
        let fields = fields.iter().map(|(of, field)| {
            (*of, if of == position { field.with_field(path, value.clone()) } else { field.clone() })
        });
        Value::Struct(fields.collect())
    }
}

/// A variable, or a field of one at any depth.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) var: VarId,
    /// The positions of the fields that lead to it.
    pub(super) path: SmallVec<[usize; 2]>,
}

impl Slot {
    /// Returns the slot that a place is; `None` for an element, or what a pointer refers to.
    pub(super) fn of(place: &Expr) -> Option<Slot> {
        match place {
            Expr::Var(var) => Some(Slot::from(*var)),
            Expr::Field(base, _, position) => {
                let mut slot = Slot::of(base)?;
                slot.path.push(*position);
                Some(slot)
            }
            _ => None,
        }
    }
}

impl From<VarId> for Slot {
    fn from(var: VarId) -> Slot {
        Slot { var, path: SmallVec::new() }
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
        (Value::Struct(left), Value::Struct(right)) => {
            let pairs = || left.iter().zip(right.iter());
            Rc::ptr_eq(left, right)
                || (left.len() == right.len()
                    && pairs().all(|(left, right)| left.0 == right.0 && same(&left.1, &right.1)))
        }
        (Value::Array(left), Value::Array(right)) => {
            Rc::ptr_eq(left, right)
                || (left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| same(left, right)))
        }
        _ => false,
    }
}
