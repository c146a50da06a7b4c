//! Every cast between two numeric types, at the limits of the source type.

use cumbia::prelude::*;

use crate::inputs::Edges;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![numbers, bools_and_bytes, lossless, chains, literals];

/// A kernel that casts numbers of one type to every type.
macro_rules! cast_from {
    ($($kernel:ident $from:ident)*) => {$(
        #[kernel]
        pub fn $kernel(
            x: &[$from],
            i8s: &mut [i8],
            i16s: &mut [i16],
            i32s: &mut [i32],
            i64s: &mut [i64],
            isizes: &mut [isize],
            u8s: &mut [u8],
            u16s: &mut [u16],
            u32s: &mut [u32],
            u64s: &mut [u64],
            usizes: &mut [usize],
            f32s: &mut [f32],
            f64s: &mut [f64],
        ) {
            let i = grid(1);
            if i < x.len() {
                i8s[i] = x[i] as i8;
                i16s[i] = x[i] as i16;
                i32s[i] = x[i] as i32;
                i64s[i] = x[i] as i64;
                isizes[i] = x[i] as isize;
                u8s[i] = x[i] as u8;
                u16s[i] = x[i] as u16;
                u32s[i] = x[i] as u32;
                u64s[i] = x[i] as u64;
                usizes[i] = x[i] as usize;
                f32s[i] = x[i] as f32;
                f64s[i] = x[i] as f64;
            }
        }
    )*};
}

cast_from!(
    from_i8 i8 from_i16 i16 from_i32 i32 from_i64 i64 from_isize isize from_u8 u8 from_u16 u16 from_u32 u32
    from_u64 u64 from_usize usize from_f32 f32 from_f64 f64
);

fn numbers(run: &mut Run<'_>) {
    macro_rules! each {
        ($($kernel:ident $from:ident)*) => {$({
            let values = $from::some(200);
            let x = run.array(&values);
            let len = values.len();
            let (mut i8s, mut i16s, mut i32s) = (run.zeros(len), run.zeros(len), run.zeros(len));
            let (mut i64s, mut isizes, mut u8s) = (run.zeros(len), run.zeros(len), run.zeros(len));
            let (mut u16s, mut u32s, mut u64s) = (run.zeros(len), run.zeros(len), run.zeros(len));
            let (mut usizes, mut f32s, mut f64s) = (run.zeros(len), run.zeros(len), run.zeros(len));
            run.launch(
                $kernel(
                    &x, &mut i8s, &mut i16s, &mut i32s, &mut i64s, &mut isizes, &mut u8s, &mut u16s, &mut u32s,
                    &mut u64s, &mut usizes, &mut f32s, &mut f64s,
                )
                .over(len),
            );
            each!(@expect values $from: i8s i8, i16s i16, i32s i32, i64s i64, isizes isize, u8s u8, u16s u16,
                u32s u32, u64s u64, usizes usize, f32s f32, f64s f64);
        })*};
        (@expect $values:ident $from:ident: $($out:ident $to:ident),*) => {$(
            let expected: Vec<$to> = $values.iter().map(|&x| x as $to).collect();
            run.expect(concat!(stringify!($from), " as ", stringify!($to)), &$out, &expected);
        )*};
    }
    each!(
        from_i8 i8 from_i16 i16 from_i32 i32 from_i64 i64 from_isize isize from_u8 u8 from_u16 u16 from_u32 u32
        from_u64 u64 from_usize usize from_f32 f32 from_f64 f64
    );
}

/// Casts of `bool` to every integer type.
#[kernel]
pub fn from_bool(x: &[bool], i8s: &mut [i8], u16s: &mut [u16], i32s: &mut [i32], u64s: &mut [u64]) {
    let i = grid(1);
    if i < x.len() {
        i8s[i] = x[i] as i8;
        u16s[i] = x[i] as u16;
        i32s[i] = x[i] as i32 - 7;
        u64s[i] = (x[i] as u64) << 40;
    }
}

fn bools_and_bytes(run: &mut Run<'_>) {
    let x = run.array(&[false, true, true]);
    let (mut i8s, mut u16s, mut i32s, mut u64s) = (run.zeros(3), run.zeros(3), run.zeros(3), run.zeros(3));
    run.launch(from_bool(&x, &mut i8s, &mut u16s, &mut i32s, &mut u64s).over(3));
    run.expect("i8", &i8s, &[0, 1, 1]);
    run.expect("u16", &u16s, &[0, 1, 1]);
    run.expect("i32", &i32s, &[-7, -6, -6]);
    run.expect("u64", &u64s, &[0, 1 << 40, 1 << 40]);
}

/// The lossless conversions by `From`.
#[kernel]
pub fn widened(a: &[u8], b: &[i16], c: &[f32], u64s: &mut [u64], i32s: &mut [i32], f64s: &mut [f64]) {
    let i = grid(1);
    if i < a.len() {
        u64s[i] = u64::from(a[i]) * 1_000_000_007;
        i32s[i] = i32::from(b[i]) * 65_535;
        f64s[i] = f64::from(c[i]) / 3.0;
    }
}

fn lossless(run: &mut Run<'_>) {
    let (bytes, shorts, floats) = ([0u8, 1, 200, 255], [i16::MIN, -1, 5, i16::MAX], [0.1f32, -1e30, 1e-45, 7.0]);
    let (a, b, c) = (run.array(&bytes), run.array(&shorts), run.array(&floats));
    let (mut u64s, mut i32s, mut f64s) = (run.zeros(4), run.zeros(4), run.zeros(4));
    run.launch(widened(&a, &b, &c, &mut u64s, &mut i32s, &mut f64s).over(4));
    run.expect("u64", &u64s, &bytes.map(|x| u64::from(x) * 1_000_000_007));
    run.expect("i32", &i32s, &shorts.map(|x| i32::from(x) * 65_535));
    run.expect("f64", &f64s, &floats.map(|x| f64::from(x) / 3.0));
}

/// A literal without a suffix has the type of the cast, if it can.
#[kernel]
#[allow(clippy::excessive_precision, clippy::unnecessary_cast, reason = "what is tested")]
pub fn cast_literals(u64s: &mut [u64], f32s: &mut [f32]) {
    u64s[0] = 0xcbf2_9ce4_8422_2325 as u64;
    u64s[1] = (3_000_000_000) as u64 + 5_000_000_000 as usize as u64;
    u64s[2] = -3_000_000_000 as i64 as u64;
    u64s[3] = 200 as u8 as i8 as u64;
    u64s[4] = 7 as f32 as u64 + 2.9 as u8 as u64;
    f32s[0] = 1.000_000_059_604_644_775_390_625_01 as f32;
    f32s[1] = -1.000_000_059_604_644_775_390_625_01 as f64 as f32;
    f32s[2] = 16_777_217 as f32;
}

#[allow(clippy::excessive_precision, clippy::unnecessary_cast, reason = "as above")]
fn literals(run: &mut Run<'_>) {
    let (mut u64s, mut f32s) = (run.zeros(5), run.zeros(3));
    run.launch(cast_literals(&mut u64s, &mut f32s).over(1));
    let wide = [0xcbf2_9ce4_8422_2325, 8_000_000_000, -3_000_000_000i64 as u64, 200u8 as i8 as u64, 9];
    run.expect("u64", &u64s, &wide);
    run.expect(
        "f32",
        &f32s,
        &[
            1.000_000_059_604_644_775_390_625_01 as f32,
            -1.000_000_059_604_644_775_390_625_01 as f64 as f32,
            16_777_217 as f32,
        ],
    );
}

/// Casts of casts, and of results that are wider in C than in Rust.
#[kernel]
pub fn cast_chains(x: &[i32], out: &mut [i64]) {
    let i = grid(1);
    if i < x.len() {
        let at = 6 * i;
        out[at] = x[i] as u8 as i8 as i64;
        out[at + 1] = x[i] as i8 as u32 as i64;
        out[at + 2] = x[i] as u16 as f32 as i16 as i64;
        out[at + 3] = (x[i] as u8).wrapping_add(200) as i64;
        out[at + 4] = !(x[i] as u8) as i64;
        out[at + 5] = (-(x[i] as i8 / 2)) as u8 as i64;
    }
}

fn chains(run: &mut Run<'_>) {
    let values = i32::some(50);
    let (x, mut out) = (run.array(&values), run.zeros(6 * values.len()));
    run.launch(cast_chains(&x, &mut out).over(values.len()));
    let expected: Vec<i64> = values
        .iter()
        .flat_map(|&x| {
            [
                i64::from(x as u8 as i8),
                i64::from(x as i8 as u32),
                i64::from(f32::from(x as u16) as i16),
                i64::from((x as u8).wrapping_add(200)),
                i64::from(!(x as u8)),
                i64::from((-(x as i8 / 2)) as u8),
            ]
        })
        .collect();
    run.expect("out", &out, &expected);
}
