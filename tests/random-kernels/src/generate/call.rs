//! Calls of device functions and methods.

use super::Generator;
use super::place::root;
use super::scope::{Kind, Path};
use crate::tree::{Expr, ExprKind, Stmt};
use crate::types::{Range, Type};

/// A callable function.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    pub(super) name: String,
    /// For a method: its type, and whether it takes `self`, `&self` or `&mut self`.
    pub(super) receiver: Option<(Type, &'static str)>,
    pub(super) params: Vec<Param>,
    pub(super) result: Type,
    /// The number of steps of a call.
    pub(super) steps: u64,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(super) enum Param {
    Value(Type),
    /// `&[T]`
    Slice(Type),
    /// `&mut [T]`, followed by a `usize`: the thread owns the given number of elements from that index on.
    Own(Type, usize),
    /// `&mut [T]`, all of whose elements the thread owns.
    Borrowed(Type),
    /// `&mut [T]`, to which all threads add.
    Sums(Type, &'static str),
    /// `ArrayView2<T>`, with the number of dimensions.
    View(Type, usize),
    /// `&T` or `&mut T`
    Ref(Type, bool),
}

impl Param {
    /// Returns the parameter with the type parameter replaced by a concrete type.
    pub(super) fn at(&self, generic: &Type, concrete: &Type) -> Param {
        let at = |ty: &Type| if ty == generic { concrete.clone() } else { ty.clone() };
        match self {
            Param::Value(ty) => Param::Value(at(ty)),
            Param::Slice(ty) => Param::Slice(at(ty)),
            Param::Own(ty, size) => Param::Own(at(ty), *size),
            Param::Borrowed(ty) => Param::Borrowed(at(ty)),
            Param::Sums(ty, function) => Param::Sums(at(ty), function),
            Param::View(ty, dimensions) => Param::View(at(ty), *dimensions),
            Param::Ref(ty, mutable) => Param::Ref(at(ty), *mutable),
        }
    }
}

impl Generator<'_> {
    /// Generates a call of a function with this result type.
    pub(super) fn call(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let fitting: Vec<Callable> =
            self.callees.iter().filter(|callee| callee.result == *ty && self.affords(callee.steps)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let callee = self.random.pick(&fitting).clone();
        self.call_of(&callee, depth)
    }

    /// Generates a call, if all of its arguments can be generated.
    fn call_of(&mut self, callee: &Callable, depth: u32) -> Option<Expr> {
        let Callable { name, receiver, params, result, steps } = callee;
        if self.hosted {
            return None;
        }
        // The other arguments must not name a variable that is borrowed mutably.
        let borrows = params.iter().any(|param| matches!(param, Param::Borrowed(_) | Param::Ref(..)))
            || matches!(receiver, Some((_, "&self" | "&mut self")));
        let depth = if borrows { 0 } else { depth.saturating_sub(1) };
        self.spend(steps + 1);
        let mut args = Vec::new();
        let receiver = match receiver {
            Some((ty, "self")) => Some(self.value(ty, depth)),
            Some((ty, word)) => Some(self.place(ty, *word == "&mut self")?),
            None => None,
        };
        let mut lent: Vec<String> = receiver.iter().filter_map(root).collect();
        for param in params {
            match param {
                Param::Value(ty) if borrows => args.push(self.unborrowed_value(ty, &lent)),
                Param::Value(ty) => args.push(self.value(ty, depth)),
                Param::Slice(element) => args.push(self.slice_argument(element, &lent)?),
                Param::Own(element, size) => {
                    let [slice, start] = self.own_argument(element, *size, &lent)?;
                    lent.extend(root(&slice));
                    args.extend([slice, start]);
                }
                Param::Borrowed(element) => {
                    let (argument, name) = self.borrowed_argument(element, &lent)?;
                    lent.push(name);
                    args.push(argument);
                }
                Param::Sums(element, function) => {
                    let found = self.scope.visible().find_map(|binding| match &binding.kind {
                        Kind::Sums { element: of, function: by } if of == element && by == function => {
                            Some(binding.name.clone())
                        }
                        _ => None,
                    });
                    args.push(Expr::name(&found?, Type::Slice(Box::new(element.clone()), true), Range::NONE).pinned());
                }
                Param::View(element, dimensions) => args.push(self.view_argument(element, *dimensions)?),
                Param::Ref(ty, mutable) => {
                    let place = self.place_apart(ty, *mutable, &lent)?;
                    lent.extend(root(&place));
                    let by_ref = Type::Ref(Box::new(ty.clone()), *mutable);
                    args.push(Expr::any(by_ref, ExprKind::Borrow(*mutable, Box::new(place))));
                }
            }
        }
        let kind = match receiver {
            Some(receiver) => ExprKind::Method(Box::new(receiver), name.clone(), args),
            None => ExprKind::Call(name.clone(), args),
        };
        Some(Expr::any(result.clone(), kind))
    }

    pub(super) fn call_stmt(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let affordable: Vec<Callable> =
            self.callees.iter().filter(|callee| self.affords(callee.steps)).cloned().collect();
        let (without, with): (Vec<Callable>, Vec<Callable>) =
            affordable.into_iter().partition(|callee| callee.result == Type::Unit);
        let from = if !without.is_empty() && self.random.percent(80) { without } else { with };
        if from.is_empty() {
            return self.assign(depth, out);
        }
        let callee = self.random.pick(&from).clone();
        match self.call_of(&callee, depth.min(2)) {
            Some(call) => out.push(Stmt::expr(call)),
            None => self.assign(depth, out),
        }
    }

    /// Returns a value that does not name a borrowed variable: a literal.
    fn unborrowed_value(&mut self, ty: &Type, lent: &[String]) -> Expr {
        let paths = self.scope.paths(|found| found == ty);
        let apart: Vec<Path> =
            paths.into_iter().filter(|path| path.steps.is_empty() && !lent.contains(&path.name)).collect();
        if !apart.is_empty() && self.random.percent(80) {
            let path = self.random.pick(&apart).clone();
            return self.follow(&path, 0);
        }
        self.scalar_literal(ty).or_else(|| Expr::simplest(ty)).expect("a value")
    }
}
