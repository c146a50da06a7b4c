//! What the doctor says of a machine with GPUs.

use crate::scenarios;

scenarios! {
    fn a_machine_with_gpus_is_healthy() {
        let report = cumbia::doctor();
        assert!(report.has_gpu(), "{report}");
        assert_eq!(report.gpus.len(), cumbia::Device::count());
        let text = report.to_string();
        let path = report.driver.as_ref().unwrap().path.as_ref().expect("the loader knows where the driver is");
        for expected in [
            "driver        serves CUDA ",
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

    fn without_nvrtc_a_gpu_has_no_code("CUMBIA_NVRTC" = "/nowhere") {
        let report = cumbia::doctor();
        assert!(!report.has_gpu());
        let text = report.to_string();
        for expected in [
            "CUMBIA_NVRTC is `/nowhere`, but there is no such file or folder",
            "nothing can be compiled for ",
            "there is a GPU, but no code for it",
        ] {
            assert!(text.contains(expected), "`{expected}` is not in\n{text}");
        }
    }

    fn without_a_visible_gpu_there_is_advice("FAKE_DEVICES" = "0") {
        let text = cumbia::doctor().to_string();
        let expected = "there is a driver and no GPU that it shows: look at `nvidia-smi` and CUDA_VISIBLE_DEVICES";
        assert!(text.contains(expected) && text.contains("`Device::open()` opens cpu"), "{text}");
    }
}
