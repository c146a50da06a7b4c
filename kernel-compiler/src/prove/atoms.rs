//! The unknowns of a program: what is known of each, and which of them the host can compute at a launch.

use std::cell::OnceCell;
use std::rc::Rc;

use super::condition::Condition;
use super::poly::{Atom, MAX_ATOMS, Monomial, Poly, product};
use super::symbol::LaunchSymbol;
use crate::set::Set;

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Range {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Range {
    pub(super) fn new(lo: i128, hi: i128) -> Range {
        Range { lo, hi }
    }
}

/// A linear bound of an atom: `scale * atom` is at least, or at most, `limit`, if the condition holds. The scale is
/// positive, and all atoms in it and in the limit precede the atom.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) scale: Poly,
    pub(super) limit: Poly,
    pub(super) when: Condition,
}

impl Bound {
    /// Returns an unconditional bound.
    pub(super) fn new(limit: Poly) -> Rc<Bound> {
        Bound::when(limit, Condition::TRUE)
    }

    /// Returns a bound that holds under a condition.
    pub(super) fn when(limit: Poly, when: Condition) -> Rc<Bound> {
        Rc::new(Bound { scale: Poly::constant(1), limit, when })
    }
}

/// A polynomial that is not negative where the fact is in scope, if the condition holds.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) poly: Poly,
    /// The most recent atom that threads or iterations disagree about: see [`Atoms::innermost_of`].
    innermost: Option<Atom>,
    pub(super) when: Condition,
    /// The bounds of its atoms that the fact implies, once a search has asked for them.
    bounds: OnceCell<Vec<FactBound>>,
}

/// A bound of an atom that a fact implies.
#[derive(Debug)]
struct FactBound {
    atom: Atom,
    is_lower: bool,
    bound: Rc<Bound>,
}

/// One of the values that an atom can have, and what is known where it has this value.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) value: Poly,
    pub(super) facts: Vec<Rc<Fact>>,
}

/// How the host computes an atom that is the same for all threads of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Uniform {
    Symbol(LaunchSymbol),
    /// The value of a polynomial modulo `2^bits`, as a signed or an unsigned number.
    Wrapped {
        poly: Poly,
        bits: u32,
        signed: bool,
    },
    /// The quotient of a number that is not negative by a positive number, rounded down.
    Quotient(Poly, Poly),
    Min(Poly, Poly),
    Max(Poly, Poly),
}

/// The knowledge about an atom.
#[derive(Clone, Debug)]
pub(super) struct AtomInfo {
    pub(super) range: Range,
    /// `None` if threads or iterations have different values.
    pub(super) uniform: Option<Uniform>,
    pub(super) lower: Vec<Rc<Bound>>,
    pub(super) upper: Vec<Rc<Bound>>,
    /// If not empty, the atom has one of these values.
    pub(super) cases: Vec<Case>,
    /// Whether it is a value in memory, of which nothing but its type is known.
    pub(super) loaded: bool,
}

impl AtomInfo {
    /// Returns the description of an atom of which nothing but its range is known.
    pub(super) fn of(range: Range) -> AtomInfo {
        AtomInfo { range, uniform: None, lower: Vec::new(), upper: Vec::new(), cases: Vec::new(), loaded: false }
    }
}

/// The atoms of a program, in the order of their creation.
#[derive(Default)]
pub(super) struct Atoms {
    infos: Vec<AtomInfo>,
    /// The ranges of the atoms, and whether threads and iterations agree about them, apart from the rest: each step of a
    /// search reads them.
    ranges: Vec<(Range, bool)>,
    /// The growth of the atoms that are computed from others: see [`Atoms::growth`].
    growths: Vec<u32>,
    /// The lengths of slices.
    pub(super) lengths: Set<Atom>,
    /// Whether there are more atoms than polynomials can tell apart: nothing is proved then.
    pub(super) exhausted: bool,
    /// In the loop whose checks are tested at its entry, the first atom that is created in it. Those before it are invariant
    /// in the loop, and count as uniform: see [`loops`](super::loops).
    pub(super) entry: Option<Atom>,
}

impl Atoms {
    /// Adds an atom of which nothing but its range is known.
    pub(super) fn fresh(&mut self, range: Range) -> Atom {
        self.add(AtomInfo::of(range))
    }

    pub(super) fn add(&mut self, info: AtomInfo) -> Atom {
        if self.infos.len() == MAX_ATOMS {
            self.exhausted = true;
            return Atom(MAX_ATOMS as u32 - 1);
        }
        self.ranges.push((info.range, info.uniform.is_some()));
        self.growths.push(match &info.uniform {
            Some(Uniform::Wrapped { poly, .. }) => self.growth_of(poly),
            Some(Uniform::Quotient(dividend, divisor)) => {
                self.growth_of(dividend).saturating_sub(self.growth_of(divisor))
            }
            Some(Uniform::Min(left, right) | Uniform::Max(left, right)) => {
                self.growth_of(left).max(self.growth_of(right))
            }
            Some(Uniform::Symbol(_)) | None => 1,
        });
        self.infos.push(info);
        Atom(self.infos.len() as u32 - 1)
    }

    pub(super) fn fact(&self, poly: Poly, when: Condition) -> Rc<Fact> {
        let innermost = poly.innermost(|atom| !self.is_of_launch(atom));
        Rc::new(Fact { poly, innermost, when, bounds: OnceCell::new() })
    }

    /// Returns the most recent atom of a fact that threads or iterations disagree about.
    pub(super) fn innermost_of(&self, fact: &Fact) -> Option<Atom> {
        fact.innermost.filter(|atom| !self.is_uniform(*atom))
    }

    /// Returns the lower or the upper bound of an atom that a fact implies.
    pub(super) fn bound_by<'f>(&self, fact: &'f Fact, atom: Atom, lower: bool) -> Option<&'f Rc<Bound>> {
        let bounds = fact.bounds.get_or_init(|| {
            let mut atoms: Vec<Atom> = fact.poly.atoms().filter(|atom| !self.is_of_launch(*atom)).collect();
            atoms.sort_unstable();
            atoms.dedup();
            atoms.into_iter().filter_map(|atom| self.fact_bound(fact, atom)).collect()
        });
        let of = bounds.iter().find(|of| of.atom == atom && of.is_lower == lower)?;
        Some(&of.bound)
    }

    fn fact_bound(&self, fact: &Fact, atom: Atom) -> Option<FactBound> {
        let (coefficient, rest) = fact.poly.split(atom)?;
        // coefficient * atom >= -rest, or -coefficient * atom <= rest
        let is_lower = self.is_positive(&coefficient);
        let (scale, limit) = if is_lower { (coefficient, rest.negated()?) } else { (coefficient.negated()?, rest) };
        if !is_lower && !self.is_positive(&scale) {
            return None;
        }
        Some(FactBound { atom, is_lower, bound: Rc::new(Bound { scale, limit, when: fact.when }) })
    }

    /// Returns the most recent atom of a polynomial that threads or iterations disagree about.
    pub(super) fn innermost(&self, poly: &Poly) -> Option<Atom> {
        poly.innermost(|atom| !self.is_uniform(atom))
    }

    pub(super) fn get(&self, atom: Atom) -> &AtomInfo {
        &self.infos[atom.0 as usize]
    }

    /// Returns whether a condition may refer to an atom: one of the launch, or one that precedes the loop.
    pub(super) fn is_uniform(&self, atom: Atom) -> bool {
        self.is_of_launch(atom) || self.entry.is_some_and(|entry| atom < entry)
    }

    /// Returns whether the host can compute the atom at a launch.
    fn is_of_launch(&self, atom: Atom) -> bool {
        self.ranges[atom.0 as usize].1
    }

    /// Returns the atom that will be created next.
    pub(super) fn next(&self) -> Atom {
        Atom(self.infos.len() as u32)
    }

    /// Returns whether a condition may refer to the polynomial.
    pub(super) fn is_uniform_poly(&self, poly: &Poly) -> bool {
        poly.atoms().all(|atom| self.is_uniform(atom))
    }

    /// Returns whether launches are expected in which the polynomial of uniform atoms is not negative: whether its positive
    /// terms grow with the problem at least as fast as its negative ones, or a constant exceeds usual problems.
    ///
    /// A heuristic that ranks conditions. The length of a slice counts twice, since it often is the product of two extents:
    /// `a.len() >= n * n` is plausible, `b.len() >= n * a.len()` and `8 >= n` are not.
    pub(super) fn is_plausible(&self, poly: &Poly) -> bool {
        let growth = |is_positive: bool| {
            let of_sign = poly.terms().iter().filter(|(_, coefficient)| (*coefficient > 0) == is_positive);
            of_sign.map(|(monomial, _)| monomial.iter().map(|atom| self.growth(atom)).sum::<u32>()).max().unwrap_or(0)
        };
        poly.constant_term() >= 1 << 30 || growth(true) >= growth(false)
    }

    /// Returns the power of a problem's extent that an atom is proportional to.
    fn growth(&self, atom: Atom) -> u32 {
        match &self.get(atom).uniform {
            Some(Uniform::Symbol(_)) if self.lengths.contains(&atom) => 2,
            Some(Uniform::Symbol(LaunchSymbol::BlockDim(_) | LaunchSymbol::DynamicSharedBytes)) => 0,
            _ => self.growths[atom.0 as usize],
        }
    }

    /// Returns that of the term of a polynomial that grows most.
    fn growth_of(&self, poly: &Poly) -> u32 {
        let of = |monomial: &Monomial| monomial.iter().map(|atom| self.growth(atom)).sum::<u32>();
        poly.terms().iter().map(|(monomial, _)| of(monomial)).max().unwrap_or(0)
    }

    /// Returns an interval that contains the polynomial's values, as far as the ranges of the atoms alone determine it;
    /// `None` for a bound that exceeds 128 bits.
    pub(super) fn interval(&self, poly: &Poly) -> (Option<i128>, Option<i128>) {
        let (mut lo, mut hi) = (Some(0i128), Some(0i128));
        for (monomial, coefficient) in poly.terms() {
            let Some(Range { lo: least, hi: most }) = self.monomial(monomial, *coefficient) else {
                return (None, None);
            };
            lo = lo.and_then(|lo| lo.checked_add(least));
            hi = hi.and_then(|hi| hi.checked_add(most));
        }
        (lo, hi)
    }

    fn monomial(&self, monomial: &Monomial, coefficient: i128) -> Option<Range> {
        let mut range = Range::new(coefficient, coefficient);
        for atom in monomial.iter() {
            let (Range { lo, hi }, _) = self.ranges[atom.0 as usize];
            if range == Range::new(1, 1) {
                range = Range::new(lo, hi);
                continue;
            }
            range = if lo >= 0 && range.lo >= 0 {
                Range::new(product(range.lo, lo)?, product(range.hi, hi)?)
            } else if lo >= 0 && range.hi <= 0 {
                Range::new(product(range.lo, hi)?, product(range.hi, lo)?)
            } else {
                let corners =
                    [product(range.lo, lo)?, product(range.lo, hi)?, product(range.hi, lo)?, product(range.hi, hi)?];
                Range::new(*corners.iter().min()?, *corners.iter().max()?)
            };
        }
        Some(range)
    }

    /// Returns whether the ranges of the atoms alone imply `poly >= other`.
    pub(super) fn is_at_least(&self, poly: &Poly, other: &Poly) -> bool {
        let least = poly.difference(other).try_fold(0i128, |least, term| {
            let (monomial, coefficient) = term?;
            if coefficient == 0 { Some(least) } else { least.checked_add(self.monomial(&monomial, coefficient)?.lo) }
        });
        least.is_some_and(|least| least >= 0)
    }

    pub(super) fn is_nonnegative(&self, poly: &Poly) -> bool {
        self.interval(poly).0.is_some_and(|lo| lo >= 0)
    }

    pub(super) fn is_positive(&self, poly: &Poly) -> bool {
        self.interval(poly).0.is_some_and(|lo| lo >= 1)
    }

    pub(super) fn is_nonpositive(&self, poly: &Poly) -> bool {
        self.interval(poly).1.is_some_and(|hi| hi <= 0)
    }
}
