//! Conditions on a launch: formulas over polynomials of launch symbols.

use std::cell::Cell;
use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::poly::Poly;

/// A condition, an index into [`Conditions`]. Equal conditions have equal indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Condition(u32);

impl Condition {
    pub(super) const TRUE: Condition = Condition(0);
    pub(super) const FALSE: Condition = Condition(1);
}

/// The form of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    True,
    False,
    /// A polynomial of uniform atoms is not negative.
    NonNegative(Poly),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// An invariant of a loop, assumed at the loop's head: an index into [`Conditions::invariants`].
    Invariant(u32),
}

/// The maximum number of comparisons in a disjunction.
const SIZE: usize = 6;

/// The conditions of a program.
pub(super) struct Conditions {
    formulas: Vec<Formula>,
    /// The properties of each formula, which searches query repeatedly.
    properties: Vec<Properties>,
    ids: FxHashMap<Formula, Condition>,
    /// For each loop invariant, the condition for every iteration to preserve it. It may refer to invariants, also to
    /// itself: the invariants that hold are the greatest solution. This is sound by induction over the steps of an
    /// execution: the first step that violates an invariant would follow from facts that held before.
    pub(super) invariants: Vec<Condition>,
}

/// The properties of a condition that determine its rank among alternatives.
#[derive(Default)]
struct Properties {
    /// The number of comparisons.
    size: usize,
    /// Whether launches are expected that meet it, once [`Conditions::choose`] has asked.
    is_plausible: Cell<Option<bool>>,
}

impl Conditions {
    pub(super) fn new() -> Conditions {
        let formulas = vec![Formula::True, Formula::False];
        let ids = formulas.iter().cloned().zip([Condition::TRUE, Condition::FALSE]).collect();
        let properties = formulas.iter().map(|_| Properties::default()).collect();
        Conditions { formulas, properties, ids, invariants: Vec::new() }
    }

    pub(super) fn get(&self, condition: Condition) -> &Formula {
        &self.formulas[condition.0 as usize]
    }

    pub(super) fn add(&mut self, formula: Formula) -> Condition {
        if let Formula::NonNegative(poly) = &formula
            && let Some(number) = poly.as_constant()
        {
            return if number >= 0 { Condition::TRUE } else { Condition::FALSE };
        }
        if let Some(condition) = self.ids.get(&formula) {
            return *condition;
        }
        let condition = Condition(self.formulas.len() as u32);
        let size = match &formula {
            Formula::True | Formula::False | Formula::Invariant(_) => 0,
            Formula::NonNegative(_) => 1,
            Formula::All(parts) | Formula::Any(parts) => parts.iter().map(|part| self.size(*part)).sum(),
        };
        self.properties.push(Properties { size, is_plausible: Cell::new(None) });
        self.ids.insert(formula.clone(), condition);
        self.formulas.push(formula);
        condition
    }

    pub(super) fn all(&mut self, conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut parts: SmallVec<[Condition; 8]> = SmallVec::new();
        for condition in conditions {
            match self.get(condition) {
                Formula::True => {}
                Formula::False => return Condition::FALSE,
                Formula::All(inner) => parts.extend_from_slice(inner),
                _ => parts.push(condition),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => Condition::TRUE,
            [one] => *one,
            _ => self.add(Formula::All(parts.into_vec())),
        }
    }

    pub(super) fn any(&mut self, conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut parts: SmallVec<[Condition; 8]> = SmallVec::new();
        for condition in conditions {
            match self.get(condition) {
                Formula::False => {}
                Formula::True => return Condition::TRUE,
                Formula::Any(inner) => parts.extend_from_slice(inner),
                _ => parts.push(condition),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => Condition::FALSE,
            [one] => *one,
            _ => self.add(Formula::Any(parts.into_vec())),
        }
    }

    /// Returns a condition that implies one of several alternatives: as many of them, the plausible and the simplest first, as
    /// are worth their evaluation at a launch. `is_plausible` decides whether launches are expected in which a polynomial is
    /// not negative.
    pub(super) fn choose(
        &mut self,
        mut ways: SmallVec<[Condition; 8]>,
        is_plausible: impl Fn(&Poly) -> bool,
    ) -> Condition {
        ways.retain(|way| *way != Condition::FALSE);
        if ways.contains(&Condition::TRUE) {
            return Condition::TRUE;
        }
        ways.sort_by_key(|way| (!self.is_ranked_plausible(*way, &is_plausible), self.size(*way)));
        if let Some(way) = ways.iter().find(|way| self.is_likely(**way, 1 << 60)) {
            return *way;
        }
        let mut size = 0;
        ways.dedup();
        let kept: SmallVec<[Condition; 8]> = ways
            .into_iter()
            .take_while(|way| {
                let is_first = size == 0;
                size += self.size(*way);
                is_first || size <= SIZE
            })
            .collect();
        self.any(kept)
    }

    /// Returns whether launches are expected that meet a condition. `of` decides it for a polynomial.
    pub(super) fn is_plausible(&self, condition: Condition, of: &impl Fn(&Poly) -> bool) -> bool {
        match self.get(condition) {
            Formula::True | Formula::Invariant(_) => true,
            Formula::False => false,
            Formula::NonNegative(poly) => of(poly),
            Formula::All(parts) => parts.iter().all(|part| self.is_plausible(*part, of)),
            Formula::Any(parts) => parts.iter().any(|part| self.is_plausible(*part, of)),
        }
    }

    /// As [`Conditions::is_plausible`], which is asked only once of each condition: `of` has to be the same in each call.
    fn is_ranked_plausible(&self, condition: Condition, of: &impl Fn(&Poly) -> bool) -> bool {
        let known = &self.properties[condition.0 as usize].is_plausible;
        known.get().unwrap_or_else(|| {
            let is_plausible = self.is_plausible(condition, of);
            known.set(Some(is_plausible));
            is_plausible
        })
    }

    /// Returns the number of comparisons in a condition.
    fn size(&self, condition: Condition) -> usize {
        self.properties[condition.0 as usize].size
    }

    /// Returns the number of terms in a condition.
    pub(super) fn terms(&self, condition: Condition) -> usize {
        match self.get(condition) {
            Formula::True | Formula::False | Formula::Invariant(_) => 0,
            Formula::NonNegative(poly) => poly.terms().len(),
            Formula::All(parts) | Formula::Any(parts) => parts.iter().map(|part| self.terms(*part)).sum(),
        }
    }

    /// Returns whether a condition fails only for absurd numbers: that a product of lengths does not exceed a limit.
    pub(super) fn is_likely(&self, condition: Condition, limit: i128) -> bool {
        match self.get(condition) {
            Formula::True | Formula::Invariant(_) => true,
            Formula::False => false,
            Formula::NonNegative(poly) => poly.constant_term() >= limit,
            Formula::All(parts) => parts.iter().all(|part| self.is_likely(*part, limit)),
            Formula::Any(parts) => parts.iter().any(|part| self.is_likely(*part, limit)),
        }
    }

    /// Adds an invariant whose condition is determined at the end of the loop.
    pub(super) fn invariant(&mut self) -> (usize, Condition) {
        let number = self.invariants.len();
        self.invariants.push(Condition::FALSE);
        (number, self.add(Formula::Invariant(number as u32)))
    }

    /// Removes all parts that are constant once the invariants that cannot hold are known. Returns the simplified form
    /// of each condition asked for.
    pub(super) fn simplified(&mut self, asked: &[Condition]) -> Vec<Condition> {
        // The greatest solution, with every condition on a launch assumed to hold.
        let mut holds = vec![true; self.invariants.len()];
        loop {
            let next: Vec<bool> =
                self.invariants.iter().zip(&holds).map(|(by, now)| *now && self.possible(*by, &holds)).collect();
            if next == holds {
                break;
            }
            holds = next;
        }
        let invariants: Vec<Condition> = (0..self.invariants.len())
            .map(|number| if holds[number] { self.rebuilt(self.invariants[number], &holds) } else { Condition::FALSE })
            .collect();
        // An invariant that holds unconditionally, given the others that do, is no condition of a launch.
        let mut unconditional = holds.clone();
        loop {
            let next: Vec<bool> = (0..invariants.len())
                .map(|number| unconditional[number] && self.certain(invariants[number], &unconditional))
                .collect();
            if next == unconditional {
                break;
            }
            unconditional = next;
        }
        self.invariants = invariants;
        for (number, certain) in unconditional.iter().enumerate() {
            if *certain {
                self.invariants[number] = Condition::TRUE;
            }
        }
        let asked: Vec<Condition> = asked.iter().map(|condition| self.rebuilt(*condition, &holds)).collect();
        asked.into_iter().map(|condition| self.without(condition, &unconditional)).collect()
    }

    /// Returns an equivalent condition without invariants, unless it would be large.
    ///
    /// The greatest solution of a monotone equation `x = f(x)` of truth values is `f(true)`; of a system of them, it is
    /// computed for one unknown after the other (Bekić).
    pub(super) fn closed(&mut self, condition: Condition) -> Condition {
        let all = 0..self.invariants.len();
        self.closed_over(condition, &all).unwrap_or(condition)
    }

    /// As [`closed`](Conditions::closed), for a condition that is evaluated ahead of a loop: only the invariants in the range, which are
    /// those of the loop, and those that always hold, may hold. The condition of an invariant has to be the same in all iterations,
    /// and what precedes an inner loop changes in each iteration of an outer one. `None` if the condition is large.
    pub(super) fn closed_over(&mut self, condition: Condition, own: &Range<usize>) -> Option<Condition> {
        let mut steps = 500;
        self.expanded(condition, own, &mut Vec::new(), &mut steps)
    }

    fn expanded(
        &mut self,
        condition: Condition,
        own: &Range<usize>,
        open: &mut Vec<u32>,
        steps: &mut usize,
    ) -> Option<Condition> {
        *steps = steps.checked_sub(1)?;
        match self.get(condition).clone() {
            Formula::True | Formula::False | Formula::NonNegative(_) => Some(condition),
            Formula::Invariant(number) if self.invariants[number as usize] == Condition::TRUE => Some(Condition::TRUE),
            Formula::Invariant(number) if !own.contains(&(number as usize)) => Some(Condition::FALSE),
            Formula::Invariant(number) if open.contains(&number) => Some(Condition::TRUE),
            Formula::Invariant(number) => {
                open.push(number);
                let expanded = self.expanded(self.invariants[number as usize], own, open, steps);
                open.pop();
                expanded
            }
            Formula::All(parts) => {
                let parts: Option<Vec<_>> =
                    parts.into_iter().map(|part| self.expanded(part, own, open, steps)).collect();
                Some(self.all(parts?))
            }
            Formula::Any(parts) => {
                let parts: Option<Vec<_>> =
                    parts.into_iter().map(|part| self.expanded(part, own, open, steps)).collect();
                Some(self.any(parts?))
            }
        }
    }

    /// Returns the conjunction of conditions, without those that others imply. `implies` decides it for two polynomials
    /// that are not negative.
    pub(super) fn conjunction(
        &mut self,
        all: impl IntoIterator<Item = Condition>,
        implies: impl Fn(&Poly, &Poly) -> bool,
    ) -> Condition {
        let all = self.all(all);
        let Formula::All(parts) = self.get(all).clone() else { return all };
        let mut kept: Vec<Condition> = Vec::new();
        for (position, part) in parts.iter().enumerate() {
            let others = kept.iter().chain(&parts[position + 1..]);
            if !others.into_iter().any(|other| self.implied(*other, *part, &implies)) {
                kept.push(*part);
            }
        }
        self.all(kept)
    }

    /// Returns whether a condition is known to imply another one.
    fn implied(&self, by: Condition, condition: Condition, implies: &impl Fn(&Poly, &Poly) -> bool) -> bool {
        if by == condition {
            return true;
        }
        match (self.get(by), self.get(condition)) {
            (Formula::Any(parts), _) => parts.iter().all(|part| self.implied(*part, condition, implies)),
            (_, Formula::All(parts)) => parts.iter().all(|part| self.implied(by, *part, implies)),
            (Formula::All(parts), _) => parts.iter().any(|part| self.implied(*part, condition, implies)),
            (_, Formula::Any(parts)) => parts.iter().any(|part| self.implied(by, *part, implies)),
            (Formula::NonNegative(by), Formula::NonNegative(poly)) => implies(by, poly),
            _ => false,
        }
    }

    /// Drops the invariants, for conditions that do not refer to them.
    pub(super) fn without_invariants(&mut self, conditions: &[Condition]) {
        if !conditions.iter().any(|condition| self.refers_to_invariants(*condition)) {
            self.invariants.clear();
        }
    }

    fn refers_to_invariants(&self, condition: Condition) -> bool {
        match self.get(condition) {
            Formula::Invariant(_) => true,
            Formula::True | Formula::False | Formula::NonNegative(_) => false,
            Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| self.refers_to_invariants(*part)),
        }
    }

    fn possible(&self, condition: Condition, holds: &[bool]) -> bool {
        match self.get(condition) {
            Formula::True | Formula::NonNegative(_) => true,
            Formula::False => false,
            Formula::Invariant(number) => holds[*number as usize],
            Formula::All(parts) => parts.iter().all(|part| self.possible(*part, holds)),
            Formula::Any(parts) => parts.iter().any(|part| self.possible(*part, holds)),
        }
    }

    fn certain(&self, condition: Condition, unconditional: &[bool]) -> bool {
        match self.get(condition) {
            Formula::True => true,
            Formula::False | Formula::NonNegative(_) => false,
            Formula::Invariant(number) => unconditional[*number as usize],
            Formula::All(parts) => parts.iter().all(|part| self.certain(*part, unconditional)),
            Formula::Any(parts) => parts.iter().any(|part| self.certain(*part, unconditional)),
        }
    }

    /// Returns the condition with the invariants that cannot hold replaced by `False`.
    fn rebuilt(&mut self, condition: Condition, holds: &[bool]) -> Condition {
        match self.get(condition).clone() {
            Formula::Invariant(number) if !holds[number as usize] => Condition::FALSE,
            Formula::All(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.rebuilt(part, holds)).collect();
                self.all(parts)
            }
            Formula::Any(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.rebuilt(part, holds)).collect();
                self.any(parts)
            }
            Formula::True | Formula::False | Formula::NonNegative(_) | Formula::Invariant(_) => condition,
        }
    }

    /// Returns the condition with the invariants that always hold replaced by `True`.
    fn without(&mut self, condition: Condition, unconditional: &[bool]) -> Condition {
        match self.get(condition).clone() {
            Formula::Invariant(number) if unconditional[number as usize] => Condition::TRUE,
            Formula::All(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.without(part, unconditional)).collect();
                self.all(parts)
            }
            Formula::Any(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.without(part, unconditional)).collect();
                self.any(parts)
            }
            Formula::True | Formula::False | Formula::NonNegative(_) | Formula::Invariant(_) => condition,
        }
    }
}
