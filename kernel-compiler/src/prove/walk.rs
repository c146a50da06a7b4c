//! The walk over the statements of a program, in execution order: the abstract state, joins, loops and calls.
//!
//! The state maps each variable to its value in terms of atoms, which never change, so that a fact about atoms stays
//! true along a path. A device function is walked at each of its calls; a check in it is removed only if that is sound
//! at all of them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::atoms::{AtomInfo, Bound, Case, Fact, Range};
use super::condition::Condition;
use super::poly::{Atom, Poly};
use super::prover::{Domain, Facts};
use super::symbol::{Axis, LaunchSymbol, is_length};
use super::width::Widths;
use crate::ir::{FunctionId, Scalar};
use crate::lower::{
    Body, CType, Callee, Case as SwitchCase, Expr, Function, Header, Helper, Label, Module, Next, Op, Operator,
    SiteRef, Stmt, StmtKind, VarId, defer,
};
use crate::set::Set;
use litemap::LiteMap;

/// The maximum number of predecessors whose values a join distinguishes.
const CASES: usize = 4;

/// The maximum number of iterations that are walked one by one.
const PEELED: usize = 16;

/// The maximum depth of nested calls that are walked.
const CALL_DEPTH: usize = 12;

/// The maximum number of calls that are walked.
const CALLS: usize = 400;

/// The value of an expression or a variable.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Unknown,
    /// An integer that equals `poly` modulo the width of its type, or exactly.
    Int {
        poly: Poly,
        scalar: Scalar,
        exact: bool,
    },
    /// The facts that hold if it is false and if it is true; `None` if it cannot have this value.
    Bool([Option<Facts>; 2]),
}

impl Value {
    pub(super) fn exact(poly: Poly, scalar: Scalar) -> Value {
        Value::Int { poly, scalar, exact: true }
    }

    pub(super) fn wrapping(poly: Option<Poly>, scalar: Scalar) -> Value {
        poly.map_or(Value::Unknown, |poly| Value::Int { poly, scalar, exact: false })
    }

    pub(super) fn boolean() -> Value {
        Value::Bool([Some(Vec::new()), Some(Vec::new())])
    }
}

fn same(left: &Value, right: &Value) -> bool {
    let same_facts = |left: &Option<Facts>, right: &Option<Facts>| match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| Rc::ptr_eq(left, right))
        }
        _ => false,
    };
    match (left, right) {
        (Value::Unknown, Value::Unknown) => true,
        (
            Value::Int { poly: left, scalar: left_scalar, exact: left_exact },
            Value::Int { poly: right, scalar: right_scalar, exact: right_exact },
        ) => left == right && left_scalar == right_scalar && left_exact == right_exact,
        (Value::Bool(left), Value::Bool(right)) => left.iter().zip(right).all(|(left, right)| same_facts(left, right)),
        _ => false,
    }
}

/// The abstract state at a program point.
#[derive(Clone)]
pub(super) struct State {
    /// The values of the variables of the current function.
    pub(super) vars: Vec<Value>,
    pub(super) facts: Facts,
}

/// The states that leave an enclosing loop, or continue with its next iteration.
#[derive(Default)]
struct Exits {
    breaks: Vec<State>,
    continues: Vec<State>,
}

/// The function that is being walked.
struct Frame<'m> {
    function: &'m Function,
    /// The variables whose changes are not all visible: a reference to them exists.
    borrowed: Set<u32>,
    labels: HashMap<u32, Vec<State>>,
    loops: Vec<Exits>,
    returns: Vec<(Facts, Value)>,
}

/// A removable check: a call of a helper that can fault, or the test of a versioned loop.
pub(super) struct Check {
    /// The first site of the check; `None` for the test of a versioned loop.
    pub(super) site: Option<SiteRef>,
    pub(super) op: Op,
    /// The condition under which the check never fails.
    pub(super) condition: Condition,
    /// Whether the walk has reached it.
    pub(super) reached: bool,
    /// Whether it is not proved because an operand depends on a value in memory.
    pub(super) loaded: bool,
}

/// The walk over a program.
pub(super) struct Walk<'m> {
    pub(super) domain: Domain,
    pub(super) module: &'m Module,
    /// The numbers of the checks, by the addresses of their expressions.
    pub(super) numbers: HashMap<*const Expr, usize>,
    pub(super) checks: Vec<Check>,
    /// `None` at an unreachable point.
    pub(super) state: Option<State>,
    /// The facts that follow from the checks of the current statement. They hold from the next statement on: C does not
    /// specify the order of evaluation within an expression.
    pub(super) pending: Facts,
    /// Whether a part of the current expression that is evaluated in any case never returns. The other parts may be
    /// evaluated before it: the statements that follow are unreachable, they are not.
    pub(super) diverges: bool,
    /// The loops in which checks prove nothing, because their faults may be deferred: see [`defer`].
    deferrable: HashSet<*const Header>,
    /// Whether the walk is in one of them.
    pub(super) deferring: bool,
    /// The number of checks so far that are not proved for every launch, of faults, and of loops that may not terminate: what
    /// follows them may not be evaluated.
    pub(super) possible_exits: usize,
    /// The conditions under which integers fit into 32 bits, if they are wanted.
    pub(super) widths: Option<Widths>,
    frame: Frame<'m>,
    /// The atoms for CUDA's built-in variables.
    specials: LiteMap<&'static str, Atom>,
    fixed_block: Option<[u32; 3]>,
    depth: usize,
    calls: usize,
}

/// Walks a program from its kernel, and returns the knowledge about its checks.
pub(super) fn walk(
    module: &Module,
    numbers: HashMap<*const Expr, usize>,
    checks: Vec<Check>,
    fixed_block: Option<[u32; 3]>,
    extent: i128,
    widths: Option<Widths>,
) -> Walk<'_> {
    let frame = Frame::new(module, &module.kernel);
    let mut walk = Walk {
        domain: Domain::new(extent),
        module,
        numbers,
        checks,
        state: None,
        pending: Vec::new(),
        diverges: false,
        deferrable: defer::candidates(module),
        deferring: false,
        possible_exits: 0,
        widths,
        frame,
        specials: LiteMap::new(),
        fixed_block,
        depth: 0,
        calls: 0,
    };
    let mut vars = vec![Value::Unknown; module.kernel.vars.len()];
    for (index, param) in module.kernel.params.iter().enumerate() {
        if let CType::Scalar(scalar) = module.kernel.vars[param.index()].ty
            && scalar.is_integer()
            && !walk.frame.borrowed.contains(&param.0)
        {
            let symbol = LaunchSymbol::Param { index, scalar };
            let atom = walk.symbol(symbol);
            if is_length(&module.kernel, symbol) {
                walk.domain.atoms.lengths.insert(atom);
            }
            let poly = Poly::atom(atom);
            vars[param.index()] = Value::exact(poly, scalar);
        }
    }
    walk.state = Some(State { vars: vars.clone(), facts: Vec::new() });
    for param in &module.kernel.params {
        walk.define(*param, vars[param.index()].clone());
    }
    if let Body::Stmts(stmts) = &module.kernel.body {
        walk.stmts(stmts);
    }
    walk.close_widths();
    walk
}

impl<'m> Frame<'m> {
    fn new(module: &Module, function: &'m Function) -> Frame<'m> {
        let mut borrowed = Set::new();
        if let Body::Stmts(stmts) = &function.body {
            collect_borrowed(module, function, stmts, &mut borrowed);
        }
        Frame { function, borrowed, labels: HashMap::new(), loops: Vec::new(), returns: Vec::new() }
    }
}

impl<'m> Walk<'m> {
    /// Returns the function that is being walked.
    pub(super) fn function(&self) -> &'m Function {
        self.frame.function
    }

    /// Returns whether a reference to a variable of the function exists.
    pub(super) fn is_borrowed(&self, var: VarId) -> bool {
        self.frame.borrowed.contains(&var.0)
    }

    /// Returns the range of an integer type.
    pub(super) fn range(&self, scalar: Scalar) -> Range {
        let bits = self.bits(scalar);
        if scalar.is_signed() {
            Range::new(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            Range::new(0, (1i128 << bits) - 1)
        }
    }

    /// Returns the width of a type; `usize` has the width of an index, `isize` always has 64 bits.
    pub(super) fn bits(&self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Usize => self.module.index.bits(),
            scalar => scalar.bits(),
        }
    }

    pub(super) fn symbol(&mut self, symbol: LaunchSymbol) -> Atom {
        let LaunchSymbol::Param { index: _, scalar } = symbol else { return self.domain.symbol(symbol, None) };
        let range = self.range(scalar);
        self.domain.symbol(symbol, Some(range))
    }

    /// Returns the value of a built-in variable of CUDA.
    pub(super) fn special(&mut self, name: &'static str) -> Option<Poly> {
        let axis = |name: &str| match name.as_bytes().last() {
            Some(b'x') => Axis::X,
            Some(b'y') => Axis::Y,
            _ => Axis::Z,
        };
        let extent = |this: &mut Self, of_block: bool, axis: Axis| match this.fixed_block {
            Some(block) if of_block => Poly::constant(block[axis as usize].into()),
            _ if of_block => Poly::atom(this.symbol(LaunchSymbol::BlockDim(axis))),
            _ => Poly::atom(this.symbol(LaunchSymbol::GridDim(axis))),
        };
        let of_block = match name.split('.').next()? {
            "threadIdx" => true,
            "blockIdx" => false,
            "blockDim" => return Some(extent(self, true, axis(name))),
            "gridDim" => return Some(extent(self, false, axis(name))),
            _ => return None,
        };
        if let Some(atom) = self.specials.get(name) {
            return Some(Poly::atom(*atom));
        }
        let extent = extent(self, of_block, axis(name));
        let hi = self.domain.atoms.interval(&extent).1? - 1;
        let upper = vec![Bound::new(extent.offset(-1)?)];
        let range = Range::new(0, hi);
        let info = AtomInfo { upper, ..AtomInfo::of(range) };
        let atom = self.domain.atoms.add(info);
        self.specials.insert(name, atom);
        Some(Poly::atom(atom))
    }

    pub(super) fn stmts(&mut self, stmts: &'m [Stmt]) {
        for stmt in stmts {
            // A label is at the end of a block or a loop, which is reached before the jumps in it.
            if self.state.is_some() {
                self.stmt(&stmt.kind);
            }
        }
    }

    /// Brings the facts that follow from the checks of the last expression into scope.
    fn settle(&mut self) {
        self.settle_widths(0);
        let pending = std::mem::take(&mut self.pending);
        if std::mem::take(&mut self.diverges) {
            self.state = None;
        }
        if let Some(state) = &mut self.state {
            state.facts.extend(pending);
        }
    }

    fn value(&mut self, expr: &'m Expr) -> Value {
        let value = self.eval(expr);
        self.settle();
        value
    }

    fn stmt(&mut self, kind: &'m StmtKind) {
        match kind {
            StmtKind::Declare { var, init: Some(init) } => {
                let value = self.value(init);
                self.define(*var, value);
            }
            StmtKind::Declare { var, init: None } | StmtKind::Shared { var } => self.assign(*var, Value::Unknown),
            StmtKind::Assign { place: Expr::Var(var), value } => {
                let value = self.value(value);
                self.define(*var, value);
            }
            StmtKind::Assign { place, value } => {
                self.eval(value);
                self.eval(place);
                self.settle();
            }
            StmtKind::Update { op, place, value } => {
                let right = self.eval(value);
                let left = self.eval(place);
                let result = self.binary_values(*op, left, right, (None, matches!(value, Expr::Literal(..))));
                self.settle();
                if let Expr::Var(var) = place {
                    self.define(*var, result);
                }
            }
            StmtKind::Expr(expr) => {
                self.value(expr);
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.value(condition);
                let Some(before) = self.state.take() else { return };
                let [no, yes] = branches(&condition);
                let mut after = Vec::new();
                for (facts, stmts) in [(yes, then), (no, otherwise)] {
                    self.state = facts.map(|facts| extended(&before, &facts));
                    self.stmts(stmts);
                    after.extend(self.state.take());
                }
                self.state = self.join(after);
            }
            StmtKind::Switch { on, cases, otherwise } => self.switch(on, cases, otherwise),
            StmtKind::Loop { header, body, next, end, unroll: _ } => {
                // It may not terminate, as a check may fail.
                self.possible_exits += usize::from(matches!(header, Header::Open { .. }));
                let outer = self.deferring;
                self.deferring |= self.deferrable.contains(&std::ptr::from_ref(header));
                self.loop_(header, body, *next, *end);
                self.deferring = outer;
            }
            StmtKind::Block { body, end } => {
                self.stmts(body);
                self.label(*end);
            }
            StmtKind::Break => {
                let state = self.state.take();
                if let Some(exits) = self.frame.loops.last_mut() {
                    exits.breaks.extend(state);
                }
            }
            StmtKind::Continue => {
                let state = self.state.take();
                if let Some(exits) = self.frame.loops.last_mut() {
                    exits.continues.extend(state);
                }
            }
            StmtKind::Goto(label) => {
                let state = self.state.take();
                self.frame.labels.entry(label.number).or_default().extend(state);
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map_or(Value::Unknown, |value| self.value(value));
                self.note_result(&value);
                if let Some(state) = self.state.take() {
                    self.frame.returns.push((state.facts, value));
                }
            }
            StmtKind::Fault { site: _, args } => {
                self.possible_exits += 1;
                for arg in args {
                    self.eval(arg);
                }
                self.settle();
                self.state = None;
            }
            StmtKind::Print { site: _, args } => {
                for arg in args {
                    self.eval(arg);
                }
                self.settle();
            }
            StmtKind::InternalError(_) => {}
        }
    }

    fn switch(&mut self, on: &'m Expr, cases: &'m [SwitchCase], otherwise: &'m [Stmt]) {
        let on = self.value(on);
        let Some(before) = self.state.take() else { return };
        let mut after = Vec::new();
        for SwitchCase { values, body } in cases {
            let mut facts = Vec::new();
            if let ([value], Value::Int { .. }) = (values.as_slice(), &on) {
                self.state = Some(before.clone());
                let value = self.eval(value);
                let equal = self.compare(Operator::Eq, on.clone(), value, (None, true));
                if let Value::Bool([_, Some(equal)]) = equal {
                    facts = equal;
                }
                self.pending.clear();
            }
            self.state = Some(extended(&before, &facts));
            self.stmts(body);
            after.extend(self.state.take());
        }
        self.state = Some(before);
        self.stmts(otherwise);
        after.extend(self.state.take());
        self.state = self.join(after);
    }

    pub(super) fn assign(&mut self, var: VarId, value: Value) {
        let tracked = !self.frame.borrowed.contains(&var.0);
        let ty = &self.frame.function.vars[var.index()].ty;
        let value = match ty {
            CType::Scalar(Scalar::Bool) if tracked => match value {
                Value::Bool(_) => value,
                _ => Value::boolean(),
            },
            CType::Scalar(scalar) if tracked && scalar.is_integer() => self.converted(value, *scalar),
            _ => Value::Unknown,
        };
        if let Some(state) = &mut self.state {
            state.vars[var.index()] = value;
        }
    }

    /// Returns the value of a variable.
    pub(super) fn read(&mut self, var: VarId) -> Value {
        let value = self.state.as_ref().map_or(Value::Unknown, |state| state.vars[var.index()].clone());
        let CType::Scalar(scalar) = self.frame.function.vars[var.index()].ty else { return Value::Unknown };
        match value {
            Value::Unknown if scalar == Scalar::Bool => Value::boolean(),
            Value::Unknown if scalar.is_integer() => {
                let value = Value::exact(Poly::atom(self.unknown_of(var, scalar)), scalar);
                // Every read of a variable that no reference changes yields the same value.
                if !self.frame.borrowed.contains(&var.0)
                    && let Some(state) = &mut self.state
                {
                    state.vars[var.index()] = value.clone();
                }
                value
            }
            value => value,
        }
    }

    /// Returns a value of which nothing but its type is known.
    pub(super) fn unknown(&mut self, scalar: Scalar) -> Value {
        let range = self.range(scalar);
        Value::exact(Poly::atom(self.domain.atoms.fresh(range)), scalar)
    }

    /// Joins the states of several predecessors.
    fn join(&mut self, mut states: Vec<State>) -> Option<State> {
        if states.len() < 2 {
            return states.pop();
        }
        let shared = common_prefix(&states.iter().map(|state| state.facts.as_slice()).collect::<Vec<_>>());
        let facts: Facts = states[0].facts[..shared].to_vec();
        let vars = (0..states[0].vars.len())
            .map(|var| {
                let values: Vec<(&Value, &[Rc<Fact>])> =
                    states.iter().map(|state| (&state.vars[var], &state.facts[shared..])).collect();
                self.joined(&values, &facts)
            })
            .collect();
        Some(State { vars, facts })
    }

    /// Returns the value that is one of several, each with the facts that hold where it is chosen.
    pub(super) fn joined(&mut self, values: &[(&Value, &[Rc<Fact>])], shared: &Facts) -> Value {
        let Some(((first, _), others)) = values.split_first() else { return Value::Unknown };
        if others.iter().all(|(other, _)| same(first, other)) {
            return (*first).clone();
        }
        match first {
            Value::Unknown => Value::Unknown,
            Value::Bool(_) => Value::Bool([0, 1].map(|holds| {
                // The facts of the only predecessor where the value is possible.
                let mut possible = values.iter().filter_map(|(value, own)| match value {
                    Value::Bool(facts) => facts[holds].as_ref().map(|facts| (facts.clone(), *own)),
                    Value::Unknown | Value::Int { .. } => Some((Vec::new(), [].as_slice())),
                });
                let (mut facts, own) = possible.next()?;
                if possible.next().is_some() {
                    return Some(Vec::new());
                }
                facts.extend(own.iter().cloned());
                Some(facts)
            })),
            Value::Int { scalar, .. } => {
                let scalar = *scalar;
                let limits = self.range(scalar);
                let mut range: Option<Range> = None;
                let mut cases = Vec::new();
                for (value, own) in values {
                    let Value::Int { poly, scalar: of, exact } = value else { return Value::Unknown };
                    if *of != scalar {
                        return Value::Unknown;
                    }
                    let mut facts: Facts = shared.iter().chain(own.iter()).cloned().collect();
                    let len = shared.len();
                    let poly = self.exactly(poly.clone(), scalar, *exact, &mut facts);
                    let (lo, hi) = self.domain.atoms.interval(&poly);
                    let (lo, hi) = (lo.unwrap_or(limits.lo).max(limits.lo), hi.unwrap_or(limits.hi).min(limits.hi));
                    range =
                        Some(range.map_or(Range::new(lo, hi), |range| Range::new(range.lo.min(lo), range.hi.max(hi))));
                    cases.push(Case { value: poly, facts: facts.split_off(len) });
                }
                if cases.len() > CASES {
                    cases.clear();
                }
                let info = AtomInfo { cases, ..AtomInfo::of(range.unwrap_or(limits)) };
                Value::exact(Poly::atom(self.domain.atoms.add(info)), scalar)
            }
        }
    }

    /// Joins the states of all jumps to a label, which precede it.
    fn label(&mut self, label: Label) {
        let mut states = self.frame.labels.remove(&label.number).unwrap_or_default();
        states.extend(self.state.take());
        self.state = self.join(states);
    }

    fn loop_(&mut self, header: &'m Header, body: &'m [Stmt], next: Option<Label>, end: Option<Label>) {
        if self.state.is_none() {
            return;
        }
        let counter = match header {
            Header::For { var, init, .. } => {
                let value = self.value(init);
                self.define(*var, value);
                Some(*var)
            }
            Header::Open { .. } | Header::Deferred(_) => None,
        };
        if let Header::Open { test: Some(test), progress: _ } = header
            && is_geometric(body)
            && self.peel(test, body, next)
        {
            if let Some(end) = end {
                self.label(end);
            }
            return;
        }
        // The walk over a closed range: see `lower::range`.
        let walked = match header {
            Header::For { next: Next::Assign(Expr::Call(Callee::Helper(Helper { op, .. }, _), args)), .. }
                if matches!(op, Op::StepTo | Op::StepDown) =>
            {
                match args.as_slice() {
                    [Expr::Var(var), last, _] => Some((*var, last, *op == Op::StepDown)),
                    _ => None,
                }
            }
            _ => None,
        };
        self.extreme_test(header);
        let mut directions = Directions::default();
        collect_assigned(body, &mut directions);
        match header {
            Header::For { var, next: Next::Increment, .. } => directions.note(*var, Direction::Up),
            Header::For { var, next: Next::Decrement, .. } => directions.note(*var, Direction::Down),
            Header::For { var, next: Next::Assign(value), .. } => {
                directions.assign(*var, value);
                collect_outputs(value, &mut directions);
            }
            Header::Open { .. } | Header::Deferred(_) => {}
        }
        let walked = walked.and_then(|(var, last, down)| self.enter_walk(header, var, last, down, &directions));
        let stepped = self.stepped(header, &directions);
        let invariants = self.enter_iteration(&directions, walked.as_ref(), stepped.as_ref());
        let (test, from) = match header {
            Header::Open { test, progress: _ } => (test.as_ref(), None),
            // Introduced later.
            Header::Deferred(_) => (None, None),
            Header::For { test, next, .. } => (Some(test), Some(next)),
        };
        let mut after = Vec::new();
        if let Some(test) = test {
            let test = self.value(test);
            let [no, yes] = branches(&test);
            let Some(head) = self.state.take() else { return };
            if stepped.is_some() {
                // The value of the counter is that of the iterations, where the test is true.
                after.push(head.clone());
            } else {
                after.extend(no.map(|no| extended(&head, &no)));
            }
            self.state = yes.map(|yes| extended(&head, &yes));
        }
        self.frame.loops.push(Exits::default());
        self.stmts(body);
        let Exits { breaks, continues } = self.frame.loops.pop().unwrap_or_default();
        let mut latches: Vec<State> = self.state.take().into_iter().chain(continues).collect();
        if let Some(next) = next {
            latches.extend(self.frame.labels.remove(&next.number).unwrap_or_default());
        }
        for latch in &mut latches {
            self.state = Some(latch.clone());
            match (from, counter) {
                (Some(Next::Increment), Some(var)) => self.step_counter(var, 1),
                (Some(Next::Decrement), Some(var)) => self.step_counter(var, -1),
                (Some(Next::Assign(value)), Some(var)) if walked.is_none() => {
                    let value = self.value(value);
                    self.define(var, value);
                }
                _ => {}
            }
            if let Some(state) = self.state.take() {
                *latch = state;
            }
        }
        self.verify(invariants, &mut latches);
        after.extend(breaks);
        if let Some(var) = walked.map(|(var, _)| var).or(stepped.map(|stepped| stepped.var)) {
            // The bounds hold in the iterations; there may have been none.
            for state in &mut after {
                state.vars[var.index()] = Value::Unknown;
            }
        }
        self.state = self.join(after);
        self.extreme_test(header);
        if let Some(end) = end {
            self.label(end);
        }
    }

    /// Evaluates the test of a counted loop before and after the loop. The value of the counter in it is that of the iterations;
    /// the test also reads the first value if there are no iterations, and the value that ends the loop.
    fn extreme_test(&mut self, header: &'m Header) {
        if let (Header::For { test, .. }, true) = (header, self.state.is_some()) {
            self.value(test);
        }
    }

    /// Derives the conditions under which every iteration preserves the invariants that were assumed.
    fn verify(&mut self, invariants: Vec<Invariant>, latches: &mut [State]) {
        for Invariant { var, number, bound, lower, scalar } in invariants {
            let mut every = Vec::new();
            for latch in latches.iter_mut() {
                let Value::Int { poly, scalar: _, exact } = latch.vars[var.index()].clone() else {
                    every.push(Condition::FALSE);
                    continue;
                };
                let poly = self.exactly(poly, scalar, exact, &mut latch.facts);
                let difference = if lower { poly.sub(&bound) } else { bound.sub(&poly) };
                every.push(self.domain.prove_some(difference, &latch.facts));
            }
            self.domain.conditions.invariants[number] = self.domain.conditions.all(every);
        }
    }

    /// Walks the iterations of a loop one by one, if the values of the variables decide how many there are:
    /// `while width < 512 { ..; width *= 8; }`. Returns whether they do.
    fn peel(&mut self, test: &'m Expr, body: &'m [Stmt], next: Option<Label>) -> bool {
        let before = (self.state.clone(), self.pending.clone());
        let mut breaks = Vec::new();
        for _ in 0..=PEELED {
            let decided = self.value(test);
            match branches(&decided) {
                [Some(_), None] => {
                    breaks.extend(self.state.take());
                    self.state = self.join(breaks);
                    return true;
                }
                [None, Some(_)] => {}
                _ => break,
            }
            self.frame.loops.push(Exits::default());
            self.stmts(body);
            let exits = self.frame.loops.pop().unwrap_or_default();
            breaks.extend(exits.breaks);
            let mut latches: Vec<State> = self.state.take().into_iter().chain(exits.continues).collect();
            if let Some(next) = next {
                latches.extend(self.frame.labels.remove(&next.number).unwrap_or_default());
            }
            self.state = self.join(latches);
            if self.state.is_none() {
                self.state = self.join(breaks);
                return true;
            }
        }
        (self.state, self.pending) = before;
        false
    }

    fn step_counter(&mut self, var: VarId, by: i128) {
        if let Value::Int { poly, scalar, exact: _ } = self.read(var) {
            self.define(var, Value::wrapping(poly.offset(by), scalar));
        }
    }

    /// Prepares the walk over a closed range. Returns its variable and the bounds of the variable in all iterations.
    fn enter_walk(
        &mut self,
        header: &'m Header,
        var: VarId,
        last: &'m Expr,
        down: bool,
        directions: &Directions,
    ) -> Option<Walked> {
        let Header::For { var: more, .. } = header else { return None };
        // The helper is the only one that changes the variable.
        if directions.times.get(&var.0) != Some(&1) || directions.times.get(&more.0) != Some(&1) {
            return None;
        }
        let more = self.read(*more);
        let Value::Int { poly: first, scalar, exact } = self.read(var) else { return None };
        let last = self.eval(last);
        self.settle();
        let last = self.converted(last, scalar);
        let Value::Int { poly: last, exact: last_exact, .. } = last else { return None };
        let mut facts = self.state.as_ref()?.facts.clone();
        let first = self.exactly(first, scalar, exact, &mut facts);
        let last = self.exactly(last, scalar, last_exact, &mut facts);
        self.step_towards(var, Some(&last));
        let Value::Bool([_, Some(any)]) = more else { return None };
        facts.extend(any);
        let distance = if down { first.sub(&last) } else { last.sub(&first) };
        let in_order = self.domain.prove_some(distance, &facts);
        Some((var, vec![(first, !down, in_order), (last, down, in_order)]))
    }

    /// Returns the counter of a loop that adds a constant to it up to an end that the loop does not change, as
    /// `for i in 0..8` and `for i in (start..end).step_by(8)` do. In each iteration it is `start` plus a multiple of the
    /// constant, so that its greatest value is known exactly.
    fn stepped(&mut self, header: &'m Header, directions: &Directions) -> Option<Stepped> {
        let Header::For { var, test: Expr::Binary(op @ (Operator::Lt | Operator::Le), left, end), next, .. } = header
        else {
            return None;
        };
        let is_changed = |var: &VarId| directions.of.contains_key(&var.0) || self.frame.borrowed.contains(&var.0);
        let by = match next {
            Next::Increment => 1,
            Next::Assign(Expr::Call(Callee::Helper(Helper { op: Op::Step, .. }, _), args)) if *op == Operator::Lt => {
                let [Expr::Var(from), to, Expr::Literal(_, by @ 1..)] = args.as_slice() else { return None };
                let same_end = match (&**end, to) {
                    (Expr::Literal(_, end), Expr::Literal(_, to)) => end == to,
                    (Expr::Var(end), Expr::Var(to)) => end == to,
                    _ => false,
                };
                if from != var || !same_end {
                    return None;
                }
                i128::from(*by)
            }
            Next::Decrement | Next::Assign(_) => return None,
        };
        let is_constant = match &**end {
            Expr::Literal(..) => true,
            Expr::Var(end) => !is_changed(end),
            _ => false,
        };
        let is_counter = matches!(&**left, Expr::Var(left) if left == var)
            && directions.times.get(&var.0) == Some(&1)
            && !self.frame.borrowed.contains(&var.0);
        let CType::Scalar(scalar) = self.frame.function.vars[var.index()].ty else { return None };
        if !is_constant || !is_counter || !scalar.is_integer() {
            return None;
        }
        let end = self.value(end);
        let Value::Int { poly, exact, .. } = self.converted(end, scalar) else { return None };
        let end = self.exact(poly, scalar, exact);
        let greatest = self.domain.atoms.interval(&end).1?.checked_sub(i128::from(*op == Operator::Lt))?;
        let range = self.range(scalar);
        if by == 1 && greatest >= range.hi {
            return None;
        }
        let start = match self.read(*var) {
            Value::Int { poly, scalar: of, exact } if of == scalar => self.exact(poly, of, exact),
            _ => return None,
        };
        let least = self.domain.atoms.interval(&start).0?;
        let distance = greatest.min(range.hi).checked_sub(least)?;
        (distance >= 0).then(|| Stepped { var: *var, start, by, least, most: distance / by })
    }

    /// Forgets what the iterations change, except for the invariants that are assumed. They are verified at the end of
    /// the loop.
    fn enter_iteration(
        &mut self,
        directions: &Directions,
        walked: Option<&Walked>,
        stepped: Option<&Stepped>,
    ) -> Vec<Invariant> {
        let mut invariants = Vec::new();
        for (&index, &direction) in &directions.of {
            let var = VarId(index);
            let initial = match self.state.as_ref().map(|state| &state.vars[var.index()]) {
                None => continue,
                // Declared in the loop.
                Some(Value::Unknown) => {
                    self.assign(var, Value::Unknown);
                    continue;
                }
                Some(initial) => initial.clone(),
            };
            let CType::Scalar(scalar) = self.frame.function.vars[var.index()].ty else {
                self.assign(var, Value::Unknown);
                continue;
            };
            if !scalar.is_integer() || self.frame.borrowed.contains(&index) {
                self.assign(var, Value::Unknown);
                continue;
            }
            if let Some(Stepped { var: counter, start, by, least, most }) = stepped
                && *counter == var
            {
                let value = if *by == 1 {
                    let range = Range::new(*least, least + most);
                    let info = AtomInfo { lower: vec![Bound::new(start.clone())], ..AtomInfo::of(range) };
                    Some(Poly::atom(self.domain.atoms.add(info)))
                } else {
                    let steps = Poly::atom(self.domain.atoms.fresh(Range::new(0, *most)));
                    steps.mul(&Poly::constant(*by)).and_then(|steps| steps.add(start))
                };
                self.assign(var, value.map_or(Value::Unknown, |value| Value::exact(value, scalar)));
                continue;
            }
            let range = self.range(scalar);
            let (mut lower, mut upper) = (Vec::new(), Vec::new());
            let bound = |limit: &Poly, when| Bound { when, ..Bound::new(limit.clone()) };
            match walked {
                Some((walked, bounds)) if *walked == var => {
                    for (limit, is_lower, when) in bounds {
                        if *is_lower { &mut lower } else { &mut upper }.push(bound(limit, *when));
                    }
                }
                _ => {
                    if let Value::Int { poly, scalar: of, exact } = initial
                        && of == scalar
                        && let Some(facts) = self.state.as_ref().map(|state| state.facts.clone())
                    {
                        let mut facts = facts;
                        let poly = self.exactly(poly, scalar, exact, &mut facts);
                        for (is_lower, admitted) in
                            [(true, direction != Direction::Down), (false, direction != Direction::Up)]
                        {
                            if admitted {
                                let (number, assumed) = self.domain.conditions.invariant();
                                if is_lower { &mut lower } else { &mut upper }.push(bound(&poly, assumed));
                                invariants.push(Invariant {
                                    var,
                                    number,
                                    bound: poly.clone(),
                                    lower: is_lower,
                                    scalar,
                                });
                            }
                        }
                        if let Some(state) = &mut self.state {
                            state.facts = facts;
                        }
                    }
                }
            }
            self.bound_by_width(var, &mut lower, &mut upper);
            let info = AtomInfo { lower, upper, ..AtomInfo::of(range) };
            let atom = self.domain.atoms.add(info);
            if let Some(state) = &mut self.state {
                state.vars[var.index()] = Value::exact(Poly::atom(atom), scalar);
            }
        }
        invariants
    }

    /// Walks a call of a device function.
    pub(super) fn call(&mut self, id: FunctionId, args: Vec<Value>) -> Value {
        let Some(function) = self.module.functions.get(&id) else { return Value::Unknown };
        let result = match &function.result {
            Some(CType::Scalar(Scalar::Bool)) => Value::boolean(),
            Some(CType::Scalar(scalar)) if scalar.is_integer() => self.unknown(*scalar),
            _ => Value::Unknown,
        };
        let Body::Stmts(stmts) = &function.body else { return result };
        if self.depth >= CALL_DEPTH || self.calls >= CALLS {
            self.keep_all(function);
            return result;
        }
        let Some(State { vars, facts }) = self.state.take() else {
            self.keep_all(function);
            return result;
        };
        self.calls += 1;
        self.depth += 1;
        let outer = std::mem::replace(&mut self.frame, Frame::new(self.module, function));
        let pending = std::mem::take(&mut self.pending);
        // The statements of the function are under conditions that may not hold for what precedes the call.
        let queue = self.widths.as_mut().map(|widths| std::mem::take(&mut widths.queue));
        let diverges = std::mem::take(&mut self.diverges);
        let outside = facts.clone();
        let shared = facts.len();
        self.state = Some(State { vars: vec![Value::Unknown; function.vars.len()], facts });
        for (param, arg) in function.params.iter().zip(args) {
            self.define(*param, arg);
        }
        self.stmts(stmts);
        let Frame { mut returns, .. } = std::mem::replace(&mut self.frame, outer);
        if let Some(state) = self.state.take() {
            returns.push((state.facts, Value::Unknown));
        }
        self.depth -= 1;
        self.pending = pending;
        if let (Some(widths), Some(queue)) = (&mut self.widths, queue) {
            widths.queue = queue;
        }
        self.diverges = diverges || returns.is_empty();
        let facts = outside;
        let value = match returns.as_slice() {
            // It never returns.
            [] => Value::Unknown,
            [(_, value)] => value.clone(),
            _ => {
                let values: Vec<_> = returns.iter().map(|(facts, value)| (value, &facts[shared..])).collect();
                self.joined(&values, &facts)
            }
        };
        if let [(all, _)] = returns.as_slice() {
            // The checks in the function precede whatever follows the statement.
            self.pending.extend(all[shared..].iter().cloned());
        }
        self.state = Some(State { vars, facts });
        match (value, &function.result) {
            (value @ Value::Int { .. }, Some(CType::Scalar(scalar))) if scalar.is_integer() => {
                self.converted(value, *scalar)
            }
            (value @ Value::Bool(_), Some(CType::BOOL)) => value,
            _ => result,
        }
    }

    /// Marks all checks of a function, and of the functions that it calls, as necessary.
    fn keep_all(&mut self, function: &'m Function) {
        if let Some(widths) = &mut self.widths {
            widths.opaque.insert(std::ptr::from_ref(function));
        }
        let Body::Stmts(stmts) = &function.body else { return };
        let mut callees = Vec::new();
        let mut visit = |expr: &'m Expr| {
            expr.for_each(&mut |expr| {
                if let Some(number) = self.numbers.get(&std::ptr::from_ref(expr)) {
                    self.checks[*number].condition = Condition::FALSE;
                    self.checks[*number].reached = true;
                }
                if let Expr::Call(Callee::Function(id, _), _) = expr {
                    callees.push(*id);
                }
            });
        };
        for stmt in stmts {
            stmt.for_each_expr(&mut visit);
        }
        for id in callees {
            if let Some(function) = self.module.functions.get(&id) {
                self.keep_all(function);
            }
        }
    }

    /// Returns whether a value depends on one in memory.
    fn is_loaded(&self, poly: &Poly, depth: usize) -> bool {
        let atoms = &self.domain.atoms;
        depth > 0
            && poly.atoms().any(|atom| {
                let AtomInfo { lower, upper, cases, loaded, .. } = atoms.get(atom);
                let bounds = lower.iter().chain(upper).map(|bound| &bound.limit);
                *loaded
                    || bounds.chain(cases.iter().map(|case| &case.value)).any(|poly| self.is_loaded(poly, depth - 1))
            })
    }

    /// Adds a condition under which a check never fails.
    pub(super) fn require(&mut self, check: &Expr, condition: Condition, operands: &[&Poly]) {
        let Some(number) = self.numbers.get(&std::ptr::from_ref(check)) else { return };
        let before = self.checks[*number].condition;
        let all = self.domain.conditions.all([before, condition]);
        self.possible_exits += usize::from(condition != Condition::TRUE);
        let loaded = condition == Condition::FALSE && operands.iter().any(|operand| self.is_loaded(operand, 8));
        let check = &mut self.checks[*number];
        check.condition = all;
        check.reached = true;
        check.loaded |= loaded;
    }
}

/// The variable of a walk over a closed range, and its limits in all iterations: each with whether it is the lower one.
type Walked = (VarId, Vec<(Poly, bool, Condition)>);

/// A counter to which a loop adds a constant: in each iteration, `start` plus at most `most` times `by`.
struct Stepped {
    var: VarId,
    start: Poly,
    by: i128,
    /// The least value of `start`.
    least: i128,
    most: i128,
}

/// An assumption about a variable at the head of a loop: `var >= bound`, or `var <= bound`.
struct Invariant {
    var: VarId,
    number: usize,
    bound: Poly,
    lower: bool,
    scalar: Scalar,
}

/// Returns the facts of a condition that is false, and those of one that is true.
pub(super) fn branches(condition: &Value) -> [Option<Facts>; 2] {
    match condition {
        Value::Bool(facts) => facts.clone(),
        Value::Unknown | Value::Int { .. } => [Some(Vec::new()), Some(Vec::new())],
    }
}

fn extended(state: &State, facts: &Facts) -> State {
    let mut state = state.clone();
    state.facts.extend(facts.iter().cloned());
    state
}

fn common_prefix(all: &[&[Rc<Fact>]]) -> usize {
    let Some((first, others)) = all.split_first() else { return 0 };
    (0..first.len())
        .take_while(|i| others.iter().all(|other| other.get(*i).is_some_and(|fact| Rc::ptr_eq(fact, &first[*i]))))
        .count()
}

/// Returns whether a loop multiplies, divides or shifts a variable.
fn is_geometric(body: &[Stmt]) -> bool {
    let geometric = |op: &Operator| matches!(op, Operator::Mul | Operator::Div | Operator::Shl | Operator::Shr);
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Update { op, place: Expr::Var(_), value: Expr::Literal(..) } => geometric(op),
        StmtKind::Assign { place: Expr::Var(var), value } => match value {
            Expr::Binary(op, left, _) => geometric(op) && matches!(**left, Expr::Var(of) if of == *var),
            Expr::Call(Callee::Helper(Helper { op: Op::Mul | Op::WrappingMul | Op::Div, .. }, _), args) => {
                matches!(args.first(), Some(Expr::Var(of)) if of == var)
            }
            _ => false,
        },
        _ => false,
    })
}

/// The direction in which the assignments of a loop change a variable, as far as their form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Either,
}

/// The variables that a loop assigns.
#[derive(Default)]
struct Directions {
    of: LiteMap<u32, Direction>,
    /// The number of assignments in the text.
    times: LiteMap<u32, usize>,
}

impl Directions {
    fn note(&mut self, var: VarId, direction: Direction) {
        *self.times.entry(var.0).or_default() += 1;
        self.of
            .entry(var.0)
            .and_modify(|now| {
                if *now != direction {
                    *now = Direction::Either;
                }
            })
            .or_insert(direction);
    }

    fn assign(&mut self, var: VarId, value: &Expr) {
        let direction = match value {
            Expr::Binary(Operator::Add, ..) => Direction::Up,
            Expr::Binary(Operator::Div | Operator::Shr | Operator::Sub, ..) => Direction::Down,
            Expr::Call(Callee::Helper(Helper { op, .. }, _), _) => match op {
                Op::Add | Op::WrappingAdd | Op::Step | Op::Max => Direction::Up,
                Op::Sub | Op::WrappingSub | Op::Div | Op::SaturatingSub | Op::Min => Direction::Down,
                _ => Direction::Either,
            },
            _ => Direction::Either,
        };
        self.note(var, direction);
    }
}

fn collect_assigned(stmts: &[Stmt], found: &mut Directions) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, init: _ } | StmtKind::Shared { var } => found.note(*var, Direction::Either),
            StmtKind::Assign { place: Expr::Var(var), value } => found.assign(*var, value),
            StmtKind::Update { op, place: Expr::Var(var), value: _ } => found.note(
                *var,
                match op {
                    Operator::Add => Direction::Up,
                    Operator::Sub | Operator::Div | Operator::Shr => Direction::Down,
                    _ => Direction::Either,
                },
            ),
            StmtKind::Loop { header: Header::For { var, next, .. }, .. } => {
                found.note(*var, Direction::Either);
                if let Next::Assign(value) = next {
                    collect_outputs(value, found);
                }
            }
            _ => {}
        }
        for_each_block(&stmt.kind, &mut |block| collect_assigned(block, found));
        // Nested statements are visited more than once, which only makes the number of assignments too large.
        stmt.for_each_expr(&mut |expr| collect_outputs(expr, found));
    }
}

/// Collects the variables that helpers assign through references.
fn collect_outputs(expr: &Expr, found: &mut Directions) {
    expr.for_each(&mut |expr| {
        let Expr::Call(Callee::Helper(Helper { op, .. }, _), args) = expr else { return };
        let output = match op {
            Op::StepTo | Op::StepDown => args.first(),
            Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => args.last(),
            _ => None,
        };
        if let Some(Expr::Var(var)) = output {
            found.note(*var, Direction::Either);
        }
    });
}

/// Collects the variables to which references or pointers may exist. Variables that only the stepping and the
/// overflowing helpers change are not among them: see [`collect_outputs`].
fn collect_borrowed(module: &Module, function: &Function, stmts: &[Stmt], found: &mut Set<u32>) {
    let is_reference = |ty: &CType| matches!(ty, CType::Reference { .. } | CType::Pointer { .. });
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(value) } | StmtKind::Assign { place: Expr::Var(var), value }
                if is_reference(&function.vars[var.index()].ty) =>
            {
                collect_roots(value, found);
            }
            // Other threads change it.
            StmtKind::Shared { var } => {
                found.insert(var.0);
            }
            _ => {}
        }
        for_each_block(&stmt.kind, &mut |block| collect_borrowed(module, function, block, found));
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| match expr {
                Expr::AddressOf(place) => collect_roots(place, found),
                Expr::Call(Callee::Function(id, _), args) => {
                    let Some(callee) = module.functions.get(id) else { return };
                    for (param, arg) in callee.params.iter().zip(args) {
                        if is_reference(&callee.vars[param.index()].ty) {
                            collect_roots(arg, found);
                        }
                    }
                }
                Expr::Call(Callee::Helper(Helper { op, .. }, _), args) if op.has_effect() && !assigns_variable(*op) => {
                    for arg in args {
                        collect_roots(arg, found);
                    }
                }
                _ => {}
            });
        });
    }
}

/// Collects the variables that a place may be a part of.
fn collect_roots(place: &Expr, found: &mut Set<u32>) {
    match place {
        Expr::Var(var) => {
            found.insert(var.0);
        }
        Expr::Field(base, _, _) | Expr::Index(base, _) | Expr::AddressOf(base) | Expr::Deref(base) => {
            collect_roots(base, found);
        }
        Expr::Binary(_, base, _) => collect_roots(base, found),
        Expr::Conditional(_, then, otherwise) => {
            collect_roots(then, found);
            collect_roots(otherwise, found);
        }
        _ => {}
    }
}

/// Returns whether a helper assigns a variable that is its first or its last argument, and has no other effect.
fn assigns_variable(op: Op) -> bool {
    matches!(op, Op::StepTo | Op::StepDown | Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul)
}

/// Calls `visit` with the blocks of a statement.
fn for_each_block<'s>(kind: &'s StmtKind, visit: &mut impl FnMut(&'s [Stmt])) {
    match kind {
        StmtKind::If { condition: _, then, otherwise } => {
            visit(then);
            visit(otherwise);
        }
        StmtKind::Switch { on: _, cases, otherwise } => {
            for case in cases {
                visit(&case.body);
            }
            visit(otherwise);
        }
        StmtKind::Loop { body, .. } | StmtKind::Block { body, end: _ } => visit(body),
        _ => {}
    }
}
