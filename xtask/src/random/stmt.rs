//! Statements.

use super::expr::{count, stop};
use super::generate::{Callee, Generator, OpenLoop};
use super::scope::{Access, Kind, Path, Step};
use super::tree::{Block, Expr, ExprKind, Head, Stmt, StmtKind};
use super::types::{Int, Range, Type};

/// What a statement does.
#[derive(Clone, Copy)]
enum Form {
    Let,
    LetSum,
    LetTuple,
    LetSlice,
    Assign,
    AssignOp,
    If,
    Loop,
    Jump,
    Call,
    Atomic,
    Block,
    Assert,
    Drop,
    Const,
    LetLater,
    LetArray,
    LetRef,
    LetStruct,
    Match,
    Elements,
}

impl Generator<'_> {
    /// Statements, in the scope that is open.
    pub(super) fn stmts(&mut self, most: usize, out: &mut Vec<Stmt>) {
        for _ in 0..=self.random.below(most) {
            if self.left <= 0 {
                return;
            }
            self.stmt(out);
        }
    }

    /// A block of statements, in a scope of its own.
    pub(super) fn body(&mut self, most: usize) -> Block {
        let open = self.scope.open();
        let mut stmts = Vec::new();
        self.stmts(most, &mut stmts);
        if self.random.percent(6)
            && let Some(jump) = self.jump()
        {
            stmts.push(Stmt::expr(jump));
        }
        self.scope.close(open);
        Block { stmts, value: None }
    }

    /// One statement, with what it needs before it.
    pub(super) fn stmt(&mut self, out: &mut Vec<Stmt>) {
        self.left -= 1;
        self.spend(1);
        let full = u32::from(self.options.language.is_full());
        let form = self.random.weighted(&[
            (24, Form::Let),
            (3, Form::LetSum),
            (5, Form::LetTuple),
            (2, Form::LetSlice),
            (22, Form::Assign),
            (12, Form::AssignOp),
            (12, Form::If),
            (11, Form::Loop),
            (3, Form::Jump),
            (5, Form::Call),
            (4, Form::Atomic),
            (2, Form::Block),
            (2, Form::Assert),
            (1, Form::Drop),
            (1, Form::Const),
            (3 * full, Form::LetLater),
            (7 * full, Form::LetArray),
            (3 * full, Form::LetRef),
            (7 * full, Form::LetStruct),
            (6 * full, Form::Match),
            (4 * full, Form::Elements),
        ]);
        let depth = 2 + self.random.below(3) as u32;
        match form {
            Form::Let => self.let_value(depth, out),
            Form::LetSum => self.let_sum(out),
            Form::LetTuple => self.let_tuple(depth, out),
            Form::LetSlice => self.let_slice(out),
            Form::Assign => self.assign(depth, out),
            Form::AssignOp => self.assign_op(depth, out),
            Form::If => {
                let stmt = self.if_stmt(depth);
                out.push(stmt);
            }
            Form::Loop => self.loop_stmt(out),
            Form::Jump => self.conditional_jump(out),
            Form::Call => self.call_stmt(depth, out),
            Form::Atomic => self.atomic(depth, out),
            Form::Block => {
                let block = self.body(3);
                out.push(Stmt::expr(Expr::unit(ExprKind::Block(block))));
            }
            Form::Assert => self.assert(out),
            Form::Drop => {
                let ty = self.scalar_type();
                let value = self.value(&ty, depth);
                out.push(Stmt::new(StmtKind::Let {
                    pattern: String::from("_"),
                    names: vec![],
                    ty: None,
                    value: Some(value),
                }));
            }
            Form::Const => {
                let int = *self.random.pick(&Int::ALL);
                let (name, value) = (self.fresh("LOCAL"), self.int_literal(int, int.range()));
                self.scope.value(&name, value.ty.clone(), value.range, Access::Read);
                out.push(Stmt::new(StmtKind::Const { name, ty: value.ty.clone(), value }));
            }
            Form::LetLater => self.let_later(out),
            Form::LetArray => self.let_array(out),
            Form::LetRef => self.let_ref(out),
            Form::LetStruct => self.let_struct(out),
            Form::Match => {
                let stmt = self.match_stmt(depth);
                out.push(stmt);
            }
            Form::Elements => self.loop_over_elements(out),
        }
    }

    /// A small statement with an effect, for a block inside of an expression.
    pub(super) fn effect(&mut self, out: &mut Vec<Stmt>) {
        match self.random.below(10) {
            0..5 => self.assign(1, out),
            5..7 => self.assign_op(1, out),
            7 => self.call_stmt(1, out),
            _ => self.let_value(1, out),
        }
    }

    fn let_value(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let ty = self.scalar_type();
        self.let_of(&ty, depth, out);
    }

    /// `let name = value;` of a type.
    pub(super) fn let_of(&mut self, ty: &Type, depth: u32, out: &mut Vec<Stmt>) {
        let value = self.value(ty, depth);
        let mutable = self.random.percent(45);
        let name = self.variable();
        let annotated = self.random.percent(30);
        // Of a literal alone rustc would not know the type; it has a suffix then.
        let range = if mutable { ty.range() } else { value.range };
        self.scope.value(&name, ty.clone(), range, if mutable { Access::Write } else { Access::Read });
        out.push(Stmt::binding(&name, mutable, annotated, value));
    }

    /// A variable to which small numbers are added, which never overflows.
    fn let_sum(&mut self, out: &mut Vec<Stmt>) {
        let int = *self.random.pick(&[Int::I32, Int::U32, Int::I64, Int::U64, Int::Usize, Int::Isize]);
        let name = self.fresh("sum");
        let start = self.random.within(0, 100);
        let ty = Type::Int(int);
        out.push(Stmt::binding(&name, true, false, Expr::int(ty.clone(), start)));
        let most = 1 << 30;
        let range = Range::new(if int.is_signed() { -most } else { 0 }, most);
        self.scope.value(&name, ty, range, Access::Sum);
    }

    fn let_tuple(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let parts: Vec<Type> = (0..2 + self.random.below(2))
            .map(|_| {
                if self.random.percent(12) {
                    Type::Tuple(vec![self.scalar_type(), self.scalar_type()])
                } else {
                    self.scalar_type()
                }
            })
            .collect();
        let ty = Type::Tuple(parts.clone());
        if self.random.percent(50) {
            return self.let_of(&ty, depth, out);
        }
        let value = self.value(&ty, depth);
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        for part in &parts {
            let mut name = self.variable();
            if names.contains(&name) {
                name = self.fresh("z");
            }
            let mutable = self.random.percent(30);
            if self.random.percent(12) {
                patterns.push(String::from("_"));
                continue;
            }
            patterns.push(if mutable { format!("mut {name}") } else { name.clone() });
            self.scope.value(&name, part.clone(), part.range(), if mutable { Access::Write } else { Access::Read });
            names.push(name);
        }
        out.push(Stmt::new(StmtKind::Let {
            pattern: format!("({})", patterns.join(", ")),
            names,
            ty: None,
            value: Some(value),
        }));
    }

    /// A variable that is a slice, and perhaps becomes another.
    fn let_slice(&mut self, out: &mut Vec<Stmt>) {
        let slices: Vec<(String, Kind)> = self
            .scope
            .visible()
            .filter(|binding| {
                matches!(&binding.kind, Kind::Slice { writable: false, bound: super::scope::Bound::Length { .. }, .. })
            })
            .map(|binding| (binding.name.clone(), binding.kind.clone()))
            .collect();
        if slices.is_empty() {
            return self.let_value(2, out);
        }
        let (from, kind) = self.random.pick(&slices).clone();
        let Kind::Slice { element, .. } = &kind else { unreachable!("only slices were kept") };
        let ty = Type::Slice(Box::new(element.clone()), false);
        let others: Vec<&String> = slices
            .iter()
            .filter(|(_, other)| matches!(other, Kind::Slice { element: of, .. } if of == element))
            .map(|(name, _)| name)
            .collect();
        let other = (*self.random.pick(&others)).clone();
        let name = self.fresh("s");
        let slice = |name: &str| Expr::name(name, ty.clone(), Range::NONE);
        out.push(Stmt::binding(&name, true, false, slice(&from)));
        if self.random.percent(60) {
            let condition = self.condition(2);
            let change = Stmt::expr(Expr::assign("=", slice(&name), slice(&other)));
            let then = Block { stmts: vec![change], value: None };
            let change = ExprKind::If { condition: Box::new(condition), then, otherwise: None };
            out.push(Stmt::expr(Expr::unit(change)));
        }
        let bound = super::scope::Bound::Length { least: super::SHORTEST, most: super::LONGEST };
        self.scope.push(&name, Kind::Slice { element: element.clone(), writable: false, bound });
    }

    /// The places that can be assigned to.
    fn places(&mut self) -> Vec<Path> {
        let full = self.options.language.is_full();
        let mut places = self.scope.paths(|ty| !matches!(ty, Type::Unit | Type::Slice(..) | Type::Ref(..)));
        let whole = |step: &Step| matches!(step, Step::Slice(_));
        places.retain(|path| path.access == Access::Write && (full || path.steps.iter().all(whole)));
        places
    }

    /// `place = value`
    fn assign(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let places = self.places();
        if places.is_empty() {
            return self.let_value(depth, out);
        }
        let path = self.random.pick(&places).clone();
        let value = self.value(&path.ty, depth);
        let place = self.follow(&path, 2);
        out.push(Stmt::expr(Expr::assign("=", place, value)));
    }

    /// `place += value` and its like.
    fn assign_op(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let mut places = self.scope.paths(Type::is_scalar);
        let full = self.options.language.is_full();
        let whole = |step: &Step| matches!(step, Step::Slice(_));
        places.retain(|path| {
            matches!(path.access, Access::Write | Access::Sum) && (full || path.steps.iter().all(whole))
        });
        let sums: Vec<Path> = places.iter().filter(|path| path.access == Access::Sum).cloned().collect();
        let from = if !sums.is_empty() && self.random.percent(40) { sums } else { places };
        if from.is_empty() {
            return self.let_value(depth, out);
        }
        let path = self.random.pick(&from).clone();
        let ty = path.ty.clone();
        let (op, value) = match &ty {
            Type::Bool => (*self.random.pick(&["&=", "|=", "^="]), self.value(&ty, depth)),
            Type::Int(int) if path.access == Access::Sum => {
                let value = self.value(&ty, depth);
                let value = self.narrow(value, Range::new(if int.is_signed() { -99 } else { 0 }, 999));
                let op = if int.is_signed() { *self.random.pick(&["+=", "-="]) } else { "+=" };
                (op, value)
            }
            Type::Int(int) => self.int_assign_op(*int, depth),
            _ => (*self.random.pick(&["+=", "-=", "*=", "/=", "%="]), self.value(&ty, depth)),
        };
        let place = self.follow(&path, 2);
        out.push(Stmt::expr(Expr::assign(op, place, value)));
    }

    fn int_assign_op(&mut self, int: Int, depth: u32) -> (&'static str, Expr) {
        let ty = Type::Int(int);
        if self.may_overflow() {
            let op = *self.random.pick(&["+=", "-=", "*="]);
            return (op, self.value(&ty, depth));
        }
        match self.random.below(10) {
            0..6 => (*self.random.pick(&["^=", "|=", "&="]), self.value(&ty, depth)),
            6..8 => {
                let amount = self.shift_amount(int.bits(), depth);
                (*self.random.pick(&["<<=", ">>="]), amount)
            }
            _ => {
                let divisor = self.value(&ty, depth);
                let op = *self.random.pick(&["/=", "%="]);
                let divisor = if self.risky() {
                    divisor
                } else {
                    let high = self.random.within(1, int.range().high);
                    self.narrow(divisor, Range::new(1, high))
                };
                (op, divisor)
            }
        }
    }

    fn if_stmt(&mut self, depth: u32) -> Stmt {
        let condition = self.condition(depth);
        let then = self.body(3);
        let otherwise = match self.random.below(10) {
            0..5 => None,
            5..8 => Some(self.body(3)),
            _ => {
                let chained = self.if_stmt(1);
                let StmtKind::Expr(chained) = chained.kind else { unreachable!("an `if` is an expression") };
                Some(Block { stmts: vec![], value: Some(Box::new(chained)) })
            }
        };
        Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(condition), then, otherwise }))
    }

    /// `if c { break; }`
    fn conditional_jump(&mut self, out: &mut Vec<Stmt>) {
        let Some(jump) = self.jump() else {
            return self.assign(2, out);
        };
        let condition = self.condition(2);
        let then = Block { stmts: vec![Stmt::expr(jump)], value: None };
        out.push(Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(condition), then, otherwise: None })));
    }

    fn call_stmt(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let affordable: Vec<Callee> =
            self.callees.iter().filter(|callee| self.affords(callee.steps)).cloned().collect();
        let (without, with): (Vec<Callee>, Vec<Callee>) =
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

    /// An atomic, whose result depends on the order of the threads and is not looked at.
    fn atomic(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let sums: Vec<_> = self
            .scope
            .visible()
            .filter_map(|binding| match &binding.kind {
                Kind::Sums { element, function } => Some((binding.name.clone(), element.clone(), *function)),
                _ => None,
            })
            .collect();
        if sums.is_empty() {
            return self.assign(depth, out);
        }
        let (name, element, function) = self.random.pick(&sums).clone();
        let index = self.value(&Type::USIZE, 2);
        let index = if self.risky() { index } else { self.narrow(index, Range::new(0, super::SHORTEST as i128 - 1)) };
        let slice = Expr::name(&name, Type::Slice(Box::new(element.clone()), true), Range::NONE).pinned();
        let place = Expr::any(element.clone(), ExprKind::Index(Box::new(slice), Box::new(index))).pinned();
        let by_ref = Type::Ref(Box::new(element.clone()), true);
        let place = Expr::any(by_ref, ExprKind::Borrow(true, Box::new(place))).pinned();
        let open = self.scope.open();
        self.scope.push(&name, Kind::Hidden);
        let value = self.value(&element, depth);
        self.scope.close(open);
        out.push(Stmt::expr(Expr::any(element, ExprKind::Call(function.to_owned(), vec![place, value]))));
    }

    /// An assertion that holds by what is known of the ranges, or a panic that seldom happens.
    fn assert(&mut self, out: &mut Vec<Stmt>) {
        if self.random.percent(15) {
            let wanted = self.random.percent(50);
            let text = if wanted { "\"out of luck\"" } else { "\"not here\"" };
            let name = *self.random.pick(&["panic", "unreachable"]);
            let (left, right) = (self.value(&Type::Int(Int::I16), 2), self.interesting(Int::I16.range()));
            let equal = Expr::binary(Type::Bool, Range::NONE, "==", left, Expr::int(Type::Int(Int::I16), right));
            let panic = Stmt::expr(Expr::unit(ExprKind::Macro(name, vec![], Some(text.to_owned()))));
            let then = Block { stmts: vec![panic], value: None };
            out.push(Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(equal), then, otherwise: None })));
            return;
        }
        let int = *self.random.pick(&Int::ALL);
        let value = self.value(&Type::Int(int), 3);
        let range = value.range;
        let limit = |value: i128| Expr::int(Type::Int(int), value);
        let assertion = match self.random.below(3) {
            0 => {
                let holds = Expr::binary(Type::Bool, Range::NONE, "<=", value, limit(range.high));
                ExprKind::Macro("assert", vec![holds], None)
            }
            1 => {
                let holds = Expr::binary(Type::Bool, Range::NONE, ">=", value, limit(range.low));
                ExprKind::Macro("debug_assert", vec![holds], Some(String::from("\"too low\"")))
            }
            _ => {
                let cut =
                    Expr::method(Type::Int(int), range, value, "clamp", vec![limit(range.low), limit(range.high)]);
                let name = self.fresh("k");
                out.push(Stmt::binding(&name, false, false, cut));
                let known = Expr::name(&name, Type::Int(int), range);
                self.scope.value(&name, Type::Int(int), range, Access::Read);
                ExprKind::Macro("assert_eq", vec![known.clone(), known], None)
            }
        };
        out.push(Stmt::expr(Expr::unit(assertion)));
    }

    /// A loop of any kind.
    fn loop_stmt(&mut self, out: &mut Vec<Stmt>) {
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

    /// The body of a loop.
    pub(super) fn loop_body(
        &mut self,
        turns: u64,
        before: Vec<Stmt>,
        bind: impl FnOnce(&mut Self),
    ) -> (Option<String>, Block) {
        let open = self.scope.open();
        self.turns *= turns;
        self.loops.push(OpenLoop { label: None, value: None, range: None, block: false });
        bind(self);
        let mut block = self.body(4);
        block.stmts.splice(0..0, before);
        let this = self.loops.pop().expect("it was pushed");
        self.turns /= turns;
        self.scope.close(open);
        (this.label, block)
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
        out.push(Stmt::expr(Expr::unit(ExprKind::Loop { label, head, body })));
        self.close_over(open, &turns, most);
    }

    fn loop_until(&mut self, most: u64, out: &mut Vec<Stmt>) {
        let open = self.scope.open();
        let (turns, start) = self.counter(most);
        out.push(start);
        let (label, body) = self.loop_body(most, vec![count(&turns), stop(&turns, most, None)], |_| {});
        out.push(Stmt::expr(Expr::unit(ExprKind::Loop { label, head: Head::Loop, body })));
        self.close_over(open, &turns, most);
    }

    /// The counter of a loop can be read behind it.
    fn close_over(&mut self, open: usize, turns: &str, most: u64) {
        self.scope.close(open);
        self.scope.value(turns, Type::U32, Range::new(0, i128::from(most) + 1), Access::Read);
    }

    /// `for i in range { .. }`
    fn for_stmt(&mut self, most: u64, out: &mut Vec<Stmt>) {
        let int = if self.random.percent(60) { Int::Usize } else { *self.random.pick(&Int::ALL) };
        self.heads += 1;
        let (sequence, range, turns, before) = self.counted(int, most, out);
        self.heads -= 1;
        let unused = self.random.percent(6);
        let mutable = self.random.percent(6);
        let name = if unused { String::from("_") } else { self.fresh("j") };
        let pattern = if mutable && !unused { format!("mut {name}") } else { name.clone() };
        let (label, body) = self.loop_body(turns, before, |generator| {
            if !unused {
                let (range, access) = if mutable { (int.range(), Access::Write) } else { (range, Access::Count) };
                generator.scope.value(&name, Type::Int(int), range, access);
            }
        });
        let head = Head::For { pattern, sequence: Box::new(sequence) };
        out.push(Stmt::expr(Expr::unit(ExprKind::Loop { label, head, body })));
    }

    /// What a `for` counts through, the range of its counter, how many turns there are at most, and what the body begins
    /// with.
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
            // Two ends that may be the wrong way round.
            4 => {
                let low = if int.is_signed() { -(most_wide / 2) } else { 0 };
                let ends = Range::new(low, low + most_wide - past);
                let (start, end) = (self.value(&ty, 2), self.value(&ty, 2));
                let (start, end) = (self.pinned_narrow(start, ends), self.pinned_narrow(end, ends));
                (start, end, Range::new(low, low + most_wide))
            }
            // Up to the last number of the type, or from the first.
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
            // Any two numbers, and a way out.
            6 => {
                let (counter, start) = self.counter(most);
                out.push(start);
                before = vec![count(&counter), stop(&counter, most, None)];
                (self.value(&ty, 2), self.value(&ty, 2), whole)
            }
            // All of a slice.
            _ => match self.whole_slice(int) {
                Some((slice, longest)) if self.affords(4 * longest as u64) => {
                    turns = longest as u64;
                    dots = "..";
                    let name = Expr::name(&slice, Type::USIZE, Range::NONE).pinned();
                    let len = Expr::method(Type::USIZE, Range::NONE, name, "len", vec![]).pinned();
                    // Each index of the slice itself is inside.
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
        let full = self.options.language.is_full();
        if full && self.random.percent(20) {
            sequence = Expr::method(ty.clone(), Range::NONE, sequence, "rev", vec![]).pinned();
        }
        if self.random.percent(25) {
            let step = self.value(&Type::USIZE, 1);
            let step = if self.risky() { step } else { self.narrow(step, Range::new(1, 5)) };
            // A step of 0 is a fault, so that nothing goes on for ever.
            sequence = Expr::method(ty.clone(), Range::NONE, sequence, "step_by", vec![step]).pinned();
            // Rust has to know how many there are to go through them backwards.
            let counted = if dots == "..=" { int.bits() <= 16 } else { int.bits() <= 32 || int == Int::Usize };
            if full && counted && self.random.percent(20) {
                sequence = Expr::method(ty, Range::NONE, sequence, "rev", vec![]).pinned();
            }
        }
        (sequence, range, turns, before)
    }

    /// A slice whose length may be counted to, and the most that it has.
    fn whole_slice(&mut self, int: Int) -> Option<(String, usize)> {
        if int != Int::Usize {
            return None;
        }
        let slices: Vec<(String, usize)> = self
            .scope
            .visible()
            .filter_map(|binding| match &binding.kind {
                Kind::Slice { bound: super::scope::Bound::Length { most, .. }, .. } => {
                    Some((binding.name.clone(), *most))
                }
                _ => None,
            })
            .collect();
        (!slices.is_empty()).then(|| self.random.pick(&slices).clone())
    }
}
