use cumbia::prelude::*;

#[kernel]
fn fill(x: &mut [f32]) {
    x[grid(1)] = 1.0;
}

fn main() {
    let mut x = Device::cpu().zeros(4).unwrap();
    launch!(fill<<<1, 4>>>(&mut x)).unwrap();
}
