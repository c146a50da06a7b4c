use cumbia::prelude::*;

const BLOCK: u32 = 256;

#[kernel(block = BLOCK)]
fn of_another_type(x: &mut [f32]) {}

#[kernel(block = (64, N))]
fn too_large<const N: usize>(x: &mut [f32]) {}

fn main() -> cumbia::Result<()> {
    let mut x = Device::open()?.zeros(100)?;
    too_large::<32>(&mut x).grid(1).launch()
}
