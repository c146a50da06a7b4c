//! Overlap of copies and kernels: data larger than device memory is processed in chunks, each copied to the GPU,
//! processed by a kernel, and copied back. On one stream these operations are serialised; on four streams, the copies
//! of some chunks overlap with each other and with the kernels of other chunks.
//!
//! ```text
//! cargo run --release --example pipeline [mebibytes]
//! ```

use std::time::{Duration, Instant};

use cumbia::PinnedArray;
use cumbia::prelude::*;

/// Iterates the logistic map: some arithmetic for each element.
#[kernel]
fn iterate(iterations: u32, x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        let mut value = x[i];
        for _ in 0..iterations {
            value = 3.7 * value * (1.0 - value);
        }
        x[i] = value;
    }
}

const ITERATIONS: u32 = 200;

/// Processes `input` in chunks on this number of streams, round-robin, and returns the elapsed time.
fn pipeline(
    device: &Device,
    streams: usize,
    chunk: usize,
    input: &PinnedArray<f32>,
    output: &mut PinnedArray<f32>,
) -> cumbia::Result<Duration> {
    let mut buffers = Vec::new();
    for _ in 0..streams {
        let stream = device.stream()?;
        let buffer = stream.zeros::<f32>(chunk)?;
        buffers.push((stream, buffer));
    }
    device.synchronize()?;
    let start = Instant::now();
    for (i, first) in (0..input.len()).step_by(chunk).enumerate() {
        let range = first..input.len().min(first + chunk);
        let (stream, buffer) = &mut buffers[i % streams];
        let mut part = buffer.slice_mut(..range.len())?;
        stream.copy(&input.slice(range.clone())?, &mut part)?;
        iterate(ITERATIONS, &mut part).over(range.len()).on(stream).launch()?;
        stream.copy(&part, &mut output.slice_mut(range)?)?;
    }
    device.synchronize()?;
    Ok(start.elapsed())
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let mebibytes = std::env::args().nth(1).and_then(|argument| argument.parse().ok());
    let mebibytes: usize = mebibytes.unwrap_or(if device.is_cpu() { 8 } else { 1024 });
    let len = mebibytes << 18;
    let chunk = (len / 64).max(1);

    let values: Vec<f32> = (0..len).map(|i| (i % 1000) as f32 / 1000.0).collect();
    let input = device.to_pinned(&values)?;
    let mut output = device.pinned_zeros::<f32>(len)?;
    println!("{mebibytes} MiB in chunks of {} KiB on {device}", chunk >> 8);
    pipeline(&device, 1, chunk, &input, &mut output)?; // compiles the kernel
    let expected = output.as_slice()?.to_vec();

    let mut single = Duration::ZERO;
    for streams in [1, 2, 4] {
        output.as_mut_slice()?.fill(0.0);
        let time = pipeline(&device, streams, chunk, &input, &mut output)?;
        assert!(output.as_slice()? == expected, "a different result on {streams} streams");
        if streams == 1 {
            single = time;
        }
        let speedup = single.as_secs_f64() / time.as_secs_f64();
        println!("streams: {streams}, {:.2} ms, speedup {speedup:.2}", time.as_secs_f64() * 1e3);
    }
    Ok(())
}
