//! Loops: the value of each counter in an iteration and after the loop, and invariants, which are assumed and then verified.

use std::rc::Rc;

use super::assigned::{Direction, Directions, collect_assigned, collect_outputs};
use super::join::{branches, extended};
use super::value::{Slot, Value};
use super::{Exits, State, Walk};
use crate::ir::Scalar;
use crate::lower::{CType, CallTarget, Expr, Header, Helper, Label, Next, Op, Operator, Stmt, StmtKind, VarId};
use crate::prove::atoms::{AtomInfo, Bound, Range};
use crate::prove::condition::Condition;
use crate::prove::poly::Poly;

/// The maximum number of iterations that are walked one by one.
const PEELED: usize = 16;

/// The maximum number of iterations of a program that are walked one by one, so that nested loops do not multiply.
const PEELED_IN_ALL: usize = 512;

/// The number of calls up to which iterations are walked one by one: the checks of a function that is called more often than
/// [`CALLS`](super::CALLS) stay, so that some calls have to be left for the rest of the program.
const CALLS_IN_PEELED: usize = 400;

impl<'m> Walk<'m> {
    /// Walks a loop.
    pub(super) fn loop_(&mut self, header: &'m Header, body: &'m [Stmt], next: Option<Label>, end: Option<Label>) {
        if self.state.is_none() {
            return;
        }
        if let Header::For { var, init, .. } = header {
            let value = self.value(init);
            self.define(*var, value);
        }
        if self.is_peelable(header, body)
            && let Header::Open { test: Some(test), .. } | Header::For { test, .. } = header
            && self.peel(header, test, body, next)
        {
            if let Some(end) = end {
                self.label(end);
            }
            return;
        }
        // The walk over a closed range: see `lower::range`.
        let walked =
            match header {
                Header::For {
                    next: Next::Assign(Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args)), ..
                } if matches!(op, Op::StepTo | Op::StepDown) => match args.as_slice() {
                    [Expr::Var(var), last, _] => Some((*var, last, *op == Op::StepDown)),
                    _ => None,
                },
                _ => None,
            };
        self.extreme_test(header);
        let mut directions = Directions::default();
        collect_assigned(body, &mut directions);
        match header {
            Header::For { var, next: Next::Increment, .. } => directions.note((*var).into(), Direction::Up),
            Header::For { var, next: Next::Decrement, .. } => directions.note((*var).into(), Direction::Down),
            Header::For { var, next: Next::Assign(value), .. } => {
                directions.assign((*var).into(), value);
                collect_outputs(value, &mut directions);
            }
            Header::Open { .. } | Header::Deferred(_) => {}
        }
        let walked = walked.and_then(|(var, last, down)| self.enter_walk(header, var, last, down, &directions));
        let stepped = self.stepped(header, &directions);
        let invariants = self.enter_iteration(&directions, walked.as_ref(), stepped.as_ref());
        let test = match header {
            Header::Open { test, progress: _ } => test.as_ref(),
            // Introduced later.
            Header::Deferred(_) => None,
            Header::For { test, .. } => Some(test),
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
            if walked.is_none() {
                self.step(header);
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
                state.vars[var.index()] = Rc::new(Value::Unknown);
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
        for Invariant { slot, number, bound, lower, scalar } in invariants {
            let mut every = Vec::new();
            for latch in latches.iter_mut() {
                let value = latch.vars[slot.var.index()].field(&slot.path).cloned();
                let Some(Value::Int { poly, scalar: _, exact }) = value else {
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

    /// Returns whether the analysis benefits from the exact values in each iteration, of which there may be few: `while width <
    /// 512 { ..; width *= 8; }`, `for k in 0..4 { .. 1 << k .. }`, `for width in [8, 64, 512] { .. }`.
    fn is_peelable(&mut self, header: &Header, body: &[Stmt]) -> bool {
        match header {
            Header::Open { test: Some(_), progress: _ } => {
                let mut assigned = body.iter().filter_map(|stmt| match &stmt.kind {
                    StmtKind::Update { place: Expr::Var(var), .. } | StmtKind::Assign { place: Expr::Var(var), .. } => {
                        Some(*var)
                    }
                    _ => None,
                });
                is_geometric(body) || assigned.any(|var| self.selects_by(var, body))
            }
            Header::For { var, test: Expr::Binary(Operator::Lt, _, end), next: Next::Increment, .. } => {
                let end = match &**end {
                    Expr::Literal(scalar, bits) => self.literal(*scalar, *bits),
                    Expr::Var(end) => self.read(*end),
                    _ => return false,
                };
                let constant = |bound: Value| match bound {
                    Value::Int { poly, exact: true, .. } => poly.as_constant(),
                    _ => None,
                };
                let (start, end) = (constant(self.read(*var)), constant(end));
                start.zip(end).is_some_and(|(start, end)| end - start <= PEELED as i128) && self.selects_by(*var, body)
            }
            _ => false,
        }
    }

    /// Returns whether statements shift by a variable, or index with it an array whose elements are known.
    fn selects_by(&self, by: VarId, stmts: &[Stmt]) -> bool {
        let depends = |expr: &Expr| {
            let mut found = false;
            expr.for_each(&mut |expr| found |= matches!(expr, Expr::Var(var) if *var == by));
            found
        };
        let is_known = |array: &Expr| match array {
            Expr::Var(var) => {
                self.state.as_ref().is_some_and(|state| matches!(*state.vars[var.index()], Value::Array(_)))
            }
            Expr::Constant(_) => true,
            _ => false,
        };
        stmts.iter().any(|stmt| {
            let mut found = false;
            stmt.for_each_expr(&mut |expr| {
                expr.for_each(&mut |expr| {
                    found |= match expr {
                        Expr::Binary(Operator::Shl | Operator::Shr, _, amount) => depends(amount),
                        Expr::Index(array, index) => is_known(array) && depends(index),
                        _ => false,
                    };
                });
            });
            found
        })
    }

    /// Walks the iterations of a loop one by one, if the values of the variables decide how many there are. Returns whether they
    /// do.
    fn peel(&mut self, header: &'m Header, test: &'m Expr, body: &'m [Stmt], next: Option<Label>) -> bool {
        let before = (self.state.clone(), self.pending.clone());
        let mut breaks = Vec::new();
        for _ in 0..=PEELED {
            if self.peeled >= PEELED_IN_ALL || self.calls >= CALLS_IN_PEELED {
                break;
            }
            self.peeled += 1;
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
            self.step(header);
        }
        (self.state, self.pending) = before;
        false
    }

    /// Advances the counter of a loop.
    fn step(&mut self, header: &'m Header) {
        let Header::For { var, next, .. } = header else { return };
        match next {
            Next::Increment => self.step_counter(*var, 1),
            Next::Decrement => self.step_counter(*var, -1),
            Next::Assign(value) => {
                let value = self.value(value);
                self.define(*var, value);
            }
        }
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
        if [var, *more].iter().any(|var| directions.times.get(&Slot::from(*var)) != Some(&1)) {
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
        let is_changed =
            |var: &VarId| directions.of.contains_key(&Slot::from(*var)) || self.frame.borrowed.contains(&var.0);
        let by = match next {
            Next::Increment => 1,
            Next::Assign(Expr::Call(CallTarget::Helper(Helper { op: Op::Step, .. }, _), args))
                if *op == Operator::Lt =>
            {
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
            && directions.times.get(&Slot::from(*var)) == Some(&1)
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
        for (slot, direction) in directions.slots() {
            let var = slot.var;
            let Some(state) = &self.state else { continue };
            let initial = state.vars[var.index()].field(&slot.path).unwrap_or(&Value::Unknown).clone();
            let scalar = match (&self.frame.function.vars[var.index()].ty, &initial) {
                (_, Value::Int { scalar, .. }) if !slot.path.is_empty() => *scalar,
                // Otherwise it is declared in the loop.
                (CType::Scalar(scalar), Value::Int { .. })
                    if scalar.is_integer() && !self.frame.borrowed.contains(&var.0) =>
                {
                    *scalar
                }
                _ => {
                    self.forget(slot);
                    continue;
                }
            };
            if let Some(Stepped { var: counter, start, by, least, most }) = stepped
                && Slot::from(*counter) == *slot
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
            let bound = |limit: &Poly, when| Bound::when(limit.clone(), when);
            match walked {
                Some((walked, bounds)) if Slot::from(*walked) == *slot => {
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
                                    slot: slot.clone(),
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
            if slot.path.is_empty() {
                self.bound_by_width(var, &mut lower, &mut upper);
            }
            let info = AtomInfo { lower, upper, ..AtomInfo::of(range) };
            let atom = self.domain.atoms.add(info);
            self.set(slot, Value::exact(Poly::atom(atom), scalar));
        }
        invariants
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

/// An assumption about a slot at the head of a loop: `slot >= bound`, or `slot <= bound`.
struct Invariant {
    slot: Slot,
    number: usize,
    bound: Poly,
    lower: bool,
    scalar: Scalar,
}

/// Returns whether a loop multiplies, divides or shifts a variable.
fn is_geometric(body: &[Stmt]) -> bool {
    let geometric = |op: &Operator| matches!(op, Operator::Mul | Operator::Div | Operator::Shl | Operator::Shr);
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Update { op, place: Expr::Var(_), value: Expr::Literal(..) } => geometric(op),
        StmtKind::Assign { place: Expr::Var(var), value } => match value {
            Expr::Binary(op, left, _) => geometric(op) && matches!(**left, Expr::Var(of) if of == *var),
            Expr::Call(CallTarget::Helper(Helper { op: Op::Mul | Op::WrappingMul | Op::Div, .. }, _), args) => {
                matches!(args.first(), Some(Expr::Var(of)) if of == var)
            }
            _ => false,
        },
        _ => false,
    })
}
