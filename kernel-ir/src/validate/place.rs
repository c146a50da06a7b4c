//! What can be written to: by `=`, by `+=`, and by the atomics.

use crate::What;
use crate::ir::{ExprId, ExprKind, LocalId, Pattern, Scalar, Span, Stmt, Type};

use super::Check;

impl Check<'_, '_> {
    /// The left side of an assignment.
    pub(super) fn assigned(&mut self, place: ExprId) {
        let span = self.span(place);
        if matches!(self.ty(place), Type::Array(..) | Type::Shared(_) | Type::Place(_)) {
            let ty = self.ty(place);
            self.error(
                span,
                What::new(
                    format!("an assignment to a place of type `{ty}`"),
                    "only numbers, `bool`s, slices and tuples of them can be assigned",
                    "assign the elements one by one",
                ),
            );
        }
        self.writable(place);
    }

    /// Whether the place can be written to at all; rustc has seen to most of it.
    fn writable(&mut self, place: ExprId) {
        match self.kind(place) {
            ExprKind::Local(local) => {
                let declared = self.function.instance.function.local(*local);
                if !declared.mutable && !self.starts_empty(*local) {
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
            ExprKind::Field { base, name: _ } => self.writable(*base),
            ExprKind::Index { base, index: _ } => {
                // The element of a row can be written where the row can.
                if matches!(self.ty(*base), Type::Array(..)) {
                    return self.writable(*base);
                }
                if let Type::Slice { element, mutable: false } = self.ty(*base) {
                    let name = self.name(*base);
                    self.error(
                        self.span(place),
                        What::new(
                            format!("an element of {name} is written"),
                            format!("it is a `&[{element}]`, which a kernel only reads"),
                            format!("declare it as `&mut [{element}]`"),
                        ),
                    );
                }
            }
            _ => self.error(
                self.span(place),
                What::new(
                    "this is not a place that can be written to",
                    "a kernel writes to variables, and to elements of slices and shared arrays",
                    "keep the value in a variable first",
                ),
            ),
        }
    }

    /// What an index is applied to: rows only of places.
    pub(super) fn index_base(&mut self, base: ExprId) {
        if matches!(self.ty(base), Type::Array(..)) && !matches!(self.kind(base), ExprKind::Index { .. }) {
            self.values(&[base]);
        }
    }

    /// `&mut place` as an argument.
    pub(super) fn borrow(&mut self, place: ExprId) {
        match self.ty(place) {
            Type::Slice { .. } | Type::Shared(_) | Type::Never => {}
            Type::Scalar(_) if matches!(self.kind(place), ExprKind::Index { .. }) => {}
            ty => self.error(
                self.span(place),
                What::new(
                    format!("a reference to a `{ty}` that is not an element of an array"),
                    "the variables of a thread lie in registers, which have no address",
                    "pass the value, or an element as in `&mut y[i]`",
                ),
            ),
        }
    }

    /// The first argument of an atomic function, which has the type of a place.
    pub(super) fn atomic(&mut self, place: ExprId, span: Span) {
        match self.kind(place) {
            ExprKind::Borrow(element) if matches!(self.kind(*element), ExprKind::Index { .. }) => {
                self.writable(*element);
            }
            // `borrow` has reported it.
            ExprKind::Borrow(_) => {}
            _ => self.error(
                self.span(place),
                What::new(
                    "an atomic function is given a place that is not written out",
                    "the compiler has to see which array the element belongs to",
                    "write the place in the call, as in `atomic_add(&mut y[i], 1)`",
                ),
            ),
        }
        let Type::Place(element) = self.ty(place) else { return };
        match element.scalar() {
            // CUDA C++ Programming Guide, "atomicAdd()": int, unsigned, unsigned long long, float, double. A 64-bit
            // signed sum has the bits of the unsigned one.
            Some(
                Scalar::I32
                | Scalar::U32
                | Scalar::I64
                | Scalar::U64
                | Scalar::Isize
                | Scalar::Usize
                | Scalar::F32
                | Scalar::F64,
            ) => {}
            Some(Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16) | None => self.error(
                span,
                What::new(
                    format!("`atomic_add` on a `{element}`"),
                    "the hardware adds atomically to 32 and 64 bits only",
                    "use a `u32` array",
                ),
            ),
        }
    }

    /// `let x;`, which is assigned later.
    fn starts_empty(&self, local: LocalId) -> bool {
        let function = &self.function.instance.function;
        let in_block = |stmts: &[Stmt]| {
            stmts.iter().any(|stmt| match stmt {
                Stmt::Let { pattern, init: None, span: _ } => binds(pattern, local),
                Stmt::Let { pattern: _, init: Some(_), span: _ } | Stmt::Expr(_) => false,
            })
        };
        in_block(&function.body.stmts)
            || function.exprs.iter().filter_map(|expr| expr.kind.block()).any(|block| in_block(&block.stmts))
    }

    /// How a message names an expression.
    fn name(&self, id: ExprId) -> String {
        match self.kind(id) {
            ExprKind::Local(local) => format!("`{}`", self.function.instance.function.local(*local).name),
            _ => "this slice".to_owned(),
        }
    }
}

fn binds(pattern: &Pattern, local: LocalId) -> bool {
    match pattern {
        Pattern::Wild => false,
        Pattern::Local(bound) => *bound == local,
        Pattern::Tuple(parts) => parts.iter().any(|part| binds(part, local)),
    }
}
