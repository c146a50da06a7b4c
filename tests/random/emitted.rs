//! Random kernels: the CPU device against the emitted CUDA C, compiled by `g++` in the emulator.

mod comparison;
#[path = "../emulator/mod.rs"]
mod emulator;

use cumbia::__private::Emulation;
use cumbia::Device;
use cumbia_cases::{Run, kernels_of, left_out, sources};
use cumbia_random::CASES;
use emulator::Emulator;

#[test]
fn emitted_c_agrees_with_the_cpu_body() {
    let cases: Vec<_> = CASES.iter().collect();
    let kernels = kernels_of(&cases);
    // A kernel that the compiler rejects has no source: its case fails, and the others still run.
    let emulator = match Emulator::new(sources(&kernels), "random") {
        Ok(emulator) => emulator,
        Err(reason) => return left_out("random kernels", &reason, "CUMBIA_REQUIRE_GXX"),
    };
    if !emulator.sanitized {
        left_out("undefined behaviour of the emitted C", "g++ has no libubsan", "CUMBIA_REQUIRE_GXX");
    }
    let compared = comparison::compare("the CPU", "the emitted C", |case, emulated| {
        let mut emulate = |kernel: &str, emulation: Emulation<'_>| emulator.run(kernel, emulation);
        let mut run = if emulated { Run::emulated(&mut emulate) } else { Run::on(&Device::cpu()) };
        (case.run)(&mut run);
        run.into_record()
    });
    println!("{compared}");
}
