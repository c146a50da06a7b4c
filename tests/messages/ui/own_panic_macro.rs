use cumbia::prelude::*;

macro_rules! panic {
    ($($any:tt)*) => {
        ()
    };
}

#[device]
fn positive(x: f32) -> f32 {
    if x < 0.0 {
        panic!("negative");
    }
    x
}

fn main() {
    panic!();
}
