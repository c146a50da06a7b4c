use cumbia::prelude::*;

fn size_of<T>() -> usize {
    std::env::args().count()
}

#[kernel]
fn kernel(out: &mut [u64]) {
    out[0] = size_of::<f32>() as u64;
}

fn main() {}
