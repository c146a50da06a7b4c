//! Launches: the introductory program, the three ways to launch, and concurrent launches.

use cumbia::Dim3;
use cumbia::prelude::*;

use crate::support::{alone, gpu, on_each_device, on_gpu, passes_in_process};

/// The program at the head of `DESIGN.md`, as it stands there.
mod program {
    use cumbia::prelude::*;

    #[kernel]
    fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
        let i = grid(1);
        if i < y.len() {
            y[i] = a * x[i] + y[i];
        }
    }

    #[allow(clippy::needless_pass_by_value, reason = "the lines below are to be as they stand there")]
    pub(super) fn main(xs: Vec<f32>, ys: Vec<f32>) -> cumbia::Result<Vec<f32>> {
        let y_len = ys.len();
        let device = Device::open()?;
        let x = device.to_device(&xs)?;
        let mut y = device.to_device(&ys)?;

        saxpy(2.0, &x, &mut y).grid(40).block(256).launch()?;
        launch!(saxpy[40, 256](2.0, &x, &mut y))?;
        saxpy(2.0, &x, &mut y).over(y_len).launch()?;

        let ys = y.to_host()?;
        Ok(ys)
    }

    #[test]
    fn the_first_program_runs() {
        let _alone = crate::support::alone();
        for len in [0u16, 1, 1000, 10_240] {
            let xs: Vec<f32> = (0..len).map(f32::from).collect();
            let ys: Vec<f32> = (0..len).map(|i| f32::from(i % 7)).collect();
            let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 6.0 * x + y).collect();
            assert_eq!(main(xs, ys).unwrap(), expected);
        }
    }

    #[test]
    fn a_kernel_describes_itself() {
        let info = saxpy::info();
        assert_eq!((info.name, info.signature), ("saxpy", "fn saxpy(a: f32, x: &[f32], y: &mut [f32])"));
        assert!(info.module_path.ends_with("launch::program") && info.file.ends_with("launch.rs"));
        let listed = cumbia::kernels().into_iter().find(|kernel| kernel.name == "saxpy" && kernel.file == info.file);
        assert_eq!(listed, Some(&info));
        let source = saxpy::cuda_source().unwrap();
        assert!(source.contains("__global__ void saxpy(float a, const float* __restrict__ x"), "{source}");
    }
}

#[kernel]
fn add_one(x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += 1;
    }
}

#[kernel]
fn count(counts: &mut [u32]) {
    let (x, y, z) = grid(3);
    if x < 5 && y < 4 && z < 3 {
        atomic_add(&mut counts[(z * 4 + y) * 5 + x], 1);
    } else {
        atomic_add(&mut counts[60], 1);
    }
}

#[test]
fn a_grid_and_a_block_can_have_any_form() {
    on_each_device(|device| {
        let mut counts = device.zeros::<u32>(61).unwrap();
        let mut outside = 0;
        count(&mut counts).grid((5, 4, 3)).block(1).launch().unwrap();
        count(&mut counts).grid(1u32).block((5i32, 4, 3)).launch().unwrap();
        launch!(count[(1, 2, 1), (5, 2, 3)](&mut counts)).unwrap();
        launch!(count[(5usize, 1), (1, 4, 3)](&mut counts)).unwrap();
        count(&mut counts).block((3, 1, 2)).over((5, 4, 3)).launch().unwrap();
        outside += 6 * 4 * 4 - 60;
        count(&mut counts).grid(Dim3 { x: 1, y: 1, z: 1 }).block(Dim3 { x: 5, y: 4, z: 3 }).launch().unwrap();
        let mut expected = vec![6; 60];
        expected.push(outside);
        assert_eq!(counts.to_host().unwrap(), expected);

        // A block that the runtime picks covers each item once; the number of surplus threads depends on the device.
        let mut covered = device.zeros::<u32>(61).unwrap();
        count(&mut covered).over((5, 4, 3)).launch().unwrap();
        let covered = covered.to_host().unwrap();
        assert_eq!(covered[..60], [1; 60]);
        assert_eq!((60 + covered[60]) % 32, 0, "blocks are whole warps");
    });
}

#[test]
fn launches_are_ordered() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(1000).unwrap();
        for _ in 0..2000 {
            add_one(&mut x).grid(4).block(256).launch().unwrap();
        }
        assert_eq!(x.to_host().unwrap(), [2000; 1000]);
    });
}

#[test]
fn an_array_can_be_dropped_while_a_kernel_uses_it() {
    on_each_device(|device| {
        for len in [100usize, 100_000, 1_000_000] {
            for _ in 0..20 {
                let mut x = device.zeros::<u32>(len).unwrap();
                add_one(&mut x).over(len).launch().unwrap();
                add_one(&mut x).over(len).launch().unwrap();
            }
        }
        device.synchronize().unwrap();
    });
}

#[test]
fn many_threads_launch_concurrently() {
    on_each_device(|device| {
        std::thread::scope(|scope| {
            for thread in 0..16u32 {
                scope.spawn(move || {
                    let mut x = device.to_device(&[thread; 300]).unwrap();
                    for _ in 0..50 {
                        add_one(&mut x).over(300).launch().unwrap();
                    }
                    assert_eq!(x.to_host().unwrap(), [thread + 50; 300]);
                });
            }
        });
    });
}

#[kernel]
fn compiled_once(x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = x[i] * 3 + 1;
    }
}

/// The first launches of a kernel, concurrently, with an empty cache.
#[test]
#[ignore = "run by `a_kernel_is_compiled_once`, with a cache of its own"]
fn first_launches_at_once() {
    let _alone = alone();
    let device = Device::cuda(0).unwrap();
    let start = std::sync::Barrier::new(16);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut x = device.to_device(&[5u32; 64]).unwrap();
                start.wait();
                compiled_once(&mut x).over(64).launch().unwrap();
                assert_eq!(x.to_host().unwrap(), [16; 64]);
            });
        }
    });
    let compilations = std::env::var(COMPILATIONS).unwrap();
    assert_eq!(cumbia::cache::stats().compilations.to_string(), compilations);
}

/// The number of kernels that a child process has to compile.
const COMPILATIONS: &str = "CUMBIA_TEST_COMPILATIONS";

#[test]
fn a_kernel_is_compiled_once() {
    if gpu().is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("cumbia-cache-{}", std::process::id()));
    let cache = folder.to_str().expect("a plain path");
    // The second process hits the cache entries of the first one.
    for compilations in ["1", "0"] {
        let environment = [("CUMBIA_CACHE_DIR", cache), ("CUMBIA_CACHE", ""), (COMPILATIONS, compilations)];
        passes_in_process("launch::first_launches_at_once", &environment);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[kernel]
fn beyond_32_bits(seen: &mut [u64]) {
    let i = grid(1);
    if i >= 4_294_967_296 && i < 4_294_967_304 {
        seen[i - 4_294_967_296] = i as u64;
    }
    if i == grid_size(1) - 1 {
        seen[8] = i as u64;
    }
}

/// `blockIdx.x * blockDim.x` wraps in CUDA C.
#[test]
fn global_indices_do_not_wrap() {
    on_gpu(|gpu| {
        let mut seen = gpu.zeros::<u64>(9).unwrap();
        beyond_32_bits(&mut seen).grid((1 << 22) + 1).block(1024).launch().unwrap();
        let mut expected: Vec<u64> = (0..8).map(|i| (1 << 32) + i).collect();
        expected.push((1 << 32) + 1023);
        assert_eq!(seen.to_host().unwrap(), expected);
    });
}
