//! `index = u32`: a `usize` has 32 bits on a GPU and 64 on the CPU device. The results are equal as long as every
//! `usize` is below 2³², as in these kernels; `tests/emitted.rs` and `tests/runtime` test larger values.

use cumbia::Dim3;
use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::unaligned::Unaligned;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    linear,
    matrices,
    stencils,
    strided_views,
    loops,
    casts,
    methods,
    operators,
    shared_memory,
    dynamic_shared_memory,
    positions,
    device_functions,
    parts_of_slices,
    constants,
    of_the_warp,
    messages,
    unaligned_indices,
    faults,
    unchecked,
];

#[kernel(index = u32, fmad = false)]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn linear(run: &mut Run<'_>) {
    let mut random = Random::new(5);
    let (xs, ys) = (random.floats(300, 10.0), random.floats(300, 10.0));
    let (x, mut y) = (run.array(&xs), run.array(&ys));
    run.launch(saxpy(1.5, &x, &mut y).over(300));
    run.expect("y", &y, &xs.iter().zip(&ys).map(|(x, y)| 1.5 * x + y).collect::<Vec<_>>());
    let (x, mut y) = (run.zeros(0), run.zeros(0));
    run.launch(saxpy(1.5, &x, &mut y).grid(1).block(32));
    run.expect("nothing", &y, &[]);
}

/// The naive product of two square matrices in slices.
#[kernel(index = u32, fmad = false)]
pub fn product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (j, i) = grid(2);
    if i < n && j < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[i * n + k] * b[k * n + j];
        }
        c[i * n + j] = sum;
    }
}

/// The same with views.
#[kernel(index = u32, fmad = false)]
pub fn product_of_views(a: ArrayView2<f32>, b: ArrayView2<f32>, mut c: ArrayViewMut2<f32>) {
    let (j, i) = grid(2);
    if i < c.nrows() && j < c.ncols() {
        let mut sum = 0.0;
        for k in 0..a.ncols() {
            sum += a[[i, k]] * b[[k, j]];
        }
        c[[i, j]] = sum;
    }
}

fn matrices(run: &mut Run<'_>) {
    let n = 13;
    let mut random = Random::new(6);
    let (xs, ys) = (random.floats(n * n, 2.0), random.floats(n * n, 2.0));
    let of = |at: usize| (0..n).fold(0.0, |sum, k| sum + xs[at / n * n + k] * ys[k * n + at % n]);
    let expected: Vec<f32> = (0..n * n).map(of).collect();
    let (a, b) = (run.array(&xs), run.array(&ys));
    let mut c = run.zeros(n * n);
    run.launch(product(n, &a, &b, &mut c).over((n, n)));
    run.expect("slices", &c, &expected);
    let mut c = run.zeros(n * n);
    let (there, and, back) = (a.reshape((n, n)).unwrap(), b.reshape((n, n)).unwrap(), c.reshape_mut((n, n)).unwrap());
    run.launch(product_of_views(there, and, back).over((n, n)));
    run.expect("views", &c, &expected);
}

/// The mean of an element and its four neighbours; the border is unchanged.
#[kernel(index = u32, fmad = false)]
pub fn stencil(a: ArrayView2<f32>, mut b: ArrayViewMut2<f32>) {
    let (j, i) = grid(2);
    let [rows, columns] = a.shape();
    if i >= rows || j >= columns {
        return;
    }
    if i == 0 || j == 0 || i + 1 == rows || j + 1 == columns {
        b[[i, j]] = a[[i, j]];
        return;
    }
    b[[i, j]] = 0.2 * (a[[i, j]] + a[[i - 1, j]] + a[[i + 1, j]] + a[[i, j - 1]] + a[[i, j + 1]]);
}

fn stencils(run: &mut Run<'_>) {
    let (rows, columns) = (9, 14);
    let values = Random::new(7).floats(rows * columns, 5.0);
    let mut expected = values.clone();
    for i in 1..rows - 1 {
        for j in 1..columns - 1 {
            let at = |i: usize, j: usize| values[i * columns + j];
            expected[i * columns + j] = 0.2 * (at(i, j) + at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
        }
    }
    let (a, mut b) = (run.array(&values), run.zeros(rows * columns));
    let (there, back) = (a.reshape((rows, columns)).unwrap(), b.reshape_mut((rows, columns)).unwrap());
    run.launch(stencil(there, back).over((columns, rows)));
    run.expect("b", &b, &expected);
}

/// Non-contiguous views of every number of dimensions.
#[kernel(index = u32)]
pub fn numbered(x: ArrayView3<u32>, mut y: ArrayViewMut2<u32>, mut z: ArrayViewMut1<u64>) {
    let (k, j, i) = grid(3);
    let (planes, rows, columns) = x.dim();
    if i >= planes || j >= rows || k >= columns {
        return;
    }
    atomic_add(&mut y[[j, k]], x[[i, j, k]]);
    if j == 0 && k == 0 {
        let plane = x.plane(i);
        let mut sum = 0;
        for r in (0..plane.nrows()).rev() {
            let row = plane.row(r);
            for (c, v) in row.iter().enumerate() {
                sum = sum * 3 + *v as u64 + c as u64;
            }
        }
        z[i] = sum + plane.t().shape()[0] as u64 * 1_000_000 + x.len() as u64;
    }
}

fn strided_views(run: &mut Run<'_>) {
    // Planes 1 to 3, rows 0 to 4 and columns 2 to 6 of 4 by 5 by 7; every second dimension of the results is left out.
    let values: Vec<u32> = (0..4 * 5 * 7).map(|i| i * i % 91).collect();
    let (x, mut y, mut z) = (run.array(&values), run.zeros(6 * 9), run.zeros(8));
    let from = x.reshape((4, 5, 7)).unwrap().slice(1..3, ..4, 2..6).unwrap();
    let to = y.reshape_mut((9, 6)).unwrap().t().slice(1..5, 3..7).unwrap();
    let line = z.reshape_mut((4, 2)).unwrap().column(1).unwrap().slice_axis(0, 1..3).unwrap();
    run.launch(numbered(from, to, line).block((4, 4, 2)).over((4, 4, 2)));
    let at = |i: usize, j: usize, k: usize| values[((i + 1) * 5 + j) * 7 + k + 2];
    let (mut ys, mut zs) = (vec![0; 54], vec![0; 8]);
    for i in 0..2 {
        let mut sum = 0;
        for j in (0..4).rev() {
            for k in 0..4 {
                ys[(k + 3) * 6 + j + 1] += at(i, j, k);
                sum = sum * 3 + u64::from(at(i, j, k)) + k as u64;
            }
        }
        zs[2 * (i + 1) + 1] = sum + 4_000_000 + 32;
    }
    run.expect("y", &y, &ys);
    run.expect("z", &z, &zs);
}

/// Every kind of loop over `usize`, with bounds that are unknown to the compiler.
#[device]
pub fn counted(a: usize, b: usize, by: usize) -> u64 {
    let mut n = 0u64;
    for i in a..b {
        n = n.wrapping_mul(31).wrapping_add(i as u64);
    }
    for i in a..=b {
        n = n.wrapping_mul(33).wrapping_add(i as u64);
    }
    for i in (a..b).rev() {
        n = n.wrapping_mul(35).wrapping_add(i as u64);
    }
    for i in (a..b).step_by(by) {
        n = n.wrapping_mul(37).wrapping_add(i as u64);
    }
    for i in (a..b).step_by(by).rev() {
        n = n.wrapping_mul(39).wrapping_add(i as u64);
    }
    for i in (a..=b).rev().step_by(by) {
        n = n.wrapping_mul(41).wrapping_add(i as u64);
    }
    #[unroll(4)]
    for i in a..b.min(a + 20) {
        n = n.wrapping_mul(43).wrapping_add(i as u64);
    }
    let mut i = b;
    while i > a && i % 7 != 3 {
        i -= 1;
        n = n.wrapping_mul(47).wrapping_add(i as u64);
    }
    let last = 'search: loop {
        for k in 0..=b {
            if k * by >= b {
                break 'search k;
            }
        }
    };
    n ^ last as u64
}

#[kernel(index = u32)]
pub fn looped(a: &[u32], b: &[u32], by: &[u32], y: &mut [u64]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = counted(a[i] as usize, b[i] as usize, by[i] as usize);
    }
}

/// If a range ends at the largest `u32`, a 32-bit counter wraps.
#[kernel(index = u32)]
pub fn to_the_end(from: u32, by: u32, y: &mut [u64]) {
    let last = u32::MAX as usize;
    let mut n = 0u64;
    for i in from as usize..=last {
        n = n.wrapping_mul(3).wrapping_add(i as u64);
    }
    y[0] = n;
    for i in (from as usize..last).step_by(by as usize) {
        n = n.wrapping_mul(5).wrapping_add(i as u64);
    }
    y[1] = n;
    for i in (from as usize..=last).step_by(by as usize) {
        n = n.wrapping_mul(7).wrapping_add(i as u64);
    }
    y[2] = n;
    for i in (from as usize..=last).rev().step_by(by as usize) {
        n = n.wrapping_mul(9).wrapping_add(i as u64);
    }
    y[3] = n;
}

fn loops(run: &mut Run<'_>) {
    let rows: [(u32, u32, u32); 10] = [
        (0, 0, 1),
        (0, 10, 1),
        (3, 40, 7),
        (40, 3, 2),
        (5, 5, 100),
        (0, 33, 33),
        (0, 34, 33),
        (1000, 1050, 49),
        (7, 6, u32::MAX),
        (0, 3, u32::MAX),
    ];
    let of = |part: fn(&(u32, u32, u32)) -> u32| rows.iter().map(part).collect::<Vec<_>>();
    let (a, b, by) = (run.array(&of(|row| row.0)), run.array(&of(|row| row.1)), run.array(&of(|row| row.2)));
    let mut y = run.zeros(rows.len());
    run.launch(looped(&a, &b, &by, &mut y).over(rows.len()));
    run.expect("y", &y, &rows.map(|(a, b, by)| counted(a as usize, b as usize, by as usize)));
    for (from, by) in [(u32::MAX - 5, 2), (u32::MAX - 1, 7), (u32::MAX, 1), (u32::MAX - 9, u32::MAX)] {
        let mut y = run.zeros(4);
        run.launch(to_the_end(from, by, &mut y).grid(1).block(1));
        let numbers = from as usize..=u32::MAX as usize;
        let fold = |n: u64, by: u64, numbers: &mut dyn Iterator<Item = usize>| {
            numbers.fold(n, |n, i| n.wrapping_mul(by).wrapping_add(i as u64))
        };
        let mut expected = [fold(0, 3, &mut numbers.clone()); 4];
        expected[1] = fold(expected[0], 5, &mut (from as usize..u32::MAX as usize).step_by(by as usize));
        expected[2] = fold(expected[1], 7, &mut numbers.clone().step_by(by as usize));
        expected[3] = fold(expected[2], 9, &mut numbers.rev().step_by(by as usize));
        run.expect("to the end", &y, &expected);
    }
}

#[derive(Clone, Copy, DeviceType)]
enum Side {
    Left = 3,
    Right = 200,
}

/// Conversions from and to `usize`; the numbers are below 2³².
#[kernel(index = u32)]
pub fn converted(x: &[u32], flag: bool, out: &mut [u64], floats: &mut [f64]) {
    let i = grid(1);
    if i >= x.len() {
        return;
    }
    let n = x[i] as usize;
    let at = 14 * i;
    out[at] = n as u64;
    out[at + 1] = n as u32 as u64;
    out[at + 2] = n as u16 as u64;
    out[at + 3] = n as u8 as u64;
    out[at + 4] = n as i64 as u64;
    out[at + 5] = n as i32 as i64 as u64;
    out[at + 6] = n as i16 as i64 as u64;
    out[at + 7] = n as isize as u64;
    out[at + 8] = (x[i] as u8) as usize as u64 + (x[i] as u16) as usize as u64;
    out[at + 9] = (x[i] as u64 % 1000) as usize as u64 + (x[i] as i64 / 2) as usize as u64;
    out[at + 10] = flag as usize as u64 + (if n > 7 { Side::Left } else { Side::Right }) as usize as u64;
    out[at + 11] = (x[i] as f32 / 4.0) as usize as u64 + (-1.5f32) as usize as u64 + f64::NAN as usize as u64;
    out[at + 12] = usize::from(x[i] as u16) as u64 + usize::from(flag) as u64;
    out[at + 13] = (n as isize - 5) as i64 as u64;
    floats[2 * i] = n as f64;
    floats[2 * i + 1] = n as f32 as f64 + f16::from_f32((n % 2000) as f32).to_f64();
}

fn casts(run: &mut Run<'_>) {
    let values: Vec<u32> = vec![0, 1, 7, 8, 127, 128, 255, 256, 40_000, 65_535, 65_536, 16_777_217, 1 << 31, u32::MAX];
    for flag in [false, true] {
        let (x, mut out, mut floats) = (run.array(&values), run.zeros(14 * values.len()), run.zeros(2 * values.len()));
        run.launch(converted(&x, flag, &mut out, &mut floats).over(values.len()));
        let of = |&v: &u32| {
            let (n, wide) = (v as usize, u64::from(v));
            let side = if n > 7 { 3 } else { 200 };
            [
                wide,
                wide,
                n as u16 as u64,
                n as u8 as u64,
                wide,
                v as i32 as i64 as u64,
                v as i16 as i64 as u64,
                wide,
                v as u8 as u64 + v as u16 as u64,
                wide % 1000 + wide / 2,
                u64::from(flag) + side,
                (v as f32 / 4.0) as u64,
                v as u16 as u64 + u64::from(flag),
                (wide as i64 - 5) as u64,
            ]
        };
        run.expect("integers", &out, &values.iter().flat_map(of).collect::<Vec<_>>());
        let of = |&v: &u32| [v as f64, v as f32 as f64 + (f16::from_f32((v % 2000) as f32)).to_f64()];
        run.expect("floats", &floats, &values.iter().flat_map(of).collect::<Vec<_>>());
    }
}

/// The methods of `usize` whose results do not depend on its width.
#[kernel(index = u32)]
pub fn by_methods(x: &[u32], y: &[u32], out: &mut [u64]) {
    let i = grid(1);
    if i >= x.len() {
        return;
    }
    let (a, b) = (x[i] as usize, y[i] as usize);
    let at = 16 * i;
    out[at] = a.min(b) as u64;
    out[at + 1] = a.max(b) as u64;
    out[at + 2] = a.abs_diff(b) as u64;
    out[at + 3] = a.saturating_sub(b) as u64;
    out[at + 4] = a.div_ceil(b + 1) as u64;
    out[at + 5] = a.isqrt() as u64;
    out[at + 6] = (a + 1).ilog2() as u64 * 100 + (b + 1).ilog10() as u64;
    out[at + 7] = a.count_ones() as u64;
    out[at + 8] = (a % 1000).pow(2) as u64;
    out[at + 9] = a.is_power_of_two() as u64;
    out[at + 10] = a.clamp(5, 50) as u64;
    out[at + 11] = (a % 1000).next_power_of_two() as u64;
    out[at + 12] = (a % 1000).next_multiple_of(b % 50 + 1) as u64;
    out[at + 13] = a.midpoint(b) as u64;
    let (sum, over) = (a % 1000).overflowing_add(b % 1000);
    out[at + 14] = sum as u64 + over as u64;
    out[at + 15] = a.rem_euclid(b + 1) as u64 + a.wrapping_div(b + 1) as u64;
}

fn methods(run: &mut Run<'_>) {
    let numbers = [0, 1, 2, 5, 64, 999, 1000, 65_536, 1 << 31, u32::MAX - 1];
    let pairs: Vec<(u32, u32)> = numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))).collect();
    let (xs, ys): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
    let (x, y, mut out) = (run.array(&xs), run.array(&ys), run.zeros(16 * xs.len()));
    run.launch(by_methods(&x, &y, &mut out).over(xs.len()));
    let of = |&(a, b): &(u32, u32)| {
        let (a, b) = (a as usize, b as usize);
        let all = [
            a.min(b),
            a.max(b),
            a.abs_diff(b),
            a.saturating_sub(b),
            a.div_ceil(b + 1),
            a.isqrt(),
            (a + 1).ilog2() as usize * 100 + (b + 1).ilog10() as usize,
            a.count_ones() as usize,
            (a % 1000).pow(2),
            usize::from(a.is_power_of_two()),
            a.clamp(5, 50),
            (a % 1000).next_power_of_two(),
            (a % 1000).next_multiple_of(b % 50 + 1),
            a.midpoint(b),
            a % 1000 + b % 1000,
            a % (b + 1) + a / (b + 1),
        ];
        all.map(|n| n as u64)
    };
    run.expect("out", &out, &pairs.iter().flat_map(of).collect::<Vec<_>>());
}

/// Operators of `usize` and `isize`, mixed with other types. Wrapping results are equal modulo 2³².
#[kernel(index = u32)]
pub fn operated(x: &[u32], by: u32, out: &mut [u32], wide: &mut [i64]) {
    let i = grid(1);
    if i >= x.len() {
        return;
    }
    let (mut a, b) = (x[i] as usize, by as usize);
    let at = 8 * i;
    out[at] = (a / b + a % b) as u32;
    out[at + 1] = (a & b | a ^ b) as u32;
    out[at + 2] = (a >> (by & 31)) as u32 ^ ((a & 0xff) << 3) as u32;
    out[at + 3] = !a as u32;
    out[at + 4] = a.wrapping_sub(b) as u32;
    out[at + 5] = a.wrapping_mul(b).wrapping_add(7) as u32;
    out[at + 6] = (a < b) as u32 + 2 * (a == b) as u32 + 4 * (a.wrapping_sub(1) >= b) as u32;
    a /= 3;
    a += i;
    a <<= 1;
    out[at + 7] = a as u32;
    // `isize` keeps its 64 bits.
    let d = a as isize - 3 * b as isize;
    wide[i] = d as i64 * if d < 0 { 3 } else { 5 } + (d >> 1) as i64 + d.rem_euclid(7) as i64;
}

fn operators(run: &mut Run<'_>) {
    let values: Vec<u32> = vec![0, 1, 2, 6, 7, 8, 100, 65_535, 1 << 20, (1 << 31) + 5, u32::MAX];
    for by in [1, 7, 31, 4_000_000_000] {
        let (x, mut out, mut wide) = (run.array(&values), run.zeros(8 * values.len()), run.zeros(values.len()));
        run.launch(operated(&x, by, &mut out, &mut wide).over(values.len()));
        let half = |i: usize, a: u32| (u64::from(a / 3) + i as u64) << 1;
        let of = |(i, &a): (usize, &u32)| {
            let flags = u32::from(a < by) + 2 * u32::from(a == by) + 4 * u32::from(a.wrapping_sub(1) >= by);
            [
                a / by + a % by,
                a & by | a ^ by,
                a >> (by & 31) ^ (a & 0xff) << 3,
                !a,
                a.wrapping_sub(by),
                a.wrapping_mul(by).wrapping_add(7),
                flags,
                half(i, a) as u32,
            ]
        };
        run.expect("out", &out, &values.iter().enumerate().flat_map(of).collect::<Vec<_>>());
        let of = |(i, &a): (usize, &u32)| {
            let d = half(i, a) as i64 - 3 * i64::from(by);
            d * if d < 0 { 3 } else { 5 } + (d >> 1) + d.rem_euclid(7)
        };
        run.expect("wide", &wide, &values.iter().enumerate().map(of).collect::<Vec<_>>());
    }
}

/// Shared memory of `usize`, with atomic operations on it: 32 bits each on a GPU.
#[kernel(index = u32)]
pub fn histogram(x: &[u32], counts: &mut [u32], most: &mut [u64]) {
    let mut bins = shared::<[usize; 8]>();
    let mut best = shared::<[[usize; 2]; 2]>();
    let t = thread_idx().x;
    if t < 8 {
        bins[t] = 0;
    }
    if t < 4 {
        best[t / 2][t % 2] = t;
    }
    sync_threads();
    for i in (grid(1)..x.len()).step_by(grid_size(1)) {
        atomic_add(&mut bins[x[i] as usize % 8], 1);
        atomic_max(&mut best[x[i] as usize % 2][1], x[i] as usize);
    }
    sync_threads();
    if t < 8 {
        atomic_add(&mut counts[t], bins[t] as u32);
    }
    if t == 0 {
        let mut sum = 0;
        for row in 0..2 {
            for v in best[row].iter() {
                sum += *v;
            }
        }
        most[block_idx().x] = sum as u64;
    }
}

fn shared_memory(run: &mut Run<'_>) {
    let values = Random::new(9).below(500, 1000);
    let (x, mut counts, mut most) = (run.array(&values), run.zeros(8), run.zeros(2));
    run.launch(histogram(&x, &mut counts, &mut most).grid(2).block(64));
    let mut expected = [0; 8];
    for v in &values {
        expected[*v as usize % 8] += 1;
    }
    run.expect("counts", &counts, &expected);
    let of = |block: usize| {
        let mine = || values.iter().enumerate().filter(move |(i, _)| i / 64 % 2 == block);
        let best = |odd: u32| mine().filter(|(_, v)| **v % 2 == odd).map(|(_, v)| u64::from(*v)).max().unwrap();
        2 + best(0) + best(1)
    };
    run.expect("most", &most, &[of(0), of(1)]);
}

/// Dynamic shared memory, in two parts at computed offsets, which reverse their elements.
#[kernel(index = u32)]
pub fn reversed(x: &[u32], y: &mut [u32]) {
    let n = block_dim().x;
    let mut there = dynamic_shared_at::<u32>(0, n);
    let mut lens = dynamic_shared_at::<u16>(4 * n, 2);
    let t = thread_idx().x;
    there[t] = if grid(1) < x.len() { x[grid(1)] } else { 0 };
    if t == 0 {
        lens[0] = there.len() as u16;
        lens[1] = dynamic_shared::<u8>().len() as u16;
    }
    sync_threads();
    if grid(1) < y.len() {
        y[grid(1)] = there[n - 1 - t] * 10_000 + lens[0] as u32 * 100 + lens[1] as u32;
    }
}

fn dynamic_shared_memory(run: &mut Run<'_>) {
    let values: Vec<u32> = (1..41).collect();
    let (x, mut y) = (run.array(&values), run.zeros(40));
    run.launch(reversed(&x, &mut y).grid(5).block(8).shared_bytes(36));
    let of = |i: usize| values[i / 8 * 8 + 7 - i % 8] * 10_000 + 836;
    run.expect("y", &y, &(0..40).map(of).collect::<Vec<_>>());
}

/// Thread indices in all dimensions.
#[kernel(index = u32)]
pub fn placed(out: &mut [u64]) {
    let (x, y, z) = grid(3);
    let (width, height, depth) = grid_size(3);
    let at = (z * height + y) * width + x;
    let Dim3 { x: bx, y: by, z: bz } = block_idx();
    let block = block_dim();
    let inside = thread_idx();
    let (x2, y2) = grid(2);
    assert!(x2 == bx * block.x + inside.x && y2 == by * block.y + inside.y && z == bz * block.z + inside.z);
    assert!(grid(1) < grid_size(1) && z < depth && grid_dim().x * block.x == width);
    out[at] = (at * 100 + (block.x + 2 * block.y) * grid_dim().y + lane_id() % WARP_SIZE) as u64;
}

fn positions(run: &mut Run<'_>) {
    let mut out = run.zeros(4 * 6 * 6);
    run.launch(placed(&mut out).grid((2, 3, 2)).block((2, 2, 3)));
    let of = |at: u64| at * 100 + 6 * 3 + at % 2 + 2 * (at / 4 % 2) + 4 * (at / 24 % 3);
    run.expect("out", &out, &(0..144).map(of).collect::<Vec<_>>());
}

/// A cell of a grid, by value and by reference.
#[device]
pub fn cell(at: usize, width: usize) -> (usize, usize) {
    (at / width, at % width)
}

#[device]
pub fn step(at: &mut usize, by: usize, len: usize) -> usize {
    let before = *at;
    *at = (*at + by) % len;
    before
}

#[device]
pub fn sums<const N: usize>(parts: [usize; N]) -> usize {
    let mut sum = N;
    for part in parts {
        sum += part;
    }
    sum
}

#[device]
pub fn place_of(list: &[usize], what: usize) -> usize {
    for (i, v) in list.iter().enumerate() {
        if *v == what {
            return i;
        }
    }
    list.len()
}

/// A function that another kernel instantiates with 64-bit indices.
#[device]
pub fn walk(start: usize, width: usize) -> u64 {
    let mut at = start;
    let mut seen = [0usize; 5];
    for k in 0..seen.len() {
        seen[k] = step(&mut at, k + 1, width * width);
    }
    let (row, column) = cell(at, width);
    let found = place_of(&seen, start) + 10 * place_of(&seen[1..], at);
    (sums(seen) * 1000 + row * 100 + column) as u64 * 100 + found as u64
}

#[kernel(index = u32)]
pub fn walked(width: usize, out: &mut [u64]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = walk(i, width);
    }
}

#[kernel]
pub fn walked_far(width: usize, out: &mut [u64]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = walk(i, width);
    }
}

fn device_functions(run: &mut Run<'_>) {
    let expected: Vec<u64> = (0..49).map(|i| walk(i, 7)).collect();
    let mut out = run.zeros(49);
    run.launch(walked(7, &mut out).over(49));
    run.expect("narrow", &out, &expected);
    let mut out = run.zeros(49);
    run.launch(walked_far(7, &mut out).over(49));
    run.expect("wide", &out, &expected);
}

#[device]
pub fn total(part: &[i32]) -> i32 {
    let mut sum = part.len() as i32;
    for v in part.iter().rev() {
        sum = sum * 3 + *v;
    }
    sum
}

#[kernel(index = u32)]
pub fn in_parts(x: &mut [i32], from: usize, len: usize, y: &mut [i32]) {
    y[0] = total(&x[from..from + len]);
    y[1] = total(&x[from..]);
    y[2] = total(&x[..=from]);
    let (before, behind) = x.split_at(from + 1);
    y[3] = total(before) - total(behind) + behind.len() as i32;
    let tail = &mut x[len..];
    for (i, v) in tail.iter_mut().enumerate() {
        *v += i as i32;
    }
    tail[0] = tail.is_empty() as i32 - 1;
}

fn parts_of_slices(run: &mut Run<'_>) {
    for (from, len) in [(0, 0), (2, 5), (8, 1), (3, 6)] {
        let values: Vec<i32> = (0..10).map(|i| i * i - 20).collect();
        let (mut x, mut y) = (run.array(&values), run.zeros(4));
        run.launch(in_parts(&mut x, from, len, &mut y).grid(1).block(1));
        let (before, behind) = values.split_at(from + 1);
        let expected = [
            total(&values[from..from + len]),
            total(&values[from..]),
            total(&values[..=from]),
            total(before) - total(behind) + behind.len() as i32,
        ];
        run.expect("y", &y, &expected);
        let mut after = values.clone();
        after[len..].iter_mut().enumerate().for_each(|(i, v)| *v += i as i32);
        after[len] = -1;
        run.expect("x", &x, &after);
    }
}

const PRIMES: [usize; 5] = [2, 3, 5, 7, 11];
const PAIR: (usize, u8) = (1 << 20, 9);

trait Tiled {
    const TILE: usize;
}

struct Wide;

impl Tiled for Wide {
    const TILE: usize = 24;
}

#[kernel(index = u32)]
pub fn with_constants<const N: usize>(y: &mut [u64]) {
    const STEP: usize = u32::MAX as usize / 3;
    let i = grid(1);
    let mut own = [PRIMES[i % 5]; N];
    own[i % N] += Wide::TILE;
    let (large, small) = PAIR;
    let mut sum = 0;
    #[unroll]
    for k in 0..N {
        sum += own[k] * (k + 1);
    }
    if N > 2 {
        sum += large + small as usize;
    }
    y[i] = sum as u64 * 10 + (STEP / (i + 1)) as u64;
}

fn constants(run: &mut Run<'_>) {
    fn of<const N: usize>(run: &mut Run<'_>) {
        let mut y = run.zeros(6);
        run.launch(with_constants::<N>(&mut y).grid(1).block(6));
        let of = |i: usize| {
            let weighted: usize = (1..=N).map(|k| PRIMES[i % 5] * k).sum();
            let sum = weighted + 24 * (i % N + 1) + if N > 2 { (1 << 20) + 9 } else { 0 };
            sum as u64 * 10 + (u32::MAX as usize / 3 / (i + 1)) as u64
        };
        run.expect("y", &y, &[0, 1, 2, 3, 4, 5].map(of));
    }
    of::<1>(run);
    of::<4>(run);
}

/// `usize` between the lanes of a warp.
#[kernel(index = u32)]
pub fn exchanged(x: &[u32], y: &mut [u64]) {
    let i = grid(1);
    let n = x[i] as usize;
    let other = shfl_xor_sync(u32::MAX, n, 5);
    let (row, column) = (shfl_down_sync(u32::MAX, i, 1), shfl_sync(u32::MAX, n, 3));
    let same = match_any_sync(u32::MAX, n % 4).count_ones() as usize;
    let all = reduce_max_sync(u32::MAX, x[i]) as usize;
    y[i] = (other * 1_000_000 + row * 1000 + column + same + all) as u64;
}

fn of_the_warp(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..32).map(|i| i * 7 % 50).collect();
    let (x, mut y) = (run.array(&values), run.zeros(32));
    run.launch(exchanged(&x, &mut y).grid(1).block(32));
    let of = |i: usize| {
        let same = values.iter().filter(|v| **v % 4 == values[i] % 4).count() as u64;
        let most = u64::from(*values.iter().max().unwrap());
        let (other, third) = (u64::from(values[i ^ 5]), u64::from(values[3]));
        other * 1_000_000 + (i + 1).min(31) as u64 * 1000 + third + same + most
    };
    run.expect("y", &y, &(0..32).map(of).collect::<Vec<_>>());
}

#[kernel(index = u32)]
pub fn told(n: usize, limit: usize) {
    let i = grid(1);
    println!("{i} of {n}: {:>5} {:#x}", n * 2, n + i);
    assert!(n < limit, "{n} is not below {limit}");
    assert_eq!(n % 2, 0, "thread {i}");
}

fn messages(run: &mut Run<'_>) {
    let device = run.device().clone();
    run.launch(told(40, 50).grid(1).block(1).on_device(&device));
    run.expect_printed("0 of 40:    80 0x28\n");
    run.expect_fault("a limit", |run| run.launch(told(50, 50).grid(1).block(1).on_device(&device)));
    run.expect_words("50 is not below 50");
    run.expect_fault("an odd number", |run| run.launch(told(7, 50).grid(1).block(1).on_device(&device)));
    run.expect_words("assertion `left == right` failed: thread 0\n  left: 1\n right: 0");
}

/// Indices of 8 bytes in memory.
#[kernel(index = u32)]
pub fn stored(x: &mut [Unaligned<usize>], y: &mut [Unaligned<isize>], rests: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = Unaligned::new(x[i].get() + i);
        y[i] = Unaligned::new(y[i].get() - 2 * (i as isize));
        rests[i] = (x[i].get() % 1000) as u32;
    }
}

fn unaligned_indices(run: &mut Run<'_>) {
    let (xs, ys) = ([0usize, 5, 1 << 31, 70_000], [-(1isize << 40), 1, 0, isize::MAX]);
    let (mut x, mut y) = (run.array(&xs.map(Unaligned::new)), run.array(&ys.map(Unaligned::new)));
    let mut rests = run.zeros(4);
    run.launch(stored(&mut x, &mut y, &mut rests).over(4));
    let at = [0, 1, 2, 3];
    run.expect("x", &x, &at.map(|i| Unaligned::new(xs[i] + i)));
    run.expect("y", &y, &at.map(|i| Unaligned::new(ys[i] - 2 * i as isize)));
    run.expect("rests", &rests, &at.map(|i| ((xs[i] + i) % 1000) as u32));
}

#[kernel(index = u32)]
pub fn reads(x: &[u32], at: usize, end: usize, kind: u32, y: &mut [u32]) {
    y[0] = match kind {
        0 => x[at],
        1 => x[at..end].len() as u32,
        2 => x.split_at(at).1.len() as u32,
        3 => x[at - end],
        4 => {
            let mut tile = shared::<[u32; 4]>();
            tile[at] = 1;
            tile[at]
        }
        5 => {
            let parts = at / end;
            parts as u32
        }
        _ => {
            let mut n = 0;
            for _ in (0..at).step_by(end) {
                n += 1;
            }
            n
        }
    };
}

fn faults(run: &mut Run<'_>) {
    let x = run.array(&[1, 2, 3, 4, 5]);
    let good = [(4, 0, 0, 5), (1, 3, 1, 2), (5, 0, 2, 0), (4, 2, 3, 3), (3, 0, 4, 1), (9, 4, 5, 2), (9, 4, 6, 3)];
    for (at, end, kind, expected) in good {
        let mut y = run.zeros(1);
        run.launch(reads(&x, at, end, kind, &mut y).grid(1).block(1));
        run.expect("y", &y, &[expected]);
    }
    let bad = [
        (5, 0, 0, "index out of bounds: the len is 5 but the index is 5"),
        (u32::MAX as usize, 0, 0, "index out of bounds: the len is 5 but the index is 4294967295"),
        (3, 6, 1, "range end index 6 out of range for slice of length 5"),
        (4, 2, 1, "slice index starts at 4 but ends at 2"),
        (4, 0, 4, "index out of bounds: the len is 4 but the index is 4"),
        (9, 0, 5, "attempt to divide by zero"),
        (9, 0, 6, "assertion failed: step != 0"),
    ];
    for (at, end, kind, words) in bad {
        let mut y = run.zeros(1);
        run.expect_fault(words, |run| run.launch(reads(&x, at, end, kind, &mut y).grid(1).block(1)));
        if kind != 1 {
            run.expect_words(words);
        }
    }
    // Below zero is a fault of the subtraction with overflow checks, and of the index without; both devices agree.
    if cfg!(debug_assertions) {
        let mut y = run.zeros(1);
        run.expect_fault("below zero", |run| run.launch(reads(&x, 1, 2, 3, &mut y).grid(1).block(1)));
        run.expect_words("attempt to subtract with overflow");
    }
}

#[kernel(unchecked, index = u32)]
pub fn gathered(x: &[f32], at: &[u32], mut y: ArrayViewMut2<f32>) {
    let (j, i) = grid(2);
    if i < y.nrows() && j < y.ncols() {
        let part = &x[i..];
        y[[i, j]] = part[at[j] as usize] + x[at[i] as usize];
    }
}

fn unchecked(run: &mut Run<'_>) {
    let values = Random::new(11).floats(20, 9.0);
    let (x, at, mut y) = (run.array(&values), run.array(&[3u32, 0, 11, 7, 2]), run.zeros(15));
    let view = y.reshape_mut((3, 5)).unwrap();
    // SAFETY: `i + at[j]` is at most 13, and `at[i]` at most 11, of 20.
    unsafe { run.launch_unchecked(gathered(&x, &at, view).over((5, 3))) };
    let places = [3, 0, 11, 7, 2];
    let of = |k: usize| values[k / 5 + places[k % 5]] + values[places[k / 5]];
    run.expect("y", &y, &(0..15).map(of).collect::<Vec<_>>());
}
