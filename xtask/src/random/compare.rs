//! Compilation and comparison of programs, by running the tests of the package `cumbia-random`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cumbia_random_kernels::{Overflow, Program, source};

use crate::program::{self, Failure, Result};

/// Programs with their names.
pub(super) type Programs = [(String, Program)];

/// The messages of the failing programs, by name.
pub(super) type Failures = HashMap<String, String>;

/// The configuration of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    pub(super) overflow: Overflow,
    /// Whether the CPU is compared with a GPU instead of the emitted C in `g++`.
    pub(super) gpu: bool,
    /// Whether the executable is optimised for size, to be copied to another machine.
    pub(super) small: bool,
}

/// The result of a build.
pub(super) enum Build {
    Done(PathBuf),
    /// The errors of rustc.
    Rejected(String),
}

/// The result of a run.
pub(super) struct Outcome {
    pub(super) failures: Failures,
    /// The output of the run.
    pub(super) text: String,
}

/// Writes programs to a file.
pub(super) fn write(path: &Path, programs: &Programs) -> Result<()> {
    fs::write(path, source(programs)).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

impl Comparison {
    /// Compiles programs into an executable of this name, which builds of other names do not replace.
    ///
    /// # Errors
    ///
    /// If Cargo cannot be started, or a file cannot be written.
    pub(super) fn build(self, programs: &Programs, name: &str) -> Result<Build> {
        let folder = program::target().join("random-kernels");
        fs::create_dir_all(&folder).map_err(|error| Failure(format!("{}: {error}", folder.display())))?;
        let file = folder.join("kernels.rs");
        write(&file, programs)?;
        let mut arguments = Vec::new();
        if self.overflow == Overflow::Wraps {
            // For this package only, so that no other one is rebuilt.
            arguments.extend(["--config", "profile.random.package.cumbia-random.overflow-checks=false"]);
        }
        if self.small {
            arguments.extend(["--config", "profile.random.package.cumbia-random.opt-level='s'"]);
        }
        let on = if self.gpu { "random_gpu" } else { "random" };
        arguments.extend(["test", "--quiet", "--profile", "random", "--no-run", "-p", "cumbia-random", "--test", on]);
        arguments.push("--message-format=json-render-diagnostics");
        let output = program::cargo(&arguments)
            .env("CUMBIA_RANDOM_FILE", &file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| Failure(format!("cannot run cargo: {error}")))?;
        if !output.status.success() {
            return Ok(Build::Rejected(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let messages = String::from_utf8_lossy(&output.stdout);
        let built = messages.lines().find_map(|message| program::value_of(message, "executable"));
        let built = built.ok_or_else(|| Failure(String::from("cargo reported no executable")))?;
        let kept = folder.join(name);
        let _ = fs::remove_file(&kept);
        fs::copy(&built, &kept).map_err(|error| Failure(format!("{built}: {error}")))?;
        Ok(Build::Done(kept))
    }

    /// Compiles the programs that rustc accepts. Returns the executable, and the error of each rejected program.
    ///
    /// # Errors
    ///
    /// If rustc's errors cannot be attributed to a program.
    pub(super) fn build_accepted(self, programs: &Programs, name: &str) -> Result<(PathBuf, Failures)> {
        let mut accepted = programs.to_vec();
        let mut rejected = Failures::new();
        loop {
            match self.build(&accepted, name)? {
                Build::Done(path) => return Ok((path, rejected)),
                Build::Rejected(errors) => {
                    let found = rejections(&errors, &source(&accepted));
                    if found.is_empty() {
                        return Err(Failure(errors));
                    }
                    accepted.retain(|(name, _)| !found.contains_key(name));
                    rejected.extend(found);
                }
            }
        }
    }

    /// Compiles and compares programs, and prints the output if `shown`.
    ///
    /// # Errors
    ///
    /// If they cannot be compiled.
    pub(super) fn run(self, programs: &Programs, shown: bool) -> Result<Failures> {
        let Outcome { failures, text } = match self.build(programs, "one")? {
            Build::Done(path) => run(&path)?,
            Build::Rejected(errors) => return Err(Failure(errors)),
        };
        if shown {
            eprint!("{text}");
        }
        Ok(failures)
    }

    /// As [`Comparison::run`], without the programs that rustc rejects.
    pub(super) fn run_accepted(self, programs: &Programs) -> Result<Failures> {
        let (path, _) = self.build_accepted(programs, "one")?;
        run(&path).map(|outcome| outcome.failures)
    }
}

/// Runs all programs of an executable. If one of them ends the process, the others are run again without it.
///
/// # Errors
///
/// If the executable cannot be started, or fails before the first program.
pub(super) fn run(executable: &Path) -> Result<Outcome> {
    let mut outcome = Outcome { failures: Failures::new(), text: String::new() };
    let mut skipped: Vec<String> = Vec::new();
    loop {
        let output = Command::new(executable)
            .arg("--nocapture")
            .current_dir(program::root().join("tests/random"))
            .env("CUMBIA_RANDOM_TRACE", "1")
            .env("CUMBIA_RANDOM_SKIP", skipped.join(","))
            .output()
            .map_err(|error| Failure(format!("{}: {error}", executable.display())))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let mut last = None;
        for line in errors.lines() {
            if let Some(name) = line.strip_prefix("RUNNING ") {
                last = Some(name.to_owned());
                continue;
            }
            if let Some((name, what)) = line.strip_prefix("FAILED ").and_then(|line| line.split_once(": ")) {
                outcome.failures.insert(name.to_owned(), what.to_owned());
            }
            outcome.text.push_str(line);
            outcome.text.push('\n');
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        outcome.text.push_str(&printed);
        // The test harness has printed its result: all programs have run.
        if printed.contains("test result:") {
            if !output.status.success() && outcome.failures.is_empty() {
                return Err(Failure(format!("the failure names no program\n{}", outcome.text)));
            }
            return Ok(outcome);
        }
        let Some(name) = last.filter(|name| !skipped.contains(name)) else {
            return Err(Failure(format!("{} before any program: {}", output.status, outcome.text)));
        };
        outcome.failures.entry(name.clone()).or_insert_with(|| format!("the process died: {}", output.status));
        skipped.push(name);
    }
}

/// Returns the programs whose modules rustc's errors are in, with the first error of each.
fn rejections(errors: &str, file: &str) -> Failures {
    let starts: BTreeMap<usize, &str> = file
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Some((at + 1, line.strip_prefix("pub mod ")?.trim_end_matches(" {"))))
        .collect();
    let mut found = Failures::new();
    let mut error = None;
    for line in errors.lines() {
        if line.starts_with("error") {
            error = Some(line);
        } else if line.starts_with("warning") {
            error = None;
        }
        let place: Option<usize> =
            line.split_once("kernels.rs:").and_then(|(_, place)| place.split(':').next()?.parse().ok());
        if let (Some(message), true, Some(place)) = (error, line.trim_start().starts_with("-->"), place)
            && let Some((_, module)) = starts.range(..=place).next_back()
        {
            found.entry((*module).to_owned()).or_insert_with(|| format!("rustc rejects it: {message}"));
            error = None;
        }
    }
    found
}

/// Returns the class of a failure: the part of its message that failures with the same cause share.
pub(super) fn class(failure: &str) -> &'static str {
    const CLASSES: [&str; 11] = [
        "undefined behaviour",
        "does not compile",
        "did not run",
        "does not end",
        "the process died",
        "a panic on",
        "has no CUDA C",
        "results against",
        "against a good",
        "a good",
        "values differ",
    ];
    CLASSES.into_iter().find(|class| failure.contains(class)).unwrap_or("faults")
}
