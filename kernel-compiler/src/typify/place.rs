//! Type resolution of place expressions: indexing, borrows and field access.

use crate::ir::{ExprId, ExprKind, Span, StructType, Type};

use super::expr::Typing;

impl Typing<'_, '_, '_> {
    pub(super) fn index(&mut self, base: ExprId, index: ExprId, span: Span) -> Type {
        let base = self.of(base).clone();
        let expected = match &base {
            Type::View { element: _, dimensions: 1, mutable: _ } if *self.of(index) == self.scope.index_type() => {
                self.scope.index_type()
            }
            Type::View { element: _, dimensions, mutable: _ } => {
                Type::Array(Box::new(self.scope.index_type()), (*dimensions).into())
            }
            _ => self.scope.index_type(),
        };
        self.require_expr(index, &expected, "an index");
        match base {
            Type::View { element, dimensions: _, mutable: _ } => *element,
            other => self.element(&other, span),
        }
    }

    /// Returns the element type of a slice or an array.
    pub(super) fn element(&mut self, of: &Type, span: Span) -> Type {
        match of.target() {
            Type::Slice { element, mutable: _ } | Type::Array(element, _) => (**element).clone(),
            Type::Never => Type::Never,
            Type::Unit
            | Type::Scalar(_)
            | Type::Tuple(_)
            | Type::Struct(_)
            | Type::Enum(_)
            | Type::View { .. }
            | Type::Ref { .. } => self.wrong(span, format!("`{of}` has no elements")),
        }
    }

    /// Returns the type of a sub-slice of a slice or an array, or of a part of a one-dimensional view. `mutable` is the
    /// requested mutability.
    pub(super) fn sub_slice(&mut self, base: ExprId, mutable: bool, span: Span) -> Type {
        let mutable = mutable || self.access_through(base) == Some(true);
        let base = self.of(base).clone();
        if let Type::View { element, dimensions: 1, mutable: _ } = base {
            return Type::View { element, dimensions: 1, mutable };
        }
        match self.element(&base, span) {
            Type::Never => Type::Never,
            element => Type::Slice { element: Box::new(element), mutable },
        }
    }

    pub(super) fn borrow(&mut self, place: ExprId, mutable: bool, span: Span) -> Type {
        if let ExprKind::SubSlice { base, .. } = self.scope.instance.function.expr(place).kind {
            return match self.of(place) {
                Type::Never => Type::Never,
                _ => self.sub_slice(base, mutable, span),
            };
        }
        match self.of(place).clone() {
            Type::Never => Type::Never,
            // A borrow of a value that is a reference already is a reborrow.
            same @ (Type::Slice { .. } | Type::View { .. } | Type::Ref { .. }) => same,
            // A reference to a struct of arrays is a struct of read-only arrays.
            same @ Type::Struct(_) if same.has_references() => same,
            target => {
                let mutable = mutable || self.access(place) == Some(true);
                Type::Ref { target: Box::new(target), mutable }
            }
        }
    }

    /// Returns the mutability of the reference through which a place is accessed, which determines the mutability of a
    /// borrow: `&x[i]` of a `&mut [f32]` is a `&mut f32`. `None` for a thread-local variable or a value.
    fn access(&self, place: ExprId) -> Option<bool> {
        match &self.scope.instance.function.expr(place).kind {
            ExprKind::Index { base, .. }
            | ExprKind::SubSlice { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::Deref(base) => self.access_through(*base),
            _ => None,
        }
    }

    /// Returns [`Self::access`] of a place inside `base`.
    pub(super) fn access_through(&self, base: ExprId) -> Option<bool> {
        match self.of(base) {
            Type::Slice { mutable, .. } | Type::View { mutable, .. } | Type::Ref { mutable, .. } => Some(*mutable),
            Type::Unit
            | Type::Never
            | Type::Scalar(_)
            | Type::Tuple(_)
            | Type::Struct(_)
            | Type::Enum(_)
            | Type::Array(..) => self.access(base),
        }
    }

    pub(super) fn field(&mut self, base: ExprId, name: &str, span: Span) -> Type {
        let base = self.of(base).clone();
        let found = match base.target() {
            Type::Never => Some(Type::Never),
            Type::Tuple(parts) => name.parse::<usize>().ok().and_then(|position| parts.get(position).cloned()),
            Type::Struct(StructType { fields, .. }) => {
                fields.iter().find(|field| field.name == name).map(|field| field.ty.clone())
            }
            Type::Unit
            | Type::Scalar(_)
            | Type::Enum(_)
            | Type::Array(..)
            | Type::Slice { .. }
            | Type::View { .. }
            | Type::Ref { .. } => None,
        };
        match found {
            Some(ty) => ty,
            None => self.wrong(span, format!("`{base}` has no field `{name}`")),
        }
    }
}
