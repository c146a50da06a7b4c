//! The comparison of two devices, and the reports of failures.

use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cumbia_cases::{Case, Record};
use cumbia_random::{CASES, text_of};

/// The maximum number of failures that are reported with the source of the kernel.
const MAX_SOURCES: usize = 3;

/// The time limit of a kernel. Every kernel terminates by construction, within milliseconds.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The running kernel, and its start time.
type Running = Arc<Mutex<(String, Instant)>>;

/// Runs each kernel on the devices `here` and `there`, and compares the records. Returns a summary.
///
/// # Panics
///
/// If the results of a kernel differ, or a run panics. All failures are reported first.
pub(crate) fn compare(here: &str, there: &str, run: impl Fn(&Case, bool) -> Record) -> String {
    let mut failures = Vec::new();
    let (mut values, mut faults, mut faulting) = (0, 0, 0);
    let running = start_watchdog();
    let skipped = std::env::var("CUMBIA_RANDOM_SKIP").unwrap_or_default();
    let traced = std::env::var_os("CUMBIA_RANDOM_TRACE").is_some();
    for case in CASES.iter().filter(|case| !skipped.split(',').any(|name| name == case.name)) {
        if traced {
            eprintln!("RUNNING {}", case.name);
        }
        let record = |elsewhere| {
            let place = if elsewhere { there } else { here };
            *running.lock().expect("no thread panics while it holds the lock") =
                (format!("{}: it does not end on {place}", case.name), Instant::now());
            let record = panic::catch_unwind(AssertUnwindSafe(|| run(case, elsewhere)))
                .map_err(|payload| vec![format!("a panic on {place}: {}", message_of(&*payload))])?;
            match record.wrong() {
                [] => Ok(record),
                wrong => Err(wrong.iter().map(|what| format!("on {place}: {what}")).collect()),
            }
        };
        let differences = match (record(false), record(true)) {
            (Ok(one), Ok(other)) => {
                values += one.len();
                faults += one.faults();
                faulting += usize::from(one.faults() > 0);
                one.differences(&other)
            }
            (Err(wrong), _) | (_, Err(wrong)) => wrong,
        };
        if !differences.is_empty() {
            failures.push((case.name, differences));
        }
    }
    running.lock().expect("no thread panics while it holds the lock").0.clear();
    report(&failures, here, there);
    assert!(failures.is_empty(), "{} of {} random kernels, {here} against {there}", failures.len(), CASES.len());
    format!("{} random kernels, {values} values compared, {faults} faults in {faulting} of them", CASES.len())
}

/// Writes the failures to the standard error directly, past the test harness: a few with their source, then a line for
/// each.
fn report(failures: &[(&str, Vec<String>)], here: &str, there: &str) {
    let mut text = String::new();
    for (name, differences) in failures.iter().take(MAX_SOURCES) {
        let _ = writeln!(text, "\n=== {name}, {here} against {there}:\n{}\n", differences.join("\n"));
        let _ = writeln!(text, "{}", text_of(name));
    }
    for (name, differences) in failures {
        let _ = writeln!(text, "FAILED {name}: {}", differences[0].lines().next().unwrap_or_default());
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Starts a watchdog thread, which ends the process when a kernel exceeds the time limit.
fn start_watchdog() -> Running {
    let running = Arc::new(Mutex::new((String::new(), Instant::now())));
    let watched = Arc::clone(&running);
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let (what, since) = watched.lock().expect("no thread panics while it holds the lock").clone();
            if !what.is_empty() && since.elapsed() > TIME_LIMIT {
                let name = what.split(':').next().unwrap_or_default();
                eprintln!("{}\nFAILED {what}", text_of(name));
                std::process::exit(101);
            }
        }
    });
    running
}

fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| String::from("without a message"))
}
