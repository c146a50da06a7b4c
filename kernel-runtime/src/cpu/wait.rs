//! Waiting threads of a block, and the fault of a block none of whose threads can continue.

use crate::cpu::at::At;
use crate::dim::Dim3;
use crate::error::{FaultKind, Waiting};

/// Where a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// The operation, as a kernel names it.
    pub(crate) operation: &'static str,
    /// The place of its call.
    pub(crate) at: &'static At,
    /// Which threads the operation waits for.
    pub(crate) scope: Scope,
}

/// The threads that an operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The lanes of a mask.
    Lanes(u32),
    /// Those of the block.
    Block,
    /// Those of the grid.
    Grid,
    /// None in particular: the thread polls memory, or asks which lanes are with it.
    Memory,
}

/// The threads that do not come to an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    /// A mask of the lanes that wait elsewhere.
    pub(crate) lanes: u32,
    /// How many threads of the block have ended without coming.
    pub(crate) threads: usize,
    /// The first of these.
    pub(crate) first: Option<Dim3>,
    /// How many blocks of the grid have.
    pub(crate) blocks: u64,
}

impl Missing {
    pub(crate) const NOBODY: Missing = Missing { lanes: 0, threads: 0, first: None, blocks: 0 };
}

/// The fault of threads that wait for each other. Of each there is where it waits, and who does not come.
pub(crate) fn deadlock(waits: impl IntoIterator<Item = (Wait, Missing)>) -> FaultKind {
    let mut groups: Vec<(Wait, Waiting)> = Vec::new();
    for (wait, missing) in waits {
        if let Some((_, group)) = groups.iter_mut().find(|(known, _)| *known == wait) {
            group.threads += 1;
            continue;
        }
        let Wait { operation, at, scope } = wait;
        let &At { file, line, column, id: _ } = at;
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
