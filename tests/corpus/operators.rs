//! Every operator on every supported type, at its limits: overflow, division, shifts, comparisons.

use std::ops::{BitAnd, BitOr, BitXor, Neg, Not, Shl, Shr};

use cumbia::prelude::*;

use crate::inputs::Edges;
use crate::sweep::{binary, checked, unary};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    integer_arithmetic,
    float_arithmetic,
    bit_operators,
    shifts,
    shift_amounts,
    comparisons,
    booleans,
    compound
];

#[kernel]
pub fn add<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] + b[i];
    }
}

#[kernel]
pub fn sub<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] - b[i];
    }
}

#[kernel]
pub fn mul<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] * b[i];
    }
}

#[kernel]
pub fn div<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] / b[i];
    }
}

#[kernel]
pub fn rem<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] % b[i];
    }
}

#[kernel]
pub fn neg<T: Number + Neg<Output = T>>(x: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = -x[i];
    }
}

#[kernel]
pub fn not<T: Number + Not<Output = T>>(x: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = !x[i];
    }
}

#[kernel]
pub fn and<T: Number + BitAnd<Output = T>>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] & b[i];
    }
}

#[kernel]
pub fn or<T: Number + BitOr<Output = T>>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] | b[i];
    }
}

#[kernel]
pub fn xor<T: Number + BitXor<Output = T>>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] ^ b[i];
    }
}

#[kernel]
pub fn shl<T: Number + Shl<N, Output = T>, N: Number>(a: &[T], by: &[N], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] << by[i];
    }
}

#[kernel]
pub fn shr<T: Number + Shr<N, Output = T>, N: Number>(a: &[T], by: &[N], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = a[i] >> by[i];
    }
}

/// One bit for each comparison.
#[kernel]
pub fn compare<T: Number>(a: &[T], b: &[T], out: &mut [u32]) {
    let i = grid(1);
    if i < out.len() {
        let (x, y) = (a[i], b[i]);
        out[i] = (x == y) as u32
            + (x != y) as u32 * 2
            + (x < y) as u32 * 4
            + (x <= y) as u32 * 8
            + (x > y) as u32 * 16
            + (x >= y) as u32 * 32;
    }
}

fn compared<T: PartialOrd + Copy>(x: T, y: T) -> u32 {
    [x == y, x != y, x < y, x <= y, x > y, x >= y].into_iter().rev().fold(0, |bits, bit| bits * 2 + u32::from(bit))
}

/// Calls `$each` with a run and each of the types.
macro_rules! for_types {
    ($run:ident: $each:ident!($($ty:ident)*)) => {
        $($each!($run $ty);)*
    };
}

fn integer_arithmetic(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $int:ident) => {{
            let name = |op: &str| format!("{} {op}", stringify!($int));
            let pairs = $int::pairs(100);
            let sum = |a: $int, b| checked(a.checked_add(b), a.wrapping_add(b));
            binary($run, &name("+"), &pairs, sum, |a, b, out| add(a, b, out));
            let difference = |a: $int, b| checked(a.checked_sub(b), a.wrapping_sub(b));
            binary($run, &name("-"), &pairs, difference, |a, b, out| sub(a, b, out));
            let product = |a: $int, b| checked(a.checked_mul(b), a.wrapping_mul(b));
            binary($run, &name("*"), &pairs, product, |a, b, out| mul(a, b, out));
            binary($run, &name("/"), &pairs, |a: $int, b| a.checked_div(b), |a, b, out| div(a, b, out));
            binary($run, &name("%"), &pairs, |a: $int, b| a.checked_rem(b), |a, b, out| rem(a, b, out));
        }};
    }
    macro_rules! negation {
        ($run:ident $int:ident) => {
            let negated = |x: $int| checked(x.checked_neg(), x.wrapping_neg());
            unary($run, concat!("-", stringify!($int)), &$int::some(50), negated, |x, out| neg(x, out));
        };
    }
    for_types!(run: each!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize));
    for_types!(run: negation!(i8 i16 i32 i64 isize));
}

fn float_arithmetic(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $float:ident) => {{
            let name = |op: &str| format!("{} {op}", stringify!($float));
            let pairs = $float::pairs(100);
            binary($run, &name("+"), &pairs, |a: $float, b| Some(a + b), |a, b, out| add(a, b, out));
            binary($run, &name("-"), &pairs, |a: $float, b| Some(a - b), |a, b, out| sub(a, b, out));
            binary($run, &name("*"), &pairs, |a: $float, b| Some(a * b), |a, b, out| mul(a, b, out));
            binary($run, &name("/"), &pairs, |a: $float, b| Some(a / b), |a, b, out| div(a, b, out));
            binary($run, &name("%"), &pairs, |a: $float, b| Some(a % b), |a, b, out| rem(a, b, out));
            unary($run, &name("negated"), &$float::some(50), |x: $float| Some(-x), |x, out| neg(x, out));
        }};
    }
    for_types!(run: each!(f32 f64));
}

fn bit_operators(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $int:ident) => {{
            let name = |op: &str| format!("{} {op}", stringify!($int));
            let pairs = $int::pairs(50);
            binary($run, &name("&"), &pairs, |a: $int, b| Some(a & b), |a, b, out| and(a, b, out));
            binary($run, &name("|"), &pairs, |a: $int, b| Some(a | b), |a, b, out| or(a, b, out));
            binary($run, &name("^"), &pairs, |a: $int, b| Some(a ^ b), |a, b, out| xor(a, b, out));
            unary($run, &name("!"), &$int::some(50), |x: $int| Some(!x), |x, out| not(x, out));
        }};
    }
    for_types!(run: each!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize));
}

fn shifts(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $int:ident) => {{
            let amounts = [0u32, 1, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 1 << 31, u32::MAX];
            let pairs: Vec<($int, u32)> =
                $int::edges().into_iter().flat_map(|x| amounts.map(|amount| (x, amount))).collect();
            let left = |x: $int, by| checked(x.checked_shl(by), x.wrapping_shl(by));
            binary($run, concat!(stringify!($int), " <<"), &pairs, left, |a, b, out| shl(a, b, out));
            let right = |x: $int, by| checked(x.checked_shr(by), x.wrapping_shr(by));
            binary($run, concat!(stringify!($int), " >>"), &pairs, right, |a, b, out| shr(a, b, out));
        }};
    }
    for_types!(run: each!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize));
}

/// Shift amounts of any integer type, also negative ones.
fn shift_amounts(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $by:ident) => {{
            let pairs: Vec<(i32, $by)> = $by::edges().into_iter().map(|by| (-123_456_789, by)).collect();
            // The lowest bits determine a wrapped amount, and are equal in any wider type.
            let fits = |by: $by| u32::try_from(by).ok().filter(|by| *by < 32);
            let left = |x: i32, by: $by| checked(fits(by).map(|by| x << by), x.wrapping_shl(by as u32));
            binary($run, concat!("i32 << ", stringify!($by)), &pairs, left, |a, b, out| shl(a, b, out));
            let right = |x: i32, by: $by| checked(fits(by).map(|by| x >> by), x.wrapping_shr(by as u32));
            binary($run, concat!("i32 >> ", stringify!($by)), &pairs, right, |a, b, out| shr(a, b, out));
        }};
    }
    for_types!(run: each!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize));
}

fn comparisons(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $ty:ident) => {{
            let host = |a: $ty, b: $ty| Some(compared(a, b));
            binary($run, stringify!($ty), &$ty::pairs(50), host, |a, b, out| super::operators::compare(a, b, out));
        }};
    }
    for_types!(run: each!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64));
}

/// The operators of `bool`; `^` and `!=`, and `<` with `false < true`.
#[kernel]
pub fn of_bools(a: &[bool], b: &[bool], out: &mut [bool], numbers: &mut [u8]) {
    let i = grid(1);
    if i < a.len() {
        let (p, q) = (a[i], b[i]);
        let at = 8 * i;
        out[at] = p & q;
        out[at + 1] = p | q;
        out[at + 2] = p ^ q;
        out[at + 3] = !p;
        out[at + 4] = p && !q;
        out[at + 5] = p || !q;
        out[at + 6] = p == q;
        out[at + 7] = p < q;
        let mut both = p;
        both &= q;
        both ^= true;
        numbers[i] = p as u8 + q as u8 * 2 + both as u8 * 4;
    }
}

fn booleans(run: &mut Run<'_>) {
    let (p, q) = ([false, false, true, true], [false, true, false, true]);
    let (a, b) = (run.array(&p), run.array(&q));
    let (mut out, mut numbers) = (run.zeros(32), run.zeros(4));
    run.launch(of_bools(&a, &b, &mut out, &mut numbers).over(4));
    let expected: Vec<bool> =
        p.into_iter().zip(q).flat_map(|(p, q)| [p & q, p | q, p ^ q, !p, p && !q, p || !q, p == q, !p & q]).collect();
    run.expect("bools", &out, &expected);
    run.expect("numbers", &numbers, &[4, 6, 5, 3]);
}

/// Every compound assignment, to a variable and to an element.
#[kernel]
pub fn assign_operators(x: &[u32], out: &mut [u32]) {
    let i = grid(1);
    if i < out.len() {
        let mut n = x[i] / 4;
        n += 5;
        n -= 2;
        n *= 3;
        n /= 2;
        n %= 1_000_003;
        n <<= 3;
        n |= 0x10_0001;
        n &= 0xff_ffef;
        n ^= 0x5555;
        n >>= 1;
        out[i] = x[i] / 8;
        out[i] += n;
        out[i] -= 1;
        out[i] /= 3;
        out[i] *= 2;
        out[i] %= 123_457;
        out[i] <<= 2;
        out[i] |= 9;
        out[i] &= !2;
        out[i] ^= n & 0xff;
        out[i] >>= 1;
    }
}

fn compound(run: &mut Run<'_>) {
    let values: Vec<u32> = u32::some(50).into_iter().map(|x| x / 8).collect();
    let (x, mut out) = (run.array(&values), run.zeros(values.len()));
    run.launch(assign_operators(&x, &mut out).over(values.len()));
    let expected: Vec<u32> = values
        .iter()
        .map(|x| {
            let n = ((((((x / 4 + 3) * 3 / 2) % 1_000_003) << 3) | 0x10_0001) & 0xff_ffef ^ 0x5555) >> 1;
            let element = (((((x / 8 + n - 1) / 3 * 2) % 123_457) << 2) | 9) & !2;
            (element ^ (n & 0xff)) >> 1
        })
        .collect();
    run.expect("out", &out, &expected);
}
