//! A device function that a file of CUDA C++ defines, which nvJitLink links to the kernel on a GPU.
//!
//! ```text
//! cargo run --release --example linked
//! ```

use cumbia::prelude::*;

/// The median of five elements from `i` on; those past the end are equal to the last one.
#[device(unsafe(link = "median.cu", symbol = "median_of_5"))]
fn median(x: &[f32], i: usize) -> f32 {
    let mut window: Vec<f32> = (i..i + 5).map(|j| x[j.min(x.len() - 1)]).collect();
    window.sort_by(f32::total_cmp);
    window[2]
}

#[kernel]
fn filter(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = median(x, i);
    }
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let noisy: Vec<f32> = (0..100_000).map(|i| if i % 7 == 0 { 1000.0 } else { i as f32 / 100.0 }).collect();
    let x = device.to_device(&noisy)?;
    let mut y = device.zeros::<f32>(noisy.len())?;
    filter(&x, &mut y).over(noisy.len()).launch()?;

    let expected: Vec<f32> = (0..noisy.len()).map(|i| median(&noisy, i)).collect();
    assert_eq!(y.to_host()?, expected);
    println!("linked on {device}: the medians of {} elements are correct", noisy.len());
    Ok(())
}
