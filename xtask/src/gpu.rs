//! `cargo xtask gpu`: builds the tests and examples for a GPU machine without Rust, into `.gpu/`.
//!
//! ```text
//! .gpu/run.sh          runs the tests and the examples, and prints a table of the results
//! .gpu/tests/          the test programs
//! .gpu/examples/       the examples
//! .gpu/benches/        the benchmarks; `run.sh` does not run them
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{self, Failure, Result};

/// Programs that need Rust or `g++`, or do not use a GPU.
const EXCLUDED: [&str; 13] = [
    "ui",
    "emitted",
    "random",
    "semantics",
    "golden",
    "nvrtc",
    "errors",
    "cache_invalidation",
    "documented_variables",
    "xtask",
    "repository",
    "cumbia_random_kernels",
    "cumbia_kernel_macros",
];

const RUN: &str = include_str!("run.sh");

pub(crate) fn run() -> Result<()> {
    let folder = program::root().join(".gpu");
    let programs = build()?;
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| failure(&folder, &error))?;
    }
    let mut bytes = 0;
    for program in &programs {
        bytes += program.copy_into(&folder)?;
    }
    let script = folder.join("run.sh");
    fs::write(&script, RUN).map_err(|error| failure(&script, &error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(|error| failure(&script, &error))?;
    }
    println!("{} programs in {} ({} MiB); run {}", programs.len(), folder.display(), bytes >> 20, script.display());
    Ok(())
}

fn failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

/// An executable that Cargo built.
struct Program {
    /// `tests`, `examples` or `benches`
    folder: &'static str,
    name: String,
    path: PathBuf,
}

impl Program {
    /// Copies the program without its symbols. Returns the size of the copy in bytes.
    fn copy_into(&self, folder: &Path) -> Result<u64> {
        let folder = folder.join(self.folder);
        fs::create_dir_all(&folder).map_err(|error| failure(&folder, &error))?;
        let copy = folder.join(&self.name);
        let stripped = Command::new("strip").arg("-o").arg(&copy).arg(&self.path).status();
        if !stripped.is_ok_and(|status| status.success()) {
            fs::copy(&self.path, &copy).map_err(|error| failure(&self.path, &error))?;
        }
        fs::metadata(&copy).map(|metadata| metadata.len()).map_err(|error| failure(&copy, &error))
    }
}

/// Builds tests, examples and benchmarks.
fn build() -> Result<Vec<Program>> {
    // The examples come from `cargo build` below: `cargo test` would build them as test harnesses.
    let mut programs = build_with(&["test", "--no-run", "--release", "--workspace", "--tests"])?;
    // Again with Rust's overflow checks, which change the GPU code too.
    let checked = [
        "test",
        "--no-run",
        "--profile",
        "checked",
        "-p",
        "cumbia-tests",
        "--test",
        "gpu",
        "-p",
        "cumbia-runtime-tests",
        "--test",
        "runtime",
    ];
    programs.extend(
        build_with(&checked)?
            .into_iter()
            .map(|program| Program { name: format!("{}-checked", program.name), ..program }),
    );
    programs.extend(build_with(&["build", "--release", "--examples", "--bench", "*"])?);
    programs.sort_by(|a, b| (a.folder, &a.name).cmp(&(b.folder, &b.name)));
    // Two packages may have tests of the same name.
    for i in 1..programs.len() {
        let (before, program) = programs.split_at_mut(i);
        while before.iter().any(|other| (other.folder, &other.name) == (program[0].folder, &program[0].name)) {
            program[0].name.push('+');
        }
    }
    Ok(programs)
}

/// Runs Cargo. Returns the executables that its JSON messages name.
fn build_with(arguments: &[&str]) -> Result<Vec<Program>> {
    eprintln!("+ cargo {}", arguments.join(" "));
    let output = program::cargo(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure(format!("cannot run cargo: {error}")))?;
    if !output.status.success() {
        return Err(Failure(format!("`cargo {}` failed", arguments.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect())
}

/// Returns the program of a JSON message from Cargo, in which the field `target` precedes `executable`.
fn program(message: &str) -> Option<Program> {
    let path = PathBuf::from(program::value_of(message, "executable")?);
    let target = &message[message.find(r#""target":{"#)?..];
    let name = program::value_of(target, "name")?;
    let folder = match target {
        _ if target.starts_with(r#""target":{"kind":["example"]"#) => "examples",
        _ if target.starts_with(r#""target":{"kind":["bench"]"#) => "benches",
        _ => "tests",
    };
    let is_excluded = EXCLUDED.contains(&name.as_str());
    (!is_excluded).then_some(Program { folder, name, path })
}
