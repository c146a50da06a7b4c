use cumbia::prelude::*;

#[device]
fn twice<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 {
    f(f(x))
}

#[device]
fn thrice<F>(f: F, x: f32) -> f32
where
    F: Fn(f32) -> f32 + Copy,
{
    f(f(f(x)))
}

#[device]
fn once(f: impl FnOnce(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[kernel]
fn kernel<F: Fn(f32) -> f32>(f: F, x: &mut [f32]) {
    x[0] = f(x[0]);
}

fn main() {}

// mistakes: 4
