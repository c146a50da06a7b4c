//! Conditions in words, with the names of the user's parameters.

use std::fmt::Write;

use super::atoms::Uniform;
use super::condition::{Condition, Formula};
use super::poly::{Atom, Poly};
use super::prover::Domain;
use super::symbol::{Axis, LaunchSymbol};
use crate::lower::Function;

/// What is known of a check.
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

/// The conditions of a kernel in words.
pub(super) struct Words<'a> {
    pub(super) domain: &'a Domain,
    pub(super) kernel: &'a Function,
}

/// The precedence of an operand's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    All,
    Product,
}

impl Words<'_> {
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
            let parenthesised = level > own;
            if parenthesised {
                text.push('(');
            }
            for (position, part) in parts.iter().enumerate() {
                if position > 0 {
                    text.push_str(separator);
                }
                self.condition(text, *part, Level::Product, depth);
            }
            if parenthesised {
                text.push(')');
            }
        };
        match self.domain.conditions.get(condition) {
            Formula::False => text.push_str("false"),
            Formula::NonNegative(poly) => self.comparison(text, poly),
            Formula::All(parts) => join(text, parts, " && ", Level::All),
            Formula::Any(parts) => join(text, parts, " || ", Level::Any),
            // The conditions of nested invariants may refer to each other.
            Formula::Invariant(number) if depth < 3 => {
                let invariant = self.domain.conditions.invariants[*number as usize];
                self.condition(text, invariant, level, depth + 1);
            }
            Formula::True | Formula::Invariant(_) => text.push_str("true"),
        }
    }

    /// `poly >= 0`, with the negative terms on the other side.
    fn comparison(&self, text: &mut String, poly: &Poly) {
        let (mut left, mut right) = (Poly::default(), Poly::default());
        for (monomial, coefficient) in poly.terms() {
            let mut term = Poly::constant(coefficient.abs());
            for atom in monomial {
                term = term.mul(&Poly::atom(*atom)).unwrap_or_default();
            }
            let side = if *coefficient > 0 { &mut left } else { &mut right };
            *side = side.add(&term).unwrap_or_default();
        }
        // `a >= b + 1` is `a > b`.
        let mut operator = " >= ";
        if let Some(less) = right.offset(-1)
            && right.terms().first().is_some_and(|(monomial, value)| monomial.is_empty() && *value == 1)
        {
            right = less;
            operator = " > ";
        }
        self.sum(text, &left);
        text.push_str(operator);
        self.sum(text, &right);
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
            if magnitude != 1 || monomial.is_empty() {
                let _ = write!(text, "{magnitude}");
                text.push_str(if monomial.is_empty() { "" } else { " * " });
            }
            for (position, atom) in monomial.iter().enumerate() {
                text.push_str(if position > 0 { " * " } else { "" });
                self.atom(text, *atom);
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
            Some(Uniform::Symbol(symbol)) => text.push_str(&self.symbol(*symbol)),
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

    fn symbol(&self, symbol: LaunchSymbol) -> String {
        let axis = |axis: Axis| match axis {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        };
        match symbol {
            LaunchSymbol::GridDim(of) => format!("grid_dim().{}", axis(of)),
            LaunchSymbol::BlockDim(of) => format!("block_dim().{}", axis(of)),
            LaunchSymbol::DynamicSharedBytes => "shared_bytes".to_owned(),
            LaunchSymbol::Param { index, scalar: _ } => {
                let hint = |index: usize| {
                    self.kernel.params.get(index).map_or("", |param| &self.kernel.vars[param.index()].hint)
                };
                let name = hint(index);
                // The numbers of a slice or a view follow its pointer: see `lower::variable`.
                let of = (0..index).rev().map(hint).find_map(|of| Some((of, name.strip_prefix(of)?)));
                match of.map(|(of, rest)| (of, rest.trim_start_matches('_'))) {
                    Some((of, "len")) => format!("{of}.len()"),
                    Some((of, rest)) if rest.starts_with("len_") => format!("{of}.shape()[{}]", &rest[4..]),
                    Some((of, rest)) if rest.starts_with("stride_") => format!("{of}.strides()[{}]", &rest[7..]),
                    _ => name.to_owned(),
                }
            }
        }
    }
}
