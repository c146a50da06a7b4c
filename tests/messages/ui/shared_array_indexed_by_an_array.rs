use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let mut tile = shared::<[[f32; 8]; 8]>();
    tile[[0, 1]] = 1.0;
    x[0] = tile[0][1];
}

fn main() {}
