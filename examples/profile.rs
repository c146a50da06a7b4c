//! Profiling: named NVTX ranges, a capture range, and source lines of the kernels.
//!
//! ```text
//! cargo run --release --example profile
//! nsys profile --capture-range=cudaProfilerApi target/release/examples/profile
//! ncu --profile-from-start off --nvtx --nvtx-include "smooth/" --set full --import-source on \
//!     --source-folders . -o report target/release/examples/profile
//! ```

use cumbia::prelude::*;
use cumbia::profile;

/// One step of the heat equation on a plate with a fixed temperature at the boundary.
#[kernel]
fn smooth(old: ArrayView2<f32>, mut new: ArrayViewMut2<f32>) {
    let (x, y) = grid(2);
    if x < new.ncols() && y < new.nrows() {
        let is_inside = x > 0 && y > 0 && x + 1 < new.ncols() && y + 1 < new.nrows();
        new[[y, x]] = if is_inside {
            0.25 * (old[[y, x - 1]] + old[[y, x + 1]] + old[[y - 1, x]] + old[[y + 1, x]])
        } else {
            old[[y, x]]
        };
    }
}

/// Computes the total heat of the plate.
#[kernel]
fn add_up(plate: &[f32], sum: &mut [f32]) {
    let mut part = 0.0;
    for i in (grid(1)..plate.len()).step_by(grid_size(1)) {
        part += plate[i];
    }
    for delta in [16, 8, 4, 2, 1] {
        part += shfl_down_sync(u32::MAX, part, delta);
    }
    if lane_id() == 0 {
        atomic_add(&mut sum[0], part);
    }
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let (rows, columns) = (1024, 2048);
    let hot_edge: Vec<f32> = (0..rows * columns).map(|i| if i < columns { 100.0 } else { 0.0 }).collect();
    let (mut old, mut new) = (device.to_device(&hot_edge)?, device.zeros(rows * columns)?);
    let mut sum = device.zeros(1)?;

    // Warm up: exclude the compilation from the profile.
    smooth(old.reshape((rows, columns))?, new.reshape_mut((rows, columns))?).over((columns, rows)).launch()?;
    add_up(&old, &mut sum).grid(64).block(256).launch()?;
    sum.fill(0.0)?;

    profile::start(&device)?;
    let time = device.time(|| {
        let _range = profile::range("smooth");
        for _ in 0..50 {
            smooth(old.reshape((rows, columns))?, new.reshape_mut((rows, columns))?).over((columns, rows)).launch()?;
            std::mem::swap(&mut old, &mut new);
        }
        Ok(())
    })?;
    profile::mark("smoothed");
    {
        let _range = profile::range("add up");
        add_up(&old, &mut sum).grid(64).block(256).launch()?;
        device.synchronize()?;
    }
    profile::stop(&device)?;

    let gigabytes = 50.0 * 2.0 * size_of_val(hot_edge.as_slice()) as f64 / 1e9;
    let speed = gigabytes / time.as_secs_f64();
    println!("{device}: 50 steps of {rows} × {columns} in {time:.1?}, {speed:.0} GB/s; heat: {:.0}", sum.to_host()?[0]);
    Ok(())
}
