//! The emitted CUDA C through the real compiler: every kernel of the corpus becomes machine code for every architecture
//! that we name as supported. Needs NVRTC, but no GPU.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use cumbia::__private::inspect::cubin_of_source;
use cumbia::{CompileError, Error};
use cumbia_corpus::{Kernels, Look, kernels, left_out};

/// The oldest that CUDA 13 compiles for, and those that people have.
const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_120"];

#[test]
fn nvrtc_compiles_every_kernel() {
    let Some(kernels) = with_nvrtc("machine code of the corpus") else {
        return;
    };
    let failures = for_each(&kernels, |_, look| {
        let errors = ARCHITECTURES.iter().filter_map(|architecture| match (look.cubin)(architecture) {
            Ok(cubin) if cubin.starts_with(b"\x7fELF") => None,
            Ok(cubin) => Some(format!("{architecture}: {} bytes that are no cubin", cubin.len())),
            Err(error) => Some(format!("{architecture}: {error}")),
        });
        let strided = look.strided.iter().filter_map(|text| match cubin_of_source(look.name, text, "sm_80") {
            Ok(_) => None,
            Err(error) => Some(format!("strided, sm_80: {error}")),
        });
        errors.chain(strided).collect::<Vec<_>>().join("\n")
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} kernels for {}", kernels.len(), ARCHITECTURES.join(", "));
}

/// C widens `float` to `double` at the slightest cause, Rust never does.
#[test]
fn f32_kernels_have_no_f64() {
    let Some(kernels) = with_nvrtc("the search for f64 in the PTX of f32 kernels") else {
        return;
    };
    let checked = AtomicUsize::new(0);
    let failures = for_each(&kernels, |kernel, look| {
        let source = match (look.cuda_source)() {
            Ok(source) => source,
            Err(error) => return error.to_string(),
        };
        let words = || source.split(|c: char| !c.is_alphanumeric());
        if words().any(|word| word == "double") {
            return if kernel.ends_with("<f32>") { format!("there is a double in\n{source}") } else { String::new() };
        }
        // NVIDIA's own reduction of large arguments computes in f64.
        let by_nvidia = words().any(|word| ["sinf", "cosf", "tanf", "sincosf"].contains(&word));
        if by_nvidia || !words().any(|word| word == "float") {
            return String::new();
        }
        checked.fetch_add(1, Relaxed);
        match (look.ptx)("compute_75") {
            Err(error) => error.to_string(),
            Ok(ptx) => match ptx.lines().find(|line| line.contains(".f64")) {
                Some(line) => format!("`{}` in the PTX", line.trim()),
                None => String::new(),
            },
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} kernels of f32", checked.into_inner());
}

/// The kernels, if there is an NVRTC to compile them.
fn with_nvrtc(what: &str) -> Option<Kernels> {
    let kernels = kernels();
    let (_, look) = kernels.first_key_value().expect("the corpus is not empty");
    match (look.cubin)(ARCHITECTURES[0]) {
        Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) => {
            left_out(what, &error.to_string(), "CUMBIA_REQUIRE_NVRTC");
            None
        }
        Ok(_) | Err(_) => Some(kernels),
    }
}

/// Checks each kernel, several at a time. Gives what `check` found wrong, with the kernel's name.
fn for_each(kernels: &Kernels, check: impl Fn(&str, &Look) -> String + Sync) -> Vec<String> {
    let kernels: Vec<_> = kernels.iter().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some((kernel, look)) = kernels.get(next.fetch_add(1, Relaxed)) {
            let failure = check(kernel, look);
            if !failure.is_empty() {
                failures.push(format!("{kernel}: {failure}"));
            }
        }
        failures
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("checks do not panic")).collect()
    })
}
