//! Verdicts: which checks a launch proves.

/// The groups of checks that cannot fail in a launch. Checks with the same condition are in the same group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verdict(pub(crate) u64);

impl Verdict {
    /// No check is known to pass.
    pub const NONE: Verdict = Verdict(0);

    /// Every check is known to pass.
    pub const ALL: Verdict = Verdict(u64::MAX);

    /// Returns whether every group of `other` is also in this verdict, so that code without the checks of `other` may
    /// be launched.
    pub fn includes(self, other: Verdict) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns the groups that are in both.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        Verdict(self.0 & other.0)
    }

    /// Returns the number of groups.
    pub fn groups(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the groups as a bit mask.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Returns whether the checks of a group cannot fail.
    pub fn has(self, group: u32) -> bool {
        self.0 >> group & 1 != 0
    }
}
