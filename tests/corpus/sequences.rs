//! Sequences of a `for`: ranges in both directions with any step, at the limits of every integer type; and the elements of
//! arrays and slices.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::Scalar;
use cumbia::prelude::*;

use crate::inputs::Edges;
use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![turns, steps_of_nothing]];

programs! {
    fn directions(x: &[i32], y: &mut [i64]) {
        let (a, b, n) = (x[0] % 50, x[1] % 50, (x[2] & 7) as usize + 1);
        let mut at = 0;
        for i in (a..b).rev() {
            y[at % 3] = y[at % 3] * 7 % 1_000_003 + i as i64;
            at += 1;
        }
        for i in (a..=b).rev() {
            y[3] = y[3] * 7 % 1_000_003 + i as i64;
        }
        for i in (a..b).step_by(n) {
            y[4] = y[4] * 7 % 1_000_003 + i as i64;
        }
        for i in (a..=b).step_by(n) {
            y[5] = y[5] * 7 % 1_000_003 + i as i64;
        }
        for i in (a..b).step_by(n).rev() {
            y[6] = y[6] * 7 % 1_000_003 + i as i64;
        }
        for i in (a as i16..=b as i16).step_by(n).rev() {
            y[7] = y[7] * 7 % 1_000_003 + i as i64;
        }
        for i in (a..b).rev().step_by(n) {
            y[8] = y[8] * 7 % 1_000_003 + i as i64;
        }
        for i in (a..=b).rev().step_by(n) {
            y[9] = y[9] * 7 % 1_000_003 + i as i64;
        }
        for i in (a..b).rev().rev() {
            y[10] = y[10] * 7 % 1_000_003 + i as i64;
        }
    }

    /// The loop variable can be assigned; the bounds and the step are evaluated once, in order.
    fn evaluated_once(x: &[i32], y: &mut [i64]) {
        let mut end = (x[0] & 15) as i64;
        let mut order = 0;
        for mut i in ({ order = order * 10 + 1; 0 }..{ order = order * 10 + 2; end }).rev().step_by({ order = order * 10 + 3; 2 }) {
            end += 100;
            i *= 3;
            y[0] += i;
        }
        y[1] = order;
        y[2] = end;
        let mut step = (x[1] & 3) as usize + 1;
        for i in (0..40u8).step_by(step) {
            step = 1000;
            y[3] += i as i64 * step as i64;
        }
    }

    fn jumps(x: &[i32], y: &mut [i64]) {
        'outer: for i in (0..8usize).rev() {
            for j in (0..=i).rev().step_by(2) {
                if x[j] == 3 {
                    continue 'outer;
                }
                if x[i] < -50 {
                    break 'outer;
                }
                if x[j] == 5 {
                    break;
                }
                y[0] += (i * 10 + j) as i64;
            }
            y[1] += 1;
        }
        for i in (0..100).step_by(9) {
            if i % 2 == 0 {
                continue;
            }
            y[2] = y[2] * 3 + i;
        }
        for (i, v) in x.iter().enumerate().rev() {
            if *v < 0 {
                y[3] = i as i64;
                return;
            }
            y[4] += *v as i64;
        }
        y[5] = 1;
    }

    fn elements(x: &[i32], y: &mut [i64]) {
        for v in x {
            y[0] += *v as i64;
        }
        for v in x.iter() {
            y[1] = y[1] * 3 + *v as i64 % 100;
        }
        for &v in x {
            y[2] += v as i64 / 2;
        }
        for (i, v) in x.iter().enumerate() {
            y[3] += *v as i64 % 10 * i as i64;
        }
        for v in x.iter().rev() {
            y[4] = y[4] * 3 + *v as i64 % 100;
        }
        for (i, &v) in x.iter().enumerate().rev() {
            y[5] = (y[5] * 3 + v as i64 % 100 + i as i64) % 1_000_003;
        }
        for (i, v) in x[1..].iter().enumerate().rev() {
            y[6] = (y[6] * 3 + *v as i64 % 100 + i as i64) % 1_000_003;
        }
        for v in x.iter().copied() {
            y[7] ^= v as i64;
        }
        for v in x[2..5].iter() {
            y[8] += *v as i64;
        }
        for v in &x[5..] {
            y[9] -= *v as i64;
        }
        for v in x[3..3].iter() {
            y[10] = *v as i64;
        }
    }

    fn written_elements(x: &[i32], y: &mut [i64]) {
        for v in y.iter_mut() {
            *v = 3;
        }
        for (i, v) in y.iter_mut().enumerate() {
            *v += x[i % 8] as i64 * i as i64;
        }
        for v in y[2..6].iter_mut().rev() {
            *v *= 2;
        }
        for v in &mut y[7..] {
            *v -= 1;
            let old = *v;
            *v = old % 1000 + 1;
        }
        for (i, v) in y.iter_mut().enumerate().rev() {
            if i == 3 {
                *v = -5;
                continue;
            }
            if i == 1 {
                break;
            }
            *v ^= 1;
        }
    }

    fn arrays_by_value(x: &[i32], y: &mut [i64]) {
        let mut a = [x[0] as i64, x[1] as i64, x[2] as i64];
        for v in a {
            // The loop iterates over the array as it was before the loop.
            a[2] = 1000;
            y[0] = y[0] * 10 + v % 100;
        }
        for v in [x[3], x[4], 5] {
            y[1] += v as i64;
        }
        for (i, v) in a.iter_mut().enumerate() {
            *v += i as i64;
        }
        for v in &mut a {
            *v *= 2;
        }
        for row in [[1, 2], [3, x[5] as i64], [5, 6]] {
            for v in row {
                y[2] = y[2] * 3 + v % 50;
            }
        }
        for (p, q) in [(1, 2u8), (x[6] as i64, 4)] {
            y[3] += p * q as i64;
        }
        for v in a.into_iter().rev() {
            y[4] = y[4] * 5 + v % 77;
        }
        for (i, pair) in [[x[7]; 2], [3, 4]].iter().enumerate() {
            y[5] += (pair[0] as i64 % 100 + pair[1] as i64) * (i as i64 + 1);
        }
        let grid = [[1i64, 2, 3], [4, 5, 6]];
        for row in grid.iter() {
            for v in row.iter().rev() {
                y[6] = y[6] * 10 + *v;
            }
        }
        for step in [16, 8, 4] {
            y[7] = y[7] * 100 + step;
        }
    }

    fn of_each_width(x: &[i32], y: &mut [i64]) {
        let n = x[0] & 63;
        for i in (i8::MAX - 3..=i8::MAX).rev() {
            y[0] = y[0] * 3 + i as i64;
        }
        for i in (i8::MIN..=i8::MAX).rev().step_by(100) {
            y[1] = y[1] * 3 + i as i64;
        }
        for i in (u8::MIN..=n as u8).rev() {
            y[2] = (y[2] * 3 + i as i64) % 1_000_003;
        }
        for i in (0..=n as u8).step_by(7).rev() {
            y[3] = (y[3] * 3 + i as i64) % 1_000_003;
        }
        for i in (i64::MIN..i64::MIN + 3).rev() {
            y[4] ^= i / 3;
        }
        for i in (u64::MAX - 9..=u64::MAX).rev().step_by(4) {
            y[5] = y[5].wrapping_add(i as i64) ^ 5;
        }
        for i in (u16::MAX - 9..u16::MAX).step_by(4).rev() {
            y[6] = y[6] * 3 + i as i64;
        }
        for i in (i64::MIN..=i64::MAX).rev().step_by(usize::MAX) {
            y[7] = y[7] / 2 + i / 5;
        }
        for i in (0..=usize::MAX).rev().step_by(1 << 62) {
            y[8] ^= (i >> 3) as i64;
        }
        for _ in (5i32..-5).rev() {
            y[9] += 1;
        }
        for _ in (200u8..=100).rev().step_by(3) {
            y[10] += 1;
        }
    }

    /// A step of zero is a panic, as in Rust, even for an empty range.
    fn zero_steps(x: &[i32], y: &mut [i64]) {
        let n = (x[0] & 3) as usize;
        for i in (0..x[1] as i64 % 20).step_by(n) {
            y[0] += i;
        }
        y[1] = 1;
    }
}

/// Functions that count turns and mix the numbers of ranges, for any ends and step, up to a number of turns.
macro_rules! mixers {
    ($attribute:tt $($name:ident $int:ident [$($range:expr),*] ($a:ident $b:ident $n:ident);)*) => {
        $(mixers! { @item $attribute $name $int [$($range),*] $a $b $n })*
    };
    (@item [$($attribute:tt)*] $name:ident $int:ident [$($range:expr),*] $a:ident $b:ident $n:ident) => {
        $($attribute)* pub fn $name($a: $int, $b: $int, $n: usize) -> u64 {
            let mut mixed = 0u64;
            $({
                let mut count = 0u64;
                for i in $range {
                    mixed = mixed.wrapping_mul(31).wrapping_add(i as u64);
                    count += 1;
                    if count == 40 {
                        break;
                    }
                }
                mixed = mixed.wrapping_mul(31).wrapping_add(count);
            })*
            mixed
        }
    };
}

/// A kernel for each type of integer, and the same as plain Rust. Those before `;` know how many steps there are in a range
/// without its end, those before the next one also in one with it.
macro_rules! turns {
    ($($both:ident $both_int:ident)*; $($end:ident $end_int:ident)*; $($name:ident $int:ident)*) => {
        pub mod counting {
            pub mod kernels {
                use cumbia::prelude::*;

                $(turns!(@kernel $both $both_int);)*
                $(turns!(@kernel $end $end_int);)*
                $(turns!(@kernel $name $int);)*
            }

            pub mod device {
                use cumbia::device;

                turns!(@mixers [#[device]] $($both $both_int)*; $($end $end_int)*; $($name $int)*);
            }

            pub mod host {
                turns!(@mixers [] $($both $both_int)*; $($end $end_int)*; $($name $int)*);
            }
        }

        fn turns(run: &mut Run<'_>) {
            $(turns!(@run run $both $both_int);)*
            $(turns!(@run run $end $end_int);)*
            $(turns!(@run run $name $int);)*
        }
    };
    (@kernel $name:ident $int:ident) => {
        #[kernel]
        pub fn $name(starts: &[$int], ends: &[$int], steps: &[usize], y: &mut [u64]) {
            let at = grid(1);
            if at < y.len() {
                y[at] = super::device::$name(starts[at], ends[at], steps[at]);
            }
        }
    };
    (@mixers $attribute:tt
        $($both:ident $both_int:ident)*; $($end:ident $end_int:ident)*; $($name:ident $int:ident)*
    ) => {
        mixers! {
            $attribute
            $($both $both_int [
                a..b, a..=b, (a..b).rev(), (a..=b).rev(), (a..b).step_by(n), (a..=b).step_by(n), (a..b).rev().step_by(n),
                (a..=b).rev().step_by(n), (a..b).step_by(n).rev(), (a..=b).step_by(n).rev()
            ] (a b n);)*
            $($end $end_int [
                a..b, a..=b, (a..b).rev(), (a..=b).rev(), (a..b).step_by(n), (a..=b).step_by(n), (a..b).rev().step_by(n),
                (a..=b).rev().step_by(n), (a..b).step_by(n).rev()
            ] (a b n);)*
            $($name $int [
                a..b, a..=b, (a..b).rev(), (a..=b).rev(), (a..b).step_by(n), (a..=b).step_by(n), (a..b).rev().step_by(n),
                (a..=b).rev().step_by(n)
            ] (a b n);)*
        }
    };
    (@run $run:ident $name:ident $int:ident) => {{
        let inputs = ends_and_steps::<$int>();
        let starts: Vec<$int> = inputs.iter().map(|input| input.0).collect();
        let ends: Vec<$int> = inputs.iter().map(|input| input.1).collect();
        let steps: Vec<usize> = inputs.iter().map(|input| input.2).collect();
        let (a, b, n) = ($run.array(&starts), $run.array(&ends), $run.array(&steps));
        let mut y = $run.zeros(inputs.len());
        $run.launch(counting::kernels::$name(&a, &b, &n, &mut y).over(inputs.len()));
        let expected: Vec<u64> = inputs.iter().map(|&(a, b, n)| counting::host::$name(a, b, n)).collect();
        $run.expect(stringify!($int), &y, &expected);
    }};
}

/// All pairs of boundary values, with steps of every size.
fn ends_and_steps<T: Edges + Scalar>() -> Vec<(T, T, usize)> {
    let steps = [1, 2, 3, 7, 100, 255, 256, 1 << 31, 1 << 32, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX];
    T::pairs(30).into_iter().enumerate().map(|(i, (a, b))| (a, b, steps[i * 7 % steps.len()])).collect()
}

turns! {
    of_i8 i8 of_u8 u8 of_i16 i16 of_u16 u16;
    of_i32 i32 of_u32 u32 of_isize isize of_usize usize;
    of_i64 i64 of_u64 u64
}

/// Empty arrays and empty slices.
#[kernel]
pub fn nothing_to_go_through(x: &[f32], y: &mut [u32], n: usize) {
    let empty = [0u32; 0];
    for v in empty {
        y[0] = v;
    }
    for v in x.iter() {
        y[1] = *v as u32;
    }
    for (i, v) in x[..0].iter().enumerate().rev() {
        y[2] = *v as u32 + i as u32;
    }
    for i in (0..n).rev() {
        y[3] = x[i] as u32;
    }
    for v in y[4..4].iter_mut() {
        *v = 1;
    }
    y[4] = x.len() as u32 + empty.len() as u32 + x.is_empty() as u32 * 10;
}

fn steps_of_nothing(run: &mut Run<'_>) {
    let (x, mut y) = (run.array::<f32>(&[]), run.zeros(5));
    run.launch(nothing_to_go_through(&x, &mut y, 0).grid(1).block(1));
    run.expect("y", &y, &[0, 0, 0, 0, 10]);
}
