// mistakes: 4
use cumbia::prelude::*;

#[derive(Clone, Copy, KernelArgument)]
struct Part<'a> {
    x: DeviceSlice<'a, f32>,
    scale: f32,
}

#[derive(Clone, Copy, KernelArgument)]
struct Whole<'a> {
    part: Part<'a>,
}

#[device]
impl Part<'_> {
    fn at(self, i: usize) -> f32 {
        self.x[i] * self.scale
    }

    fn first(&self) -> f32 {
        let part = *self;
        part.at(0)
    }
}

#[device]
fn first(part: &Part<'_>) -> f32 {
    Part::at(*part, 0)
}

#[kernel]
fn method(whole: Whole<'_>, y: &mut [f32]) {
    let part = &whole.part;
    y[0] = part.first();
}

#[kernel]
fn field(whole: Whole<'_>, y: &mut [f32]) {
    let part = &whole.part;
    y[0] = part.x[0];
}

fn main() {}
