//! The checks of a kernel: their kinds, and their conditions in the user's terms.

use std::fmt;

use super::atoms::Uniform;
use super::condition::{Condition, Formula};
use super::launch_condition::{Factor, LARGE, LaunchCondition, Relation, Sum, Term};
use super::loops::{Versions, versions};
use super::poly::{Atom, Monomial, Poly};
use super::prover::Domain;
use super::symbol::{LaunchSymbol, quantity};
use crate::lower::{Function, Module, Op};
use crate::set::Set;

/// The kind of a check, by the property that it tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CheckKind {
    /// An index is less than a length.
    Index,
    /// The ends of a sub-slice are in order and in bounds.
    Range,
    /// The result of an operation has a value in its type.
    Overflow,
    /// A divisor is not zero; for signed integers also that the quotient has a value in its type.
    Divisor,
    /// A shift amount is less than the number of bits.
    Shift,
    /// Any other argument is valid, such as the bounds of `clamp`.
    Argument,
}

impl CheckKind {
    /// Returns the kind of the checks of an operation; `None` if it fails for no launch that the host accepts.
    pub(super) fn of(op: Op) -> Option<CheckKind> {
        Some(match op {
            Op::At => CheckKind::Index,
            Op::PartLen | Op::RestLen | Op::PartToLen | Op::SplitAt => CheckKind::Range,
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::CheckedAbs => CheckKind::Overflow,
            Op::Div | Op::Rem | Op::DivCeil | Op::NextMultipleOf | Op::CheckedNextMultipleOf => CheckKind::Divisor,
            Op::ShiftAmount => CheckKind::Shift,
            // A launch that is not cooperative is rejected; the other never fails.
            Op::SyncGrid | Op::HasFaulted => return None,
            _ => CheckKind::Argument,
        })
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CheckKind::Index => "index",
            CheckKind::Range => "range",
            CheckKind::Overflow => "overflow",
            CheckKind::Divisor => "divisor",
            CheckKind::Shift => "shift",
            CheckKind::Argument => "argument",
        })
    }
}

/// The result of the analysis for a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It cannot fail.
    Always,
    /// It cannot fail in a launch for which this condition holds.
    AtLaunch(LaunchCondition),
    /// It is kept, because its operands depend on values in memory.
    DependsOnMemory,
    /// It is kept.
    Unknown,
}

/// A check, and the result of its proof.
pub(crate) struct Reported {
    /// The first site.
    pub(crate) site: u32,
    pub(crate) kind: CheckKind,
    pub(crate) proof: Proof,
    /// The group of the predicate that the check is in.
    pub(crate) group: Option<u32>,
    /// The symbols that the condition reads.
    pub(crate) symbols: Vec<LaunchSymbol>,
    /// Whether a test before a loop precedes the check: see `prove::loops`.
    pub(crate) tested: bool,
}

/// Returns the first sites of the checks that only one version of a loop has, which is entered if the test before the
/// loop fails.
pub(super) fn tested(module: &Module) -> Set<u32> {
    versions(module).iter().flat_map(Versions::sites).collect()
}

/// Translates the conditions of a kernel to the user's terms.
pub(super) struct Translation<'a> {
    pub(super) domain: &'a Domain,
    pub(super) kernel: &'a Function,
}

impl Translation<'_> {
    /// Returns the launch symbols that a condition reads, without duplicates.
    pub(super) fn symbols(&self, condition: Condition) -> Vec<LaunchSymbol> {
        let mut symbols = Vec::new();
        self.collect(condition, &mut symbols, 0);
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    fn collect(&self, condition: Condition, symbols: &mut Vec<LaunchSymbol>, depth: usize) {
        match self.domain.conditions.get(condition) {
            Formula::NonNegative(poly) => self.collect_of(poly, symbols),
            Formula::All(parts) | Formula::Any(parts) => {
                for part in parts {
                    self.collect(*part, symbols, depth);
                }
            }
            Formula::Invariant(number) if depth < 3 => {
                self.collect(self.domain.conditions.invariants[*number as usize], symbols, depth + 1);
            }
            Formula::True | Formula::False | Formula::Invariant(_) => {}
        }
    }

    fn collect_of(&self, poly: &Poly, symbols: &mut Vec<LaunchSymbol>) {
        for atom in poly.atoms() {
            match &self.domain.atoms.get(atom).uniform {
                Some(Uniform::Symbol(symbol)) => symbols.push(*symbol),
                Some(Uniform::Wrapped { poly, .. }) => self.collect_of(poly, symbols),
                Some(Uniform::Quotient(left, right) | Uniform::Min(left, right) | Uniform::Max(left, right)) => {
                    self.collect_of(left, symbols);
                    self.collect_of(right, symbols);
                }
                None => {}
            }
        }
    }

    pub(super) fn proof(&self, condition: Condition, loaded: bool) -> Proof {
        match self.domain.conditions.get(condition) {
            Formula::True => Proof::Always,
            Formula::False if loaded => Proof::DependsOnMemory,
            Formula::False => Proof::Unknown,
            _ => Proof::AtLaunch(self.condition(condition, 0)),
        }
    }

    fn condition(&self, condition: Condition, depth: usize) -> LaunchCondition {
        match self.domain.conditions.get(condition) {
            Formula::False => LaunchCondition::False,
            Formula::NonNegative(poly) => self.comparison(poly),
            Formula::All(parts) => {
                // The conditions on lengths come first, then those that numbers are not excessively large.
                let mut parts = parts.clone();
                parts.sort_by_key(|part| self.is_limit(*part));
                LaunchCondition::all(parts.into_iter().map(|part| self.condition(part, depth)).collect())
            }
            Formula::Any(parts) => {
                let parts = self.without_implied(parts).into_iter();
                let mut parts: Vec<_> = parts.map(|part| (part, self.condition(part, depth))).collect();
                // The plausible and the simplest one first.
                let Domain { conditions, atoms, .. } = &self.domain;
                let is_plausible =
                    |part: Condition| conditions.is_plausible(part, &|poly: &Poly| atoms.is_plausible(poly));
                parts.sort_by_cached_key(|(part, translated)| (!is_plausible(*part), translated.to_string().len()));
                LaunchCondition::any(parts.into_iter().map(|(_, translated)| translated).collect())
            }
            // The conditions of nested invariants may refer to each other.
            Formula::Invariant(number) if depth < 3 => {
                self.condition(self.domain.conditions.invariants[*number as usize], depth + 1)
            }
            Formula::True | Formula::Invariant(_) => LaunchCondition::True,
        }
    }

    /// Returns whether a condition compares with the limit of a type.
    fn is_limit(&self, condition: Condition) -> bool {
        match self.domain.conditions.get(condition) {
            Formula::NonNegative(poly) => poly.constant_term().unsigned_abs() >= LARGE,
            Formula::True | Formula::False | Formula::All(_) | Formula::Any(_) | Formula::Invariant(_) => false,
        }
    }

    /// Returns the alternatives without those that imply others: `a || (b && a)` is `a`, and `a || b || (c && (a || b))`
    /// is `a || b`.
    fn without_implied(&self, alternatives: &[Condition]) -> Vec<Condition> {
        let is_listed = |part: &Condition| {
            alternatives.contains(part)
                || matches!(self.domain.conditions.get(*part),
                    Formula::Any(inner) if inner.iter().all(|inner| alternatives.contains(inner)))
        };
        let is_implied = |alternative: &Condition| matches!(self.domain.conditions.get(*alternative), Formula::All(parts) if parts.iter().any(is_listed));
        alternatives.iter().copied().filter(|alternative| !is_implied(alternative)).collect()
    }

    /// `poly >= 0`, with the negative terms on the other side.
    fn comparison(&self, poly: &Poly) -> LaunchCondition {
        let (mut left, mut right) = (Poly::default(), Poly::default());
        for (monomial, coefficient) in poly.terms() {
            let mut term = Poly::constant(coefficient.abs());
            for atom in monomial.iter() {
                term = term.mul(&Poly::atom(atom)).unwrap_or_default();
            }
            let side = if *coefficient > 0 { &mut left } else { &mut right };
            *side = side.add(&term).unwrap_or_default();
        }
        let (from_left, from_right) = (left.constant_term(), right.constant_term());
        let is_limit = |constant: i128| constant.unsigned_abs() >= LARGE;
        let is_constant = |poly: &Poly| poly.terms().iter().all(|(monomial, _)| monomial.is_empty());
        // `a >= b + 1` is `a > b`, `1000 >= a` is `a <= 1000`, and `2^64 - 1 + b >= a` is `a < b + 2^64`.
        if is_limit(from_left) || is_constant(&left) {
            let strictly = left.offset(1).filter(|left| left.constant_term().count_ones() == 1 && is_limit(from_left));
            let relation = if strictly.is_some() { Relation::Less } else { Relation::LessOrEqual };
            LaunchCondition::Compare {
                left: self.sum(&right),
                relation,
                right: self.sum(strictly.as_ref().unwrap_or(&left)),
            }
        } else {
            let strictly = right.offset(-1).filter(|_| from_right == 1);
            let relation = if strictly.is_some() { Relation::Greater } else { Relation::GreaterOrEqual };
            LaunchCondition::Compare {
                left: self.sum(&left),
                relation,
                right: self.sum(strictly.as_ref().unwrap_or(&right)),
            }
        }
    }

    fn sum(&self, poly: &Poly) -> Sum {
        // The constant term is first, but is written last.
        let constants = poly.terms().iter().filter(|(monomial, _)| monomial.is_empty());
        let others = poly.terms().iter().filter(|(monomial, _)| !monomial.is_empty());
        let term = |(monomial, coefficient): &(Monomial, i128)| Term {
            coefficient: *coefficient,
            factors: monomial.iter().map(|atom| self.factor(atom)).collect(),
        };
        Sum(others.chain(constants).map(term).collect())
    }

    fn factor(&self, atom: Atom) -> Factor {
        match &self.domain.atoms.get(atom).uniform {
            Some(Uniform::Symbol(symbol)) => Factor::Quantity(quantity(self.kernel, *symbol)),
            Some(Uniform::Wrapped { poly, bits, signed }) => {
                Factor::Wrapping { sum: self.sum(poly), bits: *bits, signed: *signed }
            }
            Some(Uniform::Quotient(left, right)) => Factor::Quotient(self.sum(left), self.sum(right)),
            Some(Uniform::Min(left, right)) => Factor::Min(self.sum(left), self.sum(right)),
            Some(Uniform::Max(left, right)) => Factor::Max(self.sum(left), self.sum(right)),
            None => Factor::Unnamed,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::prove::{CheckKind, LaunchCondition, Proof};
    use crate::{Options, common};

    /// Checks the kinds and the proofs of the checks of a kernel, without those that cannot fail.
    #[track_caller]
    fn check(text: &str, overflow_checks: bool, expected: &[(CheckKind, &str)]) {
        let validated =
            crate::check(common::program(text, overflow_checks)).unwrap_or_else(|errors| panic!("{errors}"));
        let checks = crate::checks(&validated, &Options::default());
        let checks = checks.into_iter().filter(|check| check.proof != Proof::Always);
        let found: Vec<_> = checks.map(|check| (check.kind, condition(&check.proof))).collect();
        assert_eq!(found.iter().map(|(kind, text)| (*kind, text.as_str())).collect::<Vec<_>>(), expected);
    }

    #[track_caller]
    fn condition(proof: &Proof) -> String {
        let Proof::AtLaunch(condition) = proof else { panic!("{proof:?}") };
        condition.to_string()
    }

    #[test]
    fn constants_and_limits_are_on_the_right() {
        let text = "fn kernel(x: &mut [u32], n: usize, bits: u32) {
            x[4] = 1 << bits;
            x[n * n] = 0;
        }";
        let expected = [
            (CheckKind::Shift, "bits <= 31"),
            (CheckKind::Index, "x.len() >= 5"),
            (CheckKind::Overflow, "n * n < 2^64"),
            (CheckKind::Index, "x.len() > n * n || n * n <= 4"),
        ];
        check(text, true, &expected);
    }

    /// A check of which the walk knows nothing is kept, and not proved for every launch.
    #[test]
    fn operations_of_one_number() {
        let text = "fn kernel(x: &[i32], y: &mut [i32], z: &mut [u32], a: i32, b: u32, c: i32, low: i32, high: i32) {
            if x.len() > 0 && y.len() > 3 && z.len() > 1 {
                y[0] = -a;
                y[1] = c.abs();
                y[2] = a.clamp(low, high);
                z[0] = b.next_multiple_of(8);
                z[1] = 7u32.next_multiple_of(b);
            }
        }";
        let expected = [
            (CheckKind::Overflow, "a + 2147483647 >= 0"),
            (CheckKind::Overflow, "c + 2147483647 >= 0"),
            (CheckKind::Argument, "high >= low"),
            (CheckKind::Divisor, "b <= 4294967288"),
            (CheckKind::Divisor, "b > 0 && b <= 4294967289"),
        ];
        check(text, true, &expected);
        let text = "fn kernel(x: &[i32], u: &[u32], f: f32, y: &mut [i32], z: &mut [u32]) {
            if x.len() > 0 && u.len() > 0 && y.len() > 2 && z.len() > 0 {
                y[0] = -x[0];
                y[1] = x[0].abs();
                y[2] = f.clamp(-f, f) as i32;
                z[0] = 7u32.next_multiple_of(u[0]);
            }
        }";
        let validated = crate::check(common::program(text, true)).unwrap_or_else(|errors| panic!("{errors}"));
        let checks = crate::checks(&validated, &Options::default());
        let kept = checks.iter().filter(|check| matches!(check.proof, Proof::DependsOnMemory | Proof::Unknown));
        assert_eq!(kept.count(), 4, "{checks:?}");
    }

    #[test]
    fn views_have_shapes() {
        let text = "fn kernel(a: ArrayView2<f32>, mut c: ArrayViewMut2<f32>) {
            let (column, row): (usize, usize) = grid(2);
            if row < c.nrows() && column < c.ncols() {
                c[[row, column]] = a[[column, row]];
            }
        }";
        let of = |dimension, other, axis| {
            let threads = format!("grid_dim().{axis} * block_dim().{axis}");
            format!("a.shape()[{dimension}] >= c.shape()[{other}] || a.shape()[{dimension}] >= {threads}")
        };
        check(text, false, &[(CheckKind::Index, &of(0, 1, "x")), (CheckKind::Index, &of(1, 0, "y"))]);
    }

    #[test]
    fn names_that_look_like_lengths_are_arguments() {
        let text = "fn kernel(x: &mut [f32], xlen: usize, x_len: usize) {
            x[xlen] = 0.0;
            x[x_len] = 0.0;
        }";
        let expected = [(CheckKind::Index, "x.len() > xlen"), (CheckKind::Index, "xlen >= x_len || x.len() > x_len")];
        check(text, false, &expected);
    }

    #[test]
    fn alternatives_do_not_imply_each_other() {
        let text = "fn kernel(x: &mut [f32], rows: usize, columns: usize) {
            let (column, row): (usize, usize) = grid(2);
            if row < rows && column < columns {
                x[row * columns + column] = 0.0;
            }
        }";
        let validated = crate::check(common::program(text, false)).unwrap_or_else(|errors| panic!("{errors}"));
        let checks = crate::checks(&validated, &Options::default());
        let [check] = checks.as_slice() else { panic!("{checks:?}") };
        let Proof::AtLaunch(condition) = &check.proof else { panic!("{checks:?}") };
        let LaunchCondition::Any(alternatives) = condition else { panic!("{condition}") };
        let is_compound = |part: &LaunchCondition| matches!(part, LaunchCondition::All(_) | LaunchCondition::Any(_));
        assert!(!alternatives.iter().any(is_compound), "{condition}");
    }

    #[test]
    fn loops_are_tested_ahead() {
        let text = "fn kernel(x: &mut [f32], y: &[u32]) {
            let mut sum = 0.0f32;
            for k in 0usize..y[0] as usize {
                sum += x[k] + x[y[k] as usize];
            }
            x[0] = sum;
        }";
        let validated = crate::check(common::program(text, false)).unwrap_or_else(|errors| panic!("{errors}"));
        let checks = crate::checks(&validated, &Options::default());
        let kept = checks.iter().filter(|check| matches!(check.proof, Proof::DependsOnMemory | Proof::Unknown));
        let mut tested: Vec<_> = kept.map(|check| (check.site.span.column, check.tested)).collect();
        tested.sort_unstable();
        // Both versions check the gather.
        assert_eq!(tested, [(24, true), (31, false), (31, false), (33, true)]);
    }
}
