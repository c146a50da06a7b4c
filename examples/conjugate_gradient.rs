//! The method of conjugate gradients for a sparse matrix (M. R. Hestenes, E. Stiefel, "Methods of Conjugate Gradients
//! for Solving Linear Systems", 1952). The matrix is stored by rows (CSR), and the dot products are reductions of
//! `cumbia::algorithm`. The system is an implicit time step of the heat equation on a square grid.
//!
//! ```text
//! cargo run --release --example conjugate_gradient [side of the grid]
//! ```

use std::time::Instant;

use cumbia::algorithm::{Plus, Times, transform_reduce2};
use cumbia::prelude::*;

/// A sparse matrix: the entries of row i are those from `starts[i]` to `starts[i + 1]`.
struct Csr {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// `y = a · x`, with one thread per row.
#[kernel]
fn multiply(starts: &[u32], columns: &[u32], values: &[f64], x: &[f64], y: &mut [f64]) {
    let row = grid(1);
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

/// A step of length `square / curvature[0]` along `direction`: updates the solution `x` and the residual `r`.
#[kernel]
fn step(square: f64, curvature: &[f64], direction: &[f64], product: &[f64], x: &mut [f64], r: &mut [f64]) {
    let i = grid(1);
    if i < x.len() {
        let alpha = square / curvature[0];
        x[i] += alpha * direction[i];
        r[i] -= alpha * product[i];
    }
}

/// Makes `direction` conjugate to the earlier ones.
#[kernel]
fn turn(beta: f64, r: &[f64], direction: &mut [f64]) {
    let i = grid(1);
    if i < direction.len() {
        direction[i] = r[i] + beta * direction[i];
    }
}

/// Returns the matrix of a time step on a grid of `side` by `side` points: 1 + 4c on the diagonal, and −c for each
/// neighbour.
fn heat(side: usize, c: f64) -> Csr {
    let mut matrix = Csr { starts: vec![0], columns: Vec::new(), values: Vec::new() };
    for row in 0..side * side {
        let (x, y) = (row % side, row / side);
        let neighbours = [(y > 0, row.wrapping_sub(side)), (x > 0, row.wrapping_sub(1)), (true, row)];
        let more = [(x + 1 < side, row + 1), (y + 1 < side, row + side)];
        for (_, column) in neighbours.into_iter().chain(more).filter(|(exists, _)| *exists) {
            matrix.columns.push(column as u32);
            matrix.values.push(if column == row { 1.0 + 4.0 * c } else { -c });
        }
        matrix.starts.push(matrix.columns.len() as u32);
    }
    matrix
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let side = std::env::args().nth(1).and_then(|side| side.parse().ok());
    let side: usize = side.unwrap_or(if device.is_cpu() { 200 } else { 3000 });
    let n = side * side;
    let matrix = heat(side, 25.0);
    // The right-hand side belongs to a known solution, which the result is compared with.
    let solution: Vec<f64> = (0..n).map(|i| ((i * 7919) % 1009) as f64 / 1009.0).collect();
    let row = |i: usize| matrix.starts[i] as usize..matrix.starts[i + 1] as usize;
    let entry = |k: usize| matrix.values[k] * solution[matrix.columns[k] as usize];
    let right: Vec<f64> = (0..n).map(|i| row(i).map(entry).sum()).collect();

    let (starts, columns) = (device.to_device(&matrix.starts)?, device.to_device(&matrix.columns)?);
    let values = device.to_device(&matrix.values)?;
    let (mut x, mut product) = (device.zeros::<f64>(n)?, device.zeros::<f64>(n)?);
    let (mut r, mut direction) = (device.to_device(&right)?, device.to_device(&right)?);
    // The memory and the results of the dot products: no iteration allocates, and the curvature remains on the device.
    let mut squares = transform_reduce2(&r, &r, Times, 0.0, Plus).memory()?;
    let mut curvature = transform_reduce2(&r, &r, Times, 0.0, Plus).memory()?;
    multiply(&starts, &columns, &values, &x, &mut product).over(n).launch()?; // compiles the kernel
    let first = transform_reduce2(&r, &r, Times, 0.0, Plus).prepare_in(&mut squares)?.value()?;
    step(0.0, &squares.result(), &direction, &product, &mut x, &mut r).over(n).launch()?;
    turn(0.0, &r, &mut direction).over(n).launch()?;

    let (mut square, mut iterations) = (first, 0);
    let start = Instant::now();
    while square > 1e-20 * first {
        multiply(&starts, &columns, &values, &direction, &mut product).over(n).launch()?;
        transform_reduce2(&direction, &product, Times, 0.0, Plus).prepare_in(&mut curvature)?.launch()?;
        step(square, &curvature.result(), &direction, &product, &mut x, &mut r).over(n).launch()?;
        let before = square;
        square = transform_reduce2(&r, &r, Times, 0.0, Plus).prepare_in(&mut squares)?.value()?;
        turn(square / before, &r, &mut direction).over(n).launch()?;
        iterations += 1;
        assert!(iterations < 1000, "no convergence: the residual is {:e}", square.sqrt());
    }
    device.synchronize()?;
    let time = start.elapsed();

    for (i, (found, expected)) in x.to_host()?.iter().zip(&solution).enumerate() {
        assert!((found - expected).abs() < 1e-6, "unknown {i} is {found}, expected {expected}");
    }
    println!("conjugate_gradient on {device}: {n} unknowns, {iterations} iterations, the result is correct");
    println!(
        "  {:.1?} per iteration, of three launches and two dot products, of which the host waits for one",
        time / iterations.max(1)
    );
    Ok(())
}
