//! Operators and methods that return a `bool`.

use super::Generator;
use super::convert::converted;
use crate::tree::{Expr, ExprKind};
use crate::types::{Int, Range, Type};

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
            13 => self.matches(),
            14 => {
                let operand = self.value(&Type::Bool, below);
                bool(ExprKind::Unary("!", Box::new(operand)))
            }
            15..17 => {
                let op = *self.random.pick(&["&", "|", "^", "==", "!="]);
                let (left, right) = (self.value(&Type::Bool, below), self.value(&Type::Bool, below));
                Expr::binary(Type::Bool, Range::NONE, op, left, right)
            }
            17 => {
                let ty = Type::Float(self.float_type());
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
                // The receiver is not a NaN, whose sign is unspecified.
                let (int, float) = (*self.random.pick(&Int::ALL), self.float_type());
                let number = self.value(&Type::Int(int), below);
                let number = converted(number, &Type::Float(float));
                let name = *self.random.pick(&["is_sign_negative", "is_sign_positive"]);
                Expr::method(Type::Bool, Range::NONE, number, name, vec![])
            }
        }
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let fieldless = self.types.iter().filter(|ty| matches!(ty, Type::Enum(choice) if !choice.has_data()));
        let enums: Vec<Type> = fieldless.chain(&self.comparable).cloned().collect();
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
}
