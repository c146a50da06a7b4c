//! The prover: derives the condition on a launch under which a polynomial is not negative.
//!
//! The atoms that threads or iterations disagree about are eliminated one by one, the most recent first, since the
//! bounds of an atom are polynomials of earlier atoms. Let `p = c * a + r`. If `c >= 0` and `s * a >= b` with `s >= 1`,
//! then `s * p >= c * b + s * r`, and since `p` is an integer, `c * b + s * r + s - 1 >= 0` implies `p >= 0`. If
//! `c <= 0`, the same holds for an upper bound. What remains is a polynomial of launch symbols, a condition that the host
//! evaluates at a launch.
//!
//! There may be several bounds for an atom; any that leads to a proof will do, so the result is a disjunction.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::atoms::{AtomInfo, Atoms, Bound, Case, Fact, Range, Uniform};
use super::condition::{Condition, Conditions, Formula};
use super::poly::{Atom, Poly};
use super::symbol::LaunchSymbol;

/// The maximum number of eliminations for one obligation: twice those of the longest searches that have succeeded in the library
/// and its examples. A proof without a condition may be found late, after all alternatives of an earlier step.
const FUEL: usize = 800;

/// The maximum effort for all obligations of a program, in comparisons with facts. Checks that it does not suffice for are
/// kept.
pub(super) const BUDGET: usize = 300_000;

/// The maximum depth of nested eliminations.
const DEPTH: usize = 12;

/// The maximum number of threads of a block.
const MAX_BLOCK: i128 = 1024;

/// The depth that an elimination of an atom other than the innermost one counts for.
const FACT_DEPTH: usize = 4;

/// A condition that needs a number of this magnitude from a launch is not worth a test: `x[i]` with an `i: u32` from
/// memory would ask for arrays of 2^32 elements.
const IMPLAUSIBLE: i128 = 1 << 24;

/// The facts in scope.
pub(super) type Facts = Vec<Rc<Fact>>;

/// The knowledge about a program's values.
pub(super) struct Domain {
    pub(super) atoms: Atoms,
    pub(super) conditions: Conditions,
    /// The atoms that stand for an operation on given operands.
    pub(super) operations: FxHashMap<(Operation, Poly, Poly), Atom>,
    pub(super) symbols: FxHashMap<LaunchSymbol, Atom>,
    /// The symbols whose ranges are assumed, and verified at a launch.
    pub(super) assumed: Vec<(Atom, LaunchSymbol, Range)>,
    /// The magnitude up to which numbers of type `usize` are assumed to be.
    pub(super) extent: i128,
    /// Whether the first condition will do that fails only for absurd numbers.
    pub(super) hasty: bool,
    fuel: usize,
    pub(super) budget: usize,
    /// The memory of the last search, for the next one.
    known: Known,
    /// Whether the first condition, a comparison, implies the second one.
    implications: FxHashMap<(Condition, Condition), bool>,
}

/// Alternatives, or the parts of a conjunction.
type Ways = SmallVec<[Condition; 8]>;

/// The conditions of the polynomials in a search, all with the same facts in scope.
type Known = FxHashMap<Poly, Condition>;

/// An operation whose result is an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Quotient,
    Remainder,
    /// The wrapped value of a type with this width and signedness.
    Wrapped(u32, bool),
    Min,
    Max,
}

impl Domain {
    pub(super) fn new(extent: i128) -> Domain {
        Domain {
            atoms: Atoms::default(),
            conditions: Conditions::new(),
            operations: FxHashMap::default(),
            symbols: FxHashMap::default(),
            assumed: Vec::new(),
            extent,
            hasty: false,
            fuel: 0,
            budget: BUDGET,
            known: Known::default(),
            implications: FxHashMap::default(),
        }
    }

    /// Returns a condition that implies `poly >= 0` wherever the facts hold.
    pub(super) fn prove(&mut self, poly: &Poly, facts: &Facts) -> Condition {
        self.fuel = FUEL;
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        let condition = self.nonnegative(poly, facts, DEPTH, &mut known);
        self.known = known;
        condition
    }

    /// Like [`Domain::prove`], for an arithmetic result that may be unknown.
    pub(super) fn prove_some(&mut self, poly: Option<Poly>, facts: &Facts) -> Condition {
        poly.map_or(Condition::FALSE, |poly| self.prove(&poly, facts))
    }

    /// Returns a condition that implies that a value is in a range.
    pub(super) fn prove_within(&mut self, poly: &Poly, range: Range, facts: &Facts) -> Condition {
        let (lo, hi) = self.atoms.interval(poly);
        let above = match lo {
            Some(lo) if lo >= range.lo => Condition::TRUE,
            _ => self.prove_some(poly.offset(-range.lo), facts),
        };
        if above == Condition::FALSE {
            return above;
        }
        let below = match hi {
            Some(hi) if hi <= range.hi => Condition::TRUE,
            _ => self.prove_some(Poly::constant(range.hi).sub(poly), facts),
        };
        self.all([above, below])
    }

    /// Returns the conjunction of conditions, without those that others imply.
    pub(super) fn all(&mut self, conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut parts: Ways = conditions.into_iter().collect();
        self.prune(&mut parts, false);
        self.conditions.all(parts)
    }

    /// Returns a condition that implies one of several alternatives, without those that imply others.
    fn choose(&mut self, mut ways: Ways) -> Condition {
        ways.retain(|way| *way != Condition::FALSE);
        match ways.as_slice() {
            [] => return Condition::FALSE,
            [way] => return *way,
            [..] => {}
        }
        let mut alternatives = Ways::new();
        for way in ways {
            match self.conditions.get(way) {
                Formula::Any(parts) => alternatives.extend_from_slice(parts),
                _ => alternatives.push(way),
            }
        }
        self.prune(&mut alternatives, true);
        let Domain { atoms, conditions, .. } = self;
        conditions.choose(alternatives, |poly| atoms.is_plausible(poly))
    }

    /// Removes the comparisons that imply others, or that others imply.
    fn prune(&mut self, conditions: &mut Ways, stronger: bool) {
        if conditions.len() < 2 {
            return;
        }
        let mut at = 0;
        while at < conditions.len() {
            let own = conditions[at];
            let is_redundant = (0..conditions.len()).any(|other| {
                let (strong, weak) = if stronger { (own, conditions[other]) } else { (conditions[other], own) };
                other != at && self.implies(strong, weak)
            });
            if is_redundant {
                conditions.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Returns whether the ranges of the atoms alone show that a comparison implies another one.
    fn implies(&mut self, condition: Condition, other: Condition) -> bool {
        let Domain { atoms, conditions, implications, .. } = self;
        let (Formula::NonNegative(poly), Formula::NonNegative(of_other)) =
            (conditions.get(condition), conditions.get(other))
        else {
            return false;
        };
        // `poly >= 0` implies `of_other >= 0` if the difference is not negative.
        *implications.entry((condition, other)).or_insert_with(|| atoms.is_at_least(of_other, poly))
    }

    fn nonnegative(&mut self, poly: &Poly, facts: &Facts, depth: usize, known: &mut Known) -> Condition {
        let (lo, hi) = self.atoms.interval(poly);
        if lo.is_some_and(|lo| lo >= 0) {
            return Condition::TRUE;
        }
        if hi.is_some_and(|hi| hi < 0) || depth == 0 || self.fuel == 0 || self.budget == 0 {
            return Condition::FALSE;
        }
        if let Some(condition) = known.get(poly) {
            return *condition;
        }
        self.fuel -= 1;
        self.budget = self.budget.saturating_sub(10 + facts.len());
        // A fact that is at most the polynomial.
        let mut ways = Ways::new();
        let innermost = self.atoms.innermost(poly);
        for fact in facts.iter().rev() {
            if self.atoms.innermost_of(fact) == innermost && self.atoms.is_at_least(poly, &fact.poly) {
                ways.push(fact.when);
                if fact.when == Condition::TRUE {
                    break;
                }
            }
        }
        let way = match innermost {
            _ if ways.contains(&Condition::TRUE) => Condition::TRUE,
            None => self.at_launch(poly, facts),
            Some(atom) => match self.eliminate(poly, atom, facts, depth, known) {
                Condition::TRUE => Condition::TRUE,
                way if self.suffices(way) => way,
                way => {
                    // A longer search would find only weaker alternatives to a condition that launches are expected to meet.
                    let depth = if self.is_expected(way) { depth.min(FACT_DEPTH + 1) } else { depth };
                    let related = self.by_facts(poly, atom, facts, depth, known);
                    self.choose(smallvec![way, related])
                }
            },
        };
        ways.push(way);
        let condition = self.choose(ways);
        known.insert(poly.clone(), condition);
        condition
    }

    /// Returns whether the search for other conditions ends.
    fn suffices(&self, way: Condition) -> bool {
        self.hasty && self.conditions.is_likely(way, 1 << 30)
    }

    /// Returns whether launches are expected that meet a condition, whatever the size of the problem and of the block:
    /// `a.len() >= n * n`, but not `n >= n / 2 + 30`, nor `block_dim().x <= 64`.
    fn is_expected(&self, way: Condition) -> bool {
        let Domain { atoms, conditions, .. } = self;
        conditions.is_plausible(way, &|poly| {
            let is_relation = poly.terms().iter().any(|(monomial, factor)| *factor > 0 && !monomial.is_empty());
            let constant = poly.constant_term();
            (constant >= MAX_BLOCK || (is_relation && constant >= -1)) && atoms.is_plausible(poly)
        })
    }

    /// Returns the condition that a polynomial of uniform atoms is not negative.
    fn at_launch(&mut self, poly: &Poly, facts: &Facts) -> Condition {
        // Uniform facts: `if n > 4 { .. }`. One that is a part of the polynomial leaves a simpler condition.
        let mut ways = Ways::new();
        if poly.terms().iter().all(|(_, coefficient)| *coefficient > -IMPLAUSIBLE) {
            ways.push(self.conditions.add(Formula::NonNegative(poly.clone())));
        }
        // At the entry of a loop, the polynomial can be computed itself.
        if self.atoms.entry.is_some() {
            return self.choose(ways);
        }
        for fact in facts.iter().rev().take(32) {
            if self.atoms.innermost_of(fact).is_none()
                && fact.poly.terms().len() > 1
                && let Some(rest) = poly.sub(&fact.poly)
                && rest.terms().len() < poly.terms().len()
                && rest.terms().iter().all(|(_, coefficient)| *coefficient > -IMPLAUSIBLE)
            {
                let rest = self.conditions.add(Formula::NonNegative(rest));
                ways.push(self.all([rest, fact.when]));
            }
        }
        self.choose(ways)
    }

    fn eliminate(&mut self, poly: &Poly, atom: Atom, facts: &Facts, depth: usize, known: &mut Known) -> Condition {
        let mut ways = Ways::new();
        if !self.atoms.get(atom).cases.is_empty() {
            let cases = self.atoms.get(atom).cases.clone();
            let way = self.by_cases(poly, atom, &cases, facts, depth);
            if way == Condition::TRUE {
                return way;
            }
            ways.push(way);
        }
        if let Some((coefficient, rest)) = poly.split(atom) {
            let (up, down) = (self.atoms.is_nonnegative(&coefficient), self.atoms.is_nonpositive(&coefficient));
            if up || down {
                ways.push(self.by_bounds(atom, &coefficient, &rest, up, facts, depth, known));
            } else if self.atoms.is_uniform_poly(&coefficient) {
                // The sign of the coefficient is known at a launch.
                for (up, sign) in [(true, Some(coefficient.clone())), (false, coefficient.clone().negated())] {
                    let Some(sign) = sign else { continue };
                    let sign = self.conditions.add(Formula::NonNegative(sign));
                    let way = self.by_bounds(atom, &coefficient, &rest, up, facts, depth, known);
                    ways.push(self.all([sign, way]));
                }
            }
        }
        self.choose(ways)
    }

    /// Eliminates an atom other than the innermost one by a fact that relates it to others: `lo < hi`. Such a step need
    /// not lead to earlier atoms, so that only few follow each other.
    fn by_facts(&mut self, poly: &Poly, innermost: Atom, facts: &Facts, depth: usize, known: &mut Known) -> Condition {
        let Some(depth) = depth.checked_sub(FACT_DEPTH) else { return Condition::FALSE };
        let mut atoms: Vec<Atom> = poly.atoms().filter(|atom| !self.atoms.is_uniform(*atom)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let mut ways = Ways::new();
        for atom in atoms {
            let Some((coefficient, rest)) = poly.split(atom).filter(|_| atom != innermost) else { continue };
            let lower = match (self.atoms.is_nonnegative(&coefficient), self.atoms.is_nonpositive(&coefficient)) {
                (true, _) => true,
                (_, true) => false,
                _ => continue,
            };
            let relevant = facts.iter().rev().filter(|fact| self.atoms.innermost_of(fact) > Some(atom));
            for fact in relevant.take(16).collect::<SmallVec<[_; 16]>>() {
                let Some(bound) = self.atoms.bound_by(fact, atom, lower) else { continue };
                let way = self.by_bound(bound, &coefficient, &rest, facts, depth, known);
                if way == Condition::TRUE {
                    return way;
                }
                ways.push(way);
            }
        }
        self.choose(ways)
    }

    fn by_cases(&mut self, poly: &Poly, atom: Atom, cases: &[Case], facts: &Facts, depth: usize) -> Condition {
        let mut every = Ways::new();
        for Case { value, facts: own } in cases {
            let Some(poly) = poly.substitute(atom, value) else { return Condition::FALSE };
            let mut facts = facts.clone();
            facts.extend(own.iter().cloned());
            // Other facts are in scope than those that `known` belongs to.
            let condition = self.nonnegative(&poly, &facts, depth - 1, &mut Known::default());
            if condition != Condition::TRUE && self.is_impossible(own, &facts) {
                continue;
            }
            if condition == Condition::FALSE {
                return condition;
            }
            every.push(condition);
        }
        self.all(every)
    }

    /// Returns whether some facts contradict others: a sum of two numbers that are not negative would be negative.
    fn is_impossible(&self, own: &[Rc<Fact>], facts: &Facts) -> bool {
        let is_certain = |fact: &&Rc<Fact>| fact.when == Condition::TRUE;
        own.iter().filter(is_certain).any(|one| {
            let innermost = self.atoms.innermost_of(one);
            let related = facts.iter().filter(|other| self.atoms.innermost_of(other) == innermost).filter(is_certain);
            let mut sums = related.filter_map(|other| one.poly.add(&other.poly));
            sums.any(|sum| self.atoms.interval(&sum).1.is_some_and(|hi| hi < 0))
        })
    }

    #[expect(clippy::too_many_arguments, reason = "one step of a search")]
    fn by_bounds(
        &mut self,
        atom: Atom,
        coefficient: &Poly,
        rest: &Poly,
        lower: bool,
        facts: &Facts,
        depth: usize,
        known: &mut Known,
    ) -> Condition {
        let mut ways = Ways::new();
        let mut bounds = self.bounds(atom, lower, facts);
        // Constants and guards before earlier checks, which lead to products of unrelated lengths, and to long searches.
        bounds.sort_by_key(|bound| bound.limit.terms().len());
        for bound in bounds {
            let way = self.by_bound(&bound, coefficient, rest, facts, depth, known);
            if way == Condition::TRUE {
                return way;
            }
            ways.push(way);
            if self.suffices(way) {
                break;
            }
        }
        self.choose(ways)
    }

    /// Replaces an atom by one of its bounds.
    fn by_bound(
        &mut self,
        Bound { scale, limit, when }: &Bound,
        coefficient: &Poly,
        rest: &Poly,
        facts: &Facts,
        depth: usize,
        known: &mut Known,
    ) -> Condition {
        let reduced = match (coefficient.as_constant(), scale.as_constant()) {
            (Some(factor), Some(1)) => rest.plus(factor, limit),
            _ => match coefficient.quotient(scale) {
                Some(factor) => factor.mul(limit).and_then(|scaled| scaled.add(rest)),
                None => scaled(coefficient, scale, limit, rest),
            },
        };
        let Some(reduced) = reduced else { return Condition::FALSE };
        let way = self.nonnegative(&reduced, facts, depth.saturating_sub(1), known);
        self.all([way, *when])
    }

    /// Returns the lower or the upper bounds of an atom, those of the facts first.
    fn bounds(&self, atom: Atom, lower: bool, facts: &Facts) -> SmallVec<[Rc<Bound>; 8]> {
        let mut bounds = SmallVec::new();
        for fact in facts.iter().rev() {
            if self.atoms.innermost_of(fact) == Some(atom)
                && let Some(bound) = self.atoms.bound_by(fact, atom, lower)
            {
                bounds.push(Rc::clone(bound));
            }
        }
        let AtomInfo { range, lower: below, upper: above, .. } = self.atoms.get(atom);
        bounds.extend(if lower { below } else { above }.iter().cloned());
        let limit = if lower { range.lo } else { range.hi };
        // A bound that is never worse than the range.
        let is_better = |bound: &Rc<Bound>| {
            let Bound { scale, limit: of, when } = &**bound;
            let (lo, hi) = self.atoms.interval(of);
            let better = if lower { lo.is_some_and(|lo| lo >= limit) } else { hi.is_some_and(|hi| hi <= limit) };
            *when == Condition::TRUE && scale.as_constant() == Some(1) && better
        };
        if !if lower { below } else { above }.iter().any(is_better) {
            bounds.push(Bound::new(Poly::constant(limit)));
        }
        bounds
    }

    /// Returns the atom for the value of a type with this range that equals `poly` modulo the type's width.
    pub(super) fn wrapped(&mut self, poly: &Poly, (bits, signed): (u32, bool), range: Range) -> Atom {
        let key = (Operation::Wrapped(bits, signed), poly.clone(), Poly::default());
        if let Some(atom) = self.operations.get(&key) {
            return *atom;
        }
        let uniform = self.atoms.is_uniform_poly(poly).then(|| Uniform::Wrapped { poly: poly.clone(), bits, signed });
        let info = AtomInfo { uniform, ..AtomInfo::of(range) };
        let atom = self.atoms.add(info);
        self.operations.insert(key, atom);
        atom
    }

    /// Returns the quotient, rounded down, of two numbers of which the first is not negative and the second positive.
    pub(super) fn quotient(&mut self, dividend: &Poly, divisor: &Poly) -> Option<Poly> {
        if divisor.as_constant() == Some(1) {
            return Some(dividend.clone());
        }
        if let (Some(dividend), Some(divisor)) = (dividend.as_constant(), divisor.as_constant()) {
            return (dividend >= 0 && divisor > 0).then(|| Poly::constant(dividend / divisor));
        }
        let key = (Operation::Quotient, dividend.clone(), divisor.clone());
        if let Some(atom) = self.operations.get(&key) {
            return Some(Poly::atom(*atom));
        }
        let (least, most) = (self.atoms.interval(divisor).0.unwrap_or(1).max(1), self.atoms.interval(dividend).1);
        if most.is_some_and(|most| most < least) {
            return Some(Poly::default());
        }
        let range =
            Range::new(0, most.map_or(i128::from(u64::MAX), |most| (most / least).clamp(0, i128::from(u64::MAX))));
        let uniform = (self.atoms.is_uniform_poly(dividend) && self.atoms.is_uniform_poly(divisor))
            .then(|| Uniform::Quotient(dividend.clone(), divisor.clone()));
        let bound = |limit: Poly| Rc::new(Bound { scale: divisor.clone(), limit, when: Condition::TRUE });
        let least = dividend.sub(divisor)?.offset(1)?;
        let (lower, upper) = (vec![bound(least)], vec![bound(dividend.clone())]);
        let atom = self.atoms.add(AtomInfo { uniform, lower, upper, ..AtomInfo::of(range) });
        self.operations.insert(key, atom);
        Some(Poly::atom(atom))
    }

    /// Returns the smaller or the greater of two numbers.
    pub(super) fn extreme(&mut self, least: bool, left: &Poly, right: &Poly) -> Option<Poly> {
        let operation = if least { Operation::Min } else { Operation::Max };
        let key = (operation, left.clone(), right.clone());
        if let Some(atom) = self.operations.get(&key) {
            return Some(Poly::atom(*atom));
        }
        let fact = |poly: Poly| self.atoms.fact(poly, Condition::TRUE);
        let (up, down) = (fact(right.sub(left)?), fact(left.sub(right)?));
        let (of_left, of_right) = if least { (up, down) } else { (down, up) };
        let uniform = (self.atoms.is_uniform_poly(left) && self.atoms.is_uniform_poly(right)).then(|| {
            if least { Uniform::Min(left.clone(), right.clone()) } else { Uniform::Max(left.clone(), right.clone()) }
        });
        let (a, b) = (self.atoms.interval(left), self.atoms.interval(right));
        let pick = |a: Option<i128>, b: Option<i128>| if least { Some(a?.min(b?)) } else { Some(a?.max(b?)) };
        let range = Range::new(pick(a.0, b.0)?, pick(a.1, b.1)?);
        let bound = |limit: &Poly| Bound::new(limit.clone());
        let both = vec![bound(left), bound(right)];
        let (lower, upper) = if least { (Vec::new(), both) } else { (both, Vec::new()) };
        let cases = vec![
            Case { value: left.clone(), facts: vec![of_left] },
            Case { value: right.clone(), facts: vec![of_right] },
        ];
        let atom = self.atoms.add(AtomInfo { uniform, lower, upper, cases, ..AtomInfo::of(range) });
        self.operations.insert(key, atom);
        Some(Poly::atom(atom))
    }
}

fn scaled(coefficient: &Poly, scale: &Poly, bound: &Poly, rest: &Poly) -> Option<Poly> {
    coefficient.mul(bound)?.add(&scale.mul(rest)?)?.add(scale)?.offset(-1)
}
