use cumbia::prelude::*;

mod checks {
    macro_rules! assert {
        ($condition:expr) => {
            ::core::assert!(!$condition)
        };
    }
    pub(crate) use assert;
}

use checks::assert;

#[kernel]
fn kernel(out: &mut [f32]) {
    assert!(out.len() < 3);
    out[0] = 1.0;
}

fn main() {
    assert!(false);
}
