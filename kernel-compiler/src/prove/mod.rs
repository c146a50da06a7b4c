//! Removal of checks that are proved never to fail.
//!
//! A check of an index, a sub-slice, an overflow, a divisor or a shift amount is an exit in the middle of a loop, which
//! keeps the compiler from overlapping iterations. Most checks cannot fail, for a reason that is known at the latest at
//! the launch: all lengths, integer arguments and extents are numbers then. So the analysis derives, for each check, a
//! *condition* over these *launch symbols* under which no thread can fail it:
//!
//! ```text
//! walk        the statements of the kernel in execution order: the value of each variable as a polynomial over atoms
//! prover      eliminates the atoms that threads disagree about; what remains is a condition on the launch
//! loops       tests ahead of loops, for what only the device knows; they come first, so that all variants share them
//! predicate   the conditions of all checks as a program that the host evaluates at a launch: a verdict
//! rewrite     the program without the checks of a verdict
//! width       the conditions under which 64-bit numbers fit into 32 bits, which `measure` derives during the walk
//! narrow      the program with these numbers in 32 bits
//! ```
//!
//! The analysis works on the lowered tree, not on the IR: the tree is what is emitted, its order of evaluation is
//! explicit, and each check is a call of a helper.
//!
//! **Soundness.** An atom has one value in an execution; facts about atoms stay true. A value is a polynomial that is
//! congruent to the machine's value modulo the width of its type, so that sums, differences and products may wrap in
//! between; an index is in bounds if the polynomial itself is. Division, comparison and widening need exact values: if
//! a polynomial is not proved to be in the range of its type, a new atom stands for the wrapped value. What a check
//! proves is used only from the next statement on, because C does not specify the order within an expression; it holds
//! whether the check is kept or was proved, by induction over the steps of an execution. In the loops whose faults may be
//! deferred ([`crate::lower::defer`]) checks prove nothing. Loop invariants are assumed at
//! the head and verified at the end of the body: see [`condition::Conditions::invariants`]. The host evaluates conditions
//! with 128 bits; an overflow means that the condition does not hold.
//!
//! Sources: Nazaré et al., Validation of Memory Accesses Through Symbolic Analyses, OOPSLA 2014; Blume and Eigenmann, The
//! Range Test, SC 1994; Henriksen and Oancea, Bounds Checking: An Instance of Hybrid Analysis, ARRAY 2014.

mod atoms;
mod condition;
mod eval;
#[cfg(test)]
mod fuzz;
mod launch_condition;
pub(crate) mod loops;
mod measure;
mod narrow;
mod poly;
mod predicate;
mod prover;
mod report;
mod rewrite;
mod symbol;
#[cfg(test)]
mod tests;
mod walk;
mod width;

use std::collections::HashMap;

use atoms::{AtomInfo, Range, Uniform};
use condition::Condition;
use loops::{Versions, versions};
use narrow::{Fits, Narrowed};
use poly::{Atom, Poly};
use predicate::{Builder, GROUPS};
use prover::Domain;
use walk::{RemovableCheck, Walk, Wanted};

pub use launch_condition::{Factor, LaunchCondition, Relation, Sum, Term};
pub use predicate::{GUARD_VALUES, Guard, Predicate};
pub(crate) use report::Reported;
pub use report::{CheckKind, Proof};
pub use symbol::LaunchSymbol;

use std::sync::Arc;

use crate::Validated;
use crate::ir::Scalar;
use crate::lower::{Axis, Expr, Module, Op, Quantity, SiteRef};
use crate::source::{Options, Variant};
use crate::verdict::Verdict;

/// The knowledge about the checks of a program.
struct Proofs {
    /// `None` if no check can be removed in any launch.
    predicate: Option<Predicate>,
    /// Whether no check that can be removed at all depends on the launch.
    is_certain: bool,
    /// The operation, the first site and the group of each check.
    checks: Vec<(Op, Option<SiteRef>, Option<u32>)>,
    /// The condition of each check in the user's terms, if that was asked for.
    reports: Vec<(Proof, Vec<LaunchSymbol>)>,
}

/// Removes the checks of a program that the variant of the options omits, and computes with 32 bits in the narrow variant.
/// Returns the conditions of the checks, or of the narrow variant; `None` if they are needed by no variant, or if there is
/// no narrow variant.
pub(crate) fn program(module: &mut Module, options: Options) -> Option<Arc<Predicate>> {
    if options.variant == Variant::Narrow {
        let predicate = narrow(module, options);
        if predicate.is_none() {
            // The text is that of the checked variant.
            program(module, Options { variant: Variant::Checked, ..options });
        }
        return predicate;
    }
    let proofs = analyse(module, options.block, EXTENT, false);
    let predicate = proofs.predicate.as_ref()?;
    if is_unconditional(module, &proofs, options) {
        remove(module, &proofs, predicate.best());
        return None;
    }
    if options.variant == Variant::Proven {
        remove(module, &proofs, predicate.best().and(options.groups));
    }
    proofs.predicate.map(Arc::new)
}

/// Returns whether the checks that can be removed can be removed in every launch: not even the assumed magnitude of the
/// numbers is needed.
fn is_unconditional(module: &Module, proofs: &Proofs, options: Options) -> bool {
    if !proofs.is_certain {
        return false;
    }
    let unlimited = analyse(module, options.block, i128::MAX, false);
    unlimited.is_certain && unlimited.checks == proofs.checks
}

/// Derives the conditions under which the checks of a program never fail.
/// `extent` is the magnitude up to which numbers of type `usize` are assumed to be.
fn analyse(module: &Module, fixed_block: Option<[u32; 3]>, extent: i128, is_reported: bool) -> Proofs {
    let (mut numbers, mut checks) = (HashMap::new(), Vec::new());
    rewrite::checks(module, &mut |expr, op, site| {
        numbers.insert(std::ptr::from_ref(expr), checks.len());
        checks.push(RemovableCheck { site, op, condition: Condition::TRUE, reached: false, loaded: false });
    });
    if checks.is_empty() {
        return Proofs { predicate: None, is_certain: false, checks: Vec::new(), reports: Vec::new() };
    }
    let mut walk = walk::walk(module, numbers, checks, fixed_block, extent, Wanted::Conditions);
    let asked: Vec<Condition> =
        walk.checks.iter().map(|check| if check.reached { check.condition } else { Condition::FALSE }).collect();
    let mut conditions = walk.domain.conditions.simplified(&asked);
    settle_tests(module, &mut walk, &mut conditions);
    let mut reports = Vec::new();
    if is_reported {
        let translation = report::Translation { domain: &walk.domain, kernel: &module.kernel };
        for (check, condition) in walk.checks.iter().zip(&conditions) {
            // Unreachable code needs no check.
            let proof = if check.reached { translation.proof(*condition, check.loaded) } else { Proof::Always };
            reports.push((proof, translation.symbols(*condition)));
        }
    }
    let mut groups: Vec<Condition> = Vec::new();
    let mut checks = Vec::new();
    for (check, condition) in walk.checks.iter().zip(conditions) {
        let group = (condition != Condition::FALSE).then(|| {
            let known = groups.iter().position(|group| *group == condition);
            known.unwrap_or_else(|| {
                if groups.len() < GROUPS {
                    groups.push(condition);
                    return groups.len() - 1;
                }
                // The last group holds all further conditions.
                let last = walk.domain.conditions.all([groups[GROUPS - 1], condition]);
                groups[GROUPS - 1] = last;
                GROUPS - 1
            }) as u32
        });
        checks.push((check.op, check.site, group));
    }
    if groups.is_empty() {
        return Proofs { predicate: None, is_certain: false, checks, reports };
    }
    let Domain { atoms, conditions, assumed, .. } = &mut walk.domain;
    for group in &mut groups {
        *group = conditions.closed(*group);
    }
    conditions.without_invariants(&groups);
    let is_certain = groups == [Condition::TRUE];
    Proofs { predicate: Some(Builder::build(atoms, conditions, assumed, &groups)), is_certain, checks, reports }
}

/// Gives the tests of versioned loops the conditions of the checks that they stand for, if these can all be removed: the version
/// without checks is entered, and whenever these conditions hold, its accesses are in bounds, whether or not the tests hold. A
/// test covers all iterations, so that one of a loop in which a guard precedes the access often fails although no check does.
///
/// `conditions` are those of the checks, by their numbers.
fn settle_tests(module: &Module, walk: &mut Walk<'_>, conditions: &mut [Condition]) {
    for Versions { tests, checks } in versions(module) {
        let number = |expr: &&Expr| walk.numbers[&std::ptr::from_ref::<Expr>(expr)];
        let of_checks: Vec<Condition> = checks.iter().map(|check| conditions[number(check)]).collect();
        if of_checks.is_empty() || of_checks.contains(&Condition::FALSE) {
            continue;
        }
        let tests: Vec<usize> = tests.iter().map(number).collect();
        let condition = walk.domain.conditions.all(of_checks);
        for test in tests {
            conditions[test] = condition;
        }
    }
}

/// Removes the checks of a program, and computes numbers of type `usize` with 32 bits where they fit. Returns the
/// condition of both; `None` if no number would be narrow.
fn narrow(module: &mut Module, options: Options) -> Option<Arc<Predicate>> {
    let (narrowed, predicate) = narrowed(module, options)?;
    narrowed.apply(module);
    module.helpers = crate::lower::helpers(module.functions.values().chain([&module.kernel]));
    Some(Arc::new(predicate))
}

fn narrowed(module: &Module, options: Options) -> Option<(Narrowed, Predicate)> {
    if module.index != Scalar::Usize {
        return None;
    }
    let (mut numbers, mut checks) = (HashMap::new(), Vec::new());
    rewrite::checks(module, &mut |expr, op, site| {
        numbers.insert(std::ptr::from_ref(expr), checks.len());
        checks.push(RemovableCheck { site, op, condition: Condition::TRUE, reached: false, loaded: false });
    });
    let mut walk = walk::walk(module, numbers, checks, options.block, width::EXTENT, Wanted::Widths);
    let widths = walk.widths.take()?;
    let is_kept = kept(module, options);
    let of_checks = walk
        .checks
        .iter()
        .enumerate()
        .map(|(number, check)| if check.reached && !is_kept(number) { check.condition } else { Condition::FALSE });
    let mut asked: Vec<Condition> = of_checks.collect();
    let count = asked.len();
    // The order of the addresses is irrelevant.
    let mut of_widths = Vec::new();
    Fits::new(&widths, |condition| {
        of_widths.push(condition);
        condition
    });
    of_widths.sort_unstable();
    of_widths.dedup();
    asked.extend(&of_widths);
    let mut simplified = walk.domain.conditions.simplified(&asked);
    settle_tests(module, &mut walk, &mut simplified);
    let of_fits: HashMap<Condition, Condition> = of_widths.into_iter().zip(simplified.split_off(count)).collect();
    let fits = Fits::new(&widths, |condition| of_fits[&condition]);
    let numbers = &walk.numbers;
    let is_removed = |expr: &crate::lower::Expr| {
        numbers.get(&std::ptr::from_ref(expr)).is_some_and(|number| simplified[*number] != Condition::FALSE)
    };
    let narrowed = narrow::rewrite(module, &fits, &is_removed)?;
    let proved = simplified.iter().copied().filter(|condition| *condition != Condition::FALSE);
    let all: Vec<Condition> = proved.chain(narrowed.conditions.iter().copied()).collect();
    let Domain { atoms, conditions, assumed, .. } = &mut walk.domain;
    let closed: Vec<Condition> = all.into_iter().map(|condition| conditions.closed(condition)).collect();
    let implies = |one: &Poly, other: &Poly| atoms.is_at_least(other, one);
    let condition = conditions.conjunction(closed, implies);
    conditions.without_invariants(&[condition]);
    let predicate = Builder::build(atoms, conditions, assumed, &[condition]);
    (condition != Condition::FALSE).then_some((narrowed, predicate))
}

/// Returns whether a check is kept because its group is not in [`Options::groups`].
fn kept(module: &Module, options: Options) -> impl Fn(usize) -> bool {
    let groups: Vec<Option<u32>> = if options.groups == Verdict::ALL {
        Vec::new()
    } else {
        analyse(module, options.block, EXTENT, false).checks.into_iter().map(|(_, _, group)| group).collect()
    };
    move |number| groups.get(number).is_some_and(|group| group.is_some_and(|group| !options.groups.has(group)))
}

/// Returns the checks of a program, each with the result of its proof.
pub(crate) fn report(validated: &Validated, options: Options) -> (Module, Vec<Reported>) {
    let mut module = crate::lower::program(validated, options);
    let proved = loops::program(&mut module, options);
    let mut reported = reported(&module, options);
    // Those of built-in methods have the sites of their callers, and are not listed.
    reported.extend(proved.into_iter().filter_map(|(op, site)| {
        let (SiteRef::Own(site), Some(kind)) = (site, CheckKind::of(op)) else { return None };
        Some(Reported { site, kind, proof: Proof::Always, group: None, symbols: Vec::new(), tested: false })
    }));
    (module, reported)
}

fn reported(module: &Module, options: Options) -> Vec<Reported> {
    let Proofs { checks, reports, .. } = analyse(module, options.block, EXTENT, true);
    let (tested, owners) = (report::tested(module), rewrite::owners(module));
    let bases = rewrite::caller_sites(module);
    let mut reported = Vec::new();
    for (((op, site, group), (proof, symbols)), owner) in checks.into_iter().zip(reports).zip(owners) {
        let (Some(site), Some(kind)) = (site, CheckKind::of(op)) else { continue };
        // The checks in a method of a number have the sites of its callers.
        let sites = match (site, owner.and_then(|owner| bases.get(&owner))) {
            (SiteRef::Own(site), _) => vec![site],
            (SiteRef::Caller(offset), Some(bases)) => bases.iter().map(|base| base + offset).collect(),
            (SiteRef::Caller(_), None) => Vec::new(),
        };
        reported.extend(sites.into_iter().map(|site| Reported {
            site,
            kind,
            proof: proof.clone(),
            group,
            symbols: symbols.clone(),
            tested: tested.contains(&site),
        }));
    }
    reported
}

/// Lowers a program, and emits loops in two versions. All variants begin with this tree.
pub(crate) fn lowered(validated: &Validated, options: Options) -> Module {
    let mut module = crate::lower::program(validated, options);
    loops::program(&mut module, options);
    module
}

/// Returns what a launch symbol is in the user's terms.
pub(crate) fn quantity(module: &Module, symbol: LaunchSymbol) -> Quantity {
    symbol::quantity(&module.kernel, symbol)
}

/// Removes the checks of a verdict.
fn remove(module: &mut Module, proofs: &Proofs, verdict: Verdict) {
    rewrite::remove(module, |number, op, site| {
        proofs
            .checks
            .get(number)
            .is_some_and(|(of, at, group)| *of == op && *at == site && group.is_some_and(|group| verdict.has(group)))
    });
    module.helpers = crate::lower::helpers(module.functions.values().chain([&module.kernel]));
}

/// The magnitude of lengths, strides and other numbers of type `usize` up to which checks are removed. A launch with a
/// greater number keeps them all. The bound keeps products of such numbers from overflowing in most conditions.
const EXTENT: i128 = 1 << 44;

impl Domain {
    /// Returns the atom of a launch symbol. `range` is the range of a parameter's type.
    fn symbol(&mut self, symbol: LaunchSymbol, range: Option<Range>) -> Atom {
        if let Some(atom) = self.symbols.get(&symbol) {
            return *atom;
        }
        let range = match (symbol, range) {
            (LaunchSymbol::BlockDim(Axis::Z), _) => Range::new(1, 64),
            (LaunchSymbol::BlockDim(_), _) => Range::new(1, 1024),
            (LaunchSymbol::GridDim(Axis::X), _) => Range::new(1, i128::from(i32::MAX)),
            (LaunchSymbol::GridDim(_), _) => Range::new(1, i128::from(u16::MAX)),
            (LaunchSymbol::DynamicSharedBytes, _) => Range::new(0, i128::from(u32::MAX)),
            (LaunchSymbol::Param { .. }, Some(range)) => range,
            (LaunchSymbol::Param { .. }, None) => Range::new(i128::from(i64::MIN), i128::from(u64::MAX)),
        };
        let assumed = match symbol {
            LaunchSymbol::Param { scalar: Scalar::Usize | Scalar::Isize, .. } => {
                Range::new(range.lo.max(-self.extent), range.hi.min(self.extent))
            }
            _ => range,
        };
        let info = AtomInfo { uniform: Some(Uniform::Symbol(symbol)), ..AtomInfo::of(assumed) };
        let atom = self.atoms.add(info);
        self.symbols.insert(symbol, atom);
        if assumed != range {
            self.assumed.push((atom, symbol, assumed));
        }
        atom
    }
}
