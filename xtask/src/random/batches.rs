//! Comparison of many random kernels in batches: while one batch runs, the next is compiled.
//!
//! The result of each batch is appended to a journal in `target/random-kernels`, from which an interrupted command
//! resumes. A failure does not stop the later batches.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::compare::{self, Comparison, Failures, Outcome};
use cumbia_random_kernels::{Options, Overflow, programs};

use crate::program::{self, Failure, Result};

/// A compiled batch with the kernels that rustc rejects, or the error of the build.
type Compiled = (Range<u64>, Result<(PathBuf, Failures)>);

/// Splits a range of kernels into batches.
fn batches(kernels: &Range<u64>, size: u64) -> Vec<Range<u64>> {
    let mut batches = Vec::new();
    let mut first = kernels.start;
    while first < kernels.end {
        let end = first.saturating_add(size).min(kernels.end);
        batches.push(first..end);
        first = end;
    }
    batches
}

/// Compares kernels in batches of `size`.
///
/// # Errors
///
/// If any kernels differ, after all batches have run.
pub(super) fn run(options: &Options, comparison: Comparison, size: u64) -> Result<()> {
    let journal = Journal::open(options, comparison)?;
    let done = journal.done();
    let wanted: Vec<_> =
        batches(&options.kernels, size).into_iter().filter(|batch| !done.contains(&label(batch))).collect();
    let (sender, receiver) = mpsc::sync_channel::<Compiled>(1);
    let compiler = {
        let options = options.clone();
        thread::spawn(move || {
            for (number, batch) in wanted.into_iter().enumerate() {
                let programs = programs(&Options { kernels: batch.clone(), ..options.clone() });
                // Three executables exist at a time: one runs, one is queued, and one is being compiled.
                let compiled = comparison.build_accepted(&programs, &format!("batch{}", number % 3));
                if sender.send((batch, compiled)).is_err() {
                    return;
                }
            }
        })
    };
    let started = Instant::now();
    for (batch, compiled) in receiver {
        let outcome = compiled.and_then(|(path, rejected)| {
            let Outcome { mut failures, text } = compare::run(&path)?;
            failures.extend(rejected);
            Ok(Outcome { failures, text })
        });
        journal.add(&batch, outcome)?;
        println!("seed {}, kernels {}: after {} s", options.seed, label(&batch), started.elapsed().as_secs());
    }
    compiler.join().map_err(|_| Failure(String::from("the generator panicked")))?;
    journal.summary()
}

/// Compiles kernels for another machine with a GPU, `size` per executable, into a directory.
///
/// # Errors
///
/// If they cannot be compiled.
pub(super) fn pack(options: &Options, comparison: Comparison, size: u64, folder: &Path) -> Result<()> {
    let failed = |path: &Path, error: &std::io::Error| Failure(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut bytes = 0;
    for batch in batches(&options.kernels, size) {
        let programs = programs(&Options { kernels: batch.clone(), ..options.clone() });
        let (built, rejected) = comparison.build_accepted(&programs, "packed")?;
        for (name, failure) in &rejected {
            println!("FAILED {name}: {failure}");
        }
        let wraps = if options.overflow == Overflow::Wraps { "-wraps" } else { "" };
        let path = folder.join(format!("random-seed{}-{}-{}{wraps}", options.seed, batch.start, batch.end));
        program::run(Command::new("strip").arg("-o").arg(&path).arg(&built))?;
        // gzip is available on a machine without Rust.
        program::run(Command::new("gzip").arg("-9f").arg(&path))?;
        let packed = path.with_extension("gz");
        bytes += fs::metadata(&packed).map_err(|error| failed(&packed, &error))?.len();
    }
    let script = folder.join("run.sh");
    fs::write(&script, RUN).map_err(|error| failed(&script, &error))?;
    println!("{} MiB in {}; run `bash {}` there", bytes >> 20, folder.display(), script.display());
    Ok(())
}

/// The script that runs each executable beside it, and continues after a kernel that ends the process.
const RUN: &str = include_str!("run.sh");

/// Returns the label of a batch: `0..250`.
fn label(batch: &Range<u64>) -> String {
    format!("{}..{}", batch.start, batch.end)
}

/// The journal of the batches: the failures of each, followed by a line `batch 0..250`.
struct Journal {
    path: PathBuf,
    /// The command that reproduces the kernels of this journal.
    command: String,
}

impl Journal {
    fn open(options: &Options, comparison: Comparison) -> Result<Journal> {
        let Options { seed, kernels: _, overflow, tallies } = options;
        let mut words = format!("--seed {seed}");
        if *overflow == Overflow::Wraps {
            words.push_str(" --overflow wraps");
        }
        if *tallies {
            words.push_str(" --tallies on");
        }
        if comparison.gpu {
            words.push_str(" --gpu");
        }
        let name: String = words.chars().filter(|c| c.is_alphanumeric()).collect();
        let folder = program::target().join("random-kernels");
        fs::create_dir_all(&folder).map_err(|error| Failure(format!("{}: {error}", folder.display())))?;
        Ok(Journal { path: folder.join(format!("{name}.txt")), command: format!("cargo xtask random {words}") })
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }

    fn done(&self) -> HashSet<String> {
        self.text().lines().filter_map(|line| line.strip_prefix("batch ")).map(str::to_owned).collect()
    }

    /// Appends the result of a batch, and prints its failures.
    fn add(&self, batch: &Range<u64>, outcome: Result<Outcome>) -> Result<()> {
        let mut text = String::new();
        match outcome {
            Ok(Outcome { failures, text: _ }) => {
                let sorted: BTreeMap<_, _> = failures.iter().collect();
                for (name, failure) in sorted {
                    let _ = writeln!(text, "FAILED {name}: {failure}");
                }
            }
            Err(Failure(what)) => {
                let _ = writeln!(text, "FAILED {}: {}", label(batch), what.replace('\n', " | "));
            }
        }
        print!("{text}");
        let _ = writeln!(text, "batch {}", label(batch));
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Failure(format!("{}: {error}", self.path.display())))
    }

    /// Prints a summary of all batches.
    fn summary(&self) -> Result<()> {
        let text = self.text();
        let counts = self.done().into_iter().filter_map(|batch| {
            let (first, end) = batch.split_once("..")?;
            Some(end.parse::<u64>().ok()? - first.parse::<u64>().ok()?)
        });
        let kernels: u64 = counts.sum();
        let failed: Vec<&str> = text.lines().filter(|line| line.starts_with("FAILED ")).collect();
        println!("\n{}\n{}: {kernels} kernels, {} failed", failed.join("\n"), self.command, failed.len());
        if failed.is_empty() {
            return Ok(());
        }
        let help = format!("add `--kernel N --reduce` to `{}` to reduce one", self.command);
        Err(Failure(format!("{} of {kernels} kernels differ\n  help: {help}", failed.len())))
    }
}
