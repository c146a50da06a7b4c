//! The walk over the statements of a program, in execution order: the abstract state, and calls. `join` joins states, `loops`
//! walks loops, `assigned` finds what their statements assign, and `structs` has the values of structs.
//!
//! The state maps each variable to its value in terms of atoms, which never change, so that a fact about atoms stays
//! true along a path. A device function is walked at each of its calls; a check in it is removed only if that is sound
//! at all of them.

mod assigned;
mod entry;
mod join;
mod loops;
mod structs;
mod value;

use std::rc::Rc;

use std::collections::{HashMap, HashSet};

use assigned::collect_borrowed;
pub(super) use entry::{Entries, Visit};
pub(super) use join::branches;
use join::extended;
pub(super) use value::Value;

use super::atoms::{AtomInfo, Bound, Range};
use super::condition::Condition;
use super::poly::{Atom, Poly};
use super::prover::{Domain, Facts};
use super::symbol::LaunchSymbol;
use super::width::Widths;
use crate::ir::{FunctionId, Scalar};
use crate::lower::defer;
use crate::lower::{
    Axis, Body, CType, CallTarget, Case as SwitchCase, Expr, Function, Header, Label, Module, Op, Operator, Quantity,
    SiteRef, Stmt, StmtKind, VarId,
};
use crate::set::Set;
use litemap::LiteMap;

/// The maximum depth of nested calls that are walked.
const CALL_DEPTH: usize = 12;

/// The maximum number of calls that are walked.
const CALLS: usize = 600;

/// The abstract state at a program point.
#[derive(Clone)]
pub(super) struct State {
    /// The values of the variables of the current function. States share them: a state is copied at each branch.
    pub(super) vars: Vec<Rc<Value>>,
    pub(super) facts: Facts,
}

impl State {
    /// Returns the values of variables of which nothing is known.
    fn unknown(count: usize) -> Vec<Rc<Value>> {
        std::iter::repeat_n(Rc::new(Value::Unknown), count).collect()
    }
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
pub(super) struct RemovableCheck {
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
    pub(super) checks: Vec<RemovableCheck>,
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
    /// The number of calls of [`Walk::require`].
    pub(super) required: usize,
    /// The conditions under which integers fit into 32 bits, if they are wanted.
    pub(super) widths: Option<Widths>,
    /// The executions of loops whose checks are tested at the entry, if these are wanted.
    pub(super) entries: Option<Entries<'m>>,
    frame: Frame<'m>,
    /// The atoms for CUDA's built-in variables.
    pub(super) specials: LiteMap<&'static str, Atom>,
    fixed_block: Option<[u32; 3]>,
    depth: usize,
    calls: usize,
    /// The number of iterations so far that were walked one by one.
    peeled: usize,
}

/// What a walk derives, besides the conditions on a launch under which checks never fail.
pub(super) enum Wanted<'m> {
    Conditions,
    /// The conditions under which numbers fit into 32 bits.
    Widths,
    /// The conditions at the entry of a loop under which the checks in it never fail.
    Entries(Entries<'m>),
}

/// Walks a program from its kernel, and returns the knowledge about its checks.
pub(super) fn walk<'m>(
    module: &'m Module,
    numbers: HashMap<*const Expr, usize>,
    checks: Vec<RemovableCheck>,
    fixed_block: Option<[u32; 3]>,
    extent: i128,
    wanted: Wanted<'m>,
) -> Walk<'m> {
    let frame = Frame::new(module, &module.kernel);
    let (widths, entries) = match wanted {
        Wanted::Conditions => (None, None),
        Wanted::Widths => (Some(Widths::new()), None),
        Wanted::Entries(entries) => (None, Some(entries)),
    };
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
        required: 0,
        widths,
        entries,
        frame,
        specials: LiteMap::new(),
        fixed_block,
        depth: 0,
        calls: 0,
        peeled: 0,
    };
    let mut vars = State::unknown(module.kernel.vars.len());
    for (index, param) in module.kernel.params.iter().enumerate() {
        if let CType::Scalar(scalar) = module.kernel.vars[param.index()].ty
            && scalar.is_integer()
            && !walk.frame.borrowed.contains(&param.0)
        {
            let symbol = LaunchSymbol::Param { index, scalar };
            let atom = walk.symbol(symbol);
            if matches!(module.kernel.quantities.get(index), Some(Quantity::Length(_))) {
                walk.domain.atoms.lengths.insert(atom);
            }
            let poly = Poly::atom(atom);
            vars[param.index()] = Rc::new(Value::exact(poly, scalar));
        }
    }
    walk.state = Some(State { vars: vars.clone(), facts: Vec::new() });
    for param in &module.kernel.params {
        walk.define(*param, Value::clone(&vars[param.index()]));
    }
    if let Body::Stmts(stmts) = &module.kernel.body {
        walk.stmts(stmts);
    }
    walk.close_widths();
    if walk.domain.atoms.exhausted {
        // Different values may have the same atom.
        for check in &mut walk.checks {
            (check.condition, check.reached) = (Condition::FALSE, true);
        }
        walk.widths = None;
    }
    walk
}

impl<'m> Frame<'m> {
    fn new(module: &Module, function: &'m Function) -> Frame<'m> {
        let mut borrowed = Set::new();
        if let Body::Stmts(stmts) = &function.body {
            collect_borrowed(module, function, stmts, &mut borrowed);
        }
        let (labels, loops, returns) = Default::default();
        Frame { function, borrowed, labels, loops, returns }
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
                let value = self.eval(value);
                self.eval(place);
                self.settle();
                self.assign_field(place, value);
            }
            StmtKind::Update { op, place, value } => {
                let right = self.eval(value);
                let left = self.eval(place);
                let result = self.binary_values(*op, left, right, (None, matches!(value, Expr::Literal(..))));
                self.settle();
                match place {
                    Expr::Var(var) => self.define(*var, result),
                    place => self.assign_field(place, result),
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
                self.loop_at(header, body, *next, *end);
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
            CType::Named(_) if tracked => self.of_type(value, ty),
            CType::Array(..) if self.frame.function.vars[var.index()].constant && matches!(value, Value::Array(_)) => {
                value
            }
            // The value that the reference of an argument refers to: nothing changes it while the function is executed.
            CType::Reference { target: _, mutable: false } if tracked && matches!(value, Value::Struct(_)) => value,
            _ => Value::Unknown,
        };
        if let Some(state) = &mut self.state {
            state.vars[var.index()] = Rc::new(value);
        }
    }

    /// Returns the value of a variable.
    pub(super) fn read(&mut self, var: VarId) -> Value {
        let value = self.state.as_ref().map_or(Value::Unknown, |state| Value::clone(&state.vars[var.index()]));
        let CType::Scalar(scalar) = self.frame.function.vars[var.index()].ty else { return value };
        match value {
            Value::Unknown if scalar == Scalar::Bool => Value::boolean(),
            Value::Unknown if scalar.is_integer() => {
                let value = Value::exact(Poly::atom(self.unknown_of(var, scalar)), scalar);
                // Every read of a variable that no reference changes yields the same value.
                if !self.frame.borrowed.contains(&var.0)
                    && let Some(state) = &mut self.state
                {
                    state.vars[var.index()] = Rc::new(value.clone());
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

    /// Returns a number in memory, of which nothing but its type is known.
    pub(super) fn in_memory(&mut self, scalar: Scalar) -> Value {
        let info = AtomInfo { loaded: true, ..AtomInfo::of(self.range(scalar)) };
        Value::exact(Poly::atom(self.domain.atoms.add(info)), scalar)
    }

    /// Joins the states of all jumps to a label, which precede it.
    fn label(&mut self, label: Label) {
        let mut states = self.frame.labels.remove(&label.number).unwrap_or_default();
        states.extend(self.state.take());
        self.state = self.join(states);
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
        self.state = Some(State { vars: State::unknown(function.vars.len()), facts });
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
            (value @ Value::Bool(_), Some(CType::BOOL)) | (value @ Value::Struct(_), Some(CType::Named(_))) => value,
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
                if let Expr::Call(CallTarget::Function(id, _), _) = expr {
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

    /// Returns whether a value depends on one in memory. `seen` has the atoms that do not.
    fn is_loaded(&self, poly: &Poly, seen: &mut HashSet<Atom>) -> bool {
        poly.atoms().any(|atom| {
            if !seen.insert(atom) {
                return false;
            }
            let AtomInfo { lower, upper, cases, loaded, .. } = self.domain.atoms.get(atom);
            let bounds = lower.iter().chain(upper).map(|bound| &bound.limit);
            *loaded || bounds.chain(cases.iter().map(|case| &case.value)).any(|poly| self.is_loaded(poly, seen))
        })
    }

    /// Adds a condition under which a check never fails.
    pub(super) fn require(&mut self, check: &Expr, condition: Condition, operands: &[&Poly]) {
        self.required += 1;
        let Some(number) = self.numbers.get(&std::ptr::from_ref(check)) else { return };
        let before = self.checks[*number].condition;
        let all = self.domain.conditions.all([before, condition]);
        self.possible_exits += usize::from(condition != Condition::TRUE);
        let mut seen = HashSet::new();
        let loaded = condition == Condition::FALSE && operands.iter().any(|operand| self.is_loaded(operand, &mut seen));
        if let Some(entries) = &mut self.entries {
            entries.note(*number, condition);
        }
        let check = &mut self.checks[*number];
        check.condition = all;
        check.reached = true;
        check.loaded |= loaded;
    }
}
