//! The methods of integers, on every type that supports them.

use cumbia::prelude::*;

use crate::inputs::Edges;
use crate::sweep::{binary, checked, unary};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![by_path, arithmetic, clamps, signs, unsigned_only, bits, rotations, powers, euclidean];

/// The kernels of one type, in a module named after it; the kernels have the same names in each module.
macro_rules! kernels {
    ($($module:ident $int:ident $unsigned:ident)*) => {$(
        pub mod $module {
            use cumbia::prelude::*;

            #[kernel]
            pub fn pairwise(
                a: &[$int],
                b: &[$int],
                wrapped: &mut [$int],
                saturated: &mut [$int],
                ordered: &mut [$int],
                apart: &mut [$unsigned],
            ) {
                let i = grid(1);
                if i < a.len() {
                    let (x, y) = (a[i], b[i]);
                    wrapped[4 * i] = x.wrapping_add(y);
                    wrapped[4 * i + 1] = x.wrapping_sub(y);
                    wrapped[4 * i + 2] = x.wrapping_mul(y);
                    wrapped[4 * i + 3] = x.wrapping_neg();
                    saturated[2 * i] = x.saturating_add(y);
                    saturated[2 * i + 1] = x.saturating_sub(y);
                    ordered[2 * i] = x.min(y);
                    ordered[2 * i + 1] = x.max(y);
                    apart[i] = x.abs_diff(y);
                }
            }

            #[kernel]
            pub fn bits(x: &[$int], counts: &mut [u32], moved: &mut [$int]) {
                let i = grid(1);
                if i < x.len() {
                    counts[4 * i] = x[i].count_ones();
                    counts[4 * i + 1] = x[i].count_zeros();
                    counts[4 * i + 2] = x[i].leading_zeros();
                    counts[4 * i + 3] = x[i].trailing_zeros();
                    moved[2 * i] = x[i].swap_bytes();
                    moved[2 * i + 1] = x[i].reverse_bits();
                }
            }

            #[kernel]
            pub fn rotate(x: &[$int], by: &[u32], out: &mut [$int]) {
                let i = grid(1);
                if i < x.len() {
                    out[2 * i] = x[i].rotate_left(by[i]);
                    out[2 * i + 1] = x[i].rotate_right(by[i]);
                }
            }

            #[kernel]
            pub fn clamp(x: &[$int], low: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < x.len() {
                    out[i] = x[i].clamp(low[i], 100);
                }
            }

            #[kernel]
            pub fn pow(x: &[$int], exponent: &[u32], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = x[i].pow(exponent[i]);
                }
            }

            #[kernel]
            pub fn div_euclid(a: &[$int], b: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = a[i].div_euclid(b[i]);
                }
            }

            #[kernel]
            pub fn rem_euclid(a: &[$int], b: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = a[i].rem_euclid(b[i]);
                }
            }
        }
    )*};
}

kernels!(
    on_i8 i8 u8 on_i16 i16 u16 on_i32 i32 u32 on_i64 i64 u64 on_isize isize usize on_u8 u8 u8 on_u16 u16 u16
    on_u32 u32 u32 on_u64 u64 u64 on_usize usize usize
);

macro_rules! signed_kernels {
    ($($module:ident $int:ident $unsigned:ident)*) => {$(
        pub mod $module {
            use cumbia::prelude::*;

            #[kernel]
            pub fn abs(x: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = x[i].abs();
                }
            }

            #[kernel]
            pub fn sign(x: &[$int], out: &mut [$int], magnitude: &mut [$unsigned]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = x[i].signum();
                    magnitude[i] = x[i].unsigned_abs();
                }
            }
        }
    )*};
}

signed_kernels!(sign_i8 i8 u8 sign_i16 i16 u16 sign_i32 i32 u32 sign_i64 i64 u64 sign_isize isize usize);

macro_rules! unsigned_kernels {
    ($($module:ident $int:ident)*) => {$(
        pub mod $module {
            use cumbia::prelude::*;

            #[kernel]
            pub fn div_ceil(a: &[$int], b: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = a[i].div_ceil(b[i]);
                }
            }

            #[kernel]
            pub fn is_power_of_two(x: &[$int], out: &mut [bool]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = x[i].is_power_of_two();
                }
            }
        }
    )*};
}

unsigned_kernels!(only_u8 u8 only_u16 u16 only_u32 u32 only_u64 u64 only_usize usize);

/// Expands `$each` for every integer type and its module.
macro_rules! for_integers {
    ($run:ident $each:ident) => {
        for_integers!(
            $run $each: on_i8 i8, on_i16 i16, on_i32 i32, on_i64 i64, on_isize isize, on_u8 u8, on_u16 u16,
            on_u32 u32, on_u64 u64, on_usize usize
        );
    };
    ($run:ident $each:ident: $($module:ident $int:ident),*) => {
        $($each!($run $module $int);)*
    };
}

fn arithmetic(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $module:ident $int:ident) => {{
            let pairs = $int::pairs(100);
            let (a, b): (Vec<$int>, Vec<$int>) = pairs.iter().copied().unzip();
            let (a, b, len) = ($run.array(&a), $run.array(&b), pairs.len());
            let (mut wrapped, mut saturated) = ($run.zeros(4 * len), $run.zeros(2 * len));
            let (mut ordered, mut apart) = ($run.zeros(2 * len), $run.zeros(len));
            let launch = $module::pairwise(&a, &b, &mut wrapped, &mut saturated, &mut ordered, &mut apart);
            $run.launch(launch.over(len));
            let wraps =
                |(x, y): ($int, $int)| [x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), x.wrapping_neg()];
            $run.expect("wrapping", &wrapped, &pairs.iter().copied().flat_map(wraps).collect::<Vec<_>>());
            let saturates = |(x, y): ($int, $int)| [x.saturating_add(y), x.saturating_sub(y)];
            $run.expect("saturating", &saturated, &pairs.iter().copied().flat_map(saturates).collect::<Vec<_>>());
            let orders = |(x, y): ($int, $int)| [x.min(y), x.max(y)];
            $run.expect("min and max", &ordered, &pairs.iter().copied().flat_map(orders).collect::<Vec<_>>());
            let distances: Vec<_> = pairs.iter().map(|&(x, y)| x.abs_diff(y)).collect();
            $run.expect("abs_diff", &apart, &distances);
        }};
    }
    for_integers!(run each);
}

fn clamps(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $module:ident $int:ident) => {{
            let host = |x: $int, low: $int| (low <= 100).then(|| x.clamp(low, 100));
            let name = concat!(stringify!($int), " clamp");
            binary($run, name, &$int::pairs(20), host, |a, b, out| $module::clamp(a, b, out));
        }};
    }
    for_integers!(run each);
}

fn signs(run: &mut Run<'_>) {
    macro_rules! each {
        ($($module:ident $int:ident)*) => {$({
            let values = $int::some(50);
            let host = |x: $int| checked(x.checked_abs(), x.wrapping_abs());
            unary(run, concat!(stringify!($int), " abs"), &values, host, |x, out| $module::abs(x, out));
            let (x, mut out, mut magnitude) = (run.array(&values), run.zeros(values.len()), run.zeros(values.len()));
            run.launch($module::sign(&x, &mut out, &mut magnitude).over(values.len()));
            run.expect("signum", &out, &values.iter().map(|x| x.signum()).collect::<Vec<_>>());
            run.expect("unsigned_abs", &magnitude, &values.iter().map(|x| x.unsigned_abs()).collect::<Vec<_>>());
        })*};
    }
    each!(sign_i8 i8 sign_i16 i16 sign_i32 i32 sign_i64 i64 sign_isize isize);
}

fn unsigned_only(run: &mut Run<'_>) {
    macro_rules! each {
        ($($module:ident $int:ident)*) => {$({
            let host = |a: $int, b: $int| (b != 0).then(|| a.div_ceil(b));
            let name = concat!(stringify!($int), " div_ceil");
            binary(run, name, &$int::pairs(50), host, |a, b, out| $module::div_ceil(a, b, out));
            let host = |x: $int| Some(x.is_power_of_two());
            let name = concat!(stringify!($int), " is_power_of_two");
            unary(run, name, &$int::some(50), host, |x, out| $module::is_power_of_two(x, out));
        })*};
    }
    each!(only_u8 u8 only_u16 u16 only_u32 u32 only_u64 u64 only_usize usize);
}

fn bits(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $module:ident $int:ident) => {{
            let values = $int::some(100);
            let len = values.len();
            let (x, mut counts, mut moved) = ($run.array(&values), $run.zeros(4 * len), $run.zeros(2 * len));
            $run.launch($module::bits(&x, &mut counts, &mut moved).over(len));
            let counted = |x: &$int| [x.count_ones(), x.count_zeros(), x.leading_zeros(), x.trailing_zeros()];
            $run.expect("counts", &counts, &values.iter().flat_map(counted).collect::<Vec<_>>());
            let moves = |x: &$int| [x.swap_bytes(), x.reverse_bits()];
            $run.expect("swapped and reversed", &moved, &values.iter().flat_map(moves).collect::<Vec<_>>());
        }};
    }
    for_integers!(run each);
}

fn rotations(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $module:ident $int:ident) => {{
            let amounts = [0u32, 1, 7, 8, 15, 16, 31, 32, 63, 64, 65, u32::MAX];
            let pairs: Vec<($int, u32)> = $int::some(10).into_iter().flat_map(|x| amounts.map(|by| (x, by))).collect();
            let (x, by): (Vec<$int>, Vec<u32>) = pairs.iter().copied().unzip();
            let (x, by, mut out) = ($run.array(&x), $run.array(&by), $run.zeros(2 * pairs.len()));
            $run.launch($module::rotate(&x, &by, &mut out).over(pairs.len()));
            let rotated = |(x, by): &($int, u32)| [x.rotate_left(*by), x.rotate_right(*by)];
            $run.expect("rotated", &out, &pairs.iter().flat_map(rotated).collect::<Vec<_>>());
        }};
    }
    for_integers!(run each);
}

fn powers(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $module:ident $int:ident) => {{
            let pairs: Vec<($int, u32)> =
                $int::edges().into_iter().flat_map(|x| [0u32, 1, 2, 3, 5, 8, 31, 64].map(|n| (x, n))).collect();
            let host = |x: $int, n| checked(x.checked_pow(n), x.wrapping_pow(n));
            let name = concat!(stringify!($int), " pow");
            binary($run, name, &pairs, host, |a, b, out| $module::pow(a, b, out));
        }};
    }
    for_integers!(run each);
}

fn euclidean(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $module:ident $int:ident) => {{
            let pairs = $int::pairs(50);
            let host = |a: $int, b| a.checked_div_euclid(b);
            binary($run, concat!(stringify!($int), " div_euclid"), &pairs, host, |a, b, out| {
                $module::div_euclid(a, b, out)
            });
            let host = |a: $int, b| a.checked_rem_euclid(b);
            binary($run, concat!(stringify!($int), " rem_euclid"), &pairs, host, |a, b, out| {
                $module::rem_euclid(a, b, out)
            });
        }};
    }
    for_integers!(run each);
}

/// Methods called by path, which also fault at the call.
#[kernel]
pub fn raised(y: &mut [i32], exponent: u32) {
    y[1] = i32::rem_euclid(y[1], y[2]);
    y[0] = 1 + i32::pow(y[0], exponent);
}

fn by_path(run: &mut Run<'_>) {
    for (divisor, exponent) in [(4, 3), (4, 40), (0, 3)] {
        let mut y = run.array(&[3, -7, divisor]);
        run.launch(raised(&mut y, exponent).grid(1).block(1));
        run.output("raised", &y);
    }
}
