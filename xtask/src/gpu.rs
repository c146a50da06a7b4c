//! `cargo xtask gpu`: what a GPU machine without Rust can run, in `.gpu/`.
//!
//! ```text
//! .gpu/run.sh          runs the tests and the examples, and prints a table at the end
//! .gpu/tests/          the test programs
//! .gpu/examples/       the examples
//! .gpu/benches/        the benchmarks; `run.sh` leaves them out
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::program::{self, Failure, Result};

/// Programs that need Rust or `g++`, or have nothing to do with a GPU.
const LEFT_OUT: [&str; 11] = [
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

/// Something that Cargo built.
struct Program {
    /// `tests`, `examples` or `benches`
    folder: &'static str,
    name: String,
    path: PathBuf,
}

impl Program {
    /// Copies the program without its symbols, and gives its size.
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
    // With `cargo test`, an example would be built as the test of itself.
    let mut programs = build_with(&["test", "--no-run", "--release", "--workspace", "--tests"])?;
    // Once more with Rust's checks of overflow, which make other code on the GPU too.
    let checked =
        ["test", "--no-run", "--profile", "checked", "-p", "cumbia-tests", "--test", "gpu", "--test", "runtime"];
    programs.extend(
        build_with(&checked)?
            .into_iter()
            .map(|program| Program { name: format!("{}-checked", program.name), ..program }),
    );
    programs.extend(build_with(&["build", "--release", "--examples", "--bench", "*"])?);
    programs.sort_by(|a, b| (a.folder, &a.name).cmp(&(b.folder, &b.name)));
    // Two packages may have tests of one name.
    for i in 1..programs.len() {
        let (before, program) = programs.split_at_mut(i);
        while before.iter().any(|other| (other.folder, &other.name) == (program[0].folder, &program[0].name)) {
            program[0].name.push('+');
        }
    }
    Ok(programs)
}

/// Runs Cargo, and asks it where the programs are.
fn build_with(arguments: &[&str]) -> Result<Vec<Program>> {
    eprintln!("+ cargo {}", arguments.join(" "));
    let output = program::cargo(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure(format!("cargo cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(Failure(format!("`cargo {}` failed", arguments.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect())
}

/// The program that a message of Cargo's is about. In one line of JSON, `target` comes before what was built.
fn program(message: &str) -> Option<Program> {
    let path = PathBuf::from(program::value_of(message, "executable")?);
    let target = &message[message.find(r#""target":{"#)?..];
    let name = program::value_of(target, "name")?;
    let folder = match target {
        _ if target.starts_with(r#""target":{"kind":["example"]"#) => "examples",
        _ if target.starts_with(r#""target":{"kind":["bench"]"#) => "benches",
        _ => "tests",
    };
    let is_left_out = LEFT_OUT.contains(&name.as_str());
    (!is_left_out).then_some(Program { folder, name, path })
}
