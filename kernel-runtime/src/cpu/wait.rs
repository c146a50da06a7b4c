//! What threads of a block wait for, and what is said when nobody can go on.

use crate::cpu::at::At;
use crate::error::{FaultKind, Waiting};

/// Where a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// The operation, as a kernel names it.
    pub(crate) operation: &'static str,
    /// The place of its call.
    pub(crate) at: &'static At,
    /// The lanes that an operation of the warp waits for; `None` for a barrier of the block or the grid.
    pub(crate) mask: Option<u32>,
}

/// The fault of threads that wait for each other. Of each there is where it waits, and which lanes its operation lacks.
pub(crate) fn deadlock(waits: impl IntoIterator<Item = (Wait, u32)>) -> FaultKind {
    let mut groups: Vec<(Wait, Waiting)> = Vec::new();
    for (wait, missing) in waits {
        if let Some((_, group)) = groups.iter_mut().find(|(known, _)| *known == wait) {
            group.threads += 1;
            continue;
        }
        let Wait { operation, at, mask } = wait;
        let &At { file, line, column, id: _ } = at;
        groups.push((wait, Waiting { threads: 1, operation, file, line, column, mask, missing }));
    }
    FaultKind::Deadlock(groups.into_iter().map(|(_, group)| group).collect())
}
