//! Types that rustc infers from later code: of literals, of casts to `_`, of variables without an annotation.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![late_cases, width_cases, cast_cases, form_cases];

/// Literals whose types are determined by later code.
#[kernel]
pub fn late(x: &[f32], bytes: &[u8], out: &mut [f32], longs: &mut [i64], small: &mut [u8]) {
    let mut acc = 0.0;
    let mut longest = 0;
    let mut byte = 250;
    let mut at = 0;
    let mut most = -1;
    while at < x.len() {
        acc += x[at];
        byte = bytes[at].wrapping_add(byte);
        longest = longs[0] + longest;
        at += 1;
        most = if most < 5 { most + 1 } else { most };
    }
    out[0] = acc;
    small[0] = byte;
    longs[0] = longest << 33;
    longs[1] = most;
}

fn late_cases(run: &mut Run<'_>) {
    let (x, bytes) = (run.array(&[0.1f32, 0.2, 0.3]), run.array(&[1u8, 2, 3]));
    let (mut out, mut longs, mut small) = (run.zeros(1), run.array(&[2i64, 0]), run.zeros(1));
    run.launch(late(&x, &bytes, &mut out, &mut longs, &mut small).grid(1).block(1));
    run.expect("out", &out, &[0.1 + 0.2 + 0.3]);
    run.expect("small", &small, &[0]);
    run.expect("longs", &longs, &[6 << 33, 2]);
}

/// The bits of a type show which one a literal has.
#[kernel]
pub fn widths(out: &mut [u32], a: i8, b: u16, c: i32, d: u64) {
    let (mut one_8, mut one_16, mut one_32, mut one_64) = (1, 1, 1, 1);
    out[0] = if a == one_8 { 0 } else { 1 };
    out[1] = if b == one_16 { 0 } else { 1 };
    out[2] = if c == one_32 { 0 } else { 1 };
    out[3] = if d == one_64 { 0 } else { 1 };
    one_8 += 0;
    one_16 += 0;
    one_32 += 0;
    one_64 += 0;
    out[4] = one_8.leading_zeros() + 100 * one_16.leading_zeros();
    out[5] = one_32.leading_zeros() + 100 * one_64.leading_zeros();
    let unknown = 1;
    let fraction = 1.0;
    out[6] = -unknown as u32 + (fraction / 3.0) as u32;
}

fn width_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(7);
    run.launch(widths(&mut out, 1, 1, 0, 0).grid(1).block(1));
    run.expect("out", &out, &[0, 0, 1, 1, 7 + 1500, 31 + 6300, u32::MAX]);
}

/// `as _`: the use of the value determines the target type.
#[kernel]
pub fn casts(x: f64, n: i32, singles: &mut [f32], bytes: &mut [u8], shorts: &mut [i16]) {
    singles[0] = x as _;
    singles[1] = n as _;
    bytes[0] = n as _;
    bytes[1] = x as _;
    shorts[0] = (n as i16).wrapping_add(x as _);
    let index: usize = (n as u8 % 2) as _;
    shorts[1 + index] = half(n as _) as _;
}

/// Half of it.
#[device]
pub fn half(x: f32) -> f32 {
    0.5 * x
}

fn cast_cases(run: &mut Run<'_>) {
    let (mut singles, mut bytes, mut shorts) = (run.zeros(2), run.zeros(2), run.zeros(3));
    run.launch(casts(300.7, -5, &mut singles, &mut bytes, &mut shorts).grid(1).block(1));
    run.expect("singles", &singles, &[300.7, -5.0]);
    run.expect("bytes", &bytes, &[251, 255]);
    run.expect("shorts", &shorts, &[295, 0, -2]);
}

/// Every form of literal.
#[kernel]
pub fn forms(out: &mut [f64], integers: &mut [i64]) {
    out[0] = 1e3;
    out[1] = 1_000.000_1;
    out[2] = 2.;
    out[3] = -1.5e-3f64;
    out[4] = 7f32 as f64;
    out[5] = 0.1f32 as f64;
    out[6] = -0.0;
    integers[0] = 0xff_ff;
    integers[1] = 0b1010 + 0o17;
    integers[2] = -9_223_372_036_854_775_808;
    integers[3] = b'a' as i64;
    integers[4] = -128i8 as i64;
    integers[5] = i64::from(200u8) + i64::from(true as u8);
    integers[6] = 18_446_744_073_709_551_615u64 as i64;
    integers[7] = -(-5) - -3;
    integers[8] = !0 & 0xf0;
}

fn form_cases(run: &mut Run<'_>) {
    let (mut out, mut integers) = (run.zeros(7), run.zeros(9));
    run.launch(forms(&mut out, &mut integers).grid(1).block(1));
    run.expect("out", &out, &[1e3, 1_000.000_1, 2.0, -1.5e-3, 7.0, f64::from(0.1f32), -0.0]);
    run.expect("integers", &integers, &[0xffff, 25, i64::MIN, 97, -128, 201, -1, 8, 0xf0]);
}
