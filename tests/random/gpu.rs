//! Random kernels: the CPU device against CUDA device 0.

mod comparison;

use std::sync::LazyLock;

use cumbia::{Device, Error};
use cumbia_cases::{Run, left_out};

static CPU: LazyLock<Device> = LazyLock::new(Device::cpu);

#[test]
fn the_gpu_agrees_with_the_cpu() {
    let gpu = match Device::cuda(0) {
        Ok(gpu) => gpu,
        Err(Error::Device(error)) => {
            return left_out("random kernels on a GPU", &error.to_string(), "CUMBIA_REQUIRE_GPU");
        }
        Err(error) => panic!("the GPU cannot be opened: {error}"),
    };
    let compared = comparison::compare("the CPU", gpu.name(), |case, there| {
        let mut run = Run::on(if there { &gpu } else { &CPU });
        (case.run)(&mut run);
        run.into_record()
    });
    println!("{compared}");
}
