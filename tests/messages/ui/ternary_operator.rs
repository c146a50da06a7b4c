use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = x[1] > 0.0 ? 1.0 : 2.0;
}

fn main() -> cumbia::Result<()> {
    let mut x = Device::cpu().to_device(&[1.0f32])?;
    kernel(&mut x).over(1).launch()
}
