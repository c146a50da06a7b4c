//! The edges of a graph: dependencies between steps, derived from their hazards.

use crate::order::Touch;

/// A step's access to memory. Memory is identified by its start address: all memory of one run is alive at the same
/// time, and host and device addresses are disjoint (CUDA Driver API, "Unified Addressing").
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) memory: u64,
    pub(super) touch: Touch,
}

impl Used {
    /// Returns whether two accesses form a hazard.
    fn conflicts(&self, other: &Used) -> bool {
        self.memory == other.memory && self.touch.conflicts(&other.touch)
    }
}

/// The number of steps above which each step depends on the previous one: comparing all pairs would cost more than
/// concurrency saves.
const COMPARED: usize = 512;

/// Returns the dependencies of each step, without transitive ones.
pub(super) fn waits<'s>(uses: impl ExactSizeIterator<Item = &'s [Used]>) -> Vec<Vec<usize>> {
    let count = uses.len();
    if count > COMPARED {
        return (0..count).map(|step| step.checked_sub(1).into_iter().collect()).collect();
    }
    let uses: Vec<&[Used]> = uses.collect();
    // The transitive dependencies of each step, as bit sets.
    let mut behind: Vec<[u64; COMPARED / 64]> = Vec::with_capacity(count);
    let mut waits = Vec::with_capacity(count);
    for step in 0..count {
        let mut reached = [0u64; COMPARED / 64];
        let mut direct = Vec::new();
        // From the latest step on, since depending on it may imply dependencies on earlier ones.
        for other in (0..step).rev() {
            let is_reached = reached[other / 64] >> (other % 64) & 1 == 1;
            if !is_reached && uses[step].iter().any(|a| uses[other].iter().any(|b| a.conflicts(b))) {
                direct.push(other);
                reached[other / 64] |= 1 << (other % 64);
                reached.iter_mut().zip(behind[other]).for_each(|(mine, theirs)| *mine |= theirs);
            }
        }
        behind.push(reached);
        waits.push(direct);
    }
    waits
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
            let touch = Touch { bytes, writes: name.is_ascii_uppercase() };
            Used { memory: u64::from(name.to_ascii_lowercase()), touch }
        };
        let all: Vec<Vec<Used>> = steps.iter().map(|step| step.split_whitespace().map(used).collect()).collect();
        assert_eq!(waits(all.iter().map(Vec::as_slice)), expected);
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
        let uses: Vec<Vec<Used>> = vec![Vec::new(); COMPARED + 1];
        let waits = waits(uses.iter().map(Vec::as_slice));
        assert!(waits[0].is_empty() && waits[1] == [0] && waits[COMPARED] == [COMPARED - 1]);
    }
}
