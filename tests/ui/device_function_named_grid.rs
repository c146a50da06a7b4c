use cumbia::{device, kernel};

#[device]
fn grid(n: u32) -> u32 {
    n * 2
}

#[kernel]
fn kernel(out: &mut [u32]) {
    out[0] = grid(2);
}

fn main() {}
