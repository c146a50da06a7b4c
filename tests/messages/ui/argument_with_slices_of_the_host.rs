use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: &'a [f32],
    position: &'a mut [f32],
}

fn main() {}

// mistakes: 2
