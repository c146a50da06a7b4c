use cumbia::prelude::*;

async fn later() -> f32 {
    1.0
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = later.await;
}

fn main() {}
