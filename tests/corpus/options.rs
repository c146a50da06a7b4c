//! Kernel options: block sizes, registers, fast mathematics, no checks; arguments of the maximum size; and bodies in
//! CUDA C, among others.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::{Error, LaunchError};

use crate::Tolerance::UlpsOr;
use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    fixed_blocks,
    bounded,
    fast_functions,
    fast_kernels,
    fast_quotients,
    large_arguments,
    too_large_arguments,
    only_numbers,
    no_elements,
    bodies_in_cuda_c,
];

#[kernel(block = 64)]
pub fn in_blocks_of_64(y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = block_dim().x as u32 * 1000 + block_dim().y as u32;
    }
}

#[kernel(block = (8, 4, 2), fmad = false)]
pub fn in_bricks(y: &mut [u32]) {
    let (x, row, plane) = grid(3);
    let width = grid_size(3).0;
    let at = x + width * (row + 4 * plane);
    y[at] = (thread_idx().x + 10 * thread_idx().y + 100 * thread_idx().z) as u32;
}

const WIDTH: usize = 16;

#[kernel(block = (WIDTH, 2), launch_bounds(64))]
pub fn in_blocks_of_constant(y: &mut [u32]) {
    let i = thread_idx().x + WIDTH * thread_idx().y + 2 * WIDTH * block_idx().x;
    if i < y.len() {
        y[i] = block_dim().x as u32 * 1000 + block_dim().y as u32;
    }
}

#[kernel(block = 2 * N)]
pub fn in_blocks_of_generic<const N: usize>(y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = block_dim().x as u32 * 1000 + block_dim().y as u32;
    }
}

fn fixed_blocks(run: &mut Run<'_>) {
    let mut y = run.zeros(100);
    run.launch(in_blocks_of_64(&mut y).over(100));
    run.expect("over", &y, &[64_001; 100]);
    run.launch(in_blocks_of_64(&mut y).grid(2));
    run.expect("grid", &y, &[64_001; 100]);
    run.launch(in_blocks_of_constant(&mut y).over(100));
    run.expect("constant", &y, &[16_002; 100]);
    run.launch(in_blocks_of_generic::<4>(&mut y).grid(13));
    run.expect("const generic", &y, &[8_001; 100]);
    let mut y = run.zeros(128);
    run.launch(in_bricks(&mut y).grid(2));
    let expected: Vec<u32> = (0..128).map(|at| at % 16 % 8 + 10 * (at / 16 % 4) + 100 * (at / 64)).collect();
    run.expect("bricks", &y, &expected);
}

#[kernel(launch_bounds(128, 2), max_registers = 32)]
pub fn few_registers(x: &[f64], y: &mut [f64]) {
    let mut part = [0.0; 24];
    let i = grid(1);
    for k in 0..24 {
        part[k] = x[(i + k) % x.len()] * k as f64;
    }
    let mut sum = 0.0;
    for k in 0..24 {
        sum += part[(k * 7 + i) % 24];
    }
    y[i] = sum;
}

#[kernel(launch_bounds(96))]
pub fn at_most_96(y: &mut [u32]) {
    y[grid(1)] = sync_threads_count(true);
}

fn bounded(run: &mut Run<'_>) {
    let values: Vec<f64> = (0..64).map(|i| f64::from(i * i % 17)).collect();
    let (x, mut y) = (run.array(&values), run.zeros(64));
    run.launch(few_registers(&x, &mut y).grid(1).block(64));
    let of = |i: usize| (0..24).map(|k| values[(i + k) % 64] * k as f64).sum::<f64>();
    run.expect("sums", &y, &(0..64).map(of).collect::<Vec<_>>());
    let mut y = run.zeros(96);
    run.launch(at_most_96(&mut y).grid(1).block(96));
    run.expect("count", &y, &[96; 96]);
}

/// CUDA's approximations, for arguments for which their error is bounded.
#[kernel]
pub fn approximated(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        let v = x[i];
        let at = 17 * i;
        y[at] = fast::sin(v);
        y[at + 1] = fast::cos(v);
        (y[at + 2], y[at + 3]) = fast::sin_cos(v);
        y[at + 4] = fast::exp(v);
        y[at + 5] = fast::exp2(v);
        y[at + 6] = fast::exp10(v);
        y[at + 7] = fast::ln(v.abs());
        y[at + 8] = fast::log2(v.abs());
        y[at + 9] = fast::log10(v.abs());
        y[at + 10] = fast::tanh(v);
        y[at + 11] = fast::rcp(v);
        y[at + 12] = fast::sqrt(v.abs());
        y[at + 13] = fast::rsqrt(v.abs());
        y[at + 14] = fast::div(v, 3.7);
        y[at + 15] = cumbia::intrinsics::fast::pow(v.abs(), 1.5);
        y[at + 16] = fast::tan(v);
    }
}

fn fast_functions(run: &mut Run<'_>) {
    let values: Vec<f32> = Random::new(3).floats(300, 3.0).into_iter().filter(|x| x.abs() > 0.01).collect();
    let (x, mut y) = (run.array(&values), run.zeros(17 * values.len()));
    run.launch(approximated(&x, &mut y).over(values.len()));
    let of = |v: &f32| {
        let v = f64::from(*v);
        let m = v.abs();
        let all = [
            v.sin(),
            v.cos(),
            v.sin(),
            v.cos(),
            v.exp(),
            v.exp2(),
            10f64.powf(v),
            m.ln(),
            m.log2(),
            m.log10(),
            v.tanh(),
            1.0 / v,
            m.sqrt(),
            1.0 / m.sqrt(),
            v / f64::from(3.7f32),
            m.powf(1.5),
            v.tan(),
        ];
        all.map(|x| x as f32)
    };
    // The relative error of `tanh` is 2⁻¹¹ at most, which is 2¹³ ulps; that of the others is below 16; and near their
    // zeros the error of sine, cosine and logarithms is absolute.
    let expected: Vec<f32> = values.iter().flat_map(of).collect();
    run.expect_within("fast", &y, &expected, UlpsOr(1 << 13, 1e-6));
}

#[kernel(fast_math)]
pub fn fast_kernel(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        y[2 * i] = (x[i].sin() * 2.0 + x[i].exp()).sqrt();
        y[2 * i + 1] = x[i] / 3.0 + x[i].abs().ln();
    }
}

fn fast_kernels(run: &mut Run<'_>) {
    let values: Vec<f32> = (1..200).map(|i| i as f32 / 100.0).collect();
    let (x, mut y) = (run.array(&values), run.zeros(2 * values.len()));
    run.launch(fast_kernel(&x, &mut y).over(values.len()));
    let of = |x: &f32| [(x.sin() * 2.0 + x.exp()).sqrt(), x / 3.0 + x.abs().ln()];
    run.expect_within("fast", &y, &values.iter().flat_map(of).collect::<Vec<_>>(), UlpsOr(32, 2e-6));
}

#[kernel(fast_math, fmad = false)]
pub fn fast_division(x: &[f32], by: f32, y: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        y[i] = x[i] / by;
    }
}

fn fast_quotients(run: &mut Run<'_>) {
    let values = Random::new(8).floats(100, 1e6);
    let (x, mut y) = (run.array(&values), run.zeros(100));
    run.launch(fast_division(&x, 7.3, &mut y).over(100));
    run.expect_within("quotients", &y, &values.iter().map(|x| x / 7.3).collect::<Vec<_>>(), UlpsOr(2, 0.0));
}

/// Kernel parameters of the maximum size: 4096 bytes with the hidden parameter.
#[kernel]
pub fn arguments(a: [u64; 253], b: [[f32; 10]; 50], c: [u8; 7], d: u8, y: &mut [u64], z: &mut [f32]) {
    let i = grid(1);
    if i < 253 {
        y[i] = a[252 - i] + c[i % 7] as u64 + d as u64;
    }
    if i < 50 {
        z[i] = b[i][i % 10];
    }
}

fn large_arguments(run: &mut Run<'_>) {
    let a: [u64; 253] = std::array::from_fn(|i| (i * i) as u64 + 1);
    let b: [[f32; 10]; 50] = std::array::from_fn(|i| std::array::from_fn(|j| (10 * i + j) as f32));
    let (mut y, mut z) = (run.zeros(253), run.zeros(50));
    run.launch(arguments(a, b, [1, 2, 3, 4, 5, 6, 7], 200, &mut y, &mut z).over(253));
    run.expect("y", &y, &(0..253).map(|i| a[252 - i] + (i as u64 % 7 + 1) + 200).collect::<Vec<_>>());
    run.expect("z", &z, &(0..50).map(|i| b[i][i % 10]).collect::<Vec<_>>());
}

#[kernel]
pub fn more_arguments(a: [u64; 509], y: &mut [u64]) {
    y[0] = a[508];
}

fn too_large_arguments(run: &mut Run<'_>) {
    let mut y = run.zeros(1);
    let error = more_arguments([7; 509], &mut y).grid(1).block(1).launch();
    if !matches!(error, Err(Error::Launch(LaunchError::ArgumentsTooLarge { .. }))) {
        run.wrong(&format!("4088 bytes of arguments and what a launch adds: {error:?}"));
    }
}

/// A kernel without arrays: the launch names the device, and the result is a fault.
#[kernel]
pub fn compares(a: i8, b: u64, c: f16, d: bool) {
    assert!(a as i64 == b as i64 && c.to_f32() > 1.0 && d, "{a} {b} {c} {d}");
}

fn only_numbers(run: &mut Run<'_>) {
    let device = run.device().clone();
    run.launch(compares(7, 7, f16::from_f32(1.5), true).grid(1).block(1).on_device(&device));
    run.expect_fault("numbers", |run| {
        run.launch(compares(-7, 9, f16::from_f32(0.25), false).grid(1).block(1).on_device(&device));
    });
    run.expect_words("-7 9 0.25 false");
}

/// Empty arrays, beside others.
#[kernel]
pub fn lens(a: &[f64], b: &mut [u8], c: &[bool], y: &mut [usize]) {
    let i = grid(1);
    y[i] = a.len() + b.len() * 10 + c.len() * 100 + a.is_empty() as usize * 1000;
    for k in i..b.len() {
        b[k] = c[k] as u8;
    }
}

fn no_elements(run: &mut Run<'_>) {
    let (a, mut b, c) = (run.zeros(0), run.zeros(0), run.zeros(0));
    let mut y = run.zeros(2);
    run.launch(lens(&a, &mut b, &c, &mut y).grid(2).block(1));
    run.expect("y", &y, &[1000; 2]);
    run.launch(lens(&a, &mut b, &c, &mut y).over(0));
    let mut b = run.zeros(1);
    let c = run.array(&[true]);
    run.launch(lens(&a, &mut b, &c, &mut y).grid(1).block(1));
    run.expect("y", &y, &[1110, 1000]);
    run.expect("b", &b, &[1]);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Point {
    x: f32,
    n: u32,
}

/// Functions with a body in CUDA C, on numbers, slices, references and structs.
#[device(unsafe(cuda = "return __brev(x) ^ (u32)shift;"))]
pub fn reversed(x: u32, shift: u64) -> u32 {
    x.reverse_bits() ^ shift as u32
}

#[device(unsafe(cuda = r#"
    for (usize i = 0; i < y_len && i < x_len; ++i) {
        y[i] += x[i] * 2.0f;
    }
"#))]
pub fn add_doubled(x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += x * 2.0;
    }
}

#[device(unsafe(cuda = "p.n += 1; p.x = -p.x; return p.n;"))]
pub fn step(p: &mut Point) -> u32 {
    p.n += 1;
    p.x = -p.x;
    p.n
}

#[device]
impl Point {
    #[device(unsafe(cuda = "return self_.x * by;"))]
    pub fn scaled(self, by: f32) -> f32 {
        self.x * by
    }
}

#[kernel(fmad = false)]
pub fn foreign(x: &[f32], y: &mut [f32], p: &mut [Point], n: &mut [u32]) {
    n[0] = reversed(n[0], 5);
    add_doubled(x, y);
    add_doubled(&x[1..], &mut y[..1]);
    n[1] = step(&mut p[1]);
    n[1] += step(&mut p[1]);
}

fn bodies_in_cuda_c(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1.0f32, 2.0, 3.0]), run.array(&[10.0f32, 20.0, 30.0]));
    let mut p = run.array(&[Point { x: 1.0, n: 5 }, Point { x: 2.5, n: 6 }]);
    let mut n = run.array(&[1, 0]);
    run.launch(foreign(&x, &mut y, &mut p, &mut n).grid(1).block(1));
    run.expect("y", &y, &[16.0, 24.0, 36.0]);
    run.expect("p", &p, &[Point { x: 1.0, n: 5 }, Point { x: 2.5, n: 8 }]);
    run.expect("n", &n, &[0x8000_0005, 15]);
}
