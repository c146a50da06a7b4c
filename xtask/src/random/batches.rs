//! Many random kernels, a batch at a time: while one batch runs, the next is compiled.
//!
//! What became of a batch is written to a file in `target/random-kernels`, from where a command that was stopped goes on.
//! A failure does not stop the others.

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

/// A batch that is compiled, or why it is not.
type Compiled = (Range<u64>, Result<(PathBuf, Failures)>);

/// The batches of a range of kernels.
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

/// Compares kernels, `size` at a time.
///
/// # Errors
///
/// Where any differ, after all were compared.
pub(super) fn run(options: &Options, comparison: Comparison, size: u64) -> Result<()> {
    let notes = Notes::open(options, comparison)?;
    let done = notes.done();
    let wanted: Vec<_> =
        batches(&options.kernels, size).into_iter().filter(|batch| !done.contains(&label(batch))).collect();
    let (sender, receiver) = mpsc::sync_channel::<Compiled>(1);
    let compiler = {
        let options = options.clone();
        thread::spawn(move || {
            for (number, batch) in wanted.into_iter().enumerate() {
                let programs = programs(&Options { kernels: batch.clone(), ..options.clone() });
                // Three at a time: one that runs, one that waits, and one that is compiled.
                let compiled = comparison.build_accepted(&programs, &format!("batch{}", number % 3));
                if sender.send((batch, compiled)).is_err() {
                    return;
                }
            }
        })
    };
    let started = Instant::now();
    for (batch, compiled) in receiver {
        let outcome = compiled.and_then(|(path, refused)| {
            let Outcome { mut failures, text } = compare::run(&path)?;
            failures.extend(refused);
            Ok(Outcome { failures, text })
        });
        notes.add(&batch, outcome)?;
        println!("seed {}, kernels {}: after {} s", options.seed, label(&batch), started.elapsed().as_secs());
    }
    compiler.join().map_err(|_| Failure(String::from("the generator panicked")))?;
    notes.summary()
}

/// Compiles kernels for another machine with a GPU, `size` in each executable, into a folder.
///
/// # Errors
///
/// Where they cannot be compiled.
pub(super) fn pack(options: &Options, comparison: Comparison, size: u64, folder: &Path) -> Result<()> {
    let failed = |path: &Path, error: &std::io::Error| Failure(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut bytes = 0;
    for batch in batches(&options.kernels, size) {
        let programs = programs(&Options { kernels: batch.clone(), ..options.clone() });
        let (built, refused) = comparison.build_accepted(&programs, "packed")?;
        for (name, what) in &refused {
            println!("FAILED {name}: {what}");
        }
        let wraps = if options.overflow == Overflow::Wraps { "-wraps" } else { "" };
        let path = folder.join(format!("random-seed{}-{}-{}{wraps}", options.seed, batch.start, batch.end));
        program::run(Command::new("strip").arg("-o").arg(&path).arg(&built))?;
        // A machine without Rust has gzip.
        program::run(Command::new("gzip").arg("-9f").arg(&path))?;
        let packed = path.with_extension("gz");
        bytes += fs::metadata(&packed).map_err(|error| failed(&packed, &error))?.len();
    }
    let script = folder.join("run.sh");
    fs::write(&script, RUN).map_err(|error| failed(&script, &error))?;
    println!("{} MiB in {}; run `bash {}` there", bytes >> 20, folder.display(), script.display());
    Ok(())
}

/// Runs each executable beside it, and goes on behind a kernel that ends the process.
const RUN: &str = include_str!("run.sh");

/// `0..250`
fn label(batch: &Range<u64>) -> String {
    format!("{}..{}", batch.start, batch.end)
}

/// The file that holds what became of the batches: a line `batch 0..250` behind the findings of each.
struct Notes {
    path: PathBuf,
    /// The options that lead to a kernel of this file.
    command: String,
}

impl Notes {
    fn open(options: &Options, comparison: Comparison) -> Result<Notes> {
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
        Ok(Notes { path: folder.join(format!("{name}.txt")), command: format!("cargo xtask random {words}") })
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }

    fn done(&self) -> HashSet<String> {
        self.text().lines().filter_map(|line| line.strip_prefix("batch ")).map(str::to_owned).collect()
    }

    /// Notes what became of a batch, and tells of what differs.
    fn add(&self, batch: &Range<u64>, outcome: Result<Outcome>) -> Result<()> {
        let mut text = String::new();
        match outcome {
            Ok(Outcome { failures, text: _ }) => {
                let sorted: BTreeMap<_, _> = failures.iter().collect();
                for (name, what) in sorted {
                    let _ = writeln!(text, "FAILED {name}: {what}");
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

    /// Tells of all batches.
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
        let help = format!("add `--kernel N --reduce` to `{}` to make one smaller", self.command);
        Err(Failure(format!("{} of {kernels} kernels differ\n  help: {help}", failed.len())))
    }
}
