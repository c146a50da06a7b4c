//! Place expressions, and the indices in them.

use super::Generator;
use super::convert::converted;
use super::scope::{Bound, Path, Permission, Step};
use crate::tree::{Expr, ExprKind, Stmt};
use crate::types::{Range, Type};

impl Generator<'_> {
    /// Returns the expression of an access path, as a value or a place.
    pub(super) fn follow(&mut self, path: &Path, depth: u32) -> Expr {
        let mut expr = Expr::name(&path.name, path.ty.clone(), path.range);
        for step in &path.steps {
            let kind = match step {
                Step::Deref => ExprKind::Unary("*", Box::new(expr)),
                Step::Field(name) => ExprKind::Field(Box::new(expr), name.clone()),
                Step::Element(len) => {
                    let index = self.index(&Bound::Length { least: *len, most: *len }, depth, None);
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                Step::Slice(bound) => {
                    let slice = (path.access == Permission::Read).then_some(path.name.as_str());
                    let index = self.index(bound, depth, slice);
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                Step::View(bounds) => {
                    let mut indices: Vec<Expr> = bounds.iter().map(|bound| self.index(bound, depth, None)).collect();
                    let index = if indices.len() == 1 && self.random.percent(70) {
                        indices.remove(0)
                    } else {
                        Expr::any(Type::Unit, ExprKind::Array(indices)).pinned()
                    };
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
            };
            expr = Expr::new(path.ty.clone(), path.range, kind);
        }
        expr
    }

    /// Generates an index. `slice` is the name of the slice, if its length may be used.
    pub(super) fn index(&mut self, bound: &Bound, depth: u32, slice: Option<&str>) -> Expr {
        let depth = depth.saturating_sub(1).min(2);
        let usize = || Type::USIZE;
        match bound {
            Bound::Length { least, most: _ } => {
                let inside = Range::new(0, *least as i128 - 1);
                if let Some(index) = self.affine_index(inside) {
                    return index;
                }
                let index = self.value(&usize(), depth);
                if self.risky() {
                    return index;
                }
                match slice {
                    Some(slice) if self.random.percent(15) => {
                        let len = Expr::method(usize(), inside, Expr::name(slice, usize(), inside), "len", vec![]);
                        Expr::binary(usize(), inside, "%", index, len)
                    }
                    _ => self.narrow(index, inside),
                }
            }
            Bound::Own { base, size } => {
                let base = Expr::name(base, usize(), Range::NONE).pinned();
                if *size == 1 {
                    return base;
                }
                let start = Expr::binary(usize(), Range::NONE, "*", base, Expr::usize(*size).pinned());
                self.own_index(start.pinned(), *size, depth)
            }
            Bound::From { base, size } => {
                let start = Expr::name(base, usize(), Range::NONE).pinned();
                self.own_index(start, *size, depth)
            }
            Bound::Below(name) => {
                let index = self.value(&usize(), depth);
                let bound = Expr::name(name, usize(), Range::NONE).pinned();
                Expr::binary(usize(), Range::NONE, "%", index, bound).pinned()
            }
            Bound::At(name) => Expr::name(name, usize(), Range::NONE).pinned(),
        }
    }

    /// Generates `start + k`, or rarely an index that is far out of bounds.
    fn own_index(&mut self, start: Expr, size: usize, depth: u32) -> Expr {
        let inside = Range::new(0, size as i128 - 1);
        let index = self.affine_index(inside).unwrap_or_else(|| self.value(&Type::USIZE, depth));
        let within = self.pinned_narrow(index, inside);
        let mut index = Expr::binary(Type::USIZE, Range::NONE, "+", start, within).pinned();
        if self.risky() {
            let condition = self.value(&Type::Bool, 1);
            let cast = Expr::new(Type::USIZE, Range::new(0, 1), ExprKind::Cast(Box::new(condition)));
            let far = Expr::binary(Type::USIZE, Range::NONE, "*", cast, Expr::usize(1 << 20).pinned()).pinned();
            index = Expr::binary(Type::USIZE, Range::NONE, "+", index, far).pinned();
        }
        index
    }

    /// Returns the element of a slice at an index; among elements that the thread owns, relative to the first of them.
    pub(super) fn element_at(&mut self, path: &Path, bound: &Bound, at: Expr, risky: bool) -> Expr {
        let shifted = |generator: &mut Self, at: Expr, inside: Range| {
            let shift = generator.random.within(0, 2);
            let range = Range::new(at.range.low, at.range.high.saturating_add(shift));
            if shift == 0 || !range.is_inside(inside) {
                return at;
            }
            Expr::binary(Type::USIZE, range, "+", at, Expr::usize(shift as usize))
        };
        let index = match bound {
            Bound::Own { base, size } => {
                let inside = Range::new(0, *size as i128 - 1);
                let at = shifted(self, at, inside);
                let base = Expr::name(base, Type::USIZE, Range::NONE).pinned();
                let start = Expr::binary(Type::USIZE, Range::NONE, "*", base, Expr::usize(*size).pinned()).pinned();
                let within = self.pinned_narrow(at, inside);
                Expr::binary(Type::USIZE, Range::NONE, "+", start, within).pinned()
            }
            Bound::Length { least, most: _ } => {
                let inside = Range::new(0, *least as i128 - 1);
                let at = shifted(self, at, inside);
                if risky { at } else { self.narrow(at, inside) }
            }
            Bound::From { .. } | Bound::Below(_) | Bound::At(_) => self.index(bound, 1, None),
        };
        let slice = Expr::name(&path.name, path.ty.clone(), path.range);
        Expr::new(path.ty.clone(), path.range, ExprKind::Index(Box::new(slice), Box::new(index)))
    }

    /// Generates a statement that stores a value, so that it has an effect.
    pub(super) fn absorb(&mut self, value: Expr) -> Option<Stmt> {
        let mut places = self.scope.paths(Type::is_scalar);
        places.retain(|path| path.access == Permission::Write);
        if places.is_empty() {
            return None;
        }
        let path = self.random.pick(&places).clone();
        let place = self.follow(&path, 0);
        Some(mixed_in(place, value))
    }

    /// Generates `j`, `j + 1`, `7 - j`, `2 * j + k`: affine indices of small variables, as in typical loops.
    fn affine_index(&mut self, inside: Range) -> Option<Expr> {
        if self.random.percent(45) {
            return None;
        }
        let mut small = self.scope.paths(|ty| *ty == Type::USIZE);
        small.retain(|path| path.steps.is_empty() && path.range.high <= 64 && path.access != Permission::Write);
        let counters: Vec<Path> = small.iter().filter(|path| path.access == Permission::Count).cloned().collect();
        if small.is_empty() {
            return None;
        }
        let from = if counters.is_empty() || self.random.percent(20) { small } else { counters };
        let path = self.random.pick(&from).clone();
        let variable = Expr::name(&path.name, Type::USIZE, path.range);
        let literal = |value: i128| Expr::int(Type::USIZE, value);
        let Range { low, high } = path.range;
        let shift = self.random.within(0, 3);
        let (range, expr) = match self.random.below(6) {
            0 if low >= shift => (
                Range::new(low - shift, high - shift),
                Expr::binary(Type::USIZE, Range::NONE, "-", variable, literal(shift)),
            ),
            1 if inside.high >= high => {
                let top = literal(inside.high);
                (
                    Range::new(inside.high - high, inside.high - low),
                    Expr::binary(Type::USIZE, Range::NONE, "-", top, variable),
                )
            }
            2 => (
                Range::new(low + shift, high + shift),
                Expr::binary(Type::USIZE, Range::NONE, "+", literal(shift), variable),
            ),
            3 => {
                let twice = Expr::binary(Type::USIZE, Range::NONE, "*", literal(2), variable);
                (
                    Range::new(2 * low + shift, 2 * high + shift),
                    Expr::binary(Type::USIZE, Range::NONE, "+", twice, literal(shift)),
                )
            }
            4 => (
                Range::new(low + shift, high + shift),
                Expr::binary(Type::USIZE, Range::NONE, "+", variable, literal(shift)),
            ),
            _ => (path.range, variable),
        };
        (range.is_inside(inside) || self.risky()).then_some(Expr { range, ..expr })
    }

    /// Returns the assignable places.
    pub(super) fn places(&mut self) -> Vec<Path> {
        let mut places = self.scope.paths(|ty| !matches!(ty, Type::Unit | Type::Slice(..) | Type::Ref(..)));
        places.retain(|path| path.access == Permission::Write);
        places
    }

    /// Generates `x`, `x.f` or `x[i]` of a type, as the operand of a borrow or the receiver of a method.
    pub(super) fn place(&mut self, ty: &Type, mutable: bool) -> Option<Expr> {
        self.place_apart(ty, mutable, &[])
    }

    pub(super) fn place_apart(&mut self, ty: &Type, mutable: bool, lent: &[String]) -> Option<Expr> {
        let mut paths = self.scope.paths(|found| found == ty);
        paths.retain(|path| !lent.contains(&path.name) && (!mutable || path.access == Permission::Write));
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        Some(self.follow(&path, 0).pinned())
    }
}

/// Returns `place ^= value`, or `+=` for a float.
pub(super) fn mixed_in(place: Expr, value: Expr) -> Stmt {
    let value = converted(value, &place.ty);
    let op = if matches!(place.ty, Type::Float(_)) { "+=" } else { "^=" };
    Stmt::expr(Expr::assign(op, place, value))
}

/// Returns the variable of a place.
pub(super) fn root(place: &Expr) -> Option<String> {
    match &place.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Unary(_, base) => root(base),
        _ => None,
    }
}
