//! Programs: a text that is compiled twice, as plain Rust and as device code, and must have the same side effects in
//! the same order, up to a panic, if there is one.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use cumbia::{DeviceArray, DeviceType, Scalar};
use cumbia_cases::in_our_words;

use crate::Run;
use crate::inputs::{Edges, Random};

/// The number of inputs of a program, and the maximum number of outputs.
pub(crate) const INPUTS: usize = 8;
pub(crate) const OUTPUTS: usize = 12;

/// The number of launches with an input at which Rust panics; each has one such input.
const MOST_FAULTS: usize = 8;

/// For each function of `x: &[A]` and `y: &mut [B]`: `device::f`, the kernel `kernels::f` that calls it for each row of
/// [`INPUTS`] numbers, `host::f`, and a case `f` in `CASES`. What stands in `items { .. }`, with `#[device]` and
/// `DeviceType` in the usual places, is in both of `device` and `host`, there without these two.
macro_rules! programs {
    (
        $(items { $($item:tt)* })?
        $($(#[$attribute:meta])* fn $name:ident($x:ident: &[$from:ident], $y:ident: &mut [$to:ident]) { $($body:tt)* })*
    ) => {
        pub mod device {
            #[allow(unused_imports, reason = "not every module needs all")]
            use cumbia::prelude::*;
            #[allow(unused_imports, reason = "not every module has items around it")]
            use super::*;

            $($($item)*)?

            $(#[device] $(#[$attribute])* pub fn $name($x: &[$from], $y: &mut [$to]) { $($body)* })*
        }

        pub mod kernels {
            use cumbia::prelude::*;
            use $crate::program::{INPUTS, OUTPUTS};

            $(#[kernel(fmad = false)]
            pub fn $name(x: &[$from], y: &mut [$to]) {
                let i = grid(1);
                if OUTPUTS * i < y.len() {
                    let (from, to) = (INPUTS * i, OUTPUTS * i);
                    super::device::$name(&x[from..from + INPUTS], &mut y[to..to + OUTPUTS]);
                }
            })*
        }

        pub mod host {
            #[allow(unused_imports, reason = "not every module needs all")]
            use cumbia::{Float, Integer, Number, bf16, f16};
            #[allow(unused_imports, reason = "not every module has items around it")]
            use super::*;

            /// Implemented for every type, so that the bounds of items are satisfied on the host.
            #[allow(dead_code, reason = "not every module needs it")]
            pub trait DeviceType: Copy {}

            impl<T: Copy> DeviceType for T {}

            $($crate::program::plain! { [] $($item)* })?

            $($(#[$attribute])* pub fn $name($x: &[$from], $y: &mut [$to]) { $($body)* })*
        }

        mod cases {
            $(pub(super) fn $name(run: &mut $crate::Run<'_>) {
                $crate::program::run::<$from, $to>(
                    run,
                    stringify!($name),
                    super::host::$name,
                    super::device::$name,
                    &|run, x, y| {
                        let rows = y.len() / $crate::program::OUTPUTS;
                        run.launch(super::kernels::$name(x, y).over(rows));
                    },
                );
            })*
        }

        const PROGRAMS: &[$crate::Case] = &[$($crate::Case {
            name: concat!(module_path!(), "::", stringify!($name)),
            run: cases::$name,
        }),*];
    };
}
pub(crate) use programs;

/// Items without the attributes of device code. The comparisons of `#[device(..)]` become Rust derives.
macro_rules! plain {
    ([$($done:tt)*] #[device($($derived:ident),*)] $($rest:tt)*) => {
        $crate::program::plain! { [$($done)* #[derive($($derived),*)]] $($rest)* }
    };
    ([$($done:tt)*] #[device] $($rest:tt)*) => { $crate::program::plain! { [$($done)*] $($rest)* } };
    ([$($done:tt)*] #[derive(Clone, Copy, DeviceType $(, $more:ident)*)] $($rest:tt)*) => {
        $crate::program::plain! { [$($done)* #[derive(Clone, Copy $(, $more)*)]] $($rest)* }
    };
    ([$($done:tt)*] $next:tt $($rest:tt)*) => { $crate::program::plain! { [$($done)* $next] $($rest)* } };
    ([$($done:tt)*]) => { $($done)* };
}
pub(crate) use plain;

/// A program as a function of the host.
type Function<A, B> = fn(&[A], &mut [B]);

/// A program as a launch of its kernel.
type Kernel<'l, A, B> = &'l dyn Fn(&mut Run<'_>, &DeviceArray<A>, &mut DeviceArray<B>);

/// Runs a program on all its inputs: as plain Rust, as a device function that the host calls, and as a kernel, once for
/// all inputs that have a result and once for each, up to a few, at which Rust panics.
#[track_caller]
pub(crate) fn run<A: Edges + Scalar, B: DeviceType + Default + PartialEq>(
    run: &mut Run<'_>,
    name: &str,
    host: Function<A, B>,
    device: Function<A, B>,
    launch: Kernel<'_, A, B>,
) {
    let rows = rows::<A>();
    if run.is_nowhere() {
        let (x, mut y) = (run.array(&rows[0]), run.zeros(OUTPUTS));
        return launch(run, &x, &mut y);
    }
    let (mut good, mut expected, mut faults) = (Vec::new(), Vec::new(), 0);
    for row in &rows {
        let (mut y, mut same) = ([B::default(); OUTPUTS], [B::default(); OUTPUTS]);
        let panic = quietly(|| host(row, &mut y)).err();
        let other = quietly(|| device(row, &mut same)).err();
        // A NaN is not equal to itself; the comparison of the kernel's results handles NaNs.
        #[allow(clippy::eq_op, reason = "as the comment says")]
        let differ = (0..OUTPUTS).any(|i| y[i] != same[i] && y[i] == y[i]);
        let other_words = other.as_deref().map(without_position);
        if panic.as_deref().map(in_our_words) != other_words.map(in_our_words) || differ {
            run.wrong(&format!("{name}: called by the host, the device function differs at {row:?}: {other:?}"));
        }
        let Some(panic) = panic else {
            good.extend_from_slice(row);
            expected.extend_from_slice(&y);
            continue;
        };
        faults += 1;
        if faults > MOST_FAULTS {
            continue;
        }
        let (x, mut written) = (run.array(row), run.zeros(OUTPUTS));
        run.expect_fault(name, |run| launch(run, &x, &mut written));
        run.expect_words(&panic);
        run.expect(&format!("{name} up to its fault"), &written, &y);
    }
    let (x, mut y) = (run.array(&good), run.zeros(expected.len()));
    launch(run, &x, &mut y);
    run.expect(name, &y, &expected);
}

/// Inputs for the branches of programs: small and negative numbers, indices out of bounds, the limits of the type.
fn rows<A: Edges>() -> Vec<[A; INPUTS]> {
    let small = |numbers: [i64; INPUTS]| numbers.map(A::small);
    let mut rows = vec![
        small([0; INPUTS]),
        small([1; INPUTS]),
        small([1, 2, 3, 4, 5, 6, 7, 8]),
        small([-1, 5, 2, 3, 6, 1, 0, 2]),
        small([0, 4, 1, 2, 9, 7, 0, 1]),
        small([100, 1, 2, 50, 3, 2, 127, 0]),
    ];
    let mut random = Random::new(3);
    for _ in 0..40 {
        rows.push(small(std::array::from_fn(|_| (random.bits() % 12) as i64 - 2)));
    }
    let edges = A::edges();
    for _ in 0..10 {
        rows.push(std::array::from_fn(|_| edges[random.bits() as usize % edges.len()]));
    }
    for _ in 0..8 {
        rows.push(std::array::from_fn(|_| A::random(&mut random)));
    }
    rows
}

/// Runs a function that may panic, and returns the panic's message without printing it.
pub(crate) fn quietly<R>(function: impl FnOnce() -> R) -> Result<R, String> {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(function));
    QUIET.set(before);
    result.map_err(|payload| message(&*payload))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// The panic message of a device function that the host calls begins with its position.
fn without_position(panic: &str) -> &str {
    panic.strip_prefix("tests/corpus/").and_then(|rest| rest.split_once(": ")).map_or(panic, |(_, words)| words)
}
