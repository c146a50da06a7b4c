//! Kernels whose literal translation to C++ has undefined behaviour. `docs/undefined-behaviour.md` lists each kind, how the
//! writer avoids it, and its test; this file has those that belong to no other module.

#![allow(clippy::all, clippy::pedantic, reason = "the kernels are written as users would not, to find what breaks")]

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![memory_as_two_types, values_of_other_threads, empty_arrays, ends_of_arrays, unwritten_memory];

/// The same dynamic shared memory as integers and as floats: C++ lets the compiler assume that the two do not alias
/// ([basic.lval]).
#[kernel]
pub fn punned(y: &mut [u32], value: f32, offset: usize) {
    let t = thread_idx().x;
    let mut floats = dynamic_shared_at::<f32>(0, 64);
    let mut bits = dynamic_shared_at::<u32>(offset, 32);
    bits[t] = 7;
    floats[t + offset / 4] = value + t as f32;
    y[t] = bits[t];
    sync_threads();
    bits[31 - t] = y[t] + 1;
    sync_threads();
    y[32 + t] = floats[t + offset / 4].to_bits();
}

fn memory_as_two_types(run: &mut Run<'_>) {
    for offset in [0usize, 64, 128] {
        let mut y = run.zeros(64);
        run.launch(punned(&mut y, 1.5, offset).grid(1).block(32).shared_bytes(256));
        let bits = |t: usize| (1.5 + t as f32).to_bits();
        let expected: Vec<u32> = (0..32).map(bits).chain((0..32).map(|t| bits(31 - t) + 1)).collect();
        run.expect("y", &y, &expected);
    }
}

/// `y` is `__restrict__`, and written by all threads nevertheless.
#[kernel]
pub fn neighbours(y: &mut [u32], x: &[u32], same: &[u32]) {
    let t = thread_idx().x;
    let mut total = 0;
    for round in 0..4 {
        y[t] = x[t] + same[(t + 1) % 64] + round;
        sync_threads();
        total += y[(t + 1) % 64] + y[63 - t];
        sync_threads();
    }
    y[t] = total;
}

fn values_of_other_threads(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..64).map(|i| i * i + 3).collect();
    let (x, mut y) = (run.array(&values), run.zeros(64));
    // The same array for both read-only arguments.
    run.launch(neighbours(&mut y, &x, &x).grid(1).block(64));
    let of = |t: usize| values[t] + values[(t + 1) % 64];
    let total = |t: usize| (0..4).map(|round| of((t + 1) % 64) + of(63 - t) + 2 * round).sum();
    run.expect("y", &y, &(0..64).map(total).collect::<Vec<u32>>());
}

/// The pointer of an empty array is null or dangling.
#[kernel]
pub fn nothing(x: &[u32], m: ArrayView2<u32>, y: &mut [u32]) {
    let i = grid(1);
    let mut sum = x.len() + m.len();
    for v in &x[0..] {
        sum += *v as usize;
    }
    let (left, right) = x.split_at(0);
    sum += left.len() + right.len();
    for k in 0..x.len() {
        sum += x[k] as usize;
    }
    for r in 0..m.nrows() {
        let row = m.row(r);
        for k in 0..row.len() {
            sum += row[k] as usize;
        }
    }
    if i < y.len() {
        y[i] = sum as u32 + 5;
    }
}

fn empty_arrays(run: &mut Run<'_>) {
    let (x, mut y, mut none) = (run.zeros::<u32>(0), run.zeros(3), run.zeros::<u32>(0));
    for shape in [(0, 0), (0, 5), (5, 0)] {
        let m = x.reshape(shape).expect("no elements");
        run.launch(nothing(&x, &m, &mut y).grid(1).block(32));
        run.expect("y", &y, &[5, 5, 5]);
        run.launch(nothing(&x, &m, &mut none).grid(1).block(32));
    }
}

/// Empty sub-slices at the end of an array.
#[kernel]
pub fn behind(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    let rest = &x[x.len()..];
    let part = &rest[0..0];
    let (all, none) = x.split_at(x.len());
    let mut sum = rest.len() + part.len() + none.len();
    for v in none {
        sum += *v as usize;
    }
    y[i] = (sum + all.len()) as u32;
}

fn ends_of_arrays(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1u32, 2, 3]), run.zeros(2));
    run.launch(behind(&x, &mut y).grid(1).block(2));
    run.expect("y", &y, &[3, 3]);
}

#[derive(Clone, Copy, DeviceType)]
pub enum Side {
    Left,
    Right,
}

/// A read of uninitialised shared memory yields an unspecified value, but a single one that is valid for its type.
#[kernel]
pub fn unwritten(x: &[u32], y: &mut [u32]) {
    let t = thread_idx().x;
    let flags = shared::<[bool; 64]>();
    let sides = shared::<[Side; 64]>();
    let places = shared::<[usize; 64]>();
    let table = [40u32, 40];
    let mut sum = table[flags[t] as usize];
    sum += match sides[t] {
        Side::Left => 1,
        Side::Right => 1,
    };
    let at = places[t];
    if at < x.len() {
        sum += x[at] - x[at];
    }
    if flags[t] != flags[t] || at != places[t] {
        sum += 1000;
    }
    y[t] = sum + 1;
}

fn unwritten_memory(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[9u32; 4]), run.zeros(64));
    run.launch(unwritten(&x, &mut y).grid(1).block(64));
    run.expect("y", &y, &[42; 64]);
}
