use cumbia::prelude::*;

struct Simulation;

impl Simulation {
    #[kernel]
    fn step(x: &mut [f32]) {
        x[grid(1)] = 0.0;
    }
}

fn main() {}
