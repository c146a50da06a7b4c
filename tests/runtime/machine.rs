//! Missing components and environment variables, each tested in a child process.

use cumbia::error::SearchPlace;
use cumbia::prelude::*;
use cumbia::{CompileError, DeviceError, Error};

use crate::support::{gpu, passes_in_process};

#[kernel]
fn double(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] *= 2.0;
    }
}

/// Doubles numbers on the device that `open` returns.
fn doubles() -> cumbia::Result<Vec<f32>> {
    let device = Device::open()?;
    let mut x = device.to_device(&[1.0, 2.5])?;
    double(&mut x).over(2).launch()?;
    x.to_host()
}

#[test]
#[ignore = "run with another environment"]
fn the_cpu_is_selected() {
    assert!(Device::open().unwrap().is_cpu());
    assert_eq!(doubles().unwrap(), [2.0, 5.0]);
}

#[test]
#[ignore = "run with another environment"]
fn an_unknown_device_is_an_error() {
    let value = std::env::var("CUMBIA_DEVICE").unwrap();
    let error = Device::open().unwrap_err();
    assert!(matches!(&error, Error::Device(DeviceError::UnknownName { value: told }) if *told == value), "{error:?}");
    assert!(error.to_string().contains("help: set it to `cpu`, to `cuda` for the first GPU"), "{error}");
}

#[test]
#[ignore = "run with another environment"]
fn a_missing_gpu_is_an_error() {
    let error = Device::open().unwrap_err();
    match &error {
        Error::Device(DeviceError::NoDriver { searched, reason }) => {
            assert!(
                searched.iter().any(|name| name.contains("libcuda.so.1")) && !reason.to_string().is_empty(),
                "{error}"
            );
            assert!(error.to_string().contains("help: install NVIDIA's driver"), "{error}");
        }
        Error::Device(DeviceError::NoSuchDevice { ordinal: 77, count }) => assert!(*count < 77),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cumbia_device_selects_the_device() {
    passes_in_process("machine::the_cpu_is_selected", &[("CUMBIA_DEVICE", "cpu")]);
    passes_in_process("machine::the_cpu_is_selected", &[("CUMBIA_DEVICE", "CPU")]);
    for value in ["gpu", "cuda:x", "cuda:", "0"] {
        passes_in_process("machine::an_unknown_device_is_an_error", &[("CUMBIA_DEVICE", value)]);
    }
    passes_in_process("machine::a_missing_gpu_is_an_error", &[("CUMBIA_DEVICE", "cuda:77")]);
}

/// If no GPU is visible, `open` returns the CPU device.
#[test]
fn without_a_gpu_the_cpu_is_opened() {
    passes_in_process("machine::the_cpu_is_selected", &[("CUDA_VISIBLE_DEVICES", "")]);
}

#[test]
#[ignore = "run with another environment"]
fn a_wrong_nvrtc_path_is_an_error() {
    let error = double::cubin("sm_90").unwrap_err();
    let Error::Compile(CompileError::BadNvrtc { path, .. }) = &error else { panic!("{error:?}") };
    assert_eq!(path.as_os_str(), std::env::var_os("CUMBIA_NVRTC").unwrap().as_os_str());
    assert!(error.to_string().contains("help:"), "{error}");
    // Everything else works.
    assert!(double::cuda_source().unwrap().contains("void double"));
    let mut x = Device::cpu().to_device(&[1.0f32]).unwrap();
    double(&mut x).over(1).launch().unwrap();
    assert_eq!(x.to_host().unwrap(), [2.0]);
}

/// There may be an NVRTC at a path that no variable can hide.
#[test]
#[ignore = "run with another environment"]
fn nvrtc_is_hidden() {
    match double::cubin("sm_90") {
        Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF")),
        Err(error) => {
            let Error::Compile(CompileError::NoNvrtc { searched, .. }) = &error else { panic!("{error:?}") };
            assert!(searched.iter().any(|at| at.place == SearchPlace::Loader("libnvrtc.so.13")), "{searched:?}");
            assert!(searched.iter().any(|at| at.place == SearchPlace::Loader("libnvrtc.so.12")), "{searched:?}");
            let text = error.to_string();
            assert!(text.contains("looked for") && text.contains("pip install nvidia-cuda-nvrtc"), "{text}");
        }
    }
}

#[test]
fn nvrtc_may_be_missing() {
    let not_there = std::env::temp_dir().join("no-such-folder/libnvrtc.so");
    let not_there = not_there.to_str().expect("a plain path");
    passes_in_process("machine::a_wrong_nvrtc_path_is_an_error", &[("CUMBIA_NVRTC", not_there)]);
    let nowhere = [("PATH", ""), ("HOME", "/nowhere"), ("LD_LIBRARY_PATH", ""), ("CUDA_HOME", ""), ("CUDA_PATH", "")];
    passes_in_process("machine::nvrtc_is_hidden", &nowhere);
}

#[test]
#[ignore = "run with another environment"]
fn a_gpu_has_no_compiler() {
    let error = doubles().unwrap_err();
    assert!(matches!(error, Error::Compile(CompileError::BadNvrtc { .. })), "{error:?}");
    assert_eq!(Device::open().unwrap().to_device(&[3.0f32]).unwrap().to_host().unwrap(), [3.0]);
}

#[test]
fn a_launch_without_nvrtc_is_an_error() {
    if gpu().is_some() {
        let cache = std::env::temp_dir().join(format!("cumbia-no-nvrtc-{}", std::process::id()));
        let environment = [("CUMBIA_NVRTC", "/nowhere"), ("CUMBIA_CACHE_DIR", cache.to_str().expect("a plain path"))];
        passes_in_process("machine::a_gpu_has_no_compiler", &environment);
    }
}

#[test]
fn an_architecture_has_a_name() {
    for name in ["", "90", "sm_", "hopper", "sm_90 "] {
        // Which of the two is reported missing first is unspecified.
        match double::cubin(name) {
            Err(Error::Compile(CompileError::NotAnArchitecture { name: told })) => assert_eq!(told, name),
            Err(Error::Compile(CompileError::NoNvrtc { .. })) => {}
            other => panic!("{other:?}"),
        }
    }
}
