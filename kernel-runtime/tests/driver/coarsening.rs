//! Launches whose CUDA threads execute several logical threads: the grid of CUDA blocks, and the number of logical blocks in
//! the launch parameter.

use cumbia::prelude::*;
use cumbia::{CompileError, DeviceArray, Error, Graph};

use crate::fake::{Build, Fake};
use crate::kernels::{plain_saxpy, rows_by_4, saxpy, saxpy_by_4, scaled, scaled_unchecked, scattered_by_2};
use crate::{allocations, scenarios};

/// More than two waves of threads on the fake GPU, whose resident threads are 132 · 2048, if each executes four.
const LARGE: usize = 1 << 22;

/// The position of the launch parameter of a kernel with a number and two arrays.
const LAUNCH: i64 = 5;

fn zeros(device: &Device, len: usize) -> DeviceArray<f32> {
    device.zeros(len).unwrap()
}

/// Returns the build, the grid of CUDA blocks, and the number of blocks in the launch parameter of the last launch.
fn last(fake: &Fake) -> (Build, [u32; 3], u32) {
    (fake.last_build(), fake.last_launch().grid, fake.last_blocks())
}

scenarios! {
    /// The first launch compiles one source, and further ones take the fast path.
    fn large_launches_are_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        for _ in 0..3 {
            saxpy(1.0, &x, &mut y).over(LARGE).launch().unwrap();
            assert_eq!(fake.last_launch().block, [128, 1, 1]);
            assert_eq!(last(&fake), (Build::Coarsened, [8192, 1, 1], 32768));
        }
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 1);
        let mut launch = || saxpy(2.0, &x, &mut y).over(LARGE).launch().unwrap();
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| launch())), 0);
        assert_eq!(last(&fake), (Build::Coarsened, [8192, 1, 1], 32768));
        for blocks in [16_384usize, 16_385, 16_387, 16_388] {
            saxpy(1.0, &x, &mut y).grid(blocks).block(256).launch().unwrap();
            assert_eq!(last(&fake), (Build::Coarsened, [blocks.div_ceil(4) as u32, 1, 1], blocks as u32));
        }
    }

    fn small_launches_are_not_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        for len in [1000usize, 1 << 20, 2 << 20] {
            saxpy(1.0, &x, &mut y).over(len).launch().unwrap();
            let (build, [blocks, ..], virtual_blocks) = last(&fake);
            assert_eq!((build, virtual_blocks), (Build::Proven, 0));
            assert_eq!(blocks as usize, len.div_ceil(fake.last_launch().block[0] as usize));
        }
    }

    /// The predicate reads the grid of the launch, on the fast path as well.
    fn a_launch_out_of_bounds_is_not_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y, mut short) = (zeros(&device, LARGE), zeros(&device, LARGE), zeros(&device, LARGE - 1));
        for _ in 0..3 {
            scaled(1.0, &x, &mut y).grid(LARGE / 256).block(256).launch().unwrap();
            assert_eq!(last(&fake), (Build::Coarsened, [4096, 1, 1], 16384));
            scaled(1.0, &x, &mut short).grid(LARGE / 256).block(256).launch().unwrap();
            assert_eq!(last(&fake), (Build::Checked, [16384, 1, 1], 0));
            scaled(1.0, &x, &mut y).grid(LARGE / 256 + 1).block(256).launch().unwrap();
            assert_eq!(last(&fake), (Build::Checked, [16385, 1, 1], 0));
        }
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 3);
    }

    fn prepared_launches_and_graphs_are_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y, z) = (zeros(&device, 8), zeros(&device, 8), zeros(&device, 7));
        let prepared = saxpy(1.0, &x, &mut y).over(LARGE).prepare().unwrap();
        prepared.launch().unwrap();
        assert_eq!(last(&fake), (Build::Coarsened, [8192, 1, 1], 32768));
        drop(prepared);
        let mut graph = Graph::new(&device.stream().unwrap());
        for (x, build) in [(&x, Build::Coarsened), (&z, Build::Checked), (&x, Build::Coarsened)] {
            graph.run(|g| g.launch(saxpy(1.0, x, &mut y).over(LARGE))).unwrap();
            assert_eq!(fake.last_build(), build);
        }
        assert_eq!(fake.calls("cuGraphInstantiateWithFlags"), 1);
    }

    /// With an explicit factor, the size of the launch does not matter.
    fn an_explicit_factor_is_used_always() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        for blocks in 1..=9usize {
            saxpy_by_4(1.0, &x, &mut y).grid(blocks).block(32).launch().unwrap();
            assert_eq!(last(&fake), (Build::Coarsened, [blocks.div_ceil(4) as u32, 1, 1], blocks as u32));
        }
        rows_by_4(1.0, &x, &mut y).grid((3, 9)).block((32, 4)).launch().unwrap();
        assert_eq!(last(&fake), (Build::Coarsened, [3, 3, 1], 9));
        assert_eq!(saxpy_by_4::attributes(&device).unwrap().registers, 32);
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 2);
    }

    /// The launch parameter of a kernel without checks exists for this purpose.
    fn unchecked_kernels_are_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        for (len, expected) in [(LARGE, (Build::Coarsened, [4096, 1, 1], 16384)), (256, (Build::Proven, [1, 1, 1], 0))] {
            // SAFETY: the fake driver runs no kernels.
            unsafe { scaled_unchecked(1.0, &x, &mut y).grid(len / 256).block(256).launch() }.unwrap();
            assert_eq!(last(&fake), expected);
        }
    }

    /// Several items need more registers than one.
    fn a_block_that_is_too_large_for_it_is_not_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        fake.coarsened_registers(128);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        saxpy(1.0, &x, &mut y).grid(LARGE / 512).block(512).launch().unwrap();
        assert_eq!(last(&fake), (Build::Coarsened, [2048, 1, 1], 8192));
        saxpy(1.0, &x, &mut y).grid(LARGE / 1024).block(1024).launch().unwrap();
        assert_eq!(last(&fake), (Build::Proven, [4096, 1, 1], 0));
    }

    fn launches_whose_blocks_matter_are_not_coarsened() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        plain_saxpy(1.0, &x, &mut y).over(LARGE).launch().unwrap();
        assert_eq!(fake.last_build(), Build::Proven);
        saxpy(1.0, &x, &mut y).over(LARGE).shared_bytes(1024).launch().unwrap();
        assert_eq!(fake.last_build(), Build::Proven);
        saxpy_by_4(1.0, &x, &mut y).grid(8).block(32).cooperative().launch().unwrap();
        assert_eq!(fake.last_build(), Build::Proven);
    }

    fn no_launch_is_coarsened_with_all_checks("CUMBIA_VARIANT" = "checked") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.watch_blocks(LAUNCH);
        let (x, mut y) = (zeros(&device, 8), zeros(&device, 8));
        saxpy(1.0, &x, &mut y).over(LARGE).launch().unwrap();
        assert_eq!(last(&fake), (Build::Checked, [16384, 1, 1], 0));
        saxpy_by_4(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(fake.last_build(), Build::Checked);
    }
}

/// The reason and its position, on every device.
#[test]
fn a_kernel_that_cannot_be_coarsened_is_rejected() {
    let device = Device::cpu();
    let (to, mut y) = (device.to_device(&[0u32; 4]).unwrap(), zeros(&device, 4));
    let error = scattered_by_2::<f32>(&to, &mut y).over(4).launch().unwrap_err();
    let Error::Compile(CompileError::NotCoarsenable { kernel, function, file, .. }) = &error else { panic!("{error}") };
    assert_eq!((kernel.as_str(), function.as_str()), ("scattered_by_2", "scattered_by_2"));
    assert!(file.ends_with("kernels.rs"));
    assert!(error.to_string().contains("it contains a check that is not proved, in `scattered_by_2` at"), "{error}");
}
