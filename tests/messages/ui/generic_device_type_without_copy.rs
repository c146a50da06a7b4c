use cumbia::prelude::*;

#[derive(Clone, DeviceType)]
struct Pair<T> {
    first: T,
    second: T,
}

#[kernel]
fn kernel(pairs: &[Pair<f32>], y: &mut [f32]) {
    let i = grid(1);
    y[i] = pairs[i].first + pairs[i].second;
}

fn main() {}
