use cumbia::prelude::*;

#[device]
trait Long {
    fn len(&self) -> usize;
}

#[device]
impl Long for [f32; 4] {
    fn len(&self) -> usize {
        100
    }
}

#[kernel]
fn kernel(out: &mut [f32]) {
    let row = [0.0f32; 4];
    out[0] = row.len() as f32;
}

fn main() {}
