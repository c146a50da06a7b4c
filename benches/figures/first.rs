//! Latency of the first launch of a process, in milliseconds from `.launch()` to the result on the host, and the share
//! of NVRTC: with an empty disk cache, with a warm one, and with kernels compiled ahead of time.
//!
//! And with an empty cache, the first launch of several kernels, against that of their checked variants, which no analysis
//! precedes that selects another one: what the analyses cost, and what the variants save.
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

/// The product of two matrices of `16 * n` rows and columns, by tiles in shared memory.
#[kernel(block = (16, 16))]
fn product(n: usize, a: ArrayView2<f32>, b: ArrayView2<f32>, mut c: ArrayViewMut2<f32>) {
    let (row, column) = grid(2);
    let (i, j) = (thread_idx().y, thread_idx().x);
    let (mut of_a, mut of_b) = (shared::<[[f32; 16]; 16]>(), shared::<[[f32; 16]; 16]>());
    let mut sum = 0.0;
    for tile in 0..n {
        of_a[i][j] = a[[row, 16 * tile + j]];
        of_b[i][j] = b[[16 * tile + i, column]];
        sync_threads();
        for k in 0..16 {
            sum += of_a[i][k] * of_b[k][j];
        }
        sync_threads();
    }
    c[[row, column]] = sum;
}

/// The mean of the four neighbours of each inner element.
#[kernel]
fn stencil(x: ArrayView2<f32>, mut y: ArrayViewMut2<f32>) {
    let (i, j) = grid(2);
    if i > 0 && j > 0 && i + 1 < x.nrows() && j + 1 < x.ncols() {
        y[[i, j]] = 0.25 * (x[[i - 1, j]] + x[[i + 1, j]] + x[[i, j - 1]] + x[[i, j + 1]]);
    }
}

/// The product of a sparse matrix in compressed rows and a vector.
#[kernel]
fn sparse(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid(1);
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

const KERNELS: [&str; 4] = ["saxpy", "product", "stencil", "sparse"];

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
        cold.push(run("saxpy", None, &cache, None));
        warm.push(run("saxpy", None, &cache, None));
        shipped.push(run("saxpy", None, &cache, Some(&ahead)));
    }
    for (name, mut times) in [("empty cache", cold), ("warm cache", warm), ("compiled ahead", shipped)] {
        times.sort_by(|a, b| ours(*a).total_cmp(&ours(*b)));
        let median = times[times.len() / 2];
        let [all, loading, compiling] = median;
        println!("  {name:<24} {all:>9.3} {loading:>9.3} {compiling:>9.3} {:>9.3}", ours(median));
    }
    println!(
        "the first launch with an empty cache without the loading of NVRTC, in ms, and that of the checked variant"
    );
    for kernel in KERNELS {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..7 {
            for (times, variant) in times.iter_mut().zip([None, Some("checked")]) {
                let _ = std::fs::remove_dir_all(&cache);
                let [all, loading, _] = run(kernel, variant, &cache, None);
                times.push(all - loading);
            }
        }
        let [any, checked] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!("  {kernel:<24} {any:>9.3} {checked:>9.3} {:>9.3}", any / checked);
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

fn ours([all, loading, compiling]: [f64; 3]) -> f64 {
    all - loading - compiling
}

/// Runs the measured process, and returns its times in milliseconds: total, loading NVRTC, compiling.
fn run(kernel: &str, variant: Option<&str>, cache: &Path, ahead: Option<&Path>) -> [f64; 3] {
    let program = std::env::current_exe().expect("this program's path");
    let mut command = Command::new(program);
    command.args([CHILD, kernel]).env("CUMBIA_CACHE_DIR", cache).env_remove("CUMBIA_CACHE");
    command.env("CUMBIA_KERNELS", ahead.unwrap_or(Path::new("")));
    if let Some(variant) = variant {
        command.env("CUMBIA_VARIANT", variant);
    }
    let output = command.output().expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The measured process.
pub(crate) fn child(kernel: &str) -> cumbia::Result<()> {
    let device = Device::cuda(0)?;
    let x = device.to_device(&vec![1.0f32; 1024])?;
    let mut y = device.to_device(&vec![1.0f32; 1024])?;
    let (ends, columns) = (device.to_device(&[0u32, 1, 3])?, device.to_device(&[0u32, 1, 2])?);
    device.synchronize()?;
    let (time, result): (Duration, cumbia::Result<Vec<f32>>) = once(|| {
        let shape = (32, 32);
        match kernel {
            "product" => {
                product(2, x.reshape(shape)?, x.reshape(shape)?, y.reshape_mut(shape)?).over(shape).launch()?;
            }
            "stencil" => stencil(x.reshape(shape)?, y.reshape_mut(shape)?).over(shape).launch()?,
            "sparse" => sparse(&ends, &columns, &x, &x, &mut y.slice_mut(0..2)?).over(2).launch()?,
            _ => saxpy(2.0, &x, &mut y).grid(4).block(256).launch()?,
        }
        y.to_host()
    });
    let stats = cumbia::cache::stats();
    let [all, loading, compiling] = [time, stats.loading_nvrtc, stats.compiling].map(|time| time.as_secs_f64() * 1e3);
    println!("{all} {loading} {compiling}");
    let expected = match kernel {
        "product" => 32.0,
        "saxpy" => 3.0,
        // Not written.
        _ => 1.0,
    };
    assert_eq!(result?[5], expected);
    Ok(())
}
