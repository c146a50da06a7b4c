use cumbia::prelude::*;

type Pair = (f32, f32);

#[device]
fn helper(a: f32) -> Pair {
    (a, a)
}

fn main() {}
