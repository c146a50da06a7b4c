//! The operators and methods of numbers and `bool`s.
//!
//! Each integer comes with the range that it is in. Plain arithmetic is used where it cannot overflow; else the operands
//! are made smaller, or a wrapping or saturating method is used, or, where faults are wanted, it is left to its fate.

use super::generate::Generator;
use super::tree::{Block, Expr, ExprKind, Stmt};
use super::types::{Int, Range, Type};

/// A method of integers that has a result for all numbers.
struct Total {
    name: &'static str,
    operand: Operand,
    /// Only signed numbers have it, or only unsigned ones.
    signed: Option<bool>,
    /// Only the whole language has it.
    full: bool,
}

/// What a method takes beside the receiver.
#[derive(Clone, Copy)]
enum Operand {
    None,
    Own,
    U32,
    /// Of the signed or unsigned type of as many bits.
    OtherSign,
    NotZero,
}

const TOTAL: &[Total] = {
    const fn of(name: &'static str, operand: Operand, signed: Option<bool>, full: bool) -> Total {
        Total { name, operand, signed, full }
    }
    use Operand::{None as Nothing, NotZero, OtherSign, Own, U32};
    &[
        of("wrapping_add", Own, None, false),
        of("wrapping_sub", Own, None, false),
        of("wrapping_mul", Own, None, false),
        of("wrapping_neg", Nothing, None, false),
        of("saturating_add", Own, None, false),
        of("saturating_sub", Own, None, false),
        of("rotate_left", U32, None, false),
        of("rotate_right", U32, None, false),
        of("swap_bytes", Nothing, None, false),
        of("reverse_bits", Nothing, None, false),
        of("wrapping_div", NotZero, None, true),
        of("wrapping_rem", NotZero, None, true),
        of("wrapping_div_euclid", NotZero, None, true),
        of("wrapping_rem_euclid", NotZero, None, true),
        of("wrapping_abs", Nothing, Some(true), true),
        of("wrapping_shl", U32, None, true),
        of("wrapping_shr", U32, None, true),
        of("wrapping_pow", U32, None, true),
        of("wrapping_add_signed", OtherSign, Some(false), true),
        of("wrapping_add_unsigned", OtherSign, Some(true), true),
        of("wrapping_sub_unsigned", OtherSign, Some(true), true),
        of("saturating_mul", Own, None, true),
        of("saturating_div", NotZero, None, true),
        of("saturating_neg", Nothing, Some(true), true),
        of("saturating_abs", Nothing, Some(true), true),
        of("saturating_pow", U32, None, true),
        of("saturating_add_signed", OtherSign, Some(false), true),
        of("saturating_add_unsigned", OtherSign, Some(true), true),
        of("saturating_sub_unsigned", OtherSign, Some(true), true),
        of("unbounded_shl", U32, None, true),
        of("unbounded_shr", U32, None, true),
        of("midpoint", Own, None, true),
        of("to_be", Nothing, None, true),
        of("to_le", Nothing, None, true),
    ]
};

impl Generator<'_> {
    pub(super) fn bool_operation(&mut self, depth: u32) -> Expr {
        let below = depth - 1;
        let bool = |kind| Expr::any(Type::Bool, kind);
        match self.random.below(20) {
            0..9 => self.comparison(below),
            9..13 => {
                let op = *self.random.pick(&["&&", "||"]);
                let (left, right) = (self.value(&Type::Bool, below), self.value(&Type::Bool, below));
                Expr::binary(Type::Bool, Range::NONE, op, left, right)
            }
            13..15 => {
                let operand = self.value(&Type::Bool, below);
                bool(ExprKind::Unary("!", Box::new(operand)))
            }
            15..17 => {
                let op = *self.random.pick(&["&", "|", "^", "==", "!="]);
                let (left, right) = (self.value(&Type::Bool, below), self.value(&Type::Bool, below));
                Expr::binary(Type::Bool, Range::NONE, op, left, right)
            }
            17 => {
                let ty = self.float_type();
                let name = *self.random.pick(&["is_nan", "is_finite", "is_infinite"]);
                let receiver = self.value(&ty, below);
                Expr::method(Type::Bool, Range::NONE, receiver, name, vec![])
            }
            18 => {
                let int = self.random.pick(&Int::ALL).to_unsigned();
                let receiver = self.value(&Type::Int(int), below);
                Expr::method(Type::Bool, Range::NONE, receiver, "is_power_of_two", vec![])
            }
            _ => {
                // Of a number, whose sign is never that of a NaN.
                let (int, float) = (*self.random.pick(&Int::ALL), self.float_type());
                let number = self.value(&Type::Int(int), below);
                let number = Expr::any(float, ExprKind::Cast(Box::new(number)));
                let name = *self.random.pick(&["is_sign_negative", "is_sign_positive"]);
                Expr::method(Type::Bool, Range::NONE, number, name, vec![])
            }
        }
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let enums: Vec<Type> = self.types.iter().filter(|ty| matches!(ty, Type::Enum(_))).cloned().collect();
        if !enums.is_empty() && self.random.percent(15) {
            let ty = self.random.pick(&enums).clone();
            let op = *self.random.pick(&["==", "!="]);
            let (left, right) = (self.value(&ty, depth), self.value(&ty, depth));
            return Expr::binary(Type::Bool, Range::NONE, op, left, right);
        }
        let ty = self.scalar_type();
        let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let (left, right) = (self.value(&ty, depth), self.value(&ty, depth));
        Expr::binary(Type::Bool, Range::NONE, op, left, right)
    }

    pub(super) fn float_type(&mut self) -> Type {
        if self.random.percent(60) { Type::F32 } else { Type::F64 }
    }

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

    /// `+`, `-` and `*`.
    fn arithmetic(&mut self, int: Int, depth: u32) -> Expr {
        let op = *self.random.pick(&["+", "+", "-", "-", "*"]);
        let (left, right) = (self.value(&Type::Int(int), depth), self.value(&Type::Int(int), depth));
        self.apply(op, int, left, right)
    }

    /// Applies an operator that may overflow to operands that may be too large for it.
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

    /// Operands that are small enough for an operator.
    pub(super) fn shrunk(&mut self, op: &str, int: Int, left: Expr, right: Expr) -> (Expr, Expr) {
        let whole = int.range();
        let most = match self.random.below(3) {
            0 => 10.min(whole.high / 2),
            1 => whole.high / 2,
            _ => self.random.within(1, whole.high / 2),
        };
        let around = |most: i128| Range::new(if int.is_signed() { -most } else { 0 }, most);
        match op {
            "-" if !int.is_signed() => {
                // Not below zero: the left is at least what the right is at most.
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

    /// `/`, `%` and the like.
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
        // `div_ceil` is at most one more than the quotient, and never more than the dividend.
        let range = range.and(int.range());
        if way.len() == 1 {
            return Expr::binary(ty, range, way, left, right);
        }
        Expr::method(ty, range, left, way, vec![right])
    }

    /// A dividend and a divisor that do not fault.
    pub(super) fn divisible(&mut self, int: Int, left: Expr, right: Expr) -> (Expr, Expr) {
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

    /// A divisor.
    fn not_zero(&mut self, int: Int, value: Expr) -> Expr {
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

    /// An amount of any integer type to shift a number of `bits` by.
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

    /// `x as T` and `T::from(x)`.
    fn int_cast(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let enums: Vec<Type> = self.types.iter().filter(|ty| matches!(ty, Type::Enum(_))).cloned().collect();
        if !enums.is_empty() && self.random.percent(15) {
            let from = self.random.pick(&enums).clone();
            let operand = self.value(&from, depth);
            return Expr::any(ty, ExprKind::Cast(Box::new(operand)));
        }
        let from = self.scalar_type();
        let operand = self.value(&from, depth);
        let range = match &from {
            Type::Bool => Range::new(0, 1),
            Type::Int(_) if operand.range.is_inside(int.range()) => operand.range,
            _ => int.range(),
        };
        let lossless = match &from {
            Type::Bool => true,
            Type::Int(from) => widens(*from, int),
            _ => false,
        };
        if lossless && self.random.percent(40) {
            return Expr::new(ty, range, ExprKind::Call(format!("{}::from", int.name()), vec![operand]));
        }
        Expr::new(ty, range, ExprKind::Cast(Box::new(operand)))
    }

    fn int_method(&mut self, int: Int, depth: u32) -> Expr {
        if self.random.percent(55) {
            return self.total_method(int, depth);
        }
        match self.random.below(if int.is_signed() { 10 } else { 12 }) {
            0..3 => self.lesser_or_greater(int, depth),
            3..5 => self.clamp(int, depth),
            5..7 => self.pow(int, depth),
            7 if int == Int::U32 || int == Int::U64 => self.float_bits(&Type::Int(int), depth),
            7..9 if int == Int::U32 => self.count(depth),
            7..9 if self.options.language.is_full() => self.root(int, depth),
            _ if int.is_signed() => self.abs_or_signum(int, depth),
            _ => self.distance(int, depth),
        }
    }

    /// One of the methods that have a result for all numbers, whatever that is.
    fn total_method(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, full) = (Type::Int(int), self.options.language.is_full());
        let fits =
            |method: &&Total| (full || !method.full) && method.signed.is_none_or(|signed| signed == int.is_signed());
        let fitting: Vec<&Total> = TOTAL.iter().filter(fits).collect();
        let Total { name, operand, .. } = *self.random.pick(&fitting);
        let mut args = vec![self.value(&ty, depth)];
        args.extend(match operand {
            Operand::None => None,
            Operand::Own => Some(self.value(&ty, depth)),
            Operand::U32 => Some(self.value(&Type::U32, depth.min(2))),
            Operand::OtherSign => {
                let other = if int.is_signed() { int.to_unsigned() } else { signed_of(int) };
                Some(self.value(&Type::Int(other), depth))
            }
            Operand::NotZero => {
                let divisor = self.value(&ty, depth);
                Some(if self.risky() { divisor } else { self.not_zero(int, divisor) })
            }
        });
        self.called(int, &ty, int.range(), name, args)
    }

    /// `x.f(y)`, or `i32::f(x, y)`
    fn called(&mut self, of: Int, ty: &Type, range: Range, name: &str, mut args: Vec<Expr>) -> Expr {
        if self.random.percent(8) {
            return Expr::new(ty.clone(), range, ExprKind::Call(format!("{}::{name}", of.name()), args));
        }
        let receiver = args.remove(0);
        Expr::method(ty.clone(), range, receiver, name, args)
    }

    fn lesser_or_greater(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let (one, other) = (self.value(&ty, depth), self.value(&ty, depth));
        let (a, b) = (one.range, other.range);
        if self.random.percent(50) {
            let range = Range::new(a.low.min(b.low), a.high.min(b.high));
            self.called(int, &ty, range, "min", vec![one, other])
        } else {
            let range = Range::new(a.low.max(b.low), a.high.max(b.high));
            self.called(int, &ty, range, "max", vec![one, other])
        }
    }

    fn clamp(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, whole) = (Type::Int(int), int.range());
        let value = self.value(&ty, depth);
        if self.risky() {
            let (low, high) = (self.value(&ty, 1), self.value(&ty, 1));
            return self.called(int, &ty, whole, "clamp", vec![value, low, high]);
        }
        let (one, other) = (self.interesting(whole), self.interesting(whole));
        let range = Range::around(&[one, other]);
        let (low, high) = (Expr::int(ty.clone(), range.low), Expr::int(ty.clone(), range.high));
        self.called(int, &ty, range, "clamp", vec![value, low, high])
    }

    fn pow(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, whole) = (Type::Int(int), int.range());
        let (base, exponent) = (self.value(&ty, depth), self.value(&Type::U32, depth.min(1)));
        if self.may_overflow() {
            // A large exponent takes no time: its bits are counted, not its value.
            return self.called(int, &ty, whole, "pow", vec![base, exponent]);
        }
        let most = self.random.within(1, 5);
        let base = self.narrow(base, Range::new(if int.is_signed() { -most } else { 0 }, most));
        let most_power = (0..62).take_while(|n| (most + 1).pow(n + 1) <= whole.high).last().unwrap_or(0);
        let exponent = self.narrow(exponent, Range::new(0, i128::from(most_power)));
        self.called(int, &ty, whole, "pow", vec![base, exponent])
    }

    /// How many bits there are of a kind, in a number of any type.
    fn count(&mut self, depth: u32) -> Expr {
        let of = *self.random.pick(&Int::ALL);
        let mut names = vec!["count_ones", "count_zeros", "leading_zeros", "trailing_zeros"];
        if self.options.language.is_full() {
            names.extend(["leading_ones", "trailing_ones", "ilog2", "ilog10"]);
        }
        let name = *self.random.pick(&names);
        let mut value = self.value(&Type::Int(of), depth);
        if name.starts_with("ilog") && !self.risky() {
            value = self.narrow(value, Range::new(1, of.range().high));
        }
        self.called(of, &Type::U32, Range::new(0, i128::from(of.bits())), name, vec![value])
    }

    fn root(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, high) = (Type::Int(int), int.range().high);
        let mut value = self.value(&ty, depth);
        if int.is_signed() && !self.risky() {
            value = self.narrow(value, Range::new(0, high));
        }
        self.called(int, &ty, Range::new(0, high), "isqrt", vec![value])
    }

    fn abs_or_signum(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, whole) = (Type::Int(int), int.range());
        let mut value = self.value(&ty, depth);
        if self.random.percent(40) {
            return self.called(int, &ty, Range::new(-1, 1), "signum", vec![value]);
        }
        if value.range.low == whole.low && !self.may_overflow() {
            value = self.narrow(value, Range::new(-whole.high, whole.high));
        }
        // Where it wraps, the lowest number stays what it is.
        let range = if value.range.low == whole.low { whole } else { Range::new(0, magnitude(value.range)) };
        self.called(int, &ty, range, "abs", vec![value])
    }

    /// `abs_diff` and `unsigned_abs`, which give an unsigned number.
    fn distance(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, signed) = (Type::Int(int), signed_of(int));
        if self.random.percent(30) {
            let value = self.value(&Type::Int(signed), depth);
            let range = Range::new(0, magnitude(value.range));
            return self.called(signed, &ty, range, "unsigned_abs", vec![value]);
        }
        let of = if self.random.percent(50) { signed } else { int };
        let (one, other) = (self.value(&Type::Int(of), depth), self.value(&Type::Int(of), depth));
        self.called(of, &ty, int.range(), "abs_diff", vec![one, other])
    }

    /// The bits of a float that is no NaN, of which Rust says nothing.
    fn float_bits(&mut self, ty: &Type, depth: u32) -> Expr {
        let float = if *ty == Type::U32 { Type::F32 } else { Type::F64 };
        let name = self.fresh("x");
        let binding = Stmt::binding(&name, false, false, self.value(&float, depth));
        let x = || Expr::name(&name, float.clone(), Range::NONE).pinned();
        let is_nan = Expr::method(Type::Bool, Range::NONE, x(), "is_nan", vec![]).pinned();
        let bits = Expr::method(ty.clone(), ty.range(), x(), "to_bits", vec![]).pinned();
        let of = |value: Expr| Block { stmts: vec![], value: Some(Box::new(value)) };
        let guarded =
            ExprKind::If { condition: Box::new(is_nan), then: of(Expr::int(ty.clone(), 0)), otherwise: Some(of(bits)) };
        let value = Expr::any(ty.clone(), guarded).pinned();
        Expr::any(ty.clone(), ExprKind::Block(Block { stmts: vec![binding.pinned()], value: Some(Box::new(value)) }))
    }

    pub(super) fn float_operation(&mut self, ty: &Type, depth: u32) -> Expr {
        let below = depth - 1;
        let own = |kind| Expr::any(ty.clone(), kind);
        match self.random.below(100) {
            0..45 => {
                let op = *self.random.pick(&["+", "+", "-", "-", "*", "*", "*", "/", "/", "%"]);
                let (left, right) = (self.value(ty, below), self.value(ty, below));
                Expr::binary(ty.clone(), Range::NONE, op, left, right)
            }
            45..50 => {
                let operand = self.value(ty, below);
                own(ExprKind::Unary("-", Box::new(operand)))
            }
            50..70 => {
                let from = self.scalar_type();
                let from = if from == Type::Bool { Type::U32 } else { from };
                let operand = self.value(&from, below);
                let lossless = match &from {
                    Type::F32 => *ty == Type::F64,
                    Type::Int(from) => from.bits() < if *ty == Type::F64 { 64 } else { 32 },
                    _ => false,
                };
                if lossless && self.random.percent(40) {
                    return own(ExprKind::Call(format!("{ty}::from"), vec![operand]));
                }
                own(ExprKind::Cast(Box::new(operand)))
            }
            _ => self.float_method(ty, below),
        }
    }

    fn float_method(&mut self, ty: &Type, depth: u32) -> Expr {
        let receiver = self.value(ty, depth);
        let name = *self.random.pick(&[
            "sqrt",
            "abs",
            "floor",
            "ceil",
            "round",
            "trunc",
            "fract",
            "recip",
            "signum",
            "min",
            "max",
            "mul_add",
            "clamp",
            "copysign",
            "rem_euclid",
            "div_euclid",
        ]);
        let mut args = Vec::new();
        match name {
            "min" | "max" | "rem_euclid" | "div_euclid" => args.push(self.value(ty, depth)),
            "mul_add" => args.extend([self.value(ty, depth), self.value(ty, depth)]),
            "clamp" => {
                let (one, other) = (self.random.within(-900, 900), self.random.within(-900, 900));
                let literal =
                    |value: i128| Expr::any(ty.clone(), ExprKind::Literal(format!("{:?}", value as f64 / 8.0)));
                args.extend([literal(one.min(other)), literal(one.max(other))]);
            }
            "copysign" => {
                // The sign of a NaN is open in Rust.
                let number = self.value(&Type::Int(Int::I32), depth.min(1));
                args.push(Expr::any(ty.clone(), ExprKind::Cast(Box::new(number))));
            }
            _ => {}
        }
        if matches!(name, "min" | "max") {
            // Which zero they give of a positive and a negative one is open in Rust: the sum has the positive one.
            let least = if self.random.percent(10) {
                let call = ExprKind::Call(format!("{ty}::{name}"), vec![receiver, args.remove(0)]);
                Expr::any(ty.clone(), call)
            } else {
                Expr::method(ty.clone(), Range::NONE, receiver, name, args)
            };
            let zero = Expr::any(ty.clone(), ExprKind::Literal(String::from("0.0"))).pinned();
            return Expr::binary(ty.clone(), Range::NONE, "+", least, zero).pinned();
        }
        Expr::method(ty.clone(), Range::NONE, receiver, name, args)
    }
}

/// What `+`, `-` or `*` gives of numbers in these ranges, if it does not overflow.
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

/// The largest absolute value in a range.
fn magnitude(range: Range) -> i128 {
    range.low.abs().max(range.high.abs())
}

/// The signed type of as many bits.
fn signed_of(int: Int) -> Int {
    match int.to_unsigned() {
        Int::U8 => Int::I8,
        Int::U16 => Int::I16,
        Int::U32 => Int::I32,
        Int::U64 => Int::I64,
        _ => Int::Isize,
    }
}

/// Whether the standard library has `From<from> for to`.
fn widens(from: Int, to: Int) -> bool {
    let word = |int: Int| matches!(int, Int::Isize | Int::Usize);
    match (from, to) {
        _ if from == to => true,
        (Int::U8 | Int::U16, Int::Usize) | (Int::U8 | Int::I8 | Int::I16, Int::Isize) => true,
        _ if word(from) || word(to) => false,
        _ => from.bits() < to.bits() && (from.is_signed() == to.is_signed() || !from.is_signed()),
    }
}

/// A number or `bool` as another type.
pub(super) fn converted(value: Expr, to: &Type) -> Expr {
    let cast = |value: Expr, to: &Type| Expr::any(to.clone(), ExprKind::Cast(Box::new(value)));
    match (&value.ty, to) {
        (from, to) if from == to => value,
        (Type::Bool, Type::F32 | Type::F64) => cast(cast(value, &Type::Int(Int::U8)), to),
        (Type::F32 | Type::F64, Type::Bool) => {
            let zero = Expr::any(value.ty.clone(), ExprKind::Literal(String::from("0.0")));
            Expr::binary(Type::Bool, Range::NONE, "<", value, zero)
        }
        (Type::Int(_), Type::Bool) => {
            let ty = value.ty.clone();
            let low = Expr::binary(ty.clone(), Range::new(0, 1), "&", value, Expr::int(ty.clone(), 1));
            Expr::binary(Type::Bool, Range::NONE, "==", low, Expr::int(ty, 1))
        }
        (_, Type::Int(int)) => {
            let range = match &value.ty {
                Type::Bool => Range::new(0, 1),
                Type::Int(_) if value.range.is_inside(int.range()) => value.range,
                _ => int.range(),
            };
            Expr { range, ..cast(value, to) }
        }
        _ => cast(value, to),
    }
}
