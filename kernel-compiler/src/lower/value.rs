//! The C representation of a value: nothing, a single expression, or several.

use crate::ir::{Scalar, StructType, Type};

use super::Expr;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The expression diverges; code that uses its value is unreachable.
    Never,
    /// `()`
    Unit,
    /// A scalar, or an enum as its integer.
    Scalar(Expr, Scalar),
    /// A struct, an array or a tuple as a single C value.
    Whole(Expr, Type),
    /// The elements of a tuple, or the fields of a `Dim3`, as separate values.
    Parts(Vec<Value>),
    /// A pointer and a length.
    Slice { pointer: Expr, len: Expr, element: Type, mutable: bool },
    /// A pointer, and a length and a stride per dimension.
    View { pointer: Expr, lens: Vec<Expr>, strides: Vec<Expr>, element: Type, mutable: bool },
    /// A reference: the place in memory that it refers to, where a `bool` is a byte. The expression is an lvalue that
    /// denotes the place itself, like a C++ reference.
    Place { lvalue: Expr, target: Type },
}

impl Value {
    pub(super) fn bool(expr: Expr) -> Value {
        Value::Scalar(expr, Scalar::Bool)
    }

    pub(super) fn usize(expr: Expr) -> Value {
        Value::Scalar(expr, Scalar::Usize)
    }

    /// Converts a value that the device supplies to the index type.
    pub(super) fn with_index(self, index: Scalar) -> Value {
        match self {
            Value::Scalar(expr, Scalar::Usize) => Value::Scalar(expr, index),
            Value::Parts(parts) => Value::Parts(parts.into_iter().map(|part| part.with_index(index)).collect()),
            Value::Whole(expr, Type::Array(element, len)) if *element == Type::USIZE => {
                Value::Whole(expr, Type::Array(Box::new(Type::Scalar(index)), len))
            }
            other => other,
        }
    }

    /// Returns the C expression of a scalar. Unreachable code gets a dummy, so that it is well-formed C.
    pub(super) fn expr(self) -> Expr {
        match self {
            Value::Scalar(expr, _) => expr,
            Value::Never
            | Value::Unit
            | Value::Whole(..)
            | Value::Parts(_)
            | Value::Slice { .. }
            | Value::View { .. }
            | Value::Place { .. } => Expr::int(Scalar::I32, 0),
        }
    }

    /// Calls `visit` with each C expression of the value.
    pub(super) fn leaves(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Value::Never | Value::Unit => {}
            Value::Scalar(expr, _) | Value::Whole(expr, _) | Value::Place { lvalue: expr, .. } => visit(expr),
            Value::Parts(parts) => parts.iter().for_each(|part| part.leaves(visit)),
            Value::Slice { pointer, len, .. } => {
                visit(pointer);
                visit(len);
            }
            Value::View { pointer, lens, strides, .. } => {
                visit(pointer);
                lens.iter().chain(strides).for_each(visit);
            }
        }
    }
}

/// Returns the index of a field in its struct or tuple.
pub(super) fn position(ty: &Type, name: &str) -> usize {
    match ty.target() {
        Type::Struct(StructType { fields, .. }) => fields.iter().position(|field| field.name == name),
        _ => name.parse().ok(),
    }
    .unwrap_or(usize::MAX)
}

/// Returns the type of the field at an index.
pub(super) fn field_type(ty: &Type, position: usize) -> Type {
    match ty.target() {
        Type::Struct(StructType { fields, .. }) => fields.get(position).map(|field| field.ty.clone()),
        Type::Tuple(parts) => parts.get(position).cloned(),
        _ => None,
    }
    .unwrap_or(Type::Never)
}
