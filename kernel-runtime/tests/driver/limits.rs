//! Validation before any driver call, and properties of devices and kernels.

use cumbia::error::Version;
use cumbia::prelude::*;
use cumbia::{BlockLimit, Error, LaunchError, LaunchExtent, NoClusters};

use crate::fake::Fake;
use crate::kernels::{bounded, saxpy};
use crate::scenarios;

#[track_caller]
fn rejected(launched: cumbia::Result<()>) -> LaunchError {
    match launched {
        Err(Error::Launch(error)) => error,
        other => panic!("{other:?}"),
    }
}

scenarios! {
    fn registers_limit_a_block() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.registers(255);
        let error = rejected(saxpy(1.0, &x, &mut y).grid(1).block(512).launch());
        let text = error.to_string();
        let LaunchError::BlockTooLarge { threads: 512, limit: 256, reason, .. } = error else { panic!("{text}") };
        assert_eq!(reason, BlockLimit::Registers { per_thread: 255, per_block: 65_536 });
        assert!(text.contains("needs 255 registers per thread") && text.contains("max_registers = 128"), "{text}");
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
        saxpy(1.0, &x, &mut y).over(1 << 20).launch().unwrap();
        assert_eq!(fake.last_launch().block, [256, 1, 1]);
        let error = rejected(bounded(&mut y).grid(1).block(129).launch());
        let LaunchError::BlockTooLarge { limit: 128, reason: BlockLimit::LaunchBounds, .. } = error else {
            panic!("{error}")
        };
        let error = rejected(saxpy(1.0, &x, &mut y).grid(1).block(1025).launch());
        assert!(matches!(error, LaunchError::BlockTooLarge { reason: BlockLimit::Device, .. }), "{error}");
    }

    fn clusters_have_limits() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        let error = rejected(saxpy(1.0, &x, &mut y).grid(9).block(32).cluster(2).launch());
        assert!(matches!(error, LaunchError::ClusterDoesNotDivide { .. }), "{error}");
        let error = rejected(saxpy(1.0, &x, &mut y).grid(32).block(32).cluster(32).launch());
        assert!(matches!(error, LaunchError::ClusterTooLarge { blocks: 32, limit: 16, .. }), "{error}");
        fake.largest_cluster(8);
        let error = rejected(saxpy(1.0, &x, &mut y).grid(16).block(32).cluster(16).launch());
        assert!(matches!(error, LaunchError::ClusterTooLarge { blocks: 16, limit: 8, .. }), "{error}");
        let error = rejected(saxpy(1.0, &x, &mut y).grid(16).block(32).cluster((1, 0)).launch());
        assert!(matches!(error, LaunchError::ZeroDimension { extent: LaunchExtent::Cluster, .. }), "{error}");
        assert_eq!(fake.calls("cuLaunchKernelEx"), 0);
    }

    fn an_older_gpu_has_no_clusters("FAKE_CAPABILITY" = "89") {
        let device = Device::cuda(0).unwrap();
        assert_eq!((device.compute_capability(), device.limits().blocks_per_cluster), (Some((8, 9)), 0));
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        let error = rejected(saxpy(1.0, &x, &mut y).over(8).cluster(2).launch());
        let LaunchError::NoClusters { reason, .. } = &error else { panic!("{error}") };
        assert_eq!(*reason, NoClusters::ComputeCapability((8, 9)));
        assert!(error.to_string().contains("compute capability is 8.9, but clusters require 9.0"), "{error}");
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
    }

    fn an_older_driver_has_no_clusters("FAKE_WITHOUT_CLUSTERS" = "1", "FAKE_VERSION" = "11040") {
        let device = Device::cuda(0).unwrap();
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        let error = rejected(saxpy(1.0, &x, &mut y).over(8).cluster(2).launch());
        let LaunchError::NoClusters { reason, .. } = &error else { panic!("{error}") };
        assert_eq!(*reason, NoClusters::Driver { version: Some(Version { major: 11, minor: 4 }) });
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(Fake::of_process().calls("cuLaunchKernel"), 1);
    }

    fn device_properties_are_reported("FAKE_DEVICES" = "3") {
        let devices = Device::all().unwrap();
        assert_eq!((devices.len(), Device::count()), (4, 3));
        assert_eq!(devices[2].to_string(), "cuda:2 (Fake GPU 2)");
        assert!(devices[3].is_cpu() && devices[3].properties().is_none());
        let device = &devices[0];
        assert_eq!(device.driver_version().map(|version| (version.major, version.minor)), Some((13, 0)));
        let properties = device.properties().unwrap();
        assert_eq!((properties.clock_hz, properties.memory_bus_bits), (1_980_000_000, 6144));
        assert!(properties.ecc && properties.cooperative_launch && !properties.integrated);
        assert_eq!(properties.pci.to_string(), "0000:1b:00.0");
        let limits = device.limits();
        assert_eq!((limits.multiprocessors, limits.threads_per_multiprocessor), (132, 2048));
        assert_eq!((limits.blocks_per_cluster, limits.blocks_per_cluster_opt_in), (8, 16));
        let array = device.zeros::<u8>(1 << 20).unwrap();
        let memory = device.memory().unwrap();
        assert_eq!((memory.total, memory.total - memory.free), (1 << 30, 1 << 20));
        drop(array);
        assert_eq!(device.memory().unwrap().free, 1 << 30);
        assert_eq!(devices[1].memory().unwrap().free, 1 << 30);
    }

    fn kernel_attributes_are_reported() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.registers(46);
        let attributes = saxpy::attributes(&device).unwrap();
        assert_eq!((attributes.registers, attributes.threads_per_block, attributes.constant_bytes), (46, 1024, 640));
        assert_eq!((attributes.ptx_version, attributes.binary_version), (Some((9, 0)), Some((9, 0))));
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        assert_eq!(saxpy(1.0, &x, &mut y).block(256).active_blocks().unwrap(), 5);
        let occupancy = saxpy(1.0, &x, &mut y).block(256).occupancy().unwrap();
        assert_eq!((occupancy.blocks, occupancy.threads, occupancy.resident_blocks()), (5, 1280, 660));
        assert_eq!(occupancy.fraction(), 0.625);
        assert_eq!(saxpy(1.0, &x, &mut y).over(0).active_blocks().unwrap(), 0);
        // The kernel is not loaded a second time.
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 1);
    }
}

#[test]
fn the_cpu_reports_limits_and_occupancy() {
    let device = Device::cpu();
    let attributes = bounded::attributes(&device).unwrap();
    assert_eq!((attributes.threads_per_block, attributes.registers, attributes.ptx_version), (128, 0, None));
    let mut x = device.zeros(300).unwrap();
    let occupancy = bounded(&mut x).over(300).occupancy().unwrap();
    assert_eq!((occupancy.blocks, occupancy.threads), (1, 128));
    assert_eq!(occupancy.multiprocessors, device.limits().multiprocessors);
    bounded(&mut x).over(300).cluster(2).launch().unwrap();
    assert_eq!(x.to_host().unwrap(), [1.0; 300]);
    let error = rejected(bounded(&mut x).grid(3).block(1).cluster(2).launch());
    assert!(matches!(error, LaunchError::ClusterDoesNotDivide { .. }), "{error}");
    let launch = bounded(&mut x).over(300).prepare().unwrap();
    (0..3).for_each(|_| launch.launch().unwrap());
    // The borrow of the prepared launch ends with its last use.
    assert_eq!(x.to_host().unwrap(), [4.0; 300]);
    assert!(device.memory().unwrap().total > 0);
}
