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

/// The number of errors beyond one per mistake, over all cases, without those of the same mistakes in plain Rust. It may only decrease,
/// unless a feature brings a mistake that rustc alone can report.
const MOST_FURTHER_ERRORS: usize = 3;

/// One mistake is one error. A case is one mistake, unless it says `// mistakes: 3`. rustc itself reports some mistakes more than once:
/// for these, `tests/messages/plain/` has the same mistake in plain Rust, and a case may have as many errors.
#[test]
fn errors_per_mistake() {
    let (mut errors, mut mistakes, mut more, mut further) = (0, 0, 0, Vec::new());
    let cases = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(cases.join("ui")).expect("a directory of cases").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "stderr") {
            continue;
        }
        let messages = fs::read_to_string(&path).expect("a readable file");
        let case = fs::read_to_string(path.with_extension("rs")).expect("the case of the messages");
        let of_case = messages.lines().filter(|line| line.starts_with("error")).count();
        let marked = case.lines().find_map(|line| line.strip_prefix("// mistakes: "));
        let marked = marked.map_or(1, |number| number.parse().expect("a number of mistakes"));
        (errors, mistakes) = (errors + of_case, mistakes + marked);
        let name = path.file_stem().expect("a name");
        let plain = cases.join("plain").join(name).with_extension("rs");
        let of_plain = plain.exists().then(|| errors_of(&plain));
        let expected = of_plain.map_or(marked, |of_plain| marked.max(of_plain));
        more += of_case.saturating_sub(expected);
        if of_case > marked {
            let of_plain = of_plain.map_or_else(String::new, |number| format!(", {number} errors in plain Rust"));
            further.push(format!("{}: {of_case} errors, {marked} mistakes{of_plain}", name.display()));
        }
    }
    further.sort();
    let listed = further.join("\n");
    println!("{:.2} errors per mistake, {errors} of {mistakes}\n{listed}", errors as f64 / mistakes as f64);
    assert!(more <= MOST_FURTHER_ERRORS, "{more} errors more than in plain Rust:\n{listed}");
}

/// Returns the number of errors that rustc reports for a program without dependencies.
fn errors_of(program: &Path) -> usize {
    let metadata = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plain.rmeta");
    let output = rustc().args(["--edition", "2024", "--emit=metadata", "-o"]).arg(metadata).arg(program).output();
    let output = output.expect("rustc starts");
    assert!(!output.status.success(), "{} compiles", program.display());
    let messages = String::from_utf8_lossy(&output.stderr);
    messages.lines().filter(|line| line.starts_with("error[")).count()
}

/// Returns a command of the rustc that Cargo runs.
fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Returns the line that `rustc --version` prints.
fn rustc_version() -> String {
    let output = rustc().arg("--version").output().expect("rustc starts");
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
