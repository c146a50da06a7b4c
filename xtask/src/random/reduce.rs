//! Reduction of a failing kernel: edits are applied as long as it fails in the same way.

use super::compare::{Comparison, class};
use cumbia_random_kernels::Program;
use cumbia_random_kernels::edit::{self, Edit};

use crate::program::Result;

/// The maximum number of candidates per build: the smaller, the more often Cargo runs.
const MAX_CANDIDATES: usize = 32;

/// Removes the parts of a program that its failure does not depend on, and prints the result.
///
/// # Errors
///
/// If the programs cannot be compiled.
pub(super) fn show_reduced(comparison: Comparison, program: &Program, failure: &str) -> Result<()> {
    let mut program = program.clone();
    while let Some(smaller) = smaller(comparison, &program, failure)? {
        program = smaller;
    }
    let left = [(String::from("k0"), program)];
    comparison.run(&left, true).map(|_| ())
}

/// Returns a smaller program that fails in the same way, if there is one.
fn smaller(comparison: Comparison, program: &Program, failure: &str) -> Result<Option<Program>> {
    let mut all = edit::edits(program);
    // The edits that remove most come first.
    all.sort_by_cached_key(|edit| edit::size(&edit::apply(program, &[*edit])));
    eprintln!("{} nodes, {} edits", edit::size(program), all.len());
    for some in all.chunks(MAX_CANDIDATES) {
        let singles: Vec<Vec<Edit>> = some.iter().map(|edit| vec![*edit]).collect();
        let working = still_failing(comparison, program, &singles, failure)?;
        if working.is_empty() {
            continue;
        }
        let working: Vec<Edit> = working.into_iter().map(|at| some[at]).collect();
        // All of them together may remove the cause of the failure.
        let whole = edit::together(&working);
        let mut sets = vec![whole.clone()];
        let mut width = whole.len();
        while width > 1 && sets.len() < MAX_CANDIDATES {
            width = width.div_ceil(2);
            sets.extend(whole.chunks(width).map(<[Edit]>::to_vec));
        }
        sets.truncate(MAX_CANDIDATES);
        let failing = still_failing(comparison, program, &sets, failure)?;
        let best = failing.into_iter().map(|at| edit::apply(program, &sets[at])).min_by_key(edit::size);
        if let Some(best) = best.filter(|best| edit::size(best) < edit::size(program)) {
            return Ok(Some(best));
        }
    }
    Ok(None)
}

/// Returns the indices of the sets of edits after which the program fails in the same way.
fn still_failing(comparison: Comparison, program: &Program, sets: &[Vec<Edit>], failure: &str) -> Result<Vec<usize>> {
    let numbered = sets.iter().enumerate();
    let programs: Vec<(String, Program)> =
        numbered.map(|(number, edits)| (format!("k{number}"), edit::apply(program, edits))).collect();
    let failures = comparison.run_accepted(&programs)?;
    let fails =
        |number: &usize| failures.get(&format!("k{number}")).is_some_and(|found| class(found) == class(failure));
    Ok((0..sets.len()).filter(fails).collect())
}
