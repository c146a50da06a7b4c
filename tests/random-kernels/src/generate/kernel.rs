//! Whole programs: a kernel, and its launches.

use std::rc::Rc;

use super::params::Params;
use super::place::mixed_in;
use super::scope::{Bound, Kind, Path, Permission, Scope, Step};
use super::shared::Shared;
use super::{Generator, MAX_LEN, MAX_STEPS, MIN_LEN, Options, Overflow, Random};
use crate::tree::{Array, Block, Expr, ExprKind, Function, Launch, Program, Stmt};
use crate::types::{Int, Range, Type};

/// Generates kernel `number` of the options' seed.
pub(crate) fn program(options: &Options, number: u64) -> Program {
    let mut random = Random::of_kernel(options.seed, number);
    // Most kernels never fault: results after a fault are not compared.
    let risk = *random.pick(&[0, 0, 0, 30, 100]);
    let mut generator = Generator {
        options,
        random,
        scope: Scope::default(),
        constants: Vec::new(),
        callees: Vec::new(),
        types: Vec::new(),
        comparable: Vec::new(),
        operators: Vec::new(),
        hosted: false,
        loops: Vec::new(),
        may_return: true,
        result: Type::Unit,
        left: 0,
        turns: 1,
        steps: 0,
        max_steps: MAX_STEPS,
        risk,
        heads: 0,
        reserved: Vec::new(),
        names: 0,
    };
    let mut items = Vec::new();
    generator.declare_types(&mut items);
    generator.declare_constants(&mut items);
    let params = generator.params(&mut items);
    let mut impls = generator.impls();
    let generic = generator.traits(&mut impls);
    let mut functions = generic;
    functions.extend(generator.functions(&params));
    let (kernel, launch) = generator.kernel(&params);
    let overflow = match options.overflow {
        Overflow::Faults => "",
        Overflow::Wraps => " --overflow wraps",
    };
    let tallies = if options.tallies { " --tallies on" } else { "" };
    let origin = format!("`cargo xtask random --seed {} --kernel {number}{overflow}{tallies}`", options.seed);
    Program { origin, items, impls, functions, kernel, launch }
}

impl Generator<'_> {
    fn params(&mut self, items: &mut Vec<String>) -> Params {
        let values = (0..=self.random.below(4)).map(|_| (self.fresh("a"), self.scalar_type())).collect();
        let inputs = (0..=1 + self.random.below(2))
            .map(|_| {
                let len = MIN_LEN + self.random.below(MAX_LEN - MIN_LEN + 1);
                (self.fresh("x"), self.element_type(), len)
            })
            .collect();
        let outputs = (0..=1 + self.random.below(2))
            .map(|_| (self.fresh("y"), self.element_type(), *self.random.pick(&[1, 4, 8])))
            .collect();
        let sums = (0..self.random.below(3))
            .map(|_| {
                let function = self.atomic_function();
                let ints = [Int::I32, Int::U32, Int::I64, Int::U64, Int::Usize, Int::Isize];
                (self.fresh("sums"), Type::Int(*self.random.pick(&ints)), function)
            })
            .collect();
        let views = (0..self.random.below(3)).map(|_| self.view()).collect();
        let tally = (self.options.tallies && self.random.percent(40)).then(|| Rc::new(self.tally(items)));
        Params { values, inputs, outputs, sums, views, tally }
    }

    /// Returns an atomic operation whose combined effect does not depend on the order of the threads.
    pub(super) fn atomic_function(&mut self) -> &'static str {
        const FUNCTIONS: [&str; 7] =
            ["atomic_add", "atomic_sub", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor"];
        FUNCTIONS[self.random.below(FUNCTIONS.len())]
    }

    /// Returns the element type of an array.
    pub(super) fn element_type(&mut self) -> Type {
        if !self.types.is_empty() && self.random.percent(25) {
            return self.random.pick(&self.types).clone();
        }
        self.scalar_type()
    }

    fn kernel(&mut self, params: &Params) -> (Function, Launch) {
        (self.left, self.steps, self.turns) = (40 + self.random.below(90) as i32, 0, 1);
        self.result = Type::Unit;
        let threads = *self.random.pick(&[1, 2, 5, 16, 32, 33, 48]);
        let blocks = 1 + self.random.below(3);

        let mut written = vec![(String::from("first"), Type::USIZE)];
        for (name, ty) in &params.values {
            let mutable = self.random.percent(20);
            let access = if mutable { Permission::Write } else { Permission::Read };
            self.scope.value(name, ty.clone(), ty.range(), access);
            written.push((if mutable { format!("mut {name}") } else { name.clone() }, ty.clone()));
        }
        let slice = |element: &Type, mutable| Type::Slice(Box::new(element.clone()), mutable);
        for (name, element, len) in &params.inputs {
            let bound = Bound::Length { least: *len, most: *len };
            self.scope.push(name, Kind::Slice { element: element.clone(), writable: false, bound });
            written.push((name.clone(), slice(element, false)));
        }
        for (name, element, size) in &params.outputs {
            let bound = Bound::Own { base: String::from("i"), size: *size };
            self.scope.push(name, Kind::Slice { element: element.clone(), writable: true, bound });
            written.push((name.clone(), slice(element, true)));
        }
        for (name, element, function) in &params.sums {
            self.scope.push(name, Kind::Sums { element: element.clone(), function });
            written.push((name.clone(), slice(element, true)));
        }

        if let Some(tally) = &params.tally {
            self.scope.push(&tally.param, Kind::Tallies(Rc::clone(tally)));
            written.push((tally.param.clone(), Type::Slice(Box::new(tally.ty()), true)));
        }
        written.extend(params.views.iter().map(|view| self.declare_view(view)));

        let mut stmts = Vec::new();
        let grid = Expr::any(Type::USIZE, ExprKind::Call(String::from("grid"), vec![Expr::usize(1).pinned()]));
        let first = Expr::name("first", Type::USIZE, Range::NONE);
        let position = Expr::binary(Type::USIZE, Range::NONE, "+", grid.pinned(), first.pinned()).pinned();
        stmts.push(Stmt::binding("i", false, false, position).pinned());
        let most = (threads * blocks) as i128 - 1;
        self.scope.value("i", Type::USIZE, Range::new(0, most), Permission::Count);

        let shared = if self.random.percent(35) {
            self.may_return = self.random.percent(50);
            if !self.may_return {
                self.reserved.extend(params.values.iter().map(|(name, _)| name.clone()));
            }
            self.shared_arrays(&mut stmts)
        } else {
            vec![]
        };
        self.segments(&shared, params, &mut stmts);
        self.flush(&mut stmts);

        let kernel = Function {
            name: String::from("kernel"),
            generics: String::new(),
            receiver: None,
            params: written,
            result: Type::Unit,
            body: Block { stmts, value: None },
        };
        let bytes = shared.iter().map(Shared::bytes).sum();
        (kernel, self.launch(params, blocks, threads, bytes))
    }

    /// Stores the values of the variables to the outputs, so that they are compared.
    fn flush(&mut self, stmts: &mut Vec<Stmt>) {
        let mut values = self.scope.paths(Type::is_scalar);
        values.retain(|path| path.steps.iter().all(|step| matches!(step, Step::Deref | Step::Field(_))));
        let outputs: Vec<Path> = self
            .scope
            .paths(Type::is_scalar)
            .into_iter()
            .filter(|path| path.access == Permission::Write)
            .filter(|path| matches!(path.steps.first(), Some(Step::Slice(Bound::Own { .. }) | Step::View(_))))
            .collect();
        if outputs.is_empty() {
            return;
        }
        self.risk = 0;
        for _ in 0..values.len().min(9) {
            let path = values.swap_remove(self.random.below(values.len()));
            let output = self.random.pick(&outputs).clone();
            let value = self.follow(&path, 0);
            let place = self.follow(&output, 0);
            stmts.push(mixed_in(place, value));
        }
    }

    fn launch(&mut self, params: &Params, blocks: usize, threads: usize, shared_bytes: usize) -> Launch {
        let launches = 2;
        let values = params
            .values
            .iter()
            .map(|(name, ty)| (name.clone(), (0..launches).map(|_| self.value_text(ty)).collect()))
            .collect();
        let mut arrays = Vec::new();
        for (name, element, len) in &params.inputs {
            let elements: Vec<String> = (0..*len).map(|_| self.value_text(element)).collect();
            let value = format!("[{}]", elements.join(", "));
            arrays.push(Array { name: name.clone(), written: false, value, shape: vec![], transposed: false });
        }
        let outputs = params.outputs.iter().map(|(name, element, size)| (name, element, size * threads * blocks));
        let sums = params.sums.iter().map(|(name, element, _)| (name, element, MIN_LEN));
        for (name, element, len) in outputs.chain(sums) {
            let value = format!("[{}; {len}]", self.value_text(element));
            arrays.push(Array { name: name.clone(), written: true, value, shape: vec![], transposed: false });
        }
        if let Some(tally) = &params.tally {
            let value = format!("[{}; {MIN_LEN}]", self.tally_text(tally));
            arrays.push(Array { name: tally.param.clone(), written: true, value, shape: vec![], transposed: false });
        }
        arrays.extend(params.views.iter().map(|view| self.viewed(view, threads * blocks)));
        Launch { blocks, threads, shared_bytes, values, arrays }
    }
}
