//! Methods of integers.

use super::Generator;
use super::int::magnitude;
use crate::tree::{Block, Expr, ExprKind, Stmt};
use crate::types::{Float, Int, Range, Type};

/// A total method of integers, which is defined for all operands.
struct Total {
    name: &'static str,
    operand: Operand,
    /// Whether only signed or only unsigned types have it; `None` for both.
    signed: Option<bool>,
}

/// The arguments of a method besides the receiver.
#[derive(Clone, Copy)]
enum Operand {
    None,
    Own,
    U32,
    /// An operand of the type of the same width with the other signedness.
    OtherSign,
    NotZero,
}

const TOTAL: &[Total] = {
    const fn of(name: &'static str, operand: Operand, signed: Option<bool>) -> Total {
        Total { name, operand, signed }
    }
    use Operand::{None as Nothing, NotZero, OtherSign, Own, U32};
    &[
        of("wrapping_add", Own, None),
        of("wrapping_sub", Own, None),
        of("wrapping_mul", Own, None),
        of("wrapping_neg", Nothing, None),
        of("saturating_add", Own, None),
        of("saturating_sub", Own, None),
        of("rotate_left", U32, None),
        of("rotate_right", U32, None),
        of("swap_bytes", Nothing, None),
        of("reverse_bits", Nothing, None),
        of("wrapping_div", NotZero, None),
        of("wrapping_rem", NotZero, None),
        of("wrapping_div_euclid", NotZero, None),
        of("wrapping_rem_euclid", NotZero, None),
        of("wrapping_abs", Nothing, Some(true)),
        of("wrapping_shl", U32, None),
        of("wrapping_shr", U32, None),
        of("wrapping_pow", U32, None),
        of("wrapping_add_signed", OtherSign, Some(false)),
        of("wrapping_add_unsigned", OtherSign, Some(true)),
        of("wrapping_sub_unsigned", OtherSign, Some(true)),
        of("saturating_mul", Own, None),
        of("saturating_div", NotZero, None),
        of("saturating_neg", Nothing, Some(true)),
        of("saturating_abs", Nothing, Some(true)),
        of("saturating_pow", U32, None),
        of("saturating_add_signed", OtherSign, Some(false)),
        of("saturating_add_unsigned", OtherSign, Some(true)),
        of("saturating_sub_unsigned", OtherSign, Some(true)),
        of("unbounded_shl", U32, None),
        of("unbounded_shr", U32, None),
        of("midpoint", Own, None),
        of("to_be", Nothing, None),
        of("to_le", Nothing, None),
    ]
};

impl Generator<'_> {
    pub(super) fn int_method(&mut self, int: Int, depth: u32) -> Expr {
        if self.random.percent(55) {
            return self.total_method(int, depth);
        }
        match self.random.below(if int.is_signed() { 10 } else { 12 }) {
            0..3 => self.lesser_or_greater(int, depth),
            3..5 => self.clamp(int, depth),
            5..7 => self.pow(int, depth),
            7 if matches!(int, Int::U16 | Int::U32 | Int::U64) => self.float_bits(int, depth),
            7..9 if int == Int::U32 => self.count(depth),
            7..9 => self.root(int, depth),
            _ if int.is_signed() => self.abs_or_signum(int, depth),
            _ => self.distance(int, depth),
        }
    }

    /// Generates a call of a total method.
    fn total_method(&mut self, int: Int, depth: u32) -> Expr {
        let ty = Type::Int(int);
        let fits = |method: &&Total| method.signed.is_none_or(|signed| signed == int.is_signed());
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

    /// Generates `x.f(y)` or `i32::f(x, y)`.
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
            // A large exponent costs nothing: the number of steps grows with its bits, not its value.
            return self.called(int, &ty, whole, "pow", vec![base, exponent]);
        }
        let most = self.random.within(1, 5);
        let base = self.narrow(base, Range::new(if int.is_signed() { -most } else { 0 }, most));
        let most_power = (0..62).take_while(|n| (most + 1).pow(n + 1) <= whole.high).last().unwrap_or(0);
        let exponent = self.narrow(exponent, Range::new(0, i128::from(most_power)));
        self.called(int, &ty, whole, "pow", vec![base, exponent])
    }

    /// Generates a method that counts bits, of a receiver of any type.
    pub(super) fn count(&mut self, depth: u32) -> Expr {
        let of = *self.random.pick(&Int::ALL);
        let name = *self.random.pick(&[
            "count_ones",
            "count_zeros",
            "leading_zeros",
            "trailing_zeros",
            "leading_ones",
            "trailing_ones",
            "ilog2",
            "ilog10",
        ]);
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
        // With wrapping arithmetic, the negated minimum is the minimum itself.
        let range = if value.range.low == whole.low { whole } else { Range::new(0, magnitude(value.range)) };
        self.called(int, &ty, range, "abs", vec![value])
    }

    /// Generates `abs_diff` and `unsigned_abs`, which return an unsigned number.
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

    /// Generates the bits of a float that is not a NaN, whose bits are unspecified.
    fn float_bits(&mut self, int: Int, depth: u32) -> Expr {
        let (ty, float) = match int {
            Int::U16 => (Type::Int(int), *self.random.pick(&[Float::F16, Float::Bf16])),
            Int::U32 => (Type::Int(int), Float::F32),
            _ => (Type::Int(int), Float::F64),
        };
        let float = Type::Float(float);
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
}

/// Returns the signed type of the same width.
fn signed_of(int: Int) -> Int {
    match int.to_unsigned() {
        Int::U8 => Int::I8,
        Int::U16 => Int::I16,
        Int::U32 => Int::I32,
        Int::U64 => Int::I64,
        _ => Int::Isize,
    }
}
