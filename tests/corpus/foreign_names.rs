//! Names that are reserved in CUDA C or that the writer could generate; and literals that are hard to print exactly.

#![allow(non_snake_case, reason = "CUDA's names are the point")]
#![allow(clippy::many_single_char_names, clippy::too_many_arguments, reason = "as above")]

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![variables, functions, kernels_of_odd_names, literals, shadowed_names];

/// Parameters and variables.
#[kernel]
pub fn __global__(
    threadIdx: u32,
    blockDim: u32,
    fault: u32,
    at: &[u32],
    at_len: u32,
    rt: &mut [u32],
    rt_len: u32,
    launch: u32,
    i_1: u32,
) {
    let atomicAdd = threadIdx + blockDim;
    let sqrtf = fault * 2;
    let __syncthreads = at[0] + at_len;
    let (i, i_2) = (i_1 + 1, i_1 + 2);
    let x = at.len() as u32 + rt.len() as u32 + rt_len;
    let x_1 = x + 1;
    let device = launch + 1;
    {
        let x = x_1 + i;
        let x_2 = x + i_2;
        rt[0] = x + x_2;
    }
    let NULL = 0;
    let asm = 1;
    let template = 2;
    let operator = 3;
    let this = 4;
    let int8_t = 5;
    let u32 = 6;
    let unsigned = 7;
    let f32 = NULL + asm + template + operator + this + int8_t + u32 + unsigned;
    rt[1] = atomicAdd + sqrtf + __syncthreads;
    rt[2] = i + i_2 + x + x_1 + device;
    rt[3] = f32;
}

fn variables(run: &mut Run<'_>) {
    let (at, mut rt) = (run.array(&[40u32, 50]), run.zeros(4));
    run.launch(__global__(1, 2, 3, &at, 4, &mut rt, 5, 6, 7).grid(1).block(1));
    let (i, i_2, x) = (8, 9, 2 + 4 + 5);
    run.expect("rt", &rt, &[2 * (x + 1 + i) + i_2, 3 + 6 + 44, i + i_2 + x + x + 1 + 7, 28]);
}

#[device]
pub fn atomicAdd(x: f32) -> f32 {
    x + 1.0
}

#[device]
pub fn sqrt(double: f32) -> f32 {
    double * 2.0
}

#[device]
pub fn at(usize: f32, at: f32) -> f32 {
    usize - at
}

#[device]
pub fn fault(launch: f32) -> f32 {
    launch * launch
}

/// Device functions.
#[kernel]
pub fn printf(x: &mut [f32]) {
    let i = grid(1);
    let r#union = at(x[i], 3.0);
    x[i] = sqrt(atomicAdd(fault(r#union))) + r#union.sqrt();
}

fn functions(run: &mut Run<'_>) {
    let mut x = run.array(&[7.0f32, 12.0]);
    run.launch(printf(&mut x).grid(1).block(2));
    run.expect("x", &x, &[36.0, 167.0]);
}

/// Kernels, which are `extern "C"`.
macro_rules! kernels_named {
    ($($name:ident)*) => {
        $(#[kernel]
        pub fn $name(out: &mut [u8]) {
            out[0] = stringify_len::<{ stringify!($name).len() }>();
        })*

        fn kernels_of_odd_names(run: &mut Run<'_>) {
            $({
                let mut out = run.zeros(1);
                run.launch($name(&mut out).grid(1).block(1));
                run.expect(stringify!($name), &out, &[stringify!($name).len() as u8]);
            })*
        }
    };
}

#[device]
pub fn stringify_len<const N: usize>() -> u8 {
    N as u8
}

kernels_named!(main malloc abort exp sinf rt device i32_ u32_t float double operator new delete namespace);

const LARGEST: u64 = u64::MAX;

/// Literals at the limits of their types, and floats without a short decimal form.
#[kernel(fmad = false)]
pub fn hard_literals(u64s: &mut [u64], i64s: &mut [i64], f32s: &mut [f32], f64s: &mut [f64], i8s: &mut [i8]) {
    u64s[0] = 18_446_744_073_709_551_615;
    u64s[1] = 0x8000_0000_0000_0000;
    u64s[2] = LARGEST - 0b11;
    u64s[3] = u64::MAX / 3;
    i64s[0] = -9_223_372_036_854_775_808;
    i64s[1] = 9_223_372_036_854_775_807;
    i64s[2] = i64::MIN;
    i64s[3] = -2_147_483_648 - 1;
    i64s[4] = -0x7fff_ffff_ffff_ffff;
    f32s[0] = 1e-45;
    f32s[1] = 3.402_823_5e38;
    f32s[2] = 16_777_217.0;
    f32s[3] = 0.1;
    f32s[4] = -0.0;
    f32s[5] = f32::NEG_INFINITY;
    f32s[6] = f32::NAN;
    f32s[7] = 1.175_494_4e-38;
    f32s[8] = core::f32::consts::PI;
    f32s[9] = 1e10;
    f64s[0] = 5e-324;
    f64s[1] = 1.797_693_134_862_315_7e308;
    f64s[2] = 0.1;
    f64s[3] = 0.1f32 as f64;
    f64s[4] = 1e23;
    f64s[5] = -1.0;
    i8s[0] = -128;
    i8s[1] = !0;
    i8s[2] = b'a' as i8;
    i8s[3] = 1_0 - -1;
}

fn literals(run: &mut Run<'_>) {
    let (mut u64s, mut i64s, mut f32s) = (run.zeros(4), run.zeros(5), run.zeros(10));
    let (mut f64s, mut i8s) = (run.zeros(6), run.zeros(4));
    run.launch(hard_literals(&mut u64s, &mut i64s, &mut f32s, &mut f64s, &mut i8s).grid(1).block(1));
    run.expect("u64", &u64s, &[u64::MAX, 1 << 63, u64::MAX - 3, u64::MAX / 3]);
    run.expect("i64", &i64s, &[i64::MIN, i64::MAX, i64::MIN, -2_147_483_649, -i64::MAX]);
    let singles = [
        f32::from_bits(1),
        f32::MAX,
        16_777_216.0,
        0.1,
        -0.0,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        std::f32::consts::PI,
        1e10,
    ];
    run.expect("f32", &f32s, &singles);
    run.expect("f64", &f64s, &[f64::from_bits(1), f64::MAX, 0.1, f64::from(0.1f32), 1e23, -1.0]);
    run.expect("i8", &i8s, &[-128, -1, 97, 11]);
}

/// Types of the prelude's names, and a trait with the names of internal methods.
mod shadowed {
    #![allow(dead_code, non_camel_case_types, reason = "only their names matter")]

    use cumbia::prelude::*;

    type u8 = u16;
    struct str;
    struct Vec;

    #[device]
    pub trait Storage: DeviceType {
        fn load(self) -> f32;
        fn store(x: f32) -> Self;
        fn constant(self) -> f32;
        fn placeholder() -> f32;
    }

    #[device]
    impl Storage for f32 {
        fn load(self) -> f32 {
            self + 1.0
        }

        fn store(x: f32) -> f32 {
            2.0 * x
        }

        fn constant(self) -> f32 {
            self - 1.0
        }

        fn placeholder() -> f32 {
            0.5
        }
    }

    /// As the kernel computes it.
    pub(super) fn computed<S: Storage>(x: f32) -> f32 {
        S::store(x).load() * S::store(x).constant() + S::placeholder()
    }

    #[kernel]
    pub fn shadowed<S: Storage>(x: &[S], y: &mut [f32]) {
        let i = grid(1);
        if i < x.len() {
            y[i] = S::store(x[i].load()).load() * S::store(3.0).constant() + S::placeholder();
        }
    }
}

fn shadowed_names(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1.0f32, 2.5]), run.zeros(2));
    run.launch(shadowed::shadowed(&x, &mut y).over(2));
    run.expect("y", &y, &[5.0 * 5.0 + 0.5, 8.0 * 5.0 + 0.5]);
    assert_eq!(shadowed::computed::<f32>(3.0).to_bits(), 35.5f32.to_bits());
}
