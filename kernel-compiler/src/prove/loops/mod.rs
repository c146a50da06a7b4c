//! Loops in two versions: one without checks, which is entered if a test ahead of the loop shows that they cannot fail.
//!
//! A bounds check inside a loop is a loop exit, which prevents the compiler from keeping several loads in flight: a naive
//! matrix product ran at a third of its speed on an H200. The condition for a check may refer to numbers that only the
//! device knows, as the ends of a row of a sparse matrix, but that do not change in the loop. So an innermost loop is emitted
//! twice:
//!
//! ```text
//! if (rt::within(end, values_len) && ..) {
//!     for (usize k = start; k < end; ++k) { .. values[k] .. }
//! } else {
//!     for (usize k = start; k < end; ++k) { .. values[rt::at(k, values_len, ..)] .. }
//! }
//! ```
//!
//! The condition is what the [prover](super::prover) derives if all atoms that precede the loop may occur in it
//! ([`Atoms::entry`](super::atoms::Atoms::entry)), and not only those of the launch: they do not change in the loop, since an
//! atom has one value. `entry` computes it from variables that are in scope ahead of the loop, and initialised, because their
//! values are known. Nothing is assumed of the launch, nor by the invariants of outer loops: such a condition is one on the
//! current iteration of the outer loop, and an invariant of that has to hold in all of them.
//!
//! If the test fails, no iteration has been executed yet, and the version with checks finds the fault, if there is one, after
//! exactly the side effects that precede it. A loop in which threads synchronise is not emitted twice: its threads must not
//! diverge.
//!
//! Source: Nuzman and Hind, and LLVM's `LoopVersioning`, do the same for aliasing (LLVM documentation, "Auto-Vectorization in
//! LLVM", "Runtime Checks of Pointers").

mod candidates;
mod entry;
mod versions;

use std::collections::HashMap;

use candidates::{Candidate, candidates};
use entry::{Entry, Test};
pub(super) use versions::{Versions, versions};

use super::condition::Condition;
use super::rewrite;
use super::walk::{self, Entries, RemovableCheck, Visit, Walk, Wanted};
use crate::ir::{FunctionId, Scalar};
use crate::lower::{
    Body, CallTarget, Expr, Function, Header, Helper, Module, Op, Operator, SiteRef, Stmt, StmtKind, label_count,
    renumber,
};
use crate::set::Set;
use crate::source::Options;

/// The maximum trip count of a loop that is left to the compiler to unroll, and to merge the identical checks in it.
const SHORT_TRIP_COUNT: u64 = 64;

/// The maximum number of comparisons that are made ahead of a loop.
const TESTS: usize = 8;

/// What becomes of a loop.
struct Plan {
    /// The number of the loop, among all loops of the program.
    number: usize,
    /// The number of the first check in the loop, among all checks of the program.
    first: usize,
    /// The checks that never fail, in no launch.
    proved: Vec<usize>,
    /// The tests ahead of the loop. If there are none, it is emitted once.
    tests: Vec<Expr>,
    /// The checks that cannot fail if the tests hold.
    tested: Vec<usize>,
}

/// Emits the loops of a program in two versions, where checks in them can be tested at the entry, and without those that
/// never fail, which are returned.
pub(crate) fn program(module: &mut Module, options: Options) -> Vec<(Op, SiteRef)> {
    let (plans, proved) = plans(module, options);
    if plans.is_empty() {
        return proved;
    }
    let mut versioning = Versioning { plans: plans.into_iter().peekable(), loops: 0, labels: 0 };
    for function in module.functions.iter_mut().map(|(_, function)| function).chain([&mut module.kernel]) {
        versioning.function(function);
    }
    settle_launch(module);
    module.helpers = crate::lower::helpers(module.functions.values().chain([&module.kernel]));
    proved
}

/// Removes the launch parameter of the functions that do not need it any more.
fn settle_launch(module: &mut Module) {
    let mut needed: Set<FunctionId> = Set::new();
    // Callees precede their callers.
    for (id, function) in module.functions.iter_mut() {
        if !function.takes_launch {
            continue;
        }
        let mut needs = function.takes_site;
        if let Body::Stmts(stmts) = &function.body {
            needs |= reports(stmts);
            function.for_each_expr(&mut |expr| match expr {
                Expr::Call(CallTarget::Helper(_, site), _) => needs |= site.is_some(),
                Expr::Call(CallTarget::Function(id, site), _) => needs |= site.is_some() || needed.contains(id),
                _ => {}
            });
        }
        function.takes_launch = needs;
        if needs {
            needed.insert(*id);
        }
    }
}

/// Returns whether statements fault or print.
fn reports(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut found = matches!(stmt.kind, StmtKind::Fault { .. } | StmtKind::Print { .. });
        stmt.kind.for_each_block(&mut |block| found = found || reports(block));
        found
    })
}

/// Derives what becomes of the loops, in the order of the loops, and the checks that never fail.
fn plans(module: &Module, options: Options) -> (Vec<Plan>, Vec<(Op, SiteRef)>) {
    let candidates = candidates(module);
    let (mut numbers, mut checks) = (HashMap::new(), Vec::new());
    rewrite::checks(module, &mut |expr, op, site| {
        numbers.insert(std::ptr::from_ref(expr), checks.len());
        checks.push(RemovableCheck { site, op, condition: Condition::TRUE, reached: false, loaded: false });
    });
    if candidates.is_empty() || checks.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let entries = Entries::new(candidates.iter().map(|candidate| std::ptr::from_ref(candidate.header)).collect());
    // All numbers have the ranges of their types: no launch is known to meet an assumption.
    let mut walk = walk::walk(module, numbers, checks, options.block, i128::MAX, Wanted::Entries(entries));
    let Some(Entries { mut visits, .. }) = walk.entries.take() else { return (Vec::new(), Vec::new()) };
    let asked: Vec<Condition> = visits.iter().flat_map(|visit| &visit.checks).map(|(_, of)| *of).collect();
    let mut simplified = walk.domain.conditions.simplified(&asked).into_iter();
    for Visit { checks, invariants, .. } in &mut visits {
        for ((_, of), condition) in checks.iter_mut().zip(&mut simplified) {
            *of = walk.domain.conditions.closed_over(condition, invariants).unwrap_or(Condition::FALSE);
        }
    }
    let plans: Vec<Plan> = candidates.iter().filter_map(|candidate| plan(module, &walk, candidate, &visits)).collect();
    let proved = plans.iter().flat_map(|plan| &plan.proved).filter_map(|number| {
        let RemovableCheck { op, site, .. } = &walk.checks[*number];
        Some((*op, (*site)?))
    });
    let proved = proved.collect();
    (plans, proved)
}

/// Derives what becomes of a loop; `None` if nothing does.
fn plan(module: &Module, walk: &Walk<'_>, candidate: &Candidate<'_>, visits: &[Visit<'_>]) -> Option<Plan> {
    let visits = visits.iter().filter(|visit| visit.header == std::ptr::from_ref(candidate.header));
    let entries: Vec<Entry<'_>> = visits.map(|visit| Entry::new(module, walk, &candidate.scope, visit)).collect();
    let numbers: Vec<usize> =
        candidate.checks.iter().map(|check| walk.numbers[&std::ptr::from_ref::<Expr>(check)]).collect();
    let (mut tested, mut proved) = (Vec::new(), Vec::new());
    let mut tests = Tests::default();
    for number in &numbers {
        let RemovableCheck { condition, reached, site, .. } = &walk.checks[*number];
        // One that is never reached is not worth a version, nor is the step of a counter.
        if entries.is_empty() || !reached || *condition == Condition::FALSE || site.is_none() {
            continue;
        }
        let needed: Option<Vec<Vec<Test>>> = entries.iter().map(|entry| entry.tests(*number)).collect();
        let Some(needed) = needed else { continue };
        if needed.iter().all(Vec::is_empty) {
            proved.push(*number);
        } else if !has_short_trip_count(candidate.header) && tests.add(&entries, needed) {
            tested.push(*number);
        }
    }
    let Tests { all: tests } = tests;
    let tests: Vec<Expr> = tests.into_iter().map(|(_, test)| test.expr).collect();
    (!tests.is_empty() || !proved.is_empty()).then(|| Plan {
        number: candidate.number,
        first: numbers[0],
        proved,
        tests,
        tested,
    })
}

/// The tests ahead of a loop, each with the number of the visit that it belongs to.
#[derive(Default)]
struct Tests {
    all: Vec<(usize, Test)>,
}

impl Tests {
    /// Adds the tests of a check, of each visit, unless there would be too many.
    fn add(&mut self, entries: &[Entry<'_>], of_visits: Vec<Vec<Test>>) -> bool {
        let mut added: Vec<(usize, Test)> = Vec::new();
        for (visit, test) in
            of_visits.into_iter().enumerate().flat_map(|(visit, of)| of.into_iter().map(move |test| (visit, test)))
        {
            let implied =
                self.all.iter().chain(&added).any(|(of, known)| {
                    known.expr == test.expr || (*of == visit && entries[visit].implies(known, &test))
                });
            if !implied {
                added.push((visit, test));
            }
        }
        // The tests of the only visit that the new ones imply are not needed; those of several may have the same text.
        let is_needed = |(_, known): &(usize, Test)| {
            entries.len() > 1 || !added.iter().any(|(visit, test)| entries[*visit].implies(test, known))
        };
        let needed = self.all.iter().filter(|known| is_needed(known)).count();
        if needed + added.len() > TESTS {
            return false;
        }
        self.all.retain(is_needed);
        self.all.extend(added);
        true
    }
}

/// Returns whether a loop has a small literal trip count.
fn has_short_trip_count(header: &Header) -> bool {
    let Header::For { init: Expr::Literal(_, init), test: Expr::Binary(_, _, end), .. } = header else { return false };
    matches!(&**end, Expr::Literal(_, end) if end.abs_diff(*init) <= SHORT_TRIP_COUNT)
}

/// The rewriting of the loops for which there are plans.
struct Versioning<P: Iterator<Item = Plan>> {
    plans: std::iter::Peekable<P>,
    /// The number of the next loop.
    loops: usize,
    /// A number above those of all labels of the function.
    labels: u32,
}

impl<P: Iterator<Item = Plan>> Versioning<P> {
    fn function(&mut self, function: &mut Function) {
        if let Body::Stmts(stmts) = &mut function.body {
            self.labels = label_count(stmts);
            self.stmts(stmts);
        }
    }

    /// Visits the loops in the order in which `candidates` numbers them.
    fn stmts(&mut self, stmts: &mut Vec<Stmt>) {
        for stmt in stmts {
            if matches!(stmt.kind, StmtKind::Loop { .. }) {
                let number = self.loops;
                self.loops += 1;
                if let Some(plan) = self.plans.next_if(|plan| plan.number == number) {
                    self.version(stmt, plan);
                    // A candidate contains no other loop.
                    continue;
                }
            }
            stmt.kind.for_each_block_mut(&mut |block| self.stmts(block));
        }
    }

    /// Replaces a loop by its version without the checks that never fail, or by its two versions.
    fn version(&mut self, stmt: &mut Stmt, Plan { number: _, first, proved, tests, tested }: Plan) {
        let mut with = vec![stmt.clone()];
        rewrite::remove_in(&mut with, first, |number| proved.contains(&number));
        let Some(condition) = tests.into_iter().reduce(|all, test| Expr::binary(Operator::Both, all, test)) else {
            stmt.kind = with.swap_remove(0).kind;
            return;
        };
        let mut without = vec![stmt.clone()];
        rewrite::remove_in(&mut without, first, |number| proved.contains(&number) || tested.contains(&number));
        let labels = label_count(&without);
        renumber(&mut without, self.labels);
        self.labels += labels;
        stmt.kind = StmtKind::If { condition, then: without, otherwise: with };
    }
}

/// Returns the test that a number is at most another one.
fn at_most(module: &Module, needed: Expr, available: Expr) -> Expr {
    Expr::helper(Helper::new(Op::Within, module.index), vec![needed, available])
}

/// Returns a number of type `usize`.
fn number(value: u64) -> Expr {
    Expr::int(Scalar::Usize, value)
}
