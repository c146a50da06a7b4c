//! Launches that are inspected before they run: prepared launches, automatic block sizes, clusters, occupancy,
//! attributes, and timing by the device.

use std::time::Duration;

use cumbia::prelude::*;
use cumbia::{BlockLimit, Error, LaunchError, NoClusters};

use crate::support::{alone, on_each_device, on_gpu};

#[kernel]
fn count(counts: &mut [u32], width: usize, height: usize) {
    let (x, y, z) = grid(3);
    if x < width && y < height {
        let i = (z * height + y) * width + x;
        if i < counts.len() {
            counts[i] += 1;
        }
    }
}

#[kernel(launch_bounds(96))]
fn bounded(x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = block_dim().x as u32;
    }
}

/// Needs the maximum number of registers: all values are live at once.
#[kernel(unchecked)]
fn many_registers(x: &mut [f64]) {
    let i = grid(1);
    let mut values = [0.0f64; 100];
    for k in 0..100 {
        values[k] = x[i + k];
    }
    for _ in 0..2 {
        for k in 0..100 {
            values[k] = values[k] * values[(k + 37) % 100] + 1.0;
        }
    }
    let mut sum = 0.0;
    for k in 0..100 {
        sum += values[k];
    }
    x[i] = sum;
}

#[test]
fn every_item_is_covered_once() {
    on_each_device(|device| {
        for items in [(1, 1, 1), (1000, 1, 1), (3, 1000, 1), (1000, 3, 1), (33, 17, 5), (1, 1, 300), (70_000, 2, 1)] {
            let (width, height, depth) = items;
            let mut counts = device.zeros::<u32>(width * height * depth).unwrap();
            count(&mut counts, width, height).over(items).launch().unwrap();
            count(&mut counts, width, height).over(items).cooperative().launch().unwrap_or_else(|error| {
                // Not all of these blocks can be resident at once.
                assert!(matches!(error, Error::Launch(LaunchError::GridNotResident { .. })), "{error}");
            });
            let counts = counts.to_host().unwrap();
            assert!(counts.iter().all(|&times| times == counts[0] && times > 0), "{items:?}");
        }
    });
}

#[test]
fn the_block_that_is_picked_is_within_the_bounds() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(1000).unwrap();
        bounded(&mut x).over(1000).launch().unwrap();
        let picked = x.to_host().unwrap();
        assert!(picked.iter().all(|&threads| threads == picked[0]) && (1..=96).contains(&picked[0]), "{picked:?}");
        let attributes = bounded::attributes(device).unwrap();
        assert_eq!(attributes.threads_per_block, 96);
        let error = bounded(&mut x).grid(1).block(97).launch().unwrap_err();
        let Error::Launch(LaunchError::BlockTooLarge { limit: 96, reason, .. }) = &error else { panic!("{error}") };
        assert_eq!(*reason, BlockLimit::LaunchBounds);
    });
}

#[test]
fn a_prepared_launch_runs_again_and_again() {
    on_each_device(|device| {
        let mut counts = device.zeros::<u32>(500).unwrap();
        let launch = count(&mut counts, 500, 1).over(500).prepare().unwrap();
        for _ in 0..100 {
            launch.launch().unwrap();
        }
        assert_eq!(counts.to_host().unwrap(), [100; 500]);
        let rejected = count(&mut counts, 500, 1).grid(0).block(1).prepare().unwrap_err();
        assert!(matches!(rejected, Error::Launch(LaunchError::ZeroDimension { .. })), "{rejected}");
        count(&mut counts, 500, 1).over(0).prepare().unwrap().launch().unwrap();
        assert_eq!(counts.to_host().unwrap(), [100; 500]);
    });
}

#[test]
fn registers_limit_the_block() {
    on_gpu(|gpu| {
        let attributes = many_registers::attributes(gpu).unwrap();
        assert!(attributes.registers > 128, "{attributes:?}: the kernel is to need many");
        let mut x = gpu.zeros::<f64>(60_000).unwrap();
        // SAFETY: the block is rejected; and 1024 threads stay in bounds, with 100 elements after each.
        let error = unsafe { many_registers(&mut x).grid(1).block(1024).launch() }.unwrap_err();
        let Error::Launch(LaunchError::BlockTooLarge { limit, reason, .. }) = &error else { panic!("{error}") };
        assert!(
            matches!(reason, BlockLimit::Registers { per_thread, .. } if *per_thread == attributes.registers),
            "{error}"
        );
        assert_eq!(*limit, attributes.threads_per_block as u64);
        assert!(error.to_string().contains("registers per thread"), "{error}");
        // SAFETY: 1000 items in whole blocks are fewer than 2100 threads, with 100 elements after each.
        unsafe { many_registers(&mut x).over(1000).launch() }.unwrap();
        gpu.synchronize().unwrap();
    });
}

#[test]
fn clusters_run_where_there_are_any() {
    on_each_device(|device| {
        let limits = device.limits();
        let mut counts = device.zeros::<u32>(10_000).unwrap();
        let launched = count(&mut counts, 10_000, 1).over(10_000).cluster(4).launch();
        if limits.blocks_per_cluster == 0 {
            let Err(Error::Launch(LaunchError::NoClusters { reason, .. })) = launched else { panic!("{launched:?}") };
            assert!(matches!(reason, NoClusters::ComputeCapability(_) | NoClusters::Driver { .. }));
            return;
        }
        launched.unwrap();
        count(&mut counts, 10_000, 1).grid(80).block(128).cluster(16).launch().unwrap();
        assert!(counts.to_host().unwrap()[..80 * 128 - 240].iter().all(|&times| times == 2));
        let error = count(&mut counts, 10_000, 1).grid(81).block(128).cluster(16).launch().unwrap_err();
        assert!(matches!(error, Error::Launch(LaunchError::ClusterDoesNotDivide { .. })), "{error}");
        let error = count(&mut counts, 10_000, 1).grid(64).block(128).cluster((4, 8)).launch().unwrap_err();
        assert!(matches!(error, Error::Launch(LaunchError::ClusterTooLarge { blocks: 32, .. })), "{error}");
    });
}

#[test]
fn occupancy_is_what_a_multiprocessor_holds() {
    on_each_device(|device| {
        let mut counts = device.zeros::<u32>(1000).unwrap();
        let limits = device.limits();
        for block in [32, 128, 1024] {
            let launch = count(&mut counts, 1000, 1).block(block);
            let occupancy = launch.occupancy().unwrap();
            assert_eq!(occupancy.blocks, launch.active_blocks().unwrap());
            assert!(occupancy.blocks >= 1 && occupancy.blocks <= limits.blocks_per_multiprocessor, "{occupancy:?}");
            assert_eq!(occupancy.threads, occupancy.blocks * block);
            assert!(occupancy.fraction() > 0.0 && occupancy.fraction() <= 1.0, "{occupancy:?}");
        }
        if device.is_cuda() {
            let lean = count(&mut counts, 1000, 1).block(128).active_blocks().unwrap();
            let greedy = count(&mut counts, 1000, 1).block(128).shared_bytes(100_000).active_blocks().unwrap();
            assert!(greedy < lean, "{greedy} blocks with much shared memory, {lean} without");
        }
    });
}

#[test]
fn devices_have_properties() {
    on_each_device(|device| {
        let memory = device.memory().unwrap();
        assert!(memory.free <= memory.total && memory.total > 0);
        assert_eq!(device.is_cuda(), device.properties().is_some());
        assert_eq!(device.is_cuda(), device.compute_capability().is_some());
        assert_eq!(device.ordinal(), device.is_cuda().then_some(0));
        let all = Device::all().unwrap();
        assert_eq!((all.len(), all.last()), (Device::count() + 1, Some(&Device::cpu())));
        assert!(all.contains(device));
        if let Some(properties) = device.properties() {
            assert!(properties.clock_hz > 100_000_000 && properties.l2_cache_bytes > 0, "{properties:?}");
            let array = device.zeros::<u8>(1 << 28).unwrap();
            assert!(device.memory().unwrap().free < memory.total - (1 << 27));
            drop(array);
        }
    });
}

#[kernel]
fn long(x: &mut [f32], times: u32) {
    let i = grid(1);
    if i < x.len() {
        for _ in 0..times {
            x[i] = x[i] * 0.5 + 1.0;
        }
    }
}

#[test]
fn events_measure_elapsed_time() {
    on_each_device(|device| {
        let mut x = device.zeros::<f32>(1000).unwrap();
        long(&mut x, 1).over(1000).launch().unwrap();
        // The least of several: other processes may use the device as well.
        let times = (0..5).map(|_| device.time(|| long(&mut x, 10).over(1000).launch()).unwrap());
        let short = times.min().unwrap();
        let longer = device.time(|| long(&mut x, 60_000).over(1000).launch()).unwrap();
        assert!(short > Duration::ZERO && longer > 2 * short, "{short:?} and {longer:?}");
        let stream = device.stream().unwrap();
        let elsewhere = stream.time(|| long(&mut x, 60_000).over(1000).on(&stream).launch()).unwrap();
        assert!(elsewhere > 2 * short, "{elsewhere:?}");
    });
}

/// Threads that launch on all devices concurrently, with arrays that other threads drop.
#[test]
fn all_devices_run_concurrently() {
    let _alone = alone();
    let devices = Device::all().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for (thread, device) in devices.iter().cycle().take(12).enumerate() {
            let send = send.clone();
            scope.spawn(move || {
                for round in 0..20usize {
                    let mut counts = device.zeros::<u32>(100 + thread).unwrap();
                    for _ in 0..=round {
                        count(&mut counts, 100 + thread, 1).over(100 + thread).launch().unwrap();
                    }
                    send.send((round, counts)).unwrap();
                }
            });
        }
        drop(send);
        for (round, counts) in receive {
            assert_eq!(counts.to_host().unwrap(), vec![round as u32 + 1; counts.len()]);
        }
    });
    for device in &devices {
        device.synchronize().unwrap();
    }
}
