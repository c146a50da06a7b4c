//! The steps of a graph, as they are kept from run to run.

use smallvec::SmallVec;

use super::edges::Used;
use crate::argument::PackedParams;
use crate::cuda::{Copy, Geometry, Module, Node};

/// A step, and what it uses.
pub(super) struct Step {
    pub(super) work: Work,
    pub(super) uses: SmallVec<[Used; 4]>,
    /// The graph that was built does something else here.
    pub(super) changed: bool,
}

/// What a step does.
#[allow(clippy::large_enum_variant, reason = "nearly all steps are launches")]
pub(super) enum Work {
    Kernel(Kernel),
    Copy(Copy),
    Clear { to: u64 },
}

/// A launch.
pub(super) struct Kernel {
    pub(super) module: &'static Module,
    pub(super) geometry: Geometry,
    pub(super) values: PackedParams,
    /// Where the address of the buffer for messages is in the values, for a kernel that prints.
    pub(super) print_at: Option<usize>,
}

impl Work {
    /// Takes the place of what was here in the last run. Says whether it differs, or `None` if another graph is needed.
    pub(super) fn replace(&mut self, new: Work) -> Option<bool> {
        let changed = self.differs(&new);
        *self = new;
        changed
    }

    /// Whether `new` differs; `None` if a node of a graph cannot become it.
    fn differs(&self, new: &Work) -> Option<bool> {
        match (self, new) {
            (Work::Kernel(old), Work::Kernel(new)) => {
                let is_same = std::ptr::eq(old.module, new.module)
                    && old.geometry.cluster == new.geometry.cluster
                    && old.geometry.cooperative == new.geometry.cooperative
                    && old.values.sizes() == new.values.sizes();
                is_same.then(|| old.geometry != new.geometry || old.values != new.values)
            }
            (Work::Copy(old), Work::Copy(new)) => (old.way == new.way).then(|| old != new),
            (Work::Clear { to }, Work::Clear { to: new_to }) => Some(to != new_to),
            (Work::Kernel(_) | Work::Copy(_) | Work::Clear { .. }, _) => None,
        }
    }

    /// The step as a node of a CUDA graph, during a call.
    pub(super) fn with_node<R>(&mut self, then: impl FnOnce(Node<'_>) -> R) -> R {
        match self {
            Work::Kernel(Kernel { module, geometry, values, print_at: _ }) => {
                let mut parameters = values.pointers();
                then(Node::Kernel { module, geometry, parameters: &mut parameters })
            }
            Work::Copy(copy) => then(Node::Copy(*copy)),
            Work::Clear { to } => then(Node::Clear { to: *to }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::Way;

    #[test]
    fn a_step_of_another_sort_takes_the_place() {
        let copy = |way, bytes| Work::Copy(Copy { way, to: 8, from: 16, bytes });
        let mut work = Work::Clear { to: 8 };
        assert_eq!(work.replace(Work::Clear { to: 8 }), Some(false));
        assert_eq!(work.replace(copy(Way::ToDevice, 4)), None);
        assert_eq!(work.replace(copy(Way::ToDevice, 4)), Some(false));
        assert_eq!(work.replace(copy(Way::ToDevice, 8)), Some(true));
        assert_eq!(work.replace(copy(Way::ToHost, 8)), None);
        assert!(matches!(work, Work::Copy(Copy { way: Way::ToHost, bytes: 8, .. })));
    }
}
