use cumbia::prelude::*;

mod mine {
    pub trait Add {
        type Output;
        fn add(self, other: Self) -> Self::Output;
    }
}

#[derive(Clone, Copy, DeviceType)]
struct Angle {
    degrees: f32,
}

impl std::ops::Add for Angle {
    type Output = Angle;

    fn add(self, other: Angle) -> Angle {
        Angle { degrees: (self.degrees + other.degrees) % 360.0 }
    }
}

#[device]
impl mine::Add for Angle {
    type Output = Angle;

    fn add(self, other: Angle) -> Angle {
        Angle { degrees: self.degrees + other.degrees }
    }
}

fn main() {}
