//! `cargo xtask random`: compares random kernels, and makes those smaller that fail.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use super::reduce::{self, Edit};
use super::tree::Program;
use super::{Options, Overflow, kernel, print};
use crate::program::{self, Failure, Result};

/// How many programs are tried at a time.
const MOST: usize = 32;

/// What was asked for.
struct Asked {
    options: Options,
    kernels: std::ops::Range<u64>,
    out: Option<PathBuf>,
    reduce: bool,
    /// The test that compares: on `g++` or on a GPU.
    test: &'static str,
}

/// Runs the command.
///
/// # Errors
///
/// Where the arguments are wrong, or kernels differ.
pub fn run(arguments: &[&str]) -> Result<()> {
    let asked = parse(arguments)?;
    let numbered = |number: u64| (format!("k{number}"), kernel::program(&asked.options, number));
    let programs: Vec<(String, Program)> = asked.kernels.clone().map(numbered).collect();
    if let Some(out) = &asked.out {
        return write(out, &programs);
    }
    let failures = compare(&asked, &programs, true)?;
    if failures.is_empty() {
        return Ok(());
    }
    let mut names: Vec<&String> = failures.keys().collect();
    names.sort();
    if !asked.reduce {
        return Err(Failure(format!(
            "{} of {} kernels differ\n  help: add `--kernel {} --reduce` to the command to make one smaller",
            failures.len(),
            programs.len(),
            names[0].trim_start_matches('k')
        )));
    }
    let (name, found) = programs.iter().find(|(name, _)| name == names[0]).expect("it is one of the programs");
    reduce(&asked, found, &failures[name])?;
    Err(Failure(format!("{name} differs")))
}

fn parse(arguments: &[&str]) -> Result<Asked> {
    let mut given: HashMap<&str, &str> = HashMap::new();
    let (mut reduce, mut test) = (false, "random");
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--reduce" => reduce = true,
            "--gpu" => test = "random_gpu",
            "--seed" | "--kernels" | "--kernel" | "--overflow" | "--language" | "--out" => {
                let value = rest.next().ok_or_else(|| Failure(format!("`{argument}` needs a value")))?;
                given.insert(argument, value);
            }
            _ => return Err(Failure(format!("`{argument}` is not an option of `cargo xtask random`"))),
        }
    }
    let one = match given.get("--kernel").map(|text| text.parse::<u64>()) {
        Some(Ok(number)) => Some(format!("{number}..{}", number + 1)),
        Some(Err(_)) => return Err(Failure(String::from("`--kernel` is a number"))),
        None => None,
    };
    let option = |name: &str| given.get(name).copied();
    let (options, kernels) = Options::parse(
        option("--seed"),
        one.as_deref().or(option("--kernels")),
        option("--overflow"),
        option("--language"),
    )
    .map_err(Failure)?;
    Ok(Asked { options, kernels, out: option("--out").map(PathBuf::from), reduce, test })
}

fn write(path: &PathBuf, programs: &[(String, Program)]) -> Result<()> {
    fs::write(path, print::file(programs)).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

/// As [`compare`], without those programs that rustc refuses: not every part can be left out.
fn compare_accepted(asked: &Asked, programs: &[(String, Program)]) -> Result<HashMap<String, String>> {
    let mut accepted = programs.to_vec();
    loop {
        match compare(asked, &accepted, false) {
            Err(Failure(text)) => {
                let refused = refused(&text, &print::file(&accepted)); eprintln!("refused {refused:?} text {}", text.len());
                if refused.is_empty() {
                    return Err(Failure(text));
                }
                accepted.retain(|(name, _)| !refused.contains(name));
            }
            compared => return compared,
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

/// Compiles and compares programs, and gives what is told of those that fail.
fn compare(asked: &Asked, programs: &[(String, Program)], shown: bool) -> Result<HashMap<String, String>> {
    let file = program::target().join("random-kernels.rs");
    write(&file, programs)?;
    let mut arguments = Vec::new();
    if asked.options.overflow == Overflow::Wraps {
        // Of this package alone: all others stay as they were built.
        arguments.extend(["--config", "profile.dev.package.cumbia-random.overflow-checks=false"]);
    }
    arguments.extend(["test", "--quiet", "-p", "cumbia-random", "--test", asked.test, "--", "--nocapture"]);
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
    let failures: HashMap<String, String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("FAILED ")?.split_once(": "))
        .map(|(name, what)| (name.to_owned(), what.to_owned()))
        .collect();
    if !output.status.success() && failures.is_empty() {
        return Err(Failure(format!("the kernels in {} could not be compared\n{text}", file.display())));
    }
    Ok(failures)
}

/// What is common to failures of one cause: the words, without names and numbers.
fn class(failure: &str) -> &'static str {
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

/// Makes a program smaller as long as it fails in the same way, and shows what is left.
fn reduce(asked: &Asked, program: &Program, failure: &str) -> Result<()> {
    let mut program = program.clone();
    let mut failure = failure.to_owned();
    loop {
        // What leaves out most comes first.
        let mut all = reduce::edits(&program);
        all.sort_by_cached_key(|edit| reduce::size(&reduce::apply(&program, &[*edit])));
        eprintln!("{} parts, {} ways to leave something out", reduce::size(&program), all.len());
        let mut smaller = false;
        for some in all.chunks(MOST) {
            let singles: Vec<Vec<Edit>> = some.iter().map(|edit| vec![*edit]).collect();
            let working: Vec<Edit> =
                still_failing(asked, &program, &singles, &failure)?.into_iter().map(|at| some[at]).collect();
            if working.is_empty() {
                continue;
            }
            // Together they may be too much.
            let mut sets = vec![reduce::together(&working)];
            let half = sets[0].len().div_ceil(2);
            for width in [half, half.div_ceil(2), half.div_ceil(4), 1] {
                let parts: Vec<Vec<Edit>> = sets[0].chunks(width.max(1)).map(<[Edit]>::to_vec).collect();
                sets.extend(parts);
            }
            sets.truncate(MOST);
            let failing = still_failing(asked, &program, &sets, &failure)?;
            let best = failing.into_iter().map(|at| reduce::apply(&program, &sets[at])).min_by_key(reduce::size);
            if let Some(best) = best.filter(|best| reduce::size(best) < reduce::size(&program)) {
                program = best;
                smaller = true;
                break;
            }
        }
        if !smaller {
            break;
        }
    }
    let left = [(String::from("k0"), program)];
    if let Some(told) = compare(asked, &left, true)?.remove("k0") {
        failure = told;
    }
    eprintln!("{failure}");
    Ok(())
}

/// Which of some sets of edits leave a program that fails in the same way.
fn still_failing(asked: &Asked, program: &Program, sets: &[Vec<Edit>], failure: &str) -> Result<Vec<usize>> {
    let programs: Vec<(String, Program)> =
        sets.iter().enumerate().map(|(number, edits)| (format!("k{number}"), reduce::apply(program, edits))).collect();
    eprintln!("trying {}", programs.len()); let failures = compare_accepted(asked, &programs)?; eprintln!("tried");
    let fails = |number: &usize| failures.get(&format!("k{number}")).is_some_and(|told| class(told) == class(failure));
    Ok((0..sets.len()).filter(fails).collect())
}
