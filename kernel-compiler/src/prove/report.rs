//! Conditions in words, with the names of the user's parameters.

use std::fmt::{self, Write};

use super::atoms::Uniform;
use super::condition::{Condition, Formula};
use super::poly::{Atom, Poly};
use super::prover::Domain;
use super::symbol::{LaunchSymbol, symbol_name};
use super::versions::{Versions, versions};
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
            // A launch that is not cooperative is rejected.
            Op::SyncGrid => return None,
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
    AtLaunch(String),
    /// It is kept, because its operands depend on values in memory.
    DependsOnMemory,
    /// It is kept.
    Unknown,
}

/// A check, and what is known of it.
pub(crate) struct Reported {
    /// The first site.
    pub(crate) site: u32,
    pub(crate) kind: CheckKind,
    pub(crate) proof: Proof,
    /// The group of the predicate that the check is in.
    pub(crate) group: Option<u32>,
    /// The symbols that the condition reads.
    pub(crate) symbols: Vec<LaunchSymbol>,
    /// Whether a test before a loop precedes the check: see `lower::hoist`.
    pub(crate) tested: bool,
}

/// Returns the first sites of the checks that only one version of a loop has, which is entered if the test before the
/// loop fails.
pub(super) fn tested(module: &Module) -> Set<u32> {
    versions(module).iter().flat_map(Versions::sites).collect()
}

/// The conditions of a kernel in words.
pub(super) struct Words<'a> {
    pub(super) domain: &'a Domain,
    pub(super) kernel: &'a Function,
}

/// Constants from here on are limits of types, and are written as powers of two.
const LARGE: u128 = 1 << 31;

/// The precedence of an operand's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    All,
    Product,
}

impl Words<'_> {
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
            _ => {
                let mut text = String::new();
                self.condition(&mut text, condition, Level::Any, 0);
                Proof::AtLaunch(text)
            }
        }
    }

    fn condition(&self, text: &mut String, condition: Condition, level: Level, depth: usize) {
        let join = |text: &mut String, parts: &[Condition], separator: &str, own: Level| {
            let parenthesised = level > own && parts.len() > 1;
            if parenthesised {
                text.push('(');
            }
            let inner = if parts.len() > 1 { Level::Product } else { level };
            for (position, part) in parts.iter().enumerate() {
                if position > 0 {
                    text.push_str(separator);
                }
                self.condition(text, *part, inner, depth);
            }
            if parenthesised {
                text.push(')');
            }
        };
        match self.domain.conditions.get(condition) {
            Formula::False => text.push_str("false"),
            Formula::NonNegative(poly) => self.comparison(text, poly),
            Formula::All(parts) => {
                // The conditions on lengths come first, then those that numbers are not excessively large.
                let mut parts = parts.clone();
                parts.sort_by_key(|part| self.is_limit(*part));
                join(text, &parts, " && ", Level::All);
            }
            Formula::Any(parts) => {
                let mut parts = self.without_implied(parts);
                // The plausible and the simplest one first.
                parts.sort_by_cached_key(|part| {
                    let mut text = String::new();
                    self.condition(&mut text, *part, Level::Any, depth);
                    let Domain { conditions, atoms, .. } = &self.domain;
                    (!conditions.is_plausible(*part, &|poly: &Poly| atoms.is_plausible(poly)), text.len())
                });
                join(text, &parts, " || ", Level::Any);
            }
            // The conditions of nested invariants may refer to each other.
            Formula::Invariant(number) if depth < 3 => {
                let invariant = self.domain.conditions.invariants[*number as usize];
                self.condition(text, invariant, level, depth + 1);
            }
            Formula::True | Formula::Invariant(_) => text.push_str("true"),
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
    fn comparison(&self, text: &mut String, poly: &Poly) {
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
            self.sum(text, &right);
            text.push_str(if strictly.is_some() { " < " } else { " <= " });
            self.sum(text, strictly.as_ref().unwrap_or(&left));
        } else {
            let strictly = right.offset(-1).filter(|_| from_right == 1);
            self.sum(text, &left);
            text.push_str(if strictly.is_some() { " > " } else { " >= " });
            self.sum(text, strictly.as_ref().unwrap_or(&right));
        }
    }

    fn sum(&self, text: &mut String, poly: &Poly) {
        if poly.terms().is_empty() {
            text.push('0');
        }
        // The constant term is first, but is written last.
        let constants = poly.terms().iter().filter(|(monomial, _)| monomial.is_empty());
        let others = poly.terms().iter().filter(|(monomial, _)| !monomial.is_empty());
        for (position, (monomial, coefficient)) in others.chain(constants).enumerate() {
            let sign = match (position, *coefficient < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            text.push_str(sign);
            let magnitude = coefficient.unsigned_abs();
            if magnitude >= LARGE && magnitude.is_power_of_two() {
                let _ = write!(text, "2^{}", magnitude.trailing_zeros());
                text.push_str(if monomial.is_empty() { "" } else { " * " });
            } else if magnitude >= LARGE && (magnitude + 1).is_power_of_two() && monomial.is_empty() {
                let _ = write!(text, "2^{} - 1", magnitude.count_ones());
            } else if magnitude != 1 || monomial.is_empty() {
                let _ = write!(text, "{magnitude}");
                text.push_str(if monomial.is_empty() { "" } else { " * " });
            }
            for (position, atom) in monomial.iter().enumerate() {
                text.push_str(if position > 0 { " * " } else { "" });
                self.atom(text, atom);
            }
        }
    }

    fn atom(&self, text: &mut String, atom: Atom) {
        let binary = |text: &mut String, name: &str, left: &Poly, right: &Poly| {
            text.push_str(name);
            text.push('(');
            self.sum(text, left);
            text.push_str(", ");
            self.sum(text, right);
            text.push(')');
        };
        match &self.domain.atoms.get(atom).uniform {
            Some(Uniform::Symbol(symbol)) => text.push_str(&symbol_name(self.kernel, *symbol)),
            Some(Uniform::Wrapped { poly, .. }) => {
                text.push_str("wrapping(");
                self.sum(text, poly);
                text.push(')');
            }
            Some(Uniform::Quotient(left, right)) => {
                let grouped = |text: &mut String, poly: &Poly| {
                    let single = poly.terms().len() == 1;
                    text.push_str(if single { "" } else { "(" });
                    self.sum(text, poly);
                    text.push_str(if single { "" } else { ")" });
                };
                text.push('(');
                grouped(text, left);
                text.push_str(" / ");
                grouped(text, right);
                text.push(')');
            }
            Some(Uniform::Min(left, right)) => binary(text, "min", left, right),
            Some(Uniform::Max(left, right)) => binary(text, "max", left, right),
            None => text.push('?'),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::prove::{CheckKind, Proof};
    use crate::{Options, common};

    /// Checks the kinds and the proofs of the checks of a kernel, without those that cannot fail.
    #[track_caller]
    fn check(text: &str, overflow_checks: bool, expected: &[(CheckKind, Proof)]) {
        let validated =
            crate::check(common::program(text, overflow_checks)).unwrap_or_else(|errors| panic!("{errors}"));
        let checks = crate::checks(&validated, &Options::default());
        let found: Vec<_> = checks.into_iter().map(|check| (check.kind, check.proof)).collect();
        let found: Vec<_> = found.into_iter().filter(|(_, proof)| *proof != Proof::Always).collect();
        assert_eq!(found, expected);
    }

    fn at_launch(condition: &str) -> Proof {
        Proof::AtLaunch(condition.to_owned())
    }

    #[test]
    fn constants_and_limits_are_on_the_right() {
        let text = "fn kernel(x: &mut [u32], n: usize, bits: u32) {
            x[4] = 1 << bits;
            x[n * n] = 0;
        }";
        let expected = [
            (CheckKind::Shift, at_launch("bits <= 31")),
            (CheckKind::Index, at_launch("x.len() >= 5")),
            (CheckKind::Overflow, at_launch("n * n < 2^64")),
            (CheckKind::Index, at_launch("x.len() > n * n || n * n <= 4")),
        ];
        check(text, true, &expected);
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
            at_launch(&format!("a.shape()[{dimension}] >= c.shape()[{other}] || a.shape()[{dimension}] >= {threads}"))
        };
        check(text, false, &[(CheckKind::Index, of(0, 1, "x")), (CheckKind::Index, of(1, 0, "y"))]);
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
        assert!(!condition.contains("&&"), "{condition}");
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
