//! Reports of the tests that consume the corpus.

use std::io::Write;
use std::panic::{self, AssertUnwindSafe};

use cumbia::FaultKind;

use crate::{Case, Record};

/// Reports skipped checks to the standard error directly, since the test harness captures the output of a passing test.
/// If the environment variable `required` is 1, the skipped checks are a failure instead.
///
/// # Panics
///
/// If the variable is 1.
#[track_caller]
pub fn left_out(what: &str, reason: &str, required: &str) {
    assert!(std::env::var_os(required).is_none_or(|value| value != "1"), "{required} is 1, but {reason}");
    let _ = writeln!(std::io::stderr(), "left out: {what}\n  {reason}\n  {required}=1 makes this a failure");
}

/// The maximum number of differences that are reported per case.
const MAX_DIFFERENCES: usize = 4;

/// Runs each case on two devices, `here` and `there`, and compares the records. Returns a summary.
///
/// # Panics
///
/// If any two records differ, a record differs from plain Rust, or a run panics. The message lists all failures.
pub fn compare(cases: &[&Case], here: &str, there: &str, run: impl Fn(&Case, bool) -> Record) -> String {
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases {
        let mut record = |elsewhere| {
            let record = panic::catch_unwind(AssertUnwindSafe(|| run(case, elsewhere)));
            let place = if elsewhere { there } else { here };
            match &record {
                Ok(record) => report(&mut failures, &format!("{} on {place}", case.name), record.wrong()),
                Err(_) => failures.push(format!("{} on {place} panicked, see above", case.name)),
            }
            record.ok()
        };
        if let (Some(one), Some(other)) = (record(false), record(true)) {
            compared += one.len();
            report(&mut failures, &format!("{}, {here} against {there}", case.name), &one.differences(&other));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    format!("{} cases, {compared} values compared", cases.len())
}

/// Appends the first few of `failures` to `all`.
fn report(all: &mut Vec<String>, case: &str, failures: &[String]) {
    all.extend(failures.iter().take(MAX_DIFFERENCES).map(|failure| format!("{case}: {failure}")));
    if failures.len() > MAX_DIFFERENCES {
        all.push(format!("{case}: {} more like these", failures.len() - MAX_DIFFERENCES));
    }
}

/// Returns the message of a Rust panic in the words of Cumbia's faults.
pub fn in_our_words(panic: &str) -> String {
    if panic.starts_with("min > max") {
        // The message differs between Rust versions, and newer ones include the values.
        return "assertion failed: min <= max".to_owned();
    }
    if panic == "attempt to calculate the remainder with a divisor of zero" {
        return "attempt to divide by zero".to_owned();
    }
    panic.replace("the len is", "the length is")
}

/// Returns whether the message of a fault is that of Rust's panic.
pub(crate) fn says(kind: &FaultKind, panic: &str) -> bool {
    in_our_words(&kind.to_string()) == in_our_words(panic)
}
