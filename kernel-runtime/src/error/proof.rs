//! The checks of a kernel: which of them are proved, under which conditions, and which are kept.

use std::fmt;

pub use cumbia_kernel_compiler::{Axis, CheckKind, Factor, LaunchCondition, Quantity, Relation, Sum, Term};

use super::position::Position;

/// The checks of a kernel, from `kernel::checks()`: of indices, sub-slices, overflows, divisors and shift amounts.
///
/// A check that cannot fail costs nothing on a GPU: a launch for which this follows from lengths, arguments, grid and block runs
/// code without it. `Display` renders a table.
///
/// ```
/// use cumbia::checks::{CheckKind, Proof, Reason};
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn gather(x: &[f32], from: &[u32], y: &mut [f32]) {
///     let i = grid(1);
///     if i < y.len() {
///         y[i] = x[from[i] as usize];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let checks = gather::checks()?;
/// assert!(!checks.is_proven());
/// let kept: Vec<_> = checks.kept().collect();
/// assert_eq!((kept[0].kind, &kept[0].proof), (CheckKind::Index, &Proof::Kept(Reason::DependsOnMemory)));
/// println!("{checks}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// The kernel's path and generic arguments, such as `program::scale<f32>`.
    pub kernel: &'static str,
    /// The checks, by position.
    pub checks: Vec<Check>,
}

/// A run-time check of a kernel. Checks of the same kind at one position are one check, such as those of the versions of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The position of the expression, in the kernel or in a device function.
    pub position: Position,
    /// The property that it tests.
    pub kind: CheckKind,
    /// Whether a launch omits the check.
    pub proof: Proof,
}

/// Whether a launch on a GPU omits a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// It cannot fail in any launch.
    Always,
    /// It cannot fail in a launch for which all conditions hold.
    AtLaunch {
        /// The conditions, with the names of the kernel's parameters: `x.len() >= y.len()`.
        conditions: Vec<LaunchCondition>,
    },
    /// Every launch executes it.
    Kept(Reason),
}

/// Why a check is kept, in the order of what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// A test before a loop replaces the check: only a thread that fails it executes the check in each iteration.
    TestedBeforeLoop,
    /// No condition on launches was found that implies it.
    NotProved,
    /// An operand depends on a value in memory, which is not known at a launch.
    DependsOnMemory,
    /// The kernel is `unchecked`: it has no checks of bounds, and its other checks are not analysed.
    Unchecked,
}

/// The number of checks by the result of their proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Checks that cannot fail in any launch.
    pub always: usize,
    /// Checks that cannot fail in launches for which a condition holds.
    pub at_launch: usize,
    /// Checks that every launch executes.
    pub kept: usize,
}

impl Checks {
    /// Returns whether no check is kept: there are launches without checks.
    pub fn is_proven(&self) -> bool {
        self.kept().next().is_none()
    }

    /// Returns the checks that every launch executes.
    pub fn kept(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.is_kept())
    }

    /// Returns the number of checks.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.checks)
    }

    /// Returns the number of checks of a kind.
    pub fn counts_of(&self, kind: CheckKind) -> Counts {
        Counts::of(self.checks.iter().filter(|check| check.kind == kind))
    }

    /// Returns the checks of a kernel, those at one position as one.
    pub(crate) fn new(kernel: &'static str, is_analysed: bool, found: Vec<cumbia_kernel_compiler::Check>) -> Checks {
        let mut checks: Vec<Check> = Vec::new();
        for cumbia_kernel_compiler::Check { site, kind, proof, tested, .. } in found {
            let proof = match proof.into() {
                _ if !is_analysed => Proof::Kept(Reason::Unchecked),
                Proof::Kept(_) if tested => Proof::Kept(Reason::TestedBeforeLoop),
                proof => proof,
            };
            let position = Position::from(site);
            match checks.iter_mut().find(|check| check.position == position && check.kind == kind) {
                Some(check) => check.proof.combine(proof),
                None => checks.push(Check { position, kind, proof }),
            }
        }
        checks.sort_by(|left, right| left.key().cmp(&right.key()));
        Checks { kernel, checks }
    }
}

impl Check {
    /// Returns whether every launch executes the check.
    pub fn is_kept(&self) -> bool {
        matches!(self.proof, Proof::Kept(_))
    }

    fn key(&self) -> (&str, u32, u32, CheckKind, &str) {
        let Position { file, line, column, function, callee: _ } = &self.position;
        (file, *line, *column, self.kind, function)
    }
}

impl Proof {
    /// Replaces the result for one check by that for it and another one.
    fn combine(&mut self, other: Proof) {
        match (&mut *self, other) {
            (_, Proof::Always) | (Proof::Kept(_), Proof::AtLaunch { .. }) => {}
            (Proof::Kept(reason), Proof::Kept(other)) => *reason = other.max(*reason),
            (Proof::AtLaunch { conditions }, Proof::AtLaunch { conditions: more }) => {
                for condition in more {
                    if !conditions.contains(&condition) {
                        conditions.push(condition);
                    }
                }
            }
            (_, other) => *self = other,
        }
    }
}

impl From<cumbia_kernel_compiler::Proof> for Proof {
    fn from(proof: cumbia_kernel_compiler::Proof) -> Proof {
        match proof {
            cumbia_kernel_compiler::Proof::Always => Proof::Always,
            cumbia_kernel_compiler::Proof::AtLaunch(condition) => Proof::AtLaunch { conditions: vec![condition] },
            cumbia_kernel_compiler::Proof::DependsOnMemory => Proof::Kept(Reason::DependsOnMemory),
            cumbia_kernel_compiler::Proof::Unknown => Proof::Kept(Reason::NotProved),
        }
    }
}

impl Counts {
    /// Returns the number of all checks.
    pub fn total(&self) -> usize {
        self.always + self.at_launch + self.kept
    }

    pub(crate) fn of<'c>(checks: impl IntoIterator<Item = &'c Check>) -> Counts {
        let mut counts = Counts::default();
        for check in checks {
            match check.proof {
                Proof::Always => counts.always += 1,
                Proof::AtLaunch { .. } => counts.at_launch += 1,
                Proof::Kept(_) => counts.kept += 1,
            }
        }
        counts
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kernel, self.counts())?;
        let rows: Vec<[String; 3]> = self.checks.iter().map(row).collect();
        let widths = [0, 1].map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
        for [position, kind, proof] in rows {
            write!(f, "\n  {position:0$}  {kind:1$}  {proof}", widths[0], widths[1])?;
        }
        Ok(())
    }
}

/// Returns the columns of a check in a table.
fn row(check: &Check) -> [String; 3] {
    [check.position.to_string(), check.kind.to_string(), check.proof.to_string()]
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Always => f.write_str("proved for every launch"),
            Proof::AtLaunch { conditions } => {
                f.write_str("proved if ")?;
                for (position, condition) in conditions.iter().enumerate() {
                    f.write_str(if position > 0 { " && " } else { "" })?;
                    // `&&` binds more tightly.
                    let is_grouped = conditions.len() > 1 && matches!(condition, LaunchCondition::Any(_));
                    if is_grouped { write!(f, "({condition})") } else { write!(f, "{condition}") }?;
                }
                Ok(())
            }
            Proof::Kept(reason) => write!(f, "kept: {reason}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::TestedBeforeLoop => "tested once before the loop",
            Reason::DependsOnMemory => "depends on a value in memory",
            Reason::NotProved => "not proved",
            Reason::Unchecked => "the kernel is `unchecked`",
        })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (total, Counts { always, at_launch, kept }) = (self.total(), self);
        let checks = if total == 1 { "check" } else { "checks" };
        write!(f, "{total} {checks}, {always} proved for every launch, {at_launch} at launch, {kept} kept")
    }
}

/// A condition of a `#[kernel(prove)]` that does not hold for a launch, in
/// [`LaunchError::Unproven`](super::LaunchError::Unproven).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedCondition {
    /// The condition, with the names of the kernel's parameters.
    pub condition: LaunchCondition,
    /// The numbers that it reads, and their values in the launch.
    pub values: Vec<(Quantity, i128)>,
    /// The checks that it proves. None for the range of a number that every proof assumes.
    pub checks: Vec<(CheckKind, Position)>,
}

impl fmt::Display for FailedCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailedCondition { condition, values, checks } = self;
        write!(f, "error: `{condition}` does not hold")?;
        for (position, (name, value)) in values.iter().enumerate() {
            write!(f, "{} {name} = {value}", if position == 0 { ":" } else { "," })?;
        }
        checks.iter().try_for_each(|(kind, position)| write!(f, "\n       {kind} at {position}"))
    }
}

/// A kept check, as an error of a `#[kernel(prove)]`.
pub(super) struct KeptCheck<'c>(pub(super) &'c Check);

impl fmt::Display for KeptCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { position, kind, proof } = self.0;
        let (message, help) = match kind {
            CheckKind::Index => (
                "the index is not proved to be in bounds",
                "compare it before, as in `if i < x.len() { .. x[i] .. }`, or clamp it: `x[i.min(x.len() - 1)]` behind `if !x.is_empty()`",
            ),
            CheckKind::Range => (
                "the range is not proved to be in bounds",
                "compare its ends before, as in `if start <= end && end <= x.len()`",
            ),
            CheckKind::Overflow => (
                "the operation is not proved to have a result in its type",
                "compare the operands before, or use a method that cannot overflow, such as `wrapping_add`",
            ),
            CheckKind::Divisor => ("the divisor is not proved to be valid", "compare it before, as in `if n > 0`"),
            CheckKind::Shift => {
                ("the shift amount is not proved to be less than the number of bits", "mask it, as in `x << (n & 31)`")
            }
            _ => (
                "the argument is not proved to be valid",
                "compare it before, or remove `prove` if the operation always checks it",
            ),
        };
        let why = match proof {
            Proof::Kept(Reason::DependsOnMemory) => "it depends on a value in memory, which is not known at a launch",
            Proof::Kept(Reason::TestedBeforeLoop) => "its operands are known before the loop, but not at a launch",
            _ => "no condition on lengths, arguments, grid and block was found that implies it",
        };
        write!(f, "error: {message}\n       why: {why}\n       help: {help}\n       at {position}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, function: &str) -> Position {
        Position { file: "src/main.rs".to_owned(), line, column: 9, function: function.to_owned(), callee: None }
    }

    /// The condition that a slice is as long as `y`.
    fn covers(slice: &str) -> LaunchCondition {
        let length = |of: &str| Quantity::Length(of.to_owned()).into();
        LaunchCondition::Compare { left: length(slice), relation: Relation::GreaterOrEqual, right: length("y") }
    }

    fn conditions(slices: &[&str]) -> Proof {
        Proof::AtLaunch { conditions: slices.iter().map(|slice| covers(slice)).collect() }
    }

    #[track_caller]
    fn check_combined(all: &[Proof], expected: &Proof) {
        let mut combined = Proof::Always;
        for proof in all {
            combined.combine(proof.clone());
        }
        assert_eq!(combined, *expected);
    }

    #[test]
    fn proofs_of_one_position_are_combined() {
        const MEMORY: Proof = Proof::Kept(Reason::DependsOnMemory);
        const UNKNOWN: Proof = Proof::Kept(Reason::NotProved);
        let (a, b) = (conditions(&["a"]), conditions(&["b"]));
        check_combined(&[Proof::Always], &Proof::Always);
        check_combined(&[a.clone(), Proof::Always, a.clone()], &a);
        check_combined(&[a.clone(), b.clone(), a.clone()], &conditions(&["a", "b"]));
        check_combined(&[a.clone(), UNKNOWN, b.clone()], &UNKNOWN);
        check_combined(&[UNKNOWN, MEMORY, UNKNOWN], &MEMORY);
        check_combined(&[MEMORY, a], &MEMORY);
        check_combined(&[Proof::Kept(Reason::TestedBeforeLoop), UNKNOWN], &UNKNOWN);
    }

    #[test]
    fn alternatives_are_grouped() {
        let both = LaunchCondition::Any(vec![covers("a"), covers("b")]);
        let proof = |conditions| Proof::AtLaunch { conditions }.to_string();
        assert_eq!(proof(vec![both.clone()]), "proved if a.len() >= y.len() || b.len() >= y.len()");
        let expected = "proved if (a.len() >= y.len() || b.len() >= y.len()) && c.len() >= y.len()";
        assert_eq!(proof(vec![both, covers("c")]), expected);
    }

    #[test]
    fn checks_are_a_table() {
        let check = |position, kind, proof| Check { position, kind, proof };
        let checks = Checks {
            kernel: "program::take",
            checks: vec![
                check(at(7, "take"), CheckKind::Index, conditions(&["x"])),
                check(at(8, "take"), CheckKind::Overflow, Proof::Always),
                check(at(19, "second"), CheckKind::Index, Proof::Kept(Reason::DependsOnMemory)),
                check(at(20, "second"), CheckKind::Divisor, Proof::Kept(Reason::NotProved)),
            ],
        };
        let expected = "\
program::take: 4 checks, 1 proved for every launch, 1 at launch, 2 kept
  src/main.rs:7:9 in `take`     index     proved if x.len() >= y.len()
  src/main.rs:8:9 in `take`     overflow  proved for every launch
  src/main.rs:19:9 in `second`  index     kept: depends on a value in memory
  src/main.rs:20:9 in `second`  divisor   kept: not proved";
        assert_eq!(checks.to_string(), expected);
        assert_eq!(checks.counts_of(CheckKind::Index), Counts { always: 0, at_launch: 1, kept: 1 });
        assert_eq!((checks.counts().total(), checks.kept().count(), checks.is_proven()), (4, 2, false));
    }
}
