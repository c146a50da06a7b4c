use cumbia::algorithm::{segmented_sort};
use cumbia::prelude::*;

fn sorted(keys: &mut DeviceArray<u32>, offsets: &DeviceArray<f32>) -> cumbia::Result<()> {
    segmented_sort(keys, offsets).descending().launch()
}

fn main() {}
