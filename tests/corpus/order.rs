//! Evaluation order, observed by atomics: each operand appends to a log when it is evaluated.

#![allow(clippy::all, clippy::pedantic, reason = "the kernels are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![short_circuits, operands];

/// Records the evaluation of `mark`, and returns `value`.
#[device]
pub fn noted(log: &mut [u32], mark: u32, value: bool) -> bool {
    let at = atomic_add(&mut log[0], 1) as usize;
    log[at + 1] = mark;
    value
}

/// As `noted`, for a number.
#[device]
pub fn number(log: &mut [u32], mark: u32) -> u32 {
    let at = atomic_add(&mut log[0], 1) as usize;
    log[at + 1] = mark;
    mark
}

/// The bits of `bits` are the values of the operands.
#[kernel]
pub fn logical(bits: u32, log: &mut [u32], out: &mut [bool]) {
    let (a, b, c) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
    out[0] = noted(log, 1, a) && noted(log, 2, b);
    out[1] = noted(log, 3, a) || noted(log, 4, b);
    out[2] = noted(log, 5, a) && noted(log, 6, b) || noted(log, 7, c);
    out[3] = noted(log, 8, a) && (noted(log, 9, b) || noted(log, 10, c));
    out[4] = !(noted(log, 11, a) || !noted(log, 12, b)) && noted(log, 13, c);
    out[5] = noted(log, 14, a) & noted(log, 15, b) | noted(log, 16, c);
    if noted(log, 17, a) && noted(log, 18, b) {
        out[6] = true;
    } else if noted(log, 19, b) || noted(log, 20, c) {
        out[7] = true;
    }
    let mut turns = 0;
    while turns < 2 && noted(log, 21, a) || noted(log, 22, b) && turns < 3 {
        turns += 1;
    }
    let both = if noted(log, 23, c) { noted(log, 24, a) && noted(log, 25, b) } else { noted(log, 26, b) };
    out[8] = both;
    // An operand that is not evaluated does not fault.
    out[9] = bits as usize >= out.len() || out[bits as usize];
    out[10] = bits != 0 && 8 / bits > 2;
}

fn short_circuits(run: &mut Run<'_>) {
    for bits in 0..8u32 {
        let (mut log, mut out) = (run.zeros(64), run.zeros(11));
        run.launch(logical(bits, &mut log, &mut out).grid(1).block(1));
        let (a, b, c) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
        let mut marks = vec![0];
        let mut noted = |mark: u32, value: bool| {
            marks.push(mark);
            marks[0] += 1;
            value
        };
        let mut expected = [false; 11];
        expected[0] = noted(1, a) && noted(2, b);
        expected[1] = noted(3, a) || noted(4, b);
        expected[2] = noted(5, a) && noted(6, b) || noted(7, c);
        expected[3] = noted(8, a) && (noted(9, b) || noted(10, c));
        expected[4] = !(noted(11, a) || !noted(12, b)) && noted(13, c);
        expected[5] = noted(14, a) & noted(15, b) | noted(16, c);
        if noted(17, a) && noted(18, b) {
            expected[6] = true;
        } else if noted(19, b) || noted(20, c) {
            expected[7] = true;
        }
        let mut turns = 0;
        while turns < 2 && noted(21, a) || noted(22, b) && turns < 3 {
            turns += 1;
        }
        expected[8] = if noted(23, c) { noted(24, a) && noted(25, b) } else { noted(26, b) };
        expected[9] = expected[bits as usize];
        expected[10] = bits != 0 && 8 / bits > 2;
        marks.resize(64, 0);
        run.expect("log", &log, &marks);
        run.expect("out", &out, &expected);
    }
}

/// A function of three parameters, for the order of its arguments.
#[device]
pub fn three(a: u32, b: u32, c: u32) -> u32 {
    a * 100 + b * 10 + c
}

/// Operands, arguments, elements and assignments with side effects.
#[kernel]
pub fn effects(log: &mut [u32], y: &mut [u32]) {
    // Left before right, also where the order is unspecified in C.
    y[0] = number(log, 1) * 10 + number(log, 2) - number(log, 3) / number(log, 3);
    y[1] = three(number(log, 4), number(log, 5), number(log, 6));
    y[2] = three(
        number(log, 7),
        {
            let a = number(log, 8);
            a
        },
        if number(log, 9) > 3 { number(log, 9) } else { 0 },
    );
    // The value before the place.
    y[number(log, 3) as usize] = number(log, 10);
    y[number(log, 4) as usize] += number(log, 11);
    // A variable is read in its position of the order.
    let mut n = 5;
    let sum =
        n + {
            n = 7;
            n
        } + n;
    y[5] = sum;
    let order = n * 100
        + {
            n += 1;
            n
        } * 10
        + {
            n -= 2;
            n
        };
    y[6] = order;
    y[7] = three(
        n,
        {
            n += 1;
            n
        },
        {
            n += 1;
            n
        },
    );
    // So is an element.
    y[8] = 3;
    y[9] =
        y[8] + {
            y[8] = 20;
            y[8]
        } + y[8];
    y[10] = three(
        y[8],
        {
            y[8] += 1;
            y[8]
        },
        {
            y[8] = 1;
            0
        },
    ) + y[8];
    // And an index.
    let mut i = 11;
    y[i] = {
        i += 1;
        40
    };
    y[{
        i += 1;
        i
    }] = i as u32;
    // The operands of a comparison, a cast and a method.
    let compared = number(log, 12) < number(log, 13);
    y[14] = compared as u32
        + number(log, 14).min(number(log, 15)).max({
            n = 0;
            number(log, 16)
        })
        + n;
    // The result of an atomic operation, and its arguments.
    y[15] = atomic_add(&mut y[number(log, 16) as usize], number(log, 17)) + y[16];
    // A tuple and a range.
    let (p, q) = (number(log, 18), number(log, 19));
    for k in number(log, 1)..number(log, 3) {
        y[17] += k * p + q;
    }
    // A block whose value does not depend on all of its statements.
    let _ = number(log, 20) + number(log, 21);
    number(log, 22);
    y[18] = -(number(log, 23) as i32 - 30) as u32 + !number(log, 24) % 100;
    // Nothing is evaluated after a right operand that diverges.
    let mut turns = 0;
    loop {
        turns += 1;
        y[19] += number(log, 25) + if turns > 2 { break } else { number(log, 26) };
    }
}

fn operands(run: &mut Run<'_>) {
    let (mut log, mut y) = (run.zeros(64), run.zeros(20));
    run.launch(effects(&mut log, &mut y).grid(1).block(1));
    let mut marks = vec![
        1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9, 10, 3, 11, 4, 12, 13, 14, 15, 16, 16, 17, 18, 19, 1, 3, 20, 21, 22, 23, 24,
        25, 26, 25, 26, 25,
    ];
    marks.insert(0, marks.len() as u32);
    marks.resize(64, 0);
    run.expect("log", &log, &marks);
    let n = [7 * 100 + 8 * 10 + 6, 600 + 70 + 8];
    let y_expected = [
        11,
        456,
        789,
        10,
        11,
        5 + 7 + 7,
        n[0],
        n[1],
        1,
        3 + 20 + 20,
        2000 + 210 + 1,
        0,
        40,
        12,
        1 + 16,
        17,
        17,
        18 + 19 + 36 + 19,
        7 + !24 % 100,
        51 + 51,
    ];
    run.expect("y", &y, &y_expected);
}
