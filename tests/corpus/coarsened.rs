//! Kernels of which a CUDA thread executes several logical threads: `coarsen = n`, with grids that are and are not
//! multiples of `n` blocks. The emulator also coarsens every other kernel of the corpus that can be, if it is launched with several blocks.

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    every_length,
    grids_smaller_than_the_data,
    items_that_return,
    several_outputs,
    updates_in_place,
    fields_of_structs,
    rows,
    counted_loops,
    extents,
    matches,
    without_checks,
    strided_views,
    not_coarsened,
    not_packed,
    out_of_bounds,
    with_overflow_checks,
];

const BLOCK: usize = 32;

/// Lengths around multiples of a block and of the blocks that are merged.
const LENGTHS: [usize; 14] = [0, 1, 31, 32, 33, 63, 64, 95, 96, 127, 128, 129, 257, 1000];

#[kernel(coarsen = 4, fmad = false)]
pub fn saxpy_by_4(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(coarsen = 3)]
pub fn add_by_3<T: Number>(x: &[T], y: &[T], z: &mut [T]) {
    let i = grid(1);
    if i < z.len() {
        z[i] = x[i] + y[i];
    }
}

fn every_length(run: &mut Run<'_>) {
    for len in LENGTHS {
        let mut random = Random::new(len as u64);
        let (xs, ys) = (random.floats(len, 10.0), random.floats(len, 10.0));
        let (x, mut y, mut z) = (run.array(&xs), run.array(&ys), run.zeros(len));
        run.launch(add_by_3(&x, &y, &mut z).over(len).block(BLOCK));
        run.expect("sums", &z, &xs.iter().zip(&ys).map(|(x, y)| x + y).collect::<Vec<_>>());
        run.launch(saxpy_by_4(2.5, &x, &mut y).over(len).block(BLOCK));
        run.expect("y", &y, &xs.iter().zip(&ys).map(|(x, y)| 2.5 * x + y).collect::<Vec<_>>());
    }
}

/// Blocks beyond the grid of the launch do not run.
fn grids_smaller_than_the_data(run: &mut Run<'_>) {
    for blocks in [1, 2, 3, 4, 5, 7, 8, 9] {
        let len = 512;
        let (x, y, mut z) = (run.array(&vec![1.0f64; len]), run.array(&vec![2.0; len]), run.zeros(len));
        run.launch(add_by_3(&x, &y, &mut z).grid(blocks).block(BLOCK));
        let expected: Vec<f64> = (0..len).map(|i| if i < blocks * BLOCK { 3.0 } else { 0.0 }).collect();
        run.expect("sums", &z, &expected);
    }
}

#[kernel(coarsen = 4)]
pub fn positive_by_4(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i >= y.len() {
        return;
    }
    let v = x[i];
    if v < 0.0 {
        return;
    }
    y[i] = v + x[x.len() - 1 - i];
}

fn items_that_return(run: &mut Run<'_>) {
    for len in LENGTHS {
        let xs = Random::new(3).floats(len, 1.0);
        let (x, mut y) = (run.array(&xs), run.zeros(len));
        run.launch(positive_by_4(&x, &mut y).over(len).block(BLOCK));
        let expected: Vec<f32> =
            xs.iter().zip(xs.iter().rev()).map(|(v, w)| if *v < 0.0 { 0.0 } else { v + w }).collect();
        run.expect("y", &y, &expected);
    }
}

#[kernel(coarsen = 2)]
pub fn halves_by_2(x: &[u32], even: &mut [u32], odd: &mut [u32]) {
    let i = grid(1);
    if i < x.len() && i < even.len() && i < odd.len() {
        if x[i] % 2 == 0 {
            even[i] = x[i] / 2;
        } else {
            odd[i] = x[i];
            even[i] = even[i].wrapping_add(odd[i]);
        }
    }
}

fn several_outputs(run: &mut Run<'_>) {
    for len in LENGTHS {
        let xs = Random::new(4).below(len, 1000);
        let (x, mut even, mut odd) = (run.array(&xs), run.array(&vec![5; len]), run.zeros(len));
        run.launch(halves_by_2(&x, &mut even, &mut odd).over(len).block(BLOCK));
        run.expect("even", &even, &xs.iter().map(|x| if x % 2 == 0 { x / 2 } else { 5 + x }).collect::<Vec<_>>());
        run.expect("odd", &odd, &xs.iter().map(|x| if x % 2 == 0 { 0 } else { *x }).collect::<Vec<_>>());
    }
}

/// A load after a store to the same array, by the same thread, sees the stored value.
#[kernel(coarsen = 4)]
pub fn in_place_by_4(x: &mut [u32], y: &mut [u32]) {
    let i = grid(1);
    if i < x.len() && i < y.len() {
        x[i] ^= 3;
        y[i] |= x[i];
        x[i] ^= y[i] / 2;
        let last = y[i];
        y[i] = (last / 2) ^ x[i];
    }
}

fn updates_in_place(run: &mut Run<'_>) {
    for len in LENGTHS {
        let (xs, ys) = (Random::new(5).below(len, 1000), Random::new(6).below(len, 1000));
        let (mut x, mut y) = (run.array(&xs), run.array(&ys));
        run.launch(in_place_by_4(&mut x, &mut y).over(len).block(BLOCK));
        let (mut xs, mut ys) = (xs, ys);
        for (x, y) in xs.iter_mut().zip(&mut ys) {
            *x ^= 3;
            *y |= *x;
            *x ^= *y / 2;
            *y = (*y / 2) ^ *x;
        }
        run.expect("x", &x, &xs);
        run.expect("y", &y, &ys);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Particle {
    pub position: [f32; 3],
    pub mass: f64,
    pub kind: u8,
}

#[kernel(coarsen = 2, fmad = false)]
pub fn advance_by_2(dt: f32, velocity: &[f32], particles: &mut [Particle]) {
    let i = grid(1);
    if i < particles.len() && i < velocity.len() {
        let v = velocity[i];
        for axis in 0..3 {
            particles[i].position[axis] += v * dt;
        }
        let mut particle = particles[i];
        particle.mass = particle.mass * 2.0;
        if particle.kind == 1 {
            particles[i] = particle;
        }
    }
}

fn fields_of_structs(run: &mut Run<'_>) {
    for len in LENGTHS {
        let velocities = Random::new(7).floats(len, 1.0);
        let before: Vec<Particle> = (0..len)
            .map(|i| Particle { position: [i as f32, 1.0, 2.0], mass: i as f64, kind: (i % 2) as u8 })
            .collect();
        let (v, mut particles) = (run.array(&velocities), run.array(&before));
        run.launch(advance_by_2(0.5, &v, &mut particles).over(len).block(BLOCK));
        let after = before.iter().zip(&velocities).map(|(particle, v)| Particle {
            position: particle.position.map(|x| x + v * 0.5),
            mass: if particle.kind == 1 { particle.mass * 2.0 } else { particle.mass },
            kind: particle.kind,
        });
        run.expect("particles", &particles, &after.collect::<Vec<_>>());
    }
}

#[kernel(coarsen = 4)]
pub fn add_bias_by_4(x: &[i32], bias: &[i32], y: &mut [i32], width: usize, height: usize) {
    let (column, row) = grid(2);
    if column < width && row < height {
        let at = row * width + column;
        y[at] = x[at].wrapping_add(bias[column]);
    }
}

fn rows(run: &mut Run<'_>) {
    for (width, height) in [(0, 0), (1, 1), (5, 9), (17, 31), (16, 32), (40, 33), (9, 100)] {
        let xs: Vec<i32> = (0..width * height).map(|i| i as i32).collect();
        let biases: Vec<i32> = (0..width).map(|i| 1000 * i as i32).collect();
        let (x, bias, mut y) = (run.array(&xs), run.array(&biases), run.zeros(width * height));
        run.launch(add_bias_by_4(&x, &bias, &mut y, width, height).over((width, height)).block((8, 4)));
        let expected: Vec<i32> = xs.iter().enumerate().map(|(i, x)| x + biases[i % width]).collect();
        run.expect("y", &y, &expected);
    }
}

#[kernel(coarsen = 16)]
pub fn sum_of_4_by_16(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() && 4 * i + 3 < x.len() {
        let mut sum = 0u32;
        for k in 0..4 {
            if x[4 * i + k] == 7 {
                continue;
            }
            if x[4 * i + k] == 9 {
                break;
            }
            sum = sum.wrapping_add(x[4 * i + k]);
        }
        y[i] = sum;
    }
}

fn counted_loops(run: &mut Run<'_>) {
    for len in [1, 31, 512, 513, 700] {
        let xs = Random::new(8).below(4 * len, 10);
        let (x, mut y) = (run.array(&xs), run.zeros(len));
        run.launch(sum_of_4_by_16(&x, &mut y).over(len).block(BLOCK));
        let sum = |four: &[u32]| four.iter().take_while(|x| **x != 9).filter(|x| **x != 7).sum();
        run.expect("y", &y, &xs.chunks(4).map(sum).collect::<Vec<u32>>());
    }
}

/// The extents and indices are those of the launch.
#[kernel(coarsen = 4)]
pub fn extents_by_4(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() && i < x.len() {
        let (block, blocks) = (block_idx().x, grid_dim().x);
        y[i] = x[i] + (grid_size(1) + 100 * block + 10_000 * blocks + thread_idx().x) as u32;
    }
}

fn extents(run: &mut Run<'_>) {
    for blocks in [1, 4, 5, 6, 9] {
        let len = blocks * BLOCK;
        let (x, mut y) = (run.array(&vec![1u32; len]), run.zeros(len));
        run.launch(extents_by_4(&x, &mut y).grid(blocks).block(BLOCK));
        let expected = |i: usize| (1 + len + 100 * (i / BLOCK) + 10_000 * blocks + i % BLOCK) as u32;
        run.expect("y", &y, &(0..len).map(expected).collect::<Vec<_>>());
    }
}

#[kernel(coarsen = 5)]
pub fn cases_by_5(x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let i = grid(1);
    if i < x.len() && i < y.len() && i < z.len() {
        let kind = x[i];
        match kind % 5 {
            0 => y[i] = z[i],
            1 => return,
            2 | 3 => {
                z[i] = kind;
                if kind > 500 {
                    return;
                }
            }
            _ => y[i] = kind,
        }
        z[i] = z[i].wrapping_add(y[i]).wrapping_add(1);
    }
}

fn matches(run: &mut Run<'_>) {
    for len in LENGTHS {
        let xs = Random::new(9).below(len, 1000);
        let (x, mut y, mut z) = (run.array(&xs), run.array(&vec![1u32; len]), run.array(&vec![2u32; len]));
        run.launch(cases_by_5(&x, &mut y, &mut z).over(len).block(BLOCK));
        let results = xs.iter().map(|x| match (x % 5, *x > 500) {
            (0, _) => (2, 5),
            (1, _) => (1, 2),
            (2 | 3, true) => (1, *x),
            (2 | 3, false) => (1, x + 2),
            _ => (*x, x + 3),
        });
        let (ys, zs): (Vec<u32>, Vec<u32>) = results.unzip();
        run.expect("y", &y, &ys);
        run.expect("z", &z, &zs);
    }
}

#[kernel(unchecked, coarsen = 4)]
pub fn unchecked_by_4(x: &[u16], y: &mut [u16]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i] / 3;
    }
}

fn without_checks(run: &mut Run<'_>) {
    for len in LENGTHS {
        let xs: Vec<u16> = (0..len).map(|i| (i * 77) as u16).collect();
        let (x, mut y) = (run.array(&xs), run.zeros(len));
        // SAFETY: both arrays have `len` elements, to which the condition restricts the index.
        unsafe { run.launch_unchecked(unchecked_by_4(&x, &mut y).over(len).block(BLOCK)) };
        run.expect("y", &y, &xs.iter().map(|x| x / 3).collect::<Vec<_>>());
    }
}

#[kernel(coarsen = 2)]
pub fn views_by_2(x: ArrayView2<u32>, mut y: ArrayViewMut2<u32>) {
    let (column, row) = grid(2);
    if row < y.nrows() && column < y.ncols() && row < x.nrows() && column < x.ncols() {
        y[[row, column]] = x[[row, column]].wrapping_mul(3);
    }
}

fn strided_views(run: &mut Run<'_>) {
    for (rows, cols) in [(1, 1), (6, 40), (13, 33)] {
        let xs: Vec<u32> = (0..rows * cols).map(|i| i as u32).collect();
        let (x, mut y) = (run.array(&xs), run.zeros::<u32>(rows * cols));
        let contiguous = views_by_2(x.reshape((rows, cols)).unwrap(), y.reshape_mut((rows, cols)).unwrap());
        run.launch(contiguous.over((cols, rows)).block((16, 2)));
        run.expect("y", &y, &xs.iter().map(|x| 3 * x).collect::<Vec<_>>());
        let mut z = run.zeros::<u32>(rows * cols);
        let transposed = views_by_2(x.reshape((rows, cols)).unwrap().t(), z.reshape_mut((cols, rows)).unwrap());
        run.launch(transposed.over((rows, cols)).block((16, 2)));
        let expected = (0..rows * cols).map(|i| 3 * xs[i % rows * cols + i / rows]);
        run.expect("z", &z, &expected.collect::<Vec<_>>());
    }
}

#[kernel(coarsen = false)]
pub fn plain(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i] + 1.0;
    }
}

fn not_coarsened(run: &mut Run<'_>) {
    let xs = Random::new(10).floats(300, 1.0);
    let (x, mut y) = (run.array(&xs), run.zeros(300));
    run.launch(plain(&x, &mut y).over(300).block(BLOCK));
    run.expect("y", &y, &xs.iter().map(|x| x + 1.0).collect::<Vec<_>>());
}

#[kernel(coarsen = 4)]
pub fn unguarded_by_4(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    y[i] = x[i] ^ 1;
}

/// An element that is the same for all threads precedes the index.
#[kernel(coarsen = 4)]
pub fn unguarded_after_the_first(x: &[u32], y: &mut [u32]) {
    let first = x[0];
    let i = grid(1);
    y[i] = x[i] ^ first;
}

/// The elements of a shorter array are loaded only where there are some.
#[kernel(coarsen = 4)]
pub fn optional_by_4(x: &[u32], bias: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i < x.len() && i < y.len() {
        let b = if i < bias.len() { bias[i] } else { 7 };
        y[i] = x[i] + b;
    }
}

#[device]
fn of_odd_threads(v: u32) -> u32 {
    if thread_idx().x % 2 == 1 { v } else { 0 }
}

/// A device function reads the index of the thread.
#[kernel(coarsen = 4)]
pub fn odd_by_4(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i < x.len() && i < y.len() {
        y[i] = of_odd_threads(x[i]);
    }
}

/// The index is that of the thread modulo a narrower type.
#[kernel(coarsen = 4)]
pub fn narrow_thread_by_4(x: &[u32], y: &mut [u32]) {
    let i = block_idx().x * block_dim().x + (thread_idx().x as u8 as i8) as usize;
    if i < x.len() && i < y.len() {
        y[i] = x[i] + 1;
    }
}

/// Kernels whose accesses look as if they could be packed.
fn not_packed(run: &mut Run<'_>) {
    let len = 8 * BLOCK;
    let xs: Vec<u32> = (0..len as u32).map(|i| i * 3).collect();
    let x = run.array(&xs);
    for of_bias in [0, 5, len] {
        let (bias, mut y) = (run.array(&vec![1000u32; of_bias]), run.zeros(len));
        run.launch(optional_by_4(&x, &bias, &mut y).grid(8).block(BLOCK));
        let expected = |i: usize| xs[i] + if i < of_bias { 1000 } else { 7 };
        run.expect("y", &y, &(0..len).map(expected).collect::<Vec<_>>());
    }
    let mut y = run.zeros(len);
    run.launch(odd_by_4(&x, &mut y).grid(8).block(BLOCK));
    run.expect("y", &y, &(0..len).map(|i| if i % 2 == 1 { xs[i] } else { 0 }).collect::<Vec<_>>());
    run.launch(narrow_thread_by_4(&x, &mut y).grid(4).block(2 * BLOCK));
    run.expect("y", &y, &xs.iter().map(|x| x + 1).collect::<Vec<_>>());
}

/// A launch out of bounds runs the text with checks, one thread per thread.
fn out_of_bounds(run: &mut Run<'_>) {
    for blocks in [1, 4, 6] {
        let len = blocks * BLOCK;
        let (x, mut y) = (run.array(&vec![4u32; len]), run.zeros(len));
        run.launch(unguarded_by_4(&x, &mut y).grid(blocks).block(BLOCK));
        run.expect("y", &y, &vec![5; len]);
        run.launch(unguarded_after_the_first(&x, &mut y).grid(blocks).block(BLOCK));
        run.expect("y", &y, &vec![0; len]);
        let mut short = run.zeros(len - 1);
        run.expect_fault("one element short", |run| {
            run.launch(unguarded_by_4(&x, &mut short).grid(blocks).block(BLOCK));
        });
    }
}

#[kernel(coarsen = 4)]
pub fn add_integers_by_4(x: &[u8], y: &mut [u8]) {
    let i = grid(1);
    if i < x.len() && i < y.len() {
        y[i] += x[i];
    }
}

/// A sum that may overflow is a check in builds with overflow checks, where the kernel runs one thread per thread.
fn with_overflow_checks(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[3u8; 200]), run.array(&[4u8; 200]));
    run.launch(add_integers_by_4(&x, &mut y).over(200).block(BLOCK));
    run.expect("y", &y, &[7; 200]);
}
