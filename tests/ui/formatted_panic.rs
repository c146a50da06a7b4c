use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = grid(1);
    if i == 7 {
        panic!("thread {i} gave up");
    }
}

fn main() {}
