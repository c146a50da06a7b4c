//! The edges of a graph: dependencies between steps, derived from their hazards.

use crate::hazards::MemoryAccess;

/// A step's access to memory. Memory is identified by its start address: all memory of one run is alive at the same
/// time, and host and device addresses are disjoint (CUDA Driver API, "Unified Addressing").
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepAccess {
    pub(super) memory: u64,
    pub(super) access: MemoryAccess,
}

impl StepAccess {
    /// Returns whether two accesses form a hazard.
    fn conflicts(&self, other: &StepAccess) -> bool {
        self.memory == other.memory && self.access.conflicts(&other.access)
    }
}

/// The number of steps above which each step depends on the previous one: comparing all pairs would cost more than
/// concurrency saves.
const MAX_COMPARED_STEPS: usize = 512;

/// Returns the dependencies of each step, without transitive ones.
pub(super) fn dependencies<'s>(uses: impl ExactSizeIterator<Item = &'s [StepAccess]>) -> Vec<Vec<usize>> {
    let count = uses.len();
    if count > MAX_COMPARED_STEPS {
        return (0..count).map(|step| step.checked_sub(1).into_iter().collect()).collect();
    }
    let uses: Vec<&[StepAccess]> = uses.collect();
    // The transitive dependencies of each step, as bit sets.
    let mut transitive: Vec<[u64; MAX_COMPARED_STEPS / 64]> = Vec::with_capacity(count);
    let mut dependencies = Vec::with_capacity(count);
    for step in 0..count {
        let mut reached = [0u64; MAX_COMPARED_STEPS / 64];
        let mut direct = Vec::new();
        // From the latest step on, since depending on it may imply dependencies on earlier ones.
        for other in (0..step).rev() {
            let is_reached = reached[other / 64] >> (other % 64) & 1 == 1;
            if !is_reached && uses[step].iter().any(|a| uses[other].iter().any(|b| a.conflicts(b))) {
                direct.push(other);
                reached[other / 64] |= 1 << (other % 64);
                reached.iter_mut().zip(transitive[other]).for_each(|(mine, theirs)| *mine |= theirs);
            }
        }
        transitive.push(reached);
        dependencies.push(direct);
    }
    dependencies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses steps from text: `a` reads all of memory `a`, `A` writes it, `A0` writes its part 0.
    #[track_caller]
    fn check(steps: &[&str], expected: &[&[usize]]) {
        let used = |word: &str| {
            let mut letters = word.bytes();
            let name = letters.next().unwrap();
            let bytes =
                letters.next().map_or(0..100, |part| (part - b'0') as usize * 10..(part - b'0') as usize * 10 + 10);
            let access = MemoryAccess { bytes, writes: name.is_ascii_uppercase() };
            StepAccess { memory: u64::from(name.to_ascii_lowercase()), access }
        };
        let all: Vec<Vec<StepAccess>> = steps.iter().map(|step| step.split_whitespace().map(used).collect()).collect();
        assert_eq!(dependencies(all.iter().map(Vec::as_slice)), expected);
    }

    #[test]
    fn steps_depend_on_conflicting_steps() {
        check(&["A", "a B", "a C", "b c D"], &[&[], &[0], &[0], &[2, 1]]);
        // A dependency on a reader implies the one on the writer before it.
        check(&["A", "a B", "A"], &[&[], &[0], &[1]]);
        check(&["A", "B", "A", "b a C"], &[&[], &[], &[0], &[2, 1]]);
        check(&["A0", "A1", "a0", "a1", "A"], &[&[], &[], &[0], &[1], &[3, 2]]);
        check(&["", "A", ""], &[&[], &[], &[]]);
    }

    #[test]
    fn long_graphs_are_chains() {
        let uses: Vec<Vec<StepAccess>> = vec![Vec::new(); MAX_COMPARED_STEPS + 1];
        let dependencies = dependencies(uses.iter().map(Vec::as_slice));
        assert!(
            dependencies[0].is_empty()
                && dependencies[1] == [0]
                && dependencies[MAX_COMPARED_STEPS] == [MAX_COMPARED_STEPS - 1]
        );
    }
}
