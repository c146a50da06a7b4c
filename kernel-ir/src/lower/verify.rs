//! Verifier of the lowered tree: every variable is assigned before it is read.
//!
//! In C++ the value of an uninitialised variable is indeterminate, and using it is undefined behaviour: NVRTC may drop the
//! check of an index that is computed from one. rustc has proved the user's reads, so a finding here is a mistake of the
//! lowering or of an optimisation. The function is then emitted as a `static_assert` that fails: a compile error instead
//! of undefined behaviour, in every profile.
//!
//! A forward must-analysis like `analyse::flow`, but over the statements that are emitted, so that it does not share the
//! assumptions of what it checks. The state is the set of assigned variables. For each `bool` variable it also holds what
//! is assigned if the variable is true, and what if it is false: `a && { x = f(); true }` becomes
//!
//! ```text
//! bool decided = a;
//! if (decided) { x = f(); decided = true; }
//! if (decided) { use(x); }
//! ```

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::{CType, Callee, Case, Expr, Header, Label, Next, Op, Operator, Prefix, Stmt, StmtKind, VarId, Variable};
use crate::ir::Scalar;

/// The variables that are read on some path on which they were not assigned, in the order of their first such read.
pub(super) fn uninitialised(params: &[VarId], vars: &[Variable], body: &[Stmt]) -> Vec<VarId> {
    let mut assigned = FixedBitSet::with_capacity(vars.len());
    assigned.extend(params.iter().map(|param| param.index()));
    let state = Some(State { assigned, bools: BTreeMap::new() });
    let mut verifier = Verifier { vars, state, labels: BTreeMap::new(), breaks: Vec::new(), found: Vec::new() };
    verifier.stmts(body);
    verifier.found
}

/// A set of variables; `None` is the set of all, that of unreachable code.
type Set = Option<FixedBitSet>;

/// The state of the analysis at a point of the function.
#[derive(Clone)]
struct State {
    assigned: FixedBitSet,
    /// Of a `bool` variable: what is assigned if it is false, and what if it is true.
    bools: BTreeMap<u32, [Set; 2]>,
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

/// The join of two predecessors.
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
    /// `None` where control does not arrive.
    state: Option<State>,
    /// The states at the `goto`s of each label.
    labels: BTreeMap<u32, Option<State>>,
    /// The states at the `break`s of the enclosing loops.
    breaks: Vec<Option<State>>,
    found: Vec<VarId>,
}

impl Verifier<'_> {
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
            // The head of a loop needs nothing of what its turns assign.
            StmtKind::Continue | StmtKind::Contradiction(_) => self.state = None,
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
            self.assign(*var, Some(init));
        }
        // A turn may change any `bool`, and only adds to what is assigned.
        if let Some(state) = &mut self.state {
            state.bools.clear();
        }
        let left = match header {
            Header::Open { test: None, turn: _ } => None,
            Header::Open { test: Some(test), turn: _ } | Header::For { var: _, init: _, test, next: _ } => {
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

    /// Control arrives here from all `goto`s of a label, which are before it.
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
        for set in state.bools.values_mut().flatten().flatten() {
            set.insert(var.index());
        }
        match known {
            Some(known) => state.bools.insert(var.0, known),
            None => state.bools.remove(&var.0),
        };
    }

    /// A declaration without a value, each time that it is executed.
    fn forget(&mut self, var: VarId) {
        let Some(state) = &mut self.state else { return };
        state.assigned.remove(var.index());
        state.bools.remove(&var.0);
        for set in state.bools.values_mut().flatten().flatten() {
            set.remove(var.index());
        }
    }

    fn read_all(&mut self, exprs: &[Expr]) {
        for expr in exprs {
            self.read(expr);
        }
    }

    /// Evaluates an expression, with what it assigns through pointers.
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
                let outputs: Vec<VarId> = args.iter().enumerate().filter_map(|arg| output(callee, args, arg)).collect();
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

/// The variable that a call writes its result to, if this argument is one: the last argument of the overflowing helpers,
/// and what CUDA's functions with several results take the address of.
fn output(callee: &Callee, args: &[Expr], (position, arg): (usize, &Expr)) -> Option<VarId> {
    let is_output = match callee {
        Callee::Helper(helper, _) => {
            let overflowing =
                [Op::OverflowingAdd, Op::OverflowingSub, Op::OverflowingMul, Op::OverflowingPow].contains(&helper.op);
            overflowing && position + 1 == args.len()
        }
        // An atomic operation is never on a variable of the thread's own.
        Callee::Effect(_) => matches!(arg, Expr::AddressOf(_)),
        Callee::Builtin(_) | Callee::Function(_) => false,
    };
    is_output.then(|| variable(arg)).flatten()
}

/// The state behind a condition that holds, or does not; `None` if that cannot be.
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
        // `a || b` is false where both are, as `a && b` is true where both are.
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
