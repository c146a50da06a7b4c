//! The conditions of a predicate in the order of their evaluation: what a launch evaluates with 64 bits.
//!
//! Each product of numbers that occurs in the conditions is computed once. Conjunctions and disjunctions are jumps: each
//! comparison names the next one, for either outcome.

use std::ops::Range;

use smallvec::SmallVec;

use super::{Node, Number, Predicate, Term};
use crate::verdict::Verdict;

/// A predicate whose coefficients have 64 bits, and which refers to no invariants of loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flat {
    /// How the values that follow those of the symbols are computed.
    steps: Vec<Step>,
    comparisons: Vec<Comparison>,
    /// The first comparison of each group.
    groups: Vec<u32>,
    /// The terms of all sums: a coefficient, and the number of a value.
    terms: Vec<(i64, u32)>,
}

/// The maximum number of values, and of comparisons: a predicate with more has no flat form.
const VALUES: usize = 48;
const COMPARISONS: usize = 512;

/// The end of an evaluation: the condition holds, or it does not.
const HOLDS: u32 = u32::MAX;
const FAILS: u32 = u32::MAX - 1;

/// The comparison of a sum with 0, and what follows it if the sum is not negative, and if it is: another comparison, or the end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparison {
    sum: Sum,
    yes: u32,
    no: u32,
}

/// A sum of values with coefficients.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sum {
    constant: i64,
    /// The terms, in [`Flat::terms`].
    terms: Range<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Product(u32, u32),
    Wrapped { sum: Sum, bits: u32, signed: bool },
    Quotient(Sum, Sum),
    Min(Sum, Sum),
    Max(Sum, Sum),
}

/// The values of an evaluation.
struct Values<'f> {
    terms: &'f [(i64, u32)],
    numbers: [i64; VALUES],
    /// Whether a value did not fit into 64 bits.
    has_overflowed: bool,
}

impl Values<'_> {
    #[inline]
    fn sum(&mut self, Sum { constant, terms }: &Sum) -> i64 {
        let mut sum = *constant;
        for (coefficient, value) in &self.terms[terms.start as usize..terms.end as usize] {
            let (term, overflows) = coefficient.overflowing_mul(self.numbers[*value as usize]);
            let (next, also_overflows) = sum.overflowing_add(term);
            self.has_overflowed |= overflows | also_overflows;
            sum = next;
        }
        sum
    }
}

impl Flat {
    /// Returns the flat form of a predicate, if it has one.
    pub(super) fn new(predicate: &Predicate) -> Option<Flat> {
        if !predicate.is_narrow || !predicate.invariants.is_empty() {
            return None;
        }
        let mut flat = Flat { steps: Vec::new(), comparisons: Vec::new(), groups: Vec::new(), terms: Vec::new() };
        let mut flattening = Flattening { flat: &mut flat, symbols: predicate.symbols.len(), positions: Vec::new() };
        flattening.positions.extend(0..predicate.symbols.len() as u32);
        for number in &predicate.numbers {
            flattening.number(number)?;
        }
        for group in &predicate.groups {
            let first = flattening.condition(&predicate.nodes, *group, HOLDS, FAILS)?;
            flattening.flat.groups.push(first);
        }
        (predicate.symbols.len() + flat.steps.len() <= VALUES).then_some(flat)
    }

    /// Returns the verdict for the values of the symbols; `None` if 64 bits do not suffice, or a number has no value.
    pub(super) fn verdict(&self, symbols: &[i128]) -> Option<Verdict> {
        let mut values = Values { terms: &self.terms, numbers: [0; VALUES], has_overflowed: false };
        for (value, symbol) in values.numbers.iter_mut().zip(symbols) {
            *value = i64::try_from(*symbol).ok()?;
        }
        for (position, step) in (symbols.len()..).zip(&self.steps) {
            let value = match step {
                Step::Product(left, right) => {
                    let (left, right) = (values.numbers[*left as usize], values.numbers[*right as usize]);
                    let (product, overflows) = left.overflowing_mul(right);
                    values.has_overflowed |= overflows;
                    product
                }
                Step::Wrapped { sum, bits, signed } => {
                    let unused = 64_u32.checked_sub(*bits)?;
                    let bits = values.sum(sum) << unused;
                    if *signed { bits >> unused } else { i64::try_from(bits.cast_unsigned() >> unused).ok()? }
                }
                Step::Quotient(dividend, divisor) => {
                    let (dividend, divisor) = (values.sum(dividend), values.sum(divisor));
                    if dividend < 0 || divisor <= 0 {
                        return None;
                    }
                    dividend / divisor
                }
                Step::Min(left, right) => values.sum(left).min(values.sum(right)),
                Step::Max(left, right) => values.sum(left).max(values.sum(right)),
            };
            values.numbers[position] = value;
        }
        let mut verdict = 0;
        for (group, first) in self.groups.iter().enumerate() {
            let mut next = *first;
            while let Some(Comparison { sum, yes, no }) = self.comparisons.get(next as usize) {
                next = if values.sum(sum) >= 0 { *yes } else { *no };
            }
            verdict |= u64::from(next == HOLDS) << group;
        }
        (!values.has_overflowed).then_some(Verdict(verdict))
    }
}

/// The construction of the flat form.
struct Flattening<'f> {
    flat: &'f mut Flat,
    /// The number of symbols.
    symbols: usize,
    /// The position of each symbol and number among the values.
    positions: Vec<u32>,
}

impl Flattening<'_> {
    fn number(&mut self, number: &Number) -> Option<()> {
        let step = match number {
            Number::Wrapped { poly, bits, signed } => {
                Step::Wrapped { sum: self.sum(poly)?, bits: *bits, signed: *signed }
            }
            Number::Quotient(left, right) => Step::Quotient(self.sum(left)?, self.sum(right)?),
            Number::Min(left, right) => Step::Min(self.sum(left)?, self.sum(right)?),
            Number::Max(left, right) => Step::Max(self.sum(left)?, self.sum(right)?),
        };
        let position = self.step(step);
        self.positions.push(position);
        Some(())
    }

    /// Returns the first comparison of a condition. `yes` and `no` follow it.
    fn condition(&mut self, nodes: &[Node], node: u32, yes: u32, no: u32) -> Option<u32> {
        Some(match &nodes[node as usize] {
            Node::Constant(true) => yes,
            Node::Constant(false) => no,
            Node::NonNegative(poly) => {
                let sum = self.sum(poly)?;
                self.flat.comparisons.push(Comparison { sum, yes, no });
                let count = self.flat.comparisons.len();
                (count <= COMPARISONS).then_some(count as u32 - 1)?
            }
            Node::All(parts) => {
                let mut parts = parts.iter().rev();
                parts.try_fold(yes, |next, part| self.condition(nodes, *part, next, no))?
            }
            Node::Any(parts) => {
                let mut parts = parts.iter().rev();
                parts.try_fold(no, |next, part| self.condition(nodes, *part, yes, next))?
            }
            Node::Invariant(_) => return None,
        })
    }

    fn sum(&mut self, poly: &[Term]) -> Option<Sum> {
        let mut constant = 0i64;
        let mut terms = Vec::new();
        for Term { coefficient, factors } in poly {
            let coefficient = i64::try_from(*coefficient).ok()?;
            let mut factors = factors.iter().map(|factor| self.positions[*factor as usize]);
            let Some(first) = factors.next() else {
                constant = constant.checked_add(coefficient)?;
                continue;
            };
            let factors: SmallVec<[u32; 4]> = factors.collect();
            terms.push((coefficient, factors.into_iter().fold(first, |product, factor| self.product(product, factor))));
        }
        let start = self.flat.terms.len() as u32;
        self.flat.terms.extend(terms);
        Some(Sum { constant, terms: start..self.flat.terms.len() as u32 })
    }

    /// Returns the position of a product.
    fn product(&mut self, left: u32, right: u32) -> u32 {
        let step = Step::Product(left, right);
        let known = self.flat.steps.iter().position(|known| *known == step);
        match known {
            Some(known) => (self.symbols + known) as u32,
            None => self.step(step),
        }
    }

    fn step(&mut self, step: Step) -> u32 {
        self.flat.steps.push(step);
        (self.symbols + self.flat.steps.len() - 1) as u32
    }
}
