//! Bodies in CUDA C whose functions, parameters, types and kernels have CUDA names: the text refers to those of CUDA.

#![allow(non_snake_case, non_camel_case_types, reason = "CUDA's names are the point")]
#![allow(clippy::many_single_char_names, reason = "as above")]

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![named_after_what_they_call, names_of_others, parameters, kernel_of_that_name];

#[device(unsafe(cuda = "return ldexp(x, n);"))]
pub fn ldexp(x: f64, n: i32) -> f64 {
    x * 2f64.powi(n)
}

#[device(unsafe(cuda = "return sqrtf(x);"))]
pub fn sqrtf(x: f32) -> f32 {
    x.sqrt()
}

#[device(unsafe(cuda = "return __popc(x);"))]
pub fn __popc(x: u32) -> i32 {
    x.count_ones() as i32
}

#[device(unsafe(cuda = "return min(a, b);"))]
pub fn min(a: i32, b: i32) -> i32 {
    a.min(b)
}

#[device(unsafe(cuda = "return atomicAdd(&p, v);"))]
pub fn atomicAdd(p: &mut u32, v: u32) -> u32 {
    *p += v;
    *p - v
}

#[device(unsafe(cuda = "return (u32)sizeof(float4) + (u32)float4{1.0f, 2.0f, 3.0f, 4.0f}.w;"))]
pub fn float4() -> u32 {
    20
}

/// A name that a macro concatenates.
#[device(unsafe(cuda = r#"
#define PASTED(a, b) a ## b
    return PASTED(ll, abs)(x);
#undef PASTED
"#))]
pub fn llabs(x: i64) -> i64 {
    x.abs()
}

#[kernel(fmad = false)]
pub fn named_so(x: &[i32], f: &mut [f64], n: &mut [u32]) {
    f[0] = ldexp(x[0] as f64, 4);
    f[1] = sqrtf(x[1] as f32) as f64;
    n[0] = self::__popc(x[2] as u32) as u32;
    n[1] = min(x[0], x[1]) as u32;
    n[2] = atomicAdd(&mut n[3], 7);
    n[4] = float4();
    f[2] = llabs(-3) as f64;
}

fn named_after_what_they_call(run: &mut Run<'_>) {
    let x = run.array(&[3, 16, 0xff]);
    let (mut f, mut n) = (run.zeros(3), run.array(&[0u32, 0, 0, 5, 0]));
    run.launch(named_so(&x, &mut f, &mut n).grid(1).block(1));
    run.expect("f", &f, &[48.0, 4.0, 3.0]);
    run.expect("n", &n, &[8, 3, 5, 12, 20]);
}

/// The text calls CUDA functions with the names of a function in CUDA C, one in Rust, a struct, and a variant.
#[device(unsafe(cuda = "return (i32)(ldexp(1.0, n) + fmin(2.0, 1.0) + fmax(x.fmax, 1.0)) + abs(-n) + (i32)x.sinf;"))]
pub fn others(n: i32, x: scalbn) -> i32 {
    2i32.pow(n as u32) + 1 + (x.fmax.max(1.0) as i32) + n + x.sinf as i32
}

/// A function in Rust with another meaning.
#[device]
pub fn fmin(a: f64, b: f64) -> f64 {
    a + b * 100.0
}

#[device(unsafe(cuda = "return -x;"))]
pub fn abs(x: i32) -> i32 {
    -x
}

#[derive(Clone, Copy, DeviceType)]
pub struct scalbn {
    pub fmax: f64,
    pub sinf: u32,
}

#[derive(Clone, Copy, DeviceType)]
pub enum fmod {
    fdim,
    hypot,
}

#[device(unsafe(cuda = "return scalbn(fmod(x, 4.0), (i32)kind + 1) + fdim(x, 1.0) + hypot(3.0, 4.0);"))]
pub fn of_types(x: f64, kind: fmod) -> f64 {
    x % 4.0 * 2f64.powi(kind as i32 + 1) + (x - 1.0).max(0.0) + 5.0
}

#[kernel(fmad = false)]
pub fn calls_others(x: &[scalbn], f: &mut [f64], n: &mut [i32]) {
    f[0] = fmin(1.0, 2.0);
    f[1] = ldexp(1.0, 2);
    n[0] = abs(5);
    n[1] = others(3, x[0]);
    f[2] = of_types(6.0, fmod::hypot);
    f[3] = of_types(6.0, fmod::fdim);
}

fn names_of_others(run: &mut Run<'_>) {
    let x = run.array(&[scalbn { fmax: 7.0, sinf: 1000 }]);
    let (mut f, mut n) = (run.zeros(4), run.zeros(2));
    run.launch(calls_others(&x, &mut f, &mut n).grid(1).block(1));
    run.expect("f", &f, &[201.0, 4.0, 18.0, 14.0]);
    run.expect("n", &n, &[-5, 8 + 1 + 7 + 3 + 1000]);
}

/// Parameters keep the names that the text knows them by, whatever CUDA has under these names.
#[device(unsafe(cuda = "return exp * 10 + threadIdx + a__b * 1000 + types * rt * 10000 + (i32)log.exp;"))]
pub fn known_names(exp: i32, threadIdx: i32, a__b: i32, types: i32, rt: i32, log: Powers) -> i32 {
    exp * 10 + threadIdx + a__b * 1000 + types * rt * 10_000 + log.exp as i32
}

#[derive(Clone, Copy, DeviceType)]
pub struct Powers {
    pub exp: u16,
}

/// Names that no declaration of C++ can have.
#[device(unsafe(cuda = "return float_ - int_ * u32_;"))]
pub fn words_of_c(float: i32, int: i32, u32: i32) -> i32 {
    float - int * u32
}

#[kernel]
pub fn with_parameters(x: &[i32], y: &mut [i32]) {
    y[0] = known_names(x[0], x[1], x[2], x[3], x[4], Powers { exp: 10_000 });
    y[1] = words_of_c(x[0], x[1], x[2]);
}

fn parameters(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1, 2, 3, 4, 5]), run.zeros(2));
    run.launch(with_parameters(&x, &mut y).grid(1).block(1));
    run.expect("y", &y, &[10 + 2 + 3000 + 200_000 + 10_000, -5]);
}

#[device(unsafe(cuda = "return remainder(x, 3.0);"))]
pub fn of_the_kernel(x: f64) -> f64 {
    x - 3.0 * (x / 3.0).round_ties_even()
}

/// A kernel of such a name.
#[kernel]
pub fn remainder(x: &mut [f64]) {
    x[0] = of_the_kernel(x[0]);
}

fn kernel_of_that_name(run: &mut Run<'_>) {
    let mut x = run.array(&[7.5]);
    run.launch(remainder(&mut x).grid(1).block(1));
    run.expect("x", &x, &[1.5]);
}
