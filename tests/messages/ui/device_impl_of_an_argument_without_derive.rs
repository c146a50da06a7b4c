use cumbia::prelude::*;

struct Part<'a>(&'a [f32]);

#[device]
impl<'a> Part<'a> {
    fn first(&self) -> f32 {
        1.0
    }
}

fn main() {}
