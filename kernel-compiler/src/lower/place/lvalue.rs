//! Properties of C expressions: pointers, memory visible to other threads, writable places.

use crate::lower::function::Lowering;
use crate::lower::{CType, Expr};

impl Lowering<'_, '_> {
    /// Returns whether a C expression is a pointer.
    pub(in crate::lower) fn is_pointer(&self, expr: &Expr) -> bool {
        self.pointer_type(expr).is_some()
    }

    /// Returns the type of a C expression that is a pointer.
    pub(in crate::lower) fn pointer_type(&self, expr: &Expr) -> Option<CType> {
        match expr {
            Expr::Var(var) => match &self.vars[var.index()].ty {
                CType::Pointer { target, mutable, restrict: _ } => {
                    Some(CType::Pointer { target: target.clone(), mutable: *mutable, restrict: false })
                }
                CType::Scalar(_) | CType::Named(_) | CType::Array(..) | CType::Reference { .. } => None,
            },
            Expr::Cast(ty @ CType::Pointer { .. }, _) => Some(ty.clone()),
            Expr::Binary(_, left, _) => self.pointer_type(left),
            Expr::Conditional(_, then, _) => self.pointer_type(then),
            Expr::AddressOf(place) => {
                self.place_type(place).map(|target| CType::pointer(target, self.is_writable(place)))
            }
            _ => None,
        }
    }

    /// Returns whether the pointer or reference through which a place is accessed permits writes.
    pub(in crate::lower) fn is_writable(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => {
                let var = &self.vars[var.index()];
                match &var.ty {
                    CType::Reference { target: _, mutable } => *mutable,
                    CType::Scalar(_) | CType::Named(_) | CType::Array(..) | CType::Pointer { .. } => !var.constant,
                }
            }
            Expr::Field(base, _, _) => self.is_writable(base),
            Expr::Index(pointer, _) | Expr::Deref(pointer) => match self.pointer_type(pointer) {
                Some(ty) => matches!(ty, CType::Pointer { mutable: true, .. }),
                None => self.is_writable(pointer),
            },
            _ => false,
        }
    }

    /// Returns the type of a place, as represented in memory.
    fn place_type(&self, place: &Expr) -> Option<CType> {
        match place {
            Expr::Var(var) => match &self.vars[var.index()].ty {
                CType::Reference { target, mutable: _ } => Some((**target).clone()),
                ty => Some(ty.clone()),
            },
            Expr::Index(base, _) => match (self.pointer_type(base), self.place_type(base)) {
                (Some(CType::Pointer { target, .. }), _) | (_, Some(CType::Array(target, _))) => Some(*target),
                _ => None,
            },
            Expr::Deref(pointer) => match self.pointer_type(pointer) {
                Some(CType::Pointer { target, .. }) => Some(*target),
                _ => None,
            },
            Expr::Field(_, id, position) => {
                let members = self.output.types.members_of(*id);
                members.iter().find(|member| member.position == *position).map(|member| member.ty.clone())
            }
            Expr::Constant(id) => Some(self.output.constants.defs[id.index()].ty.clone()),
            _ => None,
        }
    }

    /// Returns whether others may change the place, because it is not a thread-local variable.
    pub(in crate::lower) fn is_in_memory(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => {
                self.shared.contains(&var.0) || matches!(self.vars[var.index()].ty, CType::Reference { .. })
            }
            Expr::Field(base, _, _) => self.is_in_memory(base),
            Expr::Index(base, _) => self.is_pointer(base) || self.is_in_memory(base),
            Expr::Deref(_) => true,
            _ => false,
        }
    }
}
