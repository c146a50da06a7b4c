//! compute-sanitizer reports the Rust source file and line of an out-of-bounds access.

use std::path::PathBuf;
use std::process::Command;

use cumbia::Device;

use crate::kernels::line_of;
use crate::out_of_bounds::{TEXT, reads_far};
use crate::support::has_nvrtc;

#[test]
#[ignore = "run under compute-sanitizer"]
fn reads_far_outside() {
    let device = Device::cuda(0).unwrap();
    let x = device.to_device(&[1.0f32; 32]).unwrap();
    let mut y = device.zeros::<f32>(32).unwrap();
    // SAFETY: unsound on purpose, in a separate process: the access has to be detected.
    unsafe { reads_far(&x, &mut y).over(32).launch() }.unwrap();
    let error = device.synchronize().unwrap_err();
    println!("{error}");
}

/// Returns the path of compute-sanitizer, on PATH or in a toolkit.
fn sanitizer() -> Option<PathBuf> {
    let toolkit = std::env::var_os("CUDA_HOME").map_or_else(|| PathBuf::from("/usr/local/cuda"), PathBuf::from);
    let on_path = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let folders = on_path.into_iter().chain([toolkit.join("bin"), toolkit.join("compute-sanitizer")]);
    folders.map(|folder| folder.join("compute-sanitizer")).find(|path| path.is_file())
}

#[test]
fn compute_sanitizer_names_the_rust_line() {
    if Device::cuda(0).is_err() || !has_nvrtc() {
        return;
    }
    let Some(sanitizer) = sanitizer() else {
        eprintln!("skipped: there is no compute-sanitizer");
        return;
    };
    let output = Command::new(sanitizer)
        .args(["--tool", "memcheck"])
        .arg(std::env::current_exe().unwrap())
        .args(["sanitizer::reads_far_outside", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if said.contains("Device not supported") {
        eprintln!("skipped: compute-sanitizer rejects this machine's GPU");
        return;
    }
    let place = format!("out_of_bounds.rs:{}", line_of(TEXT, "far"));
    assert!(said.contains("Invalid __global__ read") && said.contains(&place), "{place} is not in\n{said}");
    println!("{}", said.lines().filter(|line| line.contains("out_of_bounds.rs")).collect::<Vec<_>>().join("\n"));
}
