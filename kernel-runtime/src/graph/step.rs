//! The steps of a graph, kept from run to run.

use smallvec::SmallVec;

use super::edges::StepAccess;
use crate::argument::PackedParams;
use crate::cuda::{Copy, Geometry, Module, Node};

/// A step with its accesses.
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) accesses: SmallVec<[StepAccess; 4]>,
    /// Whether the step differs from the node of the CUDA graph.
    pub(super) changed: bool,
}

/// The operation of a step.
#[allow(clippy::large_enum_variant, reason = "nearly all steps are launches")]
pub(super) enum Operation {
    Kernel(KernelStep),
    Copy(Copy),
    Clear { to: u64 },
}

/// A kernel launch.
pub(super) struct KernelStep {
    /// The kernel's number in fault records, which its variants have in common.
    pub(super) kernel: u32,
    pub(super) module: &'static Module,
    pub(super) geometry: Geometry,
    pub(super) values: PackedParams,
    /// The offset of the print buffer's address in the values, for a kernel that prints.
    pub(super) print_offset: Option<usize>,
}

impl Operation {
    /// Replaces the operation of the previous run. Returns whether it differs, or `None` if the node cannot be updated.
    pub(super) fn replace(&mut self, new: Operation) -> Option<bool> {
        let changed = self.differs_from(&new);
        *self = new;
        changed
    }

    /// Returns whether `new` differs; `None` if a graph node cannot be updated to it.
    fn differs_from(&self, new: &Operation) -> Option<bool> {
        match (self, new) {
            (Operation::Kernel(old), Operation::Kernel(new)) => {
                let is_same = old.kernel == new.kernel
                    && old.geometry.cluster == new.geometry.cluster
                    && old.geometry.cooperative == new.geometry.cooperative
                    && old.values.sizes() == new.values.sizes();
                // A node can change to another variant of its kernel: the parameters are the same.
                let is_other_variant = !std::ptr::eq(old.module, new.module);
                is_same.then(|| is_other_variant || old.geometry != new.geometry || old.values != new.values)
            }
            (Operation::Copy(old), Operation::Copy(new)) => (old.direction == new.direction).then(|| old != new),
            (Operation::Clear { to }, Operation::Clear { to: new_to }) => Some(to != new_to),
            (Operation::Kernel(_) | Operation::Copy(_) | Operation::Clear { .. }, _) => None,
        }
    }

    /// Calls `then` with the step as a node of a CUDA graph.
    pub(super) fn with_node<R>(&mut self, then: impl FnOnce(Node<'_>) -> R) -> R {
        match self {
            Operation::Kernel(KernelStep { kernel: _, module, geometry, values, print_offset: _ }) => {
                let mut parameters = values.pointers();
                then(Node::Kernel { module, geometry, parameters: &mut parameters })
            }
            Operation::Copy(copy) => then(Node::Copy(*copy)),
            Operation::Clear { to } => then(Node::Clear { to: *to }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::CopyDirection;

    #[test]
    fn a_step_of_another_kind_needs_a_new_graph() {
        let copy = |direction, bytes| Operation::Copy(Copy { direction, to: 8, from: 16, bytes });
        let mut operation = Operation::Clear { to: 8 };
        assert_eq!(operation.replace(Operation::Clear { to: 8 }), Some(false));
        assert_eq!(operation.replace(copy(CopyDirection::HostToDevice, 4)), None);
        assert_eq!(operation.replace(copy(CopyDirection::HostToDevice, 4)), Some(false));
        assert_eq!(operation.replace(copy(CopyDirection::HostToDevice, 8)), Some(true));
        assert_eq!(operation.replace(copy(CopyDirection::DeviceToHost, 8)), None);
        assert!(matches!(operation, Operation::Copy(Copy { direction: CopyDirection::DeviceToHost, bytes: 8, .. })));
    }
}
