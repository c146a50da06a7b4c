//! Methods that synchronise threads: flags, locks, barriers and fences.

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![waiting_between_blocks, waiting_in_a_block, locks_as_methods, barriers_in_methods, fences_in_methods,];

/// Data that one thread publishes and others wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Gate {
    data: [u64; 3],
    ready: u32,
}

#[device]
pub trait Signal: DeviceType {
    fn is_ready(&self) -> bool;

    fn wait(&self) {
        while !self.is_ready() {}
    }
}

#[device]
impl Signal for Gate {
    fn is_ready(&self) -> bool {
        atomic_load_explicit::<Acquire, DeviceScope>(&self.ready) != 0
    }
}

#[device]
impl Gate {
    /// Writes the data, and then the flag: a thread that reads the flag also reads the data.
    pub fn publish(&mut self, data: u64) {
        self.data[0] = data;
        self.data[2] = data * 2;
        thread_fence();
        atomic_store(&mut self.ready, 1);
    }

    pub fn sum(&self) -> u64 {
        self.data[0] + self.data[2]
    }
}

/// Each block waits for the preceding one, by one of four forms of the call.
#[kernel]
pub fn chained_blocks(x: &mut [Gate], y: &mut [u64]) {
    let (b, t) = (block_idx().x, thread_idx().x);
    if b > 0 {
        if b % 4 == 0 {
            while !x[b - 1].is_ready() {}
        } else if b % 4 == 1 {
            x[b - 1].wait();
        } else if b % 4 == 2 {
            let before = &x[b - 1];
            while !before.is_ready() {}
        } else {
            Signal::wait(&x[b - 1]);
        }
        y[b * block_dim().x + t] = x[b - 1].sum();
    }
    sync_threads();
    if t == 0 {
        let before = if b > 0 { x[b - 1].sum() } else { 1 };
        x[b].publish(before + b as u64);
    }
}

fn waiting_between_blocks(run: &mut Run<'_>) {
    for (blocks, threads) in [(2, 1), (8, 4)] {
        let (mut x, mut y) = (run.zeros::<Gate>(blocks), run.zeros(blocks * threads));
        run.launch(chained_blocks(&mut x, &mut y).grid(blocks).block(threads));
        let (mut all, mut sums) = (Vec::new(), vec![0u64; blocks * threads]);
        let mut before = 1;
        for b in 0..blocks {
            if b > 0 {
                sums[b * threads..][..threads].fill(before);
            }
            let data = before + b as u64;
            all.push(Gate { data: [data, 0, 2 * data], ready: 1 });
            before = 3 * data;
        }
        run.expect("x", &x, &all);
        run.expect("y", &y, &sums);
    }
}

/// The threads of a block wait for each other, in shared memory.
#[kernel]
pub fn chained_threads(y: &mut [u64]) {
    let mut gates = shared::<[Gate; 16]>();
    let t = thread_idx().x;
    gates[t] = Gate { data: [0; 3], ready: 0 };
    sync_threads();
    if t == 15 {
        gates[15].publish(7);
    } else {
        gates[t + 1].wait();
        let sum = gates[t + 1].sum();
        gates[t].publish(sum);
    }
    y[block_idx().x * 16 + t] = gates[t].sum();
}

fn waiting_in_a_block(run: &mut Run<'_>) {
    let mut y = run.zeros(48);
    run.launch(chained_threads(&mut y).grid(3).block(16));
    let sums: Vec<u64> = (0..48).map(|i| 7 * 3u64.pow(16 - i % 16)).collect();
    run.expect("y", &y, &sums);
}

/// A lock, and the data that it guards.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Guarded {
    held: u32,
    entries: u32,
    total: u64,
}

#[device]
impl Guarded {
    fn lock(&mut self) {
        while atomic_cas_explicit::<Acquire, DeviceScope>(&mut self.held, 0, 1) != 0 {}
    }

    fn unlock(&mut self) {
        atomic_store_explicit::<Release, DeviceScope>(&mut self.held, 0);
    }

    pub fn enter(&mut self, value: u64) {
        self.lock();
        self.total = atomic_load(&self.total) + value;
        self.entries = atomic_load(&self.entries) + 1;
        self.unlock();
    }
}

#[kernel]
pub fn locked_updates(x: &mut [Guarded]) {
    let i = grid(1);
    x[1].enter(i as u64);
    Guarded::enter(&mut x[i % 3], 1);
}

fn locks_as_methods(run: &mut Run<'_>) {
    let (blocks, threads) = (12, 16);
    let n = (blocks * threads) as u64;
    let mut x = run.zeros::<Guarded>(3);
    run.launch(locked_updates(&mut x).grid(blocks).block(threads));
    let of = |entries: u64, total| Guarded { held: 0, entries: entries as u32, total };
    run.expect("x", &x, &[of(n / 3, n / 3), of(n + n / 3, n * (n - 1) / 2 + n / 3), of(n / 3, n / 3)]);
}

/// Values that the threads of a block exchange.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Ring {
    cells: [u32; 32],
    turns: u32,
}

#[device]
impl Ring {
    /// Passes the value of each thread to the preceding one. All threads of the block call it.
    pub fn turn(&mut self, value: u32) -> u32 {
        let t = thread_idx().x;
        self.cells[t] = value;
        sync_threads();
        let got = self.cells[(t + 1) % 32];
        if t == 0 {
            self.turns += 1;
        }
        sync_threads();
        got
    }

    pub fn turn_twice(&mut self, value: u32) -> u32 {
        let once = self.turn(value);
        self.turn(once * 2)
    }
}

#[kernel]
pub fn exchanged(rings: &mut [Ring], y: &mut [u32]) {
    let mut mine = shared::<[Ring; 2]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t < 2 {
        mine[t].turns = 0;
    }
    let mut value = mine[1].turn(grid(1) as u32);
    value = mine[b % 2].turn_twice(value);
    value += rings[b].turn(value);
    value += Ring::turn_twice(&mut rings[b], value);
    y[grid(1)] = value;
}

fn barriers_in_methods(run: &mut Run<'_>) {
    let blocks = 20;
    let (mut rings, mut y) = (run.array(&vec![Ring { cells: [0; 32], turns: 100 }; blocks]), run.zeros(blocks * 32));
    run.launch(exchanged(&mut rings, &mut y).grid(blocks).block(32));
    let (mut expected, mut after) = (Vec::new(), Vec::new());
    for b in 0..blocks {
        let mut values: Vec<u32> = (0..32).map(|t| (b * 32 + t) as u32).collect();
        let next = |values: &[u32]| -> Vec<u32> { (0..32).map(|t| values[(t + 1) % 32]).collect() };
        let twice = |values: &[u32]| -> Vec<u32> { next(&next(values).iter().map(|v| v * 2).collect::<Vec<_>>()) };
        values = next(&values);
        values = twice(&values);
        values = values.iter().zip(next(&values)).map(|(v, got)| v + got).collect();
        let cells: Vec<u32> = next(&values).iter().map(|v| v * 2).collect();
        values = values.iter().zip(twice(&values)).map(|(v, got)| v + got).collect();
        expected.extend(values);
        after.push(Ring { cells: cells.try_into().expect("32 of them"), turns: 103 });
    }
    run.expect("y", &y, &expected);
    run.expect("rings", &rings, &after);
}

/// The sum of a block, and the number of blocks that have published theirs. The last block adds the sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Partial {
    sum: u64,
    done: u32,
}

#[device]
impl Partial {
    pub fn publish(&mut self, sum: u64) {
        self.sum = sum;
        thread_fence();
    }

    /// Returns whether this is the last of `of` calls.
    pub fn is_last(&mut self, of: u32) -> bool {
        atomic_inc(&mut self.done, of - 1) == of - 1
    }
}

#[kernel]
pub fn sum_of_blocks(partials: &mut [Partial], total: &mut [u64]) {
    let mut last = shared::<[bool; 1]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        partials[b].publish(b as u64 + 1);
        last[0] = partials[0].is_last(grid_dim().x as u32);
    }
    sync_threads();
    if last[0] && t == 0 {
        let mut sum = 0;
        for partial in partials.iter() {
            sum += atomic_load(&partial.sum);
        }
        total[0] = sum;
    }
}

fn fences_in_methods(run: &mut Run<'_>) {
    let blocks = 200;
    let (mut partials, mut total) = (run.zeros::<Partial>(blocks), run.zeros(1));
    run.launch(sum_of_blocks(&mut partials, &mut total).grid(blocks).block(32));
    run.expect("total", &total, &[(blocks * (blocks + 1) / 2) as u64]);
    run.expect("partials", &partials, &(1..=blocks as u64).map(|sum| Partial { sum, done: 0 }).collect::<Vec<_>>());
}
