//! Polynomials with integer coefficients over atoms.
//!
//! Arithmetic is checked: a coefficient that exceeds 128 bits, or a polynomial with too many terms, is `None`, and
//! nothing is known of the value that it would have described.

use std::cmp::Ordering;

use smallvec::{SmallVec, smallvec};

/// An unknown of a polynomial: an index into the [`Atoms`](super::atoms::Atoms).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Atom(pub(super) u32);

/// The maximum number of terms.
const TERMS: usize = 24;

/// The maximum degree.
const DEGREE: usize = 6;

/// The number of bits of a factor of a [`Monomial`].
const FACTOR_BITS: u32 = 21;

/// The number of atoms that a [`Monomial`] can tell apart.
pub(super) const MAX_ATOMS: usize = (1 << FACTOR_BITS) - 1;

/// A product of at most [`DEGREE`] atoms; empty for the constant term. The numbers of the atoms plus 1, in ascending order
/// from the most significant bits on, and then zeros, so that products are ordered like lists of atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Monomial(u128);

impl Monomial {
    /// The position of the first factor.
    const FIRST: u32 = u128::BITS - FACTOR_BITS;

    /// The bits of the last factor.
    const LAST: u128 = (MAX_ATOMS as u128) << (Self::FIRST - FACTOR_BITS * (DEGREE as u32 - 1));

    fn of(atom: Atom) -> Monomial {
        Monomial(u128::from(atom.0 + 1) << Self::FIRST)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Returns the atoms in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Atom> + use<> {
        let mut factors = self.0;
        std::iter::from_fn(move || {
            let first = (factors >> Self::FIRST) as u32;
            factors <<= FACTOR_BITS;
            first.checked_sub(1).map(Atom)
        })
    }

    /// Returns the number of times that an atom is a factor.
    fn degree(&self, atom: Atom) -> usize {
        self.iter().filter(|of| *of == atom).count()
    }

    /// Returns the product with an atom, unless its degree exceeds the maximum.
    fn with(self, atom: Atom) -> Option<Monomial> {
        if self.0 & Self::LAST != 0 {
            return None;
        }
        let smaller = self.iter().take_while(|of| *of <= atom).count() as u32 * FACTOR_BITS;
        // The factors before and after the atom. A shift by all bits is not defined, hence the two steps.
        let before = if smaller == 0 { 0 } else { self.0 >> (u128::BITS - smaller) << (u128::BITS - smaller) };
        let after = (self.0 ^ before) >> FACTOR_BITS;
        Some(Monomial(before | (Monomial::of(atom).0 >> smaller) | after))
    }

    /// Returns the product, unless its degree exceeds the maximum.
    fn times(self, other: Monomial) -> Option<Monomial> {
        if self.is_empty() {
            return Some(other);
        }
        other.iter().try_fold(self, Monomial::with)
    }

    /// Returns the product without the first occurrences of an atom.
    fn without(&self, atom: Atom, count: usize) -> Monomial {
        let (mut factors, mut position, mut removed) = (0, Self::FIRST + FACTOR_BITS, 0);
        for of in self.iter() {
            if of == atom && removed < count {
                removed += 1;
            } else {
                position -= FACTOR_BITS;
                factors |= u128::from(of.0 + 1) << position;
            }
        }
        Monomial(factors)
    }
}

/// A monomial with its coefficient.
type Term = (Monomial, i128);

/// A sum of monomials with coefficients. The terms are sorted by monomial, and no coefficient is zero, so that equal
/// polynomials compare as equal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Poly {
    terms: Terms,
}

/// Most polynomials have three to six terms.
type Terms = SmallVec<[Term; 6]>;

impl Clone for Poly {
    fn clone(&self) -> Self {
        // `SmallVec::clone` copies one term after the other.
        Poly { terms: SmallVec::from_slice(&self.terms) }
    }
}

/// The terms of `left + factor * right`, some of which may have the coefficient 0; `None` if a coefficient overflows.
struct Sum<'p> {
    left: &'p [Term],
    factor: i128,
    right: &'p [Term],
}

impl Iterator for Sum<'_> {
    type Item = Option<Term>;

    fn next(&mut self) -> Option<Self::Item> {
        let order = match (self.left.first(), self.right.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((left, _)), Some((right, _))) => left.cmp(right),
        };
        let mut term = (Monomial::default(), 0);
        if order.is_le()
            && let Some((first, rest)) = self.left.split_first()
        {
            (term, self.left) = (*first, rest);
        }
        if order.is_ge()
            && let Some(((monomial, value), rest)) = self.right.split_first()
        {
            self.right = rest;
            let Some(sum) = product(*value, self.factor).and_then(|value| term.1.checked_add(value)) else {
                return Some(None);
            };
            term = (*monomial, sum);
        }
        Some(Some(term))
    }
}

/// Returns the product of two numbers, unless it overflows. They usually have at most 64 bits, and then it cannot.
pub(super) fn product(left: i128, right: i128) -> Option<i128> {
    if left == 1 {
        return Some(right);
    }
    match (i64::try_from(left), i64::try_from(right)) {
        (Ok(left), Ok(right)) => Some(i128::from(left) * i128::from(right)),
        _ => left.checked_mul(right),
    }
}

impl Poly {
    pub(super) fn constant(value: i128) -> Poly {
        let mut terms = SmallVec::new();
        if value != 0 {
            terms.push((Monomial::default(), value));
        }
        Poly { terms }
    }

    pub(super) fn atom(atom: Atom) -> Poly {
        Poly { terms: smallvec![(Monomial::of(atom), 1)] }
    }

    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns the atom that the polynomial consists of, if it is one.
    pub(super) fn as_atom(&self) -> Option<Atom> {
        let [(monomial, 1)] = self.terms.as_slice() else { return None };
        let mut atoms = monomial.iter();
        atoms.next().filter(|_| atoms.next().is_none())
    }

    /// Returns the value of a constant polynomial.
    pub(super) fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// Returns the constant term.
    pub(super) fn constant_term(&self) -> i128 {
        match self.terms.first() {
            Some((monomial, value)) if monomial.is_empty() => *value,
            _ => 0,
        }
    }

    /// Returns `self + factor * other`.
    pub(super) fn plus(&self, factor: i128, other: &Poly) -> Option<Poly> {
        if other.terms.is_empty() || factor == 0 {
            return Some(self.clone());
        }
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        let mut terms = Terms::new();
        while let ([one, of_left @ ..], [two, of_right @ ..]) = (left, right) {
            match one.0.cmp(&two.0) {
                Ordering::Less => {
                    terms.push(*one);
                    left = of_left;
                }
                Ordering::Greater => {
                    terms.push((two.0, product(two.1, factor)?));
                    right = of_right;
                }
                Ordering::Equal => {
                    let sum = one.1.checked_add(product(two.1, factor)?)?;
                    if sum != 0 {
                        terms.push((one.0, sum));
                    }
                    (left, right) = (of_left, of_right);
                }
            }
        }
        terms.extend_from_slice(left);
        for (monomial, value) in right {
            terms.push((*monomial, product(*value, factor)?));
        }
        (terms.len() <= TERMS).then_some(Poly { terms })
    }

    /// Returns the terms of `self - other`, some of which may have the coefficient 0; `None` if a coefficient overflows.
    pub(super) fn difference<'p>(&'p self, other: &'p Poly) -> impl Iterator<Item = Option<Term>> + 'p {
        Sum { left: &self.terms, factor: -1, right: &other.terms }
    }

    pub(super) fn add(&self, other: &Poly) -> Option<Poly> {
        self.plus(1, other)
    }

    pub(super) fn sub(&self, other: &Poly) -> Option<Poly> {
        self.plus(-1, other)
    }

    /// Returns `-self`.
    pub(super) fn negated(mut self) -> Option<Poly> {
        for (_, value) in &mut self.terms {
            *value = value.checked_neg()?;
        }
        Some(self)
    }

    /// Returns `self + value`.
    pub(super) fn offset(&self, value: i128) -> Option<Poly> {
        self.plus(1, &Poly::constant(value))
    }

    pub(super) fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (right, factor) in &other.terms {
            let mut terms = Terms::with_capacity(self.terms.len());
            for (left, value) in &self.terms {
                terms.push((left.times(*right)?, product(*value, *factor)?));
            }
            if !right.is_empty() {
                terms.sort_unstable();
            }
            sum = if sum.terms.is_empty() { Poly { terms } } else { sum.add(&Poly { terms })? };
        }
        Some(sum)
    }

    /// Returns the quotient by a constant that divides every coefficient.
    fn divided_by(&self, divisor: i128) -> Option<Poly> {
        let mut terms = self.terms.clone();
        for (_, value) in &mut terms {
            if divisor == 0 || *value % divisor != 0 {
                return None;
            }
            *value /= divisor;
        }
        Some(Poly { terms })
    }

    /// Returns the quotient, if the divisor is a single term that divides every term.
    pub(super) fn quotient(&self, divisor: &Poly) -> Option<Poly> {
        let [(by, factor)] = divisor.terms.as_slice() else {
            // A multiple by a constant.
            let (of, value) = (self.terms.last()?, divisor.terms.last()?);
            let factor = (of.0 == value.0 && of.1 % value.1 == 0).then(|| of.1 / value.1)?;
            return (*self == Poly::default().plus(factor, divisor)?).then(|| Poly::constant(factor));
        };
        let mut quotient = self.divided_by(*factor)?;
        for (monomial, _) in &mut quotient.terms {
            for atom in by.iter() {
                if monomial.degree(atom) == 0 {
                    return None;
                }
                *monomial = monomial.without(atom, 1);
            }
        }
        quotient.terms.sort_unstable();
        Some(quotient)
    }

    /// Returns the greatest atom that satisfies a condition.
    pub(super) fn innermost(&self, accept: impl Fn(Atom) -> bool) -> Option<Atom> {
        self.atoms().filter(|atom| accept(*atom)).max()
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.terms.iter().flat_map(|(monomial, _)| monomial.iter())
    }

    /// Splits into `(coefficient, rest)` with `self = coefficient * atom + rest`, if it is linear in the atom.
    pub(super) fn split(&self, atom: Atom) -> Option<(Poly, Poly)> {
        let (mut coefficient, mut rest) = (Poly::default(), Poly::default());
        for (monomial, value) in &self.terms {
            match monomial.degree(atom) {
                0 => rest.terms.push((*monomial, *value)),
                1 => coefficient.terms.push((monomial.without(atom, DEGREE), *value)),
                _ => return None,
            }
        }
        coefficient.terms.sort_unstable();
        Some((coefficient, rest))
    }

    /// Returns the polynomial with an atom replaced by a polynomial.
    pub(super) fn substitute(&self, atom: Atom, value: &Poly) -> Option<Poly> {
        let mut result = Poly::default();
        for (monomial, factor) in &self.terms {
            let mut term = Poly { terms: smallvec![(monomial.without(atom, DEGREE), *factor)] };
            for _ in 0..monomial.degree(atom) {
                term = term.mul(value)?;
            }
            result = result.add(&term)?;
        }
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Poly {
        Poly::atom(Atom(0))
    }

    fn y() -> Poly {
        Poly::atom(Atom(1))
    }

    #[test]
    fn terms_cancel() {
        let sum = x().add(&y()).unwrap();
        let product = sum.mul(&sum).unwrap();
        let expected = x().mul(&x()).unwrap().plus(2, &x().mul(&y()).unwrap()).unwrap();
        let expected = expected.add(&y().mul(&y()).unwrap()).unwrap();
        assert_eq!(product, expected);
        assert_eq!(product.sub(&expected).unwrap(), Poly::constant(0));
        assert_eq!(product.sub(&expected).unwrap().as_constant(), Some(0));
    }

    #[test]
    fn splits_and_substitutes() {
        // 3xy + 2x + y + 5
        let p = x().mul(&y()).unwrap().plus(2, &Poly::default()).unwrap();
        let p = Poly::default().plus(3, &p).unwrap().plus(2, &x()).unwrap().add(&y()).unwrap().offset(5).unwrap();
        let (coefficient, rest) = p.split(Atom(0)).unwrap();
        assert_eq!(coefficient, Poly::default().plus(3, &y()).unwrap().offset(2).unwrap());
        assert_eq!(rest, y().offset(5).unwrap());
        assert_eq!(
            p.substitute(Atom(0), &Poly::constant(4)).unwrap(),
            Poly::default().plus(13, &y()).unwrap().offset(13).unwrap()
        );
        assert_eq!(p.innermost(|_| true), Some(Atom(1)));
    }

    #[test]
    fn quotients_are_exact() {
        let product = x().mul(&y()).unwrap();
        let six = Poly::default().plus(6, &product).unwrap();
        let two_x = Poly::default().plus(2, &x()).unwrap();
        assert_eq!(six.quotient(&two_x), Some(Poly::default().plus(3, &y()).unwrap()));
        assert_eq!(two_x.quotient(&six), None);
        let sum = x().add(&y()).unwrap();
        assert_eq!(Poly::default().plus(-4, &sum).unwrap().quotient(&sum), Some(Poly::constant(-4)));
    }

    #[test]
    fn factors_are_sorted() {
        let atoms = [Atom(7), Atom(0), Atom(MAX_ATOMS as u32 - 1), Atom(7), Atom(3)];
        let mut sorted = atoms;
        sorted.sort_unstable();
        let product = atoms.iter().try_fold(Monomial::default(), |product, atom| product.with(*atom)).unwrap();
        assert_eq!(product.iter().collect::<Vec<_>>(), sorted);
        assert_eq!((product.degree(Atom(7)), product.degree(Atom(1))), (2, 0));
        assert_eq!(product.without(Atom(7), 1).iter().collect::<Vec<_>>(), [Atom(0), Atom(3), Atom(7), sorted[4]]);
        assert_eq!(product.without(Atom(7), DEGREE).iter().collect::<Vec<_>>(), [Atom(0), Atom(3), sorted[4]]);
        let full = product.with(Atom(1)).unwrap();
        assert_eq!((full.iter().count(), full.with(Atom(1)), product.times(product)), (DEGREE, None, None));
        assert!(Monomial::default() < Monomial::of(Atom(0)) && full < product, "as lists of atoms");
    }

    #[test]
    fn overflow_is_unknown() {
        let large = Poly::constant(i128::MAX);
        assert_eq!(large.offset(1), None);
        assert_eq!(large.mul(&Poly::constant(2)), None);
        let mut power = x();
        for _ in 1..DEGREE {
            power = power.mul(&x()).unwrap();
        }
        assert_eq!(power.mul(&x()), None);
    }
}
