// mistakes: 3
use cumbia::prelude::*;

mod helpers {
    use cumbia::prelude::*;

    #[device]
    pub fn square(x: f32) -> f32 {
        x * x
    }

    #[device]
    fn half(x: f32) -> f32 {
        x / 2.0
    }
}

// The function does not exist.
#[kernel]
fn unknown(x: &mut [f32]) {
    x[0] = helpers::sqare(3.0);
}

// The function is private.
#[kernel]
fn private(x: &mut [f32]) {
    x[0] = helpers::half(3.0);
}

// The module does not exist.
#[kernel]
fn unknown_module(x: &mut [f32]) {
    x[0] = helper::square(3.0);
}

fn main() {}
