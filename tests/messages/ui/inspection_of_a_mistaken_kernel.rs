use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let f = |v: f32| v + 1.0;
}

fn main() -> cumbia::Result<()> {
    println!("{}", kernel::cuda_source()?);
    println!("{:?}", kernel::ptx("sm_90"));
    kernel(&mut Device::cpu().zeros(1)?).over(1).launch()
}
