//! Loops without a static bound, whose computation terminates, followed by accesses to arrays.
//!
//! No counter limits these loops: a compiler cannot prove that they terminate, and has to keep every check after them.

use super::scope::{Bound, Kind, Path, Permission, Step};
use super::{Generator, MAX_LEN};
use crate::tree::{Block, Expr, ExprKind, Head, Stmt};
use crate::types::{Int, Range, Type};

/// The maximum number of iterations of a loop that halves an 8-bit number, or clears its bits one by one.
const HALVINGS: u64 = 9;
/// The maximum number of iterations of Euclid's algorithm on 8-bit numbers.
const DIVISIONS: u64 = 14;
/// The maximum start of a Collatz sequence, and the maximum number of iterations from there.
const COLLATZ: (i128, u64) = (12, 20);

impl Generator<'_> {
    /// Generates a loop of any kind without a static bound.
    pub(super) fn unbounded_loop(&mut self, out: &mut Vec<Stmt>) {
        if !self.affords(4 * COLLATZ.1) {
            return self.assign(2, out);
        }
        match self.random.below(10) {
            0..4 => self.shrink(out),
            4 => self.collatz(out),
            5 => self.divisor(out),
            6..8 => self.search(out),
            _ => self.never(out),
        }
    }

    /// Generates `while v > 3 { v /= 2; .. }` and its variants. Jumps in its body may leave or continue the loop.
    fn shrink(&mut self, out: &mut Vec<Stmt>) {
        let int = *self.random.pick(&[Int::U8, Int::U16, Int::U32, Int::U64, Int::Usize, Int::Usize]);
        let ty = Type::Int(int);
        let most = if int == Int::Usize { 7 } else { 255 };
        let name = self.start(&ty, Range::new(0, most), out);
        let variable = || Expr::name(&name, ty.clone(), Range::new(0, most)).pinned();
        let limit = self.random.within(0, 3);
        let above = || {
            let limit = Expr::int(ty.clone(), limit).pinned();
            Expr::binary(Type::Bool, Range::NONE, ">", variable(), limit).pinned()
        };
        let step = match self.random.below(4) {
            0 => ("/=", Expr::int(ty.clone(), self.random.within(2, 3))),
            1 => (">>=", Expr::int(ty.clone(), 1)),
            2 => ("-=", {
                let half = Expr::binary(ty.clone(), Range::NONE, "/", variable(), Expr::int(ty.clone(), 2).pinned());
                Expr::binary(ty.clone(), Range::NONE, "-", variable(), half.pinned())
            }),
            // The number is above the limit, so that a bit is set.
            _ => ("&=", Expr::binary(ty.clone(), Range::NONE, "-", variable(), Expr::int(ty.clone(), 1).pinned())),
        };
        let step = || Stmt::expr(Expr::assign(step.0, variable(), step.1.clone().pinned()).pinned()).pinned();
        let (head, before) = match self.random.below(5) {
            0 => {
                // `while { v /= 2; v > 3 } { .. }`: the step is defined for every number, including 0.
                let halve = Expr::assign("/=", variable(), Expr::int(ty.clone(), 2).pinned()).pinned();
                let block = Block { stmts: vec![Stmt::expr(halve).pinned()], value: Some(Box::new(above())) };
                (Head::While(Box::new(Expr::any(Type::Bool, ExprKind::Block(block)).pinned())), vec![])
            }
            1 => {
                let done = Expr::any(Type::Bool, ExprKind::Unary("!", Box::new(above()))).pinned();
                let leave = Block { stmts: vec![leave()], value: None };
                let exit = ExprKind::If { condition: Box::new(done), then: leave, otherwise: None };
                (Head::Loop, vec![Stmt::expr(Expr::unit(exit).pinned()).pinned(), step()])
            }
            2 => {
                // The other half of the condition depends on data only.
                let wish = self.condition(2);
                let both = Expr::binary(Type::Bool, Range::NONE, "&&", above(), wish).pinned();
                (Head::While(Box::new(both)), vec![step()])
            }
            _ => (Head::While(Box::new(above())), vec![step()]),
        };
        let empty = self.random.percent(20);
        let (label, body) =
            self.loop_around(HALVINGS, before, |generator| if empty { vec![] } else { generator.body(3).stmts });
        out.push(Stmt::expr(Expr::repeat(None, label, head, body)));
        self.spend(HALVINGS);
        self.element_behind(&name, out);
    }

    /// Generates `while v != 1 { v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 }; .. }`.
    fn collatz(&mut self, out: &mut Vec<Stmt>) {
        let (most, turns) = COLLATZ;
        let ty = Type::Int(*self.random.pick(&[Int::U8, Int::I32, Int::U32, Int::I64, Int::Usize]));
        // From a start of at most 12 the maximum is 52.
        let name = self.start_within(&ty, Range::new(1, most), Range::new(1, 52), out);
        let variable = || Expr::name(&name, ty.clone(), Range::new(1, 52)).pinned();
        let number = |value| Expr::int(ty.clone(), value).pinned();
        let binary = |op, left, right| Expr::binary(ty.clone(), Range::NONE, op, left, right).pinned();
        let test = |op, left, right| Expr::binary(Type::Bool, Range::NONE, op, left, right).pinned();
        let even = test("==", binary("%", variable(), number(2)), number(0));
        let only = |value| Block { stmts: vec![], value: Some(Box::new(value)) };
        let tripled = binary("+", binary("*", number(3), variable()), number(1));
        let next = ExprKind::If {
            condition: Box::new(even),
            then: only(binary("/", variable(), number(2))),
            otherwise: Some(only(tripled)),
        };
        let next = Expr::any(ty.clone(), next).pinned();
        let step = Stmt::expr(Expr::assign("=", variable(), next).pinned()).pinned();
        let (label, body) = self.loop_around(turns, vec![step], |generator| generator.body(2).stmts);
        let head = Head::While(Box::new(test("!=", variable(), number(1))));
        out.push(Stmt::expr(Expr::repeat(None, label, head, body)));
        self.element_behind(&name, out);
    }

    /// Generates `while b != 0 { (a, b) = (b, a % b); .. }`.
    fn divisor(&mut self, out: &mut Vec<Stmt>) {
        let ty = Type::Int(*self.random.pick(&[Int::U8, Int::U32, Int::U64, Int::Usize]));
        let range = Range::new(0, 255);
        let names = [self.start(&ty, range, out), self.start(&ty, range, out)];
        let [a, b] = names.each_ref().map(|name| Expr::name(name, ty.clone(), range).pinned());
        let both = |parts: Vec<Expr>| Expr::any(Type::Tuple(vec![ty.clone(); 2]), ExprKind::Tuple(parts)).pinned();
        let rest = Expr::binary(ty.clone(), Range::NONE, "%", a.clone(), b.clone()).pinned();
        let step = Expr::assign("=", both(vec![a, b.clone()]), both(vec![b.clone(), rest])).pinned();
        let (label, body) =
            self.loop_around(DIVISIONS, vec![Stmt::expr(step).pinned()], |generator| generator.body(2).stmts);
        let zero = Expr::int(ty.clone(), 0).pinned();
        let head = Head::While(Box::new(Expr::binary(Type::Bool, Range::NONE, "!=", b, zero).pinned()));
        out.push(Stmt::expr(Expr::repeat(None, label, head, body)));
        self.element_behind(&names[0], out);
    }

    /// Generates `while at < x.len() && !c { at += 1; } if at < x.len() { y[i] = x[at]; }`.
    fn search(&mut self, out: &mut Vec<Stmt>) {
        let Some((path, _)) = self.counted_slice() else {
            return self.shrink(out);
        };
        let (first, one) = (self.random.within(0, 2), Expr::usize(1).pinned());
        let name = self.fresh("turns");
        let start = Expr::int(Type::USIZE, first).pinned();
        out.push(Stmt::binding(&name, true, false, start).pinned());
        let at = || Expr::name(&name, Type::USIZE, Type::USIZE.range()).pinned();
        let in_bounds = || {
            let slice = Expr::name(&path.name, Type::USIZE, Range::NONE).pinned();
            let len = Expr::method(Type::USIZE, Range::NONE, slice, "len", vec![]).pinned();
            Expr::binary(Type::Bool, Range::NONE, "<", at(), len).pinned()
        };
        let element = || {
            let slice = Expr::name(&path.name, path.ty.clone(), path.range).pinned();
            Expr::new(path.ty.clone(), path.range, ExprKind::Index(Box::new(slice), Box::new(at())))
        };
        let open = self.scope.open();
        let found = self.fresh("g");
        self.scope.value(&found, path.ty.clone(), path.ty.range(), Permission::Read);
        let turns = MAX_LEN as u64;
        self.turns *= turns;
        let wanted = self.condition(2);
        self.turns /= turns;
        self.scope.close(open);
        // `{ let g = x[at]; c }`, so that the condition depends on the element.
        let bound = Stmt::binding(&found, false, false, element().pinned());
        let block = Block { stmts: vec![bound], value: Some(Box::new(wanted)) };
        let goes_on = Expr::any(Type::Bool, ExprKind::Block(block)).pinned();
        let condition = Expr::binary(Type::Bool, Range::NONE, "&&", in_bounds(), goes_on).pinned();
        let step = Stmt::expr(Expr::assign("+=", at(), one).pinned()).pinned();
        let body = Block { stmts: vec![step], value: None };
        out.push(Stmt::expr(Expr::repeat(None, None, Head::While(Box::new(condition)), body)));
        self.spend(2 * turns);
        let Some(use_of_it) = self.absorb(element()) else { return };
        if self.risky() {
            out.push(use_of_it);
        } else {
            let then = Block { stmts: vec![use_of_it], value: None };
            let choice = ExprKind::If { condition: Box::new(in_bounds()), then, otherwise: None };
            out.push(Stmt::expr(Expr::unit(choice).pinned()));
        }
        self.scope.value(&name, Type::USIZE, Range::new(0, MAX_LEN as i128), Permission::Read);
    }

    /// Generates `while at >= x.len() {} y[i] = x[at];`: a loop that would not terminate, and is never entered.
    fn never(&mut self, out: &mut Vec<Stmt>) {
        let Some((path, least)) = self.counted_slice() else {
            return self.shrink(out);
        };
        let name = self.fresh("at");
        let inside = Range::new(0, least as i128 - 1);
        let value = self.value(&Type::USIZE, 2);
        let value = self.pinned_narrow(value, inside);
        out.push(Stmt::binding(&name, false, false, value).pinned());
        self.scope.value(&name, Type::USIZE, inside, Permission::Count);
        let at = || Expr::name(&name, Type::USIZE, inside).pinned();
        let slice = || Expr::name(&path.name, path.ty.clone(), path.range).pinned();
        let len = Expr::method(Type::USIZE, Range::NONE, slice(), "len", vec![]).pinned();
        let outside = Expr::binary(Type::Bool, Range::NONE, ">=", at(), len).pinned();
        let mut body = vec![];
        let head = match self.random.below(4) {
            0 => {
                let within = Expr::any(Type::Bool, ExprKind::Unary("!", Box::new(outside))).pinned();
                let then = Block { stmts: vec![leave()], value: None };
                let stop = ExprKind::If { condition: Box::new(within), then, otherwise: None };
                body.push(Stmt::expr(Expr::unit(stop).pinned()).pinned());
                Head::Loop
            }
            1 => {
                body.push(Stmt::expr(Expr::jump("continue", None, None)));
                Head::While(Box::new(outside))
            }
            _ => Head::While(Box::new(outside)),
        };
        let body = Block { stmts: body, value: None };
        out.push(Stmt::expr(Expr::repeat(None, None, head, body).pinned()));
        let element = Expr::new(path.ty.clone(), path.range, ExprKind::Index(Box::new(slice()), Box::new(at())));
        let stmt = self.absorb(element);
        out.extend(stmt);
    }

    /// Declares `let mut v = value;`, which a loop decreases.
    fn start(&mut self, ty: &Type, range: Range, out: &mut Vec<Stmt>) -> String {
        self.start_within(ty, range, range, out)
    }

    /// Declares a variable with an initial range and an invariant range.
    fn start_within(&mut self, ty: &Type, first: Range, all: Range, out: &mut Vec<Stmt>) -> String {
        // It is not borrowed: the loop modifies it.
        let name = self.fresh("turns");
        let value = self.value(ty, 2);
        let value = self.pinned_narrow(value, first);
        let annotated = value.is_literal();
        out.push(Stmt::binding(&name, true, annotated, value).pinned());
        self.scope.value(&name, ty.clone(), all, Permission::Count);
        name
    }

    /// Generates an access to an array with a result of a loop.
    fn element_behind(&mut self, name: &str, out: &mut Vec<Stmt>) {
        let Some((path, _)) = self.counted_slice() else { return };
        let Some(Step::Slice(bound)) = path.steps.first().cloned() else { return };
        let found = self.scope.paths(|ty| *ty == Type::USIZE).into_iter().find(|path| path.name == name);
        if let Some(Path { range, .. }) = found {
            let at = Expr::name(name, Type::USIZE, range);
            let risky = self.risky();
            let value = self.element_at(&path, &bound, at, risky);
            let stmt = self.absorb(value);
            out.extend(stmt);
        }
    }

    /// Returns a slice of scalars that is read, and its minimum length.
    fn counted_slice(&mut self) -> Option<(Path, usize)> {
        let mut found = Vec::new();
        for binding in self.scope.visible() {
            if let Kind::Slice { element, bound: Bound::Length { least, most }, .. } = &binding.kind
                && element.is_scalar()
            {
                let bound = Bound::Length { least: *least, most: *most };
                let (name, ty, range) = (binding.name.clone(), element.clone(), element.range());
                found.push((
                    Path { name, steps: vec![Step::Slice(bound)], ty, range, access: Permission::Read },
                    *least,
                ));
            }
        }
        (!found.is_empty()).then(|| self.random.pick(&found).clone())
    }
}

/// Returns `break;`.
fn leave() -> Stmt {
    Stmt::expr(Expr::jump("break", None, None).pinned()).pinned()
}
