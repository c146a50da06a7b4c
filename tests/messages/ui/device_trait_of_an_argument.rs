use cumbia::DeviceSliceMut;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    position: DeviceSliceMut<'a, f32>,
    step: f32,
}

#[device]
trait Step {
    fn step(&self) -> f32;
}

#[device]
impl Step for Particles<'_> {
    fn step(&self) -> f32 {
        self.step
    }
}

fn main() {}
