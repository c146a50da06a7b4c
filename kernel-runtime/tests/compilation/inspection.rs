//! Inspection of a kernel: the IR, disassembled machine code, and line tables of the Rust source.

use cumbia::prelude::*;
use cumbia::{CompileError, Error};
use object::{Object, ObjectSection};

use crate::kernels::{TEXT, line_of, scale};
use crate::support::has_nvrtc;

#[device]
fn clipped<T: Number>(x: T, limits: (T, T)) -> T {
    if x < limits.0 {
        limits.0
    } else if x > limits.1 {
        limits.1
    } else {
        x
    }
}

#[derive(Clone, Copy, DeviceType)]
struct Sum {
    total: f32,
    count: u32,
}

const LIMIT: f32 = 4.0;

/// A kernel with one instance of most constructs.
#[kernel]
fn of_everything(x: &[f32], kinds: &[u8], sums: &mut [Sum], n: i64) {
    let mut tile = shared::<[f32; 32]>();
    let (lane, i) = (thread_idx().x, grid(1));
    tile[lane % 32] = if i < x.len() { clipped(x[i], (-LIMIT, LIMIT)) } else { 0.0 };
    sync_threads();
    let mut sum = Sum { total: 0.0, count: 0 };
    let scale = (n - 1) * 2 / (3 + n) + -n;
    'rows: for k in (0..32).rev().step_by(2) {
        if kinds.is_empty() {
            break 'rows;
        }
        match kinds[k] {
            0 | 9 => continue,
            1..=3 if k > 4 => sum.total += tile[k],
            _ => {
                let scale = scale as f32;
                sum.total -= clipped(scale, (0.0, 1.0)) * tile[k];
            }
        }
        sum.count += clipped(1u32, (0, 5));
    }
    assert!(sum.count <= 32, "{} of {n}", sum.count);
    if lane == 0 {
        sums[block_idx().x] = Sum { count: 1, ..sum };
        atomic_add(&mut sums[0].total, 1.5);
    }
}

#[test]
fn the_ir_is_printed_as_typed_rust() {
    let ir = of_everything::ir().unwrap();
    for line in [
        "#[kernel]",
        "fn of_everything(x: &[f32], kinds: &[u8], sums: &mut [",
        "tile: &mut [f32; 32] = shared::<[f32; 32]>();",
        "let (lane: usize, i: usize) = (thread_idx().x, grid(1usize));",
        "tile[lane % 32usize] = if i < len(x) {",
        "clipped#0(x[i], (-4.0f32, 4.0f32))",
        "sync_threads();",
        "let scale: i64 = (n - 1i64) * 2i64 / (3i64 + n) + -n;",
        "'l0: for k: usize in (0usize..32usize).rev().step_by(2usize) {",
        "break 'l0;",
        "match kinds[k] {",
        "0 | 9 => continue 'l0,",
        "1..=3 if k > 4usize => sum.total += tile[k],",
        "let scale#",
        ": f32 = scale as f32;",
        "sum.count += clipped#1(1u32, (0u32, 5u32));",
        "panic!(\"{0} of {1}\", sum.count, n)",
        "Sum { count: 1u32, ..sum };",
        "atomic_add::<Relaxed, Device>(&mut sums[0usize].total, 1.5f32);",
        "#[device]",
        "fn clipped#0(x: f32, limits: (f32, f32)) -> f32 {",
        "fn clipped#1(x: u32, limits: (u32, u32)) -> u32 {",
        "} else if x > limits.1 {",
    ] {
        assert!(ir.contains(line), "`{line}` is not in\n{ir}");
    }
    assert!(!ir.contains('?'), "{ir}");
}

#[test]
fn machine_code_has_line_tables_of_the_rust_source() {
    if !has_nvrtc() {
        return;
    }
    let cubin = scale::<f32>::cubin("sm_90").unwrap();
    let elf = object::File::parse(&*cubin).unwrap();
    let lines = elf.section_by_name(".debug_line").expect("line tables, which Nsight and compute-sanitizer read");
    let lines = lines.data().unwrap();
    assert!(lines.windows(10).any(|bytes| bytes == b"kernels.rs"), "the Rust file is named");
    let ptx = scale::<f32>::ptx("sm_90").unwrap();
    let file = ptx.lines().find(|line| line.trim_start().starts_with(".file") && line.contains("kernels.rs")).unwrap();
    let number = file.split_whitespace().nth(1).unwrap();
    let line = line_of(TEXT, "scale");
    assert!(ptx.contains(&format!(".loc\t{number} {line} ")), "line {line} is not in\n{ptx}");
}

#[test]
fn sass_is_available_with_a_disassembler() {
    if !has_nvrtc() {
        return;
    }
    match scale::<f32>::sass("sm_90") {
        Ok(sass) => {
            assert!(sass.contains("FMUL") && sass.contains("EXIT"), "{sass}");
            let line = format!("line {}", line_of(TEXT, "scale"));
            // `cuobjdump` prints no source lines.
            assert!(!sass.contains("//## File") || sass.contains(&line), "{line} is not in\n{sass}");
        }
        Err(Error::Compile(error @ CompileError::NoDisassembler { .. })) => {
            assert!(error.to_string().contains("pip install nvidia-cuda-nvdisasm"), "{error}");
            eprintln!("skipped: there is no disassembler");
        }
        Err(error) => panic!("{error}"),
    }
    let error = scale::<f32>::sass("compute_80").unwrap_err();
    assert!(matches!(error, Error::Compile(CompileError::NoMachineCode { .. })), "{error}");
}
