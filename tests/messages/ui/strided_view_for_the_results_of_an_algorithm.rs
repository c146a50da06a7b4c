use cumbia::algorithm::{Plus, inclusive_scan_in_place};
use cumbia::prelude::*;

fn sums(x: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    inclusive_scan_in_place(&mut x.reshape_mut((2, 3))?.column(0)?, Plus).launch()
}

fn main() {}
