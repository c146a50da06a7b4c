//! Variables that are declared without an initialiser and assigned on some paths only, above all in loops: an
//! optimisation that reads one earlier than the source does would read an uninitialised variable.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, reason = "as above")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![found_by_key, parts_by_key, rows_by_key, assigned_before]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Spot {
            at: usize,
            by: i32,
        }

        #[device]
        pub fn advance(at: &mut usize, by: i32) {
            *at += (by & 3) as usize;
        }
    }

    fn assigned_in_an_inner_loop(x: &[i32], y: &mut [i32]) {
        for round in 0..x.len() {
            let at;
            for i in 0..x.len() {
                if i >= round && x[i] & 1 == 1 {
                    at = (x[i] & 7) as usize;
                    y[at] += 7;
                    y[at + 1] = x[i];
                    break;
                }
            }
        }
    }

    fn assigned_and_used_as_a_base(x: &[i32], y: &mut [i32]) {
        for round in 0..4 {
            let base;
            for i in 0..x.len() {
                if x[i] > round {
                    base = (x[i] & 3) as usize;
                    for k in 0..4 {
                        y[base + k] += x[base + k] & 15;
                    }
                    break;
                }
            }
        }
    }

    fn of_a_struct(x: &[i32], y: &mut [i32]) {
        for round in 0..3usize {
            let spot;
            for i in round..x.len() {
                if x[i] != 0 {
                    spot = Spot { at: (x[i] & 7) as usize, by: x[i] };
                    y[spot.at] = spot.by;
                    y[spot.at + i / 8] ^= 1;
                    break;
                }
            }
        }
    }

    fn of_a_tuple(x: &[i32], y: &mut [i32]) {
        for round in 0..3usize {
            let (at, value);
            for i in round..x.len() {
                if x[i] != 0 {
                    (at, value) = ((x[i] & 7) as usize, x[i]);
                    y[at + round] = value;
                    break;
                }
            }
        }
    }

    fn of_a_narrower_number(x: &[i32], y: &mut [i32]) {
        for round in 0..3usize {
            let at: u8;
            for i in round..x.len() {
                if x[i] & 2 == 0 {
                    at = x[i] as u8 & 7;
                    y[at as usize] = i as i32;
                    break;
                }
            }
        }
    }

    fn of_a_slice(x: &[i32], y: &mut [i32]) {
        for round in 0..x.len() {
            let part;
            for i in 0..4 {
                if i >= round / 2 {
                    let cut = (x[round] & 3) as usize;
                    part = &x[cut..cut + 4];
                    y[round] = part[i];
                    break;
                }
            }
        }
    }

    fn left_by_a_label(x: &[i32], y: &mut [i32]) {
        let at;
        'found: {
            for i in 0..x.len() {
                for j in 0..3 {
                    if x[i] & 3 == j {
                        at = (x[i] & 7) as usize;
                        y[at] += j;
                        break 'found;
                    }
                }
            }
            at = 9;
        }
        for k in 0..3 {
            y[at + k] += 1;
        }
    }

    fn assigned_before_an_inner_loop(x: &[i32], y: &mut [i32]) {
        let mut round = 0;
        loop {
            let at;
            if x[round] > 0 {
                at = (x[round] & 3) as usize;
            } else if x[round] < -100 {
                at = 4;
            } else {
                round += 1;
                if round == x.len() {
                    return;
                }
                continue;
            }
            for k in 0..4 {
                y[at + k] += 1;
            }
            round += 1;
            if round == x.len() {
                break;
            }
        }
    }

    fn assigned_by_a_condition(x: &[i32], y: &mut [i32]) {
        for i in 0..x.len() {
            let at;
            if x[i] > 2 && {
                at = (x[i] & 7) as usize;
                x[at] != 0
            } {
                for k in 0..4 {
                    y[at + k] += 1;
                }
            }
            let to;
            if x[i] < 0 || {
                to = i & 3;
                x[to] == 0
            } {
                y[8] += 1;
            } else {
                for k in 0..4 {
                    y[to + k] -= 1;
                }
            }
        }
    }

    fn assigned_by_a_while(x: &[i32], y: &mut [i32]) {
        let mut i = 0;
        let mut at;
        while i < x.len() && {
            at = (x[i] & 7) as usize;
            at < 7
        } {
            for k in 0..2 {
                y[at + k] += 1;
            }
            i += 1;
        }
    }

    fn assigned_by_a_match(x: &[i32], y: &mut [i32]) {
        for i in 0..x.len() {
            let at;
            match x[i] & 7 {
                0 => continue,
                n @ 1..=3 => at = n as usize,
                4 | 5 => {
                    let inner;
                    for k in 0..4 {
                        if k as i32 == x[i] & 1 {
                            inner = k;
                            y[inner] += 1;
                            break;
                        }
                    }
                    at = 8;
                }
                _ => break,
            }
            for k in 0..3 {
                y[at + k] += 1;
            }
        }
    }

    fn changed_in_the_loop_through_a_reference(x: &[i32], y: &mut [i32]) {
        let mut at = 0;
        for i in 0..x.len() {
            advance(&mut at, x[i]);
            y[at & 7] = i as i32;
            if at < 9 {
                y[at] += 1;
            }
        }
    }

    fn changed_between_loops(x: &[i32], y: &mut [i32]) {
        let mut width = x.len();
        let mut at = (x[0] & 3) as usize;
        while width > 0 {
            for i in 0..width {
                y[at + i] += x[i];
            }
            width /= 2;
            at += width & 1;
        }
    }

    fn declared_again_in_each_turn(x: &[i32], y: &mut [i32]) {
        for i in 0..x.len() {
            let value;
            let at: usize;
            if x[i] & 1 == 0 {
                value = x[i];
                at = 0;
            } else {
                at = 1 + (x[i] & 7) as usize;
                value = -1;
            }
            for k in 0..2 {
                y[at + k] ^= value;
            }
        }
    }
}

#[kernel]
pub fn found(keys: &[u32], y: &mut [u32]) {
    for round in 0..keys.len() {
        let at;
        for i in 0..keys.len() {
            if i >= round && keys[i] != 0 {
                at = keys[i] as usize;
                y[at] = 7;
                break;
            }
        }
    }
}

fn found_by_key(run: &mut Run<'_>) {
    let (keys, mut y) = (run.array(&[0u32, 3, 0, 1, 9]), run.zeros(5));
    run.expect_fault("the last key", |run| run.launch(found(&keys, &mut y).grid(1).block(1)));
    run.expect("y", &y, &[0, 7, 0, 7, 0]);
    // No key: nothing is read.
    let (keys, mut y) = (run.array(&[0u32; 5]), run.zeros(2));
    run.launch(found(&keys, &mut y).grid(3).block(64));
    run.expect("y", &y, &[0, 0]);
}

#[kernel]
pub fn parts(keys: &[u32], y: &mut [u32]) {
    for round in 0..keys.len() {
        let part;
        for i in 0..keys.len() {
            if keys[round] != 0 {
                part = &keys[keys[round] as usize..];
                y[round] = part[i];
                break;
            }
        }
    }
}

fn parts_by_key(run: &mut Run<'_>) {
    let (keys, mut y) = (run.array(&[2u32, 0, 3, 1, 0]), run.zeros(5));
    run.launch(parts(&keys, &mut y).grid(1).block(1));
    run.expect("y", &y, &[3, 0, 1, 0, 0]);
}

#[kernel]
pub fn rows(keys: &[u32], m: ArrayView2<u32>, y: &mut [u32]) {
    for round in 0..keys.len() {
        let row;
        for j in 0..4 {
            if keys[round] as usize == j {
                row = m.row(j);
                y[round] = row[j];
                break;
            }
        }
    }
}

fn rows_by_key(run: &mut Run<'_>) {
    let (keys, mut y) = (run.array(&[1u32, 3, 9, 0]), run.zeros(4));
    let m = run.array(&(0..20).collect::<Vec<u32>>());
    let m = m.reshape((4, 5)).expect("20 elements");
    run.launch(rows(&keys, &m, &mut y).grid(1).block(1));
    run.expect("y", &y, &[6, 18, 0, 0]);
}

/// A variable that is assigned on every path before the loop is definitely initialised: the check is hoisted.
#[kernel]
pub fn assigned(x: &[u32], y: &mut [u32], late: bool) {
    let at;
    if late {
        at = grid(1);
    } else {
        at = 0;
    }
    for k in 0..x.len() {
        y[at + k] += x[k];
    }
}

fn assigned_before(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1u32, 2, 3]), run.zeros(3));
    run.launch(assigned(&x, &mut y, false).grid(1).block(1));
    run.launch(assigned(&x, &mut y, true).grid(1).block(1));
    run.expect("y", &y, &[2, 4, 6]);
}
