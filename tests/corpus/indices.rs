//! Indices in loops, in bounds and out of bounds. The compiler hoists their checks out of loops: the side effects
//! before a fault, and its position, must not change.

#![allow(clippy::too_many_arguments, reason = "each array and each bound is a parameter")]

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![loops, exits, saturated_exits, computed_indices, in_shared_memory, one_by_one];

/// Writes to `y` and reads from `x`, both at multiples of the counter.
#[kernel]
pub fn strided(x: &[u32], y: &mut [u32], start: usize, end: usize, by: usize, offset: usize) {
    for i in start..end {
        let from = i * by;
        y[i] = x[from + offset] + 1;
    }
    y[0] += 100;
}

/// As `strided`, with an inclusive range, a step, and a store before the access that may be out of bounds.
#[kernel]
pub fn stepped(x: &[u32], y: &mut [u32], start: usize, end: usize, by: usize, offset: usize) {
    for i in (start..=end).step_by(by) {
        y[i] += 1;
        let low = i - offset;
        y[low] += x[i] + x[low];
        if x[i] == 5 {
            break;
        }
    }
    y[0] += 100;
}

/// The array's length is the end, the counter is an index in some iterations only, and the bounds change in the loop.
#[kernel]
pub fn guarded(x: &[u32], y: &mut [u32], start: usize, end: usize, by: usize, offset: usize) {
    for i in 0..x.len() {
        if i + offset < y.len() {
            y[i + offset] = x[i];
        }
        if i == by {
            continue;
        }
        if i >= start && i < end {
            y[i] += 7;
        }
    }
    let mut at = offset;
    for i in start..end {
        at += by;
        y[at] = i as u32;
        let (row, col) = (i / 2, i % 2);
        y[row * 2 + col] += 1000;
    }
}

/// Nested loops, and indices that depend on both counters.
#[kernel]
pub fn nested(x: &[u32], y: &mut [u32], start: usize, end: usize, by: usize, offset: usize) {
    for row in start..end {
        let mut sum = 0;
        for col in offset..by + offset {
            sum += x[row * by + col] + x[by - 1 - (col - offset)];
        }
        y[row] = sum;
    }
}

fn loops(run: &mut Run<'_>) {
    let xs: Vec<u32> = (0..12).collect();
    let x = run.array(&xs);
    let bounds = [0, 1, 3, 5, 8, 12, 13, usize::MAX];
    for start in [0, 2, 9, usize::MAX - 1] {
        for end in bounds {
            for by in [1, 2, 3, 1 << 63, usize::MAX] {
                for offset in [0, 1, 4, usize::MAX] {
                    // Without those that do not terminate.
                    let long = end > 100 && start < 100;
                    let (mut a, mut b) = (run.zeros(8), run.zeros(8));
                    run.launch(strided(&x, &mut a, start, end, by, offset).grid(1).block(1));
                    run.output("strided", &a);
                    run.launch(stepped(&x, &mut b, start, end, by, offset).grid(1).block(1));
                    run.output("stepped", &b);
                    let (mut a, mut b) = (run.zeros(8), run.zeros(8));
                    if !long || by < 100 {
                        run.launch(guarded(&x, &mut a, start, end, by, offset).grid(1).block(1));
                        run.output("guarded", &a);
                    }
                    if by < 100 {
                        run.launch(nested(&x, &mut b, start, end, by, offset).grid(1).block(1));
                        run.output("nested", &b);
                    }
                }
            }
        }
    }
}

/// Loops with an exit if the counter is below its start, which it never is. NVRTC 13 miscompiles such a loop, in plain
/// CUDA C, to a single iteration.
#[kernel]
pub fn never_below(x: &[u32], y: &mut [u32], start: usize, end: usize) {
    for i in start..end {
        if i < start {
            break;
        }
        y[0] += x[i];
    }
    for i in start..end {
        assert!(i >= start);
        y[1] += x[i - start];
    }
    let mut i = start;
    while i < end {
        if i < start || i + 1 < start {
            return;
        }
        y[2] += x[i];
        i += 1;
    }
    for i in 0..end {
        let sum = start.wrapping_add(i);
        if sum < start {
            break;
        }
        y[3] += x[sum % x.len()];
    }
    let first = start as i32;
    for i in first..end as i32 {
        if i < first {
            continue;
        }
        if !(i >= first) {
            return;
        }
        y[4] += x[i as usize];
    }
}

fn exits(run: &mut Run<'_>) {
    let x = run.array(&[1u32, 10, 100, 1000, 10_000, 100_000]);
    for (start, end) in [(0, 6), (2, 6), (5, 6), (3, 3)] {
        let mut y = run.zeros(5);
        run.launch(never_below(&x, &mut y, start, end).grid(1).block(1));
        run.output("never below", &y);
    }
}

/// Exits of the same kind by saturating operations, minima, and a counter with a step that is not known to be positive; and
/// comparisons of floats with the bits of a counter, of which no operand is an integer.
#[kernel]
pub fn never_saturated(x: &[u32], y: &mut [u32], start: usize, end: usize, step: i32, t: f32) {
    for i in 0..end {
        if start.saturating_add(i) >= usize::MAX {
            break;
        }
        y[0] += x[i];
    }
    for i in start..end {
        if start.saturating_sub(i) != 0 || start.abs_diff(i) > end {
            break;
        }
        y[1] += x[i];
    }
    for i in start..end {
        if i.min(start) != start {
            break;
        }
        y[2] += x[i];
    }
    let first = start as i32;
    let mut i = first;
    while i <= first && i >= 0 {
        y[3] += x[i as usize];
        i += step;
    }
    let (mut low, mut high) = (0u32, 0x7f80_0000u32);
    while low < high {
        let middle = low + (high - low) / 2;
        if f32::from_bits(middle) < t {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    y[4] = low;
    for bits in start..end + 0x3c00 {
        let half = f16::from_bits(bits as u16);
        y[5] += if f16::from_f32(t) > half { 1 } else { 0 };
        y[6] = y[6].wrapping_add(f32::from_bits(bits as u32 * 0x1_0000).clamp(t / 2.0, t).to_bits());
        y[7] = y[7].wrapping_add((f64::from_bits((bits as u64) << 48) <= t as f64) as u32);
    }
}

fn saturated_exits(run: &mut Run<'_>) {
    let x = run.array(&[1u32, 10, 100, 1000, 10_000, 100_000]);
    for (start, end, step, t) in [(0, 6, 1, 0.7), (2, 6, -1, 2.9), (5, 6, -2, 1e-40), (3, 3, 2, 300.5)] {
        let mut y = run.zeros(8);
        run.launch(never_saturated(&x, &mut y, start, end, step, t).grid(1).block(1));
        run.output("never saturated", &y);
    }
}

/// Indices with intermediate wrapping, from casts, and from elements.
#[kernel]
pub fn computed(x: &[u32], at: &[i64], y: &mut [u32], shift: i64) {
    for i in 0..at.len() {
        y[i] = x[(at[i] + shift) as usize];
    }
    for i in 0..y.len() {
        let back = (y.len() as i64 - 1 - i as i64 + shift) as usize;
        y[i] += x[back] + x[x[i] as usize % x.len()];
    }
}

fn computed_indices(run: &mut Run<'_>) {
    let (x, at) = (run.array(&[5u32, 7, 9, 11]), run.array(&[3i64, 0, 2, 1]));
    for shift in [0, 1, -1, 4, i64::MIN + 3] {
        let mut y = run.zeros(4);
        run.launch(computed(&x, &at, &mut y, shift).grid(1).block(1));
        run.output("computed", &y);
    }
}

/// Rows of shared arrays, out of bounds in each dimension.
#[kernel]
pub fn rows(y: &mut [u32], height: usize, width: usize) {
    let mut tile = shared::<[[u32; 4]; 3]>();
    for row in 0..height {
        for col in 0..width {
            y[0] += 1;
            tile[row][col] = (10 * row + col) as u32;
        }
    }
    for i in 0..3 {
        y[i] += tile[i][0] + tile[i][width - 1];
    }
    y[3] = tile[height - 1][0] + tile[0].len() as u32;
}

fn in_shared_memory(run: &mut Run<'_>) {
    // A thread without a fault has written everything that it reads: the memory is uninitialised.
    for (height, width) in [(3, 4), (3, 5), (4, 4), (3, 0), (1 << 40, 1)] {
        let mut y = run.zeros(4);
        run.launch(rows(&mut y, height, width).grid(1).block(1));
        run.output("rows", &y);
    }
}

/// A single thread of many has an index out of bounds.
#[kernel]
pub fn one_outside(x: &[u32], y: &mut [u32], outside: usize) {
    let mut last = shared::<[u32; 8]>();
    let i = grid(1);
    last[thread_idx().x] = 1;
    sync_threads();
    y[i] = x[if i == outside { x.len() + i } else { i }];
    sync_threads();
    y[i] += last[7 - thread_idx().x];
}

fn one_by_one(run: &mut Run<'_>) {
    let values = [3u32; 24];
    let x = run.array(&values);
    for outside in [0, 7, 13, 23] {
        let mut y = run.zeros(24);
        run.expect_fault("one index outside", |run| {
            run.launch(one_outside(&x, &mut y, outside).grid(3).block(8));
        });
    }
    let mut y = run.zeros(24);
    run.launch(one_outside(&x, &mut y, 24).grid(3).block(8));
    run.expect("none outside", &y, &[4; 24]);
}
