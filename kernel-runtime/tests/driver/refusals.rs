//! What the driver refuses: an error with its words, and all goes on.

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

/// The PTX that a driver gets to see which takes no machine code.
fn ptx_of_a_launch() -> String {
    let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
    fake.refuse("cuModuleLoadDataEx", INVALID_IMAGE, 0, 1);
    saxpy(1.0, &device.zeros(8).unwrap(), &mut device.zeros(8).unwrap()).over(8).launch().unwrap();
    fake.last_image()
}

/// NVIDIA's own, where there is one, makes PTX for a GPU that it does not know.
#[test]
fn a_gpu_that_is_newer_than_nvidias_nvrtc() {
    let nvrtc = match cumbia::doctor().nvrtc {
        Ok(nvrtc) => nvrtc,
        Err(error) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
            return eprintln!("left out, because NVRTC is not here");
        }
    };
    let path = nvrtc.path.unwrap_or_default().into_os_string().into_string().unwrap();
    let scenario = "refusals::scenario::a_gpu_that_is_newer_than_any_nvrtc";
    crate::fake::passes(scenario, &[("FAKE_CAPABILITY", "990"), ("CUMBIA_NVRTC", &path)]);
}

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

    /// What came with the program was made for another driver: the kernel is compiled for this one.
    fn an_image_that_came_with_the_program("CUMBIA_KERNELS" = concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels-to-refuse")) {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let folder = std::env::var_os("CUMBIA_KERNELS").unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        Plan::new().all().architectures(["sm_90a"]).quiet().compile_into(&folder).unwrap();
        let counts = || (cumbia::cache::stats().precompiled, cumbia::cache::stats().compilations);
        let before = counts();
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        // Its machine code, then its PTX; and then those of the one that was made here.
        fake.refuse("cuModuleLoadDataEx", UNSUPPORTED_PTX, 0, 4);
        let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err();
        assert!(matches!(error, Error::Compile(CompileError::ImageRefused { .. })), "{error}");
        assert_eq!((fake.calls("cuModuleLoadDataEx"), counts()), (4, (before.0 + 1, before.1 + 1)));
        fake.refuse("cuModuleLoadDataEx", UNSUPPORTED_PTX, 0, 2);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!((fake.calls("cuModuleLoadDataEx"), counts()), (7, (before.0 + 2, before.1 + 2)));
        // Where it loads, nothing is compiled; and another refusal is not about the image.
        let mut z = device.zeros::<f32>(8).unwrap();
        fake.refuse("cuModuleLoadDataEx", OUT_OF_MEMORY, 0, 1);
        assert!(matches!(together(&mut z).over(8).launch(), Err(Error::Driver { .. })));
        together(&mut z).over(8).launch().unwrap();
        assert_eq!(counts(), (before.0 + 4, before.1 + 2));
    }

    /// NVRTC makes PTX for the newest GPU that it knows, and the driver machine code of it.
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

    /// A driver that loads no machine code of this NVRTC may take its PTX.
    fn machine_code_alone() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        fake.refuse("cuModuleLoadDataEx", INVALID_IMAGE, 0, 1);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        assert_eq!(fake.last_image(), "// PTX of 13 for sm_90a.");
        let mut z = device.zeros::<f32>(8).unwrap();
        together(&mut z).over(8).launch().unwrap();
        assert_eq!(fake.last_image(), "\u{7f}ELF");
    }

    /// A driver of CUDA 12 loads nothing of NVRTC 13, which the loader is asked for first.
    fn a_driver_that_is_older_than_an_nvrtc("FAKE_VERSION" = "12080", "CUMBIA_NVRTC" = "") {
        assert_eq!(ptx_of_a_launch(), "// PTX of 12 for sm_90a.");
    }

    fn a_driver_that_is_as_new_as_the_newest_nvrtc("FAKE_VERSION" = "13000", "CUMBIA_NVRTC" = "") {
        assert_eq!(ptx_of_a_launch(), "// PTX of 13 for sm_90a.");
    }

    fn an_nvrtc_that_is_asked_for("FAKE_VERSION" = "12080") {
        assert_eq!(ptx_of_a_launch(), "// PTX of 13 for sm_90a.");
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
            assert!(error.to_string().contains("the CUDA context is lost"), "{error}");
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
