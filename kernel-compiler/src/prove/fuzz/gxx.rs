//! Random kernels, compiled by `g++`. The threads of a launch run one after another; undefined behaviour ends the process.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use libloading::Library;

use super::compiled::{Batch, Experiment, Found, Memory, NO_FAULT, Text, all, assert_detected, invalid_launches};
use crate::common::host;

/// Executes a launch: the arguments, the grid and the block, the fault record, the extent of the launch's grid, and the site of
/// the fault of each thread.
type Run = unsafe extern "C" fn(*const u64, *const u32, *mut u8, u32, *mut u32);

/// Defines `run_NAME`, of type [`Run`], for a text.
fn define(all: &mut String, text: &Text) {
    let source = &text.source;
    let (name, entry) = (&text.name, &source.entry);
    let start = source.text.rfind(&format!(" {entry}(")).expect("the kernel is in the text");
    let params = source.text[start..].split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a list").0;
    let mut args = Vec::new();
    for (i, param) in
        params.split(", ").filter(|param| !param.is_empty() && !param.starts_with("rt::Launch")).enumerate()
    {
        let ty = param.replace("__restrict__ ", "");
        let (ty, _) = ty.rsplit_once(' ').expect("a type and a name");
        args.push(format!("({ty})a[{i}]"));
    }
    if source.takes_launch {
        args.push("launch".to_owned());
    }
    let (code, args) = (host::for_host(&source.text).replace("extern \"C\"", "static"), args.join(", "));
    let _ = write!(
        all,
        "namespace {name}_ {{
{code}
#line 1 \"{name}\"
extern \"C\" void run_{name}(const u64* a, const u32* g, char* record, u32 blocks, u32* stops) {{
    struct Record {{ u64 fault, print, barrier; u32 kernel, blocks; }} fields = {{(u64)record, 0, 0, 0, blocks}};
    {launch}
    gridDim = {{g[0], g[1], g[2]}};
    blockDim = {{g[3], g[4], g[5]}};
    for (u32 bz = 0; bz < g[2]; ++bz) for (u32 by = 0; by < g[1]; ++by) for (u32 bx = 0; bx < g[0]; ++bx)
    for (u32 z = 0; z < g[5]; ++z) for (u32 y = 0; y < g[4]; ++y) for (u32 x = 0; x < g[3]; ++x) {{
        blockIdx = {{bx, by, bz}};
        threadIdx = {{x, y, z}};
        *stops = {NO_FAULT}u;
        try {{ {entry}({args}); }} catch (u32 site) {{ *stops = site; }}
        ++stops;
    }}
}}
}}
",
        launch = if source.takes_launch {
            "rt::Launch launch; static_assert(sizeof launch == sizeof fields, \"\"); memcpy(&launch, &fields, sizeof launch);"
        } else {
            "(void)fields;"
        },
    );
}

/// Compiles the texts of a batch to a library.
fn compile(directory: &Path, batch: &Batch) -> Library {
    let mut all = host::SHIM.to_owned();
    all.push_str("#define __launch_bounds__(...)\ntypedef unsigned int u32; typedef unsigned long long u64;\n");
    for text in &batch.texts {
        define(&mut all, text);
    }
    let (source, library) = (directory.join("kernels.cpp"), directory.join("kernels.so"));
    fs::write(&source, all).expect("the temporary directory can be written to");
    // Undefined behaviour ends the process; wrapping of unsigned arithmetic is not undefined.
    let flags = ["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-fsanitize=undefined"];
    let output = Command::new("g++")
        .args(flags)
        .arg("-fno-sanitize-recover=all")
        .arg("-o")
        .args([&library, &source])
        .output()
        .expect("g++ has run before");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "g++ rejects {}:\n{log}", source.display());
    // SAFETY: the library has no initialisers but those of the sanitizer.
    unsafe { Library::new(&library) }.unwrap_or_else(|error| panic!("{}: {error}", library.display()))
}

fn execute(batch: &Batch, library: &Library, experiment: &Experiment) -> Found {
    let Experiment { launch, grid, blocks, .. } = experiment;
    let mut memory = Memory::new(launch);
    let base = memory.bytes.as_mut_ptr();
    // Elements are aligned as their types demand: the distance to the next multiple is part of the addresses.
    let mut aligned = vec![0u8; memory.bytes.len() + 256];
    let offset = aligned.as_ptr().align_offset(256);
    // SAFETY: there are `memory.bytes.len()` bytes after the offset, which is below 256.
    let start = unsafe { aligned.as_mut_ptr().add(offset) };
    // SAFETY: both have that many bytes, and do not overlap.
    unsafe { start.copy_from_nonoverlapping(base, memory.bytes.len()) };
    let args = memory.args(launch, start as u64);
    let geometry = [*grid, launch.block].concat();
    let threads: u32 = geometry.iter().product();
    let mut stops = vec![NO_FAULT; threads as usize];
    let name = format!("run_{}", batch.texts[experiment.text].name);
    // SAFETY: `define` has given the function this type.
    let run = unsafe { library.get::<Run>(name.as_bytes()) }.expect("the library has the function");
    // SAFETY: the arguments are those of the kernel, and the arrays have the lengths that are among them; an access outside
    // of them, which is what this test is to find, is within the guards or ends the process.
    unsafe { run(args.as_ptr(), geometry.as_ptr(), start, *blocks, stops.as_mut_ptr()) };
    // SAFETY: as above.
    unsafe { base.copy_from_nonoverlapping(start, memory.bytes.len()) };
    Found { memory, stops: Some(stops) }
}

/// Returns the results of a batch.
fn results(batch: &Batch) -> Vec<Found> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let library = compile(directory.path(), batch);
    batch.experiments.iter().map(|experiment| execute(batch, &library, experiment)).collect()
}

/// Returns whether there is a `g++`.
fn is_found() -> bool {
    let found = Command::new("g++").arg("--version").output().is_ok();
    let required = std::env::var_os("CUMBIA_REQUIRE_GXX").is_some_and(|value| value == "1");
    assert!(found || !required, "cannot run g++");
    if !found {
        eprintln!("skipped: cannot run g++");
    }
    found
}

#[test]
fn random_kernels_agree_with_the_interpreter() {
    if is_found() {
        all(25, results).assert_all();
    }
}

#[test]
fn missing_checks_are_detected() {
    if is_found() {
        let batch = invalid_launches();
        assert_detected(&batch, &results(&batch));
    }
}
