//! What the driver refuses: an error with its words, and all goes on.

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error};

use crate::fake::Fake;
use crate::kernels::{saxpy, telling};
use crate::scenarios;

const OUT_OF_MEMORY: i32 = 2;
const ILLEGAL_ADDRESS: i32 = 700;
const OUT_OF_RESOURCES: i32 = 701;

scenarios! {
    fn memory_that_is_not_there("FAKE_MEMORY" = "1000000") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let kept: DeviceArray<u8> = device.zeros(600_000).unwrap();
        let error = device.zeros::<u8>(500_000).unwrap_err();
        let Error::OutOfMemory { requested, free, total, .. } = &error else { panic!("{error}") };
        assert_eq!((*requested, *free, *total), (500_000, 400_000, 1_000_000));
        assert_eq!(fake.calls("cuMemPoolTrimTo"), 1);
        drop(kept);
        assert_eq!(device.zeros::<u8>(500_000).unwrap().to_host().unwrap(), vec![0; 500_000]);
        assert_eq!(fake.allocations(), 0);
    }

    /// What the pool keeps may be in the way: it gives that back, and the second try succeeds.
    fn memory_that_the_pool_gives_back() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.refuse("cuMemAllocAsync", OUT_OF_MEMORY, 0, 1);
        let array = device.to_device(&[1u32, 2, 3]).unwrap();
        assert_eq!((array.to_host().unwrap(), fake.calls("cuMemPoolTrimTo")), (vec![1, 2, 3], 1));
    }

    fn memory_without_a_pool("FAKE_POOLS" = "0") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let array = device.to_device(&[1u32, 2, 3]).unwrap();
        assert_eq!(array.to_host().unwrap(), [1, 2, 3]);
        drop(array);
        assert_eq!((fake.allocations(), fake.calls("cuMemAllocAsync"), fake.calls("cuMemFree_v2")), (0, 0, 1));
    }

    fn a_launch() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.refuse("cuLaunchKernel", OUT_OF_RESOURCES, 1, 1);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        let Error::Driver { call: "cuLaunchKernel", name, .. } = &error else { panic!("{error}") };
        assert_eq!(name, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        device.synchronize().unwrap();
    }

    fn a_module_that_does_not_load() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.refuse("cuModuleLoadDataEx", OUT_OF_MEMORY, 0, 1);
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuModuleLoadDataEx", .. }), "{error}");
        // The next launch tries again.
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 2);
    }

    fn a_gpu_that_is_lost() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros::<f32>(8).unwrap(), device.zeros::<f32>(8).unwrap());
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        for call in ["cuStreamSynchronize", "cuCtxSynchronize", "cuMemcpyDtoHAsync_v2", "cuMemFreeAsync", "cuLaunchKernel"] {
            fake.refuse(call, ILLEGAL_ADDRESS, 0, i64::MAX);
        }
        for error in [
            device.synchronize().unwrap_err(),
            y.to_host().unwrap_err(),
            saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err(),
        ] {
            assert!(error.to_string().contains("this process has lost the GPU"), "{error}");
        }
        // Dropping is no place for a panic.
        drop((x, y));
        assert!(Device::cpu().zeros::<u8>(1).is_ok());
    }

    fn a_device_that_does_not_open("FAKE_DEVICES" = "2") {
        let fake = Fake::of_process();
        fake.refuse("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, 0, 1);
        let error = Device::cuda(0).unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuDevicePrimaryCtxRetain", .. }), "{error}");
        // That was a state of the machine, not of the process.
        assert_eq!(Device::cuda(0).unwrap().zeros::<u8>(3).unwrap().len(), 3);
        assert!(matches!(Device::cuda(2), Err(Error::Device(_))));
    }

    /// Of what was made before the call that is refused, nothing is left.
    fn half_a_stream() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let before = (fake.locked(), fake.handles());
        for call in ["cuStreamCreateWithPriority", "cuMemHostAlloc", "cuMemHostGetDevicePointer_v2", "cuEventCreate"] {
            fake.refuse(call, OUT_OF_MEMORY, 0, 1);
            let error = device.stream().unwrap_err();
            assert!(matches!(&error, Error::Driver { call: refused, .. } if *refused == call), "{error}");
            assert_eq!((fake.locked(), fake.handles()), before, "{call}");
        }
        device.stream().unwrap();
        assert_eq!(fake.locked(), before.0 + 1);
    }

    /// The same of the two buffers for what kernels print.
    fn half_of_the_buffers() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let x = device.zeros(8).unwrap();
        let before = fake.locked();
        for call in ["cuMemHostAlloc", "cuMemHostGetDevicePointer_v2"] {
            for skip in 0..2 {
                fake.refuse(call, OUT_OF_MEMORY, skip, 1);
                let error = telling(&x).over(8).launch().unwrap_err();
                assert!(matches!(&error, Error::Driver { call: refused, .. } if *refused == call), "{error}");
                assert_eq!(fake.locked(), before, "{call}, {skip}");
            }
        }
        telling(&x).over(8).launch().unwrap();
        assert_eq!(fake.locked(), before + 2);
    }
}
