//! Statements.

use super::scope::{Kind, Path, Permission};
use super::{Generator, MIN_LEN};
use crate::tree::{Block, Expr, ExprKind, Stmt, StmtKind};
use crate::types::{Int, Range, Type};

/// The kinds of statements.
#[derive(Clone, Copy)]
enum Form {
    Let,
    LetSum,
    LetTuple,
    LetSlice,
    LetView,
    LetHalves,
    Assign,
    AssignBoth,
    AssignOp,
    If,
    Loop,
    Unbounded,
    Jump,
    Call,
    Atomic,
    Note,
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
    /// Generates statements in the current scope.
    pub(super) fn stmts(&mut self, most: usize, out: &mut Vec<Stmt>) {
        for _ in 0..=self.random.below(most) {
            if self.left <= 0 {
                return;
            }
            self.stmt(out);
        }
    }

    /// Generates a block of statements with its own scope.
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

    /// Generates a statement, preceded by the declarations that it needs.
    pub(super) fn stmt(&mut self, out: &mut Vec<Stmt>) {
        self.left -= 1;
        self.spend(1);
        let form = self.random.weighted(&[
            (24, Form::Let),
            (3, Form::LetSum),
            (5, Form::LetTuple),
            (3, Form::LetSlice),
            (4, Form::LetView),
            (2, Form::LetHalves),
            (22, Form::Assign),
            (2, Form::AssignBoth),
            (12, Form::AssignOp),
            (12, Form::If),
            (9, Form::Loop),
            (4, Form::Unbounded),
            (3, Form::Jump),
            (5, Form::Call),
            (4, Form::Atomic),
            (if self.options.tallies { 4 } else { 0 }, Form::Note),
            (2, Form::Block),
            (2, Form::Assert),
            (1, Form::Drop),
            (1, Form::Const),
            (6, Form::LetLater),
            (7, Form::LetArray),
            (3, Form::LetRef),
            (7, Form::LetStruct),
            (6, Form::Match),
            (5, Form::Elements),
        ]);
        let depth = 2 + self.random.below(3) as u32;
        match form {
            Form::Let => self.let_value(depth, out),
            Form::LetSum => self.let_sum(out),
            Form::LetTuple => self.let_tuple(depth, out),
            Form::LetSlice => self.let_slice(out),
            Form::LetView => self.let_view(out),
            Form::LetHalves => self.let_halves(out),
            Form::Assign => self.assign(depth, out),
            Form::AssignBoth => self.assign_both(out),
            Form::AssignOp => self.assign_op(depth, out),
            Form::If => {
                let stmt = self.if_stmt(depth);
                out.push(stmt);
            }
            Form::Loop => self.loop_stmt(out),
            Form::Unbounded => self.unbounded_loop(out),
            Form::Jump => self.conditional_jump(out),
            Form::Call => self.call_stmt(depth, out),
            Form::Atomic => self.atomic(depth, out),
            Form::Note => self.note(out),
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
                self.scope.value(&name, value.ty.clone(), value.range, Permission::Read);
                out.push(Stmt::new(StmtKind::Const { name, ty: value.ty.clone(), value }));
            }
            Form::LetLater => self.let_deferred(out),
            Form::LetArray => self.let_array(out),
            Form::LetRef => self.let_ref(out),
            Form::LetStruct => self.let_struct(out),
            Form::Match => {
                let stmt = self.match_stmt();
                out.push(stmt);
            }
            Form::Elements => self.loop_over_elements(out),
        }
    }

    /// Generates a small statement with a side effect, for a block inside an expression.
    pub(super) fn effect(&mut self, out: &mut Vec<Stmt>) {
        match self.random.below(10) {
            0..5 => self.assign(1, out),
            5..7 => self.assign_op(1, out),
            7 => self.call_stmt(1, out),
            _ => self.let_value(1, out),
        }
    }

    /// Generates `place = value`.
    pub(super) fn assign(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let places = self.places();
        if places.is_empty() {
            return self.let_value(depth, out);
        }
        let path = self.random.pick(&places).clone();
        let value = self.value(&path.ty, depth);
        let place = self.follow(&path, 2);
        out.push(Stmt::expr(Expr::assign("=", place, value)));
    }

    /// Generates `(place, other) = (value, other_value)`: the values are evaluated before the places.
    fn assign_both(&mut self, out: &mut Vec<Stmt>) {
        let places = self.places();
        if places.is_empty() {
            return self.let_value(2, out);
        }
        let paths = [self.random.pick(&places).clone(), self.random.pick(&places).clone()];
        let values = paths.each_ref().map(|path| self.value(&path.ty, 2));
        let places = paths.each_ref().map(|path| self.follow(path, 1).pinned());
        let both = |parts: [Expr; 2]| {
            let ty = Type::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
            Expr::any(ty, ExprKind::Tuple(parts.into()))
        };
        out.push(Stmt::expr(Expr::assign("=", both(places), both(values))));
    }

    /// Generates `place += value` and its variants.
    fn assign_op(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let mut places = self.scope.paths(Type::is_scalar);
        places.retain(|path| matches!(path.access, Permission::Write | Permission::Sum));
        let sums: Vec<Path> = places.iter().filter(|path| path.access == Permission::Sum).cloned().collect();
        let from = if !sums.is_empty() && self.random.percent(40) { sums } else { places };
        if from.is_empty() {
            return self.let_value(depth, out);
        }
        let path = self.random.pick(&from).clone();
        let ty = path.ty.clone();
        let (op, value) = match &ty {
            Type::Bool => (*self.random.pick(&["&=", "|=", "^="]), self.value(&ty, depth)),
            Type::Int(int) if path.access == Permission::Sum => {
                let value = self.value(&ty, depth);
                let value = self.narrow(value, Range::new(if int.is_signed() { -99 } else { 0 }, 999));
                let op = if int.is_signed() { *self.random.pick(&["+=", "-="]) } else { "+=" };
                (op, value)
            }
            Type::Int(int) => self.int_assign_op(*int, depth),
            _ => {
                let open = self.scope.open();
                if matches!(ty, Type::Float(float) if float.is_half()) {
                    // These operators are methods, which borrow the place before the value is evaluated.
                    self.scope.push(&path.name, Kind::Hidden);
                }
                let value = self.value(&ty, depth);
                self.scope.close(open);
                (*self.random.pick(&["+=", "-=", "*=", "/=", "%="]), value)
            }
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

    /// Generates an atomic operation. Its result depends on the order of the threads and is discarded.
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
        let index = if self.risky() { index } else { self.narrow(index, Range::new(0, MIN_LEN as i128 - 1)) };
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

    /// Generates an assertion that the known ranges prove, or a panic that is rarely reached.
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
                self.scope.value(&name, Type::Int(int), range, Permission::Read);
                ExprKind::Macro("assert_eq", vec![known.clone(), known], None)
            }
        };
        out.push(Stmt::expr(Expr::unit(assertion)));
    }
}
