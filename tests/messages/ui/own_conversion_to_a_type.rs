use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Celsius(f32);

impl From<f32> for Celsius {
    fn from(kelvin: f32) -> Celsius {
        Celsius(kelvin - 273.15)
    }
}

#[kernel]
fn kernel(x: &[f32], out: &mut [Celsius]) {
    out[0] = Celsius::from(x[0]);
}

fn main() {}
