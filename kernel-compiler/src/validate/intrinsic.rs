//! Validation of calls of device operations: their operand types and their context.

use crate::Diagnostic;
use crate::ir::{AtomicOp, ExprId, Intrinsic, Span, Type};

use super::Validator;

impl Validator<'_, '_> {
    /// Validates a call of a device operation.
    pub(super) fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], span: Span) {
        if self.function.called_by_operator && intrinsic.needs_thread() {
            self.error(
                span,
                Diagnostic::new(
                    format!("`{}` is not supported in the implementation of an operator", intrinsic.name()),
                    "on the CPU device an operator calls the method of its trait, which does not know the executing thread",
                    "call it outside and pass its result as an operand, or write a method instead of the operator",
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
            | Intrinsic::Fast(_)
            | Intrinsic::HasFaulted => {}
        }
    }

    /// Validates the operand type of an atomic operation: hardware atomics exist only for certain widths.
    fn atomic(&mut self, op: AtomicOp, args: &[ExprId], span: Span) {
        let Some(Type::Ref { target, mutable: _ }) = args.first().map(|place| self.ty(*place)) else { return };
        let supported = target.scalar().is_some_and(|scalar| op.supports(scalar));
        if !supported {
            self.error(
                span,
                Diagnostic::new(
                    format!("`{}` is not supported for `{target}`", op.name()),
                    "CUDA provides this atomic operation only for certain 32-bit and 64-bit types",
                    "use an element of a type such as `u32`",
                ),
            );
        }
    }
}
