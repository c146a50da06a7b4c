//! The benchmark suite: workloads as a user writes them in Cumbia, against the same algorithms in hand-written CUDA
//! C++, which are compiled by the same NVRTC with the same options.
//!
//! ```text
//! cargo bench --bench suite                          all workloads
//! cargo bench --bench suite -- saxpy sgemm           those whose names contain one of these words
//! cargo bench --bench suite -- --list                prints the names, the titles, and the names in the file of `--peers`
//! cargo bench --bench suite -- --small               compares results at small sizes, and measures nothing; without a GPU on
//!                                                    the CPU device
//! cargo bench --bench suite -- --compile             compiles both sides for sm_90 by NVRTC; needs no GPU
//! cargo bench --bench suite -- --inspect DIRECTORY   writes the CUDA C of both sides and the checks of each kernel; needs no GPU
//! cargo bench --bench suite -- --json FILE           also writes the times as JSON
//! cargo bench --bench suite -- --report docs         also writes benchmarks.md and its charts into the directory
//! cargo bench --bench suite -- --peers FILE          also compares with other systems, whose times the file contains
//! ```
//!
//! The results of all kernels are compared before the times are taken. `tests/suite.rs` compares them with references on the CPU
//! device, and compiles both sides without a GPU.
//!
//! The file of `--peers` is a list of objects with `workload`, `peer` and `ms`: other systems have to be measured on the same
//! machine, in the same session.

mod chart;
mod hand;
mod kernels;
mod measure;
mod report;
mod workload;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use cumbia::__private::inspect::cubin_by_hand;
use cumbia::prelude::*;

use kernels::ENTRIES;
use report::{Machine, Run};
use workload::{Entry, Inspected, Size};

/// The options of the command line.
#[derive(Default)]
struct Options {
    words: Vec<String>,
    list: bool,
    small: bool,
    compile: bool,
    inspect: Option<PathBuf>,
    json: Option<PathBuf>,
    report: Option<PathBuf>,
    peers: Option<PathBuf>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            let mut path = || arguments.next().map(PathBuf::from).ok_or_else(|| format!("{argument} takes a path"));
            match argument.as_str() {
                "--bench" => {} // from Cargo
                "--list" => options.list = true,
                "--small" => options.small = true,
                "--compile" => options.compile = true,
                "--inspect" => options.inspect = Some(path()?),
                "--json" => options.json = Some(path()?),
                "--report" => options.report = Some(path()?),
                "--peers" => options.peers = Some(path()?),
                option if option.starts_with('-') => return Err(format!("unknown option {option}")),
                word => options.words.push(word.to_owned()),
            }
        }
        Ok(options)
    }

    fn selects(&self, entry: &Entry) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| entry.name.contains(word.as_str()))
    }
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the CUDA C of both sides, and the checks of each kernel.
fn inspect(entries: &[&Entry], folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for entry in entries {
        std::fs::write(folder.join(format!("{}.hand.cu", entry.name)), entry.cuda_c)?;
        for (kernel, inspected) in (entry.inspected)() {
            let path = |extension: &str| folder.join(format!("{}.{kernel}.{extension}", entry.name));
            match inspected {
                Ok(Inspected { variants, checks }) => {
                    for (variant, text) in variants {
                        std::fs::write(path(&format!("{variant}.cu")), text)?;
                    }
                    std::fs::write(path("checks.txt"), format!("{checks}\n"))?;
                }
                Err(error) => std::fs::write(path("error.txt"), format!("{error}\n"))?,
            }
        }
    }
    Ok(())
}

fn run(options: &Options) -> Result<(), String> {
    let entries: Vec<_> = ENTRIES.iter().filter(|entry| options.selects(entry)).collect();
    if entries.is_empty() {
        return Err("no workload has such a name; `--list` prints them".to_owned());
    }
    if options.list {
        for entry in entries {
            println!("{:<16} {:<28} {}", entry.name, entry.title, entry.peer);
        }
        return Ok(());
    }
    if options.compile {
        return entries.into_iter().try_for_each(|entry| {
            let by_hand = cubin_by_hand(entry.name, entry.cuda_c, "sm_90", entry.fast_math);
            let cubins = (entry.cubins)("sm_90").into_iter().chain([("CUDA C".to_owned(), by_hand)]);
            for (kernel, cubin) in cubins {
                let cubin = cubin.map_err(|error| format!("{}, {kernel}: {error}", entry.name))?;
                println!("{:<16} {kernel:<24} {:>6} bytes", entry.name, cubin.len());
            }
            Ok(())
        });
    }
    if let Some(folder) = &options.inspect {
        return inspect(&entries, folder).map_err(|error| format!("{}: {error}", folder.display()));
    }
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(_) if options.small => Device::cpu(),
        Err(error) => {
            println!("the benchmark suite was skipped: it needs a GPU ({error})");
            return Ok(());
        }
    };
    let start = Instant::now();
    let size = if options.small { Size::Small } else { Size::Full };
    let peers = options.peers.as_deref().map(report::peers).transpose()?.unwrap_or_default();
    let mut run = Run { machine: Machine::of(&device), measured: Vec::new(), peers };
    let mut failures = Vec::new();
    if size == Size::Full {
        report::print_head(&run.machine);
    }
    for entry in entries {
        match measure::measure(entry, &device, size) {
            Ok(measured) if size == Size::Full => {
                report::print_row(&run, &measured);
                run.measured.push(measured);
            }
            Ok(_) => println!("{}: the results agree", entry.name),
            Err(error) => {
                println!("FAILED: {error}");
                failures.push(error);
            }
        }
    }
    if !run.measured.is_empty() {
        run.print_summary();
        if let Some(path) = &options.json {
            std::fs::write(path, run.json()).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        if let Some(folder) = &options.report {
            run.write_report(folder)?;
        }
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
    if failures.is_empty() { Ok(()) } else { Err(format!("{} workloads failed", failures.len())) }
}
