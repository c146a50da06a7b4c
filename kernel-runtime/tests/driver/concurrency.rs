//! Concurrent use of many threads and devices, and drops in any order.

use std::sync::Barrier;

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error, LaunchError};

use crate::fake::Fake;
use crate::kernels::saxpy;
use crate::scenarios;

scenarios! {
    fn concurrent_first_launches_load_the_module_once("FAKE_DEVICES" = "4") {
        let fake = Fake::of_process();
        let start = Barrier::new(32);
        std::thread::scope(|scope| {
            for thread in 0..32 {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    let device = Device::cuda(thread % 4).unwrap();
                    let (x, mut y) = (device.zeros(100).unwrap(), device.zeros(100).unwrap());
                    for _ in 0..100 {
                        saxpy(1.0, &x, &mut y).over(100).launch().unwrap();
                    }
                    device.synchronize().unwrap();
                });
            }
        });
        assert_eq!((fake.calls("cuModuleLoadDataEx"), fake.calls("cuDevicePrimaryCtxRetain")), (4, 4));
        assert_eq!((fake.calls("cuLaunchKernel"), fake.allocations()), (3200, 0));
    }

    /// Arrays of several devices, dropped by other threads and in a different order: each is freed in its own context, which the
    /// fake driver checks.
    fn arrays_are_dropped_in_any_order("FAKE_DEVICES" = "3") {
        let fake = Fake::of_process();
        let mut arrays: Vec<DeviceArray<u32>> = Vec::new();
        for i in 0..300u32 {
            let device = Device::cuda(i as usize % 3).unwrap();
            arrays.push(device.to_device(&[i; 10]).unwrap());
        }
        assert_eq!(fake.allocations(), 300);
        let odd: Vec<_> = (0..150).map(|i| arrays.remove(i)).collect();
        std::thread::scope(|scope| {
            scope.spawn(move || drop(odd));
            scope.spawn(|| {
                for array in arrays.drain(..).rev() {
                    let first = array.to_host().unwrap()[0];
                    assert_eq!(array.device(), &Device::cuda(first as usize % 3).unwrap());
                }
            });
        });
        for ordinal in 0..3 {
            let device = Device::cuda(ordinal).unwrap();
            assert_eq!(device.memory().unwrap().free, 1 << 30);
            assert!(device.drop_errors().is_empty());
        }
        assert_eq!(fake.allocations(), 0);
    }

    fn arrays_of_two_devices_are_rejected("FAKE_DEVICES" = "2") {
        let (x, mut y) = (Device::cuda(0).unwrap().zeros(8).unwrap(), Device::cuda(1).unwrap().zeros(8).unwrap());
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        let Error::Launch(LaunchError::MixedDevices { first: "x", second: "y", .. }) = &error else { panic!("{error}") };
    }

    fn a_hundred_thousand_arrays_leak_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let keep: DeviceArray<u8> = device.zeros(64).unwrap();
        for len in 0..100_000 {
            let array: DeviceArray<u8> = device.zeros(len % 100).unwrap();
            assert_eq!(array.len(), len % 100);
        }
        assert_eq!(fake.allocations(), 1);
        drop(keep);
        assert_eq!(device.memory().unwrap().free, 1 << 30);
    }

    /// A launch in the destructor of a thread-local variable, after the thread's table of kernels was destroyed.
    fn a_thread_local_destructor_can_launch() {
        struct LaunchOnDrop;
        impl Drop for LaunchOnDrop {
            fn drop(&mut self) {
                let device = Device::cuda(0).unwrap();
                let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
                saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
            }
        }
        thread_local!(static LAST: LaunchOnDrop = const { LaunchOnDrop });
        // Initialised before the table of kernels, so that it is destroyed after it.
        std::thread::spawn(|| {
            LAST.with(|_| {});
            drop(LaunchOnDrop);
        })
        .join()
        .unwrap();
        assert_eq!(Fake::of_process().calls("cuLaunchKernel"), 2);
    }
}
