//! Narrowing of an integer to a range.

use super::Generator;
use super::scope::{Kind, Permission};
use crate::tree::{Expr, ExprKind};
use crate::types::Range;

impl Generator<'_> {
    /// Returns an expression of `value` whose result is always in `range`.
    pub(super) fn narrow(&mut self, value: Expr, range: Range) -> Expr {
        let int = value.ty.int().expect("an integer");
        let ty = value.ty.clone();
        if value.range.is_inside(range) {
            return value;
        }
        let count = range.count();
        let whole = int.range();
        let at = |value: i128| Expr::int(ty.clone(), value);
        let zero_based = range.low == 0;
        let from_low = Range::new(range.low, range.low.max(range.high));
        for _ in 0..4 {
            match self.random.below(7) {
                // A mask whose bits all fit into the range.
                0 | 1 if range.low <= 0 && range.high > 0 => {
                    let mask = (1i128 << (127 - (range.high + 1).leading_zeros())) - 1;
                    return Expr::binary(ty.clone(), Range::new(0, mask), "&", value, at(mask));
                }
                2 | 3 if !int.is_signed() && zero_based && whole.contains(count) => {
                    return Expr::binary(ty.clone(), range, "%", value, at(count));
                }
                2 if !int.is_signed() && whole.contains(count) => {
                    let rest = Expr::binary(ty.clone(), Range::new(0, count - 1), "%", value, at(count));
                    return Expr::binary(ty.clone(), range, "+", rest, at(range.low));
                }
                3 if range.low < 0 && range.low == -range.high && range.high < whole.high => {
                    return Expr::binary(ty.clone(), range, "%", value, at(range.high + 1));
                }
                4 if int.is_signed() && whole.contains(count) => {
                    let rest = Expr::method(ty.clone(), Range::new(0, count - 1), value, "rem_euclid", vec![at(count)]);
                    if zero_based {
                        return rest;
                    }
                    return Expr::binary(ty.clone(), range, "+", rest, at(range.low));
                }
                5 if !int.is_signed() && zero_based => {
                    return Expr::method(ty.clone(), range, value, "min", vec![at(range.high)]);
                }
                6 => break,
                _ => {}
            }
        }
        Expr::method(ty.clone(), from_low, value, "clamp", vec![at(range.low), at(range.high)])
    }

    /// As [`Generator::narrow`], but pinned, so that no edit of the program removes it.
    pub(super) fn pinned_narrow(&mut self, value: Expr, range: Range) -> Expr {
        let ty = value.ty.clone();
        let at = |value: i128| Expr::int(ty.clone(), value).pinned();
        if value.range.is_inside(range) && (value.is_literal() || self.counts(&value)) {
            return value.pinned();
        }
        let count = range.count();
        let narrowed = if range.low == 0 && count & (count - 1) == 0 {
            Expr::binary(ty.clone(), range, "&", value, at(range.high))
        } else if range.low == 0 && ty.range().low == 0 && self.random.percent(70) {
            Expr::binary(ty.clone(), range, "%", value, at(count))
        } else {
            Expr::method(ty.clone(), range, value, "clamp", vec![at(range.low), at(range.high)])
        };
        narrowed.pinned()
    }

    /// Returns whether an expression is the counter of a loop.
    fn counts(&self, value: &Expr) -> bool {
        let ExprKind::Name(name) = &value.kind else {
            return false;
        };
        self.scope.visible().any(|binding| {
            binding.name == *name && matches!(binding.kind, Kind::Value { access: Permission::Count, .. })
        })
    }
}
