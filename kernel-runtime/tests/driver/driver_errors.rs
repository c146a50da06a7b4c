//! Errors of the driver: they are returned with the driver's message, and the library remains usable.

use cumbia::precompile::Plan;
use cumbia::prelude::*;
use cumbia::{CompileError, DeviceArray, Error};

use crate::fake::Fake;
use crate::kernels::{saxpy, telling, together};
use crate::scenarios;

const OUT_OF_MEMORY: i32 = 2;
const INVALID_IMAGE: i32 = 200;
const UNSUPPORTED_PTX: i32 = 222;
const ILLEGAL_ADDRESS: i32 = 700;
const OUT_OF_RESOURCES: i32 = 701;

/// Returns the PTX that is passed to a driver that rejects machine code.
fn ptx_of_a_launch() -> String {
    let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
    fake.reject("cuModuleLoadDataEx", INVALID_IMAGE, 0, 1);
    saxpy(1.0, &device.zeros(8).unwrap(), &mut device.zeros(8).unwrap()).over(8).launch().unwrap();
    fake.last_image()
}

/// NVIDIA's NVRTC, if installed, compiles PTX for a GPU newer than it supports.
#[test]
fn a_gpu_that_is_newer_than_nvidias_nvrtc() {
    let nvrtc = match cumbia::doctor().nvrtc {
        Ok(nvrtc) => nvrtc,
        Err(error) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
            return eprintln!("skipped: NVRTC is not here");
        }
    };
    let path = nvrtc.path.unwrap_or_default().into_os_string().into_string().unwrap();
    let scenario = "driver_errors::scenario::a_gpu_that_is_newer_than_any_nvrtc";
    crate::fake::passes(scenario, &[("FAKE_CAPABILITY", "990"), ("CUMBIA_NVRTC", &path)]);
}

scenarios! {
    fn out_of_memory("FAKE_MEMORY" = "1000000") {
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

    /// Memory cached by the pool can cause an allocation to fail: the pool is trimmed, and the second attempt succeeds.
    fn an_allocation_is_retried_after_trimming_the_pool() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.reject("cuMemAllocAsync", OUT_OF_MEMORY, 0, 1);
        let array = device.to_device(&[1u32, 2, 3]).unwrap();
        assert_eq!((array.to_host().unwrap(), fake.calls("cuMemPoolTrimTo")), (vec![1, 2, 3], 1));
    }

    fn allocation_without_memory_pools("FAKE_POOLS" = "0") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let array = device.to_device(&[1u32, 2, 3]).unwrap();
        assert_eq!(array.to_host().unwrap(), [1, 2, 3]);
        drop(array);
        assert_eq!((fake.allocations(), fake.calls("cuMemAllocAsync"), fake.calls("cuMemFree_v2")), (0, 0, 1));
    }

    fn a_failed_launch() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.reject("cuLaunchKernel", OUT_OF_RESOURCES, 1, 1);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        let Error::Driver { call: "cuLaunchKernel", name, .. } = &error else { panic!("{error}") };
        assert_eq!(name, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        device.synchronize().unwrap();
    }

    fn a_failed_module_load_is_retried() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.reject("cuModuleLoadDataEx", OUT_OF_MEMORY, 0, 1);
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuModuleLoadDataEx", .. }), "{error}");
        // The next launch retries.
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 2);
    }

    /// A precompiled image was compiled for another driver: the kernel is recompiled for this one.
    fn a_rejected_precompiled_image_is_recompiled("CUMBIA_KERNELS" = concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels-to-reject")) {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let folder = std::env::var_os("CUMBIA_KERNELS").unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        Plan::new().all().architectures(["sm_90a"]).quiet().compile_into(&folder).unwrap();
        let counts = || (cumbia::cache::stats().precompiled, cumbia::cache::stats().compilations);
        let before = counts();
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        // Its machine code, then its PTX; then those of the recompiled image.
        fake.reject("cuModuleLoadDataEx", UNSUPPORTED_PTX, 0, 4);
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        assert!(matches!(error, Error::Compile(CompileError::ImageRejected { .. })), "{error}");
        assert_eq!((fake.calls("cuModuleLoadDataEx"), counts()), (4, (before.0 + 1, before.1 + 1)));
        fake.reject("cuModuleLoadDataEx", UNSUPPORTED_PTX, 0, 2);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!((fake.calls("cuModuleLoadDataEx"), counts()), (7, (before.0 + 2, before.1 + 2)));
        // If it loads, nothing is compiled; other errors do not cause a recompilation.
        let mut z = device.zeros::<f32>(8).unwrap();
        fake.reject("cuModuleLoadDataEx", OUT_OF_MEMORY, 0, 1);
        assert!(matches!(together(&mut z).over(8).launch(), Err(Error::Driver { .. })));
        together(&mut z).over(8).launch().unwrap();
        assert_eq!(counts(), (before.0 + 4, before.1 + 2));
    }

    /// NVRTC compiles PTX for the newest architecture that it supports, and the driver compiles that to machine code.
    fn a_gpu_that_is_newer_than_nvrtc("FAKE_CAPABILITY" = "121") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!((fake.last_image().as_str(), fake.calls("cuModuleLoadDataEx")), ("// PTX of 13 for compute_90.", 1));
        assert_eq!(fake.calls("cuLaunchKernel"), 1);
    }

    fn a_gpu_that_is_newer_than_any_nvrtc("FAKE_CAPABILITY" = "990") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert!(fake.last_image().starts_with("//"), "{}", fake.last_image());
        assert_eq!((fake.calls("cuModuleLoadDataEx"), fake.calls("cuLaunchKernel")), (1, 1));
    }

    fn a_gpu_that_is_older_than_nvrtc("FAKE_CAPABILITY" = "70") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        assert!(error.to_string().contains("the oldest supported architecture is sm_75"), "{error}");
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 0);
    }

    /// A driver that rejects the machine code of this NVRTC may accept its PTX.
    fn rejected_machine_code_falls_back_to_ptx() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.reject("cuModuleLoadDataEx", INVALID_IMAGE, 0, 1);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(fake.last_image(), "// PTX of 13 for sm_90a.");
        let mut z = device.zeros::<f32>(8).unwrap();
        together(&mut z).over(8).launch().unwrap();
        assert_eq!(fake.last_image(), "\u{7f}ELF");
    }

    /// A driver of CUDA 12 rejects all output of NVRTC 13, which the search finds first.
    fn a_driver_that_is_older_than_an_nvrtc("FAKE_VERSION" = "12080", "CUMBIA_NVRTC" = "") {
        assert_eq!(ptx_of_a_launch(), "// PTX of 12 for sm_90a.");
    }

    fn a_driver_that_is_as_new_as_the_newest_nvrtc("FAKE_VERSION" = "13000", "CUMBIA_NVRTC" = "") {
        assert_eq!(ptx_of_a_launch(), "// PTX of 13 for sm_90a.");
    }

    fn an_explicit_nvrtc_is_used("FAKE_VERSION" = "12080") {
        assert_eq!(ptx_of_a_launch(), "// PTX of 13 for sm_90a.");
    }

    fn a_lost_gpu() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros::<f32>(8).unwrap(), device.zeros::<f32>(8).unwrap());
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        for call in ["cuStreamSynchronize", "cuCtxSynchronize", "cuMemcpyDtoHAsync_v2", "cuMemFreeAsync", "cuLaunchKernel"] {
            fake.reject(call, ILLEGAL_ADDRESS, 0, i64::MAX);
        }
        for error in [
            device.synchronize().unwrap_err(),
            y.to_host().unwrap_err(),
            saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err(),
        ] {
            assert!(error.to_string().contains("the CUDA context is lost"), "{error}");
        }
        // Destructors must not panic.
        drop((x, y));
        assert!(Device::cpu().zeros::<u8>(1).is_ok());
    }

    fn a_failed_device_open_is_retried("FAKE_DEVICES" = "2") {
        let fake = Fake::of_process();
        fake.reject("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, 0, 1);
        let error = Device::cuda(0).unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuDevicePrimaryCtxRetain", .. }), "{error}");
        // The error is not cached: it depends on the state of the machine.
        assert_eq!(Device::cuda(0).unwrap().zeros::<u8>(3).unwrap().len(), 3);
        assert!(matches!(Device::cuda(2), Err(Error::Device(_))));
    }

    /// Resources created before the failed call are released.
    fn a_failed_stream_creation_leaks_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let before = (fake.locked(), fake.handles());
        for call in ["cuStreamCreateWithPriority", "cuMemHostAlloc", "cuMemHostGetDevicePointer_v2", "cuEventCreate"] {
            fake.reject(call, OUT_OF_MEMORY, 0, 1);
            let error = device.stream().unwrap_err();
            assert!(matches!(&error, Error::Driver { call: rejected, .. } if *rejected == call), "{error}");
            assert_eq!((fake.locked(), fake.handles()), before, "{call}");
        }
        device.stream().unwrap();
        assert_eq!(fake.locked(), before.0 + 1);
    }

    /// The same for the two buffers of printed messages.
    fn a_failed_print_buffer_allocation_leaks_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let x = device.zeros(8).unwrap();
        let before = fake.locked();
        for call in ["cuMemHostAlloc", "cuMemHostGetDevicePointer_v2"] {
            for skip in 0..2 {
                fake.reject(call, OUT_OF_MEMORY, skip, 1);
                let error = telling(&x).over(8).launch().unwrap_err();
                assert!(matches!(&error, Error::Driver { call: rejected, .. } if *rejected == call), "{error}");
                assert_eq!(fake.locked(), before, "{call}, {skip}");
            }
        }
        telling(&x).over(8).launch().unwrap();
        assert_eq!(fake.locked(), before + 2);
    }
}
