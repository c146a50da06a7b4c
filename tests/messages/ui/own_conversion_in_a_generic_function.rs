use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Celsius(f32);

impl From<f32> for Celsius {
    fn from(kelvin: f32) -> Celsius {
        Celsius(kelvin - 273.15)
    }
}

#[device]
fn made<T: DeviceType + From<f32>>(x: f32) -> T {
    T::from(x)
}

#[kernel]
fn kernel(x: &[f32], out: &mut [Celsius]) {
    out[0] = made::<Celsius>(x[0]);
}

fn main() {}
