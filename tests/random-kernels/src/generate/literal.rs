//! Literals: edge cases, and arbitrary values.

use super::Generator;
use crate::tree::{Expr, ExprKind};
use crate::types::{Float, Int, Range, Type};

impl Generator<'_> {
    /// Returns an integer: an edge case, or an arbitrary value.
    pub(super) fn interesting(&mut self, range: Range) -> i128 {
        let value = match self.random.below(10) {
            0..4 => self.random.within(0, 9),
            4 => self.random.within(-9, -1),
            5 => *self.random.pick(&[
                range.low,
                range.low + 1,
                range.high,
                range.high - 1,
                range.high / 2,
                range.high / 2 + 1,
            ]),
            6 => (1 << self.random.below(64)) - self.random.within(0, 1),
            7 => self.random.within(0, 255),
            _ => self.random.within(range.low, range.high),
        };
        if range.contains(value) { value } else { range.low + value.rem_euclid(range.count()) }
    }

    /// Generates an integer literal.
    pub(super) fn int_literal(&mut self, int: Int, range: Range) -> Expr {
        let value = self.interesting(range);
        let ty = Type::Int(int);
        let whole = int.range();
        for (end, name) in [(whole.low, "MIN"), (whole.high, "MAX")] {
            if value == end && end != 0 && self.random.percent(70) {
                return Expr::new(ty, Range::one(value), ExprKind::Literal(format!("{}::{name}", int.name())));
            }
        }
        Expr::int(ty, value)
    }

    /// Returns the text of a float, a literal or an associated constant: an edge case, or an arbitrary value.
    fn float_text(&mut self, float: Float) -> String {
        const COMMON: [&str; 12] =
            ["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-2.5", "3.5", "0.1", "100.0", "-7.25", "127.5"];
        const RARE: [&str; 9] = [
            "1e10",
            "-1e30",
            "1e-40",
            "8388607.5",
            "16777217.0",
            "2147483648.0",
            "9007199254740993.0",
            "1e-10",
            "255.9",
        ];
        match self.random.below(20) {
            0..10 => (*self.random.pick(&COMMON)).to_owned(),
            10..13 => (*self.random.pick(&RARE)).to_owned(),
            13 => format!(
                "{}::{}",
                float.name(),
                self.random.pick(&["NAN", "INFINITY", "NEG_INFINITY", "MAX", "MIN_POSITIVE", "EPSILON"])
            ),
            _ => format!("{:?}", self.random.within(-4000, 4000) as f64 / 16.0),
        }
    }

    fn float_literal(&mut self, float: Float) -> Expr {
        let text = self.float_text(float);
        let (ty, constant) = (Type::Float(float), text.contains("::"));
        let written = |ty| Expr::any(ty, ExprKind::Literal(text));
        if float.is_half() && !constant {
            let of = vec![written(Type::F32)];
            return Expr::any(ty, ExprKind::Call(format!("{}::from_f32", float.name()), of));
        }
        written(ty)
    }

    /// Generates a literal of a scalar type.
    pub(super) fn scalar_literal(&mut self, ty: &Type) -> Option<Expr> {
        match ty {
            Type::Bool => Some(Expr::bool(self.random.percent(50))),
            Type::Int(int) => Some(self.int_literal(*int, int.range())),
            Type::Float(float) => Some(self.float_literal(*float)),
            _ => None,
        }
    }

    /// Returns a value of a type, as text.
    pub(super) fn value_text(&mut self, ty: &Type) -> String {
        match ty {
            Type::Bool => self.random.percent(50).to_string(),
            Type::Int(int) => format!("{}{ty}", self.interesting(int.range())),
            Type::Float(float) => {
                let text = self.float_text(*float);
                match text.contains("::") {
                    true => text,
                    // The constructor of `half` that is `const`.
                    false if float.is_half() => format!("{ty}::from_f32_const({text})"),
                    false => format!("{text}{ty}"),
                }
            }
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.value_text(part)).collect();
                format!("({},)", parts.join(", "))
            }
            Type::Array(element, len) => {
                let elements: Vec<String> = (0..*len).map(|_| self.value_text(element)).collect();
                format!("[{}]", elements.join(", "))
            }
            Type::Struct(structure) => {
                let fields = structure.fields.iter().map(|(name, ty)| {
                    let value = self.value_text(ty);
                    if structure.is_tuple() { value } else { format!("{name}: {value}") }
                });
                let fields = fields.collect::<Vec<_>>().join(", ");
                let (open, close) = if structure.is_tuple() { ("(", ")") } else { (" { ", " }") };
                format!("{}{open}{fields}{close}", structure.name)
            }
            Type::Enum(choice) => {
                let variant = &choice.variants[self.random.below(choice.variants.len())];
                let payload: Vec<String> = variant.payload.iter().map(|part| self.value_text(part)).collect();
                let path = choice.variant(variant);
                if payload.is_empty() { path } else { format!("{path}({})", payload.join(", ")) }
            }
            Type::Unit | Type::Slice(..) | Type::View(..) | Type::Ref(..) | Type::Param(_) => {
                unreachable!("`{ty}` is no value")
            }
        }
    }
}
