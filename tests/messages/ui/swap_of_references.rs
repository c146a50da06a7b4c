use cumbia::prelude::*;

#[device]
fn order(a: &mut u32, b: &mut u32) {
    if *a > *b {
        std::mem::swap(a, b);
    }
}

fn main() {}
