//! The conditions of a predicate as a straight-line program: what a launch evaluates with 64 bits.
//!
//! All values are computed first, each product and each sum once, then all comparisons, then their conjunctions and
//! disjunctions, as bits. A launch whose lengths differ from those of the launch before differs in the comparisons that hold: a branch
//! for each of them would often be mispredicted, which takes longer than the other comparisons. The tables are small and, unless the
//! kernel is large, consecutive in memory, because the driver's code for a launch evicts them from the first cache.

use smallvec::{Array, SmallVec};

use super::{Node, Number, Predicate, Term};
use crate::prove::symbol::LaunchSymbol;
use crate::verdict::Verdict;

/// A predicate whose coefficients have 64 bits, and which refers to no invariants of loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flat {
    /// The range of each symbol, an index into `ranges`. Other values are left to the evaluation with 128 bits.
    pub(super) symbols: SmallVec<[u8; 16]>,
    pub(super) ranges: SmallVec<[Range; 2]>,
    /// The last values, from the last one downwards.
    constants: SmallVec<[i64; 2]>,
    pub(super) truths: Truths,
    /// How the values that follow those of the symbols are computed.
    pub(super) steps: SmallVec<[Step; 2]>,
    /// The terms of all sums: a coefficient, and the number of a value.
    pub(super) terms: SmallVec<[(i64, u8); 2]>,
}

/// Consecutive values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: i64,
    /// The greatest value minus the least one.
    pub(super) extent: u64,
}

/// Comparisons, and conjunctions and disjunctions of their truth values, which are bits: of one word if that suffices, as for nearly
/// all kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truths {
    Few(Network<1>),
    Many(Box<Network<8>>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Network<const WORDS: usize> {
    pub(super) comparisons: SmallVec<[Comparison; 16]>,
    pub(super) groups: SmallVec<[Connective<WORDS>; 2]>,
    /// The truth values that others depend on: they follow those of the comparisons.
    pub(super) inner: SmallVec<[Connective<WORDS>; 2]>,
}

/// Whether all or any of some truth values hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connective<const WORDS: usize> {
    /// The bits of those values.
    pub(super) of: [u64; WORDS],
    pub(super) is_conjunction: bool,
}

/// The maximum number of values: a predicate with more, or with more truth values than bits, has no flat form.
pub(super) const VALUES: usize = 64;

/// The maximum magnitude of values and of the constants in comparisons: the sums of two of them fit into 64 bits.
pub(super) const MAGNITUDE: i64 = 1 << 61;

/// The value 0, which comparisons with constants refer to.
pub(super) const ZERO: u8 = 0;

/// Whether one value is not less than another after a third is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) left: u8,
    pub(super) offset: u8,
    pub(super) right: u8,
}

/// A sum of values with coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) constant: i64,
    /// The first of the terms in [`Flat::terms`], and the one after the last.
    pub(super) terms: (u16, u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Product(u8, u8),
    Sum(Sum),
    Wrapped { value: u8, bits: u32, signed: bool },
    Quotient(u8, u8),
    Min(u8, u8),
    Max(u8, u8),
}

impl Flat {
    /// Returns the flat form of a predicate, if it has one.
    pub(super) fn new(predicate: &Predicate) -> Option<Flat> {
        if !predicate.is_narrow || !predicate.invariants.is_empty() {
            return None;
        }
        let (mut symbols, mut ranges) = (SmallVec::new(), SmallVec::new());
        for (at, symbol) in predicate.symbols.iter().enumerate() {
            let range = Range::of(*symbol, predicate.assumed.iter().filter(|(symbol, ..)| *symbol == at))?;
            symbols.push(u8::try_from(position_of(&mut ranges, range)).ok()?);
        }
        // The first value is 0.
        let positions = (1..=u8::try_from(symbols.len()).ok()?).collect();
        let mut flattening = Flattening { first: 1 + symbols.len(), positions, ..Flattening::default() };
        for number in &predicate.numbers {
            let position = flattening.number(number)?;
            flattening.positions.push(position);
        }
        let mut nodes = Vec::new();
        for node in &predicate.nodes {
            let node = flattening.node(node, &nodes)?;
            nodes.push(node);
        }
        let few = Network::new(&nodes, &predicate.groups).map(Truths::Few);
        let truths = few.or_else(|| Some(Truths::Many(Box::new(Network::new(&nodes, &predicate.groups)?))))?;
        let Flattening { first, steps, terms, constants, .. } = flattening;
        let values = first + steps.len() + constants.len();
        (values <= VALUES).then_some(Flat { symbols, ranges, constants, truths, steps, terms })
    }

    /// Returns the verdict for the values of the symbols, extended to 64 bits; `None` if a value does not fit into 62 bits, is not in
    /// the assumed range, or does not exist.
    #[inline]
    pub(super) fn verdict(&self, symbol: impl Fn(usize) -> u64) -> Option<Verdict> {
        let mut values = [0i64; VALUES];
        self.compute(symbol, &mut values)?;
        Some(match &self.truths {
            Truths::Few(network) => network.verdict(&values),
            Truths::Many(network) => network.verdict(&values),
        })
    }

    /// Computes the values; `None` if one does not fit into 62 bits, is not in the assumed range, or does not exist.
    #[inline]
    pub(super) fn compute(&self, symbol: impl Fn(usize) -> u64, values: &mut [i64; VALUES]) -> Option<()> {
        let mut is_inside = true;
        for (at, range) in self.symbols.iter().enumerate() {
            let value = symbol(at).cast_signed();
            let Range { least, extent } = self.ranges[usize::from(*range)];
            is_inside &= value.wrapping_sub(least).cast_unsigned() <= extent;
            values[(1 + at) % VALUES] = value;
        }
        if is_inside { self.compute_steps(values) } else { None }
    }

    /// Computes the values that follow those of the symbols, which are in their ranges.
    fn compute_steps(&self, values: &mut [i64; VALUES]) -> Option<()> {
        for (at, constant) in self.constants.iter().enumerate() {
            values[(VALUES - 1 - at) % VALUES] = *constant;
        }
        let first = 1 + self.symbols.len();
        for (at, step) in self.steps.iter().enumerate() {
            values[(first + at) % VALUES] = step.compute(values, &self.terms)?;
        }
        Some(())
    }
}

impl Range {
    /// Returns the values of a symbol that the flat form accepts; `None` if there are none.
    fn of<'a>(symbol: LaunchSymbol, assumed: impl Iterator<Item = &'a (usize, i128, i128)>) -> Option<Range> {
        // The bits of an unsigned value from 2^63 on are those of a negative number.
        let (mut least, mut greatest) = (if symbol.is_signed() { -MAGNITUDE } else { 0 }, MAGNITUDE);
        for (_, lo, hi) in assumed {
            let (lowest, highest) = (i128::from(-MAGNITUDE), i128::from(MAGNITUDE));
            least = least.max(i64::try_from((*lo).max(lowest)).ok()?);
            greatest = greatest.min(i64::try_from((*hi).min(highest)).ok()?);
        }
        Some(Range { least, extent: u64::try_from(greatest.checked_sub(least)?).ok()? })
    }
}

impl<const WORDS: usize> Network<WORDS> {
    /// Returns the network of some nodes, if the bits suffice.
    fn new(nodes: &[FlatNode], groups: &[u32]) -> Option<Network<WORDS>> {
        let mut network = Network::default();
        // The nodes that have a bit: those that others refer to.
        let mut is_inner = vec![false; nodes.len()];
        for node in nodes {
            if let FlatNode::Connective { parts, .. } = node {
                for part in parts {
                    *is_inner.get_mut(*part as usize)? = true;
                }
            }
        }
        let of_groups = groups.iter().map(|group| nodes.get(*group as usize)).collect::<Option<Vec<_>>>()?;
        let inner = || nodes.iter().zip(&is_inner).filter(|(_, is_inner)| **is_inner).map(|(node, _)| node);
        for node in inner().chain(of_groups.iter().copied()) {
            for comparison in node.comparisons() {
                position_of(&mut network.comparisons, *comparison);
            }
        }
        let mut bits = vec![None; nodes.len()];
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| is_inner[*at]) {
            network.inner.push(network.connective(node, &bits)?);
            bits[at] = Some(network.comparisons.len() + network.inner.len() - 1);
        }
        for node in of_groups {
            network.groups.push(network.connective(node, &bits)?);
        }
        (network.comparisons.len() + network.inner.len() <= 64 * WORDS).then_some(network)
    }

    /// Returns the connective of a node. `bits` are those of the nodes before it.
    fn connective(&self, node: &FlatNode, bits: &[Option<usize>]) -> Option<Connective<WORDS>> {
        let (parts, is_conjunction) = match node {
            FlatNode::Comparison(_) => (&[][..], true),
            FlatNode::Connective { parts, is_conjunction, .. } => (&parts[..], *is_conjunction),
        };
        let mut of = [0; WORDS];
        let of_comparisons =
            node.comparisons().iter().map(|comparison| self.comparisons.iter().position(|known| known == comparison));
        for bit in of_comparisons.chain(parts.iter().map(|part| *bits.get(*part as usize)?)) {
            *of.get_mut(bit? / 64)? |= 1 << (bit? % 64);
        }
        Some(Connective { of, is_conjunction })
    }

    fn verdict(&self, values: &[i64; VALUES]) -> Verdict {
        let truths = self.truths(values);
        let mut verdict = 0;
        for connective in self.groups.iter().rev() {
            verdict = verdict << 1 | connective.holds(&truths);
        }
        Verdict(verdict)
    }

    /// Returns the truth values of the comparisons and of the connectives that others depend on.
    pub(super) fn truths(&self, values: &[i64; VALUES]) -> [u64; WORDS] {
        let value = |at: u8| values[usize::from(at) % VALUES];
        let mut truths = [0u64; WORDS];
        for (word, comparisons) in self.comparisons.chunks(64).enumerate() {
            // A shift by a variable number would take longer.
            let mut bits = 0;
            for Comparison { left, offset, right } in comparisons.iter().rev() {
                bits = bits << 1 | u64::from(value(*left) + value(*offset) >= value(*right));
            }
            truths[word % WORDS] = bits;
        }
        for (at, connective) in self.inner.iter().enumerate() {
            let bit = self.comparisons.len() + at;
            truths[bit / 64 % WORDS] |= connective.holds(&truths) << (bit % 64);
        }
        truths
    }
}

impl<const WORDS: usize> Connective<WORDS> {
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
    fn compute(self, values: &[i64; VALUES], terms: &[(i64, u8)]) -> Option<i64> {
        let value = |at: u8| values[usize::from(at) % VALUES];
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

/// A node whose comparisons are in the flat form.
enum FlatNode {
    Comparison(Comparison),
    Connective {
        comparisons: Vec<Comparison>,
        /// The other nodes that it depends on, which are connectives.
        parts: Vec<u32>,
        is_conjunction: bool,
    },
}

impl FlatNode {
    /// Returns the comparisons that it depends on directly.
    fn comparisons(&self) -> &[Comparison] {
        match self {
            FlatNode::Comparison(comparison) => std::slice::from_ref(comparison),
            FlatNode::Connective { comparisons, .. } => comparisons,
        }
    }
}

/// The construction of the flat form.
#[derive(Default)]
struct Flattening {
    /// The position of the first step's value.
    first: usize,
    steps: SmallVec<[Step; 2]>,
    terms: SmallVec<[(i64, u8); 2]>,
    constants: SmallVec<[i64; 2]>,
    /// The position of each symbol and number among the values.
    positions: Vec<u8>,
}

impl Flattening {
    /// Returns the position of a number.
    fn number(&mut self, number: &Number) -> Option<u8> {
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

    /// Returns the flat form of a node. `nodes` are those before it.
    fn node(&mut self, node: &Node, nodes: &[FlatNode]) -> Option<FlatNode> {
        let (all, is_conjunction) = match node {
            Node::NonNegative(poly) => return Some(FlatNode::Comparison(self.comparison(poly)?)),
            Node::Constant(value) => (&[][..], *value),
            Node::All(parts) => (&parts[..], true),
            Node::Any(parts) => (&parts[..], false),
            Node::Invariant(_) => return None,
        };
        let (mut comparisons, mut parts): (Vec<Comparison>, Vec<u32>) = (Vec::new(), Vec::new());
        for part in all {
            let FlatNode::Comparison(comparison) = nodes.get(*part as usize)? else {
                parts.push(*part);
                continue;
            };
            // A value that is not less than one of several is not less than their minimum. Accesses under the same conditions
            // share it.
            let Comparison { left, offset, right } = *comparison;
            let known = comparisons.iter_mut().find(|known| (known.left, known.offset) == (left, offset));
            match known {
                Some(known) if known.right == right => {}
                Some(known) => {
                    let (low, high) = (known.right.min(right), known.right.max(right));
                    known.right =
                        self.step(if is_conjunction { Step::Max(low, high) } else { Step::Min(low, high) })?;
                }
                None => comparisons.push(*comparison),
            }
        }
        Some(match (&comparisons[..], &parts[..]) {
            ([comparison], []) => FlatNode::Comparison(*comparison),
            _ => FlatNode::Connective { comparisons, parts, is_conjunction },
        })
    }

    /// Returns the comparison of a polynomial with 0. Differences of two values are compared without being computed.
    fn comparison(&mut self, poly: &[Term]) -> Option<Comparison> {
        let (constant, terms) = self.terms(poly)?;
        let difference = match terms[..] {
            [] => Some((ZERO, ZERO)),
            [(1, left)] => Some((left, ZERO)),
            [(-1, right)] => Some((ZERO, right)),
            [(1, left), (-1, right)] | [(-1, right), (1, left)] => Some((left, right)),
            _ => None,
        };
        if let Some((left, right)) = difference
            && (-MAGNITUDE..=MAGNITUDE).contains(&constant)
        {
            return Some(Comparison { left, offset: self.constant(constant)?, right });
        }
        Some(Comparison { left: self.sum(constant, terms)?, offset: ZERO, right: ZERO })
    }

    /// Returns the position of a constant.
    fn constant(&mut self, constant: i64) -> Option<u8> {
        if constant == 0 {
            return Some(ZERO);
        }
        u8::try_from((VALUES - 1).checked_sub(position_of(&mut self.constants, constant))?).ok()
    }

    /// Returns the position of the value of a polynomial.
    fn value(&mut self, poly: &[Term]) -> Option<u8> {
        let (constant, terms) = self.terms(poly)?;
        match terms[..] {
            [(1, value)] if constant == 0 => Some(value),
            _ => self.sum(constant, terms),
        }
    }

    /// Returns the constant and the other terms of a polynomial. A product of several numbers is a value.
    fn terms(&mut self, poly: &[Term]) -> Option<(i64, Vec<(i64, u8)>)> {
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

    fn sum(&mut self, constant: i64, terms: Vec<(i64, u8)>) -> Option<u8> {
        let start = u16::try_from(self.terms.len()).ok()?;
        self.terms.extend(terms);
        let end = u16::try_from(self.terms.len()).ok()?;
        self.step(Step::Sum(Sum { constant, terms: (start, end) }))
    }

    /// Returns the position of a value.
    fn step(&mut self, step: Step) -> Option<u8> {
        let at = self.first + position_of(&mut self.steps, step);
        u8::try_from(at).ok().filter(|_| at < VALUES)
    }
}

/// Returns the position of an element, which is appended if it is new.
fn position_of<A: Array<Item: PartialEq>>(elements: &mut SmallVec<A>, element: A::Item) -> usize {
    elements.iter().position(|known| *known == element).unwrap_or_else(|| {
        elements.push(element);
        elements.len() - 1
    })
}
