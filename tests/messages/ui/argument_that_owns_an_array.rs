use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Field<'a> {
    values: DeviceArray<f32>,
    weights: &'a DeviceArray<f32>,
}

#[device]
impl Field<'_> {
    fn at(&self, i: usize) -> f32 {
        self.values[i] * self.weights[i]
    }
}

#[kernel]
fn kernel(field: Field<'_>, y: &mut [f32]) {
    y[0] = field.values[0] + field.at(1);
}

fn main() {}
