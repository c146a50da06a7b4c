use cumbia::prelude::*;

#[device]
fn root(x: f32) -> Option<f32> {
    Some(x.sqrt()?)
}

fn main() {}
