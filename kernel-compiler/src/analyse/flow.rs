//! Definite initialisation of variables, and loop-invariant variables.
//!
//! A forward must-analysis in evaluation order. The lattice is the powerset of the function's variables, ordered by
//! inclusion, with intersection as the join; [`None`] is the state of unreachable code and the identity of the join. An
//! assignment adds a variable, `let x;` removes it (each execution declares a new variable), and nothing else removes
//! one. Since a loop only adds variables that are declared outside it, the state at its entry is already the state at
//! its head, so no fixed-point iteration is needed.
//!
//! rustc has proved by a similar analysis of MIR that every read in the source is of an initialised variable. A read of
//! an uninitialised variable therefore means that the IR is corrupt ([`Flow::uninitialised`]). As in MIR, the operands
//! of `&&`, `||` and `!` are treated as branches when they form a condition: `if p && { x = 1; true } { use(x) }` is
//! accepted.
//!
//! An optimisation that introduces reads, for example a test ahead of a loop, must check [`Flow::is_invariant`]: `at`
//! below is assigned once and read only afterwards, and is nevertheless uninitialised at the head of the loop.
//!
//! ```text
//! let at;
//! for i in 0..n { if found(i) { at = i; y[at] = 7; break; } }
//! ```
//!
//! A variable is invariant in a loop if it is initialised at the loop's entry, the loop neither declares nor assigns it,
//! and no mutable reference to it exists in the function.

use fixedbitset::FixedBitSet;
use litemap::LiteMap;

use crate::ir::{Arm, Block, ExprId, ExprKind, LocalId, LogicalOp, LoopId, Sequence, Stmt, Type, UnaryOp};
use crate::typify::TypedFunction;

use super::access::{Usage, VariableUse, for_each_access, usage};

/// The results of the analysis of a function.
#[derive(Default)]
pub(crate) struct Flow {
    /// Assignments to and borrows of variables in the whole function.
    pub(crate) usage: Usage,
    /// The reads that are not definitely initialised. Empty for every program that rustc accepts.
    pub(crate) uninitialised: Vec<ExprId>,
    loops: LiteMap<LoopId, Loop>,
}

/// The analysis results of a loop.
struct Loop {
    /// The variables initialised on every path to the loop, after its bounds are evaluated.
    initialised: FixedBitSet,
    /// The number of declarations and changes of each variable in the loop's condition and body.
    changes: LiteMap<LocalId, usize>,
}

impl Flow {
    /// Returns whether the function contains the loop in reachable code.
    #[cfg(test)]
    pub(super) fn has_loop(&self, id: LoopId) -> bool {
        self.loops.contains_key(&id)
    }

    /// Returns the number of declarations, assignments and mutable borrows of the variable in a loop.
    pub(crate) fn changes(&self, local: LocalId, id: LoopId) -> usize {
        self.loops.get(&id).and_then(|at| at.changes.get(&local)).copied().unwrap_or(0)
    }

    /// Returns whether the variable is initialised at the loop's entry and unchanged throughout the loop. If it is a
    /// reference, its referent may change.
    pub(crate) fn is_invariant(&self, local: LocalId, id: LoopId) -> bool {
        self.loops.get(&id).is_some_and(|at| {
            at.initialised.contains(local.index())
                && !at.changes.contains_key(&local)
                && !self.usage.mutably_borrowed[local.index()]
        })
    }
}

/// Analyses a function. `program` holds its possible callees.
pub(crate) fn flow(typed: &TypedFunction, program: &[TypedFunction]) -> Flow {
    let function = &typed.instance.function;
    let locals = function.locals.len();
    let mut entry = FixedBitSet::with_capacity(locals);
    entry.extend(function.params.iter().map(|param| param.index()));
    let mut walk = Walk {
        typed,
        program,
        state: Some(entry),
        breaks: LiteMap::new(),
        open: Vec::new(),
        flow: Flow { usage: usage(typed, program), uninitialised: Vec::new(), loops: LiteMap::new() },
    };
    if function.foreign.is_none() {
        walk.block(&function.body);
    }
    walk.flow
}

/// The set of initialised variables; `None` in unreachable code.
type State = Option<FixedBitSet>;

/// Joins the states of two predecessors.
fn join(into: &mut State, other: State) {
    match (into.as_mut(), other) {
        (Some(into), Some(other)) => into.intersect_with(&other),
        (None, other) => *into = other,
        (Some(_), None) => {}
    }
}

struct Walk<'s> {
    typed: &'s TypedFunction,
    program: &'s [TypedFunction],
    state: State,
    /// The join of the states at the `break`s of each enclosing loop and labelled block.
    breaks: LiteMap<LoopId, State>,
    /// The changes counted so far in each enclosing loop.
    open: Vec<LiteMap<LocalId, usize>>,
    flow: Flow,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern, init, span: _ } => {
                    if let Some(init) = init {
                        self.expr(*init);
                    }
                    let initialised = init.is_some();
                    pattern.for_each_local(&mut |local| self.declare(local, initialised));
                }
                Stmt::Expr(id) => self.expr(*id),
            }
        }
        self.optional(block.tail);
    }

    /// Declares a variable, with or without an initialiser.
    fn declare(&mut self, local: LocalId, initialised: bool) {
        if let Some(state) = &mut self.state {
            state.set(local.index(), initialised);
        }
        self.change(local);
    }

    fn change(&mut self, local: LocalId) {
        for changes in &mut self.open {
            *changes.entry(local).or_default() += 1;
        }
    }

    fn optional(&mut self, id: Option<ExprId>) {
        if let Some(id) = id {
            self.expr(id);
        }
    }

    /// Transfer function of an expression.
    #[expect(clippy::too_many_lines, reason = "one arm per kind of expression")]
    fn expr(&mut self, id: ExprId) {
        if !self.typed.is_reachable(id) {
            return;
        }
        let kind = &self.typed.instance.function.expr(id).kind;
        match kind {
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                if let Some(decided) = self.typed.constant_bool(*condition) {
                    return match (decided, otherwise) {
                        (true, _) => self.block(then),
                        (false, Some(otherwise)) => self.expr(*otherwise),
                        (false, None) => {}
                    };
                }
                let fails = self.condition(*condition);
                self.block(then);
                let after = std::mem::replace(&mut self.state, fails);
                self.optional(*otherwise);
                join(&mut self.state, after);
            }
            ExprKind::Logical { .. } => {
                let fails = self.condition(id);
                join(&mut self.state, fails);
            }
            ExprKind::Local(local) => {
                if self.state.as_ref().is_some_and(|state| !state.contains(local.index())) {
                    self.flow.uninitialised.push(id);
                }
            }
            ExprKind::Match { scrutinee, arms } => self.match_(*scrutinee, arms),
            ExprKind::Labelled { id, body } => {
                self.breaks.insert(*id, None);
                self.block(body);
                let breaks = self.breaks.remove(id).flatten();
                join(&mut self.state, breaks);
            }
            ExprKind::Loop { id, body, unroll: _ } => {
                self.repeated(*id, |this| {
                    this.block(body);
                    None
                });
            }
            ExprKind::While { id, condition, body, unroll: _ } => {
                self.repeated(*id, |this| {
                    let end = this.condition(*condition);
                    this.block(body);
                    end
                });
            }
            ExprKind::For { id, sequence, body, unroll: _ } => {
                sequence.for_each_child(&mut |bound| self.expr(bound));
                self.access(kind);
                self.repeated(*id, |this| {
                    let end = this.state.clone();
                    sequence.for_each_local(&mut |local| this.declare(local, true));
                    if let Sequence::Elements { .. } = sequence {
                        this.access(kind);
                    }
                    this.block(body);
                    end
                });
            }
            ExprKind::Break { target, value } => {
                self.optional(*value);
                let state = self.state.take();
                if let Some(end) = self.breaks.get_mut(target) {
                    join(end, state);
                }
            }
            ExprKind::Continue { target: _ } => self.state = None,
            ExprKind::Return(value) => {
                self.optional(*value);
                self.state = None;
            }
            ExprKind::Assign { place, value } | ExprKind::AssignOp { op: _, place, value, operator: _ } => {
                self.expr(*value);
                // An assignment to a whole variable does not read it.
                if !matches!(self.typed.instance.function.expr(*place).kind, ExprKind::Local(_)) {
                    self.expr(*place);
                }
                self.access(kind);
            }
            ExprKind::Literal { .. }
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Call { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Deref(_)
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => {
                kind.for_each_child(&mut |child| self.expr(child));
                self.access(kind);
                if *self.typed.expr_type(id) == Type::Never {
                    self.state = None;
                }
            }
        }
    }

    /// Transfer function of a condition: the current state becomes the state if it is true; returns the state if it is
    /// false.
    fn condition(&mut self, id: ExprId) -> State {
        if let Some(decided) = self.typed.constant_bool(id) {
            return if decided { None } else { self.state.take() };
        }
        match &self.typed.instance.function.expr(id).kind {
            ExprKind::Logical { op: LogicalOp::And, left, right } => {
                let mut fails = self.condition(*left);
                let right_fails = self.condition(*right);
                join(&mut fails, right_fails);
                fails
            }
            ExprKind::Logical { op: LogicalOp::Or, left, right } => {
                let fails = self.condition(*left);
                let holds = std::mem::replace(&mut self.state, fails);
                let fails = self.condition(*right);
                join(&mut self.state, holds);
                fails
            }
            ExprKind::Unary { op: UnaryOp::Not, operand, operator: _ } if *self.typed.expr_type(id) == Type::BOOL => {
                let fails = self.condition(*operand);
                std::mem::replace(&mut self.state, fails)
            }
            _ => {
                self.expr(id);
                self.state.clone()
            }
        }
    }

    /// Applies the accesses of an expression whose operands have been evaluated.
    fn access(&mut self, kind: &ExprKind) {
        let mut assigned = Vec::new();
        let mut changed = Vec::new();
        for_each_access(self.typed, self.program, kind, &mut |local, access| match access {
            VariableUse::Assigned => {
                assigned.push(local);
                changed.push(local);
            }
            // A borrow requires an initialised variable and does not initialise one.
            VariableUse::Borrowed { mutable } => changed.extend(mutable.then_some(local)),
        });
        if let Some(state) = &mut self.state {
            state.extend(assigned.iter().map(|local| local.index()));
        }
        for local in changed {
            self.change(local);
        }
    }

    fn match_(&mut self, scrutinee: ExprId, arms: &[Arm]) {
        self.expr(scrutinee);
        let before = self.state.clone();
        let mut after = None;
        for Arm { pattern, guard, body } in arms {
            if !self.typed.is_reachable(*body) {
                continue;
            }
            self.state.clone_from(&before);
            pattern.for_each_local(&mut |local| self.declare(local, true));
            if let Some(guard) = guard {
                self.condition(*guard);
            }
            self.expr(*body);
            join(&mut after, self.state.take());
        }
        self.state = after;
    }

    /// Analyses a loop. `iteration` evaluates one iteration and returns the state in which the loop exits without a
    /// `break`.
    fn repeated(&mut self, id: LoopId, iteration: impl FnOnce(&mut Self) -> State) {
        // Unreachable loops are never queried.
        let initialised = self.state.clone().unwrap_or_default();
        self.breaks.insert(id, None);
        self.open.push(LiteMap::new());
        let end = iteration(self);
        self.state = end;
        let breaks = self.breaks.remove(&id).flatten();
        join(&mut self.state, breaks);
        if let Some(changes) = self.open.pop() {
            self.flow.loops.insert(id, Loop { initialised, changes });
        }
    }
}
