use cumbia::prelude::*;

struct Scale;

impl Scale {
    #[kernel]
    fn kernel(&self, x: &mut [f32]) {
        x[0] = 1.0;
    }
}

fn main() {}
