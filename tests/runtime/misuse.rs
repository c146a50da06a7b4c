//! Misuse of launches and arrays: an error with the cause, the limit and a remedy, and never a panic.

use cumbia::prelude::*;
use cumbia::{DeviceArray, Dim3, Error, LaunchError, LaunchExtent, MissingConfig};

use crate::support::{on_each_device, on_gpu, rejected};

#[kernel]
fn touch(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += x[i];
    }
}

#[kernel]
fn no_arrays(n: u32) {
    assert!(n == 7);
}

#[kernel]
fn much_shared(y: &mut [f32]) {
    let mut tile = shared::<[f32; 12_000]>();
    tile[thread_idx().x] = 1.0;
    sync_threads();
    y[0] = tile[0] + dynamic_shared::<f32>().len() as f32;
}

fn arrays(device: &Device) -> (DeviceArray<f32>, DeviceArray<f32>) {
    (device.to_device(&[1.0; 8]).unwrap(), device.zeros(8).unwrap())
}

#[test]
fn a_block_has_a_limit() {
    on_each_device(|device| {
        let (x, mut y) = arrays(device);
        let error = rejected(touch(&x, &mut y).grid(1).block(1025).launch(), &["`touch`", "1025", "1024"]);
        let LaunchError::BlockTooLarge { threads, limit, requested, .. } = error else { panic!("{error:?}") };
        assert_eq!((threads, limit, requested), (1025, 1024, Dim3::from(1025)));
        rejected(touch(&x, &mut y).grid(1).block((32, 32, 2)).launch(), &["2048", "1024"]);
        rejected(touch(&x, &mut y).grid(1).block((1usize << 40, 1 << 40)).launch(), &["1024"]);
        let error = rejected(touch(&x, &mut y).grid(1).block((1, 1, 65)).launch(), &["65", "64", "block"]);
        let LaunchError::DimensionTooLarge { limit, extent, .. } = error else { panic!("{error:?}") };
        assert_eq!((limit.z, extent), (64, LaunchExtent::Block));
        let error = rejected(touch(&x, &mut y).grid((1, 65_536)).block(1).launch(), &["65536", "65535", "grid"]);
        assert!(matches!(error, LaunchError::DimensionTooLarge { extent: LaunchExtent::Grid, .. }), "{error:?}");
        rejected(touch(&x, &mut y).over(1usize << 45).launch(), &["2147483647"]);
        touch(&x, &mut y).grid(1).block(1024).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [1.0; 8]);
    });
}

#[test]
fn no_dimension_is_zero() {
    on_each_device(|device| {
        let (x, mut y) = arrays(device);
        for (grid, block, what) in [((0, 1), (1, 1), "grid"), ((1, 0), (1, 1), "grid"), ((1, 1), (1, 0), "block")] {
            let error = rejected(touch(&x, &mut y).grid(grid).block(block).launch(), &["0", what, "over(0)"]);
            let LaunchError::ZeroDimension { extent: told, .. } = error else { panic!("{error:?}") };
            assert_eq!(told.to_string(), what);
        }
        rejected(touch(&x, &mut y).grid(-3).block(1).launch(), &["grid"]);
        rejected(touch(&x, &mut y).over(-3).launch(), &["grid"]);
        rejected(touch(&x, &mut y).over((5, -1)).block(64).launch(), &["grid"]);
        rejected(launch!(touch[0, 256](&x, &mut y)), &["grid"]);
        // An empty launch is valid.
        touch(&x, &mut y).over(0).launch().unwrap();
        touch(&x, &mut y).over((0, 5)).block(64).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [0.0; 8]);
    });
}

#[test]
fn a_launch_needs_a_grid_and_a_block() {
    on_each_device(|device| {
        let (x, mut y) = arrays(device);
        rejected(touch(&x, &mut y).launch(), &["without", ".over("]);
        rejected(touch(&x, &mut y).grid(4).launch(), &["a block"]);
        let error = rejected(touch(&x, &mut y).block(4).launch(), &["a grid"]);
        assert!(matches!(error, LaunchError::NotConfigured { kernel: "touch", missing: MissingConfig::Grid }));
    });
}

#[test]
fn shared_memory_has_a_limit() {
    on_each_device(|device| {
        let mut y = device.zeros(1).unwrap();
        let limit = device.limits().shared_bytes_per_block_opt_in;
        let error =
            rejected(much_shared(&mut y).grid(1).block(1).shared_bytes(limit).launch(), &["48000", "shared memory"]);
        let LaunchError::SharedMemoryTooLarge { fixed, dynamic, requested, limit: told, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!((fixed, dynamic, told), (48_000, limit as u64, limit as u64));
        assert_eq!(requested, 48_000 + limit as u64);
        rejected(much_shared(&mut y).grid(1).block(1).shared_bytes(usize::MAX).launch(), &["48000"]);
        // More than 48 KiB in total is available on request.
        much_shared(&mut y).grid(1).block(1).shared_bytes(8_000).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [2001.0]);
    });
}

#[test]
fn a_launch_needs_a_device() {
    on_each_device(|device| {
        let error = rejected(no_arrays(7).grid(1).block(1).launch(), &["no_arrays", "on_device"]);
        assert!(matches!(error, LaunchError::NoDevice { .. }));
        no_arrays(7).grid(1).block(1).on_device(device).launch().unwrap();
        device.synchronize().unwrap();
        no_arrays(8).grid(1).block(1).on_device(device).launch().unwrap();
        assert!(matches!(device.synchronize(), Err(Error::Fault { .. })));
    });
}

#[test]
fn arrays_of_two_devices_are_rejected() {
    on_gpu(|gpu| {
        let (here, there) = (arrays(&Device::cpu()), arrays(gpu));
        let (x, mut y) = (here.0, there.1);
        let error = rejected(touch(&x, &mut y).over(8).launch(), &["`x` is on cpu", "`y` on", "to_device"]);
        assert!(matches!(error, LaunchError::MixedDevices { first: "x", second: "y", .. }));
        rejected(touch(&there.0, &mut { here.1 }).over(8).launch(), &["`x`", "`y` on cpu"]);
    });
}

#[test]
fn host_slices_have_the_length_of_the_array() {
    on_each_device(|device| {
        let (mut x, _) = arrays(device);
        let error = x.copy_from_host(&[1.0; 7]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { from: 7, to: 8, .. }), "{error}");
        let error = x.copy_to_host(&mut [0.0; 9]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { from: 8, to: 9, .. }), "{error}");
        assert_eq!(x.to_host().unwrap(), [1.0; 8]);
    });
}

#[test]
fn out_of_memory_is_an_error() {
    on_each_device(|device| {
        for len in [usize::MAX, 1 << 60, 1 << 46] {
            let error = device.zeros::<f64>(len).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
            assert!(error.to_string().contains("help:"), "{error}");
        }
        let (x, mut y) = arrays(device);
        touch(&x, &mut y).over(8).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [1.0; 8]);
    });
}
