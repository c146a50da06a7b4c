//! Joins of the states of several predecessors.

use std::rc::Rc;

use super::value::{Value, same};
use super::{State, Walk};
use crate::prove::atoms::{AtomInfo, Case, Fact, Range};
use crate::prove::condition::Condition;
use crate::prove::poly::Poly;
use crate::prove::prover::Facts;

/// The maximum number of predecessors whose values a join distinguishes.
const CASES: usize = 4;

impl Walk<'_> {
    /// Joins the states of several predecessors.
    pub(super) fn join(&mut self, mut states: Vec<State>) -> Option<State> {
        if states.len() < 2 {
            return states.pop();
        }
        let shared = common_prefix(&states.iter().map(|state| state.facts.as_slice()).collect::<Vec<_>>());
        let facts: Facts = states[0].facts[..shared].to_vec();
        let vars = (0..states[0].vars.len())
            .map(|var| {
                let first = &states[0].vars[var];
                if states.iter().all(|state| Rc::ptr_eq(&state.vars[var], first)) {
                    return first.clone();
                }
                let values: Vec<(&Value, &[Rc<Fact>])> =
                    states.iter().map(|state| (&*state.vars[var], &state.facts[shared..])).collect();
                Rc::new(self.joined(&values, &facts))
            })
            .collect();
        Some(State { vars, facts })
    }

    /// Returns the value that is one of several, each with the facts that hold where it is chosen.
    pub(in crate::prove) fn joined(&mut self, values: &[(&Value, &[Rc<Fact>])], shared: &Facts) -> Value {
        let Some(((first, _), others)) = values.split_first() else { return Value::Unknown };
        if others.iter().all(|(other, _)| same(first, other)) {
            return (*first).clone();
        }
        match first {
            Value::Unknown | Value::Array(_) => Value::Unknown,
            Value::Bool(_) => Value::Bool([0, 1].map(|holds| {
                // The facts of the only predecessor where the value is possible.
                let mut possible = values.iter().filter_map(|(value, own)| match value {
                    Value::Bool(facts) => facts[holds].as_ref().map(|facts| (facts.clone(), *own)),
                    Value::Unknown | Value::Int { .. } | Value::Struct(_) | Value::Array(_) => {
                        Some((Vec::new(), [].as_slice()))
                    }
                });
                let (mut facts, own) = possible.next()?;
                if possible.next().is_some() {
                    return Some(Vec::new());
                }
                facts.extend(own.iter().cloned());
                Some(facts)
            })),
            Value::Struct(fields) => self.joined_fields(fields, values, shared),
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

    /// Returns the struct that is one of several. A field with a different constant in each of them, such as the tag of an enum,
    /// decides which one it is.
    fn joined_fields(&mut self, first: &[(usize, Value)], values: &[(&Value, &[Rc<Fact>])], shared: &Facts) -> Value {
        let of = |position: usize| {
            values.iter().map(|(value, own)| Some((value.field(&[position])?, *own))).collect::<Option<Vec<_>>>()
        };
        let constants = |position: usize| {
            let constant = |value: &Value| match value {
                Value::Int { poly, scalar: _, exact: true } => poly.as_constant(),
                _ => None,
            };
            let constants: Vec<i128> = of(position)?.iter().map(|(value, _)| constant(value)).collect::<Option<_>>()?;
            let are_different = constants.iter().enumerate().all(|(at, one)| !constants[..at].contains(one));
            are_different.then_some(constants)
        };
        let tag = first.iter().find_map(|(position, _)| Some((*position, constants(*position)?)));
        let mut all: Vec<Facts> = values.iter().map(|(_, own)| own.to_vec()).collect();
        let mut fields = Vec::with_capacity(first.len());
        if let Some((position, constants)) = &tag
            && let Some(values) = of(*position)
        {
            let value = self.joined(&values, shared);
            if let Value::Int { poly, .. } = &value {
                for (facts, constant) in all.iter_mut().zip(constants) {
                    let difference = poly.offset(-constant);
                    let opposite = difference.clone().and_then(Poly::negated);
                    let equal = [difference, opposite].into_iter().flatten();
                    facts.extend(equal.map(|poly| self.domain.atoms.fact(poly, Condition::TRUE)));
                }
            }
            fields.push((*position, value));
        }
        for (position, _) in first {
            if tag.as_ref().is_some_and(|(tag, _)| tag == position) {
                continue;
            }
            let Some(values) = of(*position) else { return Value::Unknown };
            let values: Vec<(&Value, &[Rc<Fact>])> =
                values.iter().zip(&all).map(|((value, _), facts)| (*value, facts.as_slice())).collect();
            fields.push((*position, self.joined(&values, shared)));
        }
        fields.sort_by_key(|(position, _)| first.iter().position(|(of, _)| of == position));
        Value::Struct(fields.into())
    }
}

/// Returns the facts of a condition that is false, and those of one that is true.
pub(in crate::prove) fn branches(condition: &Value) -> [Option<Facts>; 2] {
    match condition {
        Value::Bool(facts) => facts.clone(),
        Value::Unknown | Value::Int { .. } | Value::Struct(_) | Value::Array(_) => [Some(Vec::new()), Some(Vec::new())],
    }
}

/// Returns a state with further facts.
pub(super) fn extended(state: &State, facts: &Facts) -> State {
    let mut state = state.clone();
    state.facts.extend(facts.iter().cloned());
    state
}

/// Returns the number of facts that all lists begin with.
fn common_prefix(all: &[&[Rc<Fact>]]) -> usize {
    let Some((first, others)) = all.split_first() else { return 0 };
    (0..first.len())
        .take_while(|i| others.iter().all(|other| other.get(*i).is_some_and(|fact| Rc::ptr_eq(fact, &first[*i]))))
        .count()
}
