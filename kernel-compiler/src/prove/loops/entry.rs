//! The condition of a check as C expressions that are evaluated ahead of a loop.

use std::collections::HashMap;

use super::{at_most, number};
use crate::ir::Scalar;
use crate::lower::{Axis, CType, Expr, Helper, Module, Op, Operator, VarId};
use crate::prove::atoms::Uniform;
use crate::prove::condition::{Condition, Formula};
use crate::prove::poly::{Atom, Monomial, Poly};
use crate::prove::prover::Operation;
use crate::prove::symbol::LaunchSymbol;
use crate::prove::walk::{Value, Visit, Walk};

/// The maximum depth of nested operations in a test.
const DEPTH: usize = 4;

/// What can be computed ahead of a loop.
pub(super) struct Entry<'a> {
    module: &'a Module,
    walk: &'a Walk<'a>,
    visit: &'a Visit<'a>,
    /// The variables, the fields and the built-in variables that have the values of atoms, with their types.
    places: HashMap<Atom, (Expr, Scalar)>,
    /// The operations whose results are atoms.
    operations: HashMap<Atom, &'a (Operation, Poly, Poly)>,
    /// The greatest number of type `usize`.
    greatest: i128,
}

/// The test that a polynomial is not negative.
pub(super) struct Test {
    poly: Poly,
    pub(super) expr: Expr,
}

/// A number that is not negative, and at most `most`. If it exceeds the greatest one of its type, the expression has that
/// value.
struct Saturated {
    expr: Expr,
    most: Option<i128>,
}

/// Adds the atom that a variable has as its value, or those of its fields.
fn add_places(
    walk: &Walk<'_>,
    visit: &Visit<'_>,
    place: Expr,
    value: &Value,
    places: &mut HashMap<Atom, (Expr, Scalar)>,
) {
    match (value, walk.type_in(visit.function, &place)) {
        (Value::Int { poly, scalar, exact: true }, Some(ty)) if ty == CType::Scalar(*scalar) => {
            if let Some(atom) = poly.as_atom() {
                places.insert(atom, (place, *scalar));
            }
        }
        (Value::Struct(fields), Some(CType::Named(id))) => {
            for (position, field) in &**fields {
                add_places(walk, visit, Expr::field(place.clone(), id, *position), field, places);
            }
        }
        _ => {}
    }
}

impl<'a> Entry<'a> {
    /// `scope` are the variables that are in scope ahead of the loop.
    pub(super) fn new(module: &'a Module, walk: &'a Walk<'a>, scope: &[VarId], visit: &'a Visit<'a>) -> Entry<'a> {
        let mut places = HashMap::new();
        for (name, atom) in &walk.specials {
            places.insert(*atom, (Expr::Special(name), Scalar::U32));
        }
        // A variable rather than a field with the same value.
        let is_scalar = |var: &VarId| matches!(visit.function.vars[var.index()].ty, CType::Scalar(_));
        let (variables, structs): (Vec<VarId>, Vec<VarId>) = scope.iter().partition(|var| is_scalar(var));
        for var in structs.into_iter().chain(variables) {
            add_places(walk, visit, Expr::Var(var), &visit.vars[var.index()], &mut places);
        }
        let operations = walk.domain.operations.iter().map(|(operation, atom)| (*atom, operation)).collect();
        let greatest = walk.range(Scalar::Usize).hi;
        Entry { module, walk, visit, places, operations, greatest }
    }

    /// Returns the tests that a check cannot fail in any iteration, none if it never can; `None` if it may fail, or if the
    /// condition cannot be computed.
    pub(super) fn tests(&self, check: usize) -> Option<Vec<Test>> {
        let mut tests = Vec::new();
        for (of, condition) in &self.visit.checks {
            if *of == check {
                self.collect(*condition, &mut tests)?;
            }
        }
        Some(tests)
    }

    fn collect(&self, condition: Condition, tests: &mut Vec<Test>) -> Option<()> {
        match self.walk.domain.conditions.get(condition) {
            Formula::True => {}
            Formula::False | Formula::Invariant(_) => return None,
            Formula::NonNegative(poly) => self.test(poly, tests)?,
            Formula::All(parts) => {
                for part in parts {
                    self.collect(*part, tests)?;
                }
            }
            Formula::Any(parts) => {
                let alternatives = parts.iter().filter_map(|part| {
                    let mut tests = Vec::new();
                    self.collect(*part, &mut tests)?;
                    Some(tests)
                });
                tests.extend(alternatives.min_by_key(Vec::len)?);
            }
        }
        Some(())
    }

    /// Adds the test that a polynomial is not negative: the terms with negative coefficients are at most the others. There is none
    /// if there are no such terms.
    fn test(&self, poly: &Poly, tests: &mut Vec<Test>) -> Option<()> {
        let sum = |is_positive: bool| {
            let terms = poly.terms().iter().filter(|(_, coefficient)| (*coefficient > 0) == is_positive);
            let mut sum: Option<Saturated> = None;
            // The constant last.
            for (monomial, coefficient) in terms.rev() {
                let term = self.product(monomial, coefficient.unsigned_abs())?;
                sum = Some(match sum {
                    Some(sum) => self.combined(Operator::Add, sum, term),
                    None => term,
                });
            }
            Some(sum.map(|sum| sum.expr))
        };
        let (needed, available) = (sum(false)?, sum(true)?.unwrap_or(number(0)));
        let test = |needed| Test { poly: poly.clone(), expr: at_most(self.module, needed, available) };
        tests.extend(needed.map(test));
        Some(())
    }

    /// Returns whether the ranges of numbers alone show that a test implies another one.
    pub(super) fn implies(&self, test: &Test, other: &Test) -> bool {
        self.walk.domain.atoms.is_at_least(&other.poly, &test.poly)
    }

    fn product(&self, monomial: &Monomial, coefficient: u128) -> Option<Saturated> {
        let coefficient = i128::try_from(coefficient).ok().filter(|coefficient| *coefficient <= self.greatest)?;
        let literal = Saturated { expr: number(u64::try_from(coefficient).ok()?), most: Some(coefficient) };
        let mut product = (coefficient != 1 || monomial.is_empty()).then_some(literal);
        for atom in monomial.iter() {
            let factor = self.exact(&Poly::atom(atom), DEPTH)?;
            product = Some(match product {
                Some(product) => self.combined(Operator::Mul, factor, product),
                None => factor,
            });
        }
        product
    }

    /// Returns the sum or the product of two numbers.
    fn combined(&self, op: Operator, left: Saturated, right: Saturated) -> Saturated {
        let (most, saturating) = match (op, left.most.zip(right.most)) {
            (Operator::Add, Some((left, right))) => (left.checked_add(right), Op::SaturatingAdd),
            (Operator::Add, None) => (None, Op::SaturatingAdd),
            (_, Some((left, right))) => (left.checked_mul(right), Op::SaturatingMul),
            (_, None) => (None, Op::SaturatingMul),
        };
        if most.is_some_and(|most| most <= self.greatest) {
            return Saturated { expr: Expr::binary(op, left.expr, right.expr), most };
        }
        let helper = Helper::new(saturating, self.module.index);
        Saturated { expr: Expr::helper(helper, vec![left.expr, right.expr]), most }
    }

    /// Returns an expression of type `usize` with the value of a polynomial, if it is in the range of that type.
    fn exact(&self, poly: &Poly, depth: usize) -> Option<Saturated> {
        let (lo, hi) = self.walk.domain.atoms.interval(poly);
        let (lo, hi) = (lo?, hi?);
        let expr = (lo >= 0 && hi <= self.greatest).then(|| self.modular(poly, depth)).flatten()?;
        Some(Saturated { expr, most: Some(hi) })
    }

    /// Returns an expression of type `usize` with the value of a polynomial modulo the width of that type.
    fn modular(&self, poly: &Poly, depth: usize) -> Option<Expr> {
        let mut sum: Option<Expr> = None;
        for (monomial, coefficient) in poly.terms().iter().rev() {
            // The literal of a number modulo the width of its type.
            let coefficient = (coefficient & self.greatest) as u64;
            let mut product = (coefficient != 1 || monomial.is_empty()).then(|| number(coefficient));
            for atom in monomial.iter() {
                let factor = self.atom(atom, depth)?;
                product = Some(match product {
                    Some(product) => Expr::binary(Operator::Mul, factor, product),
                    None => factor,
                });
            }
            let product = product?;
            sum = Some(match sum {
                Some(sum) => Expr::binary(Operator::Add, sum, product),
                None => product,
            });
        }
        Some(sum.unwrap_or(number(0)))
    }

    /// Returns an expression of type `usize` with the value of an atom modulo the width of that type.
    fn atom(&self, atom: Atom, depth: usize) -> Option<Expr> {
        if let Some((place, scalar)) = self.places.get(&atom) {
            // A conversion preserves the value modulo the width: a signed number is extended by its sign.
            let is_index = *scalar == Scalar::Usize;
            return Some(if is_index { place.clone() } else { Expr::cast(Scalar::Usize, place.clone()) });
        }
        let depth = depth.checked_sub(1)?;
        let binary = |op: Operator, left: &Poly, right: &Poly| {
            Some(Expr::binary(op, self.exact(left, depth)?.expr, self.exact(right, depth)?.expr))
        };
        let extreme = |op: Op, left: &Poly, right: &Poly| {
            let operands = vec![self.exact(left, depth)?.expr, self.exact(right, depth)?.expr];
            Some(Expr::helper(Helper::new(op, self.module.index), operands))
        };
        let is_positive = |divisor: &Poly| self.walk.domain.atoms.is_positive(divisor);
        match self.operations.get(&atom) {
            Some((Operation::Quotient, dividend, divisor)) if is_positive(divisor) => {
                return binary(Operator::Div, dividend, divisor);
            }
            Some((Operation::Remainder, dividend, divisor)) if is_positive(divisor) => {
                return binary(Operator::Rem, dividend, divisor);
            }
            Some((Operation::Wrapped(bits, false), poly, _)) if *bits == self.module.index.bits() => {
                return self.modular(poly, depth);
            }
            Some((Operation::Min, left, right)) => return extreme(Op::Min, left, right),
            Some((Operation::Max, left, right)) => return extreme(Op::Max, left, right),
            _ => {}
        }
        let Some(Uniform::Symbol(symbol)) = &self.walk.domain.atoms.get(atom).uniform else { return None };
        let special = match symbol {
            LaunchSymbol::BlockDim(Axis::X) => "blockDim.x",
            LaunchSymbol::BlockDim(Axis::Y) => "blockDim.y",
            LaunchSymbol::BlockDim(Axis::Z) => "blockDim.z",
            LaunchSymbol::GridDim(Axis::X) => "gridDim.x",
            LaunchSymbol::GridDim(Axis::Y) => "gridDim.y",
            LaunchSymbol::GridDim(Axis::Z) => "gridDim.z",
            LaunchSymbol::DynamicSharedBytes | LaunchSymbol::Param { .. } => return None,
        };
        Some(Expr::cast(Scalar::Usize, Expr::Special(special)))
    }
}
