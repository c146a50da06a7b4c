//! `cargo xtask test`: all tests, doctests and examples. The tests of GPUs are skipped on a machine without one.

use crate::nvrtc;
use crate::program::{self, Failure, Result};

/// How the examples are built.
const OPTIMISED: [&str; 3] = ["--release", "--features", "cudarc,ndarray"];

pub(crate) fn run() -> Result<()> {
    let nvrtc = nvrtc::ensure()?;
    program::run(
        program::cargo(&["test", "--workspace", "--no-fail-fast"])
            .env("CUMBIA_NVRTC", &nvrtc)
            .env("CUMBIA_REQUIRE_NVRTC", "1"),
    )?;
    // Optimised, as the README runs them. The tests above run with overflow checks. The features are those of the tests, so
    // that `cargo xtask quick --release` finds the dependencies built. All at once are compiled in parallel.
    program::run(program::cargo(&["build", "--examples"]).args(OPTIMISED))?;
    for example in examples()? {
        let mut run = program::cargo(&["run", "--example", &example]);
        program::run(run.args(OPTIMISED).env("CUMBIA_DEVICE", "cpu"))?;
    }
    eprintln!("all tests passed");
    Ok(())
}

/// Returns the names of the examples, sorted: files in `examples`, and directories with a `main.rs`.
fn examples() -> Result<Vec<String>> {
    let folder = program::root().join("examples");
    let entries =
        std::fs::read_dir(&folder).map_err(|error| Failure(format!("{} cannot be read: {error}", folder.display())))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| {
            let path = entry.path();
            path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").exists()
        })
        .filter_map(|entry| Some(entry.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}
