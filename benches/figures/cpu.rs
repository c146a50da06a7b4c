//! CPU device: saxpy over 2²⁴ elements against a plain loop, and the tiled product of 512×512 matrices.

use cumbia::prelude::*;

use crate::product::{TILE, tiled};
use crate::time::{medians, ratio, row};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

pub(crate) fn figures() -> cumbia::Result<()> {
    let device = Device::cpu();
    let n = 1 << 24;
    let numbers: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 1e-3).collect();
    let x = device.to_device(&numbers)?;
    let mut y = device.to_device(&numbers)?;
    let (plain_x, mut plain_y) = (numbers.clone(), numbers.clone());
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let y = std::sync::Mutex::new(&mut y);
    let launch = || {
        saxpy(1.0001, &x, &mut **y.lock().expect("no panic before")).over(n).launch().expect("a good launch");
        device.synchronize().expect("no fault");
    };
    let [plain, one, all] = medians(
        9,
        [
            &mut || {
                for (y, x) in plain_y.iter_mut().zip(&plain_x) {
                    *y += 1.0001 * x;
                }
                std::hint::black_box(&mut plain_y);
            },
            &mut || one_core.install(launch),
            &mut || launch(),
        ],
    );
    println!("cpu: saxpy, n = 2^24");
    row("a plain loop on one core", plain, "");
    row("#[kernel] on one core", one, &format!("{:.3} of the loop's speed", ratio(plain, one)));
    row("#[kernel] on all cores", all, &format!("{:.3} of the loop's speed", ratio(plain, all)));

    let n = 512;
    let numbers: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32).collect();
    let a = device.to_device(&numbers)?;
    let mut c = device.zeros(n * n)?;
    let [time] = medians(
        5,
        [&mut || {
            tiled(&a, &a, &mut c, n).grid((n / TILE, n / TILE)).block((TILE, TILE)).launch().expect("a good launch");
            device.synchronize().expect("no fault");
        }],
    );
    println!("cpu: 16×16 tiled product, n = {n}");
    row("#[kernel] on all cores", time, "");
    Ok(())
}
