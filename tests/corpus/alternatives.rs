//! Or-patterns with a guard: Rust evaluates the guard for each alternative that matches, until it is true. The emitted
//! arm exists once, with its shared memory, its barriers and its warp operations.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unreachable_patterns, unused_assignments, unused_variables, reason = "as above")]

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![one_shared_array, one_meeting_of_lanes]];

programs! {
    items {
        #[device]
        pub fn holds(x: i32, y: &mut [i32]) -> bool {
            y[11] += 1;
            x % 3 == 0
        }
    }

    fn overlapping_without_variables(x: &[i32], y: &mut [i32]) {
        for i in 0..x.len() {
            let mut turns = 0;
            y[i] = match x[i] & 3 {
                1 | _ if {
                    turns += 1;
                    x[i] > 10
                } =>
                {
                    turns * 10
                }
                0..=2 | 1 | 2 if {
                    turns += 1;
                    x[i] < -10
                } =>
                {
                    turns * 100
                }
                _ => turns,
            };
        }
    }

    fn with_variables(x: &[i32], y: &mut [i32]) {
        for i in 0..4 {
            y[i] = match (x[i] & 1, x[i + 1] & 1, x[i + 2]) {
                (0, 1, v) | (0, _, v) | (_, 0, v) if holds(v, y) => v,
                (1, n, _) | (n, 1, _) if holds(n + i as i32, y) => n - 5,
                (n @ (0 | 1), _, v) | (_, n, v) if holds(n + v, y) => n + v,
                _ => -1,
            };
        }
    }

    fn leaving_a_loop(x: &[i32], y: &mut [i32]) {
        'rows: for i in 0..x.len() {
            for k in 0..3 {
                match (x[i] & 3, k) {
                    (0, v) | (v, 0) if holds(v, y) => continue 'rows,
                    (1, v) | (v, 1) if holds(v + 1, y) => break,
                    (2, v) | (v, 2) if holds(v + x[i], y) => break 'rows,
                    _ => y[i] += 1,
                }
            }
        }
    }

    fn nested_choices(x: &[i32], y: &mut [i32]) {
        for i in 0..4 {
            let pair = ((x[i] & 1, x[i + 1] & 1), (x[i + 2] & 1, x[i + 3]));
            y[i] = match pair {
                ((a, 0) | (0, a), (b, _) | (_, b)) if holds(a * 2 + b + 1, y) => a * 100 + b,
                (_, (0 | 1, v)) if holds(v, y) => v,
                ((a, _), _) => a,
            };
        }
    }
}

/// All threads of a block take the same arm, some by its first alternative and some by its second.
#[kernel]
pub fn exchanged(x: &[u32], y: &mut [u32], limit: u32) {
    let (i, t) = (grid(1), thread_idx().x);
    match (t % 2, x[i]) {
        (0, v) | (1, v) if v > limit => {
            let mut tile = shared::<[u32; 64]>();
            tile[t] = v;
            sync_threads();
            y[i] = tile[63 - t];
        }
        (_, v) => y[i] = v,
    }
}

fn one_shared_array(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..128).map(|i| 1000 + i * i).collect();
    let (x, mut y) = (run.array(&values), run.zeros(128));
    run.launch(exchanged(&x, &mut y, 10).grid(2).block(64));
    let expected: Vec<u32> = (0..128).map(|i| values[i / 64 * 64 + 63 - i % 64]).collect();
    run.expect("y", &y, &expected);
    run.launch(exchanged(&x, &mut y, u32::MAX).grid(2).block(64));
    run.expect("values", &y, &values);
}

#[kernel]
pub fn counted(x: &[u32], y: &mut [u32], limit: u32) {
    let i = grid(1);
    match (i % 2, x[i]) {
        (0, v) | (1, v) if v > limit => y[i] = ballot_sync(!0, v % 3 == 0),
        (_, v) => y[i] = v,
    }
}

fn one_meeting_of_lanes(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..32).map(|i| 100 + i * 7).collect();
    let (x, mut y) = (run.array(&values), run.zeros(32));
    run.launch(counted(&x, &mut y, 10).grid(1).block(32));
    let bits = values.iter().enumerate().map(|(i, v)| u32::from(v % 3 == 0) << i).sum::<u32>();
    run.expect("y", &y, &[bits; 32]);
}
