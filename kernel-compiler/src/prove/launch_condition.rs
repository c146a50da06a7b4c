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
    /// A sum, modulo the number of values of its type.
    Wrapping(Sum),
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
            let magnitude = coefficient.unsigned_abs();
            let is_constant = factors.is_empty();
            if magnitude >= LARGE && magnitude.is_power_of_two() {
                write!(f, "2^{}", magnitude.trailing_zeros())?;
            } else if magnitude >= LARGE && (magnitude + 1).is_power_of_two() && is_constant {
                write!(f, "2^{} - 1", magnitude.count_ones())?;
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
        let grouped = |f: &mut fmt::Formatter<'_>, sum: &Sum| {
            if sum.0.len() == 1 { write!(f, "{sum}") } else { write!(f, "({sum})") }
        };
        match self {
            Factor::Quantity(quantity) => write!(f, "{quantity}"),
            Factor::Wrapping(sum) => write!(f, "wrapping({sum})"),
            Factor::Quotient(left, right) => {
                f.write_str("(")?;
                grouped(f, left)?;
                f.write_str(" / ")?;
                grouped(f, right)?;
                f.write_str(")")
            }
            Factor::Min(left, right) => write!(f, "min({left}, {right})"),
            Factor::Max(left, right) => write!(f, "max({left}, {right})"),
            Factor::Unnamed => f.write_str("?"),
        }
    }
}
