//! Shared memory, whose elements change their owner at barriers.

use super::Generator;
use super::convert::converted;
use super::params::Params;
use super::scope::{Binding, Bound, Kind, Path, Permission, Step};
use crate::tree::{Arm, Block, Expr, ExprKind, Head, Stmt};
use crate::types::{Int, Range, Type};

/// An array in shared memory, of which each thread owns an element.
pub(super) struct Shared {
    name: String,
    element: Type,
    dynamic: bool,
}

impl Shared {
    /// Returns the bytes of dynamic shared memory per thread.
    pub(super) fn bytes(&self) -> usize {
        match &self.element {
            _ if !self.dynamic => 0,
            Type::Int(int) => int.bits() as usize / 8,
            Type::Float(float) => float.bits() as usize / 8,
            _ => 1,
        }
    }
}

impl Generator<'_> {
    /// Declares arrays in shared memory, and initialises the element of each thread.
    pub(super) fn shared_arrays(&mut self, stmts: &mut Vec<Stmt>) -> Vec<Shared> {
        let call = |name: &str| {
            let call = Expr::any(Type::USIZE, ExprKind::Call(name.to_owned(), vec![]));
            Expr::any(Type::USIZE, ExprKind::Field(Box::new(call.pinned()), String::from("x"))).pinned()
        };
        stmts.push(Stmt::binding("t", false, false, call("thread_idx")).pinned());
        stmts.push(Stmt::binding("n", false, false, call("block_dim")).pinned());
        self.scope.value("t", Type::USIZE, Range::new(0, 63), Permission::Count);
        self.scope.value("n", Type::USIZE, Range::new(1, 64), Permission::Count);
        let mut arrays: Vec<Shared> = Vec::new();
        for _ in 0..=self.random.below(2) {
            let name = self.fresh("shared_");
            let dynamic = !arrays.iter().any(|array| array.dynamic) && self.random.percent(30);
            let element = if dynamic { self.scalar_type() } else { self.element_type() };
            let callee =
                if dynamic { format!("dynamic_shared::<{element}>") } else { format!("shared::<[{element}; 64]>") };
            let storage = Expr::any(Type::Unit, ExprKind::Call(callee, vec![])).pinned();
            stmts.push(Stmt::binding(&name, true, false, storage).pinned());
            // A thread that returned earlier would leave its element uninitialised, which other threads read.
            self.heads += 1;
            let value = self.value(&element, 2);
            self.heads -= 1;
            let place = Expr::name(&name, element.clone(), Range::NONE).pinned();
            let at = Expr::name("t", Type::USIZE, Range::NONE).pinned();
            let place = Expr::any(element.clone(), ExprKind::Index(Box::new(place), Box::new(at))).pinned();
            stmts.push(Stmt::expr(Expr::assign("=", place, value).pinned()).pinned());
            let kind = Kind::Slice { element: element.clone(), writable: true, bound: Bound::At(String::from("t")) };
            self.scope.push(&name, kind);
            arrays.push(Shared { name, element, dynamic });
        }
        arrays
    }

    /// Generates the body of a kernel: statements, with barriers between them if there is shared memory. Every thread
    /// reaches each barrier, except those that have returned.
    pub(super) fn segments(&mut self, shared: &[Shared], params: &Params, stmts: &mut Vec<Stmt>) {
        if shared.is_empty() {
            return self.stmts(12, stmts);
        }
        for _ in 0..=self.random.below(2) {
            if !self.may_return && self.random.percent(60) {
                let stmt = self.uniform_match(params);
                stmts.push(stmt);
            } else if self.random.percent(35) && self.affords(60) {
                let turns = 2 + self.random.below(2) as u64;
                let open = self.scope.open();
                let counter = self.fresh("round");
                self.turns *= turns;
                self.scope.value(&counter, Type::USIZE, Range::new(0, i128::from(turns) - 1), Permission::Count);
                let mut body = Vec::new();
                self.between_barriers(shared, 2, &mut body);
                self.turns /= turns;
                self.scope.close(open);
                let end = |value: u64| Some(Box::new(Expr::int(Type::USIZE, i128::from(value)).pinned()));
                let range = Expr::any(Type::USIZE, ExprKind::Range(end(0), "..", end(turns))).pinned();
                let head = Head::For { pattern: counter, sequence: Box::new(range) };
                let body = Block { stmts: body, value: None };
                stmts.push(Stmt::expr(Expr::repeat(None, None, head, body).pinned()).pinned());
            } else {
                self.between_barriers(shared, 4, stmts);
            }
        }
    }

    /// Generates `match (a, b) { (0, k) | (1, k) if k > 3 => { .. } .. }` on uniform values, with shared memory and
    /// barriers in the arms. No thread has returned before it.
    fn uniform_match(&mut self, params: &Params) -> Stmt {
        let parts: Vec<Type> = (0..2).map(|_| Type::Int(*self.random.pick(&[Int::U8, Int::I32, Int::U32]))).collect();
        let ty = Type::Tuple(parts.clone());
        let scrutinee = parts.iter().map(|part| self.uniform_value(params, part)).collect();
        let mut arms = Vec::new();
        for _ in 0..=self.random.below(2) {
            let open = self.scope.open();
            let pattern = self.alternatives(&parts);
            let bound = self.scope.visible().last().cloned();
            let guard = match bound {
                Some(Binding { name, kind: Kind::Value { ty, .. } }) if self.random.percent(75) => {
                    let number = Expr::int(ty.clone(), self.random.within(0, 5)).pinned();
                    let op = *self.random.pick(&["<", "!=", ">=", "=="]);
                    Some(Expr::binary(Type::Bool, Range::NONE, op, Expr::name(&name, ty, Range::NONE), number).pinned())
                }
                _ => None,
            };
            let body = self.block_of(Self::exchange);
            self.scope.close(open);
            arms.push(Arm { pattern, guard, body });
        }
        let body = if self.random.percent(50) { self.block_of(Self::exchange) } else { Block::default() };
        arms.push(Arm { pattern: String::from("_"), guard: None, body });
        let scrutinee = Box::new(Expr::any(ty, ExprKind::Tuple(scrutinee)).pinned());
        Stmt::expr(Expr::unit(ExprKind::Match { scrutinee, arms }))
    }

    /// Generates a small number that is uniform across the block.
    fn uniform_value(&mut self, params: &Params, ty: &Type) -> Expr {
        let constant = |name: &str| {
            let found = self.scope.visible().find(|binding| binding.name == name);
            found.is_some_and(|found| matches!(found.kind, Kind::Value { access: Permission::Read, .. }))
        };
        let names = params.values.iter().filter(|(name, _)| constant(name));
        let mut values: Vec<Expr> = names.map(|(name, ty)| Expr::name(name, ty.clone(), ty.range())).collect();
        values.push(Expr::name("n", Type::USIZE, Range::new(1, 64)));
        let value = converted(self.random.pick(&values).clone(), ty);
        self.pinned_narrow(value.pinned(), Range::new(0, 3))
    }

    /// Generates an exchange: each thread writes its element of a new array in shared memory; barrier; each reads any
    /// element; barrier.
    fn exchange(&mut self, stmts: &mut Vec<Stmt>) {
        let element = self.scalar_type();
        let (name, read) = (self.fresh("shared_"), self.fresh("g"));
        let storage = ExprKind::Call(format!("shared::<[{element}; 64]>"), vec![]);
        stmts.push(Stmt::binding(&name, true, false, Expr::any(Type::Unit, storage).pinned()).pinned());
        let at = |index: Expr| {
            let array = Expr::name(&name, element.clone(), element.range()).pinned();
            Expr::any(element.clone(), ExprKind::Index(Box::new(array), Box::new(index.pinned()))).pinned()
        };
        let value = self.value(&element, 2);
        let own = at(Expr::name("t", Type::USIZE, Range::NONE));
        stmts.push(Stmt::expr(Expr::assign("=", own, value).pinned()).pinned());
        stmts.push(barrier());
        let index = self.index(&Bound::Below(String::from("n")), 2, None);
        stmts.push(Stmt::binding(&read, false, false, at(index)));
        self.scope.value(&read, element.clone(), element.range(), Permission::Read);
        let absorbed = self.absorb(Expr::name(&read, element.clone(), element.range()));
        stmts.extend(absorbed);
        self.stmts(2, stmts);
        stmts.push(barrier());
    }

    /// Generates a phase: each thread writes its own elements; barrier; all threads read all elements; barrier.
    fn between_barriers(&mut self, shared: &[Shared], most: usize, stmts: &mut Vec<Stmt>) {
        self.stmts(most, stmts);
        stmts.push(barrier());
        self.rebind_shared(shared, false, &Bound::Below(String::from("n")));
        for _ in 0..=self.random.below(2) {
            let array = self.random.pick(shared);
            let (name, element) = (array.name.clone(), array.element.clone());
            let steps = vec![Step::Slice(Bound::Below(String::from("n")))];
            let path = Path { name, steps, range: element.range(), ty: element.clone(), access: Permission::Read };
            let value = self.follow(&path, 2);
            let name = self.fresh("g");
            stmts.push(Stmt::binding(&name, false, false, value));
            self.scope.value(&name, element.clone(), element.range(), Permission::Read);
        }
        self.stmts(most, stmts);
        stmts.push(barrier());
        self.rebind_shared(shared, true, &Bound::At(String::from("t")));
    }

    fn rebind_shared(&mut self, shared: &[Shared], write: bool, to: &Bound) {
        self.scope.rebind(|binding| {
            if let Kind::Slice { writable, bound, .. } = &mut binding.kind
                && shared.iter().any(|array| array.name == binding.name)
            {
                (*writable, *bound) = (write, to.clone());
            }
        });
    }
}

/// Returns `sync_threads();`.
fn barrier() -> Stmt {
    let call = ExprKind::Call(String::from("sync_threads"), vec![]);
    Stmt::expr(Expr::unit(call).pinned()).pinned()
}
