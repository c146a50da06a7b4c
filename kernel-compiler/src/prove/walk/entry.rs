//! The state at the entry of a loop whose checks are tested there: see [`loops`](crate::prove::loops).

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::Walk;
use super::value::Value;
use crate::lower::{Function, Header, Label, Stmt};
use crate::prove::atoms::Atoms;
use crate::prove::condition::Condition;

/// The executions of some loops.
pub(in crate::prove) struct Entries<'m> {
    candidates: HashSet<*const Header>,
    /// The loop that is being walked, if it is one of the candidates.
    open: Option<Visit<'m>>,
    pub(in crate::prove) visits: Vec<Visit<'m>>,
}

/// An execution of a loop: one for each call of its function, and for each iteration of an outer loop that is walked one by one.
pub(in crate::prove) struct Visit<'m> {
    pub(in crate::prove) header: *const Header,
    pub(in crate::prove) function: &'m Function,
    /// The values of the variables ahead of the loop.
    pub(in crate::prove) vars: Vec<Rc<Value>>,
    /// The numbers of the invariants that the walk of the loop assumes.
    pub(in crate::prove) invariants: Range<usize>,
    /// The conditions under which checks never fail, by their numbers. They refer to atoms that precede the loop.
    pub(in crate::prove) checks: Vec<(usize, Condition)>,
}

impl<'m> Entries<'m> {
    pub(in crate::prove) fn new(candidates: HashSet<*const Header>) -> Entries<'m> {
        Entries { candidates, open: None, visits: Vec::new() }
    }

    /// Notes the condition of a check in the loop that is being walked.
    pub(super) fn note(&mut self, check: usize, condition: Condition) {
        if let Some(visit) = &mut self.open {
            visit.checks.push((check, condition));
        }
    }
}

impl<'m> Walk<'m> {
    /// Walks a loop, and notes the state ahead of it if it is a candidate.
    pub(super) fn loop_at(&mut self, header: &'m Header, body: &'m [Stmt], next: Option<Label>, end: Option<Label>) {
        let is_candidate = |entries: &Entries<'m>| entries.candidates.contains(&std::ptr::from_ref(header));
        let (Some(state), true) = (&self.state, self.entries.as_ref().is_some_and(is_candidate)) else {
            return self.loop_(header, body, next, end);
        };
        let visit = Visit {
            header,
            function: self.frame.function,
            vars: state.vars.clone(),
            invariants: 0..0,
            checks: Vec::new(),
        };
        let Atoms { entry, .. } = self.domain.atoms;
        let first = self.domain.conditions.invariants.len();
        self.domain.atoms.entry = Some(self.domain.atoms.next());
        // A function that the loop calls may contain another one.
        let outer = self.entries.as_mut().and_then(|entries| entries.open.replace(visit));
        self.loop_(header, body, next, end);
        self.domain.atoms.entry = entry;
        let invariants = first..self.domain.conditions.invariants.len();
        if let Some(entries) = &mut self.entries {
            let visit = std::mem::replace(&mut entries.open, outer);
            entries.visits.extend(visit.map(|visit| Visit { invariants, ..visit }));
        }
    }
}
