use cumbia::prelude::*;

mod f32 {
    pub fn max(a: core::primitive::f32, _b: core::primitive::f32) -> core::primitive::f32 {
        a
    }
}

#[kernel]
fn kernel(x: &[core::primitive::f32], out: &mut [core::primitive::f32]) {
    out[0] = f32::max(x[0], x[1]);
}

fn main() {
    let _ = f32::max(0.0, 0.0);
}
