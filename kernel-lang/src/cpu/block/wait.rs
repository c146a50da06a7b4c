//! Waits of blocked threads, and the deadlock fault that reports them.

use crate::cpu::location::Location;
use crate::dim::Dim3;
use crate::fault::{FaultKind, Waiting};

/// The wait of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// The name of the operation in a kernel.
    pub operation: &'static str,
    /// The location of its call.
    pub at: &'static Location,
    /// The threads that the operation waits for.
    pub scope: Scope,
}

/// The threads that an operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The lanes of a mask.
    Lanes(u32),
    /// The threads of the block.
    Block,
    /// The threads of the grid.
    Grid,
    /// No particular threads: the thread polls memory, or requests the active mask.
    Memory,
}

/// The threads that an operation waits for and that cannot arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    /// The mask of the lanes that wait at another operation.
    pub lanes: u32,
    /// The number of threads of the block that have ended without arriving.
    pub threads: usize,
    /// The first of these threads.
    pub first: Option<Dim3>,
    /// The number of blocks of the grid that have ended without arriving.
    pub blocks: u64,
}

impl Missing {
    pub(crate) const NONE: Missing = Missing { lanes: 0, threads: 0, first: None, blocks: 0 };
}

/// Returns the deadlock fault of blocked threads, given the wait and the missing threads of each.
pub(crate) fn deadlock(waits: impl IntoIterator<Item = (Wait, Missing)>) -> FaultKind {
    let mut groups: Vec<(Wait, Waiting)> = Vec::new();
    for (wait, missing) in waits {
        if let Some((_, group)) = groups.iter_mut().find(|(known, _)| *known == wait) {
            group.threads += 1;
            continue;
        }
        let Wait { operation, at, scope } = wait;
        let &Location { file, line, column, id: _ } = at;
        let mask = match scope {
            Scope::Lanes(mask) => Some(mask),
            Scope::Block | Scope::Grid | Scope::Memory => None,
        };
        let Missing { lanes: missing, threads: ended_threads, first: first_ended, blocks: ended_blocks } = missing;
        let waiting = Waiting {
            threads: 1,
            operation,
            file,
            line,
            column,
            mask,
            missing,
            ended_threads,
            first_ended,
            ended_blocks,
        };
        groups.push((wait, waiting));
    }
    FaultKind::Deadlock(groups.into_iter().map(|(_, group)| group).collect())
}
