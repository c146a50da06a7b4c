//! What the operations of the device can be applied to, and where they can be called.

use crate::What;
use crate::ir::{AtomicOp, ExprId, Intrinsic, Span, Type};

use super::Check;

impl Check<'_, '_> {
    /// A call of an operation of the device.
    pub(super) fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], span: Span) {
        if self.function.behind_operator && intrinsic.needs_thread() {
            self.error(
                span,
                What::new(
                    format!("`{}` is called behind an operator", intrinsic.name()),
                    "on the CPU device an operator is a call of Rust's own trait, which does not hand on the thread",
                    "pass what it gives as an operand, or write a method and call that",
                ),
            );
        }
        match intrinsic {
            Intrinsic::Shared(ty) => self.shared_storage(ty, span),
            Intrinsic::DynamicShared(ty) | Intrinsic::DynamicSharedAt(ty) => {
                self.memory(ty, "dynamic shared memory of type", span);
            }
            Intrinsic::Atomic { op, ordering: _, scope: _ } => self.atomic(*op, args, span),
            Intrinsic::Shuffle(_) => {
                if let Some(value) = args.get(1).map(|value| self.ty(*value).target())
                    && *value != Type::Never
                {
                    self.memory(value, "a shuffle of", span);
                }
            }
            Intrinsic::Grid(_)
            | Intrinsic::GridSize(_)
            | Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::SyncThreads
            | Intrinsic::SyncThreadsVote(_)
            | Intrinsic::SyncWarp
            | Intrinsic::SyncGrid
            | Intrinsic::Fence(_)
            | Intrinsic::Vote(_)
            | Intrinsic::MatchAny
            | Intrinsic::MatchAll
            | Intrinsic::Reduce(_)
            | Intrinsic::ActiveMask
            | Intrinsic::LaneId
            | Intrinsic::LaneMask(_)
            | Intrinsic::Fast(_) => {}
        }
    }

    /// The widths that the hardware has atomics for.
    fn atomic(&mut self, op: AtomicOp, args: &[ExprId], span: Span) {
        let Some(Type::Ref { target, mutable: _ }) = args.first().map(|place| self.ty(*place)) else { return };
        let fits = target.scalar().is_some_and(|scalar| op.suits(scalar));
        if !fits {
            self.error(
                span,
                What::new(
                    format!("`{}` on a `{target}`", op.name()),
                    "CUDA has its atomic operations on some types of 32 and 64 bits",
                    "use an element of a type such as `u32`",
                ),
            );
        }
    }
}
