use cumbia::prelude::*;

#[derive(Clone, DeviceType)]
struct Cloud {
    points: Vec<f32>,
}

fn main() {}
