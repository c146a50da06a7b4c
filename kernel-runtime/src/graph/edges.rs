//! Which steps of a graph wait for which.

use crate::order::Touch;

/// Bytes that a step uses. Memory is told by where it begins: that of one run is alive at the same time, and that of the host
/// has other addresses than that of GPUs (CUDA Driver API, "Unified Addressing").
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) memory: u64,
    pub(super) touch: Touch,
}

impl Used {
    /// Whether one of two has to be over before the other begins.
    fn conflicts(&self, other: &Used) -> bool {
        self.memory == other.memory && self.touch.conflicts(&other.touch)
    }
}

/// Of more steps than these, each waits for the one before it: comparing all pairs would take longer than it saves.
const COMPARED: usize = 512;

/// For each step, those before it that it waits for, without those that these have waited for.
pub(super) fn waits<'s>(uses: impl ExactSizeIterator<Item = &'s [Used]>) -> Vec<Vec<usize>> {
    let count = uses.len();
    if count > COMPARED {
        return (0..count).map(|step| step.checked_sub(1).into_iter().collect()).collect();
    }
    let uses: Vec<&[Used]> = uses.collect();
    // All those that a step is behind.
    let mut behind: Vec<[u64; COMPARED / 64]> = Vec::with_capacity(count);
    let mut waits = Vec::with_capacity(count);
    for step in 0..count {
        let mut reached = [0u64; COMPARED / 64];
        let mut direct = Vec::new();
        // From the last one on, since waiting for it may make up for those before.
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

    /// Steps as text: `a` reads all of memory `a`, `A` writes it, `A0` writes its part 0.
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
    fn steps_wait_for_what_they_must_not_overtake() {
        check(&["A", "a B", "a C", "b c D"], &[&[], &[0], &[0], &[2, 1]]);
        // What waits for a reader need not wait for the writer before it.
        check(&["A", "a B", "A"], &[&[], &[0], &[1]]);
        check(&["A", "B", "A", "b a C"], &[&[], &[], &[0], &[2, 1]]);
        check(&["A0", "A1", "a0", "a1", "A"], &[&[], &[], &[0], &[1], &[3, 2]]);
        check(&["", "A", ""], &[&[], &[], &[]]);
    }

    #[test]
    fn very_many_steps_are_a_chain() {
        let uses: Vec<Vec<Used>> = vec![Vec::new(); COMPARED + 1];
        let waits = waits(uses.iter().map(Vec::as_slice));
        assert!(waits[0].is_empty() && waits[1] == [0] && waits[COMPARED] == [COMPARED - 1]);
    }
}
