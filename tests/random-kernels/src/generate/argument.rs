//! Slice arguments: sub-slices of arrays, and the elements that a thread owns.

use super::scope::{Bound, Kind, Permission};
use super::{Generator, MIN_LEN};
use crate::tree::{Expr, ExprKind};
use crate::types::{Range, Type};

impl Generator<'_> {
    /// Generates a slice argument that is only read.
    pub(super) fn slice_argument(&mut self, element: &Type, lent: &[String]) -> Option<Expr> {
        let ty = Type::Slice(Box::new(element.clone()), false);
        let mut found = Vec::new();
        for binding in self.scope.visible().filter(|binding| !lent.contains(&binding.name)) {
            match &binding.kind {
                Kind::Slice { element: of, bound: Bound::Length { least, .. }, .. }
                    if of == element && *least >= MIN_LEN =>
                {
                    found.push((binding.name.clone(), false, *least));
                }
                Kind::Value { ty: Type::Array(of, len), .. } if **of == *element && *len >= MIN_LEN => {
                    found.push((binding.name.clone(), true, *len));
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, array, least) = self.random.pick(&found).clone();
        let whole = Expr::name(&name, ty.clone(), Range::NONE);
        if least > MIN_LEN && self.random.percent(30) {
            return Some(self.part(whole, least, false));
        }
        Some(if array { Expr::any(ty, ExprKind::Borrow(false, Box::new(whole))) } else { whole })
    }

    /// Generates `&x[a..b]`, of at least [`MIN_LEN`] elements.
    pub(super) fn part(&mut self, whole: Expr, least: usize, mutable: bool) -> Expr {
        let ty = match &whole.ty {
            Type::Slice(element, _) | Type::Array(element, _) => Type::Slice(element.clone(), mutable),
            other => other.clone(),
        };
        let spare = least - MIN_LEN;
        let start = self.random.below(spare + 1);
        let most = self.random.below(spare - start + 1);
        let at = |value: usize| Some(Box::new(Expr::int(Type::USIZE, value as i128).pinned()));
        let len = MIN_LEN + start + most;
        let range = match self.random.below(4) {
            0 => (at(start), "..", None),
            1 => (None, "..", at(len)),
            2 => (at(start), "..=", at(len - 1)),
            _ => (at(start), "..", at(len)),
        };
        let range = Expr::any(Type::Unit, ExprKind::Range(range.0, range.1, range.2)).pinned();
        let part = Expr::any(ty.clone(), ExprKind::Index(Box::new(whole), Box::new(range))).pinned();
        Expr::any(ty, ExprKind::Borrow(mutable, Box::new(part))).pinned()
    }

    /// Generates a view argument that is only read.
    pub(super) fn view_argument(&mut self, element: &Type, dimensions: usize) -> Option<Expr> {
        let found: Vec<String> = self
            .scope
            .visible()
            .filter(|binding| {
                matches!(&binding.kind, Kind::View { element: of, writable: false, bounds }
                    if of == element && bounds.len() == dimensions)
            })
            .map(|binding| binding.name.clone())
            .collect();
        let ty = Type::View(Box::new(element.clone()), dimensions, false);
        (!found.is_empty()).then(|| Expr::name(self.random.pick::<String>(&found), ty, Range::NONE).pinned())
    }

    /// Generates a slice some of whose elements the thread owns. Returns it with the index of the first of them.
    pub(super) fn own_argument(&mut self, element: &Type, size: usize, lent: &[String]) -> Option<[Expr; 2]> {
        let found: Vec<_> = self
            .scope
            .visible()
            .filter(|binding| !lent.contains(&binding.name))
            .filter_map(|binding| match &binding.kind {
                Kind::Slice { element: of, writable: true, bound: Bound::Own { base, size: most } }
                    if of == element && *most >= size =>
                {
                    Some((binding.name.clone(), base.clone(), Some(*most)))
                }
                Kind::Slice { element: of, writable: true, bound: Bound::From { base, size: most } }
                    if of == element && *most >= size =>
                {
                    Some((binding.name.clone(), base.clone(), None))
                }
                _ => None,
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let (name, base, scale) = self.random.pick(&found).clone();
        let slice = Expr::name(&name, Type::Slice(Box::new(element.clone()), true), Range::NONE).pinned();
        let base = Expr::name(&base, Type::USIZE, Range::NONE).pinned();
        let start = match scale {
            Some(scale) => {
                let scale = Expr::int(Type::USIZE, scale as i128).pinned();
                Expr::binary(Type::USIZE, Range::NONE, "*", base, scale).pinned()
            }
            None => base,
        };
        Some([slice, start])
    }

    /// Generates a `&mut [T]` all of whose elements the thread owns. Returns it with the name that it borrows.
    pub(super) fn borrowed_argument(&mut self, element: &Type, lent: &[String]) -> Option<(Expr, String)> {
        let ty = Type::Slice(Box::new(element.clone()), true);
        let mut found: Vec<(String, Option<usize>, Option<Bound>)> = Vec::new();
        for binding in self.scope.visible().filter(|binding| !lent.contains(&binding.name)) {
            match &binding.kind {
                Kind::Value { ty: Type::Array(of, len), access: Permission::Write, .. }
                    if **of == *element && *len >= MIN_LEN =>
                {
                    found.push((binding.name.clone(), Some(*len), None));
                }
                Kind::Slice { element: of, writable: true, bound } if of == element => match bound {
                    Bound::Length { .. } => found.push((binding.name.clone(), None, None)),
                    Bound::Own { size, .. } | Bound::From { size, .. } if *size >= MIN_LEN => {
                        found.push((binding.name.clone(), None, Some(bound.clone())));
                    }
                    Bound::Own { .. } | Bound::From { .. } | Bound::Below(_) | Bound::At(_) => {}
                },
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, array, bound) = self.random.pick(&found).clone();
        let whole = Expr::name(&name, ty.clone(), Range::NONE).pinned();
        let argument = match (array, bound) {
            (Some(len), _) if self.random.percent(40) => self.part(whole, len, true),
            (Some(_), _) => Expr::any(ty, ExprKind::Borrow(true, Box::new(whole))).pinned(),
            (None, None) => whole,
            (None, Some(bound)) => {
                let (start, size) = match bound {
                    Bound::Own { base, size } => {
                        let base = Expr::name(&base, Type::USIZE, Range::NONE).pinned();
                        let scale = Expr::int(Type::USIZE, size as i128).pinned();
                        (Expr::binary(Type::USIZE, Range::NONE, "*", base, scale).pinned(), size)
                    }
                    Bound::From { base, size } => (Expr::name(&base, Type::USIZE, Range::NONE).pinned(), size),
                    Bound::Length { .. } | Bound::Below(_) | Bound::At(_) => unreachable!("it was not kept"),
                };
                let size = Expr::int(Type::USIZE, size as i128).pinned();
                let end = Expr::binary(Type::USIZE, Range::NONE, "+", start.clone(), size).pinned();
                let range = ExprKind::Range(Some(Box::new(start)), "..", Some(Box::new(end)));
                let range = Expr::any(Type::Unit, range).pinned();
                let part = Expr::any(ty.clone(), ExprKind::Index(Box::new(whole), Box::new(range))).pinned();
                Expr::any(ty, ExprKind::Borrow(true, Box::new(part))).pinned()
            }
        };
        Some((argument, name))
    }
}
