//! Operators and methods of floats.

use super::Generator;
use super::convert::{converted, zero};
use crate::tree::{Expr, ExprKind};
use crate::types::{Float, Int, Range, Type};

impl Generator<'_> {
    pub(super) fn float_type(&mut self) -> Float {
        self.random.weighted(&[(10, Float::F32), (7, Float::F64), (2, Float::F16), (1, Float::Bf16)])
    }

    pub(super) fn float_operation(&mut self, float: Float, depth: u32) -> Expr {
        let (ty, below) = (Type::Float(float), depth - 1);
        match self.random.below(100) {
            0..45 => {
                let op = *self.random.pick(&["+", "+", "-", "-", "*", "*", "*", "/", "/", "%"]);
                let (left, right) = (self.value(&ty, below), self.value(&ty, below));
                Expr::binary(ty, Range::NONE, op, left, right)
            }
            45..50 => {
                let operand = self.value(&ty, below);
                Expr::any(ty, ExprKind::Unary("-", Box::new(operand)))
            }
            50..70 => self.float_cast(float, below),
            _ => self.float_method(float, below),
        }
    }

    /// Generates a conversion to a float: `x as f32`, `f64::from(x)`, `f16::from_f32(x)`.
    fn float_cast(&mut self, float: Float, depth: u32) -> Expr {
        let ty = Type::Float(float);
        let from = self.scalar_type();
        let operand = self.value(&from, depth);
        let lossless = match &from {
            Type::Float(from) => !from.is_half() && from.bits() < float.bits(),
            Type::Int(from) => !float.is_half() && from.bits() < float.bits().min(33),
            _ => false,
        };
        if lossless && self.random.percent(40) {
            return Expr::any(ty, ExprKind::Call(format!("{}::from", float.name()), vec![operand]));
        }
        if from == ty && !float.is_half() {
            return Expr::any(ty, ExprKind::Cast(Box::new(operand)));
        }
        converted(operand, &ty)
    }

    fn float_method(&mut self, float: Float, depth: u32) -> Expr {
        let ty = Type::Float(float);
        let receiver = self.value(&ty, depth);
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
            "min" | "max" | "rem_euclid" | "div_euclid" => args.push(self.value(&ty, depth)),
            "mul_add" => args.extend([self.value(&ty, depth), self.value(&ty, depth)]),
            "clamp" => {
                let (one, other) = (self.random.within(-900, 900), self.random.within(-900, 900));
                let limit = |value: i128| {
                    let text = format!("{:?}", value as f64 / 8.0);
                    let wide = if float.is_half() { Float::F32 } else { float };
                    converted(Expr::any(Type::Float(wide), ExprKind::Literal(text)), &ty).pinned()
                };
                args.extend([limit(one.min(other)), limit(one.max(other))]);
            }
            "copysign" => {
                // The sign of a NaN is unspecified in Rust.
                let number = self.value(&Type::Int(Int::I32), depth.min(1));
                args.push(converted(number, &ty));
            }
            _ => {}
        }
        if matches!(name, "min" | "max") {
            // The sign of their zero is unspecified for operands of both signs. The addition makes it positive.
            let least = if self.random.percent(10) {
                let call = ExprKind::Call(format!("{ty}::{name}"), vec![receiver, args.remove(0)]);
                Expr::any(ty.clone(), call)
            } else {
                Expr::method(ty.clone(), Range::NONE, receiver, name, args)
            };
            return Expr::binary(ty, Range::NONE, "+", least, zero(float).pinned()).pinned();
        }
        Expr::method(ty, Range::NONE, receiver, name, args)
    }
}
