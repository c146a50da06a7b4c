// mistakes: 3
use cumbia::prelude::*;

#[device(unsafe(link = "half.ptx"))]
fn half_of<T: Number>(x: T) -> T {
    x
}

struct Row<const N: usize>;

#[device]
impl<const N: usize> Row<N> {
    #[device(unsafe(link = "half.ptx"))]
    fn half_of(x: f32) -> f32 {
        x / 2.0
    }
}

#[device]
trait Half {
    #[device(unsafe(link = "half.ptx"))]
    fn half_of(self) -> f32 {
        0.0
    }
}

fn main() {}
