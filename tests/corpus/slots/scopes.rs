//! Name resolution of variables, and the values of blocks, branches and loops.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![shadowing_cases, parameter_cases, loop_cases, value_cases, return_cases];

/// Variables of one name and three types in nested blocks; the outer one is visible again at the end.
#[kernel]
pub fn shadowing(x: &[f32], out: &mut [f32]) {
    let i = grid(1);
    if i < out.len() {
        let v = x[i];
        let v = v * 2.0;
        let v = v as i32;
        let inner = {
            let v = v + 1;
            let half = {
                let v = v as f32 * 0.5;
                v
            };
            half + v as f32
        };
        if v > 3 {
            let v = v as f32;
            out[i] = inner + v;
        } else {
            let v = v as usize;
            out[i] = inner - v as f32;
        }
        out[i] += v as f32 * 100.0;
    }
}

fn shadowing_cases(run: &mut Run<'_>) {
    let xs = [0.0f32, 1.5, 1.9, 2.0, 7.25];
    let (x, mut out) = (run.array(&xs), run.zeros(xs.len()));
    run.launch(shadowing(&x, &mut out).over(xs.len()));
    let expected = xs.map(|x| {
        let v = (x * 2.0) as i32;
        let inner = (v + 1) as f32 * 0.5 + (v + 1) as f32;
        (if v > 3 { inner + v as f32 } else { inner - v as f32 }) + v as f32 * 100.0
    });
    run.expect("out", &out, &expected);
}

/// Variables that shadow parameters: a number, a slice, and the variable of a loop.
#[kernel]
pub fn shadowed_parameters(n: u32, x: &[u32], out: &mut [u32]) {
    let n = n + 1;
    let mut total = 0;
    for n in 0..n {
        let n = n * 2;
        total += n;
    }
    out[0] = total;
    out[1] = n;
    let x = x[1];
    let out_of_x = x + 1;
    out[2] = x * out_of_x;
    let n = n as f32 / 2.0;
    out[3] = (n * 4.0) as u32;
}

fn parameter_cases(run: &mut Run<'_>) {
    let (x, mut out) = (run.array(&[5u32, 6]), run.zeros(4));
    run.launch(shadowed_parameters(4, &x, &mut out).grid(1).block(1));
    run.expect("out", &out, &[20, 5, 42, 10]);
}

/// A variable that is declared in each iteration, and nested loops with the same variable name.
#[kernel]
pub fn loops(out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..3 {
        for i in 10..10 + i {
            sum += i;
        }
        sum += i * 1000;
    }
    out[0] = sum;
    let mut turns = 0;
    'outer: loop {
        let turn = turns;
        let turns_left = 9 - turn;
        turns += 1;
        let mut inner = 0;
        while inner < turns_left {
            let turn = inner * 2;
            if turn == 4 {
                continue 'outer;
            }
            if turns_left < 3 {
                break 'outer;
            }
            inner += 1;
        }
    }
    out[1] = turns;
}

fn loop_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(2);
    run.launch(loops(&mut out).grid(1).block(1));
    run.expect("out", &out, &[10 + 10 + 11 + 3000, 8]);
}

/// Values of branches, blocks and loops, nested in each other, with types that come from outside.
#[kernel]
pub fn values(x: &[u8], out: &mut [u8]) {
    let i = grid(1);
    if i >= out.len() {
        return;
    }
    let kind = if x[i] < 10 {
        1
    } else if x[i] < 100 {
        let two = 2;
        two
    } else {
        3
    };
    let mut tries = 0;
    let found = loop {
        tries += 1;
        if tries % 7 == 0 {
            break tries * 2;
        }
        let deeper = 'inner: loop {
            let mut k = 0;
            loop {
                k += 1;
                if k == 3 {
                    break 'inner k + tries;
                }
            }
        };
        if deeper > 8 {
            break deeper;
        }
    };
    let (low, high) = if kind == 3 { (found, 200) } else { (found + 1, 100) };
    let pair = { (high, (low, kind > 1)) };
    out[i] = kind * 10 + pair.1.0 + if pair.1.1 { pair.0 } else { 0 };
}

fn value_cases(run: &mut Run<'_>) {
    let xs = [0u8, 9, 10, 99, 100, 255];
    let (x, mut out) = (run.array(&xs), run.zeros(xs.len()));
    run.launch(values(&x, &mut out).over(xs.len()));
    run.expect("out", &out, &[20, 20, 130, 130, 239, 239]);
}

/// `return` in nested blocks, and code after it.
#[kernel]
pub fn returns(out: &mut [i32]) {
    let i = grid(1);
    out[i] = 1;
    for k in 0..10 {
        if k == i {
            loop {
                out[i] += 10;
                if out[i] > 30 {
                    return;
                }
            }
        }
        out[i] += 2;
    }
    out[i] = first_above(3, i as i32);
}

/// The first multiple of `step` that is above `limit`.
#[device]
pub fn first_above(step: i32, limit: i32) -> i32 {
    let mut multiple = 0;
    loop {
        if multiple > limit {
            return multiple;
        }
        multiple += step;
    }
}

fn return_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(12);
    run.launch(returns(&mut out).grid(3).block(4));
    // Thread i < 10 has 1 + 2 i when its turn comes, and adds 10 until it is above 30.
    let early = |i: i32| (1..4).map(|turns| 1 + 2 * i + 10 * turns).find(|&out| out > 30);
    let expected: Vec<i32> = (0..12).map(|i| if i < 10 { early(i).unwrap_or_default() } else { 12 }).collect();
    run.expect("out", &out, &expected);
}
