//! Validation of match guards whose pattern has alternatives.
//!
//! `(0, v) | (v, 0) if guard` evaluates the guard for each matching alternative until it is true, so the guard is
//! emitted once per alternative. Shared memory, a barrier or a warp operation in a guard would therefore be duplicated:
//! threads that match different alternatives would use different shared variables and would not converge at the same
//! barrier. (The body of an arm is emitted once, see `lower/matching.rs`; a loop that is emitted twice contains none of
//! these operations, see `prove/loops/candidates.rs`.)

use crate::Diagnostic;
use crate::ir::{Arm, Callee, ExprId, ExprKind, Filled, Intrinsic, alternatives};
use crate::typify::TypedFunction;

use super::Validator;

impl Validator<'_, '_> {
    /// Validates the guards of a `match`.
    pub(super) fn guards(&mut self, arms: &[Arm]) {
        for Arm { pattern, guard, body } in arms {
            let Some(guard) = guard.filter(|_| self.function.is_reachable(*body)) else { continue };
            if alternatives(pattern).len() < 2 {
                continue;
            }
            if let Some((id, name)) = self.call_site_bound_call(self.function, guard) {
                self.error(
                    self.span(id),
                    Diagnostic::new(
                        format!("`{name}` is not supported in the guard of an or-pattern"),
                        "the guard is compiled once per alternative of the pattern, and threads that match different ones would \
                         not converge",
                        "write an arm for each alternative, or evaluate the guard before the `match`",
                    ),
                );
            }
        }
    }

    /// Returns the first call inside an expression that reaches an operation bound to a single call site, and its name.
    fn call_site_bound_call(&self, function: &TypedFunction, id: ExprId) -> Option<(ExprId, String)> {
        if !function.is_reachable(id) {
            return None;
        }
        let kind = &function.instance.function.expr(id).kind;
        let mut found = None;
        kind.for_each_child(&mut |child| {
            if found.is_none() {
                found = self.call_site_bound_call(function, child);
            }
        });
        if found.is_some() {
            return found;
        }
        let (ExprKind::Call { callee: slot, .. }
        | ExprKind::Unary { operator: slot, .. }
        | ExprKind::Binary { operator: slot, .. }
        | ExprKind::AssignOp { operator: slot, .. }) = kind
        else {
            return None;
        };
        match &function.instance.slots[slot.index()] {
            Filled::Callee(Callee::Intrinsic(intrinsic)) if is_bound_to_call_site(intrinsic) => {
                Some((id, intrinsic.name().to_owned()))
            }
            Filled::Callee(Callee::Function(callee)) | Filled::Operator(Some(callee)) => {
                let callee = self.functions.get(callee.index())?;
                let mut calls = callee.reachable();
                calls.find_map(|inside| self.call_site_bound_call(callee, inside)).map(|(_, name)| (id, name))
            }
            Filled::Callee(Callee::Intrinsic(_) | Callee::Method(_))
            | Filled::Operator(None)
            | Filled::Type(_)
            | Filled::Constant(_) => None,
        }
    }
}

/// Returns whether the operation synchronises threads, or reserves memory, per call site.
fn is_bound_to_call_site(intrinsic: &Intrinsic) -> bool {
    match intrinsic {
        Intrinsic::Shared(_)
        | Intrinsic::SyncThreads
        | Intrinsic::SyncThreadsVote(_)
        | Intrinsic::SyncWarp
        | Intrinsic::SyncGrid
        | Intrinsic::Shuffle(_)
        | Intrinsic::Vote(_)
        | Intrinsic::MatchAny
        | Intrinsic::MatchAll
        | Intrinsic::Reduce(_)
        | Intrinsic::ActiveMask => true,
        Intrinsic::Grid(_)
        | Intrinsic::GridSize(_)
        | Intrinsic::ThreadIdx
        | Intrinsic::BlockIdx
        | Intrinsic::BlockDim
        | Intrinsic::GridDim
        | Intrinsic::DynamicShared(_)
        | Intrinsic::DynamicSharedAt(_)
        | Intrinsic::Fence(_)
        | Intrinsic::Atomic { .. }
        | Intrinsic::LaneId
        | Intrinsic::LaneMask(_)
        | Intrinsic::Fast(_)
        | Intrinsic::HasFaulted => false,
    }
}
