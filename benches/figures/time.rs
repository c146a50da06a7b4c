//! Timing: medians of many runs, side by side.

use std::time::{Duration, Instant};

/// The time of one call.
pub(crate) fn once<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// The median time of each work, run in turn `rounds` times, so that a change of the machine's speed meets all of them.
pub(crate) fn medians<const N: usize>(rounds: usize, mut works: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..=rounds {
        for (work, times) in works.iter_mut().zip(&mut times) {
            let (time, ()) = once(work);
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

/// A line of a table.
pub(crate) fn row(what: &str, value: Duration, note: &str) {
    println!("  {what:<44} {:>12.3} µs  {note}", value.as_secs_f64() * 1e6);
}

/// How many times as long `a` takes as `b`.
pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
