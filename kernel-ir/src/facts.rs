//! What a launch has to know about a program before it runs it.

use crate::Validated;
use crate::ir::{Callee, ExprKind, Filled, Intrinsic};

/// What a program needs from a launch, over the kernel and all that it calls. Code that constants rule out does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// A barrier, or another operation for which the threads of a block have to run side by side, is reachable.
    pub needs_other_threads: bool,
    /// A barrier over the whole grid is reachable, for which all of its blocks have to be resident: a cooperative launch.
    pub syncs_grid: bool,
    /// The bytes of shared memory that the program declares itself, without alignment between arrays.
    pub static_shared_bytes: u64,
    /// It uses the dynamic shared memory whose size the launch gives.
    pub uses_dynamic_shared: bool,
    /// An upper bound of the stack that a thread takes on the CPU, but for code that the user wrote for the host.
    pub stack_bytes: u64,
    /// A function whose body for the CPU the user wrote, since it is in CUDA C for a GPU, is reachable.
    pub calls_host_code: bool,
}

impl Validated<'_> {
    /// What the program needs from a launch.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts { stack_bytes: self.stack_bytes(), ..Facts::default() };
        for typed in self.functions() {
            facts.calls_host_code |= typed.instance.function.cuda.is_some();
            for id in typed.alive() {
                let ExprKind::Call { callee, args: _ } = &typed.instance.function.expr(id).kind else { continue };
                if let Filled::Callee(Callee::Intrinsic(intrinsic)) = &typed.instance.slots[callee.index()] {
                    facts.add(intrinsic);
                }
            }
        }
        facts
    }
}

impl Facts {
    fn add(&mut self, intrinsic: &Intrinsic) {
        self.needs_other_threads |= intrinsic.needs_other_threads();
        match intrinsic {
            Intrinsic::Shared(ty) => self.static_shared_bytes += ty.size().unwrap_or(0),
            Intrinsic::DynamicShared(_) | Intrinsic::DynamicSharedAt(_) => self.uses_dynamic_shared = true,
            Intrinsic::SyncGrid => self.syncs_grid = true,
            Intrinsic::Grid(_)
            | Intrinsic::GridSize(_)
            | Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::SyncThreads
            | Intrinsic::SyncThreadsVote(_)
            | Intrinsic::SyncWarp
            | Intrinsic::Fence(_)
            | Intrinsic::Atomic { .. }
            | Intrinsic::Shuffle(_)
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
}
