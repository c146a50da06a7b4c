//! Generic kernels and device functions, and the forms of callee paths.

use cumbia::intrinsics::{self, sync_threads as barrier};
use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![type_cases, call_cases, path_cases, slice_cases];

/// One text for each type.
#[kernel]
pub fn polynomial<T: Number>(x: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        let two = T::ONE + T::ONE;
        let value = square(x[i]) * two + x[i];
        out[i] = if value > T::ZERO { value } else { T::ONE };
    }
}

/// x²
#[device]
pub fn square<T: Number>(x: T) -> T {
    x * x
}

fn type_cases(run: &mut Run<'_>) {
    fn of<T: Number>(run: &mut Run<'_>, values: &[T], expected: &[T]) {
        let (x, mut out) = (run.array(values), run.zeros(values.len()));
        run.launch(polynomial(&x, &mut out).over(values.len()));
        run.expect("out", &out, expected);
    }
    of(run, &[1.5f32, 0.0], &[6.0, 1.0]);
    of(run, &[1.5f64, -0.5], &[6.0, 1.0]);
    of(run, &[3u8, 11], &[21, 253]);
    of(run, &[-3i16, 100], &[15, 20100]);
    of(run, &[-3i32, 1000], &[15, 2_001_000]);
    of(run, &[3i64, 1 << 30], &[21, (1 << 61) + (1 << 30)]);
    of(run, &[3usize, 4], &[21, 36]);
}

/// Generic arguments inferred from arguments, inferred from the result, and explicit; nested calls.
#[kernel]
pub fn calls(out: &mut [f64], integers: &mut [i32]) {
    out[0] = square(square(square(2.0)));
    out[1] = square::<f32>(1.1) as f64;
    integers[0] = square(7);
    integers[1] = cast_back(square(integers[0] as f32));
    let (smaller, larger) = (lesser(3, -4), lesser(-3, 4) + 6);
    integers[2] = smaller * 10 + larger;
    let (smaller, larger) = (lesser(0.5, 0.25), 0.5);
    out[2] = smaller * 10.0 + larger;
    let square = square(integers[2]);
    integers[3] = square;
    out[3] = number_of_bits::<u16, 3>() as f64;
    nothing();
}

/// `x as i32`, for a float.
#[device]
pub fn cast_back<T: Float>(x: T) -> i32 {
    let mut steps = 0;
    let mut rest = x.floor();
    while rest > T::ZERO {
        rest -= T::ONE;
        steps += 1;
    }
    steps
}

/// The lesser of the two.
#[device]
pub fn lesser<T: Number>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// A result that depends on generic arguments only.
#[device]
pub fn number_of_bits<T: Number + Into<u32>, const TIMES: usize>() -> usize {
    let mut bits = 0;
    for _ in 0..TIMES {
        bits += 1;
    }
    if T::MIN == T::ZERO { bits * 10 } else { bits }
}

/// A function without parameters and result.
#[device]
pub fn nothing() {}

fn call_cases(run: &mut Run<'_>) {
    let (mut out, mut integers) = (run.zeros(4), run.zeros(4));
    run.launch(calls(&mut out, &mut integers).grid(1).block(1));
    run.expect("out", &out, &[256.0, f64::from(1.1f32 * 1.1f32), 3.0, 30.0]);
    run.expect("integers", &integers, &[49, 2401, -37, 1369]);
}

/// A module with names that occur elsewhere.
pub mod elsewhere {
    use cumbia::prelude::*;

    /// Not the square of the module above.
    #[device]
    pub fn square(x: i32) -> i32 {
        x + super::square(x) * 1000
    }
}

/// Functions and intrinsics by paths, renamed, and from a glob.
#[kernel]
pub fn paths(out: &mut [i32]) {
    use elsewhere::square as other;
    let mut shared = shared::<[i32; 4]>();
    let i = intrinsics::thread_idx().x;
    shared[i] = i as i32;
    barrier();
    out[i] = match_path(shared[3 - i]);
    self::nothing();
    out[i] += cumbia::intrinsics::grid(1) as i32 * 10;
    barrier();
    if i == 0 {
        out[0] = other(2) + elsewhere::square(3) + crate::slots::generics::square(4) + self::square(5);
    }
}

/// A call from a device function into another module.
#[device]
pub fn match_path(x: i32) -> i32 {
    super::generics::elsewhere::square(x)
}

fn path_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(4);
    run.launch(paths(&mut out).grid(1).block(4));
    run.expect("out", &out, &[2 + 4000 + 3 + 9000 + 16 + 25, 4002 + 10, 1001 + 20, 30]);
}

/// Slices of generic elements as arguments of device functions that read and write.
#[kernel]
pub fn slices<T: Number>(x: &[T], out: &mut [T]) {
    let mut tile = shared::<[T; 2]>();
    if grid(1) == 0 {
        tile[0] = sum(x);
        tile[1] = sum(out);
        fill(out, tile[0] - tile[1], x.len());
    }
}

/// Σ x
#[device]
pub fn sum<T: Number>(x: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// Fills the first `len` elements.
#[device]
pub fn fill<T: Number>(x: &mut [T], value: T, len: usize) {
    for i in 0..len {
        x[i] = value;
    }
}

fn slice_cases(run: &mut Run<'_>) {
    let (x, mut out) = (run.array(&[10u64, 20]), run.array(&[1u64, 2, 3]));
    run.launch(slices(&x, &mut out).grid(1).block(2));
    run.expect("u64", &out, &[24, 24, 3]);
    let (x, mut out) = (run.array(&[0.5f32]), run.array(&[1.0f32, 2.0]));
    run.launch(slices(&x, &mut out).grid(1).block(2));
    run.expect("f32", &out, &[-2.5, 2.0]);
}
