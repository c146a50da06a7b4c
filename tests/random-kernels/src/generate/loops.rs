//! Loops as statements. Each is bounded, by its range or by a counter.

use super::scope::{Bound, JumpTarget, Kind, Permission};
use super::{Generator, MAX_LEN};
use crate::tree::{Block, Expr, ExprKind, Head, Stmt};
use crate::types::{Int, Range, Type};

impl Generator<'_> {
    /// Generates a loop of any kind.
    pub(super) fn loop_stmt(&mut self, out: &mut Vec<Stmt>) {
        let most = self.random.within(1, 7) as u64;
        if !self.affords(4 * most) {
            return self.assign(2, out);
        }
        match self.random.below(10) {
            0..2 => self.while_stmt(most, out),
            2..4 => self.loop_until(most, out),
            _ => self.for_stmt(most, out),
        }
    }

    /// Generates the body of a loop.
    fn loop_body(&mut self, turns: u64, before: Vec<Stmt>, bind: impl FnOnce(&mut Self)) -> (Option<String>, Block) {
        self.loop_around(turns, before, |generator| {
            bind(generator);
            generator.body(4).stmts
        })
    }

    /// Generates the body of a loop from the statements that `make` returns, and the label if a jump names it.
    pub(super) fn loop_around(
        &mut self,
        turns: u64,
        mut stmts: Vec<Stmt>,
        make: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> (Option<String>, Block) {
        let open = self.scope.open();
        self.turns *= turns;
        self.loops.push(JumpTarget { label: None, value: None, range: None, block: false });
        stmts.append(&mut make(self));
        let this = self.loops.pop().expect("it was pushed");
        self.turns /= turns;
        self.scope.close(open);
        (this.label, Block { stmts, value: None })
    }

    fn while_stmt(&mut self, most: u64, out: &mut Vec<Stmt>) {
        let open = self.scope.open();
        let (turns, start) = self.counter(most);
        out.push(start);
        let condition = self.condition(3);
        let name = Expr::name(&turns, Type::U32, Range::NONE).pinned();
        let limit = Expr::int(Type::U32, i128::from(most)).pinned();
        let short = Expr::binary(Type::Bool, Range::NONE, "<", name, limit).pinned();
        let condition = if self.random.percent(50) {
            Expr::binary(Type::Bool, Range::NONE, "&&", short, condition)
        } else {
            Expr::binary(Type::Bool, Range::NONE, "&&", condition, short)
        };
        let (label, body) = self.loop_body(most, vec![count(&turns)], |_| {});
        let head = Head::While(Box::new(condition.pinned()));
        let unroll = self.unroll();
        out.push(Stmt::expr(Expr::repeat(unroll, label, head, body)));
        self.close_over(open, &turns, most);
    }

    fn loop_until(&mut self, most: u64, out: &mut Vec<Stmt>) {
        let open = self.scope.open();
        let (turns, start) = self.counter(most);
        out.push(start);
        let (label, body) = self.loop_body(most, vec![count(&turns), stop(&turns, most, None)], |_| {});
        out.push(Stmt::expr(Expr::repeat(None, label, Head::Loop, body)));
        self.close_over(open, &turns, most);
    }

    /// Returns `#[unroll]`, rarely.
    fn unroll(&mut self) -> Option<u32> {
        self.random.percent(8).then(|| *self.random.pick(&[0, 2, 3, 4]))
    }

    /// Makes the counter of a loop readable after the loop.
    fn close_over(&mut self, open: usize, turns: &str, most: u64) {
        self.scope.close(open);
        self.scope.value(turns, Type::U32, Range::new(0, i128::from(most) + 1), Permission::Read);
    }

    /// Generates `for i in range { .. }`.
    fn for_stmt(&mut self, most: u64, out: &mut Vec<Stmt>) {
        self.for_stmt_with(most, out, |generator| generator.body(4).stmts);
    }

    /// Generates `for i in range { .. }` around the statements that `make` returns.
    pub(super) fn for_stmt_with(&mut self, most: u64, out: &mut Vec<Stmt>, make: impl FnOnce(&mut Self) -> Vec<Stmt>) {
        let int = if self.random.percent(60) { Int::Usize } else { *self.random.pick(&Int::ALL) };
        self.heads += 1;
        let (sequence, range, turns, before) = self.counted(int, most, out);
        self.heads -= 1;
        let unused = self.random.percent(6);
        let mutable = self.random.percent(6);
        let name = if unused { String::from("_") } else { self.fresh("j") };
        let pattern = if mutable && !unused { format!("mut {name}") } else { name.clone() };
        let (label, body) = self.loop_around(turns, before, |generator| {
            if !unused {
                let (range, access) =
                    if mutable { (int.range(), Permission::Write) } else { (range, Permission::Count) };
                generator.scope.value(&name, Type::Int(int), range, access);
            }
            make(generator)
        });
        let head = Head::For { pattern, sequence: Box::new(sequence) };
        let unroll = self.unroll();
        out.push(Stmt::expr(Expr::repeat(unroll, label, head, body)));
    }

    /// Generates `for i in 0..n { .. }` of `usize`, up to a length or an unknown number: a loop out of which bounds
    /// checks are hoisted.
    pub(super) fn plain_for(&mut self, most: u64, out: &mut Vec<Stmt>, make: impl FnOnce(&mut Self) -> Vec<Stmt>) {
        let at = |value: usize| Some(Box::new(Expr::usize(value).pinned()));
        let (end, turns) = match self.whole_slice(Int::Usize) {
            Some((slice, longest)) if self.affords(4 * longest as u64) && self.random.percent(60) => {
                let name = Expr::name(&slice, Type::USIZE, Range::NONE).pinned();
                (Expr::method(Type::USIZE, Range::NONE, name, "len", vec![]).pinned(), longest as u64)
            }
            _ => {
                self.heads += 1;
                let end = self.value(&Type::USIZE, 2);
                self.heads -= 1;
                (self.pinned_narrow(end, Range::new(0, i128::from(most))), most)
            }
        };
        let name = self.fresh("j");
        let (label, body) = self.loop_around(turns, vec![], |generator| {
            let range = Range::new(0, i128::from(turns) - 1);
            generator.scope.value(&name, Type::USIZE, range, Permission::Count);
            make(generator)
        });
        let range = ExprKind::Range(at(0), "..", Some(Box::new(end)));
        let sequence = Box::new(Expr::any(Type::USIZE, range).pinned());
        out.push(Stmt::expr(Expr::repeat(None, label, Head::For { pattern: name, sequence }, body)));
    }

    /// Returns the sequence of a `for`, the range of its counter, the maximum number of iterations, and the first
    /// statements of the body.
    fn counted(&mut self, int: Int, most: u64, out: &mut Vec<Stmt>) -> (Expr, Range, u64, Vec<Stmt>) {
        let (ty, whole) = (Type::Int(int), int.range());
        let most_wide = i128::from(most);
        let at = |value: i128| Expr::int(ty.clone(), value).pinned();
        let mut turns = most;
        let mut before = vec![];
        let mut dots = *self.random.pick(&["..", "..", "..="]);
        let past = i128::from(dots == "..=");
        let (start, end, range) = match self.random.below(10) {
            // From zero or a small number.
            0..4 => {
                let first = if self.random.percent(60) { 0 } else { self.random.within(0, 4) };
                let end = self.value(&ty, 2);
                let end = self.pinned_narrow(end, Range::new(0, first + most_wide - past));
                (at(first), end, Range::new(first.min(first + most_wide - 1), (first + most_wide - 1).max(first)))
            }
            // Two bounds in any order: the range may be empty.
            4 => {
                let low = if int.is_signed() { -(most_wide / 2) } else { 0 };
                let ends = Range::new(low, low + most_wide - past);
                let (start, end) = (self.value(&ty, 2), self.value(&ty, 2));
                let (start, end) = (self.pinned_narrow(start, ends), self.pinned_narrow(end, ends));
                (start, end, Range::new(low, low + most_wide))
            }
            // Up to the maximum of the type, or from its minimum.
            5 => {
                dots = "..=";
                let value = self.value(&ty, 2);
                if self.random.percent(60) {
                    let range = Range::new(whole.high - most_wide + 1, whole.high);
                    let last = Expr::new(
                        ty.clone(),
                        Range::one(whole.high),
                        ExprKind::Literal(format!("{}::MAX", int.name())),
                    );
                    (self.pinned_narrow(value, range), last.pinned(), range)
                } else {
                    let range = Range::new(whole.low, whole.low + most_wide - 1);
                    (at(whole.low), self.pinned_narrow(value, range), range)
                }
            }
            // Two arbitrary bounds, and an exit by a counter.
            6 => {
                let (counter, start) = self.counter(most);
                out.push(start);
                before = vec![count(&counter), stop(&counter, most, None)];
                (self.value(&ty, 2), self.value(&ty, 2), whole)
            }
            // A whole slice.
            _ => match self.whole_slice(int) {
                Some((slice, longest)) if self.affords(4 * longest as u64) => {
                    turns = longest as u64;
                    dots = "..";
                    let name = Expr::name(&slice, Type::USIZE, Range::NONE).pinned();
                    let len = Expr::method(Type::USIZE, Range::NONE, name, "len", vec![]).pinned();
                    // Each index of the slice itself is in bounds.
                    (at(0), len, Range::new(0, longest as i128 - 1))
                }
                _ => {
                    let first = self.random.within(0, 3);
                    (at(first), at(first + most_wide - past), Range::new(first, first + most_wide - 1))
                }
            },
        };
        let ends = ExprKind::Range(Some(Box::new(start)), dots, Some(Box::new(end)));
        let mut sequence = Expr::any(ty.clone(), ends).pinned();
        if self.random.percent(20) {
            sequence = Expr::method(ty.clone(), Range::NONE, sequence, "rev", vec![]).pinned();
        }
        if self.random.percent(25) {
            let step = self.value(&Type::USIZE, 1);
            let step = if self.risky() { step } else { self.narrow(step, Range::new(1, 5)) };
            // A step of 0 is a fault, so that every loop ends.
            sequence = Expr::method(ty.clone(), Range::NONE, sequence, "step_by", vec![step]).pinned();
            // Only an iterator of known length can be reversed.
            let counted = if dots == "..=" { int.bits() <= 16 } else { int.bits() <= 32 || int == Int::Usize };
            if counted && self.random.percent(20) {
                sequence = Expr::method(ty, Range::NONE, sequence, "rev", vec![]).pinned();
            }
        }
        (sequence, range, turns, before)
    }

    /// Returns a slice whose length can be the bound of a loop, and its maximum length.
    fn whole_slice(&mut self, int: Int) -> Option<(String, usize)> {
        if int != Int::Usize {
            return None;
        }
        let slices: Vec<(String, usize)> = self
            .scope
            .visible()
            .filter_map(|binding| match &binding.kind {
                Kind::Slice { bound: Bound::Length { most, .. }, .. } => Some((binding.name.clone(), *most)),
                _ => None,
            })
            .collect();
        (!slices.is_empty()).then(|| self.random.pick(&slices).clone())
    }

    /// Generates `for v in x.iter()` and its variants.
    pub(super) fn loop_over_elements(&mut self, out: &mut Vec<Stmt>) {
        let mut found: Vec<(String, Type, usize, bool, bool)> = Vec::new();
        for binding in self.scope.visible() {
            match &binding.kind {
                Kind::Value { ty: Type::Array(element, len), access, .. } if *len <= MAX_LEN => {
                    found.push((binding.name.clone(), (**element).clone(), *len, *access == Permission::Write, true));
                }
                Kind::Slice { element, writable, bound: Bound::Length { most, .. } } => {
                    found.push((binding.name.clone(), element.clone(), *most, *writable, false));
                }
                Kind::View { element, writable: false, bounds } => {
                    if let [Bound::Length { most, .. }] = bounds.as_slice() {
                        found.push((binding.name.clone(), element.clone(), *most, false, false));
                    }
                }
                _ => {}
            }
        }
        found.retain(|(_, element, len, ..)| self.affords(4 * *len as u64) && !matches!(element, Type::Tuple(_)));
        if found.is_empty() {
            return self.let_array(out);
        }
        let (name, element, len, writable, array) = self.random.pick(&found).clone();
        let whole = Expr::name(&name, Type::Slice(Box::new(element.clone()), writable), Range::NONE).pinned();
        let call = |expr: Expr, method: &str| Expr::method(Type::Unit, Range::NONE, expr, method, vec![]).pinned();
        let variable = self.fresh("item");
        let (mut sequence, mut pattern, kind) = match self.random.below(6) {
            0 if array => (
                whole,
                variable.clone(),
                Kind::Value { ty: element.clone(), range: element.range(), access: Permission::Read },
            ),
            1 => {
                let copied = self.random.percent(50);
                let items = call(whole, "iter");
                let (items, pattern) =
                    if copied { (call(items, "copied"), variable.clone()) } else { (items, format!("&{variable}")) };
                (items, pattern, Kind::Value { ty: element.clone(), range: element.range(), access: Permission::Read })
            }
            2 | 3 if writable => {
                (call(whole, "iter_mut"), variable.clone(), Kind::Ref { ty: element.clone(), writable: true })
            }
            _ => (call(whole, "iter"), variable.clone(), Kind::Ref { ty: element.clone(), writable: false }),
        };
        let mut index = None;
        let adaptable = matches!(sequence.kind, ExprKind::Method(..));
        if adaptable && self.random.percent(40) {
            sequence = call(sequence, "enumerate");
            let counter = self.fresh("j");
            pattern = format!("({counter}, {pattern})");
            index = Some(counter);
        } else if adaptable && self.random.percent(25) {
            sequence = call(sequence, "rev");
        }
        let (label, body) = self.loop_body(len as u64, vec![], |generator| {
            if writable {
                generator.scope.push(&name, Kind::Hidden);
            }
            if let Some(counter) = &index {
                let range = Range::new(0, len as i128 - 1);
                generator.scope.value(counter, Type::USIZE, range, Permission::Count);
            }
            generator.scope.push(&variable, kind);
        });
        let head = Head::For { pattern, sequence: Box::new(sequence) };
        let unroll = self.unroll();
        out.push(Stmt::expr(Expr::repeat(unroll, label, head, body)));
    }

    /// Generates `let mut turns = 0;`, which [`count`] increments and by which [`stop`] ends a loop.
    pub(super) fn counter(&mut self, most: u64) -> (String, Stmt) {
        let name = self.fresh("turns");
        let range = Range::new(0, i128::from(most) + 1);
        self.scope.value(&name, Type::U32, range, Permission::Read);
        let stmt = Stmt::binding(&name, true, false, Expr::int(Type::U32, 0).pinned()).pinned();
        (name, stmt)
    }
}

/// Returns `turns += 1;`.
pub(super) fn count(turns: &str) -> Stmt {
    let name = Expr::name(turns, Type::U32, Range::NONE).pinned();
    Stmt::expr(Expr::assign("+=", name, Expr::int(Type::U32, 1).pinned())).pinned()
}

/// Returns `if turns > most { break; }`.
pub(super) fn stop(turns: &str, most: u64, value: Option<Expr>) -> Stmt {
    let name = Expr::name(turns, Type::U32, Range::NONE).pinned();
    let limit = Expr::int(Type::U32, i128::from(most)).pinned();
    let condition = Expr::binary(Type::Bool, Range::NONE, ">", name, limit).pinned();
    let leave = Stmt::expr(Expr::jump("break", None, value).pinned()).pinned();
    let then = Block { stmts: vec![leave], value: None };
    Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(condition), then, otherwise: None }).pinned()).pinned()
}
