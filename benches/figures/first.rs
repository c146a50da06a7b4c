//! Latency of the first launch of a process, in milliseconds from `.launch()` to the result on the host, and the share
//! of NVRTC: with an empty disk cache, with a warm one, and with kernels compiled ahead of time.
//!
//! Each sample is a process of its own, whose CUDA context is created before the measurement. Cumbia's share excludes
//! the compilation by NVRTC and the discovery and loading of NVRTC: at most 2 ms with an empty cache, 1 ms with a warm
//! one.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cumbia::precompile::Plan;
use cumbia::prelude::*;

use crate::time::once;

/// The argument with which this program runs as the measured process.
pub(crate) const CHILD: &str = "first-child";

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    let folder = std::env::temp_dir().join(format!("cumbia-figures-{}", std::process::id()));
    let (cache, ahead) = (folder.join("cache"), folder.join("ahead"));
    let (major, minor) = device.limits().compute_capability.unwrap_or_default();
    Plan::new().instance::<saxpy>().architectures([format!("sm_{major}{minor}")]).quiet().compile_into(&ahead)?;
    println!("the first launch of a process, to its result on the host, in ms");
    println!("  {:<24} {:>9} {:>9} {:>9} {:>9}", "", "total", "loading", "compiling", "cumbia");
    let (mut cold, mut warm, mut shipped) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        let _ = std::fs::remove_dir_all(&cache);
        cold.push(run(&cache, None));
        warm.push(run(&cache, None));
        shipped.push(run(&cache, Some(&ahead)));
    }
    let _ = std::fs::remove_dir_all(&folder);
    for (name, mut times) in [("empty cache", cold), ("warm cache", warm), ("compiled ahead", shipped)] {
        times.sort_by(|a, b| ours(*a).total_cmp(&ours(*b)));
        let median = times[times.len() / 2];
        let [all, loading, compiling] = median;
        println!("  {name:<24} {all:>9.3} {loading:>9.3} {compiling:>9.3} {:>9.3}", ours(median));
    }
    Ok(())
}

fn ours([all, loading, compiling]: [f64; 3]) -> f64 {
    all - loading - compiling
}

/// Runs the measured process, and returns its times in milliseconds: total, loading NVRTC, compiling.
fn run(cache: &Path, ahead: Option<&Path>) -> [f64; 3] {
    let program = std::env::current_exe().expect("this program's path");
    let mut command = Command::new(program);
    command.arg(CHILD).env("CUMBIA_CACHE_DIR", cache).env_remove("CUMBIA_CACHE");
    command.env("CUMBIA_KERNELS", ahead.unwrap_or(Path::new("")));
    let output = command.output().expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The measured process.
pub(crate) fn child() -> cumbia::Result<()> {
    let device = Device::cuda(0)?;
    let x = device.to_device(&vec![1.0f32; 1024])?;
    let mut y = device.to_device(&vec![1.0f32; 1024])?;
    device.synchronize()?;
    let (time, result): (Duration, cumbia::Result<Vec<f32>>) = once(|| {
        saxpy(2.0, &x, &mut y).grid(4).block(256).launch()?;
        y.to_host()
    });
    let stats = cumbia::cache::stats();
    let [all, loading, compiling] = [time, stats.loading_nvrtc, stats.compiling].map(|time| time.as_secs_f64() * 1e3);
    println!("{all} {loading} {compiling}");
    assert_eq!(result?[5], 3.0);
    Ok(())
}
