//! The layering of the crates: which crate may depend on which other one.
//!
//! Cargo rejects cycles of crates, but not an edge in the wrong direction. ARCHITECTURE.md lists the same dependencies.

use crate::crates::packages;
use crate::module_graph::paths;

/// A crate that is published, and its place among the layers.
struct Layer {
    folder: &'static str,
    /// The crates of the workspace that it may depend on.
    may_use: &'static [&'static str],
    /// External crates that would give it knowledge of another layer.
    must_not_use: &'static [&'static str],
}

/// The layers, the lowest first.
const LAYERS: &[Layer] = &[
    // No syntax trees of Rust, driver, files, or devices.
    Layer {
        folder: "kernel-ir",
        may_use: &[],
        must_not_use: &["syn", "quote", "proc-macro2", "cudarc", "libloading", "tempfile", "rayon"],
    },
    // As the IR, and no serialisation.
    Layer {
        folder: "kernel-compiler",
        may_use: &["cumbia-kernel-ir"],
        must_not_use: &["syn", "quote", "proc-macro2", "cudarc", "libloading", "tempfile", "rayon", "postcard"],
    },
    // No device.
    Layer { folder: "kernel-sync", may_use: &[], must_not_use: &["syn", "cudarc", "libloading", "rayon"] },
    // No kernels, arrays, caches, or intermediate representation.
    Layer {
        folder: "kernel-driver",
        may_use: &["cumbia-kernel-sync"],
        must_not_use: &["syn", "quote", "proc-macro2", "postcard", "inventory", "rayon", "half", "siphasher"],
    },
    // No CUDA.
    Layer {
        folder: "kernel-macros",
        may_use: &["cumbia-kernel-ir"],
        must_not_use: &["cudarc", "libloading", "tempfile", "rayon"],
    },
    // No CUDA, arrays, launches or caches.
    Layer {
        folder: "kernel-lang",
        may_use: &["cumbia-kernel-ir", "cumbia-kernel-macros", "cumbia-kernel-sync"],
        must_not_use: &["syn", "quote", "proc-macro2", "cudarc", "libloading", "tempfile", "postcard"],
    },
    // No syntax trees of Rust, and the driver through its layer only; cudarc is for the interoperation with it.
    Layer {
        folder: "kernel-runtime",
        may_use: &[
            "cumbia-kernel-compiler",
            "cumbia-kernel-driver",
            "cumbia-kernel-ir",
            "cumbia-kernel-lang",
            "cumbia-kernel-sync",
        ],
        must_not_use: &["syn", "quote", "proc-macro2", "corosensei", "libm", "libloading"],
    },
    Layer {
        folder: "kernel-std",
        may_use: &["cumbia-kernel-lang", "cumbia-kernel-macros"],
        must_not_use: &["cudarc", "libloading", "syn"],
    },
    // Algorithms on arrays, which launch kernels.
    Layer {
        folder: "kernel-algorithm",
        may_use: &["cumbia-kernel-macros", "cumbia-kernel-runtime"],
        must_not_use: &["cudarc", "libloading", "syn"],
    },
    // The facade re-exports, and holds no logic.
    Layer {
        folder: ".",
        may_use: &["cumbia-kernel-algorithm", "cumbia-kernel-macros", "cumbia-kernel-runtime", "cumbia-kernel-std"],
        must_not_use: &["cudarc", "libloading", "syn"],
    },
    // Tools: the generator knows neither Cumbia nor Cargo, so that a build script can use it at no cost.
    Layer { folder: "tests/random-kernels", may_use: &[], must_not_use: &["syn", "cudarc"] },
    Layer { folder: "xtask", may_use: &["cumbia-random-kernels"], must_not_use: &["syn", "cudarc"] },
];

/// Crates that are pure functions of their inputs.
const PURE: &[&str] = &["kernel-ir", "kernel-compiler"];

/// Modules of the standard library that give access to anything but the inputs.
const IMPURE_MODULES: &[&str] = &["env", "fs", "io", "net", "os", "path", "process", "thread", "time"];

/// Packages of tests, which may depend on any crate.
const TESTS: &[&str] = &["tests", "tests/cases", "tests/messages", "tests/random", "tests/runtime"];

#[test]
fn crates_depend_on_lower_layers_only() {
    let mut failures = Vec::new();
    for package in packages() {
        let folder = package.folder.as_str();
        if TESTS.contains(&folder) {
            continue;
        }
        let Some(layer) = LAYERS.iter().find(|layer| layer.folder == folder) else {
            failures.push(format!("`{folder}` is in no layer: add it to LAYERS in {}", file!()));
            continue;
        };
        for dependency in &package.dependencies {
            let dependency = dependency.as_str();
            let is_ours = dependency == "cumbia" || dependency.starts_with("cumbia-");
            if is_ours && !layer.may_use.contains(&dependency) {
                failures.push(format!("`{folder}` depends on `{dependency}`, which is not a lower layer"));
            }
            if layer.must_not_use.contains(&dependency) {
                failures.push(format!("`{folder}` depends on `{dependency}`, which belongs to another layer"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_compiler_reads_nothing_but_its_input() {
    let mut failures = Vec::new();
    for package in packages().iter().filter(|package| PURE.contains(&package.folder.as_str())) {
        for (path, place) in paths(package.root_module.as_ref().expect("a library")) {
            if path[0] == "std" && path.get(1).is_some_and(|module| IMPURE_MODULES.contains(&module.as_str())) {
                failures.push(format!("{place}: `{}`", path.join("::")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_layer_is_a_package() {
    let packages = packages();
    for Layer { folder, .. } in LAYERS {
        assert!(packages.iter().any(|package| package.folder == *folder), "`{folder}` is not a member");
    }
}
