//! The emitted CUDA C against the CPU body, without a GPU: every case of the corpus runs on the CPU device and,
//! compiled from the emitted C by `g++`, in an emulator. The results are compared.

mod emulator;

use std::panic;

use cumbia::__private::Emulation;
use cumbia::prelude::*;
use cumbia::{Error, FaultKind};
use cumbia_corpus::{Case, Run, Text, cases, compare, kernels, left_out, sources};
use emulator::Emulator;

#[test]
fn emitted_c_agrees_with_the_cpu_body() {
    // A kernel that the compiler rejects has no source: its case fails, and the others still run.
    let kernels = kernels();
    let sources = sources(&kernels);
    // A directory per selection, so that a part of the corpus does not evict the compiled kernels of all of it.
    let folder = if std::env::var_os("CUMBIA_CASES").is_some() { "emulator-selected" } else { "emulator" };
    let count = sources.len();
    let Some(emulator) = emulator("the emitted C against the CPU body", sources, folder) else {
        return;
    };
    if !emulator.sanitized {
        left_out("undefined behaviour of the emitted C", "g++ has no libubsan", "CUMBIA_REQUIRE_GXX");
    }
    let compared = against_the_cpu(&cases(), str::to_owned, &emulator);
    println!("{} kernels, {count} sources, {compared}", kernels.len());
}

/// Mutations: a case, one of its kernels, and a replacement in its C that introduces a mistake.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("linear::saxpy_cases", "linear::saxpy", "a * x[", "a + x["),
    ("linear::saxpy_cases", "linear::saxpy", "a * x[", "(1 << (int)(i + 40)) * x["),
    (
        "indices::one_by_one",
        "indices::one_outside",
        "fault(launch, site, index, len);",
        "fault(launch, site, index + 1, len);",
    ),
    ("indices::one_by_one", "indices::one_outside", "record->thread[0] = threadIdx.x", "record->thread[0] = 0"),
    ("shared_memory::reductions", "shared_memory::block_sums<u32, 64>", "__syncthreads()", "(void)0"),
    ("float_methods::exact", "float_methods::rounded<f64>", "floor(", "trunc("),
];

/// The comparison detects mistakes in the emitted C.
#[test]
fn mutations_of_the_emitted_c_are_detected() {
    if std::env::var_os("CUMBIA_CASES").is_some() {
        return;
    }
    let kernels = kernels();
    let name = |part: &str| format!("cumbia_corpus::{part}");
    let used = |text: &Text| MISTAKES.iter().any(|(case, ..)| text.name.contains(module(case)));
    let right: Vec<_> = sources(&kernels).into_iter().filter(used).collect();
    // In all builds of the kernel. That with all checks contains it for certain.
    let mut sources = right.clone();
    for (number, (_, kernel, right_text, wrong)) in MISTAKES.iter().enumerate() {
        let kernel = name(kernel);
        for text in right.iter().filter(|text| is_form_of(&text.name, &kernel)) {
            let Text { name, source, is_launched } = text;
            let mistaken = source.replace(right_text, wrong);
            assert!(*source != mistaken || *name != kernel, "`{right_text}` is not in\n{source}");
            sources.push(Text { name: format!("{number} {name}"), source: mistaken, is_launched: *is_launched });
        }
    }
    let Some(emulator) = emulator("the detection of mistakes", sources, "mistakes") else {
        return;
    };
    for (number, (case, kernel, right, wrong)) in MISTAKES.iter().enumerate() {
        let all = cases();
        let case: Vec<_> = all.into_iter().filter(|known| known.name == name(case)).collect();
        let chosen = |launched: &str| {
            let is_this = is_form_of(launched, &name(kernel));
            if is_this { format!("{number} {launched}") } else { launched.to_owned() }
        };
        let compared = panic::catch_unwind(panic::AssertUnwindSafe(|| against_the_cpu(&case, chosen, &emulator)));
        let detects = emulator.sanitized || !wrong.contains("<<");
        assert!(compared.is_err() || !detects, "`{wrong}` for `{right}` in {kernel} is not detected: {compared:?}");
    }
}

/// Returns whether a source, by the name under which the emulator looks it up, is one of a kernel.
fn is_form_of(launched: &str, kernel: &str) -> bool {
    let forms = ["", " proven", " narrow", " coarsened", " proven coarsened", " narrow coarsened"];
    launched.strip_prefix(kernel).is_some_and(|form| forms.contains(&form))
}

/// `blockIdx.x * blockDim.x` wraps in CUDA C. Runs one block under the index 2²², with 1024 threads.
#[test]
fn positions_do_not_wrap_at_32_bits() {
    #[kernel]
    fn placed(out: &mut [u64]) {
        let (x, y) = grid(2);
        let i = thread_idx().x;
        out[3 * i] = grid(1) as u64;
        out[3 * i + 1] = x as u64;
        out[3 * i + 2] = grid_size(1) as u64 + y as u64;
    }
    const BLOCK: u64 = 1 << 22;
    let source = placed::cuda_source().expect("a valid kernel");
    let far = source.replace("blockIdx.x", "(4194304u)").replace("gridDim.x", "(4194305u)");
    assert!(source.contains("blockIdx.x") && source.contains("gridDim.x"), "{source}");
    let Some(emulator) = emulator("positions above 2^32", vec![text("placed", far)], "positions") else {
        return;
    };
    let mut out = Device::cpu().zeros(3 * 1024).expect("a small array");
    placed(&mut out)
        .grid(1)
        .block(1024)
        .emulate(&mut |emulation| emulator.run("placed", emulation).fault)
        .expect("no fault");
    let of = |thread: u64| [BLOCK * 1024 + thread, BLOCK * 1024 + thread, (BLOCK + 1) * 1024];
    assert_eq!(out.to_host().expect("no fault"), (0..1024).flat_map(of).collect::<Vec<_>>());
}

/// With `index = u32` a `usize` overflows at 2³² on a GPU: a fault with overflow checks, otherwise wrapping as for
/// `u32`. On the CPU device it has 64 bits.
#[test]
fn narrow_indices_overflow_at_32_bits() {
    #[kernel(index = u32)]
    fn beyond(n: usize, wide: u64, out: &mut [u64]) {
        out[0] = (wide as usize) as u64;
        out[1] = n.wrapping_mul(n) as u64;
        out[2] = (n * n) as u64;
    }
    let sources = vec![text("beyond", beyond::cuda_source().expect("a valid kernel"))];
    let Some(emulator) = emulator("indices of 32 bits that overflow", sources, "narrow") else {
        return;
    };
    let device = Device::cpu();
    let (n, wide) = (70_000usize, (5u64 << 32) + 7);
    let mut out = device.zeros(3).expect("a small array");
    let result =
        beyond(n, wide, &mut out).grid(1).block(1).emulate(&mut |emulation| emulator.run("beyond", emulation).fault);
    let square = (n * n) as u64;
    let there = out.to_host().expect("no fault");
    assert_eq!(there[..2], [7, square % (1 << 32)]);
    match result {
        Err(Error::Fault { kind: FaultKind::Overflow(message), .. }) if cfg!(debug_assertions) => {
            assert_eq!(&*message, "attempt to multiply with overflow");
        }
        Ok(()) if !cfg!(debug_assertions) => assert_eq!(there[2], square % (1 << 32)),
        other => panic!("{other:?}"),
    }
    beyond(n, wide, &mut out).grid(1).block(1).launch().expect("a good launch");
    assert_eq!(out.to_host().expect("no fault"), [wide, square, square]);
}

fn text(name: &str, source: String) -> Text {
    Text { name: name.to_owned(), source, is_launched: true }
}

/// Returns the module of a case.
fn module(case: &str) -> &str {
    case.split("::").next().unwrap_or(case)
}

/// Returns the emulator, or `None` with a report if there is none.
fn emulator(what: &str, sources: Vec<Text>, folder: &str) -> Option<Emulator> {
    Emulator::new(sources, folder).map_err(|reason| left_out(what, &reason, "CUMBIA_REQUIRE_GXX")).ok()
}

/// Compares the runs of cases on the CPU with those in the emulator. `chosen` maps the name of a kernel to that of the
/// source to run.
fn against_the_cpu(cases: &[&Case], chosen: impl Fn(&str) -> String, emulator: &Emulator) -> String {
    compare(cases, "the CPU", "the emitted C", |case, emulated| {
        let mut emulate = |kernel: &str, emulation: Emulation<'_>| emulator.run(&chosen(kernel), emulation);
        let mut run = if emulated { Run::emulated(&mut emulate) } else { Run::on(&Device::cpu()) };
        (case.run)(&mut run);
        run.into_record()
    })
}
