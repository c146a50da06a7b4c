//! What a launch has to know about a program before it runs it.

use crate::Validated;
use crate::ir::{Callee, ExprKind, Filled, Intrinsic};

/// What a program needs from a launch, over the kernel and all that it calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// A barrier, or another operation for which the threads of a block have to run side by side, is reachable.
    pub needs_other_threads: bool,
    /// The bytes of shared memory that the program declares itself, without alignment between arrays.
    pub static_shared_bytes: u64,
    /// It uses the dynamic shared memory whose size the launch gives.
    pub uses_dynamic_shared: bool,
}

impl Validated<'_> {
    /// What the program needs from a launch.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        for function in self.functions().iter().map(|typed| typed.instance) {
            for expr in &function.function.exprs {
                let ExprKind::Call { callee, .. } = &expr.kind else { continue };
                if let Filled::Callee(Callee::Intrinsic(intrinsic)) = &function.slots[callee.index()] {
                    facts.needs_other_threads |= intrinsic.needs_other_threads();
                    match intrinsic {
                        Intrinsic::Shared(ty) => facts.static_shared_bytes += ty.size().unwrap_or(0),
                        Intrinsic::DynamicShared(_) | Intrinsic::DynamicSharedAt(_) => facts.uses_dynamic_shared = true,
                        Intrinsic::Grid(_)
                        | Intrinsic::GridSize(_)
                        | Intrinsic::ThreadIdx
                        | Intrinsic::BlockIdx
                        | Intrinsic::BlockDim
                        | Intrinsic::GridDim
                        | Intrinsic::SyncThreads
                        | Intrinsic::AtomicAdd => {}
                    }
                }
            }
        }
        facts
    }
}
