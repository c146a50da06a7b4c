//! Lowering of thread indices: the built-in variables, and the indices that `grid` computes from them.

use crate::ir::Scalar;
use crate::lower::function::Lowering;
use crate::lower::value::Value;
use crate::lower::{Expr, Operator};

/// The operands of an index in one dimension: a product of two built-in variables, plus an optional third.
pub(in crate::lower) type Axis = (&'static str, &'static str, Option<&'static str>);

pub(in crate::lower) const GRID: [Axis; 3] = [
    ("blockIdx.x", "blockDim.x", Some("threadIdx.x")),
    ("blockIdx.y", "blockDim.y", Some("threadIdx.y")),
    ("blockIdx.z", "blockDim.z", Some("threadIdx.z")),
];

pub(in crate::lower) const GRID_SIZE: [Axis; 3] =
    [("gridDim.x", "blockDim.x", None), ("gridDim.y", "blockDim.y", None), ("gridDim.z", "blockDim.z", None)];

impl Lowering<'_, '_> {
    /// `grid(N)` and `grid_size(N)`. The built-in variables have 32 bits; the product is computed with 64 bits,
    /// so that it does not wrap.
    pub(in crate::lower) fn geometry(&self, dimensions: u8, axes: &[Axis; 3]) -> Value {
        let mut parts = axes.iter().take(dimensions.into()).map(|(factor, by, plus)| {
            let by = match self.register(by) {
                // Next to a 32-bit operand, a literal needs an explicit type.
                number @ Expr::Literal(..) => Expr::cast(Scalar::Usize, number),
                register => register,
            };
            let product = Expr::binary(Operator::Mul, Expr::Special(factor), by);
            Value::usize(match plus {
                Some(plus) => Expr::binary(Operator::Add, product, Expr::Special(plus)),
                None => product,
            })
        });
        if dimensions == 1 { parts.next().unwrap_or(Value::Never) } else { Value::Parts(parts.collect()) }
    }

    pub(in crate::lower) fn dim3(&self, names: [&'static str; 3]) -> Value {
        Value::Parts(names.map(|name| Value::usize(self.register(name))).into())
    }

    /// Returns a built-in variable as a `usize`, or a literal if it is the same for all launches.
    fn register(&self, name: &'static str) -> Expr {
        let fixed = self.output.options.block.and_then(|[x, y, z]| match name {
            "blockDim.x" => Some(x),
            "blockDim.y" => Some(y),
            "blockDim.z" => Some(z),
            _ => None,
        });
        match fixed {
            Some(threads) => Expr::int(Scalar::Usize, threads.into()),
            None => Expr::cast(Scalar::Usize, Expr::Special(name)),
        }
    }
}
