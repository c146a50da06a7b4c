//! Miscompilations of released compilers, one minimal case for each. If the result of a kernel is no proof, or more than a
//! small kernel is needed, the table names the test.
//!
//! | what was wrong | here | and more of it |
//! |---|---|---|
//! | both operands of `&&` and `\|\|` were evaluated | [`logical_operands`] | `order`, `indices::one_by_one` |
//! | `break 'outer` was a `break` | [`labelled_breaks`] | `control::labelled_break`, `three_labels` |
//! | `return` inside `if` was dropped | [`returns_in_branches`] | `control::return_from_nested_ifs`, `return_from_loops` |
//! | signed division was lowered as floor | [`signed_division`] | `operators`, `integer_methods::euclidean` |
//! | `u8` and `u16` were computed as signed, or as `int` | [`narrow_numbers`] | `operators`, `widths` |
//! | an integer's remainder went through a float | [`large_remainders`] | `operators`, `widths` |
//! | constants of one name in two modules collided | [`constants_of_one_name`] | `device_functions::constants_of_modules` |
//! | a range whose start is past its end looped | [`reversed_ranges`] | `ranges::start_past_the_end`, `narrow::loops` |
//! | `activemask()` in both arms of an `if` was merged | [`masks_of_arms`] | `warps::arms`; `tests/ptx.rs`: `warp_operations_are_neither_merged_nor_moved` |
//! | two shared arrays declared on one line were one | [`shared_arrays_of_a_line`] | `shared_memory`, `device_functions::own_storage` |
//! | `grid(1)` wrapped at 2³² | `tests/emitted.rs`: `positions_do_not_wrap_at_32_bits` | `tests/runtime/launch.rs`: `global_indices_do_not_wrap`, and `positions_have_64_bits` of the runtime |
//! | a `u64` predicate of `sync_threads_count` was cut off | [`wide_predicates`] | `cooperation::votes`; `tests/ptx.rs`: `a_wide_predicate_is_compared_with_zero` |
//! | atomic minima and maxima of floats were wrong below zero | [`extremes_below_zero`] | `atomics::floats_alone` |
//! | the cache was stale after a device function elsewhere had changed | `tests/stale.rs` | `cache/tests.rs` of the runtime |
//! | a parameter had the name of something generated | [`taken_names`] | `foreign_names`, `slots::names`, `words` |
//! | NVIDIA's assembler turns the comparison of a small maximum round | [`small_bounds`] | |

#![allow(clippy::all, clippy::pedantic, reason = "the kernels are written as users would not, to find what breaks")]

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    logical_operands,
    labelled_breaks,
    small_bounds,
    returns_in_branches,
    signed_division,
    narrow_numbers,
    large_remainders,
    constants_of_one_name,
    reversed_ranges,
    masks_of_arms,
    shared_arrays_of_a_line,
    wide_predicates,
    extremes_below_zero,
    taken_names,
];

/// The evaluation of an operand that is not needed would be a fault, or be counted.
#[kernel]
pub fn needed(x: &[i32], y: &mut [i32]) {
    let i = grid(1);
    let mut count = 0;
    if i < x.len() && x[i] != 0 && 100 / x[i] > 3 {
        count += 1;
    }
    if i >= x.len() || x[i] == 0 || 100 / x[i] < 3 {
        count += 10;
    }
    let both = x.len() > i && {
        count += 100;
        x[i] > 0
    } || {
        count += 1000;
        i == 0
    };
    y[i] = count + both as i32 * 10_000;
}

fn logical_operands(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[0, 5, 50, -7]), run.zeros(6));
    run.launch(needed(&x, &mut y).grid(1).block(6));
    // x[i] is 0: 100 / 0 is not evaluated. `x` is not read out of bounds.
    run.expect("y", &y, &[11_110, 10_101, 10_110, 1110, 1010, 1010]);
}

/// Counts the pairs until their product is found.
#[kernel]
pub fn searched(x: &[i32], y: &mut [i32]) {
    let i = grid(1);
    let mut turns = 0;
    'outer: for a in 1..10 {
        for b in 1..10 {
            turns += 1;
            if a * b == x[i] {
                break 'outer;
            }
            if b > a {
                continue 'outer;
            }
        }
        turns += 100;
    }
    y[i] = turns;
}

fn labelled_breaks(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1, 4, 9, 5]), run.zeros(4));
    run.launch(searched(&x, &mut y).grid(1).block(4));
    let of = |what: i32| {
        let mut turns = 0;
        'outer: for a in 1..10 {
            for b in 1..10 {
                turns += 1;
                if a * b == what {
                    break 'outer;
                }
                if b > a {
                    continue 'outer;
                }
            }
            turns += 100;
        }
        turns
    };
    assert_eq!([of(1), of(4)], [1, 4]);
    run.expect("y", &y, &[1, 4, 9, 5].map(of));
}

/// Comparisons of 8-bit numbers with bounds of their type and beyond it.
#[kernel]
pub fn bounded(x: &[i8], y: &mut [u32]) {
    let i = grid(1);
    let (least, most) = (x[i].max(-4), x[i].min(9));
    if least == -4 || least == 5 {
        y[i] += 1;
    }
    if most == 9 || most == -7 {
        y[i] += 10;
    }
    match x[i].clamp(-4, 9) {
        -4 | 17 => y[i] += 100,
        _ => return,
    }
    y[i] += 1000;
}

fn small_bounds(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[-128i8, -7, -4, -3, 5, 9, 17, 127]), run.zeros(8));
    run.launch(bounded(&x, &mut y).grid(1).block(8));
    run.expect("y", &y, &[1101, 1111, 1101, 0, 1, 10, 10, 10]);
}

#[device]
pub fn sign(x: i32) -> i32 {
    if x < 0 {
        return -1;
    }
    if x > 0 {
        if x > 100 {
            return 2;
        }
        return 1;
    }
    0
}

#[kernel]
pub fn signs(x: &[i32], y: &mut [i32]) {
    let i = grid(1);
    if i >= x.len() {
        return;
    }
    y[i] = sign(x[i]);
    if x[i] == 7 {
        y[i] = 70;
        return;
    }
    y[i] += 10;
}

fn returns_in_branches(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[-5, 0, 3, 101, 7]), run.zeros(5));
    run.launch(signs(&x, &mut y).grid(1).block(32));
    run.expect("y", &y, &[9, 10, 11, 12, 70]);
}

#[kernel]
pub fn quotients(x: &[i32], by: &[i32], y: &mut [i32], z: &mut [i64], w: &mut [i8]) {
    let i = grid(1);
    y[2 * i] = x[i] / by[i];
    y[2 * i + 1] = x[i] % by[i];
    z[2 * i] = x[i] as i64 / by[i] as i64;
    z[2 * i + 1] = x[i] as i64 % by[i] as i64;
    w[2 * i] = x[i] as i8 / by[i] as i8;
    w[2 * i + 1] = x[i] as i8 % by[i] as i8;
}

fn signed_division(run: &mut Run<'_>) {
    let (xs, bys) = ([-7, 7, -7, 7, -1, -128], [2, -2, -2, 2, 3, 5]);
    let (x, by) = (run.array(&xs), run.array(&bys));
    let (mut y, mut z, mut w) = (run.zeros(12), run.zeros(12), run.zeros(12));
    run.launch(quotients(&x, &by, &mut y, &mut z, &mut w).grid(1).block(6));
    let expected = [-3, -1, -3, 1, 3, -1, 3, 1, 0, -1, -25, -3];
    run.expect("i32", &y, &expected);
    run.expect("i64", &z, &expected.map(i64::from));
    run.expect("i8", &w, &expected.map(|n| n as i8));
}

/// 200 is negative as an `i8`, 65535 · 65535 is too much for an `int`, and a sum of bytes is a byte.
#[kernel]
pub fn bytes(x: &[u8], y: &[u16], out: &mut [u32]) {
    let (a, b, c, d) = (x[0], x[1], y[0], y[1]);
    out[0] = (a > b) as u32;
    out[1] = (a / b) as u32;
    out[2] = (a >> 3) as u32;
    out[3] = a.wrapping_add(b) as u32 + (a.wrapping_add(b) < a) as u32 * 1000;
    out[4] = c.wrapping_mul(d) as u32;
    out[5] = (c / 3 + d % 1000) as u32;
    out[6] = (c > 40_000) as u32 + !a as u32 * 10 + (!d >> 4) as u32 * 10_000;
    out[7] = a.wrapping_sub(a + 1) as u32 + (a as i8 as i32 + 300) as u32 * 1000;
}

fn narrow_numbers(run: &mut Run<'_>) {
    let (x, y, mut out) = (run.array(&[200u8, 100]), run.array(&[65_535u16, 65_535]), run.zeros(8));
    run.launch(bytes(&x, &y, &mut out).grid(1).block(1));
    run.expect("out", &out, &[1, 2, 25, 1044, 1, 21_845 + 535, 1 + 550, 255 + 244_000]);
}

#[kernel]
pub fn rests(x: &[u32], y: &[i64], out: &mut [u32], wide: &mut [i64]) {
    let i = grid(1);
    out[2 * i] = x[i] % 10;
    out[2 * i + 1] = x[i] % 16_777_217;
    wide[2 * i] = y[i] % 10;
    wide[2 * i + 1] = y[i] % 9_007_199_254_740_993;
}

fn large_remainders(run: &mut Run<'_>) {
    // Numbers whose last digit an `f32` or an `f64` cannot represent.
    let (xs, ys) = ([16_777_217, u32::MAX, 33_554_435], [9_007_199_254_740_993, i64::MAX, -9_007_199_254_740_997]);
    let (x, y, mut out, mut wide) = (run.array(&xs), run.array(&ys), run.zeros(6), run.zeros(6));
    run.launch(rests(&x, &y, &mut out, &mut wide).grid(1).block(3));
    run.expect("u32", &out, &[7, 0, 5, u32::MAX % 16_777_217, 5, 1]);
    run.expect("i64", &wide, &[3, 0, 7, i64::MAX % 9_007_199_254_740_993, -7, -4]);
}

pub mod north {
    use cumbia::prelude::*;

    pub const SIZE: usize = 3;
    pub const TABLE: [i32; 2] = [1, 2];

    #[device]
    pub fn total() -> i32 {
        let part = [7; SIZE];
        let mut sum = TABLE[1];
        for v in part {
            sum += v;
        }
        sum
    }
}

pub mod south {
    use cumbia::prelude::*;

    pub const SIZE: usize = 5;
    pub const TABLE: [i32; 2] = [100, 200];

    #[device]
    pub fn total() -> i32 {
        let part = [7; SIZE];
        let mut sum = TABLE[1];
        for v in part {
            sum += v;
        }
        sum
    }
}

#[kernel]
pub fn both_totals(y: &mut [i32]) {
    y[0] = north::total();
    y[1] = south::total();
    y[2] = (north::SIZE * 10 + south::SIZE) as i32 + north::TABLE[0] * 1000 + south::TABLE[0] * 10_000;
}

fn constants_of_one_name(run: &mut Run<'_>) {
    let mut y = run.zeros(3);
    run.launch(both_totals(&mut y).grid(1).block(1));
    run.expect("y", &y, &[23, 235, 35 + 1000 + 1_000_000]);
}

#[kernel]
pub fn turns(from: u32, to: u32, y: &mut [u32]) {
    let mut count = 0;
    for _ in from..to {
        count += 1;
    }
    for _ in from as u64..=to as u64 {
        count += 10;
    }
    for _ in (from as usize..to as usize).step_by(2) {
        count += 100;
    }
    for _ in (from as u8..to as u8).rev() {
        count += 1000;
    }
    for _ in y.len()..to as usize {
        count += 10_000;
    }
    y[0] = count;
}

fn reversed_ranges(run: &mut Run<'_>) {
    for (from, to, expected) in [(5, 3, 20_000), (3, 0, 0), (4, 4, 30_010), (2, 5, 43_243)] {
        let mut y = run.zeros(1);
        run.launch(turns(from, to, &mut y).grid(1).block(1));
        run.expect("y", &y, &[expected]);
    }
}

/// The active lanes are unspecified, but none of them is in the other branch.
#[kernel]
pub fn arms(y: &mut [u32]) {
    let i = lane_id();
    let mask;
    if i % 3 == 0 {
        mask = active_mask();
    } else {
        mask = active_mask();
    }
    let mut others = 0u32;
    for k in 0..32 {
        if (k % 3 == 0) != (i % 3 == 0) {
            others |= 1 << k;
        }
    }
    y[i] = (mask & others != 0) as u32 + 2 * (mask >> i & 1);
}

fn masks_of_arms(run: &mut Run<'_>) {
    let mut y = run.zeros(32);
    run.launch(arms(&mut y).grid(1).block(32));
    run.expect("y", &y, &[2; 32]);
}

#[kernel]
#[rustfmt::skip]
pub fn two_arrays(y: &mut [u32]) {
    let t = thread_idx().x;
    let mut a = shared::<[u32; 8]>(); let mut b = shared::<[u32; 8]>();
    a[t] = 1 + t as u32;
    b[t] = 100 + t as u32;
    sync_threads();
    y[t] = a[7 - t] * 1000 + b[7 - t];
}

fn shared_arrays_of_a_line(run: &mut Run<'_>) {
    let mut y = run.zeros(8);
    run.launch(two_arrays(&mut y).grid(1).block(8));
    run.expect("y", &y, &[8107, 7106, 6105, 5104, 4103, 3102, 2101, 1100]);
}

#[kernel]
pub fn counted(x: &[u64], y: &mut [u32]) {
    let i = grid(1);
    y[i] = sync_threads_count(x[i]);
}

fn wide_predicates(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1u64 << 32, 0, 1, 1 << 63]), run.zeros(4));
    run.launch(counted(&x, &mut y).grid(1).block(4));
    run.expect("y", &y, &[3; 4]);
}

/// The bits of negative floats, compared as integers, have the reverse order.
#[kernel]
pub fn extremes<T: Float + cumbia::intrinsics::AtomicMinMax>(x: &[T], y: &mut [T]) {
    let mut mine = shared::<[T; 2]>();
    let i = grid(1);
    if thread_idx().x == 0 {
        mine[0] = T::INFINITY;
        mine[1] = T::NEG_INFINITY;
    }
    sync_threads();
    for k in (i..x.len()).step_by(grid_size(1)) {
        atomic_min(&mut mine[0], x[k]);
        atomic_max(&mut mine[1], x[k]);
        atomic_min(&mut y[2], x[k]);
        atomic_max(&mut y[3], x[k]);
    }
    sync_threads();
    if thread_idx().x == 0 {
        atomic_min(&mut y[0], mine[0]);
        atomic_max(&mut y[1], mine[1]);
    }
}

fn extremes_below_zero(run: &mut Run<'_>) {
    fn of<T: Float + cumbia::intrinsics::AtomicMinMax>(run: &mut Run<'_>, values: impl Fn(usize) -> f64) {
        let all: Vec<f64> = (0..600).map(values).collect();
        let x = run.array(&all.iter().map(|v| T::from_f64(*v)).collect::<Vec<_>>());
        let mut y = run.array(&[T::INFINITY, T::NEG_INFINITY, T::INFINITY, T::NEG_INFINITY]);
        run.launch(extremes(&x, &mut y).grid(3).block(64));
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        run.expect(std::any::type_name::<T>(), &y, &[least, most, least, most].map(T::from_f64));
    }
    // Negative, of both signs, and positive.
    for offset in [-700.0, -250.0, 3.0] {
        of::<f32>(run, |i| (i * 7919 % 601) as f64 + offset);
        of::<f64>(run, |i| (i * 7919 % 601) as f64 + offset);
    }
}

/// Names that are reserved in C and CUDA, or used by the writer.
#[kernel]
pub fn kernel(cx: &[i32], n: usize, float: i32, int: i32, launch: &mut [i32]) {
    let threadIdx = grid(1);
    if threadIdx < n {
        let rt = cx[threadIdx] * float + int;
        launch[threadIdx] = rt;
    }
}

fn taken_names(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1, 2, 3]), run.zeros(3));
    run.launch(kernel(&x, 3, 10, 5, &mut y).over(3));
    run.expect("y", &y, &[15, 25, 35]);
}
