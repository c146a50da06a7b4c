//! Names that are not variables: constants of modules, types, traits and generic parameters.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![place_cases, generic_cases, shadow_cases];

const WIDTH: usize = 3;
const SCALE: f32 = 0.1;
const DEEP: bool = cfg!(target_pointer_width = "64");
static OFFSET: i32 = -7;

mod left {
    /// The same name as in `right`.
    pub(super) const WEIGHT: f32 = 1.5;
    pub(super) mod inner {
        /// And once more, of another type.
        pub(in super::super) const WEIGHT: u8 = 200;
    }
}

mod right {
    pub(super) const WEIGHT: f32 = 2.5;
}

/// Settings of a kernel.
#[derive(Debug)]
pub struct Tuning;

impl Tuning {
    /// The number.
    pub const UNROLL: u32 = sum_to(4);
}

const fn sum_to(n: u32) -> u32 {
    if n == 0 { 0 } else { n + sum_to(n - 1) }
}

/// Constants of every kind of scope.
#[kernel]
pub fn places(out: &mut [f32], integers: &mut [i64]) {
    const LOCAL: i64 = 11;
    use core::f32::consts::PI;
    use right::WEIGHT as HEAVY;
    out[0] = SCALE * WIDTH as f32;
    out[1] = left::WEIGHT;
    out[2] = right::WEIGHT;
    out[3] = HEAVY + left::WEIGHT;
    out[4] = PI;
    out[5] = core::f32::consts::E;
    out[6] = f32::MAX;
    out[7] = -f32::INFINITY;
    integers[0] = LOCAL;
    integers[1] = left::inner::WEIGHT as i64;
    integers[2] = Tuning::UNROLL as i64;
    integers[3] = i32::MIN as i64;
    integers[4] = OFFSET as i64;
    integers[5] = if DEEP { 64 } else { 32 };
    integers[6] = <i16 as Number>::MAX as i64;
    integers[7] = u64::BITS as i64;
}

fn place_cases(run: &mut Run<'_>) {
    let (mut out, mut integers) = (run.zeros(8), run.zeros(8));
    run.launch(places(&mut out, &mut integers).grid(1).block(1));
    let (pi, e) = (std::f32::consts::PI, std::f32::consts::E);
    run.expect("out", &out, &[SCALE * 3.0, 1.5, 2.5, 4.0, pi, e, f32::MAX, f32::NEG_INFINITY]);
    run.expect("integers", &integers, &[11, 200, 10, i64::from(i32::MIN), -7, 64, 32767, 64]);
}

/// A trait with a constant for each numeric type.
pub trait Grain: Number {
    /// Its weight.
    const WEIGHT: Self;
}

impl Grain for f32 {
    const WEIGHT: f32 = 0.25;
}

impl Grain for u16 {
    const WEIGHT: u16 = 40_000;
}

/// Constants that depend on the generic arguments.
#[kernel]
pub fn generic<T: Grain, const N: usize, const UP: bool>(out: &mut [T], sizes: &mut [usize]) {
    out[0] = T::WEIGHT;
    out[1] = T::ONE + T::ZERO;
    out[2] = <T as Number>::MAX;
    out[3] = if UP { T::MIN } else { T::WEIGHT };
    sizes[0] = N;
    let mut squares = 0;
    for k in 0..N {
        squares += k * N;
    }
    sizes[1] = squares;
}

fn generic_cases(run: &mut Run<'_>) {
    let (mut out, mut sizes) = (run.zeros(4), run.zeros(2));
    run.launch(generic::<f32, 3, true>(&mut out, &mut sizes).grid(1).block(1));
    run.expect("f32", &out, &[0.25, 1.0, f32::MAX, f32::MIN]);
    run.expect("sizes", &sizes, &[3, 9]);
    let (mut out, mut sizes) = (run.zeros(4), run.zeros(2));
    run.launch(generic::<u16, 5, false>(&mut out, &mut sizes).grid(1).block(1));
    run.expect("u16", &out, &[40_000, 1, 65535, 40_000]);
    run.expect("sizes", &sizes, &[5, 50]);
}

/// Variables that shadow constants, until the end of the variable's scope.
#[allow(non_snake_case, reason = "the point of it")]
#[kernel]
pub fn shadows(out: &mut [usize]) {
    out[0] = WIDTH;
    {
        let WIDTH_ = WIDTH + 1;
        out[1] = WIDTH_;
    }
    out[2] = WIDTH;
    for len in 0..2 {
        const WIDTH: usize = 50;
        out[3 + len] = WIDTH + len;
    }
    out[5] = WIDTH;
    let len = out.len();
    out[6] = len;
}

fn shadow_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(7);
    run.launch(shadows(&mut out).grid(1).block(1));
    run.expect("out", &out, &[3, 4, 3, 50, 51, 3, 7]);
}
