//! Operators of integers.

use super::Generator;
use super::convert::{converted, widens};
use crate::tree::{Expr, ExprKind};
use crate::types::{Int, Range, Type};

impl Generator<'_> {
    pub(super) fn int_operation(&mut self, int: Int, depth: u32) -> Expr {
        let below = depth - 1;
        match self.random.below(100) {
            0..26 => self.arithmetic(int, below),
            26..36 => self.division(int, below),
            36..46 => self.bitwise(int, below),
            46..55 => self.shift(int, below),
            55..60 => self.minus_or_not(int, below),
            60..84 => self.int_cast(int, below),
            _ => self.int_method(int, below),
        }
    }

    /// Generates `+`, `-` and `*`.
    fn arithmetic(&mut self, int: Int, depth: u32) -> Expr {
        let op = *self.random.pick(&["+", "+", "-", "-", "*"]);
        let (left, right) = (self.value(&Type::Int(int), depth), self.value(&Type::Int(int), depth));
        self.apply(op, int, left, right)
    }

    /// Applies an operator to operands whose result may overflow.
    fn apply(&mut self, op: &'static str, int: Int, left: Expr, right: Expr) -> Expr {
        let (ty, whole) = (Type::Int(int), int.range());
        let range = result_range(op, left.range, right.range);
        if range.is_inside(whole) {
            return Expr::binary(ty, range, op, left, right);
        }
        if self.may_overflow() {
            return Expr::binary(ty, whole, op, left, right);
        }
        if self.random.percent(50) {
            let names = match op {
                "+" => ["wrapping_add", "saturating_add"],
                "-" => ["wrapping_sub", "saturating_sub"],
                _ => ["wrapping_mul", "wrapping_mul"],
            };
            let name = *self.random.pick(&names);
            if self.random.percent(8) {
                let kind = ExprKind::Call(format!("{}::{name}", int.name()), vec![left, right]);
                return Expr::any(ty, kind);
            }
            return Expr::method(ty, whole, left, name, vec![right]);
        }
        let (left, right) = self.shrunk(op, int, left, right);
        let range = result_range(op, left.range, right.range);
        debug_assert!(range.is_inside(whole), "{op} of {:?} and {:?}", left.range, right.range);
        Expr::binary(ty, range, op, left, right)
    }

    /// Generates operands whose result does not overflow.
    fn shrunk(&mut self, op: &str, int: Int, left: Expr, right: Expr) -> (Expr, Expr) {
        let whole = int.range();
        let most = match self.random.below(3) {
            0 => 10.min(whole.high / 2),
            1 => whole.high / 2,
            _ => self.random.within(1, whole.high / 2),
        };
        let around = |most: i128| Range::new(if int.is_signed() { -most } else { 0 }, most);
        match op {
            "-" if !int.is_signed() => {
                // An unsigned difference is not negative: the minimum of the left operand is at least the maximum of
                // the right one.
                let left = if left.range.low >= most {
                    left
                } else {
                    let low = Expr::int(Type::Int(int), most);
                    let range = Range::new(most, whole.high);
                    let (op, method) = ("|", self.random.percent(60));
                    if method {
                        Expr::method(Type::Int(int), range, left, "max", vec![low])
                    } else {
                        Expr::binary(Type::Int(int), range, op, left, low)
                    }
                };
                (left, self.narrow(right, Range::new(0, most)))
            }
            "*" => {
                let most = self.random.within(1, 12.min(whole.high / 3));
                let other = whole.high / most;
                if self.random.percent(50) {
                    (self.narrow(left, around(most)), self.narrow(right, around(other)))
                } else {
                    (self.narrow(left, around(other)), self.narrow(right, around(most)))
                }
            }
            _ => (self.narrow(left, around(most)), self.narrow(right, around(whole.high - most))),
        }
    }

    /// Generates `/`, `%` and the methods related to them.
    fn division(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let (left, right) = (self.value(&ty, depth), self.value(&ty, depth));
        let (left, right) = if self.risky() { (left, right) } else { self.divisible(int, left, right) };
        let mut ways = vec!["/", "/", "%", "%", "div_euclid", "rem_euclid"];
        if !int.is_signed() {
            ways.push("div_ceil");
        }
        let way = *self.random.pick(&ways);
        let most = magnitude(left.range);
        let by = magnitude(right.range);
        let positive = right.range.low > 0;
        let range = match way {
            "%" => {
                let most = most.min(by - 1).max(0);
                Range::new(if left.range.low < 0 { -most } else { 0 }, if left.range.high > 0 { most } else { 0 })
            }
            "rem_euclid" => Range::new(0, (by - 1).max(0)),
            _ if positive => Range::new(left.range.low.min(0), left.range.high.max(0)),
            _ => Range::new(-most, most),
        };
        // `div_ceil` exceeds the quotient by at most 1, and never exceeds the dividend.
        let range = range.and(int.range());
        if way.len() == 1 {
            return Expr::binary(ty, range, way, left, right);
        }
        Expr::method(ty, range, left, way, vec![right])
    }

    /// Generates a dividend and a divisor that do not fault.
    fn divisible(&mut self, int: Int, left: Expr, right: Expr) -> (Expr, Expr) {
        let (ty, whole) = (Type::Int(int), int.range());
        let right = self.not_zero(int, right);
        // `MIN / -1` overflows.
        if left.range.low == whole.low && right.range.contains(-1) {
            let half = Expr::int(ty.clone(), 2);
            let range = Range::new(left.range.low / 2, left.range.high / 2);
            return (Expr::binary(ty, range, "/", left, half), right);
        }
        (left, right)
    }

    /// Generates a divisor.
    pub(super) fn not_zero(&mut self, int: Int, value: Expr) -> Expr {
        let (ty, whole) = (Type::Int(int), int.range());
        let one = Expr::int(ty.clone(), 1);
        if !value.range.contains(0) {
            return value;
        }
        match self.random.below(4) {
            0 => Expr::binary(ty, whole, "|", value, one),
            1 => {
                let range = Range::new(1, value.range.high.max(1));
                Expr::method(ty, range, value, "max", vec![one])
            }
            2 => {
                let high = self.random.within(1, 9);
                self.narrow(value, Range::new(1, high))
            }
            _ => {
                let value = self.interesting(whole);
                Expr::int(ty, if matches!(value, 0 | -1) { 3 } else { value })
            }
        }
    }

    fn bitwise(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let op = *self.random.pick(&["&", "|", "^"]);
        let (left, right) = (self.value(&ty, depth), self.value(&ty, depth));
        let (a, b) = (left.range, right.range);
        let range = match op {
            "&" if a.low >= 0 && b.low >= 0 => Range::new(0, a.high.min(b.high)),
            "&" if a.low >= 0 => Range::new(0, a.high),
            "&" if b.low >= 0 => Range::new(0, b.high),
            "|" | "^" if a.low >= 0 && b.low >= 0 => {
                let most = a.high.max(b.high);
                let low = if op == "|" { a.low.max(b.low) } else { 0 };
                Range::new(low, (1i128 << (128 - most.leading_zeros())) - 1)
            }
            _ => int.range(),
        };
        Expr::binary(ty, range, op, left, right)
    }

    /// Generates a shift amount of any integer type for a value of `bits` bits.
    pub(super) fn shift_amount(&mut self, bits: u32, depth: u32) -> Expr {
        let by = *self.random.pick(&[Int::U32, Int::U32, Int::I32, Int::Usize, Int::U8, Int::I8, Int::I64, Int::U16]);
        let amount = self.value(&Type::Int(by), depth.min(2));
        if self.may_overflow() {
            return amount;
        }
        self.narrow(amount, Range::new(0, i128::from(bits) - 1))
    }

    fn shift(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let op = *self.random.pick(&["<<", ">>"]);
        let (left, amount) = (self.value(&ty, depth), self.shift_amount(int.bits(), depth));
        let (a, by) = (left.range, amount.range);
        let masked = by.is_inside(Range::new(0, i128::from(int.bits()) - 1));
        let range = match op {
            ">>" if masked => {
                let ends = [a.low >> by.low, a.low >> by.high, a.high >> by.low, a.high >> by.high];
                Range::around(&ends)
            }
            "<<" if masked && a.low >= 0 && (a.high << by.high) <= int.range().high => {
                Range::new(a.low << by.low, a.high << by.high)
            }
            _ => int.range(),
        };
        Expr::binary(ty, range, op, left, amount)
    }

    fn minus_or_not(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, whole) = (Type::Int(int), int.range());
        let mut operand = self.value(&ty, depth);
        if !int.is_signed() || self.random.percent(40) {
            let Range { low, high } = operand.range;
            let range = if int.is_signed() {
                Range::new(-1 - high, -1 - low)
            } else {
                Range::new(whole.high - high, whole.high - low)
            };
            return Expr::new(ty, range, ExprKind::Unary("!", Box::new(operand)));
        }
        if operand.range.low == whole.low && !self.may_overflow() {
            operand = self.narrow(operand, Range::new(-whole.high, whole.high));
        }
        let Range { low, high } = operand.range;
        let range = if low == whole.low { whole } else { Range::new(-high, -low) };
        Expr::new(ty, range, ExprKind::Unary("-", Box::new(operand)))
    }

    /// Generates `x as T` and `T::from(x)`.
    fn int_cast(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let enums: Vec<Type> =
            self.types.iter().filter(|ty| matches!(ty, Type::Enum(choice) if !choice.has_data())).cloned().collect();
        if !enums.is_empty() && self.random.percent(15) {
            let from = self.random.pick(&enums).clone();
            let operand = self.value(&from, depth);
            return Expr::any(ty, ExprKind::Cast(Box::new(operand)));
        }
        let from = self.scalar_type();
        let operand = self.value(&from, depth);
        let lossless = match &from {
            Type::Bool => true,
            Type::Int(from) => widens(*from, int),
            _ => false,
        };
        if lossless && self.random.percent(40) {
            let range = if from == Type::Bool { Range::new(0, 1) } else { operand.range };
            return Expr::new(ty, range, ExprKind::Call(format!("{}::from", int.name()), vec![operand]));
        }
        if from == ty {
            return Expr::new(ty, operand.range, ExprKind::Cast(Box::new(operand)));
        }
        converted(operand, &ty)
    }
}

/// Returns the range of a sum, difference or product of two ranges, if no overflow occurs.
pub(super) fn result_range(op: &str, a: Range, b: Range) -> Range {
    match op {
        "+" => Range::new(a.low + b.low, a.high + b.high),
        "-" => Range::new(a.low - b.high, a.high - b.low),
        _ => {
            let ends = [a.low, a.high].map(|x| [b.low, b.high].map(|y| x.saturating_mul(y)));
            Range::around(ends.as_flattened())
        }
    }
}

/// Returns the largest absolute value of a range.
pub(super) fn magnitude(range: Range) -> i128 {
    range.low.abs().max(range.high.abs())
}
