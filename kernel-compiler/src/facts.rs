//! Facts about a program that a launch depends on.

use crate::Validated;
use crate::ir::{Callee, ExprKind, Filled, Intrinsic};

/// Properties of the kernel and of all functions that it calls. Code that constants make unreachable does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub struct Facts {
    /// A barrier, or another operation that requires the threads of a block to run concurrently, is reachable.
    pub needs_other_threads: bool,
    /// A grid-wide barrier is reachable. It requires all blocks to be resident: a cooperative launch.
    pub syncs_grid: bool,
    /// The size in bytes of the statically declared shared memory, without padding between arrays.
    pub static_shared_bytes: u64,
    /// The program uses dynamic shared memory, whose size is part of the launch configuration.
    pub uses_dynamic_shared: bool,
    /// An upper bound in bytes of a thread's stack usage on the CPU, excluding code that the user wrote for the host.
    pub stack_bytes: u64,
    /// A function that has a user-written CPU body, because its GPU body is CUDA C or linked, is reachable.
    pub calls_host_code: bool,
}

impl Validated {
    /// Returns the facts about the program that a launch depends on.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts { stack_bytes: self.stack_bytes(), ..Facts::default() };
        for typed in self.functions() {
            facts.calls_host_code |= typed.instance.function.foreign.is_some();
            for id in typed.reachable() {
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
            | Intrinsic::Fast(_)
            | Intrinsic::HasFaulted => {}
        }
    }
}
