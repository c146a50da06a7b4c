use cumbia::prelude::*;

#[device]
trait Halves {
    fn iter(&self) -> [f32; 2];
}

#[device]
impl Halves for [f32; 4] {
    fn iter(&self) -> [f32; 2] {
        [self[0], self[2]]
    }
}

#[kernel]
fn kernel(out: &mut [f32]) {
    let row = [1.0f32; 4];
    for v in row.iter() {
        out[0] += *v;
    }
}

fn main() {}
