//! Milliseconds from the first `.launch()` of a process to its result, with an empty disk cache and with a warm one.
//!
//! Each is a process of its own, whose CUDA context is up before the clock starts.

use std::process::Command;
use std::time::Duration;

use cumbia::prelude::*;

use crate::time::once;

/// The argument that makes this program the process that is timed.
pub(crate) const CHILD: &str = "first-child";

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

pub(crate) fn figures() {
    let folder = std::env::temp_dir().join(format!("cumbia-figures-{}", std::process::id()));
    println!("the first launch of a process, to its result on the host");
    let mut cold = Vec::new();
    let mut warm = Vec::new();
    for _ in 0..5 {
        let _ = std::fs::remove_dir_all(&folder);
        cold.push(run(&folder));
        warm.push(run(&folder));
    }
    let _ = std::fs::remove_dir_all(&folder);
    for (what, mut times) in [("empty cache", cold), ("warm cache", warm)] {
        times.sort_by(f64::total_cmp);
        println!("  {what:<44} {:>12.3} ms  (of {times:.3?})", times[times.len() / 2]);
    }
}

/// The milliseconds that a process took.
fn run(cache: &std::path::Path) -> f64 {
    let program = std::env::current_exe().expect("this program's path");
    let output = Command::new(program).arg(CHILD).env("CUMBIA_CACHE_DIR", cache).output().expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The process that is timed.
pub(crate) fn child() -> cumbia::Result<()> {
    let device = Device::cuda(0)?;
    let x = device.to_device(&vec![1.0f32; 1024])?;
    let mut y = device.to_device(&vec![1.0f32; 1024])?;
    device.synchronize()?;
    let (time, result): (Duration, cumbia::Result<Vec<f32>>) = once(|| {
        saxpy(2.0, &x, &mut y).grid(4).block(256).launch()?;
        y.to_host()
    });
    assert_eq!(result?[5], 3.0);
    println!("{}", time.as_secs_f64() * 1e3);
    Ok(())
}
