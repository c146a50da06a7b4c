//! Barriers with votes, grid-wide barriers, and memory fences.

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![votes, votes_of_the_rest, barriers_in_functions, grid_barriers, grid_sums, fences, generic_votes];

/// Votes on predicates of all widths; of the `u64` only the upper half is not zero.
#[kernel]
pub fn voted(x: &[u64], y: &mut [u32]) {
    let (i, t) = (grid(1), thread_idx().x);
    let wide = if i < x.len() { x[i] } else { 0 };
    let mut count = [0; 6];
    count[0] = sync_threads_count(wide);
    count[1] = sync_threads_count(wide as u32);
    count[2] = sync_threads_count(wide >> 32 == 1);
    count[3] = sync_threads_count(wide as i8);
    count[4] = sync_threads_and(wide) as u32 + 2 * sync_threads_or(wide) as u32;
    count[5] = sync_threads_and(wide as u16 + 1) as u32 + 2 * sync_threads_or(wide > 1 << 40) as u32;
    if t == 0 {
        for k in 0..6 {
            y[6 * block_idx().x + k] = count[k];
        }
    }
}

fn votes(run: &mut Run<'_>) {
    let mut random = Random::new(1);
    let kinds = [1u64 << 32, 0, 1, 1 << 33, 0x80, 1 << 48, 0xff00];
    for (count, block) in [(96usize, 32), (100, 50), (70, 70), (64, 64)] {
        let mut values: Vec<u64> = (0..count).map(|_| kinds[random.bits() as usize % kinds.len()]).collect();
        values[..block].fill(1 << 32);
        let (x, blocks) = (run.array(&values), count.div_ceil(block));
        let mut y = run.zeros(6 * blocks);
        run.launch(voted(&x, &mut y).grid(blocks).block(block));
        values.resize(blocks * block, 0);
        let of = |block: &[u64]| {
            let count = |holds: &dyn Fn(u64) -> bool| block.iter().filter(|x| holds(**x)).count() as u32;
            let all = |holds: &dyn Fn(u64) -> bool| u32::from(block.iter().all(|x| holds(*x)));
            let any = |holds: &dyn Fn(u64) -> bool| u32::from(block.iter().any(|x| holds(*x)));
            [
                count(&|x| x != 0),
                count(&|x| x as u32 != 0),
                count(&|x| x >> 32 == 1),
                count(&|x| x as i8 != 0),
                all(&|x| x != 0) + 2 * any(&|x| x != 0),
                all(&|x| x as u16 + 1 != 0) + 2 * any(&|x| x > 1 << 40),
            ]
        };
        run.expect("y", &y, &values.chunks(block).flat_map(of).collect::<Vec<_>>());
    }
}

/// Threads that have returned do not vote.
#[kernel]
pub fn those_left(y: &mut [u32], leave: usize) {
    let t = thread_idx().x;
    if t < leave {
        return;
    }
    let mut round = 0;
    loop {
        let left = sync_threads_count(true);
        y[8 * t + round] = left + 100 * sync_threads_and(t != 5) as u32 + 1000 * sync_threads_or(t == 5) as u32;
        round += 1;
        if t < leave + round * 3 || round == 4 {
            return;
        }
    }
}

fn votes_of_the_rest(run: &mut Run<'_>) {
    for leave in [0, 4, 7] {
        let mut y = run.zeros(160);
        run.launch(those_left(&mut y, leave).grid(1).block(20));
        let mut expected = vec![0u32; 160];
        for round in 0..4 {
            let first = if round == 0 { leave } else { leave + round * 3 };
            for t in first..20 {
                let five = u32::from((first..20).contains(&5));
                expected[8 * t + round] = (20 - first) as u32 + 100 * (1 - five) + 1000 * five;
            }
        }
        run.expect("y", &y, &expected);
    }
}

/// A barrier in a device function that is called in a loop and in both branches of a uniform `if`.
#[device]
pub fn rotate(x: &mut [u32], by: usize) -> u32 {
    let t = thread_idx().x;
    let kept = x[(t + by) % x.len()];
    sync_threads();
    x[t] = kept;
    sync_threads();
    x[0]
}

#[kernel]
pub fn rotations(y: &mut [u32], seed: u32) {
    let mut list = shared::<[u32; 32]>();
    let t = thread_idx().x;
    list[t] = t as u32 * seed;
    sync_threads();
    let mut sum = 0;
    for k in 0..5 {
        sum = if (seed + k) % 2 == 0 { sum * 3 + rotate(list, k as usize) } else { sum + rotate(&mut list[..], 31) };
    }
    y[t] = sum + list[t] * 1000;
}

fn barriers_in_functions(run: &mut Run<'_>) {
    for seed in [3, 8] {
        let mut y = run.zeros(32);
        run.launch(rotations(&mut y, seed).grid(1).block(32));
        let mut list: Vec<u32> = (0..32).map(|t| t * seed).collect();
        let mut sum = 0;
        for k in 0..5 {
            let even = (seed + k) % 2 == 0;
            list.rotate_left(if even { k as usize } else { 31 });
            sum = if even { sum * 3 + list[0] } else { sum + list[0] };
        }
        run.expect("y", &y, &list.iter().map(|v| sum + v * 1000).collect::<Vec<_>>());
    }
}

/// A stencil over the whole grid, with a grid barrier per iteration; shared memory persists across it.
#[kernel(fmad = false)]
pub fn diffused(rounds: u32, x: &mut [f32], other: &mut [f32], turns: &mut [u32]) {
    let mut mine = shared::<[u32; 8]>();
    let (i, t, n) = (grid(1), thread_idx().x, x.len());
    mine[t] = i as u32;
    for _ in 0..rounds {
        if i < n {
            other[i] = x[(i + n - 1) % n] * 0.5 + x[(i + 1) % n] * 0.25;
        }
        sync_grid();
        mine[t] += 10;
        if i < n {
            x[i] = other[i];
        }
        sync_grid();
    }
    sync_threads();
    turns[i] = mine[7 - t];
}

fn grid_barriers(run: &mut Run<'_>) {
    for (len, rounds) in [(24, 5), (20, 1), (7, 3), (8, 0)] {
        let values: Vec<f32> = (0..len).map(|i| (i * i % 7) as f32).collect();
        let threads = usize::div_ceil(len, 8) * 8;
        let (mut x, mut other, mut turns) = (run.array(&values), run.zeros(len), run.zeros(threads));
        run.launch(diffused(rounds, &mut x, &mut other, &mut turns).block(8).over(len).cooperative());
        let mut expected = values;
        for _ in 0..rounds {
            expected = (0..len).map(|i| expected[(i + len - 1) % len] * 0.5 + expected[(i + 1) % len] * 0.25).collect();
        }
        run.expect("x", &x, &expected);
        let of = |i: usize| (i / 8 * 8 + 7 - i % 8) as u32 + 10 * rounds;
        run.expect("turns", &turns, &(0..threads).map(of).collect::<Vec<_>>());
    }
}

/// A two-phase sum over the grid, with an atomic counter between the phases.
#[kernel]
pub fn summed(x: &[u64], parts: &mut [u64], total: &mut [u64]) {
    let mut sum = shared::<[u64; 1]>();
    let i = grid(1);
    if thread_idx().x == 0 {
        sum[0] = 0;
    }
    sync_threads();
    for k in (i..x.len()).step_by(grid_size(1)) {
        atomic_add(&mut sum[0], x[k]);
    }
    sync_threads();
    if thread_idx().x == 0 {
        parts[block_idx().x] = sum[0];
    }
    sync_grid();
    if i == 0 {
        for k in 0..grid_dim().x {
            total[0] += parts[k];
        }
    }
    sync_grid();
    if i < parts.len() {
        parts[i] = total[0] - parts[i];
    }
}

fn grid_sums(run: &mut Run<'_>) {
    let values: Vec<u64> = (0..500).map(|i| i * i).collect();
    let (x, mut parts, mut total) = (run.array(&values), run.zeros(4), run.zeros(1));
    run.launch(summed(&x, &mut parts, &mut total).grid(4).block(32).cooperative());
    let mut sums = [0u64; 4];
    values.iter().enumerate().for_each(|(k, v)| sums[k % 128 / 32] += v);
    let all: u64 = sums.iter().sum();
    run.expect("total", &total, &[all]);
    run.expect("parts", &parts, &sums.map(|sum| all - sum));
}

/// The last block adds the results of all blocks.
#[kernel]
pub fn last_block(x: &[f64], parts: &mut [f64], arrived: &mut [u32], total: &mut [f64]) {
    let mut is_last = shared::<[bool; 1]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        let mut sum = 0.0;
        for k in 0..4 {
            sum += x[4 * b + k];
        }
        parts[b] = sum;
        thread_fence();
        is_last[0] = atomic_inc(&mut arrived[0], grid_dim().x as u32) as usize == grid_dim().x - 1;
    }
    thread_fence_block();
    sync_threads();
    if is_last[0] && t == 3 {
        for k in 0..grid_dim().x {
            total[0] += atomic_load(&parts[k]);
        }
        thread_fence_system();
    }
}

fn fences(run: &mut Run<'_>) {
    let values: Vec<f64> = (0..24).map(|i| f64::from(i) / 4.0).collect();
    let x = run.array(&values);
    let (mut parts, mut arrived, mut total) = (run.zeros(6), run.zeros(1), run.zeros(1));
    run.launch(last_block(&x, &mut parts, &mut arrived, &mut total).grid(6).block(4));
    run.expect("total", &total, &[values.iter().sum()]);
    run.expect("arrived", &arrived, &[6]);
}

/// Votes that depend on the generic arguments.
#[kernel]
pub fn above<T: Number, const TWICE: bool>(x: &[T], limit: T, y: &mut [u32]) {
    let i = grid(1);
    let count = sync_threads_count(x[i] > limit);
    y[i] = if TWICE { count + sync_threads_count(x[i] >= limit) } else { count };
}

fn generic_votes(run: &mut Run<'_>) {
    let x = run.array(&[1.0f32, -2.0, 3.5, 0.0, f32::NAN, 7.0]);
    let mut y = run.zeros(6);
    run.launch(above::<f32, false>(&x, 0.0, &mut y).grid(2).block(3));
    run.expect("f32", &y, &[2, 2, 2, 1, 1, 1]);
    let x = run.array(&[200u8, 3, 3]);
    let mut y = run.zeros(3);
    run.launch(above::<u8, true>(&x, 3, &mut y).grid(1).block(3));
    run.expect("u8", &y, &[4, 4, 4]);
}
