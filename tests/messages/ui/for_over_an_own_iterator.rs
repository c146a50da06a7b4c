use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Two {
    a: f32,
    b: f32,
}

impl IntoIterator for Two {
    type Item = f32;
    type IntoIter = std::array::IntoIter<f32, 2>;

    fn into_iter(self) -> Self::IntoIter {
        [self.b, self.a].into_iter()
    }
}

#[kernel]
fn kernel(x: &[Two], out: &mut [f32]) {
    let two = x[0];
    for v in two {
        out[0] += v;
    }
}

fn main() {}
