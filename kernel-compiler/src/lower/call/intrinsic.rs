//! Lowering of device operations.
//!
//! Operations that communicate with other threads, or whose effect others can observe, are side effects: each becomes a
//! separate statement or part of the next one, in Rust's order, and is never duplicated.

use crate::ir::{AtomicOp, ExprId, Fast, Intrinsic, Predicate, Scalar, Scope, Shuffle, Type, Vote};
use crate::source::SiteKind;

use crate::lower::bind::address_of;
use crate::lower::call::geometry::{GRID, GRID_SIZE};
use crate::lower::function::Lowering;
use crate::lower::number::cast::cast;
use crate::lower::value::Value;
use crate::lower::{Atomic, CType, CallTarget, Expr, Helper, Op, Operator, StmtKind, Variable};

impl Lowering<'_, '_> {
    /// Returns the result of an operation, and whether it has a side effect.
    pub(in crate::lower) fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], id: ExprId) -> (Value, bool) {
        let value = match intrinsic {
            Intrinsic::Grid(n) => self.geometry(*n, &GRID),
            Intrinsic::GridSize(n) => self.geometry(*n, &GRID_SIZE),
            Intrinsic::ThreadIdx => self.dim3(["threadIdx.x", "threadIdx.y", "threadIdx.z"]),
            Intrinsic::BlockIdx => self.dim3(["blockIdx.x", "blockIdx.y", "blockIdx.z"]),
            Intrinsic::BlockDim => self.dim3(["blockDim.x", "blockDim.y", "blockDim.z"]),
            Intrinsic::GridDim => self.dim3(["gridDim.x", "gridDim.y", "gridDim.z"]),
            Intrinsic::Shared(ty) => self.shared(ty, id),
            Intrinsic::DynamicShared(ty) => {
                let bytes = Expr::helper(Helper::new(Op::DynamicSharedBytes, Scalar::Usize), Vec::new());
                let len = match ty.size() {
                    Some(1) => bytes,
                    size => Expr::binary(Operator::Div, bytes, Expr::int(Scalar::Usize, size.unwrap_or(1))),
                };
                self.dynamic_shared_slice(ty, None, len)
            }
            Intrinsic::DynamicSharedAt(ty) => self.dynamic_shared_at(ty, args, id),
            Intrinsic::SyncThreads => self.void_call("__syncthreads", args),
            Intrinsic::SyncThreadsVote(predicate) => {
                let (name, result) = match predicate {
                    Predicate::Count => ("__syncthreads_count", Scalar::U32),
                    Predicate::And => ("__syncthreads_and", Scalar::Bool),
                    Predicate::Or => ("__syncthreads_or", Scalar::Bool),
                };
                return self.vote(name, None, args.first(), result);
            }
            Intrinsic::SyncWarp => self.void_call("__syncwarp", args),
            Intrinsic::SyncGrid => {
                self.affects_others();
                let site =
                    self.site(SiteKind::panic("`sync_grid()` in a launch that is not cooperative"), self.expr(id).span);
                self.push(StmtKind::Expr(Expr::faulting(Helper::new(Op::SyncGrid, Scalar::U64), site, Vec::new())));
                Value::Unit
            }
            Intrinsic::Fence(scope) => self.void_call(
                match scope {
                    Scope::Block => "__threadfence_block",
                    Scope::Device => "__threadfence",
                    Scope::System => "__threadfence_system",
                },
                args,
            ),
            Intrinsic::Atomic { op, ordering, scope } => {
                return self.atomic(Atomic { op: *op, ordering: *ordering, scope: *scope }, args);
            }
            Intrinsic::Shuffle(shuffle) => return self.shuffle(*shuffle, args),
            Intrinsic::Vote(vote) => {
                let (name, result) = match vote {
                    Vote::All => ("__all_sync", Scalar::Bool),
                    Vote::Any => ("__any_sync", Scalar::Bool),
                    Vote::Uni => ("__uni_sync", Scalar::Bool),
                    Vote::Ballot => ("__ballot_sync", Scalar::U32),
                };
                return self.vote(name, args.first(), args.get(1), result);
            }
            Intrinsic::MatchAny => {
                let Some((lanes, value, scalar)) = self.lanes_and_number(args) else { return (Value::Never, false) };
                let call = Expr::Call(CallTarget::Effect("__match_any_sync"), vec![lanes, bits(value, scalar)]);
                return (Value::Scalar(call, Scalar::U32), true);
            }
            Intrinsic::MatchAll => {
                let Some((lanes, value, scalar)) = self.lanes_and_number(args) else { return (Value::Never, false) };
                let all = Expr::Var(self.temporary("all", Scalar::I32, None));
                let arguments = vec![lanes, bits(value, scalar), Expr::AddressOf(Box::new(all.clone()))];
                let call = Expr::Call(CallTarget::Effect("__match_all_sync"), arguments);
                let same = self.constant("lanes", CType::Scalar(Scalar::U32), call);
                Value::Parts(vec![Value::Scalar(same, Scalar::U32), Value::bool(is_not_zero(all, Scalar::I32))])
            }
            Intrinsic::Reduce(reduce) => {
                let Some((lanes, value, scalar)) = self.lanes_and_number(args) else { return (Value::Never, false) };
                let helper = Helper::new(Op::Reduce(*reduce), scalar);
                return (Value::Scalar(Expr::helper(helper, vec![lanes, value]), scalar), true);
            }
            Intrinsic::ActiveMask => {
                self.affects_others();
                let helper = Helper::new(Op::ActiveMask, Scalar::U32);
                return (Value::Scalar(Expr::helper(helper, Vec::new()), Scalar::U32), true);
            }
            Intrinsic::HasFaulted => {
                self.affects_others();
                // It never fails, but reads the fault record of the launch, as what records a fault.
                let site = self.site(SiteKind::panic("`has_faulted()`"), self.expr(id).span);
                let call = Expr::faulting(Helper::new(Op::HasFaulted, Scalar::Bool), site, Vec::new());
                return (Value::Scalar(call, Scalar::Bool), true);
            }
            Intrinsic::LaneId => {
                let lane = Expr::helper(Helper::new(Op::LaneId, Scalar::U32), Vec::new());
                Value::usize(Expr::cast(Scalar::Usize, lane))
            }
            Intrinsic::LaneMask(comparison) => {
                let helper = Helper::new(Op::LaneMask(*comparison), Scalar::U32);
                Value::Scalar(Expr::helper(helper, Vec::new()), Scalar::U32)
            }
            Intrinsic::Fast(fast) => self.fast(*fast, args),
        };
        (value, false)
    }

    /// Records that the operation has an effect on other threads.
    fn affects_others(&mut self) {
        self.summary.writes = true;
        self.summary.reads = true;
    }

    /// Returns the values of scalar arguments; `None` if one diverges.
    fn numbers(&mut self, args: &[ExprId]) -> Option<Vec<(Expr, Scalar)>> {
        let mut numbers = Vec::with_capacity(args.len());
        for value in self.operands(args) {
            let Value::Scalar(expr, scalar) = self.load(value) else { return None };
            numbers.push((expr, scalar));
        }
        Some(numbers)
    }

    /// Lowers to a call of a CUDA function without a result.
    fn void_call(&mut self, name: &'static str, args: &[ExprId]) -> Value {
        let Some(numbers) = self.numbers(args) else { return Value::Never };
        self.affects_others();
        let args = numbers.into_iter().map(|(number, _)| number).collect();
        self.push(StmtKind::Expr(Expr::Call(CallTarget::Effect(name), args)));
        Value::Unit
    }

    /// Lowers to a call of a CUDA function that takes a predicate as an `int`, which is true if it is not zero.
    fn vote(
        &mut self,
        name: &'static str,
        lanes: Option<&ExprId>,
        predicate: Option<&ExprId>,
        result: Scalar,
    ) -> (Value, bool) {
        let args: Vec<ExprId> = lanes.into_iter().chain(predicate).copied().collect();
        let Some(mut numbers) = self.numbers(&args) else { return (Value::Never, false) };
        let Some((predicate, scalar)) = numbers.pop() else { return (Value::Never, false) };
        self.affects_others();
        let mut args: Vec<Expr> = numbers.into_iter().map(|(number, _)| number).collect();
        // A conversion to `int` would discard the upper bits of a `u64`.
        args.push(is_not_zero(predicate, scalar));
        let call = Expr::Call(CallTarget::Effect(name), args);
        let value = match result {
            Scalar::Bool => Value::bool(is_not_zero(call, Scalar::I32)),
            other => Value::Scalar(call, other),
        };
        (value, true)
    }

    /// Returns the mask and the operand of a warp-level operation.
    fn lanes_and_number(&mut self, args: &[ExprId]) -> Option<(Expr, Expr, Scalar)> {
        let mut numbers = self.numbers(args)?.into_iter();
        let ((lanes, _), (value, scalar)) = (numbers.next()?, numbers.next()?);
        self.affects_others();
        Some((lanes, value, scalar))
    }

    /// `shared::<T>()`: a separate shared variable per call site, named after the variable that it initialises.
    fn shared(&mut self, target: &Type, id: ExprId) -> Value {
        let (hint, origin) = self.name_of(id, "shared");
        let ty = self.output.types.memory(target);
        let var = self.var(Variable { hint, origin, ty, constant: false, stable: false });
        self.push(StmtKind::Shared { var });
        Value::Place { lvalue: Expr::Var(var), target: target.clone() }
    }

    fn dynamic_shared_at(&mut self, ty: &Type, args: &[ExprId], id: ExprId) -> Value {
        let Some(numbers) = self.numbers(args) else { return Value::Never };
        let mut numbers = numbers.into_iter().map(|(number, _)| number);
        let (Some(offset), Some(len)) = (numbers.next(), numbers.next()) else { return Value::Never };
        let len = self.saved_expr("len", len, CType::USIZE);
        let span = self.expr(id).span;
        let site = self.site(SiteKind::DynamicSharedOutside, span);
        // The helper takes the first site; this is the following one.
        self.site(SiteKind::DynamicSharedMisaligned, span);
        let bytes = |bytes: Option<u64>| Expr::int(Scalar::Usize, bytes.unwrap_or(1));
        let helper = Helper::new(Op::DynamicSharedAt, Scalar::Usize);
        let offset = Expr::faulting(helper, site, vec![offset, len.clone(), bytes(ty.size()), bytes(ty.align())]);
        // Checked here, whether or not the slice is used.
        let offset = self.constant("offset", CType::USIZE, offset);
        self.dynamic_shared_slice(ty, Some(offset), len)
    }

    /// Returns a slice of the dynamic shared memory.
    fn dynamic_shared_slice(&mut self, element: &Type, offset: Option<Expr>, len: Expr) -> Value {
        let start = Expr::Special("rt::dynamic_shared");
        let bytes = match offset {
            Some(offset) => Expr::binary(Operator::Add, start, offset),
            None => start,
        };
        let pointer = CType::pointer(self.output.types.memory(element), true);
        Value::Slice { pointer: Expr::Cast(pointer, Box::new(bytes)), len, element: element.clone(), mutable: true }
    }

    /// Lowers an atomic operation to a CUDA function or to a helper.
    fn atomic(&mut self, atomic: Atomic, args: &[ExprId]) -> (Value, bool) {
        let mut values = self.operands(args).into_iter();
        let Some(Value::Place { lvalue, target: Type::Scalar(scalar) }) = values.next() else {
            return (Value::Never, false);
        };
        let mut arguments = vec![address_of(lvalue)];
        for value in values {
            let Value::Scalar(number, _) = self.load(value) else { return (Value::Never, false) };
            arguments.push(number);
        }
        self.affects_others();
        let callee = match atomic.builtin(scalar) {
            Some(name) => CallTarget::Effect(name),
            None => CallTarget::Helper(Helper::new(Op::Atomic(atomic), scalar), None),
        };
        let call = Expr::Call(callee, arguments);
        match (atomic.op, scalar) {
            (AtomicOp::Store, _) => {
                self.push(StmtKind::Expr(call));
                (Value::Unit, false)
            }
            // In memory a `bool` is a byte.
            (_, Scalar::Bool) => (Value::bool(is_not_zero(call, Scalar::U8)), true),
            _ => (Value::Scalar(call, scalar), true),
        }
    }

    /// Lowers a shuffle. CUDA's functions support scalars of 32 and 64 bits.
    fn shuffle(&mut self, shuffle: Shuffle, args: &[ExprId]) -> (Value, bool) {
        let [_, given, lane] = args else { return (Value::Never, false) };
        let ty = self.ty(*given).target();
        let lane_type = self.ty(*lane).scalar().unwrap_or(Scalar::Usize);
        let mut values = self.operands(args).into_iter();
        let (Some(lanes), Some(value), Some(lane)) = (values.next(), values.next(), values.next()) else {
            return (Value::Never, false);
        };
        let value = self.load(value);
        if matches!(value, Value::Never) {
            return (Value::Never, false);
        }
        self.affects_others();
        let lanes = self.load(lanes).expr();
        let lane = self.load(lane).expr();
        // The instruction uses the low five bits.
        let lane = match (shuffle, lane) {
            (Shuffle::Index | Shuffle::Xor, lane) => cast(lane, lane_type, Scalar::I32),
            (Shuffle::Up | Shuffle::Down, Expr::Literal(_, distance)) => {
                Expr::int(Scalar::U32, if distance < 32 { distance } else { 0 })
            }
            (Shuffle::Up | Shuffle::Down, lane) => {
                let distance = cast(lane, lane_type, Scalar::U64);
                Expr::helper(Helper::new(Op::LaneOffset, Scalar::U64), vec![distance])
            }
        };
        let name = match shuffle {
            Shuffle::Index => "__shfl_sync",
            Shuffle::Up => "__shfl_up_sync",
            Shuffle::Down => "__shfl_down_sync",
            Shuffle::Xor => "__shfl_xor_sync",
        };
        let call = |value| Expr::Call(CallTarget::Effect(name), vec![lanes.clone(), value, lane.clone()]);
        let value = match value {
            Value::Scalar(value, scalar) => {
                let call = match scalar {
                    Scalar::Bool => is_not_zero(call(Expr::cast(Scalar::I32, value)), Scalar::I32),
                    Scalar::I8 | Scalar::I16 => Expr::cast(scalar, call(Expr::cast(Scalar::I32, value))),
                    Scalar::U8 | Scalar::U16 => Expr::cast(scalar, call(Expr::cast(Scalar::U32, value))),
                    Scalar::F16 | Scalar::Bf16 => {
                        let helper = Helper::new(Op::Shuffle(shuffle), Scalar::U32);
                        Expr::helper(helper, vec![lanes, value, lane])
                    }
                    Scalar::I32
                    | Scalar::I64
                    | Scalar::Isize
                    | Scalar::U32
                    | Scalar::U64
                    | Scalar::Usize
                    | Scalar::F32
                    | Scalar::F64 => call(value),
                };
                Value::Scalar(call, scalar)
            }
            value => {
                let Some(whole) = self.whole(value, ty) else { return (Value::Never, false) };
                let helper = Helper::new(Op::Shuffle(shuffle), Scalar::U32);
                Value::Whole(Expr::helper(helper, vec![lanes, whole, lane]), ty.clone())
            }
        };
        (value, true)
    }

    /// Lowers an approximation to a CUDA function or to an instruction (CUDA C++ Programming Guide, "Intrinsic
    /// Functions").
    fn fast(&mut self, fast: Fast, args: &[ExprId]) -> Value {
        let Some(numbers) = self.numbers(args) else { return Value::Never };
        let args: Vec<Expr> = numbers.into_iter().map(|(number, _)| number).collect();
        let name = match fast {
            Fast::Sin => "__sinf",
            Fast::Cos => "__cosf",
            Fast::Tan => "__tanf",
            Fast::SinCos => return self.sin_cos("__sincosf", args, Scalar::F32),
            Fast::Exp => "__expf",
            Fast::Exp10 => "__exp10f",
            Fast::Ln => "__logf",
            Fast::Log2 => "__log2f",
            Fast::Log10 => "__log10f",
            Fast::Pow => "__powf",
            Fast::Div => "__fdividef",
            Fast::Tanh | Fast::Exp2 | Fast::Rcp | Fast::Sqrt | Fast::Rsqrt => {
                return Value::Scalar(Expr::helper(Helper::new(Op::Fast(fast), Scalar::F32), args), Scalar::F32);
            }
        };
        Value::Scalar(Expr::Call(CallTarget::Builtin(name), args), Scalar::F32)
    }
}

/// Converts a scalar to a predicate.
fn is_not_zero(number: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Bool => number,
        _ => Expr::binary(Operator::Ne, number, Expr::int(scalar, 0)),
    }
}

/// Returns the bits of a value, as 32 or 64 bits, for comparison.
fn bits(value: Expr, scalar: Scalar) -> Expr {
    let builtin = |name| Expr::Call(CallTarget::Builtin(name), vec![value.clone()]);
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => Expr::cast(Scalar::U32, value),
        Scalar::F16 | Scalar::Bf16 => {
            Expr::cast(Scalar::U32, Expr::helper(Helper::new(Op::ToBits, scalar), vec![value]))
        }
        Scalar::F32 => builtin("__float_as_uint"),
        Scalar::F64 => Expr::cast(Scalar::U64, builtin("__double_as_longlong")),
        Scalar::I32 | Scalar::I64 | Scalar::Isize | Scalar::U32 | Scalar::U64 | Scalar::Usize => value,
    }
}
