//! Guards: a few comparisons that suffice for the verdict of an earlier launch.
//!
//! Most launches of a kernel have the same grid and block as the one before, and other lengths. With a fixed grid and block, a
//! condition such as `x.len() >= grid_dim().x * block_dim().x` compares a length with a constant, and of the conditions of which one
//! suffices, that which held before is likely to hold again. A guard has these comparisons only: it takes little code and memory,
//! which the driver's code for a launch has evicted from the first caches.

use super::flat::{Comparison, Connective, Flat, MAGNITUDE, Network, Step, Sum, Truths, VALUES, ZERO};
use crate::verdict::Verdict;

/// The number of values that a guard compares: 0, and those that vary.
pub const GUARD_VALUES: usize = 32;

/// The maximum number of comparisons.
const COMPARISONS: usize = 16;

/// The maximum number of terms of an affine function.
const TERMS: usize = 4;

/// The maximum magnitude of coefficients: with values of 62 bits, sums of terms have far less than 128 bits, with which the predicate
/// is evaluated where 64 do not suffice.
const COEFFICIENT: i64 = 1 << 31;

/// Comparisons of the values that vary, which suffice for some groups of checks if the other symbols keep their values.
///
/// It has no allocation: the launch that makes it allocates nothing, and it is kept in a thread-local variable without a destructor.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// The least value that each of them may have.
    least: i64,
    /// The greatest value minus the least one.
    extent: u64,
    comparisons: Few<Difference, COMPARISONS>,
}

/// Up to `N` elements.
#[derive(Clone, Copy, Debug)]
struct Few<T, const N: usize> {
    elements: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Few { elements: [T::default(); N], len: 0 }
    }
}

impl<T: Copy, const N: usize> Few<T, N> {
    #[inline]
    fn as_slice(&self) -> &[T] {
        &self.elements[..self.len.min(N)]
    }

    /// Appends an element; `None` if there is no room.
    fn push(&mut self, element: T) -> Option<()> {
        *self.elements.get_mut(self.len)? = element;
        self.len += 1;
        Some(())
    }
}

/// Whether the difference of two values, plus a constant, is not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Difference {
    constant: i64,
    left: u8,
    right: u8,
}

impl Guard {
    /// Returns whether a value that varies, extended to 64 bits, is in the range for which the guard was made.
    #[inline]
    pub fn accepts(&self, value: u64) -> bool {
        value.wrapping_sub(self.least.cast_unsigned()) <= self.extent
    }

    /// Returns whether the comparisons hold. The first value is 0, and the others are accepted.
    #[inline]
    pub fn holds(&self, values: &[i64; GUARD_VALUES]) -> bool {
        let value = |at: u8| values[usize::from(at) % GUARD_VALUES];
        // Without branches: accepted values have 62 bits, so that nothing overflows.
        let holds = |Difference { constant, left, right }: &Difference| value(*left) - value(*right) + constant >= 0;
        self.comparisons.as_slice().iter().fold(true, |all, comparison| all & holds(comparison))
    }
}

#[cfg(test)]
impl Guard {
    /// Returns whether it compares anything.
    pub(super) fn compares(&self) -> bool {
        self.comparisons.len > 0
    }
}

impl Flat {
    /// Returns the guard of some groups; `None` if these values do not prove them, or a comparison is not one of two values that
    /// vary. `variable` returns the position of a symbol among those, from 1 on, and `None` for one whose value does not vary.
    pub(super) fn guard(
        &self,
        groups: Verdict,
        symbol: impl Fn(usize) -> u64,
        variable: impl Fn(usize) -> Option<u8>,
    ) -> Option<Guard> {
        let mut values = [0; VALUES];
        self.compute(&symbol, &mut values)?;
        let mut positions = [None; VALUES];
        for (symbol, position) in positions.iter_mut().enumerate().take(self.symbols.len()) {
            *position = variable(symbol);
        }
        let comparisons = Few::default();
        let mut derivation = Derivation { flat: self, values: &values, positions: &positions, comparisons };
        match &self.truths {
            Truths::Few(network) => derivation.require_groups(network, groups)?,
            Truths::Many(network) => derivation.require_groups(network, groups)?,
        }
        // One range for all: that in which each of them is in its own.
        let (mut least, mut greatest) = (-MAGNITUDE, MAGNITUDE);
        let varying = derivation.positions.iter().zip(&self.symbols).filter(|(position, _)| position.is_some());
        for (_, range) in varying {
            let range = self.ranges[usize::from(*range)];
            least = least.max(range.least);
            greatest = greatest.min(range.least.wrapping_add_unsigned(range.extent));
        }
        let extent = u64::try_from(greatest.checked_sub(least)?).ok()?;
        Some(Guard { least, extent, comparisons: derivation.comparisons })
    }
}

/// The derivation of the comparisons of a guard from values for which its groups are proved.
struct Derivation<'a> {
    flat: &'a Flat,
    values: &'a [i64; VALUES],
    /// The position of each symbol among the values that vary.
    positions: &'a [Option<u8>; VALUES],
    comparisons: Few<Difference, COMPARISONS>,
}

impl Derivation<'_> {
    fn require_groups<const WORDS: usize>(&mut self, network: &Network<WORDS>, groups: Verdict) -> Option<()> {
        let truths = network.truths(self.values);
        for (group, connective) in network.groups.iter().enumerate() {
            if groups.has(u32::try_from(group).ok()?) {
                self.require_connective(network, &truths, connective)?;
            }
        }
        // Every other group was not asked for, or does not exist.
        (groups.bits().checked_shr(u32::try_from(network.groups.len()).ok()?).unwrap_or(0) == 0).then_some(())
    }

    /// Adds comparisons that suffice for a connective.
    fn require_connective<const WORDS: usize>(
        &mut self,
        network: &Network<WORDS>,
        truths: &[u64; WORDS],
        connective: &Connective<WORDS>,
    ) -> Option<()> {
        let is_set = |words: &[u64; WORDS], bit: usize| words[bit / 64] >> (bit % 64) & 1 != 0;
        let parts = (0..64 * WORDS).filter(|bit| is_set(&connective.of, *bit));
        if connective.is_conjunction {
            for bit in parts {
                self.require_truth(network, truths, bit)?;
            }
            return Some(());
        }
        for bit in parts.filter(|bit| is_set(truths, *bit)) {
            let before = self.comparisons;
            if self.require_truth(network, truths, bit).is_some() {
                return Some(());
            }
            self.comparisons = before;
        }
        None
    }

    /// Adds comparisons that suffice for a truth value.
    fn require_truth<const WORDS: usize>(
        &mut self,
        network: &Network<WORDS>,
        truths: &[u64; WORDS],
        bit: usize,
    ) -> Option<()> {
        if let Some(comparison) = network.comparisons.get(bit) {
            return self.require(*comparison);
        }
        let connective = network.inner.get(bit - network.comparisons.len())?;
        self.require_connective(network, truths, connective)
    }

    /// Adds comparisons that suffice for one of a predicate.
    fn require(&mut self, Comparison { left, offset, right }: Comparison) -> Option<()> {
        let value = |at: u8| self.values[usize::from(at)];
        match (self.step(left), self.step(right)) {
            // What is not less than a maximum is not less than both; for a minimum, the lesser one suffices, as it does now, if the
            // other one exists.
            (_, Some(Step::Max(a, b))) => {
                self.require(Comparison { left, offset, right: a })?;
                self.require(Comparison { left, offset, right: b })
            }
            (_, Some(Step::Min(a, b))) => {
                let (lesser, other) = if value(a) < value(b) { (a, b) } else { (b, a) };
                self.affine(other)?;
                self.require(Comparison { left, offset, right: lesser })
            }
            (Some(Step::Min(a, b)), _) => {
                self.require(Comparison { left: a, offset, right })?;
                self.require(Comparison { left: b, offset, right })
            }
            (Some(Step::Max(a, b)), _) => {
                let (greater, other) = if value(a) > value(b) { (a, b) } else { (b, a) };
                self.affine(other)?;
                self.require(Comparison { left: greater, offset, right })
            }
            _ => {
                let mut difference = self.affine(left)?;
                difference.add(1, &self.affine(offset)?)?;
                difference.add(-1, &self.affine(right)?)?;
                self.require_non_negative(&difference)
            }
        }
    }

    fn require_non_negative(&mut self, Affine { constant, terms }: &Affine) -> Option<()> {
        let (left, right) = match *terms.as_slice() {
            [] => return (*constant >= 0).then_some(()),
            [(1, left)] => (left, ZERO),
            [(-1, right)] => (ZERO, right),
            [(1, left), (-1, right)] | [(-1, right), (1, left)] => (left, right),
            _ => return None,
        };
        if !(-MAGNITUDE..=MAGNITUDE).contains(constant) {
            return None;
        }
        let difference = Difference { constant: *constant, left, right };
        if self.comparisons.as_slice().contains(&difference) { Some(()) } else { self.comparisons.push(difference) }
    }

    /// Returns how a value is computed, unless it is that of a symbol or a constant.
    fn step(&self, at: u8) -> Option<Step> {
        self.flat.steps.get(usize::from(at).checked_sub(1 + self.flat.symbols.len())?).copied()
    }

    /// Returns a value as a function of those that vary; `None` if it is not an affine one.
    fn affine(&self, at: u8) -> Option<Affine> {
        if let Some(symbol) = usize::from(at).checked_sub(1)
            && let Some(Some(position)) = self.positions.get(symbol)
        {
            let mut varying = Affine::default();
            varying.terms.push((1, *position))?;
            return Some(varying);
        }
        let value = Affine { constant: self.values[usize::from(at)], ..Affine::default() };
        // What does not depend on values that vary has the value that it has now.
        let Some(step) = self.step(at) else { return Some(value) };
        match step {
            Step::Product(a, b) => {
                let (a, b) = (self.affine(a)?, self.affine(b)?);
                let (factor, of) = if a.is_constant() {
                    (a.constant, &b)
                } else if b.is_constant() {
                    (b.constant, &a)
                } else {
                    return None;
                };
                let mut product = Affine::default();
                product.add(factor, of)?;
                Some(product)
            }
            Step::Sum(Sum { constant, terms: (start, end) }) => {
                let mut sum = Affine { constant, ..Affine::default() };
                for (coefficient, at) in &self.flat.terms[start.into()..end.into()] {
                    sum.add(*coefficient, &self.affine(*at)?)?;
                }
                Some(sum)
            }
            Step::Wrapped { value: a, .. } => self.affine(a)?.is_constant().then_some(value),
            Step::Quotient(a, b) | Step::Min(a, b) | Step::Max(a, b) => {
                (self.affine(a)?.is_constant() && self.affine(b)?.is_constant()).then_some(value)
            }
        }
    }
}

/// A constant, and multiples of values that vary, by their positions.
#[derive(Clone, Copy, Default)]
struct Affine {
    constant: i64,
    terms: Few<(i64, u8), TERMS>,
}

impl Affine {
    fn is_constant(&self) -> bool {
        self.terms.len == 0
    }

    /// Adds a multiple of another one; `None` if a number does not fit, or there are too many terms. A term whose coefficients
    /// cancel each other counts as well: its product is evaluated by the predicate.
    fn add(&mut self, factor: i64, other: &Affine) -> Option<()> {
        self.constant = self.constant.checked_add(factor.checked_mul(other.constant)?)?;
        for (coefficient, position) in other.terms.as_slice() {
            let coefficient = fitting(factor.checked_mul(*coefficient)?)?;
            match self.terms.elements[..self.terms.len].iter_mut().find(|(_, known)| known == position) {
                Some((known, _)) => *known = fitting(known.checked_add(coefficient)?)?,
                None => self.terms.push((coefficient, *position))?,
            }
        }
        Some(())
    }
}

/// Returns a coefficient if it is not too large.
fn fitting(coefficient: i64) -> Option<i64> {
    (-COEFFICIENT..=COEFFICIENT).contains(&coefficient).then_some(coefficient)
}
