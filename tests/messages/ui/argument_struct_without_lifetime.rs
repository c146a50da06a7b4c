use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Wave {
    amplitude: f32,
}

fn main() {}
