//! Compilation of the emitted CUDA C with NVRTC: every kernel of the corpus, for a range of supported architectures.
//! Needs NVRTC, but no GPU.

mod compiler;

use cumbia::__private::inspect::cubin_of_source;

use compiler::{for_each, with_nvrtc};

/// The oldest architecture that CUDA 13 supports, and one for each of the compilers in NVRTC.
const ARCHITECTURES: [&str; 3] = ["sm_75", "sm_90", "sm_120"];

/// An architecture between two of them, for the sources that depend on `__CUDA_ARCH__`.
const BETWEEN: &str = "sm_80";

#[test]
fn nvrtc_compiles_every_kernel() {
    let Some(kernels) = with_nvrtc("machine code of the corpus") else {
        return;
    };
    let failures = for_each(&kernels, |_, look| {
        let source = match (look.cuda_source)() {
            Ok(source) => source,
            Err(error) => return error.to_string(),
        };
        let between = source.contains("__CUDA_ARCH__").then_some(&BETWEEN);
        let errors = ARCHITECTURES.iter().chain(between).filter_map(|architecture| match (look.cubin)(architecture) {
            Ok(cubin) if cubin.starts_with(b"\x7fELF") => None,
            Ok(cubin) => Some(format!("{architecture}: {} bytes that are not a cubin", cubin.len())),
            Err(error) => Some(format!("{architecture}: {error}")),
        });
        let others = look.others.iter().filter_map(|(form, text)| match cubin_of_source(look.name, text, "sm_90") {
            Ok(_) => None,
            Err(error) => Some(format!("{form}, sm_90: {error}")),
        });
        errors.chain(others).collect::<Vec<_>>().join("\n")
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} kernels for {}", kernels.len(), ARCHITECTURES.join(", "));
}
