use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let tile = shared::<[[f32; 4]; 4]>();
    let row = tile[0];
}

fn main() {}
