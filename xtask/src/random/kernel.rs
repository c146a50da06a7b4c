//! Whole programs: constants, device functions, a kernel, and how it is launched.

use super::generate::{Callee, Generator, Param};
use super::ops::converted;
use super::rng::Random;
use super::scope::{Access, Bound, Kind, Path, Scope, Step};
use super::tree::{Array, Block, Expr, ExprKind, Function, Head, Launch, Program, Stmt};
use super::types::{Int, Range, Type};
use super::{LONGEST, Options, Overflow, SHORTEST};

/// The parameters of a kernel.
struct Params {
    /// Numbers, the same for all threads.
    values: Vec<(String, Type)>,
    /// Arrays that are read.
    inputs: Vec<(String, Type, usize)>,
    /// Arrays of which each thread has so many elements.
    outputs: Vec<(String, Type, usize)>,
    /// Arrays that all threads add to.
    sums: Vec<(String, Type, &'static str)>,
}

/// An array in shared memory, of which each thread has an element.
struct Shared {
    name: String,
    element: Type,
    dynamic: bool,
}

/// Generates kernel `number` of the options' seed.
pub(crate) fn program(options: &Options, number: u64) -> Program {
    let mut random = Random::of_kernel(options.seed, number);
    // Most kernels never fault: what comes behind a fault is not compared.
    let risk = *random.pick(&[0, 0, 0, 15, 50]);
    let mut generator = Generator {
        options,
        random,
        scope: Scope::default(),
        constants: Vec::new(),
        callees: Vec::new(),
        types: Vec::new(),
        operators: Vec::new(),
        hosted: false,
        loops: Vec::new(),
        result: Type::Unit,
        left: 0,
        turns: 1,
        steps: 0,
        risk,
        heads: 0,
        names: 0,
    };
    let mut items = Vec::new();
    if options.language.is_full() {
        generator.declare_types(&mut items);
    }
    generator.declare_constants(&mut items);
    let params = generator.params();
    let impls = if options.language.is_full() { generator.impls() } else { vec![] };
    let functions = generator.functions(&params);
    let (kernel, launch) = generator.kernel(&params);
    let overflow = match options.overflow {
        Overflow::Faults => "",
        Overflow::Wraps => " --overflow wraps",
    };
    let language = if options.language.is_full() { " --language full" } else { "" };
    let origin = format!("`cargo xtask random --seed {} --kernel {number}{overflow}{language}`", options.seed);
    Program { origin, items, impls, functions, kernel, launch }
}

impl Generator<'_> {
    fn declare_constants(&mut self, items: &mut Vec<String>) {
        for _ in 0..self.random.below(4) {
            let name = self.fresh("C");
            let ty = self.scalar_type();
            let (text, range) = match &ty {
                Type::Int(int) => {
                    let value = self.interesting(int.range());
                    (value.to_string(), Range::one(value))
                }
                Type::Bool => (self.random.percent(50).to_string(), Range::NONE),
                _ => (self.float_text(&ty), Range::NONE),
            };
            items.push(format!("pub const {name}: {ty} = {text};"));
            self.constants.push((name, ty, range));
        }
    }

    fn params(&mut self) -> Params {
        let values = (0..=self.random.below(4)).map(|_| (self.fresh("a"), self.scalar_type())).collect();
        let inputs = (0..=1 + self.random.below(2))
            .map(|_| {
                let len = SHORTEST + self.random.below(LONGEST - SHORTEST + 1);
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
        Params { values, inputs, outputs, sums }
    }

    /// An atomic whose effects have the same sum in any order.
    fn atomic_function(&mut self) -> &'static str {
        if self.options.language.is_full() {
            const FUNCTIONS: [&str; 7] =
                ["atomic_add", "atomic_sub", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor"];
            FUNCTIONS[self.random.below(FUNCTIONS.len())]
        } else {
            "atomic_add"
        }
    }

    /// What an array consists of.
    fn element_type(&mut self) -> Type {
        if !self.types.is_empty() && self.random.percent(25) {
            return self.random.pick(&self.types).clone();
        }
        self.scalar_type()
    }

    /// Device functions, each of which can call those before it.
    fn functions(&mut self, params: &Params) -> Vec<Function> {
        (0..self.random.below(4)).map(|_| self.function(params)).collect()
    }

    fn function(&mut self, kernel: &Params) -> Function {
        let name = self.fresh("helper");
        let mut params = Vec::new();
        for _ in 0..self.random.below(4) {
            let ty = if self.options.language.is_full() { self.value_type() } else { self.scalar_type() };
            params.push(Param::Value(ty));
        }
        if self.random.percent(40) {
            params.push(Param::Slice(self.random.pick(&kernel.inputs).1.clone()));
        }
        if self.random.percent(40) {
            let (_, element, size) = self.random.pick(&kernel.outputs).clone();
            params.push(Param::Own(element, size));
        }
        if !kernel.sums.is_empty() && self.random.percent(30) {
            let (_, element, function) = self.random.pick(&kernel.sums).clone();
            params.push(Param::Sums(element, function));
        }
        if self.options.language.is_full() {
            self.more_params(&mut params);
        }
        let effects = params.iter().any(|param| !matches!(param, Param::Value(_) | Param::Slice(_)));
        let result = if effects && self.random.percent(40) {
            Type::Unit
        } else if self.options.language.is_full() {
            self.value_type()
        } else {
            self.scalar_type()
        };
        self.function_of(name, None, params, result)
    }

    /// A function, which can be called from now on.
    pub(super) fn function_of(
        &mut self,
        name: String,
        receiver: Option<(Type, &'static str)>,
        params: Vec<Param>,
        result: Type,
    ) -> Function {
        let open = self.scope.open();
        (self.left, self.steps, self.turns) = (40 + self.random.below(50) as i32, 0, 1);
        self.result = result.clone();
        if let Some((ty, word)) = &receiver {
            let kind = match *word {
                "self" => Kind::Value { ty: ty.clone(), range: Range::NONE, access: Access::Read },
                _ => Kind::Ref { ty: ty.clone(), writable: *word == "&mut self" },
            };
            self.scope.push("self", kind);
        }
        let written = params.iter().flat_map(|param| self.declare_param(param)).collect();
        let mut stmts = Vec::new();
        self.stmts(6, &mut stmts);
        let value = (result != Type::Unit).then(|| Box::new(self.value(&result, 3)));
        self.scope.close(open);
        let steps = self.steps + 1;
        let word = receiver.as_ref().map(|(_, word)| *word);
        self.callees.push(Callee { name: name.clone(), receiver, params, result: result.clone(), steps });
        Function { name, receiver: word, params: written, result, body: Block { stmts, value } }
    }

    /// Brings a parameter into scope, and gives what is written for it.
    fn declare_param(&mut self, param: &Param) -> Vec<(String, Type)> {
        let slice = |element: &Type, mutable| Type::Slice(Box::new(element.clone()), mutable);
        match param {
            Param::Value(ty) => {
                let name = self.fresh("p");
                let mutable = self.random.percent(25);
                let access = if mutable { Access::Write } else { Access::Read };
                self.scope.value(&name, ty.clone(), ty.range(), access);
                vec![(if mutable { format!("mut {name}") } else { name }, ty.clone())]
            }
            Param::Slice(element) => {
                let name = self.fresh("x");
                let bound = Bound::Length { least: SHORTEST, most: LONGEST };
                self.scope.push(&name, Kind::Slice { element: element.clone(), writable: false, bound });
                vec![(name, slice(element, false))]
            }
            Param::Own(element, size) => {
                let (name, base) = (self.fresh("y"), self.fresh("base"));
                let bound = Bound::From { base: base.clone(), size: *size };
                self.scope.push(&name, Kind::Slice { element: element.clone(), writable: true, bound });
                vec![(name, slice(element, true)), (base, Type::USIZE)]
            }
            Param::Lent(element) => {
                let name = self.fresh("y");
                let bound = Bound::Length { least: SHORTEST, most: LONGEST };
                self.scope.push(&name, Kind::Slice { element: element.clone(), writable: true, bound });
                vec![(name, slice(element, true))]
            }
            Param::Sums(element, function) => {
                let name = self.fresh("sums");
                self.scope.push(&name, Kind::Sums { element: element.clone(), function });
                vec![(name, slice(element, true))]
            }
            Param::Ref(ty, mutable) => {
                let name = self.fresh("r");
                self.scope.push(&name, Kind::Ref { ty: ty.clone(), writable: *mutable });
                vec![(name, Type::Ref(Box::new(ty.clone()), *mutable))]
            }
        }
    }

    fn kernel(&mut self, params: &Params) -> (Function, Launch) {
        (self.left, self.steps, self.turns) = (140 + self.random.below(160) as i32, 0, 1);
        self.result = Type::Unit;
        let threads = *self.random.pick(&[1, 2, 5, 16, 32, 33, 48]);
        let blocks = 1 + self.random.below(3);

        let mut written = vec![(String::from("first"), Type::USIZE)];
        for (name, ty) in &params.values {
            let mutable = self.random.percent(20);
            let access = if mutable { Access::Write } else { Access::Read };
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

        let mut stmts = Vec::new();
        let grid =
            Expr::any(Type::USIZE, ExprKind::Call(String::from("grid"), vec![Expr::int(Type::USIZE, 1).pinned()]));
        let first = Expr::name("first", Type::USIZE, Range::NONE);
        let position = Expr::binary(Type::USIZE, Range::NONE, "+", grid.pinned(), first.pinned()).pinned();
        stmts.push(Stmt::binding("i", false, false, position).pinned());
        let most = (threads * blocks) as i128 - 1;
        self.scope.value("i", Type::USIZE, Range::new(0, most), Access::Count);

        let shared = if self.random.percent(35) { self.shared_arrays(&mut stmts) } else { vec![] };
        self.segments(&shared, &mut stmts);
        self.flush(&mut stmts);

        let kernel = Function {
            name: String::from("kernel"),
            receiver: None,
            params: written,
            result: Type::Unit,
            body: Block { stmts, value: None },
        };
        let bytes = shared.iter().find(|array| array.dynamic).map_or(0, |array| match &array.element {
            Type::Int(int) => int.bits() as usize / 8,
            Type::F32 => 4,
            Type::F64 => 8,
            _ => 1,
        });
        (kernel, self.launch(params, blocks, threads, bytes))
    }

    /// Declares arrays in shared memory, and gives each thread's element a value.
    fn shared_arrays(&mut self, stmts: &mut Vec<Stmt>) -> Vec<Shared> {
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
    fn segments(&mut self, shared: &[Shared], stmts: &mut Vec<Stmt>) {
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
                stmts.push(Stmt::expr(Expr::unit(ExprKind::Loop { label: None, head, body }).pinned()).pinned());
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

    /// Writes what the variables hold to the outputs, so that it is compared.
    fn flush(&mut self, stmts: &mut Vec<Stmt>) {
        let mut values = self.scope.paths(Type::is_scalar);
        values.retain(|path| !path.steps.iter().any(|step| matches!(step, Step::Slice(_) | Step::Element(_))));
        let outputs: Vec<Path> = self
            .scope
            .paths(Type::is_scalar)
            .into_iter()
            .filter(|path| matches!(path.steps.first(), Some(Step::Slice(Bound::Own { .. }))))
            .collect();
        if outputs.is_empty() {
            return;
        }
        self.risk = 0;
        for _ in 0..values.len().min(9) {
            let path = values.swap_remove(self.random.below(values.len()));
            let output = self.random.pick(&outputs).clone();
            let value = self.follow(&path, 0);
            let value = converted(value, &output.ty);
            let place = self.follow(&output, 0);
            stmts.push(Stmt::expr(match &output.ty {
                Type::Int(_) | Type::Bool => Expr::assign("^=", place, value),
                _ => Expr::assign("+=", place, value),
            }));
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
            arrays.push(Array { name: name.clone(), written: false, value });
        }
        let outputs = params.outputs.iter().map(|(name, element, size)| (name, element, size * threads * blocks));
        let sums = params.sums.iter().map(|(name, element, _)| (name, element, SHORTEST));
        for (name, element, len) in outputs.chain(sums) {
            let value = format!("[{}; {len}]", self.value_text(element));
            arrays.push(Array { name: name.clone(), written: true, value });
        }
        Launch { blocks, threads, shared_bytes, values, arrays }
    }

    /// A value of a type, as text.
    fn value_text(&mut self, ty: &Type) -> String {
        match ty {
            Type::Bool => self.random.percent(50).to_string(),
            Type::Int(int) => format!("{}{ty}", self.interesting(int.range())),
            Type::F32 | Type::F64 => {
                let text = self.float_text(ty);
                if text.contains("::") { text } else { format!("{text}{ty}") }
            }
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.value_text(part)).collect();
                format!("({},)", parts.join(", "))
            }
            Type::Array(element, len) => {
                let elements: Vec<String> = (0..*len).map(|_| self.value_text(element)).collect();
                format!("[{}]", elements.join(", "))
            }
            Type::Struct(structure) => {
                let fields = structure.fields.iter().map(|(name, ty)| {
                    let value = self.value_text(ty);
                    if structure.is_tuple() { value } else { format!("{name}: {value}") }
                });
                let fields = fields.collect::<Vec<_>>().join(", ");
                let (open, close) = if structure.is_tuple() { ("(", ")") } else { (" { ", " }") };
                format!("{}{open}{fields}{close}", structure.name)
            }
            Type::Enum(choice) => format!("{}::{}", choice.name, self.random.pick(&choice.variants).0),
            Type::Unit | Type::Slice(..) | Type::Ref(..) => unreachable!("`{ty}` is no value"),
        }
    }
}
