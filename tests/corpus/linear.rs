//! Element-wise kernels on vectors and matrices.

use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![saxpy_cases, vector_add_cases, relu_cases];

/// y = a x + y
#[kernel(fmad = false)]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn saxpy_cases(run: &mut Run<'_>) {
    for len in [0, 1, 31, 256, 1000] {
        let mut random = Random::new(1);
        let (xs, ys) = (random.floats(len, 10.0), random.floats(len, 10.0));
        let (x, mut y) = (run.array(&xs), run.array(&ys));
        run.launch(saxpy(2.5, &x, &mut y).over(len));
        let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 2.5 * x + y).collect();
        run.expect("y", &y, &expected);
    }
}

/// A grid-stride loop, with fewer threads than items.
#[kernel]
pub fn vector_add(a: &[f32], b: &[f32], sum: &mut [f32]) {
    for i in (grid(1)..sum.len()).step_by(grid_size(1)) {
        sum[i] = a[i] + b[i];
    }
}

fn vector_add_cases(run: &mut Run<'_>) {
    for (len, blocks, threads) in [(0, 1, 32), (1, 4, 32), (999, 3, 32), (1024, 4, 256), (100, 4, 128)] {
        let mut random = Random::new(2);
        let (xs, ys) = (random.floats(len, 1.0), random.floats(len, 1.0));
        let (a, b, mut sum) = (run.array(&xs), run.array(&ys), run.zeros(len));
        run.launch(vector_add(&a, &b, &mut sum).grid(blocks).block(threads));
        let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| x + y).collect();
        run.expect("sum", &sum, &expected);
    }
}

/// max(x, 0)
#[kernel]
pub fn relu(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i].max(0.0);
    }
}

/// max(x + bias, 0) for each row, with one bias per column.
#[kernel]
pub fn relu_bias(x: &[f32], bias: &[f32], y: &mut [f32], width: usize, height: usize) {
    let (col, row) = grid(2);
    if col < width && row < height {
        let at = row * width + col;
        let shifted = x[at] + bias[col];
        y[at] = if shifted > 0.0 { shifted } else { 0.0 };
    }
}

fn relu_cases(run: &mut Run<'_>) {
    let xs = Random::new(3).floats(1003, 5.0);
    let (x, mut y) = (run.array(&xs), run.zeros(xs.len()));
    run.launch(relu(&x, &mut y).over(xs.len()));
    let expected: Vec<f32> = xs.iter().map(|x| x.max(0.0)).collect();
    run.expect("y", &y, &expected);

    let (width, height) = (37, 21);
    let biases = Random::new(4).floats(width, 5.0);
    let (bias, mut y) = (run.array(&biases), run.zeros(width * height));
    run.launch(relu_bias(&x, &bias, &mut y, width, height).over((width, height)));
    let expected: Vec<f32> = (0..width * height).map(|at| (xs[at] + biases[at % width]).max(0.0)).collect();
    run.expect("y with bias", &y, &expected);
}
