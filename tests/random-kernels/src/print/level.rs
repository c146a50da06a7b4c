//! The precedence of expressions: the tightest is the highest.

use crate::tree::{Expr, ExprKind};

pub(super) const JUMP: u8 = 1;
pub(super) const ASSIGN: u8 = 2;
pub(super) const RANGE: u8 = 3;
pub(super) const COMPARE: u8 = 6;
pub(super) const CAST: u8 = 13;
pub(super) const UNARY: u8 = 14;
pub(super) const POSTFIX: u8 = 15;
pub(super) const ATOM: u8 = 16;

pub(super) fn level_of(expr: &Expr) -> u8 {
    match &expr.kind {
        // A minus sign is an operator, and a literal with a suffix an atom.
        ExprKind::Literal(text) if text.starts_with('-') => UNARY,
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Tuple(_) | ExprKind::Array(_) | ExprKind::Repeat(..) => {
            ATOM
        }
        ExprKind::Unary(..) | ExprKind::Borrow(..) => UNARY,
        ExprKind::Binary(op, ..) => level_of_operator(op),
        ExprKind::Cast(_) => CAST,
        ExprKind::Call(..) | ExprKind::Method(..) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Macro(..) => {
            POSTFIX
        }
        ExprKind::Range(..) | ExprKind::Let(..) => RANGE,
        // Before a block, or at the start of a statement, their braces would be parsed as a block.
        ExprKind::Struct { .. }
        | ExprKind::Block(_)
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Labelled(..)
        | ExprKind::Jump { .. } => JUMP,
    }
}

pub(super) fn level_of_operator(op: &str) -> u8 {
    match op {
        "*" | "/" | "%" => 12,
        "+" | "-" => 11,
        "<<" | ">>" => 10,
        "&" => 9,
        "^" => 8,
        "|" => 7,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => COMPARE,
        "&&" => 5,
        "||" => 4,
        _ => ASSIGN,
    }
}

/// Returns whether the text of an expression ends with the type of a cast.
pub(super) fn ends_in_a_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast(_) => true,
        ExprKind::Binary(_, _, right) => ends_in_a_type(right),
        ExprKind::Unary(_, operand) => ends_in_a_type(operand),
        _ => false,
    }
}
