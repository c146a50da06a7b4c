use cumbia::prelude::*;

#[kernel(block = 64)]
fn kernel(x: &[f32], y: &mut [f32]) {
    let greatest = cumbia::algorithm::block_reduce(x[thread_idx().x], device_fn!(|a: f32, b: f32| -> f32 { a.max(b) }));
    y[0] = greatest;
}

fn main() {}
