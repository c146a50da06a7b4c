//! Conditions on a launch in the user's terms: comparisons of sums of lengths, arguments and extents.

use std::fmt;

use crate::lower::Quantity;

/// A condition on a launch. `Display` is the Rust expression that the user would write, with `2^64` for powers of two that are
/// limits of types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaunchCondition {
    /// It always holds.
    True,
    /// It never holds.
    False,
    /// A comparison of two sums.
    Compare {
        /// The left operand.
        left: Sum,
        /// The relation.
        relation: Relation,
        /// The right operand.
        right: Sum,
    },
    /// All of two or more conditions hold.
    All(Vec<LaunchCondition>),
    /// One of two or more conditions holds.
    Any(Vec<LaunchCondition>),
}

/// The relation of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A sum of products, in the order in which they are written. The empty sum is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum(pub Vec<Term>);

/// A product of a number and factors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The number.
    pub coefficient: i128,
    /// The factors. None for a constant.
    pub factors: Vec<Factor>,
}

/// A factor of a [`Term`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Factor {
    /// A number of the launch.
    Quantity(Quantity),
    /// A sum, converted to an integer type as by `as`.
    Wrapping {
        /// The sum.
        sum: Sum,
        /// The number of bits of the type.
        bits: u32,
        /// Whether the type is signed.
        signed: bool,
    },
    /// A quotient of sums, rounded towards zero.
    Quotient(Sum, Sum),
    /// The lesser of two sums.
    Min(Sum, Sum),
    /// The greater of two sums.
    Max(Sum, Sum),
    /// A number that has no expression in the user's terms.
    Unnamed,
}

impl From<Quantity> for Sum {
    fn from(quantity: Quantity) -> Sum {
        Sum(vec![Term { coefficient: 1, factors: vec![Factor::Quantity(quantity)] }])
    }
}

impl From<i128> for Sum {
    fn from(number: i128) -> Sum {
        Sum(vec![Term { coefficient: number, factors: Vec::new() }])
    }
}

impl Sum {
    /// Returns whether the text is a product without a sign.
    fn is_term(&self) -> bool {
        match self.0.as_slice() {
            [Term { coefficient, factors }] => {
                *coefficient >= 0 && !(factors.is_empty() && coefficient.unsigned_abs() >= LARGE)
            }
            _ => false,
        }
    }

    /// Returns whether the text is a single number or name, or is in parentheses.
    fn is_atom(&self) -> bool {
        match self.0.as_slice() {
            [] => true,
            [Term { coefficient, factors }] => match factors.len() {
                0 => (0..LARGE as i128).contains(coefficient),
                1 => *coefficient == 1,
                _ => false,
            },
            _ => false,
        }
    }
}

impl LaunchCondition {
    /// Returns a condition that holds if all of these hold.
    pub(super) fn all(mut parts: Vec<LaunchCondition>) -> LaunchCondition {
        if parts.len() == 1 { parts.remove(0) } else { LaunchCondition::All(parts) }
    }

    /// Returns a condition that holds if one of these holds.
    pub(super) fn any(mut parts: Vec<LaunchCondition>) -> LaunchCondition {
        if parts.len() == 1 { parts.remove(0) } else { LaunchCondition::Any(parts) }
    }

    /// Returns whether the expression needs parentheses as an operand of `&&` or `||`.
    fn is_compound(&self) -> bool {
        matches!(self, LaunchCondition::All(_) | LaunchCondition::Any(_))
    }
}

impl fmt::Display for LaunchCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[LaunchCondition], separator: &str| {
            for (position, part) in parts.iter().enumerate() {
                f.write_str(if position > 0 { separator } else { "" })?;
                if part.is_compound() { write!(f, "({part})") } else { write!(f, "{part}") }?;
            }
            Ok(())
        };
        match self {
            LaunchCondition::True => f.write_str("true"),
            LaunchCondition::False => f.write_str("false"),
            LaunchCondition::Compare { left, relation, right } => write!(f, "{left} {relation} {right}"),
            LaunchCondition::All(parts) => joined(f, parts, " && "),
            LaunchCondition::Any(parts) => joined(f, parts, " || "),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterOrEqual => ">=",
        })
    }
}

/// Constants from here on are limits of types, and are written as powers of two.
pub(super) const LARGE: u128 = 1 << 31;

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sum(terms) = self;
        if terms.is_empty() {
            return f.write_str("0");
        }
        for (position, Term { coefficient, factors }) in terms.iter().enumerate() {
            f.write_str(match (position, *coefficient < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            let (magnitude, is_negative) = (coefficient.unsigned_abs(), *coefficient < 0);
            let is_constant = factors.is_empty();
            if magnitude >= LARGE && magnitude.is_power_of_two() {
                write!(f, "2^{}", magnitude.trailing_zeros())?;
            } else if magnitude >= LARGE && (magnitude + 1).is_power_of_two() && is_constant {
                let exponent = magnitude.count_ones();
                if is_negative { write!(f, "(2^{exponent} - 1)") } else { write!(f, "2^{exponent} - 1") }?;
            } else if magnitude != 1 || is_constant {
                write!(f, "{magnitude}")?;
            }
            for (position, factor) in factors.iter().enumerate() {
                f.write_str(if position > 0 || magnitude != 1 { " * " } else { "" })?;
                write!(f, "{factor}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grouped = |f: &mut fmt::Formatter<'_>, sum: &Sum, is_single: bool| {
            if is_single { write!(f, "{sum}") } else { write!(f, "({sum})") }
        };
        match self {
            Factor::Quantity(quantity) => write!(f, "{quantity}"),
            Factor::Wrapping { sum, bits, signed } => {
                f.write_str("(")?;
                grouped(f, sum, sum.is_atom())?;
                write!(f, " as {}{bits})", if *signed { 'i' } else { 'u' })
            }
            Factor::Quotient(left, right) => {
                f.write_str("(")?;
                // `a * b / c` is `(a * b) / c`.
                grouped(f, left, left.is_term())?;
                f.write_str(" / ")?;
                grouped(f, right, right.is_atom())?;
                f.write_str(")")
            }
            Factor::Min(left, right) => write!(f, "min({left}, {right})"),
            Factor::Max(left, right) => write!(f, "max({left}, {right})"),
            Factor::Unnamed => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(of: &str) -> Sum {
        Quantity::Argument(of.to_owned()).into()
    }

    fn product(coefficient: i128, names: &[&str]) -> Term {
        let factors = names.iter().map(|of| Factor::Quantity(Quantity::Argument((*of).to_owned()))).collect();
        Term { coefficient, factors }
    }

    #[track_caller]
    fn check(factor: &Factor, expected: &str) {
        assert_eq!(factor.to_string(), expected);
    }

    #[test]
    fn divisors_are_grouped() {
        let quotient = |left: Sum, right: Sum| Factor::Quotient(left, right);
        check(&quotient(name("a"), name("n")), "(a / n)");
        check(&quotient(name("a"), Sum(vec![product(2, &["n"])])), "(a / (2 * n))");
        check(&quotient(name("a"), Sum(vec![product(1, &["m", "n"])])), "(a / (m * n))");
        check(&quotient(Sum(vec![product(2, &["a", "b"])]), 7.into()), "(2 * a * b / 7)");
        check(&quotient(Sum(vec![product(1, &["a"]), product(-1, &[])]), 7.into()), "((a - 1) / 7)");
        check(&quotient(Sum(vec![product(-1, &["a"])]), 7.into()), "((-a) / 7)");
    }

    #[test]
    fn limits_are_powers_of_two() {
        let wrapping = |sum, bits, signed| Factor::Wrapping { sum, bits, signed };
        let minus = |number: i128| Sum(vec![product(1, &["n"]), product(-number, &[])]);
        check(&wrapping(minus((1 << 32) - 1), 32, false), "((n - (2^32 - 1)) as u32)");
        check(&wrapping(minus(1 << 32), 32, false), "((n - 2^32) as u32)");
        check(&wrapping(name("n"), 8, true), "(n as i8)");
        assert_eq!(Sum::from(-((1 << 63) - 1)).to_string(), "-(2^63 - 1)");
        assert_eq!(Sum(vec![product(1, &["n"]), product((1 << 63) - 1, &[])]).to_string(), "n + 2^63 - 1");
    }
}
