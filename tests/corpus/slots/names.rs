//! Names that resemble those of the macro's expansion, of the emitted CUDA C, or of C++.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![generated_cases, foreign_cases, raw_cases, item_cases, parameter_cases, label_cases];

/// Variables with the names that the macro generates.
#[kernel]
pub fn generated(cx: f32, s0: f32, s1: u32, result: u32, argument0: usize, args: &[f32], value: &mut [f32]) {
    let s2 = cx + s0;
    let place = s1 + result;
    let operand = argument0 + 1;
    let binder = args[0];
    let kernel = args[1];
    value[0] = s2;
    value[1] = place as f32;
    value[operand] = binder;
    value[operand + 1] += kernel;
    let (call, types, this, of) = (1.0, 2.0, 3.0, 4.0);
    let slot = call + types * this + of;
    let body = slot;
    value[4] = tail(body, cx);
}

/// The same in a device function.
#[device]
pub fn tail(result: f32, cx: f32) -> f32 {
    let value = result * 2.0;
    let result = value - cx;
    result
}

fn generated_cases(run: &mut Run<'_>) {
    let (args, mut value) = (run.array(&[7.0f32, 8.0]), run.array(&[0.0f32, 0.0, 0.0, 0.5, 0.0]));
    run.launch(generated(0.5, 1.5, 3, 4, 1, &args, &mut value).grid(1).block(1));
    run.expect("value", &value, &[2.0, 7.0, 7.0, 8.5, 21.5]);
}

/// Reserved names of C++ and CUDA, and names of the emitted C.
#[kernel]
pub fn foreign(float: f32, int: i32, x: &[f32], x_len: u32, launch: u32, out: &mut [f32]) {
    let double = float * 2.0;
    let class = int as f32;
    let namespace = x[0] + x_len as f32;
    let template = launch as f32;
    let (asm, auto, char) = (1.0, 2.0, 3.0);
    let threadIdx = thread_idx().x as f32;
    let rt = x.len() as f32;
    let usize_ = out.len() as f32;
    let u32_ = 9.0;
    let NULL = 0.25;
    let min = 5.0;
    out[0] = double + class;
    out[1] = namespace + template;
    out[2] = asm + auto * char;
    out[3] = threadIdx + rt + usize_ + u32_ + NULL + min;
    let register = switch(out[3], 2.0);
    out[4] = register;
}

/// A function with the name of a C++ word.
#[device]
pub fn switch(default: f32, signed: f32) -> f32 {
    let typedef = default * signed;
    typedef
}

fn foreign_cases(run: &mut Run<'_>) {
    let (x, mut out) = (run.array(&[10.0f32]), run.zeros(5));
    run.launch(foreign(1.25, -3, &x, 20, 30, &mut out).grid(1).block(1));
    run.expect("out", &out, &[-0.5, 60.0, 7.0, 20.25, 40.5]);
}

/// Raw identifiers: variables, a function, a constant.
#[kernel]
pub fn raw(r#type: f32, r#match: &mut [f32]) {
    let r#fn = r#type * 2.0;
    let plain = r#fn + 1.0;
    let r#plain = plain + 1.0;
    r#match[0] = r#loop(plain);
    for r#in in 1..2 {
        r#match[r#in] = r#fn;
    }
}

/// A raw name.
#[device]
pub fn r#loop(r#struct: f32) -> f32 {
    r#struct * 10.0
}

fn raw_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(2);
    run.launch(raw(1.5, &mut out).grid(1).block(1));
    run.expect("out", &out, &[50.0, 3.0]);
}

/// A kernel with the name of an item of the prelude.
#[kernel]
pub fn drop(out: &mut [u32]) {
    out[0] = 1;
}

/// A kernel with the name of a function of the standard library.
#[kernel]
pub fn swap(out: &mut [u32]) {
    out[0] = 2;
}

/// A kernel with the name of a C keyword.
#[kernel]
pub fn main(out: &mut [u32]) {
    out[0] = 3;
}

/// A kernel with a name that the macro uses.
#[kernel]
pub fn kernel(out: &mut [u32]) {
    out[0] = 4;
}

/// A kernel with a variable and a parameter of its own name.
#[kernel]
pub fn out(out: &mut [u32]) {
    let kernel = 5;
    out[0] = kernel;
}

fn item_cases(run: &mut Run<'_>) {
    let mut array = run.zeros(1);
    run.launch(drop(&mut array).grid(1).block(1));
    run.expect("drop", &array, &[1]);
    run.launch(swap(&mut array).grid(1).block(1));
    run.expect("swap", &array, &[2]);
    run.launch(main(&mut array).grid(1).block(1));
    run.expect("main", &array, &[3]);
    run.launch(kernel(&mut array).grid(1).block(1));
    run.expect("kernel", &array, &[4]);
    run.launch(out(&mut array).grid(1).block(1));
    run.expect("out", &array, &[5]);
}

/// Generic parameters with the names that the runtime's have.
#[kernel]
pub fn parameters<K: Number, R: Number, A: Number, const N: usize>(k: K, r: R, a: A, out: &mut [u32], ks: &mut [K]) {
    let binder: K = k;
    ks[0] = binder + K::ONE;
    out[0] = if r > R::ZERO { N as u32 } else { 0 };
    out[1] = if a > A::ZERO { 1 } else { 2 };
}

fn parameter_cases(run: &mut Run<'_>) {
    let (mut out, mut ks) = (run.zeros(2), run.zeros(1));
    run.launch(parameters::<f64, u8, i64, 6>(0.5, 1, -1, &mut out, &mut ks).grid(1).block(1));
    run.expect("out", &out, &[6, 2]);
    run.expect("ks", &ks, &[1.5]);
}

/// A label with the name of the one that `return` breaks to.
#[kernel]
pub fn labels(out: &mut [u32]) {
    'kernel: for k in 0..4 {
        let mut turns = 0;
        'body: loop {
            turns += 1;
            if turns > k {
                continue 'kernel;
            }
            if turns == 3 {
                break 'body;
            }
            out[0] += 1;
        }
        out[1] = k;
        return;
    }
    out[1] = 77;
}

fn label_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(2);
    run.launch(labels(&mut out).grid(1).block(1));
    run.expect("out", &out, &[5, 3]);
}
