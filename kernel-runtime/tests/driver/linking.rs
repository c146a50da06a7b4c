//! Launches of kernels with device functions in linked files.

use cumbia::prelude::*;
use cumbia::{CompileError, Error};

use crate::fake::Fake;
use crate::kernels::saxpy;
use crate::scenarios;

#[device(unsafe(link = "../linking/functions.cu"))]
fn step(state: &mut u32) {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
}

#[device(unsafe(link = ["../linking/half.ptx"]))]
fn half_of(x: f32) -> f32 {
    x / 2.0
}

#[kernel]
fn advance(states: &mut [u32], x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        step(&mut states[i]);
        x[i] = half_of(x[i]);
    }
}

fn launched() -> cumbia::Result<()> {
    let device = Device::cuda(0)?;
    let (mut states, mut x) = (device.zeros(100)?, device.zeros(100)?);
    advance(&mut states, &mut x).over(100).launch()?;
    device.synchronize()
}

scenarios! {
    fn a_linked_kernel_is_launched() {
        let fake = Fake::of_process();
        launched().unwrap();
        let loads = fake.calls("cuModuleLoadDataEx");
        launched().unwrap();
        assert_eq!(fake.calls("cuModuleLoadDataEx"), loads);
    }

    fn the_ptx_is_not_loaded_in_place_of_the_linked_code() {
        const NO_BINARY_FOR_GPU: i32 = 209;
        let fake = Fake::of_process();
        fake.reject("cuModuleLoadDataEx", NO_BINARY_FOR_GPU, 0, 1);
        match launched() {
            Err(Error::Compile(CompileError::ImageRejected { rejections, .. })) => assert_eq!(rejections.len(), 1),
            other => panic!("{other:?}"),
        }
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 1);
    }

    fn a_missing_linker_is_an_error("FAKE_WITHOUT_CLUSTERS" = "1") {
        match launched() {
            Err(Error::Compile(CompileError::NoNvJitLink { kernel, file, .. })) => {
                assert_eq!((kernel.as_str(), file.as_str()), ("advance", "../linking/functions.cu"));
            }
            // NVIDIA's is installed, and does not link the output of the fake NVRTC.
            Err(Error::Compile(CompileError::LinkFailed { .. })) => {}
            other => panic!("{other:?}"),
        }
        // A kernel without linked files needs no linker.
        let device = Device::cuda(0).unwrap();
        let (x, mut y) = (device.zeros(10).unwrap(), device.zeros(10).unwrap());
        saxpy(2.0, &x, &mut y).over(10).launch().unwrap();
    }
}
