//! Making a kernel smaller that fails, as long as it fails in the same way.

use super::compare::{Comparison, class};
use cumbia_random_kernels::Program;
use cumbia_random_kernels::edit::{self, Edit};

use crate::program::Result;

/// How many programs are tried at a time: the fewer, the more often Cargo runs.
const MOST: usize = 32;

/// Leaves out of a program what it fails without, and shows what is left.
///
/// # Errors
///
/// Where the programs cannot be compiled.
pub(super) fn show_least(comparison: Comparison, program: &Program, failure: &str) -> Result<()> {
    let mut program = program.clone();
    while let Some(smaller) = smaller(comparison, &program, failure)? {
        program = smaller;
    }
    let left = [(String::from("k0"), program)];
    comparison.run(&left, true).map(|_| ())
}

/// The program without some of its parts, if it still fails.
fn smaller(comparison: Comparison, program: &Program, failure: &str) -> Result<Option<Program>> {
    let mut all = edit::edits(program);
    // What leaves out most comes first.
    all.sort_by_cached_key(|edit| edit::size(&edit::apply(program, &[*edit])));
    eprintln!("{} parts, {} ways to leave something out", edit::size(program), all.len());
    for some in all.chunks(MOST) {
        let singles: Vec<Vec<Edit>> = some.iter().map(|edit| vec![*edit]).collect();
        let working = still_failing(comparison, program, &singles, failure)?;
        if working.is_empty() {
            continue;
        }
        let working: Vec<Edit> = working.into_iter().map(|at| some[at]).collect();
        // Together they may be too much.
        let whole = edit::together(&working);
        let mut sets = vec![whole.clone()];
        let mut width = whole.len();
        while width > 1 && sets.len() < MOST {
            width = width.div_ceil(2);
            sets.extend(whole.chunks(width).map(<[Edit]>::to_vec));
        }
        sets.truncate(MOST);
        let failing = still_failing(comparison, program, &sets, failure)?;
        let best = failing.into_iter().map(|at| edit::apply(program, &sets[at])).min_by_key(edit::size);
        if let Some(best) = best.filter(|best| edit::size(best) < edit::size(program)) {
            return Ok(Some(best));
        }
    }
    Ok(None)
}

/// Which of some sets of edits leave a program that fails in the same way.
fn still_failing(comparison: Comparison, program: &Program, sets: &[Vec<Edit>], failure: &str) -> Result<Vec<usize>> {
    let numbered = sets.iter().enumerate();
    let programs: Vec<(String, Program)> =
        numbered.map(|(number, edits)| (format!("k{number}"), edit::apply(program, edits))).collect();
    let failures = comparison.run_accepted(&programs)?;
    let fails = |number: &usize| failures.get(&format!("k{number}")).is_some_and(|told| class(told) == class(failure));
    Ok((0..sets.len()).filter(fails).collect())
}
