//! Directed tests: kernels and launches that a wrong assumption of the analysis would accept.
//!
//! Each kernel runs with arrays and scalars at all limits, in both overflow profiles, with and without a fixed block,
//! and with both orders of the operands of an expression.

use super::generate::{Param, Rng};
use super::interpreter::{Arg, Launch};
use super::{Mode, Statistics, Subject};
use crate::ir::Scalar;

const LENGTHS: [u64; 7] = [0, 1, 2, 3, 7, 8, 9];

/// The number of launches of a kernel in each mode.
const LAUNCHES: usize = 40;

const NUMBERS: [i128; 16] = [
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
    let params = params(text);
    let mut removed = 0;
    for (overflow_checks, fixed_block) in
        [(false, None), (true, None), (false, Some([4, 1, 1])), (true, Some([8, 1, 1]))]
    {
        let mode = Mode { overflow_checks, fixed_block, narrow: false };
        let mut subject = Subject::new(text, mode).expect("a valid kernel");
        let mut rng = Rng::new(7);
        let mut statistics = Statistics::default();
        for i in 0..LAUNCHES {
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
