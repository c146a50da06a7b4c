//! Overflow checks and `panic = "abort"`: a kernel has the overflow checks of the crate that defines it, and detecting
//! them does not panic. A program is built by Cargo with each combination of options, which are passed to its own crate
//! only, so that its dependencies are not rebuilt.
//!
//! Requires Cargo and Cumbia's dependencies as they are after building this test; neither a GPU nor NVRTC.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Launches the kernel and prints whether it has overflow checks; with an argument, overflows on the host for comparison.
const PROGRAM: &str = r#"
use cumbia::prelude::*;

#[device]
fn next(n: u32) -> u32 {
    n + 1
}

#[kernel]
fn count(x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = next(x[i]) * 2;
    }
}

fn main() {
    if std::env::args().len() > 1 {
        let sum = std::hint::black_box(u8::MAX) + std::hint::black_box(1);
        std::process::exit(if sum == 0 { 0 } else { 1 });
    }
    let mut x = Device::cpu().to_device(&[1u32, 2, 3]).unwrap();
    count(&mut x).over(3).launch().unwrap();
    assert_eq!(x.to_host().unwrap(), [4, 6, 8]);
    let source = count::cuda_source().unwrap();
    let checks = ["rt::add_u32(", "rt::mul_u32("].map(|helper| source.contains(helper));
    assert_eq!(checks[0], checks[1], "{source}");
    println!("{} {} {}", checks[0], cfg!(debug_assertions), cfg!(panic = "abort"));
}
"#;

struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn new() -> Program {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let folder = tempfile::tempdir().unwrap();
        let cumbia = format!("cumbia = {{ path = {:?}, default-features = false }}", root.display().to_string());
        let manifest = format!(
            "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{cumbia}\n\n[workspace]\n"
        );
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::write(folder.path().join("src/main.rs"), PROGRAM).unwrap();
        // The same versions as in this build, so that nothing is downloaded.
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
        Program { folder }
    }

    /// Builds the program with these rustc options, and returns its path.
    #[track_caller]
    fn build(&self, options: &[&str]) -> PathBuf {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["rustc", "--quiet", "--offline", "--"])
            .args(options)
            .current_dir(self.folder.path())
            // The target directory of this test, where the dependencies are built already.
            .env("CARGO_TARGET_DIR", target())
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .expect("Cargo runs");
        assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
        // The next build replaces the executable, so it is copied.
        let copy = self.folder.path().join("built");
        fs::copy(target().join("debug").join(format!("program{}", std::env::consts::EXE_SUFFIX)), &copy).unwrap();
        copy
    }
}

/// Returns the target directory, an ancestor of `target/debug/deps/build_profiles-0123`.
fn target() -> PathBuf {
    let executable = std::env::current_exe().expect("tests know their executable");
    executable.ancestors().nth(3).expect("a test is in a target directory").to_owned()
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).env("CUMBIA_CACHE", "off").output().expect("the program runs")
}

#[test]
fn kernels_have_the_overflow_checks_of_their_crate() {
    let program = Program::new();
    let checks: [&[&str]; 5] = [
        &[],
        &["-C", "overflow-checks=off"],
        &["-Coverflow-checks=on"],
        &["-C", "debug-assertions=off"],
        &["--codegen=overflow_checks=yes", "-C", "debug-assertions=off"],
    ];
    for panic in ["unwind", "abort"] {
        for (level, checks) in checks.iter().map(|checks| ("0", *checks)).chain([("2", checks[2]), ("2", checks[3])]) {
            let (panic_option, level_option) = (format!("panic={panic}"), format!("opt-level={level}"));
            let options = [&["-C", &panic_option, "-C", &level_option], checks].concat();
            let built = program.build(&options);
            let said = run(&built, &[]);
            let error = String::from_utf8_lossy(&said.stderr);
            assert!(said.status.success(), "{options:?}: {}\n{error}", said.status);
            assert!(!error.contains("panicked"), "{options:?}: {error}");
            let said = String::from_utf8(said.stdout).unwrap();
            let right = !run(&built, &["overflow"]).status.success();
            let debug = level == "0" && !checks.contains(&"debug-assertions=off");
            assert_eq!(said.trim(), format!("{right} {debug} {}", panic == "abort"), "{options:?}");
        }
    }
}
