//! An edit of a device function in another crate is a cache miss: two crates are written, built and run, one is edited, and they
//! are built and run again.
//!
//! Requires Cargo, Cumbia's dependencies as they are after building this test, and NVRTC.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELPER: &str = r"
use cumbia::prelude::*;

#[device]
pub fn twice(x: f32) -> f32 {
    x * 2.0
}
";

const PROGRAM: &str = r#"
use cumbia::prelude::*;

#[kernel]
fn apply(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = helper::twice(x[i]);
    }
}

fn main() {
    let ptx = apply::ptx("sm_90").unwrap();
    let mut x = Device::cpu().to_device(&[1.5f32]).unwrap();
    apply(&mut x).over(1).launch().unwrap();
    let stats = cumbia::cache::stats();
    let constant = if ptx.contains("0f40400000") { 3 } else { 2 };
    println!("{} {} {} {:?}", stats.hits, stats.misses, constant, x.to_host().unwrap());
}
"#;

/// Two crates in a directory: `helper`, and `program`, which depends on it.
struct Crates {
    folder: tempfile::TempDir,
}

impl Crates {
    fn new(root: &Path) -> Crates {
        let crates = Crates { folder: tempfile::tempdir().unwrap() };
        let cumbia = format!("cumbia = {{ path = {:?}, default-features = false }}", root.display().to_string());
        let manifest = |name: &str, dependencies: &str| {
            format!(
                "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n"
            )
        };
        crates.write("Cargo.toml", "[workspace]\nmembers = [\"helper\", \"program\"]\nresolver = \"3\"\n");
        crates.write("helper/Cargo.toml", &manifest("helper", &cumbia));
        crates.write("helper/src/lib.rs", HELPER);
        crates.write(
            "program/Cargo.toml",
            &manifest("program", &format!("{cumbia}\nhelper = {{ path = \"../helper\" }}")),
        );
        crates.write("program/src/main.rs", PROGRAM);
        // The same versions as in this build, so that nothing is downloaded.
        fs::copy(root.join("Cargo.lock"), crates.path("Cargo.lock")).unwrap();
        crates
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Builds and runs the program, and returns its output.
    #[track_caller]
    fn run(&self) -> String {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["run", "--quiet", "--offline", "--package", "program"])
            .current_dir(self.folder.path())
            // The target directory of this test, where the dependencies are built already.
            .env("CARGO_TARGET_DIR", target())
            .env("CUMBIA_CACHE_DIR", self.path("cache"))
            .env_remove("CUMBIA_CACHE")
            .env_remove("CUMBIA_KERNELS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .expect("Cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

/// Returns the target directory, an ancestor of `target/debug/deps/cache_invalidation-0123`.
fn target() -> PathBuf {
    let executable = std::env::current_exe().expect("tests know their executable");
    executable.ancestors().nth(3).expect("a test is in a target directory").to_owned()
}

#[test]
fn an_edit_of_a_device_function_in_another_crate_is_a_cache_miss() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    if std::env::var_os("CUMBIA_NVRTC").is_none() {
        assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "CUMBIA_NVRTC is not set");
        eprintln!("skipped: CUMBIA_NVRTC is not set");
        return;
    }
    let crates = Crates::new(root);
    // Hits, misses, the constant in the PTX, and the result.
    assert_eq!(crates.run(), "0 1 2 [3.0]");
    assert_eq!(crates.run(), "1 0 2 [3.0]");
    crates.write("helper/src/lib.rs", &HELPER.replace("x * 2.0", "x * 3.0"));
    assert_eq!(crates.run(), "0 1 3 [4.5]");
    assert_eq!(crates.run(), "1 0 3 [4.5]");
    // The key depends neither on unused functions nor on the file's modification time.
    crates.write("helper/src/lib.rs", &(HELPER.to_owned() + "\npub fn unused() {}\n"));
    assert_eq!(crates.run(), "1 0 2 [3.0]");
}
