use cumbia::prelude::*;

mod small {
    pub struct u32;
}

use small::u32;

#[kernel]
fn kernel(x: &[u8], out: &mut [u64]) {
    out[0] = u32::from(x[0]) as u64;
}

fn main() {
    let _ = u32;
}
