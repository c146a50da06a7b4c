//! Cost and configuration of launches: driver calls, allocations, grids and blocks.

use cumbia::prelude::*;
use cumbia::{DeviceArray, Prepared};

use crate::fake::{Fake, LastLaunch};
use crate::kernels::{bounded, plain_saxpy, saxpy, sum, together, whole_grid, with_dynamic};
use crate::{allocations, scenarios};

fn arrays(device: &Device, len: usize) -> (DeviceArray<f32>, DeviceArray<f32>) {
    (device.zeros(len).unwrap(), device.zeros(len).unwrap())
}

/// Launches a kernel with sixteen arrays 100 times, directly and prepared, and returns the numbers of allocations.
fn sixteen(device: &Device) -> (u64, u64) {
    let x: Vec<DeviceArray<f32>> = (0..15).map(|_| device.zeros(64).unwrap()).collect();
    let mut y = device.zeros(64).unwrap();
    let mut launch = || {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = std::array::from_fn(|i| &x[i]);
        sum(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, &mut y).over(64).launch().unwrap();
    };
    launch();
    let launches = allocations::each_time(|| (0..100).for_each(|_| launch()));
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = std::array::from_fn(|i| &x[i]);
    let prepared = sum(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, &mut y).over(64).prepare().unwrap();
    prepared.launch().unwrap();
    (launches, allocations::each_time(|| (0..100).for_each(|_| prepared.launch().unwrap())))
}

scenarios! {
    /// The launch, and the query of the current context.
    fn a_launch_makes_two_driver_calls() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = arrays(&device, 1000);
        saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
        let (all, launches) = (fake.all_calls(), fake.calls("cuLaunchKernel"));
        for _ in 0..100 {
            saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
            saxpy(1.0, &x, &mut y).grid(4).block(256).launch().unwrap();
        }
        assert_eq!(fake.calls("cuLaunchKernel") - launches, 200);
        assert_eq!(fake.all_calls() - all, 400);
    }

    fn a_prepared_launch_makes_two_driver_calls() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = arrays(&device, 1000);
        let prepared: Prepared<'_, _> = saxpy(1.0, &x, &mut y).over(1000).prepare().unwrap();
        assert_eq!((fake.calls("cuModuleLoadDataEx"), fake.calls("cuLaunchKernel")), (1, 0));
        let all = fake.all_calls();
        (0..100).for_each(|_| prepared.launch().unwrap());
        assert_eq!((fake.calls("cuLaunchKernel"), fake.all_calls() - all), (100, 200));
        assert_eq!(fake.last_launch().grid, [16, 1, 1]);
        drop(prepared);
        saxpy(1.0, &x, &mut y).over(0).prepare().unwrap().launch().unwrap();
        assert_eq!(fake.calls("cuLaunchKernel"), 100);
    }

    /// The first launch is validated, the second takes the fast path, the third is prepared, and the last one was moved.
    fn fast_and_slow_path_pass_the_same_parameters() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(1000).unwrap(), device.zeros(2000).unwrap());
        // A scalar, two arrays, and the launch parameter.
        fake.watch(6);
        saxpy(2.0, &x, &mut y).grid(4).block(256).launch().unwrap();
        let seen = fake.seen();
        assert_eq!((seen[0], seen[2], seen[4]), (2.0f32.to_bits(), 1000, 2000));
        saxpy(3.0, &x, &mut y).grid(4).block(256).launch().unwrap();
        assert_eq!((fake.seen()[0], &fake.seen()[1..]), (3.0f32.to_bits(), &seen[1..]));
        let prepared = saxpy(2.0, &x, &mut y).grid(4).block(256).prepare().unwrap();
        prepared.launch().unwrap();
        assert_eq!(fake.seen(), seen);
        let moved = Box::new(prepared);
        fake.watch(0);
        saxpy(0.0, &x, &mut device.zeros(8).unwrap()).grid(1).block(32).launch().unwrap();
        fake.watch(6);
        moved.launch().unwrap();
        assert_eq!((fake.seen(), fake.last_launch().grid), (seen, [4, 1, 1]));
    }

    fn a_launch_that_differs_from_the_cached_one_is_validated("FAKE_DEVICES" = "2") {
        let (device, other, fake) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap(), Fake::of_process());
        let ((x, mut y), (far_x, mut far_y)) = (arrays(&device, 8), arrays(&other, 8));
        for _ in 0..2 {
            saxpy(1.0, &x, &mut y).grid(1).block(32).launch().unwrap();
            assert!(saxpy(1.0, &x, &mut y).grid(1).block(2048).launch().is_err());
            assert!(saxpy(1.0, &x, &mut y).grid(1).block(32).shared_bytes(1 << 20).launch().is_err());
            assert!(saxpy(1.0, &far_x, &mut y).grid(1).block(32).launch().is_err());
            assert!(saxpy(1.0, &x, &mut y).grid(1).block(32).on_device(&other).launch().is_ok());
            saxpy(1.0, &far_x, &mut far_y).grid(1).block(32).launch().unwrap();
            saxpy(1.0, &x, &mut y).over(0).launch().unwrap();
        }
        assert_eq!((fake.calls("cuModuleLoadDataEx"), fake.calls("cuLaunchKernel")), (2, 6));
    }

    /// Launches prepared or cached with a single stream record their uses of memory once there is another stream.
    fn launches_track_hazards_once_a_second_stream_exists() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = arrays(&device, 8);
        let mut z = device.zeros(8).unwrap();
        let prepared = saxpy(1.0, &x, &mut y).grid(1).block(32).prepare().unwrap();
        let mut plain = || saxpy(1.0, &x, &mut z).grid(1).block(32).launch().unwrap();
        for _ in 0..2 {
            prepared.launch().unwrap();
            plain();
        }
        assert_eq!(fake.calls("cuEventRecord"), 0);
        let _stream = device.stream().unwrap();
        let before = fake.calls("cuEventRecord");
        for _ in 0..2 {
            prepared.launch().unwrap();
            plain();
        }
        assert_eq!((fake.calls("cuEventRecord") - before, fake.calls("cuLaunchKernel")), (4, 8));
    }

    fn a_launch_allocates_nothing() {
        let device = Device::cuda(0).unwrap();
        let (x, mut y) = arrays(&device, 1000);
        let mut launch = || {
            saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
            saxpy(1.0, &x, &mut y).grid(1).block(32).launch().unwrap();
            saxpy(1.0, &x, &mut y).over(1000).cluster(2).launch().unwrap();
        };
        launch();
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| launch())), 0);
        assert_eq!(sixteen(&device), (0, 0));
    }

    fn over_picks_the_max_occupancy_block_and_caches_it() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = arrays(&device, 8);
        // 72 registers: seven blocks of 128 threads on a multiprocessor, but three of 256.
        fake.registers(72);
        plain_saxpy(1.0, &x, &mut y).over(1 << 20).launch().unwrap();
        assert_eq!((fake.last_launch().block, fake.last_launch().grid), ([128, 1, 1], [8192, 1, 1]));
        let queries = fake.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor");
        plain_saxpy(1.0, &x, &mut y).over(1 << 21).launch().unwrap();
        plain_saxpy(1.0, &x, &mut y).over((4096, 4096)).launch().unwrap();
        assert_eq!((fake.last_launch().block, fake.last_launch().grid), ([32, 4, 1], [128, 1024, 1]));
        assert_eq!(fake.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), queries);
        // Few items: more and smaller blocks, unless the threads of a block synchronise.
        plain_saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
        assert_eq!((fake.last_launch().block, fake.last_launch().grid), ([64, 1, 1], [16, 1, 1]));
        fake.registers(32);
        together(&mut y).over(1000).launch().unwrap();
        assert_eq!((fake.last_launch().block, fake.last_launch().grid), ([256, 1, 1], [4, 1, 1]));
        bounded(&mut y).over(1 << 20).launch().unwrap();
        assert_eq!(fake.last_launch().block, [128, 1, 1]);
        // Shared memory limits a multiprocessor to one resident block, so a large block is picked.
        with_dynamic(&mut y).over(1 << 20).shared_bytes(150_000).launch().unwrap();
        assert_eq!((fake.last_launch().block, fake.last_launch().shared_bytes), ([1024, 1, 1], 150_000));
    }

    fn shared_memory_opt_in_happens_when_needed() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut x = device.zeros::<f32>(8).unwrap();
        with_dynamic(&mut x).grid(1).block(32).shared_bytes(49_152).launch().unwrap();
        assert_eq!(fake.calls("cuFuncSetAttribute"), 0);
        for bytes in [49_153, 100_000, 232_448] {
            with_dynamic(&mut x).grid(1).block(32).shared_bytes(bytes).launch().unwrap();
            assert_eq!((fake.calls("cuFuncSetAttribute"), fake.dynamic_shared()), (1, 232_448));
        }
    }

    fn a_cooperative_launch_reaches_the_driver() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut x = device.zeros::<f32>(8).unwrap();
        let most = whole_grid(&mut x).block(256).cooperative_blocks().unwrap();
        assert_eq!(most, 132 * 8);
        whole_grid(&mut x).grid(most).block(256).cooperative().launch().unwrap();
        assert!(fake.last_launch().cooperative);
        let in_clusters = whole_grid(&mut x).block(256).cluster(4).cooperative_blocks().unwrap();
        whole_grid(&mut x).grid(in_clusters).block(256).cluster(4).cooperative().launch().unwrap();
        let LastLaunch { cluster, cooperative, .. } = fake.last_launch();
        assert_eq!((in_clusters % 4, cluster, cooperative), (0, [4, 1, 1], true));
    }

    fn clusters_reach_the_driver() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = arrays(&device, 8);
        saxpy(1.0, &x, &mut y).grid((4, 2)).block(32).cluster((2, 2)).launch().unwrap();
        let expected = LastLaunch {
            grid: [4, 2, 1],
            block: [32, 1, 1],
            cluster: [2, 2, 1],
            shared_bytes: 0,
            cooperative: false,
        };
        assert_eq!(fake.last_launch(), expected);
        assert!(!fake.large_clusters());
        saxpy(1.0, &x, &mut y).grid(16).block(32).cluster(16).launch().unwrap();
        assert_eq!(fake.last_launch().cluster, [16, 1, 1]);
        assert!(fake.large_clusters());
        saxpy(1.0, &x, &mut y).over(1 << 16).block(64).cluster(3).launch().unwrap();
        assert_eq!(fake.last_launch().grid, [1026, 1, 1]);
    }
}

/// A launch on the CPU device wakes threads, but does not allocate either.
#[test]
fn a_launch_on_the_cpu_allocates_nothing() {
    crate::fake::passes("launches::on_the_cpu", &[("RAYON_NUM_THREADS", "1")]);
}

#[test]
#[ignore = "needs a process of its own"]
fn on_the_cpu() {
    assert_eq!(sixteen(&Device::cpu()), (0, 0));
}
