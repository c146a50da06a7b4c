//! The rectified linear unit of neural networks: over an array with `grid(1)`, and over a matrix with a bias for each
//! column with `grid(2)`.
//!
//! ```text
//! cargo run --release --example relu
//! ```

use std::time::Instant;

use cumbia::prelude::*;

#[kernel]
fn relu(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i].max(0.0);
    }
}

/// `x` and `y` are matrices with `columns` columns, in row-major order.
#[kernel]
fn relu_with_bias(x: &[f32], bias: &[f32], y: &mut [f32], rows: usize, columns: usize) {
    let (column, row) = grid(2);
    if row < rows && column < columns {
        let i = row * columns + column;
        y[i] = (x[i] + bias[column]).max(0.0);
    }
}

fn main() -> cumbia::Result<()> {
    let (rows, columns) = (1500, 1000);
    let x: Vec<f32> = (0..rows * columns).map(|i| (i % 201) as f32 - 100.0).collect();
    let bias: Vec<f32> = (0..columns).map(|column| (column % 7) as f32).collect();

    let device = Device::open()?;
    let (x_there, bias_there) = (device.to_device(&x)?, device.to_device(&bias)?);
    let mut y = device.zeros::<f32>(x.len())?;
    let mut z = device.zeros::<f32>(x.len())?;

    let start = Instant::now();
    relu(&x_there, &mut y).over(x.len()).launch()?;
    relu_with_bias(&x_there, &bias_there, &mut z, rows, columns).over((columns, rows)).launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    let (y, z) = (y.to_host()?, z.to_host()?);
    assert!((0..x.len()).all(|i| y[i] == x[i].max(0.0)), "incorrect result of `relu`");
    assert!((0..x.len()).all(|i| z[i] == (x[i] + bias[i % columns]).max(0.0)), "incorrect result of `relu_with_bias`");
    println!(
        "relu on {device}: {rows} rows of {columns}, plain and with a bias in {time:.1?}, the results are correct"
    );
    Ok(())
}
