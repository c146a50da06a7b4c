//! Loops that do not terminate for some inputs. In Rust the code after such a loop is then unreachable; C++ assumes
//! that every loop terminates. Here all loops terminate; `tests/ptx.rs` verifies that the PTX contains each check.

#![allow(clippy::all, clippy::pedantic, reason = "the kernels are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![loops_that_end];

#[kernel]
pub fn while_outside(y: &mut [f32]) {
    let i = grid(1);
    while i >= y.len() {}
    y[i] = 1.0;
}

#[kernel]
pub fn loop_outside(y: &mut [f32]) {
    let i = grid(1);
    loop {
        if i < y.len() {
            break;
        }
    }
    y[i] = 1.0;
}

/// The loop computes, but has no effect.
#[kernel]
pub fn steps_by(y: &mut [f32], step: usize) {
    let i = grid(1);
    let mut at = i;
    while at >= y.len() {
        at -= step;
    }
    y[at] = 1.0;
}

/// `step == 0` never ends.
#[kernel]
pub fn counts(y: &mut [f32], step: u32) {
    let i = grid(1);
    let (mut at, mut turns) = (0u32, 0);
    while at < 100 {
        at = at.wrapping_add(step);
        turns += 1;
    }
    if at >= 100 && i < y.len() {
        y[i] = turns as f32;
    }
}

#[device]
fn wait(i: usize, len: usize) {
    while i >= len {}
}

#[kernel]
pub fn in_a_function(y: &mut [f32]) {
    let i = grid(1);
    wait(i, y.len());
    y[i] = 1.0;
}

#[device]
fn collatz(mut n: u32) -> u32 {
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { n.wrapping_mul(3).wrapping_add(1) };
    }
    n
}

/// The result is 1 if there is one.
#[kernel]
pub fn known_result(y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = collatz(i as u32 + 1);
    }
}

#[kernel]
pub fn nested(y: &mut [f32], n: usize) {
    let i = grid(1);
    'outer: loop {
        for k in 0..n {
            if k + i < y.len() {
                break 'outer;
            }
            loop {
                if k < n {
                    continue 'outer;
                }
            }
        }
        if n == 0 {
            break;
        }
    }
    if n > 0 {
        y[i] = 1.0;
    }
}

#[kernel]
pub fn in_a_branch(y: &mut [f32], waits: bool) {
    let i = grid(1);
    if waits {
        while i >= y.len() {}
    } else if i >= y.len() {
        return;
    }
    y[i] = 1.0;
}

/// The store before the loop does not become visible, or not, by what follows it.
#[kernel]
pub fn between_stores(y: &mut [u32], n: usize) {
    let i = grid(1);
    if i < y.len() {
        y[i] = 1;
        while i >= n {}
        y[i] = 2;
    }
}

/// Termination of the loop implies that `y` is not empty, and `at` is unused.
#[kernel]
pub fn halved(y: &mut [u32]) {
    let mut at = grid(1);
    while at >= y.len() {
        at /= 2;
    }
    y[0] = 7;
}

/// Loops that are proved to terminate.
#[kernel]
pub fn proved(y: &mut [u32], n: u32) {
    let i = grid(1);
    let (mut count, mut at, mut width) = (0, 0, n);
    while at < n && count < 1000 {
        count += at % 3;
        at += 1;
    }
    while width > 0 {
        count += 1;
        width /= 2;
    }
    let mut left = n;
    while left > 3 {
        left -= 1;
        count ^= left;
    }
    let mut bits = n;
    while bits != 0 {
        bits >>= 1;
        count += 5;
    }
    y[i] = count;
}

fn loops_that_end(run: &mut Run<'_>) {
    let mut y = run.zeros(64);
    run.launch(while_outside(&mut y).grid(2).block(32));
    run.output("while_outside", &y);
    let mut y = run.zeros(64);
    run.launch(loop_outside(&mut y).grid(2).block(32));
    run.output("loop_outside", &y);
    let mut y = run.zeros(40);
    run.launch(steps_by(&mut y, 32).grid(2).block(32));
    run.output("steps_by", &y);
    let mut y = run.zeros(40);
    run.launch(counts(&mut y, 7).grid(2).block(32));
    run.output("counts", &y);
    let mut y = run.zeros(64);
    run.launch(in_a_function(&mut y).grid(2).block(32));
    run.output("in_a_function", &y);
    let mut y = run.zeros(60);
    run.launch(known_result(&mut y).grid(2).block(32));
    run.expect("known_result", &y, &[1; 60]);
    let mut y = run.zeros(64);
    run.launch(nested(&mut y, 3).grid(2).block(32));
    run.launch(nested(&mut y, 0).grid(2).block(32));
    run.output("nested", &y);
    let mut y = run.zeros(64);
    run.launch(in_a_branch(&mut y, true).grid(2).block(32));
    run.launch(in_a_branch(&mut y, false).grid(3).block(32));
    run.output("in_a_branch", &y);
    let mut y = run.zeros(64);
    run.launch(between_stores(&mut y, 64).grid(2).block(32));
    run.expect("between_stores", &y, &[2; 64]);
    let mut y = run.zeros(3);
    run.launch(halved(&mut y).grid(2).block(32));
    run.expect("halved", &y, &[7, 0, 0]);
    let mut y = run.zeros(4);
    run.launch(proved(&mut y, 37).grid(1).block(4));
    run.output("proved", &y);
}
