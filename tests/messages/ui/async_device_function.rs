use cumbia::prelude::*;

#[device]
async fn twice(x: f32) -> f32 {
    2.0 * x
}

fn main() {}
