//! Directed tests: kernels and launches that a wrong assumption of the analysis would accept.
//!
//! Each kernel runs with arrays and scalars at all limits, in both overflow profiles, with and without a fixed block,
//! and with both orders of the operands of an expression.

use super::generate::{Param, Rng};
use super::interpreter::{Arg, Launch};
use super::{Mode, Statistics, Subject, variable};
use crate::ir::Scalar;

const LENGTHS: [u64; 10] = [0, 1, 2, 3, 7, 8, 9, 100, (1 << 31) - 1, (1 << 31) - 2];

const NUMBERS: [i128; 23] = [
    5,
    64,
    130,
    (1 << 31) - 2,
    (1 << 31) - 9,
    (1 << 31) + 1,
    (1 << 30),
    0,
    1,
    2,
    3,
    7,
    8,
    255,
    1 << 31,
    1 << 32,
    (1 << 44) - 1,
    1 << 44,
    (1 << 44) + 1,
    1 << 63,
    (1 << 64) - 1,
    (1 << 64) - 2,
    (1 << 31) - 1,
];

fn scalar(name: &str) -> Scalar {
    use Scalar::{Bool, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize};
    let all = [Bool, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize];
    all.into_iter().find(|scalar| scalar.name() == name).unwrap_or_else(|| panic!("unknown type `{name}`"))
}

/// Returns the parameters of the kernel, the last function of the text.
fn params(text: &str) -> Vec<Param> {
    let head = text.rsplit("fn k(").next().unwrap_or_default();
    let head = head.split(") {").next().unwrap_or_default();
    let parts = head.split(", ").filter_map(|part| part.split(": ").nth(1));
    parts
        .map(|ty| match ty.split_once('[') {
            Some((_, element)) => Param::Slice(scalar(element.trim_end_matches(']'))),
            None if ty.starts_with("ArrayView") => Param::View(Scalar::U32),
            None => Param::Number(scalar(ty)),
        })
        .collect()
}

/// Tests a kernel in many launches, and returns how many checks were removed in how many launches.
#[track_caller]
fn holds(text: &str) -> usize {
    let mut removed = 0;
    let modes = [
        (false, None, false),
        (true, None, false),
        (false, Some([4, 1, 1]), false),
        (true, Some([8, 1, 1]), false),
        (false, None, true),
    ];
    for (overflow_checks, fixed_block, narrow) in modes {
        let mode = Mode { overflow_checks, fixed_block, narrow, contiguous: false };
        let params = params(&if narrow { text.replace("usize", "u32") } else { text.to_owned() });
        let Some(mut subject) = Subject::new(text, mode) else {
            assert!(narrow, "an invalid kernel: {text}");
            continue;
        };
        let mut rng = Rng::new(7);
        let mut statistics = Statistics::default();
        let launches = variable("CUMBIA_PROOF_KERNELS").map_or(20, |_| 300);
        for i in 0..launches {
            let mut args = Vec::new();
            for param in &params {
                match *param {
                    Param::Slice(scalar) => {
                        let len = *rng.pick(&LENGTHS);
                        let contents = (0..8).map(|_| *rng.pick(&NUMBERS) as u64).collect();
                        args.extend([Arg::Array { len, scalar, contents }, Arg::Number(len.into())]);
                    }
                    Param::View(scalar) => {
                        let (rows, cols) = (*rng.pick(&LENGTHS), *rng.pick(&LENGTHS));
                        args.push(Arg::Array { len: rows * cols, scalar, contents: vec![0, 1, 2] });
                        args.extend([rows, cols, cols, 1].map(|number| Arg::Number(number.into())));
                    }
                    Param::Number(scalar) => {
                        let modulus = 1i128 << scalar.bits();
                        let number = rng.pick(&NUMBERS).rem_euclid(modulus);
                        let negative = scalar.is_signed() && number >= modulus / 2;
                        args.push(Arg::Number(if negative { number - modulus } else { number }));
                    }
                }
            }
            let block = fixed_block.unwrap_or([*rng.pick(&[1, 2, 8]), 1, 1]);
            let launch = Launch { grid: [*rng.pick(&[1, 2]), 1, 1], block, args };
            if let Err(what) = subject.test(&launch, i % 2 == 1, &mut statistics) {
                panic!("{mode:?}: {what}\n{launch:?}\n{text}");
            }
            removed += subject.verdict(&launch).groups() as usize;
        }
        assert!(statistics.unsupported.is_empty(), "{:?}", statistics.unsupported);
    }
    removed
}

/// The counter-examples of the design of the proofs.
#[test]
fn guards_whose_operands_wrap() {
    for text in [
        "fn k(x: &mut [u32]) { let i: usize = grid(1); if i < x.len() - 1usize { x[i + 1usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i.min(n - 1usize)] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i.min(x.len() - 1usize)] = n as u32; }",
        "fn k(x: &mut [u32], y: &[usize]) {
            let t: usize = grid(1);
            if t < y.len() { let i: usize = y[t]; if i + 1usize < x.len() { x[i] = 1u32; } }
        }",
        "fn k(x: &mut [u32], n: usize) { if n + 1usize < x.len() { x[n] = 1u32; } }",
        "fn k(x: &mut [u32], n: u32) { if n - 1u32 < 8u32 { x[n as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { let i: usize = grid(1); if i * n < x.len() { x[i * n * m / m.max(1usize)] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i / n] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i % n] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i % x.len()] = n as u32; }",
        "fn k(x: &mut [u32], n: u64) { let q: u64 = n * n * n; x[(q * q) as usize] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = grid(1); while i < n { x[i] = 1u32; i += n; } }",
        "fn k(x: &mut [u32], n: usize, s: usize) { let mut i: usize = grid(1); while i < n { x[i] = 1u32; i += s; } if i < 8usize { x[i] = 2u32; } }",
        "fn k(x: &mut [u32], n: usize) { let mut w: usize = n; while w > 0usize { if w <= x.len() { x[w - 1usize] = 1u32; } w /= 2usize; } }",
        "fn k(x: &mut [u32], n: usize) { let mut w: usize = 1usize; while w < n { x[w] = 1u32; w *= 8usize; } }",
        "fn k(x: &mut [u32], y: &[u32], n: u32) {
            let (mut lo, mut hi): (usize, usize) = (0usize, y.len());
            while lo < hi { let mid: usize = (lo + hi) / 2usize; if y[mid] < n { lo = mid + 1usize; } else { hi = mid; } }
            x[lo] = 1u32;
        }",
        "fn k(x: &mut [u32], y: &[u32], n: u32) {
            let (mut lo, mut hi): (usize, usize) = (0usize, y.len() - 1usize);
            while lo <= hi { let mid: usize = (lo + hi) / 2usize; if y[mid] < n { lo = mid + 1usize; } else { hi = mid - 1usize; } }
            x[lo] = 1u32;
        }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); for j in 0usize..i { if i < x.len() { x[i - j] = 1u32; } } x[n] = 1u32; }",
        "fn k(x: &mut [u32], n: usize, w: usize) { let r: usize = grid(1); let row: &[u32] = &x[r * w..(r + 1usize) * w]; for j in 0usize..w { let v: u32 = row[j]; } }",
        "fn k(x: &mut [u32], n: usize, j: usize) { for i in 0usize..(n - j).min(256usize) { x[j + i] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); for d in 0usize..3usize { if i + d >= 1usize && i + d - 1usize < x.len() { x[i + d - 1usize] = 1u32; } } }",
        "fn k(x: &mut [u32], n: i32) { x[n as usize] = 1u32; if n >= 0i32 { x[n as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: i32) { if n < x.len() as i32 { x[n as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: u64) { if (n as u32) < x.len() as u32 { x[n as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: u64) { if (n as u8) < 7u8 { x[(n as u8) as usize] = 1u32; x[(n as i8) as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { x[x.len().saturating_sub(1usize)] = n as u32; x[n.saturating_sub(8usize)] = 1u32; }",
        "fn k(x: &mut [u32], n: i8) { let m: i8 = n / -1i8; x[(m as u8) as usize] = 1u32; }",
        "fn k(x: &mut [u32], n: i32, m: i32) { let q: i32 = n / m; let r: i32 = n % m; x[(q & 7i32) as usize] = r as u32; }",
        "fn k(x: &mut [u32], n: u32) { let v: u32 = 1u32 << n; x[(v >> n) as usize] = v; }",
        "fn k(x: &mut [u32], n: usize) { for i in (0usize..=n).rev().step_by(3usize) { x[i] = 1u32; if i > 20usize { break; } } }",
        "fn k(x: &mut [u32], n: u8) { for i in n..=255u8 { x[i as usize] = 1u32; } for i in (0u8..=n).rev() { x[i as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: i8) { for i in n..127i8 { x[(i - n) as usize] = 1u32; } for i in -128i8..=n { x[(i as u8) as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize, s: usize) { for i in (0usize..n).step_by(s) { x[i] = 1u32; if i > 20usize { break; } } }",
        "fn k(x: &mut [u32], n: usize, s: usize) { for i in (0usize..n).step_by(s).rev().step_by(s) { x[i] = 1u32; break; } }",
        "fn k(x: &mut [u32], n: usize) { let (a, b): (&[u32], &[u32]) = x.split_at(n); let i: usize = grid(1); if i < a.len() { let v: u32 = b[i]; } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { let s: &[u32] = &x[n..m]; let t: &[u32] = &s[1usize..=m - n - 1usize]; let v: u32 = t[0usize]; }",
        "fn k(x: &mut [u32], n: usize) { let c: bool = n < x.len(); let d: bool = c && n > 0usize; if d { x[n] = x[n - 1usize]; } if c || d { x[n] = 1u32; } if !c { x[n] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { let mut c: bool = n < x.len(); if m > 3usize { c = true; } if c { x[n] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { let mut i: usize = n; let c: bool = i < x.len(); i += m; if c { x[i] = 1u32; x[i - m] = 2u32; } }",
        "fn k(x: &mut [u32], n: usize) { let i: usize; if n < 4usize { i = n; } else { i = n - 4usize; } x[i] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = match n { 0usize => 7usize, 1usize | 2usize => 1usize, 3usize..=9usize => n, _ => n % 8usize }; x[i] = 1u32; }",
        "fn k(x: &mut [u32], n: u16, m: u16) { let p: u16 = n * m; x[p as usize] = 1u32; x[(n as usize) * (m as usize)] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { x[n.clamp(0usize, x.len() - 1usize)] = 1u32; x[n.clamp(1usize, 7usize)] = 1u32; }",
        "fn k(x: &mut [u32], n: usize, m: usize) { if n != 0usize { x[n - 1usize] = 1u32; } if n != m { x[n - m] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { for i in 0usize..n { let mut j: usize = i; while j < m { x[j] = 1u32; j += i; } if i > 9usize { break; } } }",
        "fn k(x: &mut [u32], n: usize) { let (v, c): (usize, bool) = n.overflowing_sub(1usize); if !c { x[v] = 1u32; } x[v] = 2u32; }",
        "fn k(x: &mut [u32], n: usize) { 'o: for i in 0usize..8usize { for j in 0usize..8usize { if i + j == n { continue 'o; } if j > i { break 'o; } x[i - j] = 1u32; } } }",
        "fn k(x: &mut [u32], n: usize) { x[(n ^ 5usize) % 8usize] = 1u32; x[(n | 1usize) - 1usize] = 1u32; x[n & 12usize] = 1u32; x[12usize & n] = 2u32; }",
        "fn k(x: &mut [u32], n: usize) { x[n.div_ceil(8usize)] = 1u32; x[n.next_multiple_of(8usize)] = 1u32; }",
        "fn k(x: &mut [u32], n: u32) { x[(n.leading_zeros() - 28u32) as usize] = 1u32; x[n.count_ones() as usize] = 1u32; }",
        "fn k(x: &mut [u32], n: isize) { let m: isize = n.max(0isize).min(7isize); x[m as usize] = 1u32; if n < 0isize { x[(-n) as usize] = 1u32; } }",
    ] {
        holds(text);
    }
}

/// Functions that are called several times, and functions in conditional expressions.
#[test]
fn functions_at_several_calls() {
    for text in [
        "fn f(s: &[u32], i: usize) -> u32 { s[i] }
        fn k(x: &mut [u32], y: &[u32], n: usize) {
            let i: usize = grid(1);
            if i < y.len() { x[0usize] = f(&y[..], i); }
            if n < x.len() { x[0usize] = f(&y[..], n); }
        }",
        "fn f(s: &[u32], i: usize) -> u32 { if i >= s.len() { return 0u32; } s[i] }
        fn k(x: &mut [u32], y: &[u32], n: usize) { let v: u32 = f(&y[..], n) + f(&x[..], n + 1usize); x[(v % 8u32) as usize] = 1u32; }",
        "fn f(a: usize, b: usize) -> usize { if a < b { a } else { b } }
        fn k(x: &mut [u32], n: usize) { if x.len() > 0usize { x[f(n, x.len() - 1usize)] = 1u32; } x[f(n, x.len())] = 1u32; }",
        "fn inside(i: usize, n: usize) -> bool { i < n }
        fn k(x: &mut [u32], n: usize) { if inside(n, x.len()) { x[n] = 1u32; } if inside(n, x.len() + 1usize) { x[n] = 1u32; } }",
        "fn f(mut a: u8) -> u8 { a += 1u8; a }
        fn k(x: &mut [u32], n: u8) { if n < 8u8 { x[f(n) as usize] = 1u32; } x[(f(f(n)) - 2u8) as usize] = 1u32; }",
        "fn f(i: &mut usize, n: usize) -> usize { if *i < n { *i += 1usize; return *i; } 0usize }
        fn k(x: &mut [u32], n: usize) { let mut i: usize = 0usize; while f(&mut i, n) != 0usize { x[i] = 1u32; } }",
    ] {
        holds(text);
    }
}

/// The mask of `mask & x` is the left operand, and `x` is negative.
#[test]
fn masks_of_negative_numbers() {
    for text in [
        "fn k(x: &mut [u32]) { let p: i32 = grid(1) as i32 - 4i32; if p < 3i32 { x[(7i32 & p) as usize] = 1u32; } }",
        "fn k(x: &mut [u32]) { let p: i32 = grid(1) as i32 - 4i32; if p < 3i32 { x[(p & 7i32) as usize] = 1u32; } }",
        "fn k(x: &mut [u32]) { let p: i64 = grid(1) as i64 - 9i64; let q: i64 = 7i64 & p; x[q as usize] = 1u32; }",
        "fn k(x: &mut [u32], p: i64) { let q: i64 = 15i64 & p; if p < 3i64 { x[q as usize] = 1u32; } }",
    ] {
        holds(text);
    }
    holds("fn k(x: &mut [u32], p: i8) { x[(p & -1i8) as usize] = 1u32; x[(3i8 & p) as usize] = 1u32; }");
}

/// `isize` has 64 bits, also if `usize` is represented by `u32`.
#[test]
fn wide_numbers_beside_narrow_indices() {
    for text in [
        "fn k(x: &mut [u32], n: isize) { if n >= 0isize && n < x.len() as isize { x[n as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: isize) { if n < 0isize { x[(-n) as usize] = 1u32; } x[(n + 1isize) as usize] = 1u32; }",
        "fn k(x: &mut [u32], n: isize) { let v: isize = n << 40u32; x[((v >> 40u32) & 7isize) as usize] = 1u32; }",
        "fn k(x: &mut [u32], y: &[isize]) { if y.len() > 0usize { let v: isize = y[0usize].max(0isize) / 1073741824isize; x[v as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: isize, y: &[isize]) { if (n as usize) < y.len() { x[(y[n as usize] - n) as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: u64) { if n < x.len() as u64 { x[n as usize] = 1u32; } if (n as usize) < 8usize { x[(n % 16u64) as usize] = 1u32; } }",
    ] {
        holds(text);
    }
}

/// Numbers near the limits of 32 bits, which the narrow variant computes in launches that prove that they fit.
#[test]
fn numbers_that_may_fit_into_32_bits() {
    for text in [
        "fn k(x: &mut [usize], n: usize) {
            let i: usize = grid(1);
            if i < x.len() { x[i] = n / 3usize + n % 7usize + (n >> 3u32) + (n & 255usize) + (i | n) + n.saturating_sub(i); }
        }",
        "fn k(x: &mut [usize], n: usize) {
            let mut s: usize = 0usize;
            for j in n..n + 3usize { s += j; }
            if x.len() > 0usize { x[0usize] = s; }
        }",
        "fn k(x: &mut [usize], n: usize) {
            let mut s: usize = 0usize;
            for j in n..=n + 2usize { s = j; }
            for j in (0usize..=n.min(3usize)).rev() { s += j; }
            if x.len() > 0usize { x[0usize] = s; }
        }",
        "fn k(x: &mut [usize], n: usize, m: usize) {
            let mut s: usize = 0usize;
            for j in (0usize..n).step_by(m.max(1073741824usize)) { s = j; }
            if x.len() > 0usize { x[0usize] = s; }
        }",
        "fn k(x: &mut [usize], n: usize, m: usize) {
            let mut i: usize = grid(1);
            while i < n { i += m.max(536870912usize); }
            if x.len() > 0usize { x[0usize] = i; }
        }",
        "fn k(x: &mut [isize], n: isize, m: isize) {
            let i: usize = grid(1);
            if i < x.len() { x[i] = (n - m) * 2isize + n / 5isize - (m >> 3u32) + n.min(m) - (n & m); }
        }",
        "fn k(x: &mut [usize], n: usize) {
            let i: usize = grid(1);
            let d: usize = i + n - 2147483647usize;
            if i < x.len() { x[i] = d; x[(i + n - n).min(i)] = n - 1usize; }
        }",
        "fn f(a: usize, b: usize) -> usize { a * b - b }
        fn k(x: &mut [usize], n: usize) { let i: usize = grid(1); if i < x.len() { x[i] = f(i + 1usize, n) + f(n, i); } }",
    ] {
        holds(text);
    }
}

/// A parameter of the kernel that is changed through a reference.
#[test]
fn borrowed_parameters() {
    holds(
        "fn k(x: &mut [u32], mut n: usize) {
            if n < x.len() {
                let r: &mut usize = &mut n;
                *r += 1usize;
                x[n] = 1u32;
            }
        }",
    );
    holds(
        "fn bump(n: &mut usize) -> usize { *n += 1usize; *n }
        fn k(x: &mut [u32], mut n: usize) {
            if n < x.len() {
                let m: usize = bump(&mut n);
                x[n] = 1u32;
                x[m - 1usize] = 2u32;
            }
        }",
    );
}

/// C does not specify the order of operands: `g` may be executed although `f` never returns.
#[test]
fn operands_beside_a_call_that_never_returns() {
    holds(
        "fn f(a: usize) -> usize { panic!(\"no\") }
        fn g(s: &[u32], a: usize) -> usize { s[a] as usize }
        fn k(x: &mut [u32], y: &[u32], n: usize) {
            let i: usize = grid(1);
            if i < y.len() { x[0] = g(&y[..], i) as u32; }
            let v: usize = f(n) + g(&y[..], n);
            x[v] = 1u32;
        }",
    );
    holds(
        "fn f(a: usize) -> usize { panic!(\"no\") }
        fn g(s: &[u32], a: usize) -> usize { s[a] as usize }
        fn k(x: &mut [u32], y: &[u32], n: usize) {
            let i: usize = grid(1);
            if i < y.len() { x[0] = g(&y[..], i) as u32; }
            let v: usize = if n > 7usize { f(n) } else { g(&y[..], n) };
            x[v] = 1u32;
        }",
    );
    holds(
        "fn f(a: usize) -> usize { let mut b: usize = a; loop { b += 1usize; if b > 100000usize { panic!(\"no\") } } }
        fn g(s: &[u32], a: usize) -> usize { s[a] as usize }
        fn h(a: usize, b: usize) -> usize { a + b }
        fn k(x: &mut [u32], y: &[u32], n: usize) {
            let i: usize = grid(1);
            if i < y.len() { x[0] = g(&y[..], i) as u32; }
            let v: usize = h(f(n), g(&y[..], n));
            x[v] = 1u32;
        }",
    );
}

/// Joins, loops and facts that outlive what they describe.
#[test]
fn values_that_change_after_a_fact() {
    for text in [
        // The fact belongs to the value before the change.
        "fn k(x: &mut [u32], mut n: usize) { if n < x.len() { n += 1usize; x[n] = 1u32; } }",
        "fn k(x: &mut [u32], mut n: usize) { if n < x.len() { for i in 0usize..3usize { x[n] = 1u32; n += i; } } }",
        "fn k(x: &mut [u32], mut n: usize) { if n < x.len() { for i in 0usize..3usize { x[n] = 1u32; n = n / 2usize; } } }",
        "fn k(x: &mut [u32], mut n: usize) { let c: bool = n < x.len(); while n > 0usize { n -= 1usize; if c { x[n] = 1u32; } if n > 20usize { break; } } }",
        "fn k(x: &mut [u32], n: usize) { let mut c: bool = true; for i in 0usize..n { if c { x[i] = 1u32; } c = i + 2usize < x.len(); if i > 20usize { break; } } }",
        "fn k(x: &mut [u32], n: usize) { let mut a: usize = 0usize; let mut b: usize = 1usize; while b < n { let t: usize = a + b; a = b; b = t; x[a] = 1u32; if b < x.len() { x[b] = 1u32; } } }",
        "fn k(x: &mut [u32], n: usize) { let mut a: usize = 0usize; let mut b: usize = x.len(); for i in 0usize..n { let t: usize = a; a = b; b = t; x[b] = 1u32; if i > 3usize { break; } } }",
        // A boolean that is true for one of several reasons.
        "fn k(x: &mut [u32], n: usize, m: usize) { let mut c: bool = true; if m > 3usize { c = n < x.len(); } if c { x[n] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { let c: bool = if m > 3usize { n < x.len() } else { n < x.len() + 2usize }; if c { x[n] = 1u32; } }",
        // A loop that is left in several ways.
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = 0usize; loop { if i == n { break; } if i >= x.len() { i = n; break; } i += 1usize; } x[i] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = n; while i >= x.len() { i = i / 2usize; if i == 0usize { break; } } x[i] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = 0usize; 'o: loop { for j in 0usize..4usize { i += j; if i >= n { break 'o; } if i >= x.len() { continue 'o; } x[i] = 1u32; } } x[i] = 2u32; }",
        "fn k(x: &mut [u32], n: usize) { let v: usize = 'b: { if n < x.len() { break 'b n; } if n > 20usize { break 'b n / 2usize; } 0usize }; x[v] = 1u32; }",
        // Loops that are not executed.
        "fn k(x: &mut [u32], n: usize) { let mut last: usize = n; for i in 0usize..x.len() { last = i; } x[last] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { for i in n..=x.len() { for j in (i..=n).rev() { x[j] = 1u32; } if i > 20usize { break; } } }",
        "fn k(x: &mut [u32], n: usize, m: usize) { for i in (n..m).step_by(3usize).rev() { x[i - n] = 1u32; if i < m { x[m - i - 1usize] = 1u32; } if i > 20usize { break; } } }",
        "fn k(x: &mut [u32], n: u8, m: u8) { for i in (n..=m).step_by(100usize).rev() { x[(i - n) as usize / 16usize] = 1u32; } for i in (n..m).rev().step_by(7usize) { x[(m - i) as usize - 1usize] = 1u32; } }",
        // Shadowed names.
        "fn k(x: &mut [u32], n: usize) { if n < x.len() { let n: usize = n + 1usize; x[n] = 1u32; } x[n] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let y: &mut [u32] = &mut x[n..]; let x: &mut [u32] = &mut y[..n]; if n > 0usize { x[n - 1usize] = 1u32; } }",
        // The order of an assignment.
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = 0usize; x[i] = { i += n; 1u32 }; x[i] = 2u32; if i < x.len() { x[i] = { i += 1usize; 1u32 }; } }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = n; if i < x.len() { x[i] += { i += 1usize; i as u32 }; x[{ i -= 1usize; i }] = 1u32; } }",
        // An index of a negative number.
        "fn k(x: &mut [u32]) { let i: i32 = grid(1) as i32 - 2i32; if i < x.len() as i32 { x[i as usize] = 1u32; x[i.max(0i32) as usize] = 1u32; } }",
        "fn k(x: &mut [u32]) { let i: i64 = grid(1) as i64 - 2i64; x[(i / 2i64) as usize] = 1u32; x[(i % 4i64) as usize] = 1u32; x[(i >> 1u32) as usize] = 1u32; }",
        "fn k(x: &mut [u32]) { let i: i8 = (grid(1) * 100usize) as i8; x[(i & 3i8) as usize] = 1u32; x[(i ^ 3i8) as u8 as usize] = 1u32; x[((i as u8) >> 5u32) as usize] = 1u32; }",
        "fn k(x: &mut [u32]) { let i: i16 = grid(1) as i16 - 2i16; let j: i16 = i.clamp(-1i16, 3i16); x[(j + 1i16) as usize] = 1u32; x[j as u16 as usize] = 1u32; }",
        "fn k(x: &mut [u32]) { let i: isize = grid(1) as isize; let j: isize = 3isize - i; if j <= 3isize { x[j as usize] = 1u32; } x[(j * j) as usize] = 1u32; x[(-j) as usize] = 1u32; }",
        // Narrow types wrap.
        "fn k(x: &mut [u32]) { let i: u8 = grid(1) as u8; let j: u8 = i - 1u8; x[(j + 1u8) as usize] = 1u32; x[j as usize] = 1u32; x[(i + 255u8) as usize] = 1u32; }",
        "fn k(x: &mut [u32]) { let i: u16 = grid(1) as u16; if i - 1u16 < 7u16 { x[i as usize] = 1u32; x[(i * 40000u16) as usize % 8usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: u32) { let i: u32 = grid(1) as u32; if i * n < x.len() as u32 { x[(i * n) as usize] = 1u32; x[i as usize * n as usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: u32) { let i: u32 = grid(1) as u32 + n; if (i as usize) < x.len() { x[i as usize] = 1u32; x[grid(1) + n as usize] = 1u32; } }",
        // Shifts.
        "fn k(x: &mut [u32], n: u32) { let i: usize = grid(1); x[i << n] = 1u32; x[i >> n] = 1u32; x[(i << 1u32) >> 1u32] = 1u32; x[(i << 63u32) >> 63u32] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i.wrapping_mul(n) / n.max(1usize)] = 1u32; x[(i * 3usize) / 3usize] = 1u32; x[(i - 1usize) % 4usize] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); x[i.saturating_add(n)] = 1u32; x[i.abs_diff(n)] = 1u32; x[n.min(i).max(n) - n] = 1u32; }",
        // Local arrays, and elements that carry no facts.
        "fn k(x: &mut [u32], n: usize) { let mut t: [usize; 4] = [0usize; 4]; t[0usize] = n; if t[0usize] < x.len() { t[0usize] = n + 1usize; x[t[0usize]] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let mut t: (usize, usize) = (n, 0usize); if t.0 < x.len() { t.1 = t.0; t.0 += 1usize; x[t.1] = 1u32; x[t.0] = 2u32; } }",
    ] {
        holds(text);
    }
}

/// Views, whose offsets are sums of products, and tiles.
#[test]
fn views_and_tiles() {
    for text in [
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); for j in 0usize..n { if i + 2usize * j < x.len() { x[i + 2usize * j] = 1u32; } x[j % 4usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); for j in 0usize..n { if j < x.len() - i { x[i + j] = 1u32; } if j > n - 3usize { x[j] = 2u32; } } }",
        "fn k(x: &mut [u32], m: ArrayViewMut2<u32>, n: usize) { let i: usize = grid(1); for j in 0usize..n { if i < m.nrows() && j < m.ncols() { m[[i, j]] = x[j % x.len()]; } } }",
        "fn k(x: &mut [u32], m: ArrayViewMut2<u32>) { let i: usize = grid(1); for j in 0usize..m.ncols() { if i < m.nrows() { m[[i, j]] = 1u32; } } }",
        "fn k(x: &mut [u32], m: ArrayViewMut2<u32>, n: usize) { let i: usize = grid(1); m[[i % m.nrows(), n % m.ncols()]] = 1u32; m[[n, 0usize]] = 1u32; }",
        "fn k(x: &mut [u32], m: ArrayViewMut2<u32>) { let i: usize = grid(1); if i > 0usize && i < m.nrows() - 1usize { for j in 1usize..m.ncols() - 1usize { m[[i - 1usize, j + 1usize]] = m[[i + 1usize, j - 1usize]]; } } }",
        "fn k(x: &mut [u32], w: usize, h: usize) { let i: usize = grid(1); if w * h <= x.len() && i < w * h { let (r, c): (usize, usize) = (i / w, i % w); x[r * w + c] = 1u32; if r + 1usize < h { x[(r + 1usize) * w + c] = 1u32; } } }",
        "fn k(x: &mut [u32], w: usize) { let t: usize = thread_idx().x; let mut s: [u32; 8] = [0u32; 8]; for j in 0usize..w.min(8usize) { s[(t + j) % 8usize] = x[t * w + j]; s[t ^ 1usize] = 1u32; } }",
    ] {
        holds(text);
    }
}

/// Elements, structs, tuples, enums, and effects in conditions.
#[test]
fn aggregates_and_effects() {
    for text in [
        "fn k(x: &mut [u32], y: &[u32]) { for (e, v) in y.iter().enumerate() { x[e] = *v; } }",
        "fn k(x: &mut [u32], y: &[u32]) { for (e, v) in x.iter_mut().enumerate() { *v = y[e]; } for (e, v) in y.iter().enumerate().rev() { x[y.len() - 1usize - e] = *v; } }",
        "fn k(x: &mut [u32], y: &[usize]) { for v in y { if *v < x.len() { x[*v] = 1u32; } } for v in y.iter().rev() { x[*v % 8usize] = 1u32; } }",
        "struct P { a: usize, b: u32 }
        fn f(p: P, n: usize) -> usize { if p.a < n { return p.a; } p.b as usize }
        fn k(x: &mut [u32], n: usize) { let mut p: P = P { a: n, b: 1u32 }; if p.a < x.len() { x[p.a] = 1u32; p.a += 1usize; x[p.a] = 1u32; } x[f(p, x.len())] = 1u32; }",
        "struct P { a: usize }
        impl P { fn next(&mut self) -> usize { self.a += 1usize; self.a } }
        fn k(x: &mut [u32], n: usize) { let mut p: P = P { a: n }; if n < x.len() { let q: usize = p.next(); x[q - 1usize] = 1u32; x[p.a] = 1u32; x[q] = 1u32; } }",
        "fn f(a: usize, n: usize) -> (usize, usize) { if a < n { (a, n - a) } else { (0usize, n) } }
        fn k(x: &mut [u32], n: usize) { let (a, b): (usize, usize) = f(n, x.len()); for i in 0usize..b { x[a + i] = 1u32; } }",
        "fn f(c: bool, i: usize, n: usize) -> bool { if c { i < n } else { i + 1usize < n } }
        fn k(x: &mut [u32], n: usize, m: usize) { if f(m > 3usize, n, x.len()) { x[n] = 1u32; } let c: bool = f(n == m, m, x.len()); if c { x[m] = 1u32; } if !c { x[m] = 2u32; } }",
        "fn f(s: &[u32], n: usize) -> usize { for i in 0usize..s.len() { if s[i] as usize == n { return i; } } s.len() }
        fn k(x: &mut [u32], y: &[u32], n: usize) { let i: usize = f(&y[..], n); if i < y.len() { x[i] = y[i]; } x[i] = 1u32; }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = n; if i < x.len() && { i += 1usize; i < x.len() + 1usize } { x[i - 1usize] = 1u32; x[i] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = n; while { i += 1usize; i < x.len() } { x[i] = 1u32; } if i > n { x[i] = 2u32; } }",
        "fn k(x: &mut [u32], n: usize) { let mut i: usize = 0usize; let c: bool = n > 3usize || { i = n; n < x.len() }; if c { x[i] = 1u32; } else { x[n] = 1u32; } }",
        "enum E { A, B, C }
        fn k(x: &mut [u32], n: usize) { let e: E = if n == 0usize { E::A } else if n < x.len() { E::B } else { E::C }; match e { E::A => { x[n] = 1u32; }, E::B => { x[n] = 1u32; }, E::C => { x[0usize] = 1u32; } } }",
        "fn k(x: &mut [u32], n: usize) { let r: &usize = &n; if *r < x.len() { x[*r] = 1u32; x[n] = 1u32; } let mut m: usize = n; let s: &mut usize = &mut m; if *s < x.len() { *s += 1usize; x[*s] = 1u32; } }",
        "fn k(x: &mut [u32], mut n: usize, mut m: usize) { let r: &mut usize = if n > m { &mut n } else { &mut m }; if *r < x.len() { *r += 1usize; x[*r] = 1u32; } }",
        "fn swap(a: &mut usize, b: &mut usize) { let t: usize = *a; *a = *b; *b = t; }
        fn k(x: &mut [u32], n: usize) { let mut a: usize = 0usize; let mut b: usize = n; for i in 0usize..3usize { if a < x.len() { swap(&mut a, &mut b); x[a] = 1u32; } } }",
    ] {
        holds(text);
    }
}

/// Counters whose first value is beyond the end, and whose last value is beyond what an `int` holds.
#[test]
fn tests_read_values_that_no_iteration_has() {
    for text in [
        "fn k(x: &mut [u32]) { let (i, j): (usize, usize) = grid(2); let first: usize = !j; for e in first..x.len() { x[i.min(x.len() - 1usize)] = e as u32; } }",
        "fn k(x: &mut [u32], n: usize) { for e in n..x.len() { x[0usize] = 1u32 + e as u32; } }",
        "fn k(x: &mut [u32], n: usize) { for e in (0usize..x.len()).step_by(n) { x[e] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { let i: usize = grid(1); for e in (i * n..x.len()).step_by(n) { x[e] = 1u32; x[0usize] = e as u32; } }",
        "fn k(x: &mut [u32], n: usize) { for e in (n..=x.len()).rev() { x[e - 1usize] = 1u32; } }",
        "fn k(x: &mut [u32], n: usize) { for e in (!n..x.len()).rev() { x[e] = 1u32; } x[0usize] = 3u32; }",
        "fn k(x: &mut [u32], n: usize) { let mut e: usize = !n; while e < x.len() { x[e] = 1u32; e += 1usize; } }",
    ] {
        holds(text);
    }
}

/// What precedes an inner loop changes in each iteration of the outer one: a condition on it is no condition for the invariants of
/// the outer loop, which hold in all iterations or in none.
#[test]
fn invariants_of_outer_loops() {
    for text in [
        "fn k(x: &mut [u32], y: &[usize], e: u32) { let mut t: [u32; 256] = [0u32; 256]; let mut a: usize = 0usize; for r in 0usize..y.len() { let v: usize = y[r]; let b: u8 = a as u8; if b == 77u8 { x[0usize] = 3u32; } for j in (v as u32)..e { t[a] = j; if j > 3u32 { break; } } a = v.saturating_sub((v as u32) as usize); } x[0usize] = t[0usize]; }",
        "fn k(x: &mut [u32], y: &[usize], m: usize, lim: usize) { let mut p: usize = 100usize; for r in 0usize..y.len() { let s: usize = y[r]; let q: usize = p - 100usize; if q == 77usize { x[0usize] = 3u32; } for j in 0usize..m { x[q] = j as u32; if p <= lim { p += s; } } } }",
        "fn k(x: &mut [u32], y: &[usize], w: usize, e: usize) { let mut a: usize = 0usize; for r in 0usize..y.len() { let v: usize = y[r]; let b: usize = 5usize.wrapping_sub(a); if b == 77usize { x[0usize] = 3u32; } for j in v.wrapping_add(w)..e { x[b] = j as u32; if j > 3usize { break; } } a = v.saturating_sub(v.wrapping_add(w)); } }",
    ] {
        holds(text);
    }
}

/// Operands beside a call that may not return: C evaluates them in any order.
#[test]
fn calls_that_do_not_return() {
    for text in [
        "fn f(n: usize) -> usize { if n > 40usize { panic!(\"no\") } if n > 20usize { return 1usize; } 2usize }
        fn k(x: &mut [u32], y: &[usize]) { if y.len() > 0usize { let n: usize = y[0usize]; x[f(n) + (n % 1099511627776usize + 5usize)] = 1u32; } }",
        "fn f(n: usize) -> usize { if n > 40usize { loop { } } if n > 20usize { return 1usize; } 2usize }
        fn k(x: &mut [u32], y: &[usize]) { if y.len() > 0usize { let n: usize = y[0usize]; x[f(n) + (n % 1099511627776usize + 5usize)] = 1u32; } }",
        "fn p(v: usize) -> usize { if v >= 30usize { panic!(\"no\") } if v > 20usize { return v - 1usize; } v }
        fn k(x: &mut [u32], y: &[usize]) { if y.len() > 0usize { let n: usize = y[0usize]; x[p(n) * 2usize + (n / 3usize + 4usize) * 2usize] = 1u32; } }",
    ] {
        holds(text);
    }
}

/// The fields of structs: assigned as a whole, through references, in loops, and as the results of several returns.
#[test]
fn fields_of_structs() {
    for text in [
        "struct S { a: usize, b: usize } fn k(x: &mut [u32], n: usize) { let mut s: S = S { a: 0usize, b: 1usize }; for i in 0usize..n { if s.a < x.len() { x[s.a] = 1u32; } if i == 2usize { s = S { a: s.b * 7usize, b: n }; } x[s.a % 3usize] = s.b as u32; } }",
        "struct S { a: usize, b: usize } fn f(s: &mut S) { s.a += 5usize; } fn k(x: &mut [u32]) { let mut s: S = S { a: 0usize, b: 1usize }; if s.a < x.len() { f(&mut s); x[s.a] = 1u32; x[s.b] = 1u32; } }",
        "struct S { a: usize, b: usize } fn k(x: &mut [u32]) { let mut s: S = S { a: 0usize, b: 1usize }; { let r: &mut usize = &mut s.b; *r += 4usize; } if s.a < x.len() { x[s.b] = 1u32; x[s.a] = 1u32; } }",
        "struct S { a: usize, b: usize } struct T { s: S, c: usize } fn k(x: &mut [u32], n: usize) { let mut t: T = T { s: S { a: n, b: n }, c: 0usize }; let u: S = t.s; if u.a < x.len() { t.s.a += 1usize; x[u.a] = 1u32; x[t.s.b] = 2u32; x[t.s.a] = 3u32; } }",
        "struct S { a: usize, b: usize } fn k(x: &mut [u32], n: usize) { let mut s: S = S { a: 9usize, b: n }; let old: S = s; while s.a > 0usize { s.a -= 1usize; x[old.a] = 1u32; x[s.a] = 2u32; s.b = s.b.wrapping_mul(3usize); if s.b < x.len() { x[s.b] = 4u32; } } }",
        "struct O { t: u32, v: usize } fn f(x: &[u32], n: usize) -> O { if n < x.len() { return O { t: 1u32, v: n }; } if n > 100usize { return O { t: 2u32, v: n - 100usize }; } O { t: 0u32, v: 7usize } } fn k(x: &mut [u32], n: usize) { let o: O = f(&x[..], n); if o.t == 1u32 { x[o.v] = 1u32; } if o.t == 2u32 { x[o.v] = 2u32; } if o.t != 1u32 { x[o.v + 1usize] = 3u32; } }",
        "struct O { t: u32, v: usize } fn f(x: &[u32], n: usize) -> O { if n < x.len() { return O { t: 1u32, v: n }; } O { t: 1u32, v: n + 1usize } } fn k(x: &mut [u32], n: usize) { let o: O = f(&x[..], n); if o.t == 1u32 { x[o.v] = 1u32; } }",
        "struct O { t: u32, v: usize } fn k(x: &mut [u32], n: usize) { let mut o: O = O { t: 0u32, v: n }; if n < x.len() { o = O { t: 1u32, v: n }; } o.t = 1u32; if o.t == 1u32 { x[o.v] = 1u32; } }",
        "struct O { t: u32, v: usize } fn k(x: &mut [u32], n: usize) { let mut o: O = O { t: 0u32, v: n }; if n < x.len() { o = O { t: 1u32, v: n }; } o.v += 1usize; if o.t == 1u32 { x[o.v] = 1u32; x[o.v - 1usize] = 2u32; } }",
        "struct S { a: i32, b: u8 } fn k(x: &mut [u32], n: i32) { let mut s: S = S { a: n, b: 250u8 }; for i in 0usize..10usize { s.b = s.b.wrapping_add(1u8); s.a = s.a.wrapping_add(1i32); if (s.b as usize) < x.len() { x[s.b as usize] = i as u32; } if s.a >= 0i32 && (s.a as usize) < x.len() { x[s.a as usize] = 1u32; } } }",
    ] {
        holds(text);
    }
}

/// The kernels of the file `CUMBIA_PROOF_FILE`, separated by lines of `---`.
#[test]
fn kernels_of_a_file() {
    let Ok(path) = std::env::var("CUMBIA_PROOF_FILE") else { return };
    let text = std::fs::read_to_string(path).expect("the file can be read");
    for kernel in text.split("---\n").map(str::trim).filter(|kernel| !kernel.is_empty()) {
        holds(kernel);
    }
}
