//! Timing: medians of interleaved runs.

use std::time::{Duration, Instant};

/// Returns the time of one call, and its result.
pub(crate) fn once<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// Returns the median time of each workload. The workloads run alternately for `rounds` rounds, so that changes of the
/// clock rate affect all of them.
pub(crate) fn medians<const N: usize>(rounds: usize, mut workloads: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..=rounds {
        for (workload, times) in workloads.iter_mut().zip(&mut times) {
            let (time, ()) = once(workload);
            if round > 0 {
                times.push(time); // the first round warms up
            }
        }
    }
    times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    })
}

/// Prints a row of a table.
pub(crate) fn row(name: &str, value: Duration, note: &str) {
    println!("  {name:<44} {:>12.3} µs  {note}", value.as_secs_f64() * 1e6);
}

/// Returns the ratio of two times.
pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
