use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Metres(f32);

impl From<Metres> for f32 {
    fn from(length: Metres) -> f32 {
        length.0
    }
}

#[kernel]
fn converts(x: &[Metres], y: &mut [f32]) {
    let length = x[0];
    y[0] = length.into();
}

fn main() {}
