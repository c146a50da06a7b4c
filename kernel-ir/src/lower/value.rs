//! What an expression of the IR is in C: nothing, an expression, or several.

use crate::ir::{Scalar, StructType, Type};

use super::Expr;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The expression does not finish; what would use it is not reached.
    Never,
    /// `()`
    Unit,
    /// A number or a `bool`, or an enum as its integer.
    Scalar(Expr, Scalar),
    /// A struct, an array or a tuple that is one C value.
    Whole(Expr, Type),
    /// The parts of a tuple, or of a `Dim3`, each by itself.
    Parts(Vec<Value>),
    /// A pointer and a length.
    Slice { pointer: Expr, len: Expr, element: Type, mutable: bool },
    /// A pointer, and for each dimension a length and a distance between elements.
    View { pointer: Expr, lens: Vec<Expr>, strides: Vec<Expr>, element: Type, mutable: bool },
    /// A reference: the place in memory that it leads to, where a `bool` is a byte. Its expression names the place
    /// itself, as C++'s references do.
    Place { lvalue: Expr, target: Type },
}

impl Value {
    pub(super) fn bool(expr: Expr) -> Value {
        Value::Scalar(expr, Scalar::Bool)
    }

    pub(super) fn usize(expr: Expr) -> Value {
        Value::Scalar(expr, Scalar::Usize)
    }

    /// What the device gives, where its positions and lengths are of the type `index`.
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

    /// The number. What is not reached needs one too, so that it is well-formed C.
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

    /// Calls `visit` with each C expression in the value.
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

/// The position of a field in its struct or tuple.
pub(super) fn position(ty: &Type, name: &str) -> usize {
    match ty.target() {
        Type::Struct(StructType { fields, .. }) => fields.iter().position(|field| field.name == name),
        _ => name.parse().ok(),
    }
    .unwrap_or(usize::MAX)
}

/// The type of the field at a position.
pub(super) fn field_type(ty: &Type, position: usize) -> Type {
    match ty.target() {
        Type::Struct(StructType { fields, .. }) => fields.get(position).map(|field| field.ty.clone()),
        Type::Tuple(parts) => parts.get(position).cloned(),
        _ => None,
    }
    .unwrap_or(Type::Never)
}
