use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[f32], n: &[u32], y: &mut [f32]) {
    y[0] = x.iter().copied().max().unwrap_or(0.0);
}

#[kernel]
fn sums(n: &[u32], y: &mut [f32]) {
    y[0] = n.iter().sum::<f32>();
}

#[kernel]
fn sorted(y: &mut [f32]) {
    y.sort();
}

fn main() {}

// mistakes: 3
