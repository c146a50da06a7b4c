//! Verifier of the lowered tree: every variable is definitely initialised before it is read.
//!
//! In C++ the value of an uninitialised variable is indeterminate, and using it is undefined behaviour: NVRTC may
//! remove the bounds check of an index that is computed from one. rustc has proved that the user's reads are
//! initialised, so a finding here is a bug in the lowering or in an optimisation. The function is then emitted as a
//! failing `static_assert`: a compile error instead of undefined behaviour, in every profile.
//!
//! A forward must-analysis like `analyse::flow`, but over the emitted statements, so that it does not depend on the
//! assumptions of the code that it verifies. The state is the set of initialised variables. For each `bool` variable it
//! also holds the sets that are initialised if the variable is true and if it is false: `a && { x = f(); true }`
//! becomes
//!
//! ```text
//! bool decided = a;
//! if (decided) { x = f(); decided = true; }
//! if (decided) { use(x); }
//! ```

use fixedbitset::FixedBitSet;
use litemap::LiteMap;

use crate::ir::Scalar;
use crate::lower::{
    CType, CallTarget, Case, Expr, Header, Helper, Label, Next, Op, Operator, Prefix, Stmt, StmtKind, VarId, Variable,
};

/// Returns the variables that are not definitely initialised at some read, in the order of their first such read.
pub(in crate::lower) fn uninitialised(params: &[VarId], vars: &[Variable], body: &[Stmt]) -> Vec<VarId> {
    let mut verifier = Verifier::new(params, vars);
    verifier.stmts(body);
    verifier.found
}

/// Returns the variables that are definitely initialised before each counted loop, by its counter.
pub(in crate::lower) fn initialised_before_loops(
    params: &[VarId],
    vars: &[Variable],
    body: &[Stmt],
) -> LiteMap<u32, FixedBitSet> {
    let mut verifier = Verifier::new(params, vars);
    verifier.stmts(body);
    verifier.before_loops
}

/// A set of variables; `None` is the set of all variables, which is the state of unreachable code.
type Set = Option<FixedBitSet>;

/// The data-flow state at a program point.
#[derive(Clone)]
struct State {
    assigned: FixedBitSet,
    /// For each `bool` variable, the sets of variables initialised if it is false and if it is true.
    bools: LiteMap<u32, [Set; 2]>,
}

fn intersection(left: Set, right: &Set) -> Set {
    match (left, right) {
        (Some(mut left), Some(right)) => {
            left.intersect_with(right);
            Some(left)
        }
        (None, right) => right.clone(),
        (left, None) => left,
    }
}

/// Joins the states of two predecessors.
fn join(into: &mut Option<State>, other: Option<State>) {
    let Some(other) = other else { return };
    let Some(state) = into else {
        *into = Some(other);
        return;
    };
    let all = |state: &State| Some(state.assigned.clone());
    let of = |state: &State, var: u32| state.bools.get(&var).cloned().unwrap_or_else(|| [all(state), all(state)]);
    let vars: Vec<u32> = state.bools.keys().chain(other.bools.keys()).copied().collect();
    let joined = vars.into_iter().map(|var| {
        let ([left_false, left_true], [right_false, right_true]) = (of(state, var), of(&other, var));
        (var, [intersection(left_false, &right_false), intersection(left_true, &right_true)])
    });
    state.bools = joined.collect();
    state.assigned.intersect_with(&other.assigned);
}

struct Verifier<'f> {
    vars: &'f [Variable],
    /// `None` in unreachable code.
    state: Option<State>,
    /// The join of the states at the `goto`s to each label.
    labels: LiteMap<u32, Option<State>>,
    /// The join of the states at the `break`s of each enclosing loop.
    breaks: Vec<Option<State>>,
    found: Vec<VarId>,
    /// The variables that are initialised before each counted loop, by its counter.
    before_loops: LiteMap<u32, FixedBitSet>,
}

impl<'f> Verifier<'f> {
    fn new(params: &[VarId], vars: &'f [Variable]) -> Verifier<'f> {
        let mut assigned = FixedBitSet::with_capacity(vars.len());
        assigned.extend(params.iter().map(|param| param.index()));
        let state = Some(State { assigned, bools: LiteMap::new() });
        let (labels, breaks, found, before_loops) = Default::default();
        Verifier { vars, state, labels, breaks, found, before_loops }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(&stmt.kind);
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Declare { var, init: Some(init) } => {
                self.read(init);
                self.assign(*var, Some(init));
            }
            StmtKind::Declare { var, init: None } => self.forget(*var),
            StmtKind::Shared { var } => self.assign(*var, None),
            StmtKind::Assign { place: Expr::Var(var), value } => {
                self.read(value);
                self.assign(*var, Some(value));
            }
            StmtKind::Assign { place, value } => {
                self.read(value);
                self.read(place);
            }
            StmtKind::Update { op: _, place, value } => {
                self.read(value);
                self.read(place);
                if let Expr::Var(var) = place {
                    self.assign(*var, None);
                }
            }
            StmtKind::Expr(expr) => self.read(expr),
            StmtKind::If { condition, then, otherwise } => {
                self.read(condition);
                let before = self.state.take();
                self.state = before.as_ref().and_then(|before| assume(before, condition, true));
                self.stmts(then);
                let after = self.state.take();
                self.state = before.as_ref().and_then(|before| assume(before, condition, false));
                self.stmts(otherwise);
                join(&mut self.state, after);
            }
            StmtKind::Switch { on, cases, otherwise } => {
                self.read(on);
                let before = self.state.clone();
                self.stmts(otherwise);
                let mut after = self.state.take();
                for Case { values: _, body } in cases {
                    self.state.clone_from(&before);
                    self.stmts(body);
                    join(&mut after, self.state.take());
                }
                self.state = after;
            }
            StmtKind::Loop { header, body, next, end, unroll: _ } => self.loop_(header, body, *next, *end),
            StmtKind::Block { body, end } => {
                self.stmts(body);
                self.label(*end);
            }
            StmtKind::Break => {
                let state = self.state.take();
                if let Some(breaks) = self.breaks.last_mut() {
                    join(breaks, state);
                }
            }
            // The state at the head of a loop does not depend on its iterations.
            StmtKind::Continue | StmtKind::InternalError(_) => self.state = None,
            StmtKind::Goto(label) => {
                let state = self.state.take();
                join(self.labels.entry(label.number).or_default(), state);
            }
            StmtKind::Return(value) => {
                self.read_all(value.as_slice());
                self.state = None;
            }
            StmtKind::Fault { site: _, args } => {
                self.read_all(args);
                self.state = None;
            }
            StmtKind::Print { site: _, args } => self.read_all(args),
        }
    }

    fn loop_(&mut self, header: &Header, body: &[Stmt], next: Option<Label>, end: Option<Label>) {
        if let Header::For { var, init, test: _, next: _ } = header {
            self.read(init);
            if let Some(state) = &self.state {
                self.before_loops.insert(var.0, state.assigned.clone());
            }
            self.assign(*var, Some(init));
        }
        // An iteration may change any `bool`, and can only initialise further variables.
        if let Some(state) = &mut self.state {
            state.bools.clear();
        }
        let left = match header {
            // Introduced later.
            Header::Open { test: None, progress: _ } | Header::Deferred(_) => None,
            Header::Open { test: Some(test), progress: _ } | Header::For { var: _, init: _, test, next: _ } => {
                self.read(test);
                let head = self.state.take();
                self.state = head.as_ref().and_then(|head| assume(head, test, true));
                head.as_ref().and_then(|head| assume(head, test, false))
            }
        };
        self.breaks.push(None);
        self.stmts(body);
        if let Some(next) = next {
            self.label(next);
        }
        if let Header::For { var: _, init: _, test: _, next: Next::Assign(value) } = header {
            self.read(value);
        }
        self.state = left;
        let breaks = self.breaks.pop().flatten();
        join(&mut self.state, breaks);
        if let Some(end) = end {
            self.label(end);
        }
    }

    /// Joins the states of all `goto`s to a label, which precede it.
    fn label(&mut self, label: Label) {
        let jumps = self.labels.remove(&label.number).flatten();
        join(&mut self.state, jumps);
    }

    fn assign(&mut self, var: VarId, value: Option<&Expr>) {
        let Some(state) = &mut self.state else { return };
        let known = match value {
            Some(value) if self.vars[var.index()].ty == CType::BOOL => Some([false, true].map(|holds| {
                let mut set = assume(state, value, holds)?.assigned;
                set.insert(var.index());
                Some(set)
            })),
            _ => None,
        };
        state.assigned.insert(var.index());
        for set in state.bools.iter_mut().flat_map(|(_, sets)| sets).flatten() {
            set.insert(var.index());
        }
        match known {
            Some(known) => state.bools.insert(var.0, known),
            None => state.bools.remove(&var.0),
        };
    }

    /// A declaration without an initialiser makes the variable uninitialised each time it is executed.
    fn forget(&mut self, var: VarId) {
        let Some(state) = &mut self.state else { return };
        state.assigned.remove(var.index());
        state.bools.remove(&var.0);
        for set in state.bools.iter_mut().flat_map(|(_, sets)| sets).flatten() {
            set.remove(var.index());
        }
    }

    fn read_all(&mut self, exprs: &[Expr]) {
        for expr in exprs {
            self.read(expr);
        }
    }

    /// Transfer function of an expression, including assignments through pointers.
    fn read(&mut self, expr: &Expr) {
        match expr {
            Expr::Var(var) => {
                let assigned = self.state.as_ref().is_none_or(|state| state.assigned.contains(var.index()));
                if !assigned && !self.found.contains(var) {
                    self.found.push(*var);
                }
            }
            Expr::Binary(operator @ (Operator::Both | Operator::Either), left, right) => {
                self.read(left);
                let before = self.state.clone();
                self.state = before.as_ref().and_then(|state| assume(state, left, *operator == Operator::Both));
                self.read(right);
                self.state = before;
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.read(condition);
                let before = self.state.clone();
                for (holds, branch) in [(true, then), (false, otherwise)] {
                    self.state = before.as_ref().and_then(|state| assume(state, condition, holds));
                    self.read(branch);
                }
                self.state = before;
            }
            Expr::Call(callee, args) => {
                let outputs: Vec<VarId> = args.iter().enumerate().filter_map(|arg| output(callee, arg)).collect();
                for arg in args {
                    let is_output = matches!(variable(arg), Some(var) if outputs.contains(&var));
                    if !is_output {
                        self.read(arg);
                    }
                }
                for var in outputs {
                    self.assign(var, None);
                }
            }
            _ => expr.for_each_child(&mut |child| self.read(child)),
        }
    }
}

fn variable(expr: &Expr) -> Option<VarId> {
    match expr {
        Expr::Var(var) => Some(*var),
        Expr::AddressOf(place) => variable(place),
        _ => None,
    }
}

/// Returns the variable that a call writes its result to, if this argument is one: the last argument of the overflowing
/// helpers, and the output pointers of CUDA's functions with several results.
fn output(callee: &CallTarget, (position, arg): (usize, &Expr)) -> Option<VarId> {
    let is_output = match callee {
        // A counter, the output of a step, is read as well.
        CallTarget::Helper(Helper { op, .. }, _) => {
            !matches!(op, Op::StepTo | Op::StepDown) && op.output() == Some(position)
        }
        // Atomic operations are never applied to thread-local variables.
        CallTarget::Outputs(_) | CallTarget::Effect(_) => matches!(arg, Expr::AddressOf(_)),
        CallTarget::Builtin(_)
        | CallTarget::Function(..)
        | CallTarget::Load { .. }
        | CallTarget::LoadIf
        | CallTarget::Inside { .. } => false,
    };
    is_output.then(|| variable(arg)).flatten()
}

/// Returns the state after a condition has evaluated to `holds`; `None` if that is impossible.
fn assume(state: &State, condition: &Expr, holds: bool) -> Option<State> {
    match condition {
        Expr::Literal(Scalar::Bool, bits) => ((*bits != 0) == holds).then(|| state.clone()),
        Expr::Var(var) => {
            let mut after = state.clone();
            let mut sets = after.bools.remove(&var.0).unwrap_or_else(|| [(); 2].map(|()| Some(after.assigned.clone())));
            after.assigned.union_with(sets[usize::from(holds)].as_ref()?);
            sets[usize::from(!holds)] = None;
            after.bools.insert(var.0, sets);
            Some(after)
        }
        Expr::Unary(Prefix::Not, operand) => assume(state, operand, !holds),
        // `a || b` is false if both are false, as `a && b` is true if both are true.
        Expr::Binary(operator @ (Operator::Both | Operator::Either), left, right)
            if (*operator == Operator::Both) == holds =>
        {
            assume(&assume(state, left, holds)?, right, holds)
        }
        Expr::Binary(Operator::Both | Operator::Either, left, right) => {
            let mut decided = assume(state, left, holds);
            join(&mut decided, assume(state, left, !holds).and_then(|state| assume(&state, right, holds)));
            decided
        }
        _ => Some(state.clone()),
    }
}
