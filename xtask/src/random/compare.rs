//! Compiling programs, running them, and what differs: the work of the package `cumbia-random`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::Overflow;
use super::print;
use super::tree::Program;
use crate::program::{self, Failure, Result};

/// Programs by their names.
pub(super) type Programs = [(String, Program)];

/// Of each program that fails, by its name, what is told of it.
pub(super) type Failures = HashMap<String, String>;

/// How programs are compared.
pub(super) struct Comparison {
    pub(super) overflow: Overflow,
    /// With a GPU, and not with the emitted C in `g++`.
    pub(super) gpu: bool,
}

/// Writes programs to a file.
pub(super) fn write(path: &Path, programs: &Programs) -> Result<()> {
    fs::write(path, print::file(programs)).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

impl Comparison {
    /// Compiles and compares programs, and shows what is told if `shown`.
    ///
    /// # Errors
    ///
    /// Where they cannot be compiled.
    pub(super) fn run(&self, programs: &Programs, shown: bool) -> Result<Failures> {
        let file = program::target().join("random-kernels.rs");
        write(&file, programs)?;
        let mut arguments = Vec::new();
        if self.overflow == Overflow::Wraps {
            // Of this package alone: all others stay as they were built.
            arguments.extend(["--config", "profile.dev.package.cumbia-random.overflow-checks=false"]);
        }
        let on = if self.gpu { "random_gpu" } else { "random" };
        arguments.extend(["test", "--quiet", "-p", "cumbia-random", "--test", on, "--", "--nocapture"]);
        let output = program::cargo(&arguments)
            .env("CUMBIA_RANDOM_FILE", &file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| Failure(format!("cargo cannot be run: {error}")))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if shown {
            eprint!("{text}");
            print!("{}", String::from_utf8_lossy(&output.stdout));
        }
        let failures: Failures = text
            .lines()
            .filter_map(|line| line.strip_prefix("FAILED ")?.split_once(": "))
            .map(|(name, what)| (name.to_owned(), what.to_owned()))
            .collect();
        if !output.status.success() && failures.is_empty() {
            return Err(Failure(format!("the kernels in {} could not be compared\n{text}", file.display())));
        }
        Ok(failures)
    }

    /// As [`Comparison::run`], without those programs that rustc refuses.
    pub(super) fn run_accepted(&self, programs: &Programs) -> Result<Failures> {
        let mut accepted = programs.to_vec();
        loop {
            match self.run(&accepted, false) {
                Err(Failure(text)) => {
                    let refused = refused(&text, &print::file(&accepted));
                    if refused.is_empty() {
                        return Err(Failure(text));
                    }
                    accepted.retain(|(name, _)| !refused.contains(name));
                }
                compared => return compared,
            }
        }
    }
}

/// The modules that rustc's errors are about.
fn refused(errors: &str, file: &str) -> Vec<String> {
    let lines: Vec<&str> = file.lines().collect();
    let module = |line: usize| {
        let before = lines.get(..line)?;
        let name = before.iter().rev().find_map(|line| line.strip_prefix("pub mod "))?;
        Some(name.trim_end_matches(" {").to_owned())
    };
    let mut found = Vec::new();
    let mut in_error = false;
    for line in errors.lines() {
        in_error = (in_error || line.starts_with("error")) && !line.starts_with("warning");
        let place = line.split_once("kernels.rs:").and_then(|(_, place)| place.split(':').next()?.parse().ok());
        if let (true, true, Some(place)) = (in_error, line.trim_start().starts_with("-->"), place) {
            found.extend(module(place));
            in_error = false;
        }
    }
    found
}

/// What is common to failures of one cause: the words, without names and numbers.
pub(super) fn class(failure: &str) -> &'static str {
    const CLASSES: [&str; 9] = [
        "undefined behaviour",
        "does not compile",
        "did not run",
        "a panic on",
        "has no CUDA C",
        "results against",
        "against a good",
        "a good",
        "values differ",
    ];
    CLASSES.into_iter().find(|class| failure.contains(class)).unwrap_or("faults")
}
