//! Views: multidimensional arrays that are read, or of which each thread writes the elements with its own first index.

use super::Generator;
use super::scope::{Bound, Kind, Permission};
use crate::tree::{Array, Block, Expr, ExprKind, Stmt};
use crate::types::{Range, Type};

/// The minimum and the maximum length of a dimension.
pub(super) const MIN_EXTENT: usize = 2;
pub(super) const MAX_EXTENT: usize = 5;

/// A view parameter of a kernel.
pub(super) struct View {
    name: String,
    pub(super) element: Type,
    /// The length of each dimension. If the view is written, the first has one index per thread.
    pub(super) lens: Vec<usize>,
    pub(super) written: bool,
    /// Whether it is transposed, and so has the strides of a transposed array.
    transposed: bool,
}

impl Generator<'_> {
    pub(super) fn view(&mut self) -> View {
        let name = self.fresh("a");
        let written = self.random.percent(40);
        let dimensions = if written { 2 } else { *self.random.pick(&[0, 1, 2, 2, 2, 3, 4]) };
        let lens =
            (0..dimensions).map(|_| self.random.within(MIN_EXTENT as i128, MAX_EXTENT as i128) as usize).collect();
        View { name, element: self.element_type(), lens, written, transposed: self.random.percent(25) }
    }

    /// Brings a view into scope, and returns the kernel parameter.
    pub(super) fn declare_view(&mut self, view: &View) -> (String, Type) {
        let View { name, element, lens, written, transposed: _ } = view;
        let mut bounds: Vec<Bound> = lens.iter().map(|len| Bound::Length { least: *len, most: *len }).collect();
        if *written {
            bounds[0] = Bound::At(String::from("i"));
        }
        self.scope.push(name, Kind::View { element: element.clone(), writable: *written, bounds });
        let ty = Type::View(Box::new(element.clone()), lens.len(), *written);
        (if *written { format!("mut {name}") } else { name.clone() }, ty)
    }

    /// Returns the array of a view.
    pub(super) fn viewed(&mut self, view: &View, threads: usize) -> Array {
        let View { name, element, lens, written, transposed } = view;
        let mut shape = lens.clone();
        let value = if *written {
            shape[0] = threads;
            format!("[{}; {}]", self.value_text(element), shape.iter().product::<usize>())
        } else {
            let elements: Vec<String> = (0..shape.iter().product()).map(|_| self.value_text(element)).collect();
            format!("[{}]", elements.join(", "))
        };
        Array { name: name.clone(), written: *written, value, shape, transposed: *transposed }
    }

    /// Generates `let r = a.row(2);`, `let r = &a[1..];`, or another view of a view.
    pub(super) fn let_view(&mut self, out: &mut Vec<Stmt>) {
        let views: Vec<_> = self
            .scope
            .visible()
            .filter_map(|binding| match &binding.kind {
                Kind::View { element, writable: false, bounds } if !bounds.is_empty() => {
                    Some((binding.name.clone(), element.clone(), bounds.clone()))
                }
                _ => None,
            })
            .collect();
        if views.is_empty() {
            return self.let_slice(out);
        }
        let (from, element, mut bounds) = self.random.pick(&views).clone();
        if let [Bound::Length { least, most }] = bounds[..] {
            return self.let_range(out, &from, element, (least, most));
        }
        let methods: &[(&str, Option<usize>)] = match bounds.len() {
            2 => &[("row", Some(0)), ("column", Some(1)), ("t", None)],
            3 => &[("plane", Some(0)), ("t", None)],
            _ => &[("volume", Some(0)), ("t", None)],
        };
        let (method, axis) = *self.random.pick(methods);
        let mut args = Vec::new();
        match axis {
            Some(axis) => args.push(self.index(&bounds.remove(axis), 2, None)),
            None => bounds.reverse(),
        }
        let ty = |dimensions| Type::View(Box::new(element.clone()), dimensions, false);
        let receiver = Expr::name(&from, ty(bounds.len()), Range::NONE).pinned();
        let view = Expr::method(ty(bounds.len()), Range::NONE, receiver, method, args).pinned();
        let name = self.fresh("s");
        out.push(Stmt::binding(&name, false, false, view));
        self.scope.push(&name, Kind::View { element, writable: false, bounds });
    }

    /// Generates `let r = &a[1..];` for a one-dimensional view.
    fn let_range(&mut self, out: &mut Vec<Stmt>, from: &str, element: Type, (least, most): (usize, usize)) {
        let ty = Type::View(Box::new(element.clone()), 1, false);
        let start = self.random.below(least);
        let at = |value: usize| Some(Box::new(Expr::usize(value).pinned()));
        let to_end = self.random.percent(50);
        let end = if to_end { None } else { at(least) };
        let range = Expr::any(Type::Unit, ExprKind::Range(at(start), "..", end)).pinned();
        let whole = Expr::name(from, ty.clone(), Range::NONE).pinned();
        let part = Expr::any(ty.clone(), ExprKind::Index(Box::new(whole), Box::new(range))).pinned();
        let part = Expr::any(ty, ExprKind::Borrow(false, Box::new(part))).pinned();
        let name = self.fresh("s");
        out.push(Stmt::binding(&name, false, false, part));
        let bound = Bound::Length { least: least - start, most: if to_end { most } else { least } - start };
        self.scope.push(&name, Kind::View { element, writable: false, bounds: vec![bound] });
    }

    /// Generates `{ let (s, t) = x.split_at_mut(3); .. }`, in which an array is accessed as two slices.
    pub(super) fn let_halves(&mut self, out: &mut Vec<Stmt>) {
        let mut found = Vec::new();
        for binding in self.scope.visible() {
            let name = || binding.name.clone();
            match &binding.kind {
                Kind::Value { ty: Type::Array(element, len), access, .. } if *len > 1 && element.is_in_memory() => {
                    found.push((name(), (**element).clone(), *len, *len, *access == Permission::Write));
                }
                Kind::Slice { element, writable, bound: Bound::Length { least, most } } if *least > 1 => {
                    found.push((name(), element.clone(), *least, *most, *writable));
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return self.let_array(out);
        }
        let (whole, element, least, most, writable) = self.random.pick(&found).clone();
        let writable = writable && self.random.percent(70);
        let first = 1 + self.random.below(least - 1);
        let ty = Type::Slice(Box::new(element.clone()), writable);
        let method = if writable { "split_at_mut" } else { "split_at" };
        let receiver = Expr::name(&whole, ty.clone(), Range::NONE).pinned();
        let halves = Expr::method(ty, Range::NONE, receiver, method, vec![Expr::usize(first).pinned()]).pinned();
        let open = self.scope.open();
        let names = [self.fresh("s"), self.fresh("s")];
        let mut stmts = vec![Stmt::tuple(&names, halves)];
        self.scope.push(&whole, Kind::Hidden);
        let lens = [(first, first), (least - first, most - first)];
        for (name, (least, most)) in names.iter().zip(lens) {
            let bound = Bound::Length { least, most };
            self.scope.push(name, Kind::Slice { element: element.clone(), writable, bound });
        }
        self.stmts(3, &mut stmts);
        self.scope.close(open);
        out.push(Stmt::expr(Expr::unit(ExprKind::Block(Block { stmts, value: None }))));
    }
}
