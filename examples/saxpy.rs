//! `y = a * x + y`, and the three ways to launch a kernel.
//!
//! ```text
//! cargo run --release --example saxpy
//! ```

use std::time::Instant;

use cumbia::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn main() -> cumbia::Result<()> {
    let xs: Vec<f32> = (0..1_000_000).map(|i| i as f32).collect();
    let ys = vec![1.0f32; xs.len()];

    let device = Device::open()?; // GPU 0 if there is one, else the CPU
    let x = device.to_device(&xs)?;
    let mut y = device.to_device(&ys)?;

    let start = Instant::now();
    saxpy(2.0, &x, &mut y).grid(4000).block(256).launch()?; // an explicit launch configuration
    launch!(saxpy[4000, 256](2.0, &x, &mut y))?; // the same in Numba's syntax
    saxpy(2.0, &x, &mut y).over(x.len()).launch()?; // grid and block chosen for x.len() items
    device.synchronize()?;
    let time = start.elapsed();

    let ys = y.to_host()?;
    assert!(xs.iter().zip(&ys).all(|(x, y)| *y == 6.0 * x + 1.0), "incorrect result");
    println!("saxpy on {device}: {} elements, 3 launches in {time:.1?}, the result is correct", ys.len());
    Ok(())
}
