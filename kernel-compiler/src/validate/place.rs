//! Validation of borrows, and of writes by `=`, by `+=` and through a `&mut`.

use crate::Diagnostic;
use crate::analyse::is_reference;
use crate::ir::{ExprId, ExprKind, LocalId, Type};

use super::Validator;

/// The memory that a place is part of.
#[derive(Clone, Copy)]
pub(super) enum Root {
    /// A variable of the thread.
    Local(LocalId),
    /// The referent of this expression, which is a slice, a view or a reference.
    Through(ExprId),
    /// A temporary.
    Value,
}

impl Validator<'_, '_> {
    /// Returns the root of a place. A slice held in a variable is rooted in the variable; its elements are not.
    pub(super) fn root(&self, place: ExprId) -> Root {
        match self.kind(place) {
            ExprKind::Local(local) => Root::Local(*local),
            ExprKind::Index { base, .. }
            | ExprKind::SubSlice { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::Deref(base) => {
                if is_reference(self.ty(*base)) {
                    Root::Through(*base)
                } else {
                    self.root(*base)
                }
            }
            _ => Root::Value,
        }
    }

    /// Validates the left-hand side of an assignment.
    pub(super) fn assigned(&mut self, place: ExprId) {
        if self.replaces_reference(place) {
            return;
        }
        match self.root(place) {
            Root::Local(_) | Root::Through(_) => self.writable(place),
            Root::Value => self.error(
                self.span(place),
                Diagnostic::new(
                    "this expression is not assignable",
                    "only variables, and elements of slices and shared arrays, can be assigned",
                    "store the value in a variable first",
                ),
            ),
        }
    }

    /// Validates `&place` and `&mut place`.
    pub(super) fn borrow(&mut self, place: ExprId, mutable: bool) {
        let ty = self.ty(place);
        let is_part = matches!(self.kind(place), ExprKind::SubSlice { .. });
        let is_argument = matches!(ty, Type::Struct(_)) && ty.has_references();
        if *ty == Type::Never || is_argument || is_reference(ty) && !is_part {
            return;
        }
        if !is_part {
            self.target(ty, self.span(place));
        }
        if mutable {
            self.writable(place);
        }
    }

    /// Reports an assignment that replaces a slice in an array of slices.
    fn replaces_reference(&mut self, place: ExprId) -> bool {
        let ExprKind::Index { base, index: _ } = self.kind(place) else { return false };
        let replaces = matches!(self.ty(*base), Type::Array(element, _) if element.has_references());
        if replaces {
            let message = format!("cannot assign an element of an array of `{}`", self.ty(place));
            let why = "the compiler must know which memory each element refers to";
            self.error(
                self.span(place),
                Diagnostic::new(message, why, "select the slice by its index where it is used"),
            );
        }
        replaces
    }

    /// Validates that a place is writable; rustc has checked most of this.
    fn writable(&mut self, place: ExprId) {
        match self.root(place) {
            Root::Value => {}
            Root::Local(local) => {
                let declared = self.function.instance.function.local(local);
                if !declared.mutable && !self.declared_without_init[local.index()] {
                    let name = &declared.name;
                    self.error(
                        self.span(place),
                        Diagnostic::new(
                            format!("cannot assign to `{name}`, which is not declared `mut`"),
                            "variables are immutable by default",
                            format!("write `let mut {name}`"),
                        ),
                    );
                }
            }
            Root::Through(base) => {
                let (what, writable) = match self.ty(base) {
                    Type::Slice { element, mutable: false } => {
                        ("an element of", Type::Slice { element: element.clone(), mutable: true })
                    }
                    Type::View { element, dimensions, mutable: false } => {
                        let writable = Type::View { element: element.clone(), dimensions: *dimensions, mutable: true };
                        ("an element of", writable)
                    }
                    Type::Ref { target, mutable: false } => {
                        ("the referent of", Type::Ref { target: target.clone(), mutable: true })
                    }
                    _ => return,
                };
                let name = match self.kind(base) {
                    ExprKind::Local(local) => self.local_name(*local),
                    _ => "this reference".to_owned(),
                };
                self.error(
                    self.span(place),
                    Diagnostic::new(
                        format!("cannot write to {what} {name}"),
                        format!("it is a `{}`, which is read-only", self.ty(base)),
                        format!("declare it as `{writable}`"),
                    ),
                );
            }
        }
    }
}
