//! Reports of `doctor` for machines with GPUs.

use crate::scenarios;

scenarios! {
    fn a_complete_machine_is_reported() {
        let report = cumbia::doctor();
        assert!(report.has_gpu(), "{report}");
        assert_eq!(report.gpus.len(), cumbia::Device::count());
        let text = report.to_string();
        let path = report.driver.as_ref().unwrap().path.as_ref().expect("the loader knows where the driver is");
        for expected in [
            "driver        supports CUDA ",
            &path.display().to_string(),
            "NVRTC         version 13.0",
            "compiles for sm_75, sm_80, sm_90",
            "cuda:0  ",
            "a small kernel was compiled for ",
            "`Device::open()` opens cuda:0",
            "cache         off",
            "CUMBIA_CACHE=off",
            "Kernels run on a GPU.",
        ] {
            assert!(text.contains(expected), "`{expected}` is not in\n{text}");
        }
    }

    fn a_gpu_without_nvrtc_is_reported("CUMBIA_NVRTC" = "/nowhere") {
        let report = cumbia::doctor();
        assert!(!report.has_gpu());
        let text = report.to_string();
        for expected in [
            "CUMBIA_NVRTC is `/nowhere`, but there is no such file or directory",
            "without NVRTC, kernels cannot be compiled for ",
            "There is a GPU, but kernels cannot be compiled for it or loaded",
        ] {
            assert!(text.contains(expected), "`{expected}` is not in\n{text}");
        }
    }

    fn a_driver_without_a_visible_gpu_comes_with_a_remedy("FAKE_DEVICES" = "0") {
        let text = cumbia::doctor().to_string();
        let expected = "the driver reports no GPU: check `nvidia-smi` and CUDA_VISIBLE_DEVICES";
        assert!(text.contains(expected) && text.contains("`Device::open()` opens cpu"), "{text}");
    }
}
