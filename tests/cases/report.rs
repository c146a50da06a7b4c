//! What the consumers of the corpus say.

use std::io::Write;
use std::panic::{self, AssertUnwindSafe};

use cumbia::FaultKind;

use crate::{Case, Record};

/// Says that checks were left out, past the test harness, which hides what a passing test prints. Where the environment
/// variable `required` is 1, that is a failure instead.
///
/// # Panics
///
/// Where the variable is 1.
#[track_caller]
pub fn left_out(what: &str, reason: &str, required: &str) {
    assert!(std::env::var_os(required).is_none_or(|value| value != "1"), "{required} is 1, but {reason}");
    let _ = writeln!(std::io::stderr(), "left out: {what}\n  {reason}\n  {required}=1 makes this a failure");
}

/// How many differences of a case are told.
const MOST: usize = 4;

/// Runs each case twice, here and `there`, and compares the records. Gives a summary.
///
/// # Panics
///
/// Where any two records differ, or one is not as plain Rust has it, or a run panics, with all of them.
pub fn compare(cases: &[&Case], here: &str, there: &str, run: impl Fn(&Case, bool) -> Record) -> String {
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases {
        let mut record = |elsewhere| {
            let record = panic::catch_unwind(AssertUnwindSafe(|| run(case, elsewhere)));
            let place = if elsewhere { there } else { here };
            match &record {
                Ok(record) => tell(&mut failures, &format!("{} on {place}", case.name), record.wrong()),
                Err(_) => failures.push(format!("{} on {place} panicked, see above", case.name)),
            }
            record.ok()
        };
        if let (Some(one), Some(other)) = (record(false), record(true)) {
            compared += one.len();
            tell(&mut failures, &format!("{}, {here} against {there}", case.name), &one.differences(&other));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    format!("{} cases, {compared} values compared", cases.len())
}

/// Adds the first few of `failures` to all.
fn tell(all: &mut Vec<String>, case: &str, failures: &[String]) {
    all.extend(failures.iter().take(MOST).map(|failure| format!("{case}: {failure}")));
    if failures.len() > MOST {
        all.push(format!("{case}: {} more like these", failures.len() - MOST));
    }
}

/// A panic's message as our own faults have it.
pub fn in_our_words(panic: &str) -> String {
    if panic.starts_with("min > max") {
        // Rust's versions have different words for it, and the values in them.
        return "assertion failed: min <= max".to_owned();
    }
    if panic == "attempt to calculate the remainder with a divisor of zero" {
        return "attempt to divide by zero".to_owned();
    }
    panic.replace("the len is", "the length is")
}

/// Whether a fault says what Rust's panic does.
pub(crate) fn says(kind: &FaultKind, panic: &str) -> bool {
    in_our_words(&kind.to_string()) == in_our_words(panic)
}
