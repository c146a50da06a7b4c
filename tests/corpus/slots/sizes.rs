//! Kernels with very few and very many parameters, variables and slots.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![no_parameters, many_parameters, unused_parameters, many_slots];

/// A kernel without parameters and statements.
#[kernel]
pub fn empty() {}

/// A kernel without side effects.
#[kernel]
pub fn fruitless() {
    let mut sum = 0;
    for i in 0..grid_size(1) {
        sum += i;
    }
    assert!(sum == 6, "four threads: 0 + 1 + 2 + 3");
}

fn no_parameters(run: &mut Run<'_>) {
    let device = run.device().clone();
    run.launch(empty().on_device(&device).grid(2).block(3));
    run.launch(fruitless().on_device(&device).grid(2).block(2));
    run.expect_fault("an assertion", |run| run.launch(fruitless().on_device(&device).grid(1).block(1)));
}

/// Twenty parameters of all kinds.
#[kernel]
pub fn twenty(
    a: f32,
    b: f64,
    c: u8,
    d: i8,
    e: u16,
    f: i16,
    g: u32,
    h: i32,
    i: u64,
    j: i64,
    k: usize,
    l: isize,
    m: bool,
    n: &[u8],
    o: &[i64],
    p: &[bool],
    q: &mut [f64],
    r: &mut [bool],
    s: &mut [i8],
    t: &mut [usize],
) {
    q[0] = a as f64 + b + c as f64 + d as f64 + e as f64 + f as f64 + g as f64;
    q[1] = h as f64 + i as f64 + j as f64 + k as f64 + l as f64;
    q[2] = n[0] as f64 + o[0] as f64;
    r[0] = m && p[0];
    r[1] = !r[0] || p[1];
    s[0] = d - 1;
    t[0] = n.len() + o.len() * 10 + p.len() * 100 + q.len() * 1000;
}

fn many_parameters(run: &mut Run<'_>) {
    let (n, o, p) = (run.array(&[7u8]), run.array(&[8i64, 9]), run.array(&[true, false]));
    let (mut q, mut r, mut s, mut t) = (run.zeros(3), run.zeros(2), run.zeros(1), run.zeros(1));
    run.launch(
        twenty(0.5, 0.25, 1, -2, 3, -4, 5, -6, 7, -8, 9, -10, true, &n, &o, &p, &mut q, &mut r, &mut s, &mut t)
            .grid(1)
            .block(1),
    );
    run.expect("q", &q, &[3.75, -8.0, 15.0]);
    run.expect("r", &r, &[true, false]);
    run.expect("s", &s, &[-3]);
    run.expect("t", &t, &[1 + 20 + 200 + 3000]);
}

/// Parameters that are not used, and ones that are changed.
#[allow(unused_variables, reason = "the point of it")]
#[kernel]
pub fn unused(a: f32, mut n: u32, x: &[f32], _y: &mut [f64], out: &mut [u32]) {
    n += 1;
    while n % 8 != 0 {
        n += 1;
    }
    out[0] = n;
}

fn unused_parameters(run: &mut Run<'_>) {
    let (x, mut y, mut out) = (run.array(&[1.0f32]), run.zeros(1), run.zeros(1));
    run.launch(unused(1.0, 17, &x, &mut y, &mut out).grid(1).block(1));
    run.expect("out", &out, &[24]);
}

/// A kernel with four slots for each letter: two literals, a cast and a variable.
macro_rules! long {
    ($name:ident: $($letter:ident)*) => {
        /// A kernel with very many variables.
        #[kernel]
        pub fn $name(x: f32, out: &mut [f32]) {
            let mut n = 0;
            let total = x;
            $(
                let $letter = total * 0.5 + n as f32;
                n += 1;
                let total = $letter;
            )*
            out[0] = total;
            out[1] = n as f32;
        }
    };
}

long! {
    long:
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
    e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9
}

fn many_slots(run: &mut Run<'_>) {
    let mut out = run.zeros(2);
    run.launch(long(1.0, &mut out).grid(1).block(1));
    let total = (0..80).fold(1.0f32, |total, n| total * 0.5 + n as f32);
    run.expect("out", &out, &[total, 80.0]);
}
