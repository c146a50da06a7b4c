//! The workloads of the benchmark suite: the results of Cumbia's kernels at small sizes on the CPU device, and the compilation of
//! both sides by NVRTC. Needs no GPU.

#[path = "../benches/suite/kernels/mod.rs"]
mod kernels;
#[path = "../benches/suite/workload.rs"]
#[allow(dead_code, reason = "the launches by hand need a GPU")]
mod workload;

use cumbia::__private::inspect::cubin_by_hand;
use cumbia::{CompileError, Device, Error};
use cumbia_corpus::left_out;
use kernels::ENTRIES;
use workload::{Size, Variant};

#[test]
fn kernels_agree_with_the_reference() {
    let device = Device::cpu();
    for entry in ENTRIES {
        let mut workload = (entry.new)(&device, Size::Small).unwrap();
        let expected = workload.expected().unwrap();
        for variant in [Variant::Safe, Variant::Unchecked] {
            workload.reset().unwrap();
            workload.launch(variant).unwrap();
            device.synchronize().unwrap();
            let difference = entry.tolerance.difference(&workload.results().unwrap(), &expected);
            assert_eq!(difference, None, "{} ({})", entry.name, variant.label());
        }
        assert_eq!(workload.by_hand().len(), entry.entries.len(), "{}", entry.name);
    }
}

#[test]
fn nvrtc_compiles_both_sides() {
    const ARCHITECTURE: &str = "sm_90";
    for entry in ENTRIES {
        let by_hand = cubin_by_hand(entry.name, entry.cuda_c, ARCHITECTURE, entry.fast_math);
        if let Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) = &by_hand {
            return left_out("machine code of the benchmark suite", &error.to_string(), "CUMBIA_REQUIRE_NVRTC");
        }
        let cubins = (entry.cubins)(ARCHITECTURE).into_iter().chain([("CUDA C".to_owned(), by_hand)]);
        for (kernel, cubin) in cubins {
            match cubin {
                Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF"), "{}, {kernel}: not a cubin", entry.name),
                Err(error) => panic!("{}, {kernel}: {error}", entry.name),
            }
        }
    }
}
