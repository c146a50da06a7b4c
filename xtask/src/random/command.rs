//! `cargo xtask random`: compares random kernels, and makes those smaller that fail.

use std::path::PathBuf;

use super::Options;
use super::compare::Comparison;
use super::{compare, programs, reduce};
use crate::program::{Failure, Result};

/// What was asked for.
struct Asked {
    options: Options,
    /// Only write the kernels to this file.
    out: Option<PathBuf>,
    reduce: bool,
    gpu: bool,
}

/// Runs the command.
///
/// # Errors
///
/// Where the arguments are wrong, or kernels differ.
pub fn run(arguments: &[&str]) -> Result<()> {
    let Asked { options, out, reduce, gpu } = parse(arguments)?;
    let programs = programs(&options);
    if let Some(out) = &out {
        return compare::write(out, &programs);
    }
    let comparison = Comparison { overflow: options.overflow, gpu };
    let mut failures = comparison.run(&programs, true)?;
    let Some((name, program)) = programs.iter().find(|(name, _)| failures.contains_key(name)) else {
        return Ok(());
    };
    if !reduce {
        return Err(Failure(format!(
            "{} of {} kernels differ\n  help: add `--kernel {} --reduce` to the command to make one smaller",
            failures.len(),
            programs.len(),
            name.trim_start_matches('k')
        )));
    }
    let failure = failures.remove(name).unwrap_or_default();
    reduce::show_least(&comparison, program, &failure)?;
    Err(Failure(format!("{name} differs")))
}

fn parse(arguments: &[&str]) -> Result<Asked> {
    let mut asked = Asked { options: Options::default(), out: None, reduce: false, gpu: false };
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| Failure(format!("`{argument}` needs a value")));
        match argument.strip_prefix("--") {
            Some("reduce") => asked.reduce = true,
            Some("gpu") => asked.gpu = true,
            Some("out") => asked.out = Some(PathBuf::from(value()?)),
            Some(name) if Options::NAMES.contains(&name) => asked.options.set(name, value()?).map_err(Failure)?,
            _ => return Err(Failure(format!("`{argument}` is not an option of `cargo xtask random`"))),
        }
    }
    Ok(asked)
}
