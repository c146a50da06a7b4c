use cumbia::algorithm::{Plus, reduce};

fn total(x: Vec<f32>) -> cumbia::Result<f32> {
    reduce(&x, 0.0, Plus).value()
}

fn main() {}
