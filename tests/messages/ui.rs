//! The compile errors of mistakes in kernels: each case of `tests/messages/ui/` is named after the mistake, and the file beside
//! it holds the expected message.
//!
//! rustc's own words differ between its versions, so the messages are compared on the toolchain that wrote them, which
//! `tests/messages/ui/rustc-version.txt` names. On another one the test demands that every case fails to compile, and says so.
//! `TRYBUILD=overwrite cargo test -p cumbia-messages` rewrites the messages and the version.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use cumbia_cases::left_out;

#[test]
fn mistakes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let version_file = folder.join("rustc-version.txt");
    let version = rustc_version();
    if env::var("TRYBUILD").is_ok_and(|value| value == "overwrite") {
        fs::write(&version_file, &version).expect("a directory that can be written");
    }
    let written_by = fs::read_to_string(&version_file).unwrap_or_default();
    if version == written_by {
        return trybuild::TestCases::new().compile_fail("ui/*.rs");
    }
    let reason = format!("they were written by {}, and this is {}", written_by.trim(), version.trim());
    left_out("the messages of tests/messages/ui", &reason, "CUMBIA_REQUIRE_MESSAGES");
    let copies = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    copy_cases(&folder, &copies);
    // Without a file of messages beside a case, `overwrite` accepts any message, and rejects a case that compiles.
    // SAFETY: this is the only test of the process, and no other thread reads or writes the environment.
    unsafe { env::set_var("TRYBUILD", "overwrite") };
    trybuild::TestCases::new().compile_fail(copies.join("*.rs"));
}

/// The number of errors beyond one per mistake, over all cases. It may only decrease, unless a feature brings a mistake that rustc
/// alone can report.
const MOST_FURTHER_ERRORS: usize = 12;

/// One mistake is one error. A case is one mistake, unless it says `// mistakes: 3`.
#[test]
fn errors_per_mistake() {
    let (mut errors, mut mistakes, mut further) = (0, 0, Vec::new());
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")).expect("a directory of cases").flatten()
    {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "stderr") {
            continue;
        }
        let messages = fs::read_to_string(&path).expect("a readable file");
        let case = fs::read_to_string(path.with_extension("rs")).expect("the case of the messages");
        let of_case = messages.lines().filter(|line| line.starts_with("error")).count();
        let marked = case.lines().find_map(|line| line.strip_prefix("// mistakes: "));
        let marked = marked.map_or(1, |number| number.parse().expect("a number of mistakes"));
        if of_case > marked {
            further.push(format!("{}: {of_case} errors, {marked} mistakes", path.display()));
        }
        (errors, mistakes) = (errors + of_case, mistakes + marked);
    }
    further.sort();
    println!(
        "{:.2} errors per mistake, {errors} of {mistakes}\n{}",
        errors as f64 / mistakes as f64,
        further.join("\n")
    );
    assert!(
        errors <= mistakes + MOST_FURTHER_ERRORS,
        "{errors} errors of {mistakes} mistakes:\n{}",
        further.join("\n")
    );
}

/// Returns the line that `rustc --version` prints, of the rustc that Cargo runs.
fn rustc_version() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().expect("rustc starts");
    String::from_utf8(output.stdout).expect("a version in UTF-8")
}

/// Copies the cases, without their messages, into an empty directory.
fn copy_cases(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("a directory that can be written");
    for entry in fs::read_dir(from).expect("a directory of cases").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            fs::copy(&path, to.join(entry.file_name())).expect("a directory that can be written");
        }
    }
}
