//! `cargo xtask test`: all tests, doctests and examples. The tests of GPUs are skipped on a machine without one.

use std::process::Command;

use crate::program::{self, Failure, Result};
use crate::{nvrtc, quick};

/// How the examples are built.
const EXAMPLES: [&str; 4] = ["build", "--examples", "--features", "cudarc,ndarray"];

pub(crate) fn run() -> Result<()> {
    let nvrtc = nvrtc::ensure()?;
    program::run(
        program::cargo(&["test", "--workspace", "--no-fail-fast"])
            .env("CUMBIA_NVRTC", &nvrtc)
            .env("CUMBIA_REQUIRE_NVRTC", "1"),
    )?;
    // Optimised, as the README runs them; the tests above run with overflow checks. All at once are compiled in parallel, and
    // with the packages that `cargo xtask quick --release` selects, so that it finds their dependencies built.
    program::run(&mut quick::optimised(&EXAMPLES))?;
    let folder = program::target().join("release").join("examples");
    for example in examples()? {
        program::run(Command::new(folder.join(&example)).current_dir(program::root()).env("CUMBIA_DEVICE", "cpu"))?;
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
