use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Wave {
    frequency: f32,
}

impl Wave {
    #[device]
    pub fn amplitude(time: f32) -> f32 {
        time.sin()
    }
}

fn main() {}
