//! Polynomials with integer coefficients over atoms.
//!
//! Arithmetic is checked: a coefficient that exceeds 128 bits, or a polynomial with too many terms, is `None`, and
//! nothing is known of the value that it would have described.

use smallvec::{SmallVec, smallvec};

/// An unknown of a polynomial: an index into the [`Atoms`](super::atoms::Atoms).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Atom(pub(super) u32);

/// A product of atoms, in ascending order; empty for the constant term.
pub(super) type Monomial = SmallVec<[Atom; 4]>;

/// The maximum number of terms.
const TERMS: usize = 24;

/// The maximum degree.
const DEGREE: usize = 6;

/// A sum of monomials with coefficients. The terms are sorted by monomial, and no coefficient is zero, so that equal
/// polynomials compare as equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Poly {
    terms: SmallVec<[(Monomial, i128); 3]>,
}

impl Poly {
    pub(super) fn constant(value: i128) -> Poly {
        let mut terms = SmallVec::new();
        if value != 0 {
            terms.push((Monomial::new(), value));
        }
        Poly { terms }
    }

    pub(super) fn atom(atom: Atom) -> Poly {
        Poly { terms: smallvec![(smallvec![atom], 1)] }
    }

    pub(super) fn terms(&self) -> &[(Monomial, i128)] {
        &self.terms
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
        let mut terms = SmallVec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((left, _)), Some((right, _))) => left.cmp(right),
            };
            let mut sum: i128 = 0;
            let mut monomial = None;
            if order.is_le()
                && let Some((of, value)) = left.next()
            {
                (sum, monomial) = (*value, Some(of));
            }
            if order.is_ge()
                && let Some((of, value)) = right.next()
            {
                sum = sum.checked_add(value.checked_mul(factor)?)?;
                monomial = Some(of);
            }
            if let Some(monomial) = monomial
                && sum != 0
            {
                terms.push((monomial.clone(), sum));
            }
        }
        (terms.len() <= TERMS).then_some(Poly { terms })
    }

    pub(super) fn add(&self, other: &Poly) -> Option<Poly> {
        self.plus(1, other)
    }

    pub(super) fn sub(&self, other: &Poly) -> Option<Poly> {
        self.plus(-1, other)
    }

    /// Returns `self + value`.
    pub(super) fn offset(&self, value: i128) -> Option<Poly> {
        self.plus(1, &Poly::constant(value))
    }

    pub(super) fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::default();
        for (right, factor) in &other.terms {
            let mut terms = SmallVec::with_capacity(self.terms.len());
            for (left, value) in &self.terms {
                let mut monomial = left.clone();
                monomial.extend_from_slice(right);
                if monomial.len() > DEGREE {
                    return None;
                }
                monomial.sort_unstable();
                terms.push((monomial, value.checked_mul(*factor)?));
            }
            terms.sort();
            product = product.add(&Poly { terms })?;
        }
        Some(product)
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
            for atom in by {
                let position = monomial.iter().position(|of| of == atom)?;
                monomial.remove(position);
            }
        }
        quotient.terms.sort();
        Some(quotient)
    }

    /// Returns the greatest atom that satisfies a condition.
    pub(super) fn innermost(&self, accept: impl Fn(Atom) -> bool) -> Option<Atom> {
        self.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied()).filter(|atom| accept(*atom)).max()
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied())
    }

    /// Splits into `(coefficient, rest)` with `self = coefficient * atom + rest`, if it is linear in the atom.
    pub(super) fn split(&self, atom: Atom) -> Option<(Poly, Poly)> {
        let (mut coefficient, mut rest) = (Poly::default(), Poly::default());
        for (monomial, value) in &self.terms {
            match monomial.iter().filter(|of| **of == atom).count() {
                0 => rest.terms.push((monomial.clone(), *value)),
                1 => {
                    let others = monomial.iter().copied().filter(|of| *of != atom).collect();
                    coefficient.terms.push((others, *value));
                }
                _ => return None,
            }
        }
        coefficient.terms.sort();
        Some((coefficient, rest))
    }

    /// Returns the polynomial with an atom replaced by a polynomial.
    pub(super) fn substitute(&self, atom: Atom, value: &Poly) -> Option<Poly> {
        let mut result = Poly::default();
        for (monomial, factor) in &self.terms {
            let others: Monomial = monomial.iter().copied().filter(|of| *of != atom).collect();
            let mut term = Poly { terms: smallvec![(others, *factor)] };
            for _ in monomial.iter().filter(|of| **of == atom) {
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
