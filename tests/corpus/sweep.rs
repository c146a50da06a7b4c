//! Runs of one kernel over many inputs, including some at which Rust panics.

use cumbia::{DeviceArray, DeviceType, Kernel, Launch};

use crate::Run;
use crate::Tolerance;

/// Runs a kernel of one input. `host` returns Rust's result, or `None` if it panics.
#[track_caller]
pub(crate) fn unary<A: DeviceType, O: DeviceType, K: Kernel>(
    run: &mut Run<'_>,
    name: &str,
    values: &[A],
    host: impl Fn(A) -> Option<O>,
    launch: impl for<'a> Fn(&'a DeviceArray<A>, &'a mut DeviceArray<O>) -> Launch<'a, K>,
) {
    sweep(
        run,
        name,
        values,
        |&x| host(x),
        |run, values, out| {
            let x = run.array(values);
            run.launch(launch(&x, out).over(values.len()));
        },
    );
}

/// As [`unary`], with two inputs.
#[track_caller]
pub(crate) fn binary<A: DeviceType, B: DeviceType, O: DeviceType, K: Kernel>(
    run: &mut Run<'_>,
    name: &str,
    pairs: &[(A, B)],
    host: impl Fn(A, B) -> Option<O>,
    launch: impl for<'a> Fn(&'a DeviceArray<A>, &'a DeviceArray<B>, &'a mut DeviceArray<O>) -> Launch<'a, K>,
) {
    sweep(
        run,
        name,
        pairs,
        |&(a, b)| host(a, b),
        |run, pairs, out| {
            let (a, b): (Vec<A>, Vec<B>) = pairs.iter().copied().unzip();
            let (a, b) = (run.array(&a), run.array(&b));
            run.launch(launch(&a, &b, out).over(pairs.len()));
        },
    );
}

/// Launches once for all inputs that have a result. A launch reports a single fault, so that each input at which Rust
/// panics has its own launch.
#[track_caller]
fn sweep<I: Copy, O: DeviceType>(
    run: &mut Run<'_>,
    name: &str,
    inputs: &[I],
    host: impl Fn(&I) -> Option<O>,
    launch: impl Fn(&mut Run<'_>, &[I], &mut DeviceArray<O>),
) {
    let (good, bad): (Vec<I>, Vec<I>) = inputs.iter().partition(|input| host(input).is_some());
    let expected: Vec<O> = good.iter().filter_map(&host).collect();
    let mut out = run.zeros(good.len());
    launch(run, &good, &mut out);
    run.expect_within(name, &out, &expected, Tolerance::Exact);
    for input in &bad {
        let mut out = run.zeros(1);
        run.expect_fault(name, |run| launch(run, &[*input], &mut out));
    }
}

/// The result of arithmetic that panics on overflow in a debug build and wraps in a release build.
pub(crate) fn checked<T>(checked: Option<T>, wrapped: T) -> Option<T> {
    if cfg!(debug_assertions) { checked } else { Some(wrapped) }
}
