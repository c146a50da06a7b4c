use cumbia::prelude::*;

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = square!(3.0);
}

fn main() {}
