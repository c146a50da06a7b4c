use cumbia::prelude::*;

fn parse() -> Option<f32> {
    None
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = parse()?;
}

fn main() {}
