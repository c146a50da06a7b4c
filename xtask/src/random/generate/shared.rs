//! Shared memory, whose elements change hands at barriers.

use super::super::tree::{Block, Expr, ExprKind, Head, Stmt};
use super::super::types::{Range, Type};
use super::Generator;
use super::scope::{Access, Bound, Kind, Path, Step};

/// An array in shared memory, of which each thread has an element.
pub(super) struct Shared {
    name: String,
    element: Type,
    dynamic: bool,
}

impl Shared {
    /// The bytes of dynamic shared memory for a thread.
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
    /// Declares arrays in shared memory, and gives each thread's element a value.
    pub(super) fn shared_arrays(&mut self, stmts: &mut Vec<Stmt>) -> Vec<Shared> {
        let call = |name: &str| {
            let call = Expr::any(Type::USIZE, ExprKind::Call(name.to_owned(), vec![]));
            Expr::any(Type::USIZE, ExprKind::Field(Box::new(call.pinned()), String::from("x"))).pinned()
        };
        stmts.push(Stmt::binding("t", false, false, call("thread_idx")).pinned());
        stmts.push(Stmt::binding("n", false, false, call("block_dim")).pinned());
        self.scope.value("t", Type::USIZE, Range::new(0, 63), Access::Count);
        self.scope.value("n", Type::USIZE, Range::new(1, 64), Access::Count);
        let mut arrays: Vec<Shared> = Vec::new();
        for _ in 0..=self.random.below(2) {
            let name = self.fresh("shared_");
            let dynamic = !arrays.iter().any(|array| array.dynamic) && self.random.percent(30);
            let element = if dynamic { self.scalar_type() } else { self.element_type() };
            let callee =
                if dynamic { format!("dynamic_shared::<{element}>") } else { format!("shared::<[{element}; 64]>") };
            let storage = Expr::any(Type::Unit, ExprKind::Call(callee, vec![])).pinned();
            stmts.push(Stmt::binding(&name, true, false, storage).pinned());
            // A thread that returned before it would leave its element without a value, which others read.
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

    /// What a kernel does: statements, with barriers between them if there is shared memory. All threads come to each
    /// barrier, but for those that have returned.
    pub(super) fn segments(&mut self, shared: &[Shared], stmts: &mut Vec<Stmt>) {
        if shared.is_empty() {
            return self.stmts(12, stmts);
        }
        for _ in 0..=self.random.below(2) {
            if self.random.percent(35) && self.affords(60) {
                let turns = 2 + self.random.below(2) as u64;
                let open = self.scope.open();
                let counter = self.fresh("round");
                self.turns *= turns;
                self.scope.value(&counter, Type::USIZE, Range::new(0, i128::from(turns) - 1), Access::Count);
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

    /// Each thread writes its own elements; a barrier; all read all elements; a barrier.
    fn between_barriers(&mut self, shared: &[Shared], most: usize, stmts: &mut Vec<Stmt>) {
        let barrier = || {
            let call = ExprKind::Call(String::from("sync_threads"), vec![]);
            Stmt::expr(Expr::unit(call).pinned()).pinned()
        };
        self.stmts(most, stmts);
        stmts.push(barrier());
        self.rebind_shared(shared, false, &Bound::Below(String::from("n")));
        for _ in 0..=self.random.below(2) {
            let array = self.random.pick(shared);
            let (name, element) = (array.name.clone(), array.element.clone());
            let steps = vec![Step::Slice(Bound::Below(String::from("n")))];
            let path = Path { name, steps, range: element.range(), ty: element.clone(), access: Access::Read };
            let value = self.follow(&path, 2);
            let name = self.fresh("g");
            stmts.push(Stmt::binding(&name, false, false, value));
            self.scope.value(&name, element.clone(), element.range(), Access::Read);
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
