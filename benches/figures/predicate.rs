//! What a launch costs whose predicate is evaluated: launches of a kernel with ten conditions, back to back, whose arrays have
//! the lengths of the launch before, and other ones each time.

use std::cell::{Cell, RefCell};

use cumbia::{DeviceArray, DeviceSlice, prelude::*};

use crate::time::medians;

/// Each of the ten accesses is in bounds under a condition of its own, as `a.len() >= n`.
#[kernel]
#[allow(clippy::too_many_arguments)]
fn ten(
    n: usize,
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    e: &[f32],
    f: &[f32],
    g: &[f32],
    h: &[f32],
    k: &[f32],
    y: &mut [f32],
) {
    let i = grid(1);
    if i < n {
        y[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + k[i];
    }
}

const LAUNCHES: usize = 1000;
const ROUNDS: usize = 180;

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    let x: DeviceArray<f32> = device.zeros(256)?;
    let (short, long) = (x.slice(0..192)?, x.slice(0..256)?);
    let y = RefCell::new(device.zeros::<f32>(256)?);
    let result: Cell<cumbia::Result<()>> = Cell::new(Ok(()));
    let launches = |slices: [&DeviceSlice<'_, f32>; 2]| {
        let mut y = y.borrow_mut();
        let outcome = (0..LAUNCHES).try_for_each(|launch| {
            let x = slices[launch % 2];
            ten(192, x, x, x, x, x, x, x, x, x, &mut *y).grid(1).block(256).launch()
        });
        if outcome.is_err() {
            result.set(outcome);
        }
    };
    let [same, other] = medians(ROUNDS, [&mut || launches([&long, &long]), &mut || launches([&short, &long])]);
    result.into_inner()?;
    let per_launch = |time: std::time::Duration| time.as_secs_f64() * 1e9 / LAUNCHES as f64;
    println!("a launch of a kernel with ten conditions, back to back");
    println!("  with the lengths of the launch before        {:>9.1} ns", per_launch(same));
    println!("  with other lengths each time                 {:>9.1} ns", per_launch(other));
    println!("  evaluating the conditions                    {:>9.1} ns", per_launch(other) - per_launch(same));
    Ok(())
}
