//! The corpus on a GPU: the results of every case on the CPU device and on CUDA device 0 are compared.

use cumbia::{Device, Error};
use cumbia_corpus::{Run, cases, compare, left_out};

#[test]
fn the_gpu_agrees_with_the_cpu() {
    let gpu = match Device::cuda(0) {
        Ok(gpu) => gpu,
        Err(Error::Device(error)) => {
            return left_out("the corpus on a GPU", &error.to_string(), "CUMBIA_REQUIRE_GPU");
        }
        Err(error) => panic!("the GPU cannot be opened: {error}"),
    };
    let compared = compare(&cases(), "the CPU", gpu.name(), |case, there| {
        let mut run = Run::on(if there { &gpu } else { &CPU });
        (case.run)(&mut run);
        run.into_record()
    });
    println!("{gpu}: {compared}");
}

static CPU: std::sync::LazyLock<Device> = std::sync::LazyLock::new(Device::cpu);
