//! The conditions of a predicate as a straight-line program: what a launch evaluates with 64 bits.
//!
//! All values are computed first, each product and each sum once, then all comparisons, then their conjunctions and
//! disjunctions, as bits. A launch whose lengths differ from those of the launch before differs in the comparisons that hold: a branch
//! for each of them would often be mispredicted, which takes longer than the other comparisons.

use super::{Node, Number, Predicate, Term};
use crate::verdict::Verdict;

/// A predicate whose coefficients have 64 bits, and which refers to no invariants of loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flat {
    /// The range of each symbol: the least value, and the number of values after it. Other values are left to the evaluation with
    /// 128 bits.
    ranges: Vec<(i64, u64)>,
    /// How the values that follow those of the symbols are computed.
    steps: Vec<Step>,
    /// The terms of all sums: a coefficient, and the number of a value.
    terms: Vec<(i64, u16)>,
    truths: Truths,
}

/// Comparisons, and conjunctions and disjunctions of their truth values, which are bits: of one word if that suffices, as for nearly
/// all kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Truths {
    Few(Network<1>),
    Many(Network<8>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Network<const WORDS: usize> {
    comparisons: Vec<Comparison>,
    /// The truth values that others depend on: they follow those of the comparisons.
    inner: Vec<Connective<WORDS>>,
    groups: Vec<Connective<WORDS>>,
}

/// Whether all or any of some truth values hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Connective<const WORDS: usize> {
    /// The bits of those values.
    of: [u64; WORDS],
    is_conjunction: bool,
}

/// The maximum number of values: a predicate with more, or with more truth values than bits, has no flat form.
const VALUES: usize = 64;

/// The maximum magnitude of values that are compared, and of the constants in comparisons: their sums fit into 64 bits.
const MAGNITUDE: i64 = 1 << 61;

/// The value 0, which comparisons with constants refer to.
const ZERO: u16 = 0;

/// Whether one value is not less than another after a constant is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Comparison {
    left: u16,
    right: u16,
    constant: i64,
}

/// A sum of values with coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    constant: i64,
    /// The first of the terms in [`Flat::terms`], and the one after the last.
    terms: (u16, u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Product(u16, u16),
    Sum(Sum),
    Wrapped { value: u16, bits: u32, signed: bool },
    Quotient(u16, u16),
    Min(u16, u16),
    Max(u16, u16),
}

impl Flat {
    /// Returns the flat form of a predicate, if it has one.
    pub(super) fn new(predicate: &Predicate) -> Option<Flat> {
        if !predicate.is_narrow || !predicate.invariants.is_empty() {
            return None;
        }
        let mut ranges = vec![(-MAGNITUDE, (2 * MAGNITUDE).cast_unsigned()); predicate.symbols.len()];
        for (symbol, lo, hi) in &predicate.assumed {
            let (known, after) = ranges.get_mut(*symbol)?;
            let lo = i64::try_from(*lo).unwrap_or(-MAGNITUDE).max(*known);
            let hi = i64::try_from(*hi).unwrap_or(MAGNITUDE).min(known.checked_add_unsigned(*after)?);
            // Empty ranges have no flat form.
            (*known, *after) = (lo, u64::try_from(hi.checked_sub(lo)?).ok()?);
        }
        // The first value is 0.
        let positions = (1..=predicate.symbols.len() as u16).collect();
        let mut flattening = Flattening { symbols: ranges.len(), steps: Vec::new(), terms: Vec::new(), positions };
        for number in &predicate.numbers {
            let position = flattening.number(number)?;
            flattening.positions.push(position);
        }
        let mut comparisons = Vec::new();
        for node in &predicate.nodes {
            if let Node::NonNegative(poly) = node {
                comparisons.push(flattening.comparison(poly)?);
            }
        }
        let Flattening { steps, terms, .. } = flattening;
        let few = Network::new(&predicate.nodes, &predicate.groups, &comparisons).map(Truths::Few);
        let truths =
            few.or_else(|| Some(Truths::Many(Network::new(&predicate.nodes, &predicate.groups, &comparisons)?)))?;
        let values = 1 + ranges.len() + steps.len();
        (values <= VALUES).then_some(Flat { ranges, steps, terms, truths })
    }

    /// Returns the verdict for the values of the symbols; `None` if a value does not fit into 64 bits, is not in the assumed range,
    /// or does not exist.
    #[inline]
    pub(super) fn verdict(&self, symbol: impl Fn(usize) -> i128) -> Option<Verdict> {
        let mut values = [0i64; VALUES];
        let mut is_inside = true;
        for (at, (lo, after)) in self.ranges.iter().enumerate() {
            let number = symbol(at);
            let value = number as i64;
            is_inside &= i128::from(value) == number && value.wrapping_sub(*lo).cast_unsigned() <= *after;
            values[(1 + at) % VALUES] = value;
        }
        if is_inside { self.verdict_of(&mut values) } else { None }
    }

    /// Returns the verdict for values of the symbols that are in their ranges.
    fn verdict_of(&self, values: &mut [i64; VALUES]) -> Option<Verdict> {
        let first = 1 + self.ranges.len();
        for (at, step) in self.steps.iter().enumerate() {
            values[(first + at) % VALUES] = step.compute(values, &self.terms)?;
        }
        Some(match &self.truths {
            Truths::Few(network) => network.verdict(values),
            Truths::Many(network) => network.verdict(values),
        })
    }
}

impl<const WORDS: usize> Network<WORDS> {
    /// Returns the network of some nodes, if the bits suffice.
    fn new(nodes: &[Node], groups: &[u32], comparisons: &[Comparison]) -> Option<Network<WORDS>> {
        let mut network = Network { comparisons: comparisons.to_vec(), inner: Vec::new(), groups: Vec::new() };
        // The bit of each node. One that only groups refer to has none.
        let mut bits: Vec<Option<usize>> = Vec::new();
        let mut comparison = 0;
        for (at, node) in nodes.iter().enumerate() {
            let bit = if matches!(node, Node::NonNegative(_)) {
                comparison += 1;
                Some(comparison - 1)
            } else if nodes.iter().any(|node| node.parts().contains(&(at as u32))) {
                network.inner.push(Connective::new(node, &bits)?);
                Some(comparisons.len() + network.inner.len() - 1)
            } else {
                None
            };
            if bit.is_some_and(|bit| bit >= 64 * WORDS) {
                return None;
            }
            bits.push(bit);
        }
        for group in groups {
            let node = nodes.get(*group as usize)?;
            let itself = Node::All(vec![*group]);
            let is_comparison = matches!(node, Node::NonNegative(_));
            network.groups.push(Connective::new(if is_comparison { &itself } else { node }, &bits)?);
        }
        Some(network)
    }

    fn verdict(&self, values: &[i64; VALUES]) -> Verdict {
        let value = |at: u16| values[usize::from(at) % VALUES];
        let mut truths = [0u64; WORDS];
        let mut bit = 0;
        for Comparison { left, right, constant } in &self.comparisons {
            truths[bit / 64 % WORDS] |= u64::from(value(*left) + constant >= value(*right)) << (bit % 64);
            bit += 1;
        }
        for connective in &self.inner {
            truths[bit / 64 % WORDS] |= connective.holds(&truths) << (bit % 64);
            bit += 1;
        }
        let mut verdict = 0;
        for (group, connective) in self.groups.iter().enumerate() {
            verdict |= connective.holds(&truths) << (group % 64);
        }
        Verdict(verdict)
    }
}

impl<const WORDS: usize> Connective<WORDS> {
    /// Returns the connective of a node that is not a comparison. `bits` are those of the nodes before it.
    fn new(node: &Node, bits: &[Option<usize>]) -> Option<Connective<WORDS>> {
        let is_conjunction = match node {
            Node::Constant(value) => *value,
            Node::All(_) => true,
            Node::Any(_) => false,
            Node::NonNegative(_) | Node::Invariant(_) => return None,
        };
        let mut of = [0; WORDS];
        for part in node.parts() {
            let bit = (*bits.get(*part as usize)?)?;
            *of.get_mut(bit / 64)? |= 1 << (bit % 64);
        }
        Some(Connective { of, is_conjunction })
    }

    /// Returns 1 if it holds, otherwise 0.
    #[inline]
    fn holds(&self, truths: &[u64; WORDS]) -> u64 {
        // All hold if none does not.
        let inverted = u64::from(self.is_conjunction);
        let mut found = 0;
        for (word, of) in self.of.iter().enumerate() {
            found |= (truths[word] ^ inverted.wrapping_neg()) & of;
        }
        u64::from(found != 0) ^ inverted
    }
}

impl Step {
    /// Returns the value; `None` if it does not fit, or does not exist.
    fn compute(self, values: &[i64; VALUES], terms: &[(i64, u16)]) -> Option<i64> {
        let value = |at: u16| values[usize::from(at) % VALUES];
        let computed = match self {
            Step::Product(left, right) => value(left).checked_mul(value(right))?,
            Step::Sum(Sum { constant, terms: (start, end) }) => {
                let mut sum = constant;
                for (coefficient, at) in &terms[start.into()..end.into()] {
                    sum = sum.checked_add(coefficient.checked_mul(value(*at))?)?;
                }
                sum
            }
            Step::Wrapped { value: at, bits, signed } => {
                let unused = 64_u32.checked_sub(bits)?;
                let bits = value(at) << unused;
                if signed { bits >> unused } else { i64::try_from(bits.cast_unsigned() >> unused).ok()? }
            }
            Step::Quotient(dividend, divisor) => {
                let (dividend, divisor) = (value(dividend), value(divisor));
                if dividend < 0 || divisor <= 0 {
                    return None;
                }
                dividend / divisor
            }
            Step::Min(left, right) => value(left).min(value(right)),
            Step::Max(left, right) => value(left).max(value(right)),
        };
        (-MAGNITUDE..=MAGNITUDE).contains(&computed).then_some(computed)
    }
}

/// The construction of the flat form.
struct Flattening {
    /// The number of symbols.
    symbols: usize,
    steps: Vec<Step>,
    terms: Vec<(i64, u16)>,
    /// The position of each symbol and number among the values.
    positions: Vec<u16>,
}

impl Flattening {
    /// Returns the position of a number.
    fn number(&mut self, number: &Number) -> Option<u16> {
        let step = match number {
            Number::Wrapped { poly, bits, signed } => {
                Step::Wrapped { value: self.value(poly)?, bits: *bits, signed: *signed }
            }
            Number::Quotient(left, right) => Step::Quotient(self.value(left)?, self.value(right)?),
            Number::Min(left, right) => Step::Min(self.value(left)?, self.value(right)?),
            Number::Max(left, right) => Step::Max(self.value(left)?, self.value(right)?),
        };
        self.step(step)
    }

    /// Returns the comparison of a polynomial with 0. Differences of two values are compared without being computed.
    fn comparison(&mut self, poly: &[Term]) -> Option<Comparison> {
        let (constant, terms) = self.terms(poly)?;
        let is_small = (-MAGNITUDE..=MAGNITUDE).contains(&constant);
        Some(match terms[..] {
            [] if is_small => Comparison { left: ZERO, right: ZERO, constant },
            [(1, left)] if is_small => Comparison { left, right: ZERO, constant },
            [(-1, right)] if is_small => Comparison { left: ZERO, right, constant },
            [(1, left), (-1, right)] | [(-1, right), (1, left)] if is_small => Comparison { left, right, constant },
            _ => Comparison { left: self.sum(constant, terms)?, right: ZERO, constant: 0 },
        })
    }

    /// Returns the position of the value of a polynomial.
    fn value(&mut self, poly: &[Term]) -> Option<u16> {
        let (constant, terms) = self.terms(poly)?;
        match terms[..] {
            [(1, value)] if constant == 0 => Some(value),
            _ => self.sum(constant, terms),
        }
    }

    /// Returns the constant and the other terms of a polynomial. A product of several numbers is a value.
    fn terms(&mut self, poly: &[Term]) -> Option<(i64, Vec<(i64, u16)>)> {
        let mut constant = 0i64;
        let mut terms = Vec::new();
        for Term { coefficient, factors } in poly {
            let coefficient = i64::try_from(*coefficient).ok()?;
            let Some((first, others)) = factors.split_first() else {
                constant = constant.checked_add(coefficient)?;
                continue;
            };
            let mut product = *self.positions.get(*first as usize)?;
            for factor in others {
                let factor = *self.positions.get(*factor as usize)?;
                product = self.step(Step::Product(product, factor))?;
            }
            terms.push((coefficient, product));
        }
        Some((constant, terms))
    }

    fn sum(&mut self, constant: i64, terms: Vec<(i64, u16)>) -> Option<u16> {
        let start = u16::try_from(self.terms.len()).ok()?;
        self.terms.extend(terms);
        let end = u16::try_from(self.terms.len()).ok()?;
        self.step(Step::Sum(Sum { constant, terms: (start, end) }))
    }

    /// Returns the position of a value.
    fn step(&mut self, step: Step) -> Option<u16> {
        let steps = &mut self.steps;
        let known = steps.iter().position(|known| *known == step);
        let at = known.unwrap_or_else(|| {
            steps.push(step);
            steps.len() - 1
        });
        u16::try_from(1 + self.symbols + at).ok()
    }
}
