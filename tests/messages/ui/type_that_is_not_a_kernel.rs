use cumbia::Kernel;
use cumbia::prelude::*;

fn source<K: Kernel>() -> cumbia::Result<String> {
    K::cuda_source()
}

#[kernel]
fn double(x: &mut [f32]) {
    x[grid(1)] *= 2.0;
}

fn main() {
    let _ = source::<double>();
    let _ = source::<f32>();
}
