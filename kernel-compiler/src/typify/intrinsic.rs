//! Type resolution of device operations.

use crate::ir::{AtomicOp, ExprId, Fast, Intrinsic, Ordering, Predicate, Scalar, Span, Type, Vote, dim3_of};

use super::Scope;

impl Scope<'_, '_> {
    /// Returns the result type of a device operation. `types` holds the types of the preceding expressions.
    pub(super) fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], types: &[Type], span: Span) -> Type {
        let mask = Type::U32;
        // The type of an argument of a polymorphic operation.
        let given = |position: usize| args.get(position).map_or(Type::Never, |arg| types[arg.index()].clone());
        let predicate = |position| match given(position) {
            Type::Scalar(scalar) if !scalar.is_float() => Type::Scalar(scalar),
            _ => Type::BOOL,
        };
        let (params, result) = match intrinsic {
            // The argument is the literal `n`.
            Intrinsic::Grid(n) | Intrinsic::GridSize(n) => (vec![self.index_type()], self.position(*n, span)),
            Intrinsic::ThreadIdx | Intrinsic::BlockIdx | Intrinsic::BlockDim | Intrinsic::GridDim => {
                (vec![], dim3_of(self.index))
            }
            Intrinsic::Shared(ty) => (vec![], reference(ty)),
            Intrinsic::DynamicShared(ty) => (vec![], slice(ty)),
            Intrinsic::DynamicSharedAt(ty) => (vec![self.index_type(), self.index_type()], slice(ty)),
            Intrinsic::SyncThreads | Intrinsic::SyncGrid | Intrinsic::Fence(_) => (vec![], Type::Unit),
            Intrinsic::SyncThreadsVote(Predicate::Count) => (vec![predicate(0)], Type::U32),
            Intrinsic::SyncThreadsVote(Predicate::And | Predicate::Or) => (vec![predicate(0)], Type::BOOL),
            Intrinsic::SyncWarp => (vec![mask], Type::Unit),
            Intrinsic::Atomic { op, ordering, scope: _ } => {
                let value = given(0).target().clone();
                if !permits_ordering(*op, *ordering) {
                    self.inconsistent(span, format!("`{}` with the ordering {ordering:?}", intrinsic.name()));
                }
                let values = match op {
                    AtomicOp::Load => 0,
                    AtomicOp::CompareExchange => 2,
                    AtomicOp::Add
                    | AtomicOp::Sub
                    | AtomicOp::Min
                    | AtomicOp::Max
                    | AtomicOp::And
                    | AtomicOp::Or
                    | AtomicOp::Xor
                    | AtomicOp::Exchange
                    | AtomicOp::Inc
                    | AtomicOp::Dec
                    | AtomicOp::Store => 1,
                };
                let mut params = vec![value.clone(); values];
                params.insert(0, Type::Ref { target: Box::new(value.clone()), mutable: *op != AtomicOp::Load });
                (params, if *op == AtomicOp::Store { Type::Unit } else { value })
            }
            Intrinsic::Shuffle(_) => {
                let value = given(1).target().clone();
                if value != Type::Never && value.size().is_none() {
                    return self.unsupported(intrinsic, &value, span);
                }
                let lane = match given(2) {
                    Type::Scalar(scalar) if scalar.is_integer() => scalar,
                    _ => self.index,
                };
                (vec![mask, value.clone(), Type::Scalar(lane)], value)
            }
            Intrinsic::Vote(Vote::All | Vote::Any | Vote::Uni) => (vec![mask, predicate(1)], Type::BOOL),
            Intrinsic::Vote(Vote::Ballot) => (vec![mask.clone(), predicate(1)], mask),
            Intrinsic::MatchAny | Intrinsic::MatchAll => {
                let value = given(1);
                if !matches!(value, Type::Scalar(_) | Type::Enum(_) | Type::Never) {
                    return self.unsupported(intrinsic, &value, span);
                }
                let result = match intrinsic {
                    Intrinsic::MatchAny => mask.clone(),
                    _ => Type::Tuple(vec![mask.clone(), Type::BOOL]),
                };
                (vec![mask, value], result)
            }
            Intrinsic::Reduce(_) => {
                let value = given(1);
                if !satisfies(&value, |scalar| matches!(scalar, Scalar::I32 | Scalar::U32)) {
                    return self.unsupported(intrinsic, &value, span);
                }
                (vec![mask, value.clone()], value)
            }
            Intrinsic::ActiveMask | Intrinsic::LaneMask(_) => (vec![], mask),
            Intrinsic::LaneId => (vec![], self.index_type()),
            Intrinsic::HasFaulted => (vec![], Type::Scalar(Scalar::Bool)),
            Intrinsic::Fast(fast) => {
                let single = Type::Scalar(Scalar::F32);
                match fast {
                    Fast::Pow | Fast::Div => (vec![single.clone(); 2], single),
                    Fast::SinCos => (vec![single.clone()], Type::Tuple(vec![single; 2])),
                    Fast::Sin
                    | Fast::Cos
                    | Fast::Tan
                    | Fast::Tanh
                    | Fast::Exp
                    | Fast::Exp2
                    | Fast::Exp10
                    | Fast::Ln
                    | Fast::Log2
                    | Fast::Log10
                    | Fast::Rcp
                    | Fast::Sqrt
                    | Fast::Rsqrt => (vec![single.clone()], single),
                }
            }
        };
        self.args(intrinsic.name(), &params, args, types, span);
        result
    }

    /// Returns the result type of `grid(N)`.
    fn position(&mut self, dimensions: u8, span: Span) -> Type {
        match dimensions {
            1 => self.index_type(),
            2 | 3 => Type::Tuple(vec![self.index_type(); dimensions.into()]),
            _ => {
                self.inconsistent(span, format!("a grid of {dimensions} dimensions"));
                Type::Never
            }
        }
    }

    /// Reports an operand type that the operation does not support, which the runtime's types should have excluded.
    fn unsupported(&mut self, intrinsic: &Intrinsic, ty: &Type, span: Span) -> Type {
        self.inconsistent(span, format!("`{}` of `{ty}`", intrinsic.name()));
        Type::Never
    }
}

/// Returns whether a type is a scalar that satisfies a predicate; `!` satisfies every predicate.
fn satisfies(ty: &Type, holds: impl FnOnce(Scalar) -> bool) -> bool {
    match ty {
        Type::Never => true,
        Type::Scalar(scalar) => holds(*scalar),
        Type::Unit
        | Type::Tuple(_)
        | Type::Struct(_)
        | Type::Enum(_)
        | Type::Array(..)
        | Type::Slice { .. }
        | Type::View { .. }
        | Type::Ref { .. } => false,
    }
}

/// Returns whether an operation permits an ordering: only writes can release, only reads can acquire.
fn permits_ordering(op: AtomicOp, ordering: Ordering) -> bool {
    match ordering {
        Ordering::Relaxed | Ordering::SeqCst => true,
        Ordering::Acquire => op != AtomicOp::Store,
        Ordering::Release => op != AtomicOp::Load,
        Ordering::AcqRel => !matches!(op, AtomicOp::Load | AtomicOp::Store),
    }
}

fn slice(element: &Type) -> Type {
    Type::Slice { element: Box::new(element.clone()), mutable: true }
}

fn reference(target: &Type) -> Type {
    Type::Ref { target: Box::new(target.clone()), mutable: true }
}
