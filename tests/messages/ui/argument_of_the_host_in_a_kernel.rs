use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: &'a [f32],
    position: &'a mut [f32],
    names: Vec<u32>,
}

#[kernel]
fn kernel(mut particles: Particles<'_>) {
    let i = grid(1);
    if i < particles.position.len() {
        particles.position[i] += particles.velocity[i];
    }
}

fn main() {}

// mistakes: 3
