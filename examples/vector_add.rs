//! A grid-stride loop: adds two arrays of ten million elements with 40,960 threads, each of which processes every
//! 40,960th element.
//!
//! ```text
//! cargo run --release --example vector_add
//! ```

use std::time::Instant;

use cumbia::prelude::*;

#[kernel]
fn vector_add(a: &[f32], b: &[f32], sum: &mut [f32]) {
    for i in (grid(1)..sum.len()).step_by(grid_size(1)) {
        sum[i] = a[i] + b[i];
    }
}

fn main() -> cumbia::Result<()> {
    const N: usize = 10_000_000;
    let a: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..N).map(|i| 0.5 * i as f32).collect();

    let device = Device::open()?;
    let (a_there, b_there) = (device.to_device(&a)?, device.to_device(&b)?);
    let mut sum = device.zeros::<f32>(N)?;

    let start = Instant::now();
    launch!(vector_add[40, 1024](&a_there, &b_there, &mut sum))?;
    device.synchronize()?;
    let time = start.elapsed();

    let sum = sum.to_host()?;
    assert!((0..N).all(|i| sum[i] == a[i] + b[i]), "incorrect result");
    println!("vector_add on {device}: {N} elements by 40 blocks of 1024 threads in {time:.1?}, the result is correct");
    Ok(())
}
