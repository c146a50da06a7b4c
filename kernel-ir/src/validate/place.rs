//! What can be borrowed, and what can be written to: by `=`, by `+=`, and through a `&mut`.

use crate::What;
use crate::ir::{ExprId, ExprKind, LocalId, Type};

use super::Check;

/// Where a place is.
#[derive(Clone, Copy)]
pub(super) enum Root {
    /// In a variable of the thread.
    Local(LocalId),
    /// In what this expression, a slice, a view or a reference, leads to.
    Through(ExprId),
    /// In a value that has no name.
    Value,
}

impl Check<'_, '_> {
    /// Where a place is. A slice in a variable is in the variable; its elements are not.
    pub(super) fn root(&self, place: ExprId) -> Root {
        match self.kind(place) {
            ExprKind::Local(local) => Root::Local(*local),
            ExprKind::Index { base, .. }
            | ExprKind::SubSlice { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::Deref(base) => {
                if is_handle(self.ty(*base)) {
                    Root::Through(*base)
                } else {
                    self.root(*base)
                }
            }
            _ => Root::Value,
        }
    }

    /// The left side of an assignment.
    pub(super) fn assigned(&mut self, place: ExprId) {
        match self.root(place) {
            Root::Local(_) | Root::Through(_) => self.writable(place),
            Root::Value => self.error(
                self.span(place),
                What::new(
                    "this is not a place that can be written to",
                    "a kernel writes to variables, and to elements of slices and shared arrays",
                    "keep the value in a variable first",
                ),
            ),
        }
    }

    /// `&place` and `&mut place`.
    pub(super) fn borrow(&mut self, place: ExprId, mutable: bool) {
        let ty = self.ty(place);
        let is_part = matches!(self.kind(place), ExprKind::SubSlice { .. });
        if *ty == Type::Never || is_handle(ty) && !is_part {
            return;
        }
        if !is_part {
            let held = match ty {
                // It takes no room, but for what its elements are made of.
                Type::Array(element, 0) => element,
                ty => ty,
            };
            self.memory(held, "a reference to a", self.span(place));
        }
        if mutable {
            self.writable(place);
        }
    }

    /// Whether a place can be written to; rustc has seen to most of it.
    fn writable(&mut self, place: ExprId) {
        match self.root(place) {
            Root::Value => {}
            Root::Local(local) => {
                let declared = self.function.instance.function.local(local);
                if !declared.mutable && !self.starts_empty[local.index()] {
                    let name = &declared.name;
                    self.error(
                        self.span(place),
                        What::new(
                            format!("`{name}` is assigned, but is not declared `mut`"),
                            "it is a constant in the kernel",
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
                        ("what is behind", Type::Ref { target: target.clone(), mutable: true })
                    }
                    _ => return,
                };
                let name = match self.kind(base) {
                    ExprKind::Local(local) => self.local_name(*local),
                    _ => "this reference".to_owned(),
                };
                self.error(
                    self.span(place),
                    What::new(
                        format!("{what} {name} is written"),
                        format!("it is a `{}`, which a kernel only reads", self.ty(base)),
                        format!("declare it as `{writable}`"),
                    ),
                );
            }
        }
    }
}

/// Whether a value of the type leads to memory.
pub(super) fn is_handle(ty: &Type) -> bool {
    match ty {
        Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => true,
        Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Tuple(_)
        | Type::Struct(_)
        | Type::Enum(_)
        | Type::Array(..) => false,
    }
}
