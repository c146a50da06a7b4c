//! Calls: device functions and the operations of the device.

use crate::ir::{Callee as IrCallee, ExprId, Filled, Intrinsic, Scalar, Type};
use crate::source::SiteKind;

use super::function::Lowering;
use super::value::{Value, dimensions};
use super::{CType, Callee, Expr, Helper, Named, Op, Operator, StmtKind, Summary, Variable};

impl Lowering<'_, '_> {
    /// The result of a call, and whether it has an effect.
    pub(super) fn call(&mut self, callee: &Filled, args: &[ExprId], id: ExprId) -> (Value, bool) {
        match callee {
            Filled::Callee(IrCallee::Function(function)) => {
                let mut flat = Vec::new();
                let values = self.operands(args);
                if values.iter().any(|value| matches!(value, Value::Never)) {
                    return (Value::Never, false);
                }
                for value in values {
                    value.leaves(&mut |leaf| flat.push(leaf.clone()));
                }
                let Summary { writes, reads, faults } = self.output.summaries[function.index()];
                self.summary.writes |= writes;
                self.summary.reads |= reads;
                self.summary.faults |= faults;
                let call = Expr::Call(Callee::Function(*function), flat);
                match self.ty(id) {
                    Type::Scalar(scalar) => (Value::Scalar(call, *scalar), writes),
                    ty => {
                        self.push(StmtKind::Expr(call));
                        (if *ty == Type::Never { Value::Never } else { Value::Unit }, false)
                    }
                }
            }
            Filled::Callee(IrCallee::Intrinsic(intrinsic)) => self.intrinsic(intrinsic, args, id),
            Filled::Type(_) | Filled::Constant(_) => (Value::Never, false),
        }
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], id: ExprId) -> (Value, bool) {
        let value = match intrinsic {
            Intrinsic::Grid(n) => geometry(*n, &GRID),
            Intrinsic::GridSize(n) => geometry(*n, &GRID_SIZE),
            Intrinsic::ThreadIdx => dim3(["threadIdx.x", "threadIdx.y", "threadIdx.z"]),
            Intrinsic::BlockIdx => dim3(["blockIdx.x", "blockIdx.y", "blockIdx.z"]),
            Intrinsic::BlockDim => dim3(["blockDim.x", "blockDim.y", "blockDim.z"]),
            Intrinsic::GridDim => dim3(["gridDim.x", "gridDim.y", "gridDim.z"]),
            Intrinsic::Shared(ty) => self.shared(ty, id),
            Intrinsic::DynamicShared(ty) => {
                let element = ty.scalar().unwrap_or(Scalar::U8);
                let bytes = Expr::helper(Helper::new(Op::DynamicSharedBytes, Scalar::Usize), Vec::new());
                let len = match element.size() {
                    1 => bytes,
                    size => Expr::binary(Operator::Div, bytes, Expr::int(Scalar::Usize, size)),
                };
                Value::Slice { pointer: dynamic_shared(element, None), len, element, mutable: true }
            }
            Intrinsic::DynamicSharedAt(ty) => self.dynamic_shared_at(ty, args, id),
            Intrinsic::SyncThreads => {
                self.summary.writes = true;
                self.push(StmtKind::Expr(Expr::Call(Callee::Effect("__syncthreads"), Vec::new())));
                Value::Unit
            }
            Intrinsic::AtomicAdd => return self.atomic_add(args),
        };
        (value, false)
    }

    /// `shared::<T>()`: its own storage at each place in the source, named after the variable it is given to.
    fn shared(&mut self, ty: &Type, id: ExprId) -> Value {
        let (element, lens) = dimensions(ty);
        let name = self.shared_name(id);
        let named = Named::by_user(name.is_some());
        let wish = name.unwrap_or_else(|| "shared".to_owned());
        let ty = CType::Array { element, lens: lens.clone() };
        let var = self.var(Variable { wish, named, ty, constant: false, stable: true });
        self.push(StmtKind::Shared { var });
        Value::Array { place: Expr::Var(var), element, lens }
    }

    /// The name of the variable that a `let` gives this expression to.
    fn shared_name(&self, id: ExprId) -> Option<String> {
        let function = &self.typed.instance.function;
        let blocks = function.exprs.iter().filter_map(|expr| expr.kind.block()).chain([&function.body]);
        blocks.flat_map(|block| &block.stmts).find_map(|stmt| match stmt {
            crate::ir::Stmt::Let { pattern: crate::ir::Pattern::Local(local), init: Some(init), span: _ }
                if *init == id =>
            {
                Some(function.local(*local).name.clone())
            }
            _ => None,
        })
    }

    fn dynamic_shared_at(&mut self, ty: &Type, args: &[ExprId], id: ExprId) -> Value {
        let element = ty.scalar().unwrap_or(Scalar::U8);
        let mut values = self.operands(args).into_iter();
        let (Some(Value::Scalar(offset, _)), Some(Value::Scalar(len, _))) = (values.next(), values.next()) else {
            return Value::Never;
        };
        let len = self.saved_expr("len", len, CType::Scalar(Scalar::Usize));
        let span = self.expr(id).span;
        let site = self.site(SiteKind::DynamicSharedOutside, span);
        self.site(SiteKind::DynamicSharedMisaligned, span);
        let bytes = Expr::int(Scalar::Usize, element.size());
        let helper = Helper::new(Op::DynamicSharedAt, Scalar::Usize);
        let offset = Expr::faulting(helper, site, vec![offset, len.clone(), bytes]);
        // Checked here, whether or not it is used.
        let offset = self.constant("offset", CType::Scalar(Scalar::Usize), offset);
        Value::Slice { pointer: dynamic_shared(element, Some(offset)), len, element, mutable: true }
    }

    fn atomic_add(&mut self, args: &[ExprId]) -> (Value, bool) {
        let mut values = self.operands(args).into_iter();
        let (Some(Value::Place { lvalue, element }), Some(Value::Scalar(value, _))) = (values.next(), values.next())
        else {
            return (Value::Never, false);
        };
        self.summary.writes = true;
        self.summary.reads = true;
        let address = Expr::AddressOf(Box::new(lvalue));
        let result = match element {
            // CUDA has no overload for them; the sum has the same bits.
            Scalar::I64 | Scalar::Isize => {
                let unsigned = CType::Pointer { element: Scalar::U64, mutable: true, restrict: false };
                let address = Expr::Cast(unsigned, Box::new(address));
                let value = Expr::cast(Scalar::U64, value);
                Expr::cast(element, Expr::Call(Callee::Effect("atomicAdd"), vec![address, value]))
            }
            _ => Expr::Call(Callee::Effect("atomicAdd"), vec![address, value]),
        };
        (Value::Scalar(result, element), true)
    }
}

/// The parts of a position: a product of two special registers, and one that is added.
type Axis = (&'static str, &'static str, Option<&'static str>);

const GRID: [Axis; 3] = [
    ("blockIdx.x", "blockDim.x", Some("threadIdx.x")),
    ("blockIdx.y", "blockDim.y", Some("threadIdx.y")),
    ("blockIdx.z", "blockDim.z", Some("threadIdx.z")),
];

const GRID_SIZE: [Axis; 3] =
    [("gridDim.x", "blockDim.x", None), ("gridDim.y", "blockDim.y", None), ("gridDim.z", "blockDim.z", None)];

/// `grid::<N>()` and its like. The registers have 32 bits; the product is computed with 64, so that it does not wrap.
fn geometry(dimensions: u8, axes: &[Axis; 3]) -> Value {
    let mut parts = axes.iter().take(dimensions.into()).map(|(factor, by, plus)| {
        let by = Expr::cast(Scalar::Usize, Expr::Special(by));
        let product = Expr::binary(Operator::Mul, Expr::Special(factor), by);
        Value::usize(match plus {
            Some(plus) => Expr::binary(Operator::Add, product, Expr::Special(plus)),
            None => product,
        })
    });
    if dimensions == 1 { parts.next().unwrap_or(Value::Never) } else { Value::Parts(parts.collect()) }
}

fn dim3(names: [&'static str; 3]) -> Value {
    Value::Parts(names.map(|name| Value::usize(Expr::cast(Scalar::Usize, Expr::Special(name)))).into())
}

/// A pointer into the dynamic shared memory.
fn dynamic_shared(element: Scalar, offset: Option<Expr>) -> Expr {
    let start = Expr::Special("rt::dynamic_shared");
    let bytes = match offset {
        Some(offset) => Expr::binary(Operator::Add, start, offset),
        None => start,
    };
    Expr::Cast(CType::Pointer { element, mutable: true, restrict: false }, Box::new(bytes))
}
