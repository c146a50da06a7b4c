//! A concrete interpreter of the lowered tree, independent of the analysis: C's integer conversions, and the helpers as
//! the prelude defines them.
//!
//! The threads of a launch run one after another. An access outside its array, signed overflow, a division by zero or a
//! shift by the width or more is a [`Stop::Bug`]: the emitted C would have undefined behaviour.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::coarsen::VIRTUAL_BLOCKS;
use crate::ir::Scalar;
use crate::lower::{
    Body, CType, CallTarget, Case, Expr, Function, Header, Helper, Module, Next, Op, Operator, Prefix, SiteRef, Stmt,
    StmtKind, TypeId, TypeKind, VarId,
};

/// The parameters of a launch: one argument for each parameter of the emitted kernel.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) args: Vec<Arg>,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    /// An array with this number of elements, and the numbers that its elements are taken from.
    Array {
        len: u64,
        scalar: Scalar,
        contents: Vec<u64>,
    },
    Number(i128),
}

/// The end of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A check, or a panic, at this site.
    Fault(u32),
    /// Too many iterations.
    Timeout,
    /// Undefined behaviour.
    Bug(String),
    /// A construct that the interpreter does not support.
    Unsupported(String),
}

/// The observable result of a launch.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The end of each thread; `None` if it returned.
    pub(super) stops: Vec<Option<Stop>>,
    /// The elements that were written, of each array.
    pub(super) written: Vec<BTreeMap<u64, V>>,
    /// The numbers of the checks that failed.
    pub(super) failed: BTreeSet<usize>,
    /// The numbers of the checks that were executed.
    pub(super) executed: BTreeSet<usize>,
    /// The number of tests ahead of loops that failed, and that held.
    pub(super) tests: [usize; 2],
    /// Whether the result depends on the order of the threads: a thread changed an element that another one accessed.
    pub(super) races: bool,
}

/// The accesses to an element of an array so far.
#[derive(Clone, Copy, Default)]
struct Accesses {
    /// The only thread that accessed it; `None` if there are several.
    thread: Option<usize>,
    /// The thread that changed it.
    changed: Option<usize>,
}

/// A C value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum V {
    /// Indeterminate, of this type if it is a number.
    Undef(Option<Scalar>),
    /// An integer or a `bool`, by its bits.
    Int(Scalar, u64),
    Float(Scalar),
    Ptr(Location),
    Parts(Vec<V>),
    Void,
}

/// A location in memory: a part of an object. A pointer to an element ends with its index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Location {
    object: usize,
    path: Vec<u64>,
}

enum Object {
    Cell(V),
    Memory { len: u64, scalar: Scalar, contents: Vec<u64>, written: BTreeMap<u64, V> },
}

enum Flow {
    Next,
    Break,
    Continue,
    Goto(u32),
    Return(V),
}

type Result<T> = std::result::Result<T, Stop>;

fn bug<T>(what: impl Into<String>) -> Result<T> {
    Err(Stop::Bug(what.into()))
}

fn unsupported<T>(what: impl std::fmt::Debug) -> Result<T> {
    Err(Stop::Unsupported(format!("{what:?}")))
}

/// Returns the number that element `index` of an array is taken from.
pub(super) fn initial(contents: &[u64], index: u64) -> u64 {
    let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    contents.get(mixed as usize % contents.len().max(1)).copied().unwrap_or(0)
}

/// Runs a launch. `numbers` are the checks by the addresses of their expressions. Operands of an expression are
/// evaluated from the right if `reversed` is set: C does not specify their order.
pub(super) fn run(
    module: &Module,
    launch: &Launch,
    numbers: &HashMap<*const Expr, usize>,
    reversed: bool,
    iterations: usize,
) -> Outcome {
    run_in(module, launch, numbers, reversed, iterations, 0)
}

/// As [`run`], with the extent of the launch's grid that a coarsened program reads.
pub(super) fn run_in(
    module: &Module,
    launch: &Launch,
    numbers: &HashMap<*const Expr, usize>,
    reversed: bool,
    mut iterations: usize,
    virtual_blocks: u32,
) -> Outcome {
    let mut machine = Machine {
        module,
        numbers,
        reversed,
        objects: Vec::new(),
        frame: Vec::new(),
        function: &module.kernel,
        specials: HashMap::new(),
        iterations: 0,
        failed: BTreeSet::new(),
        executed: BTreeSet::new(),
        tests: [0; 2],
        thread: 0,
        accesses: RefCell::default(),
        races: Cell::new(false),
    };
    let mut params = Vec::new();
    for arg in &launch.args {
        params.push(match arg {
            Arg::Array { len, scalar, contents } => {
                machine.objects.push(Object::Memory {
                    len: *len,
                    scalar: *scalar,
                    contents: contents.clone(),
                    written: BTreeMap::new(),
                });
                V::Ptr(Location { object: machine.objects.len() - 1, path: vec![0] })
            }
            Arg::Number(number) => V::Int(Scalar::U64, *number as u64),
        });
    }
    let arrays = machine.objects.len();
    let mut stops = Vec::new();
    let all = |[nx, ny, nz]: [u32; 3]| {
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z]))).collect::<Vec<_>>()
    };
    let (blocks, threads) = (all(launch.grid), all(launch.block));
    let ids = blocks.iter().flat_map(|block| threads.iter().map(|thread| (*block, *thread)));
    for (number, ([block_x, block_y, block_z], [x, y, z])) in ids.enumerate() {
        machine.thread = number;
        let [bx, by, bz] = launch.block;
        let [gx, gy, gz] = launch.grid;
        machine.specials = HashMap::from([
            ("threadIdx.x", x),
            ("threadIdx.y", y),
            ("threadIdx.z", z),
            ("blockIdx.x", block_x),
            ("blockIdx.y", block_y),
            ("blockIdx.z", block_z),
            ("blockDim.x", bx),
            ("blockDim.y", by),
            ("blockDim.z", bz),
            ("gridDim.x", gx),
            ("gridDim.y", gy),
            ("gridDim.z", gz),
            (VIRTUAL_BLOCKS, virtual_blocks),
        ]);
        let share = iterations.min(200);
        machine.iterations = share;
        stops.push(machine.call(&module.kernel, params.clone()).err());
        iterations -= share - machine.iterations;
        machine.objects.truncate(arrays);
    }
    let written = machine.objects.into_iter().filter_map(|object| match object {
        Object::Memory { written, .. } => Some(written),
        Object::Cell(_) => None,
    });
    let (failed, executed, tests, races) = (machine.failed, machine.executed, machine.tests, machine.races.get());
    Outcome { stops, written: written.collect(), failed, executed, tests, races }
}

struct Machine<'m> {
    module: &'m Module,
    numbers: &'m HashMap<*const Expr, usize>,
    reversed: bool,
    objects: Vec<Object>,
    /// The objects of the variables of the current function.
    frame: Vec<usize>,
    function: &'m Function,
    specials: HashMap<&'static str, u32>,
    iterations: usize,
    failed: BTreeSet<usize>,
    executed: BTreeSet<usize>,
    tests: [usize; 2],
    /// The number of the thread that runs.
    thread: usize,
    accesses: RefCell<HashMap<(usize, u64), Accesses>>,
    races: Cell<bool>,
}

impl<'m> Machine<'m> {
    /// Notes an access to an element, and whether it changes it.
    fn access(&self, object: usize, index: u64, changes: bool) {
        let mut accesses = self.accesses.borrow_mut();
        let new = Accesses { thread: Some(self.thread), changed: None };
        let element = accesses.entry((object, index)).or_insert(new);
        let conflict = if changes {
            element.thread != Some(self.thread)
        } else {
            element.changed.is_some_and(|by| by != self.thread)
        };
        if conflict {
            self.races.set(true);
        }
        element.thread = element.thread.filter(|thread| *thread == self.thread);
        if changes {
            element.changed = Some(self.thread);
        }
    }

    fn bits(&self, scalar: Scalar) -> u32 {
        match scalar {
            // `isize` is `long long` in the prelude, whatever the type of an index.
            Scalar::Usize => self.module.index.bits(),
            Scalar::Bool => 1,
            scalar => scalar.bits(),
        }
    }

    /// Returns the number with these bits.
    fn number(&self, scalar: Scalar, bits: u64) -> i128 {
        let unused = 64 - self.bits(scalar);
        if scalar.is_signed() {
            i128::from((bits << unused).cast_signed() >> unused)
        } else {
            i128::from(bits << unused >> unused)
        }
    }

    /// Returns the value of a type that is congruent to a number.
    fn wrap(&self, number: i128, scalar: Scalar) -> V {
        let mask = u64::MAX >> (64 - self.bits(scalar));
        V::Int(scalar, number as u64 & mask)
    }

    fn limits(&self, scalar: Scalar) -> (i128, i128) {
        let bits = self.bits(scalar);
        if scalar.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    fn fits(&self, number: i128, scalar: Scalar) -> bool {
        let (lo, hi) = self.limits(scalar);
        lo <= number && number <= hi
    }

    fn int(&self, value: &V) -> Result<(Scalar, i128)> {
        match value {
            V::Int(scalar, bits) => Ok((*scalar, self.number(*scalar, *bits))),
            V::Undef(_) => bug("an indeterminate value is used"),
            other => unsupported(other),
        }
    }

    /// Converts a value to an arithmetic type.
    fn convert(&self, value: V, to: Scalar) -> Result<V> {
        Ok(match value {
            V::Int(..) if to == Scalar::Bool => V::Int(Scalar::Bool, u64::from(self.int(&value)?.1 != 0)),
            V::Int(..) if to.is_integer() => self.wrap(self.int(&value)?.1, to),
            V::Int(..) | V::Float(_) if !to.is_integer() && to != Scalar::Bool => V::Float(to),
            // A float converted to an integer: opaque.
            V::Float(_) => self.wrap(5, to),
            V::Undef(_) => return bug("an indeterminate value is used"),
            other => return unsupported(other),
        })
    }

    /// Converts a value to the type of a variable.
    fn to_type(&self, value: V, ty: &CType) -> Result<V> {
        match ty {
            CType::Scalar(scalar) => self.convert(value, *scalar),
            CType::Named(id) => match &self.module.types[id.index()].kind {
                TypeKind::Enum { repr, .. } => self.convert(value, *repr),
                TypeKind::Struct { .. } => Ok(value),
            },
            _ => Ok(value),
        }
    }

    fn undefined(&self, ty: &CType) -> V {
        match ty {
            CType::Scalar(scalar) => V::Undef(Some(*scalar)),
            CType::Named(id) => match &self.module.types[id.index()].kind {
                TypeKind::Enum { repr, .. } => V::Undef(Some(*repr)),
                TypeKind::Struct { members, .. } => {
                    V::Parts(members.iter().map(|member| self.undefined(&member.ty)).collect())
                }
            },
            CType::Array(element, len) => V::Parts(vec![self.undefined(element); *len as usize]),
            CType::Pointer { .. } | CType::Reference { .. } => V::Undef(None),
        }
    }

    fn allocate(&mut self, value: V) -> Location {
        self.objects.push(Object::Cell(value));
        Location { object: self.objects.len() - 1, path: Vec::new() }
    }

    fn load(&self, place: &Location) -> Result<V> {
        match &self.objects[place.object] {
            Object::Cell(value) => {
                let mut value = value;
                for step in &place.path {
                    let V::Parts(parts) = value else { return unsupported(value) };
                    let Some(part) = usize::try_from(*step).ok().and_then(|step| parts.get(step)) else {
                        return bug(format!("a load of element {step} of {}", parts.len()));
                    };
                    value = part;
                }
                Ok(value.clone())
            }
            Object::Memory { len, scalar, contents, written } => {
                let [index] = place.path.as_slice() else { return unsupported(place) };
                if index >= len {
                    return bug(format!("a load of element {index} of {len}"));
                }
                self.access(place.object, *index, false);
                Ok(self.element(*scalar, contents, written, *index))
            }
        }
    }

    /// Returns an element of an array.
    fn element(&self, scalar: Scalar, contents: &[u64], written: &BTreeMap<u64, V>, index: u64) -> V {
        match written.get(&index) {
            Some(value) => value.clone(),
            None if scalar.is_integer() => self.wrap(initial(contents, index).into(), scalar),
            None => V::Float(scalar),
        }
    }

    fn store(&mut self, place: &Location, value: V) -> Result<()> {
        let typed = |this: &Self, old: &V, value: V| match old {
            V::Int(scalar, _) | V::Undef(Some(scalar)) | V::Float(scalar) => this.convert(value, *scalar),
            _ => Ok(value),
        };
        match &self.objects[place.object] {
            Object::Cell(_) => {
                let old = self.load(place)?;
                let value = typed(self, &old, value)?;
                let Object::Cell(cell) = &mut self.objects[place.object] else { return Ok(()) };
                let mut cell = cell;
                for step in &place.path {
                    let V::Parts(parts) = cell else { return Ok(()) };
                    cell = &mut parts[*step as usize];
                }
                *cell = value;
            }
            Object::Memory { len, scalar, contents, written } => {
                let [index] = place.path.as_slice() else { return unsupported(place) };
                if index >= len {
                    return bug(format!("a store to element {index} of {len}"));
                }
                let value = self.convert(value, *scalar)?;
                // Storing what is there is not an access: it can be in any order, unless another thread stores something else.
                let element = self.accesses.borrow().get(&(place.object, *index)).copied();
                let old = self.element(*scalar, contents, written, *index);
                match element {
                    Some(element) if old == value => {
                        let thread = element.thread.filter(|thread| *thread == self.thread);
                        self.accesses.borrow_mut().insert((place.object, *index), Accesses { thread, ..element });
                    }
                    _ => self.access(place.object, *index, old != value),
                }
                if let Object::Memory { written, .. } = &mut self.objects[place.object] {
                    written.insert(*index, value);
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, function: &'m Function, args: Vec<V>) -> Result<V> {
        let Body::Stmts(stmts) = &function.body else { return unsupported("CUDA C") };
        let mark = self.objects.len();
        let mut frame = Vec::with_capacity(function.vars.len());
        for var in &function.vars {
            let value = self.undefined(&var.ty);
            frame.push(self.allocate(value).object);
        }
        for (param, arg) in function.params.iter().zip(args) {
            let value = self.to_type(arg, &function.vars[param.index()].ty)?;
            self.objects[frame[param.index()]] = Object::Cell(value);
        }
        let outer = (std::mem::replace(&mut self.frame, frame), std::mem::replace(&mut self.function, function));
        let flow = self.stmts(stmts);
        (self.frame, self.function) = outer;
        let value = match flow? {
            Flow::Return(value) => value,
            Flow::Next => V::Void,
            _ => return bug("a jump leaves the function"),
        };
        let value = match &function.result {
            Some(ty) if value != V::Void => self.to_type(value, ty)?,
            Some(_) => return bug("the end of a function with a result is reached"),
            None => V::Void,
        };
        if !matches!(value, V::Ptr(_)) && mark >= 1 {
            self.objects.truncate(mark);
        }
        Ok(value)
    }

    fn stmts(&mut self, stmts: &'m [Stmt]) -> Result<Flow> {
        for stmt in stmts {
            match self.stmt(&stmt.kind)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn var_type(&self, var: VarId) -> &'m CType {
        &self.function.vars[var.index()].ty
    }

    fn stmt(&mut self, kind: &'m StmtKind) -> Result<Flow> {
        match kind {
            StmtKind::Declare { var, init } => {
                let ty = self.var_type(*var);
                let value = match init {
                    None => self.undefined(ty),
                    Some(init) if matches!(ty, CType::Reference { .. }) => V::Ptr(self.place(init)?),
                    Some(init) => {
                        let value = self.eval(init)?;
                        self.to_type(value, ty)?
                    }
                };
                let object = self.frame[var.index()];
                self.objects[object] = Object::Cell(value);
            }
            StmtKind::Assign { place, value } => {
                let value = self.eval(value)?;
                let place = self.place(place)?;
                self.store(&place, value)?;
            }
            StmtKind::Update { op, place, value } => {
                let right = match value {
                    Expr::Literal(scalar, bits) => self.literal(*scalar, *bits, true),
                    value => self.eval(value)?,
                };
                let place = self.place(place)?;
                let left = self.load(&place)?;
                let value = self.binary(*op, left, right)?;
                self.store(&place, value)?;
            }
            StmtKind::Expr(expr) => drop(self.eval(expr)?),
            StmtKind::If { condition, then, otherwise } => {
                let block = if self.truth(condition)? { then } else { otherwise };
                return self.stmts(block);
            }
            StmtKind::Switch { on, cases, otherwise } => {
                let on = self.eval(on)?;
                let on = self.promote(on)?;
                let mut taken = otherwise;
                'cases: for Case { values, body } in cases {
                    for value in values {
                        let value = self.eval(value)?;
                        let V::Int(scalar, _) = on else { return unsupported(on) };
                        if self.convert(value, scalar)? == on {
                            taken = body;
                            break 'cases;
                        }
                    }
                }
                return self.stmts(taken);
            }
            StmtKind::Block { body, end } => {
                return Ok(match self.stmts(body)? {
                    Flow::Goto(label) if label == end.number => Flow::Next,
                    flow => flow,
                });
            }
            StmtKind::Loop { header, body, next, end, unroll: _ } => {
                let flow = self.loop_(header, body, next.map(|next| next.number))?;
                return Ok(match flow {
                    Flow::Goto(label) if Some(label) == end.map(|end| end.number) => Flow::Next,
                    flow => flow,
                });
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Goto(label) => return Ok(Flow::Goto(label.number)),
            StmtKind::Return(None) => return Ok(Flow::Return(V::Void)),
            StmtKind::Return(Some(value)) => return Ok(Flow::Return(self.eval(value)?)),
            StmtKind::Fault { site, args } => {
                for arg in args {
                    self.eval(arg)?;
                }
                return Err(Stop::Fault(number_of(*site)));
            }
            StmtKind::Shared { .. } | StmtKind::Print { .. } => return unsupported("a statement"),
            StmtKind::InternalError(what) => return unsupported(what),
        }
        Ok(Flow::Next)
    }

    fn loop_(&mut self, header: &'m Header, body: &'m [Stmt], next: Option<u32>) -> Result<Flow> {
        let (header, fault) = match header {
            Header::Deferred(deferred) => (&deferred.header, Some(deferred.fault)),
            header => (header, None),
        };
        let mut count = 0;
        if let Header::For { var, init, .. } = header {
            let value = self.eval(init)?;
            let value = self.to_type(value, self.var_type(*var))?;
            let object = self.frame[var.index()];
            self.objects[object] = Object::Cell(value);
        }
        loop {
            if self.iterations == 0 {
                return Err(Stop::Timeout);
            }
            self.iterations -= 1;
            let (Header::Open { test: Some(test), .. } | Header::For { test, .. }) = header else {
                match self.body(body, next)? {
                    Some(Flow::Break) => return Ok(Flow::Next),
                    Some(flow) => return Ok(flow),
                    None => continue,
                }
            };
            if !self.truth(test)? {
                return Ok(Flow::Next);
            }
            match self.body(body, next)? {
                Some(Flow::Break) => return Ok(Flow::Next),
                Some(flow) => return Ok(flow),
                None => {}
            }
            if let Header::For { var, next, .. } = header {
                let place = Location { object: self.frame[var.index()], path: Vec::new() };
                let value = match next {
                    Next::Assign(value) => self.eval(value)?,
                    step => {
                        let now = self.load(&place)?;
                        let op = if matches!(step, Next::Increment) { Operator::Add } else { Operator::Sub };
                        self.binary(op, now, V::Int(Scalar::I32, 1))?
                    }
                };
                self.store(&place, value)?;
            }
            count += 1;
            if let Some(fault) = fault
                && count % 64 == 0
            {
                let object = self.frame[fault.index()];
                if matches!(self.objects[object], Object::Cell(V::Int(_, 1))) {
                    return Ok(Flow::Next);
                }
            }
        }
    }

    /// Runs an iteration. Returns how it leaves the loop.
    fn body(&mut self, body: &'m [Stmt], next: Option<u32>) -> Result<Option<Flow>> {
        Ok(match self.stmts(body)? {
            Flow::Next | Flow::Continue => None,
            Flow::Goto(label) if Some(label) == next => None,
            flow => Some(flow),
        })
    }

    fn truth(&mut self, expr: &'m Expr) -> Result<bool> {
        let value = self.eval(expr)?;
        Ok(matches!(value, V::Float(_)) || self.int(&value)?.1 != 0)
    }

    fn is_pointer(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(var) => matches!(self.var_type(*var), CType::Pointer { .. }),
            Expr::Binary(..) | Expr::AddressOf(_) => true,
            Expr::Conditional(_, then, _) => self.is_pointer(then),
            _ => false,
        }
    }

    fn member(&self, id: TypeId, position: usize) -> Result<u64> {
        let TypeKind::Struct { members, layout: _ } = &self.module.types[id.index()].kind else {
            return unsupported("a field of an enum");
        };
        match members.iter().position(|member| member.position == position) {
            Some(member) => Ok(member as u64),
            None => unsupported("a field"),
        }
    }

    fn place(&mut self, expr: &'m Expr) -> Result<Location> {
        match expr {
            Expr::Var(var) => {
                let own = Location { object: self.frame[var.index()], path: Vec::new() };
                if matches!(self.var_type(*var), CType::Reference { .. }) {
                    return match self.load(&own)? {
                        V::Ptr(place) => Ok(place),
                        other => unsupported(other),
                    };
                }
                Ok(own)
            }
            Expr::Index(base, index) => {
                let early = if self.reversed { Some(self.eval(index)?) } else { None };
                let pointer = self.is_pointer(base);
                let mut place = if pointer {
                    match self.eval(base)? {
                        V::Ptr(place) => place,
                        other => return unsupported(other),
                    }
                } else {
                    self.place(base)?
                };
                let index = match early {
                    Some(index) => index,
                    None => self.eval(index)?,
                };
                let index = self.int(&index)?.1 as u64;
                match place.path.last_mut() {
                    Some(last) if pointer => *last = last.wrapping_add(index),
                    None if pointer && index == 0 => {}
                    _ => place.path.push(index),
                }
                Ok(place)
            }
            Expr::Field(base, id, position) => {
                let mut place = self.place(base)?;
                place.path.push(self.member(*id, *position)?);
                Ok(place)
            }
            Expr::Deref(pointer) => match self.eval(pointer)? {
                V::Ptr(place) => Ok(place),
                other => unsupported(other),
            },
            Expr::Constant(id) => {
                let value = self.eval(&self.module.constants[id.index()].value)?;
                Ok(self.allocate(value))
            }
            other => {
                let value = self.eval(other)?;
                Ok(self.allocate(value))
            }
        }
    }

    /// Returns a literal. In an operation with another operand, it is an `int` if it fits: see `cuda::expr`.
    fn literal(&self, scalar: Scalar, bits: u64, bare: bool) -> V {
        if !scalar.is_integer() {
            return if scalar == Scalar::Bool { V::Int(scalar, bits & 1) } else { V::Float(scalar) };
        }
        let number = self.number(scalar, bits);
        let fits = if scalar.is_signed() {
            i32::try_from(number).is_ok_and(|number| number != i32::MIN)
        } else {
            i32::try_from(number).is_ok()
        };
        if (bare && fits) || self.bits(scalar) < 32 {
            return self.wrap(number, Scalar::I32);
        }
        self.wrap(number, scalar)
    }

    fn promote(&self, value: V) -> Result<V> {
        match value {
            V::Int(scalar, _) if self.bits(scalar) < 32 => self.convert(value, Scalar::I32),
            V::Undef(_) => bug("an indeterminate value is used"),
            value => Ok(value),
        }
    }

    fn operands(&mut self, exprs: &[&'m Expr], bare: impl Fn(usize) -> bool) -> Result<Vec<V>> {
        let mut values = vec![V::Void; exprs.len()];
        let mut order: Vec<usize> = (0..exprs.len()).collect();
        if self.reversed {
            order.reverse();
        }
        for i in order {
            values[i] = match exprs[i] {
                Expr::Literal(scalar, bits) => self.literal(*scalar, *bits, bare(i)),
                expr => self.eval(expr)?,
            };
        }
        Ok(values)
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn eval(&mut self, expr: &'m Expr) -> Result<V> {
        Ok(match expr {
            Expr::Literal(scalar, bits) => self.literal(*scalar, *bits, false),
            Expr::Special(name) => match self.specials.get(name) {
                Some(value) => V::Int(Scalar::U32, u64::from(*value)),
                None => return unsupported(name),
            },
            Expr::Var(_) | Expr::Index(..) | Expr::Field(..) | Expr::Deref(_) | Expr::Constant(_) => {
                let place = self.place(expr)?;
                self.load(&place)?
            }
            Expr::AddressOf(place) => V::Ptr(self.place(place)?),
            Expr::Unary(op, operand) => {
                let value = self.eval(operand)?;
                if *op == Prefix::Not {
                    return Ok(V::Int(Scalar::Bool, u64::from(self.int(&value)?.1 == 0)));
                }
                let value = self.promote(value)?;
                if let V::Float(_) = value {
                    return Ok(value);
                }
                let (scalar, number) = self.int(&value)?;
                let result = if *op == Prefix::Minus { -number } else { -number - 1 };
                if scalar.is_signed() && !self.fits(result, scalar) {
                    return bug("signed overflow of a unary minus");
                }
                self.wrap(result, scalar)
            }
            Expr::Binary(Operator::Both, left, right) => {
                V::Int(Scalar::Bool, u64::from(self.truth(left)? && self.truth(right)?))
            }
            Expr::Binary(Operator::Either, left, right) => {
                V::Int(Scalar::Bool, u64::from(self.truth(left)? || self.truth(right)?))
            }
            Expr::Binary(op, left, right) => {
                let shift = matches!(op, Operator::Shl | Operator::Shr);
                let literal = [matches!(**left, Expr::Literal(..)), matches!(**right, Expr::Literal(..))];
                let bare = [!shift && !literal[1], shift || !literal[0]];
                let values = self.operands(&[left, right], |i| bare[i])?;
                let [left, right] = <[V; 2]>::try_from(values).unwrap_or([V::Void, V::Void]);
                self.binary(*op, left, right)?
            }
            Expr::Cast(ty, operand) => {
                let value = self.eval(operand)?;
                self.to_type(value, ty)?
            }
            Expr::Conditional(condition, then, otherwise) => {
                let taken = if self.truth(condition)? { then } else { otherwise };
                let value = self.eval(taken)?;
                // The type is that of both operands.
                match value {
                    V::Int(..) => match self.static_type(then).zip(self.static_type(otherwise)) {
                        Some((left, right)) if left != right => {
                            let common = self.common(left, right);
                            self.convert(value, common)?
                        }
                        _ => value,
                    },
                    value => value,
                }
            }
            Expr::Struct(id, members) => {
                let types: Vec<CType> = match &self.module.types[id.index()].kind {
                    TypeKind::Struct { members, .. } => members.iter().map(|member| member.ty.clone()).collect(),
                    TypeKind::Enum { .. } => return unsupported("an enum"),
                };
                let mut parts = Vec::new();
                for (member, ty) in members.iter().zip(types) {
                    let value = self.eval(member)?;
                    parts.push(self.to_type(value, &ty)?);
                }
                V::Parts(parts)
            }
            Expr::Array(ty, elements) => {
                let mut parts = Vec::new();
                for element in elements {
                    let value = self.eval(element)?;
                    parts.push(self.to_type(value, ty)?);
                }
                V::Parts(parts)
            }
            Expr::Filled(ty, len, value) => {
                let value = self.eval(value)?;
                V::Parts(vec![self.to_type(value, ty)?; *len as usize])
            }
            Expr::Variant(id, position) => match &self.module.types[id.index()].kind {
                TypeKind::Enum { repr, variants } => self.wrap(variants[*position].1.into(), *repr),
                TypeKind::Struct { .. } => return unsupported("a struct"),
            },
            Expr::Call(CallTarget::Helper(helper, site), args) => {
                self.helper(expr, *helper, site.map(number_of), args)?
            }
            Expr::Call(CallTarget::Function(id, _), args) => {
                let Some(function) = self.module.functions.get(id) else { return unsupported("a callee") };
                let mut values = vec![V::Void; args.len()];
                let mut order: Vec<usize> = (0..args.len()).collect();
                if self.reversed {
                    order.reverse();
                }
                for i in order {
                    let reference = matches!(function.vars[function.params[i].index()].ty, CType::Reference { .. });
                    values[i] = if reference { V::Ptr(self.place(&args[i])?) } else { self.eval(&args[i])? };
                }
                self.call(function, values)?
            }
            Expr::Call(CallTarget::Builtin(name), args) if matches!(*name, "__umul64hi" | "__umulhi") => {
                let bits = if *name == "__umulhi" { 32 } else { 64 };
                let scalar = if bits == 32 { Scalar::U32 } else { Scalar::U64 };
                let values = self.operands(&args.iter().collect::<Vec<_>>(), |_| false)?;
                let mut product = 1u128;
                for value in values {
                    let value = self.convert(value, scalar)?;
                    product *= self.int(&value)?.1 as u128;
                }
                self.wrap((product >> bits) as i128, scalar)
            }
            // The bits of a float that has been made from bits.
            Expr::Call(CallTarget::Builtin("__float_as_uint" | "__double_as_longlong"), args)
                if let [Expr::Call(CallTarget::Builtin("__uint_as_float" | "__longlong_as_double"), bits)] =
                    args.as_slice() =>
            {
                self.eval(&bits[0])?
            }
            Expr::Call(CallTarget::Load { fault, short }, args) => {
                let to = if *short { Scalar::U32 } else { Scalar::Usize };
                let index = self.eval(&args[1])?;
                let index = self.convert(index, to)?;
                let len = self.eval(&args[2])?;
                let len = self.convert(len, to)?;
                let (index, len) = (self.int(&index)?.1, self.int(&len)?.1);
                if index >= len {
                    let object = self.frame[fault.index()];
                    self.objects[object] = Object::Cell(V::Int(Scalar::Bool, 1));
                }
                self.deferred_load(&args[0], index as u64, index < len)?
            }
            Expr::Call(CallTarget::LoadIf, args) => {
                let inside = self.truth(&args[2])?;
                let index = if inside {
                    let index = self.eval(&args[1])?;
                    self.int(&index)?.1 as u64
                } else {
                    0
                };
                self.deferred_load(&args[0], index, inside)?
            }
            Expr::Call(CallTarget::Inside { fault }, args) => {
                let index = self.eval(&args[0])?;
                let index = self.convert(index, Scalar::Usize)?;
                let len = self.eval(&args[1])?;
                let len = self.convert(len, Scalar::Usize)?;
                let inside = self.int(&index)?.1 < self.int(&len)?.1;
                if !inside {
                    let object = self.frame[fault.index()];
                    self.objects[object] = Object::Cell(V::Int(Scalar::Bool, 1));
                }
                V::Int(Scalar::Bool, u64::from(inside))
            }
            Expr::Call(callee, _) => return unsupported(callee),
        })
    }

    fn deferred_load(&mut self, base: &'m Expr, index: u64, inside: bool) -> Result<V> {
        let pointer = self.is_pointer(base);
        let mut place = if pointer {
            match self.eval(base)? {
                V::Ptr(place) => place,
                other => return unsupported(other),
            }
        } else {
            self.place(base)?
        };
        if !inside {
            if let Object::Memory { scalar, .. } = &self.objects[place.object] {
                return Ok(if scalar.is_integer() { self.wrap(0, *scalar) } else { V::Float(*scalar) });
            }
            if pointer && !place.path.is_empty() {
                place.path.pop();
            }
            return Ok(match self.load(&place)? {
                V::Parts(parts) => match parts.first() {
                    Some(V::Int(scalar, _) | V::Undef(Some(scalar))) => self.wrap(0, *scalar),
                    Some(V::Float(scalar)) => V::Float(*scalar),
                    other => return unsupported(other),
                },
                V::Int(scalar, _) => self.wrap(0, scalar),
                other => return unsupported(other),
            });
        }
        match place.path.last_mut() {
            Some(last) if pointer => *last = last.wrapping_add(index),
            None if pointer && index == 0 => {}
            _ => place.path.push(index),
        }
        self.load(&place)
    }

    /// Returns the type of an integer expression, as far as it is needed for a conditional expression.
    fn static_type(&self, expr: &Expr) -> Option<Scalar> {
        match expr {
            Expr::Literal(scalar, _) if self.bits(*scalar) < 32 && scalar.is_integer() => Some(Scalar::I32),
            Expr::Literal(scalar, _) | Expr::Cast(CType::Scalar(scalar), _) => Some(*scalar),
            Expr::Var(var) => match self.var_type(*var) {
                CType::Scalar(scalar) => Some(*scalar),
                _ => None,
            },
            _ => None,
        }
    }

    fn common(&self, left: Scalar, right: Scalar) -> Scalar {
        let promoted = |scalar: Scalar| if self.bits(scalar) < 32 { Scalar::I32 } else { scalar };
        let (left, right) = (promoted(left), promoted(right));
        match self.bits(left).cmp(&self.bits(right)) {
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal if left.is_signed() => right,
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => left,
        }
    }

    fn binary(&mut self, op: Operator, left: V, right: V) -> Result<V> {
        let compares =
            matches!(op, Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge);
        if let (V::Ptr(place), V::Int(..)) = (&left, &right) {
            let mut place = place.clone();
            let by = self.int(&right)?.1 as u64;
            match (op, place.path.last_mut()) {
                (Operator::Add, Some(last)) => *last = last.wrapping_add(by),
                (Operator::Add, None) if by == 0 => {}
                _ => return unsupported("pointer arithmetic"),
            }
            return Ok(V::Ptr(place));
        }
        if let (V::Float(scalar), _) | (_, V::Float(scalar)) = (&left, &right) {
            return Ok(if compares { V::Int(Scalar::Bool, 0) } else { V::Float(*scalar) });
        }
        let (left, right) = (self.promote(left)?, self.promote(right)?);
        let ((of_left, a), (of_right, b)) = (self.int(&left)?, self.int(&right)?);
        if matches!(op, Operator::Shl | Operator::Shr) {
            let width = i128::from(self.bits(of_left));
            if b < 0 || b >= width {
                return bug(format!("a shift by {b}"));
            }
            let result = if op == Operator::Shl { a << b } else { a >> b };
            return Ok(self.wrap(result, of_left));
        }
        let ty = self.common(of_left, of_right);
        let (left, right) = (self.convert(left, ty)?, self.convert(right, ty)?);
        let (a, b) = (self.int(&left)?.1, self.int(&right)?.1);
        let result = match op {
            Operator::Add => a + b,
            Operator::Sub => a - b,
            Operator::Mul => a.wrapping_mul(b),
            Operator::Div | Operator::Rem if b == 0 => return bug("a division by zero"),
            Operator::Div => a / b,
            Operator::Rem if !self.fits(a / b, ty) => return bug("an overflow of a remainder"),
            Operator::Rem => a % b,
            Operator::And => a & b,
            Operator::Or => a | b,
            Operator::Xor => a ^ b,
            Operator::Eq => return Ok(V::Int(Scalar::Bool, u64::from(a == b))),
            Operator::Ne => return Ok(V::Int(Scalar::Bool, u64::from(a != b))),
            Operator::Lt => return Ok(V::Int(Scalar::Bool, u64::from(a < b))),
            Operator::Le => return Ok(V::Int(Scalar::Bool, u64::from(a <= b))),
            Operator::Gt => return Ok(V::Int(Scalar::Bool, u64::from(a > b))),
            Operator::Ge => return Ok(V::Int(Scalar::Bool, u64::from(a >= b))),
            Operator::Shl | Operator::Shr | Operator::Both | Operator::Either => return unsupported("an operator"),
        };
        if ty.is_signed() && !self.fits(result, ty) {
            return bug(format!("signed overflow: {a} {op:?} {b}"));
        }
        Ok(self.wrap(result, ty))
    }

    /// Loads or stores consecutive elements of an array.
    fn packed_access(&mut self, op: Op, args: &'m [Expr]) -> Result<V> {
        let V::Ptr(first) = self.eval(&args[0])? else { return unsupported(op) };
        let element = |at: usize| {
            let mut place = first.clone();
            *place.path.last_mut().expect("the index of an element") += at as u64;
            place
        };
        if op == Op::StorePacked {
            let V::Parts(values) = self.eval(&args[1])? else { return unsupported(op) };
            for (at, value) in values.into_iter().enumerate() {
                self.store(&element(at), value)?;
            }
            return Ok(V::Void);
        }
        let to = self.place(&args[1])?;
        let V::Parts(old) = self.load(&to)? else { return unsupported(op) };
        let values = (0..old.len()).map(|at| self.load(&element(at))).collect::<Result<_>>()?;
        self.store(&to, V::Parts(values))?;
        Ok(V::Void)
    }

    #[allow(clippy::too_many_lines, clippy::match_same_arms, reason = "a table of helpers, each as in the prelude")]
    fn helper(&mut self, call: &'m Expr, helper: Helper, site: Option<u32>, args: &'m [Expr]) -> Result<V> {
        let Helper { op, scalar } = helper;
        let number = self.numbers.get(&std::ptr::from_ref(call)).copied();
        let exprs: Vec<&Expr> = args.iter().collect();
        match op {
            // Both ways are tried.
            Op::IsAligned => return Ok(V::Int(Scalar::Bool, u64::from(!self.reversed))),
            Op::LoadPacked | Op::StorePacked => return self.packed_access(op, args),
            _ => {}
        }
        let output = match op {
            Op::StepTo | Op::StepDown => Some(0),
            Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => Some(args.len() - 1),
            _ => None,
        };
        let mut values = Vec::new();
        let mut out = None;
        if let Some(position) = output {
            for (i, arg) in args.iter().enumerate() {
                if i == position {
                    out = Some(self.place(arg)?);
                    values.push(if position == 0 { self.eval(arg)? } else { V::Int(Scalar::I32, 0) });
                } else {
                    values.push(self.eval(arg)?);
                }
            }
        } else {
            values = self.operands(&exprs, |_| false)?;
        }
        self.executed.extend(number);
        if values.iter().any(|value| matches!(value, V::Float(_))) || scalar.is_float() {
            return match op {
                Op::FloatTo(to) if to.is_integer() => Ok(self.wrap(5, to)),
                Op::FloatTo(to) => Ok(V::Float(to)),
                _ if scalar.is_float() => Ok(V::Float(scalar)),
                _ => unsupported(op),
            };
        }
        let usize_ = self.module.index;
        let mixed = if scalar.is_signed() { scalar.to_unsigned() } else { scalar.to_signed() };
        let types: [Scalar; 5] = match op {
            Op::At | Op::SplitAt | Op::PartLen | Op::RestLen | Op::PartToLen | Op::Within => [usize_; 5],
            Op::ShiftAmount => [Scalar::U64, Scalar::U32, scalar, scalar, scalar],
            Op::Step | Op::StepTo | Op::StepDown => [scalar, scalar, usize_, scalar, scalar],
            Op::UnboundedShl | Op::UnboundedShr | Op::RotateLeft | Op::RotateRight => {
                [scalar, Scalar::U32, scalar, scalar, scalar]
            }
            Op::SaturatingAddMixed | Op::SaturatingSubMixed => [scalar, mixed, scalar, scalar, scalar],
            _ => [scalar; 5],
        };
        let mut numbers = [0i128; 5];
        for (i, value) in values.into_iter().enumerate() {
            let value = self.convert(value, types[i])?;
            numbers[i] = self.int(&value)?.1;
        }
        let [a, b, c, ..] = numbers;
        let fault = |this: &mut Self, offset: u32| {
            this.failed.extend(number);
            Err(Stop::Fault(site.unwrap_or(u32::MAX - 8) + offset))
        };
        let (min, max) = self.limits(scalar);
        let bits = i128::from(scalar.bits());
        let modulus = 1i128 << self.bits(usize_);
        let raw = |n: i128| n & ((1i128 << bits) - 1);
        let result = match op {
            Op::At if a >= b => return fault(self, 0),
            Op::At => return Ok(self.wrap(a, usize_)),
            Op::SplitAt if a > b => return fault(self, 0),
            Op::SplitAt => return Ok(self.wrap(a, usize_)),
            Op::PartLen if a > c => return fault(self, 0),
            Op::PartLen if b > c => return fault(self, 1),
            Op::PartLen if a > b => return fault(self, 2),
            Op::PartLen => return Ok(self.wrap(b - a, usize_)),
            Op::PartToLen if a > c => return fault(self, 0),
            Op::PartToLen if b >= c => return fault(self, 1),
            Op::PartToLen if a > b + 1 => return fault(self, 2),
            Op::PartToLen => return Ok(self.wrap(b + 1 - a, usize_)),
            Op::RestLen if a > b => return fault(self, 0),
            Op::RestLen => return Ok(self.wrap(b - a, usize_)),
            Op::Within => {
                let holds = a <= b && a != modulus - 1;
                self.tests[usize::from(holds)] += 1;
                return Ok(V::Int(Scalar::Bool, u64::from(holds)));
            }
            Op::Progress | Op::KeepLoop => return Ok(V::Void),
            Op::LaneId => {
                let at = |name: &str| self.specials[name];
                let thread =
                    at("threadIdx.x") + at("blockDim.x") * (at("threadIdx.y") + at("blockDim.y") * at("threadIdx.z"));
                return Ok(V::Int(Scalar::U32, u64::from(thread % 32)));
            }
            Op::Step => {
                // (u64)end - (u64)i > by
                let distance = (b as u64).wrapping_sub(a as u64);
                if i128::from(distance) > c { a + c } else { b }
            }
            Op::StepTo | Op::StepDown => {
                let (from, to) = if op == Op::StepTo { (a, b) } else { (b, a) };
                let distance = (to as u64).wrapping_sub(from as u64);
                if i128::from(distance) < c {
                    return Ok(V::Int(Scalar::Bool, 0));
                }
                let value = self.wrap(if op == Op::StepTo { a + c } else { a - c }, scalar);
                if let Some(place) = out {
                    self.store(&place, value)?;
                }
                return Ok(V::Int(Scalar::Bool, 1));
            }
            Op::WrappingAdd => a + b,
            Op::WrappingSub => a - b,
            Op::WrappingMul => a.wrapping_mul(b),
            Op::WrappingNeg => -a,
            Op::Add | Op::Sub | Op::Mul => {
                let exact = match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    _ => a.wrapping_mul(b),
                };
                // The product of two unsigned numbers of 64 bits can exceed 127 bits.
                if !self.fits(exact, scalar) || (op == Op::Mul && a.checked_mul(b).is_none()) {
                    return fault(self, 0);
                }
                exact
            }
            Op::Neg | Op::CheckedAbs if a == min => return fault(self, 0),
            Op::Neg => -a,
            Op::Abs | Op::CheckedAbs => a.abs(),
            Op::UnsignedAbs => return Ok(self.wrap(a.abs(), scalar.to_unsigned())),
            Op::AbsDiff => return Ok(self.wrap((a - b).abs(), scalar.to_unsigned())),
            Op::Signum => a.signum(),
            Op::ShiftAmount if a >= b => return fault(self, 0),
            Op::ShiftAmount => return Ok(self.wrap(a, Scalar::U32)),
            Op::Div | Op::Rem | Op::DivCeil | Op::NextMultipleOf | Op::CheckedNextMultipleOf if b == 0 => {
                return fault(self, 0);
            }
            Op::Div | Op::Rem if scalar.is_signed() && a == min && b == -1 => {
                return fault(self, 1);
            }
            Op::Div => a / b,
            Op::Rem => a % b,
            Op::DivCeil => a / b + i128::from(a % b != 0),
            Op::NextMultipleOf | Op::CheckedNextMultipleOf => {
                let next = (a + b - 1) / b * b;
                if op == Op::CheckedNextMultipleOf && next > max {
                    return fault(self, 1);
                }
                next
            }
            Op::IsMultipleOf => {
                return Ok(V::Int(Scalar::Bool, u64::from(if b == 0 { a == 0 } else { a % b == 0 })));
            }
            Op::SaturatingAdd | Op::SaturatingAddMixed => (a + b).clamp(min, max),
            Op::SaturatingMul => a.saturating_mul(b).clamp(min, max),
            Op::SaturatingSub | Op::SaturatingSubMixed => (a - b).clamp(min, max),
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Clamp if b > c => return fault(self, 0),
            Op::Clamp | Op::ClampTo => {
                if a < b {
                    b
                } else if a > c {
                    c
                } else {
                    a
                }
            }
            Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => {
                let exact = match op {
                    Op::OverflowingAdd => Some(a + b),
                    Op::OverflowingSub => Some(a - b),
                    _ => a.checked_mul(b),
                };
                let wrapped = exact.unwrap_or_else(|| a.wrapping_mul(b));
                let value = self.wrap(wrapped, scalar);
                if let Some(place) = out {
                    self.store(&place, value)?;
                }
                let overflows = exact.is_none_or(|exact| !self.fits(exact, scalar));
                return Ok(V::Int(Scalar::Bool, u64::from(overflows)));
            }
            Op::UnboundedShl => {
                if b < bits {
                    raw(a) << b
                } else {
                    0
                }
            }
            Op::UnboundedShr => a >> b.min(if scalar.is_signed() { bits - 1 } else { 100 }),
            Op::RotateLeft | Op::RotateRight => {
                let by = if op == Op::RotateLeft { b % bits } else { (bits - b % bits) % bits };
                raw(a) << by | raw(a) >> (bits - by)
            }
            Op::LeadingZeros | Op::TrailingZeros | Op::CountOnes => {
                let of = raw(a) as u128;
                let count = match op {
                    Op::LeadingZeros => i128::from(of.leading_zeros()) - (128 - bits),
                    Op::TrailingZeros => i128::from(of.trailing_zeros()).min(bits),
                    _ => i128::from(of.count_ones()),
                };
                return Ok(self.wrap(count, Scalar::U32));
            }
            other => return unsupported(other),
        };
        Ok(self.wrap(result, scalar))
    }
}

/// Returns the number of a site. A site of a caller is that of a built-in method, whose faults are told apart by their
/// check.
fn number_of(site: SiteRef) -> u32 {
    match site {
        SiteRef::Own(site) => site,
        SiteRef::Caller(offset) => u32::MAX - 64 + offset,
    }
}
