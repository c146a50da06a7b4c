use cumbia::prelude::*;

#[kernel]
struct Saxpy {
    a: f32,
}

fn main() {}
