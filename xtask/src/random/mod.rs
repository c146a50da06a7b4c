//! `cargo xtask random`: compares random kernels, and makes those smaller that fail.

mod batches;
mod compare;
mod reduce;

use std::path::PathBuf;

use cumbia_random_kernels::{Options, programs};

use crate::program::{Failure, Result};
use compare::Comparison;

/// What was asked for.
struct Asked {
    options: Options,
    /// Only write the kernels to this file.
    out: Option<PathBuf>,
    /// Only compile the kernels, into this folder.
    pack: Option<PathBuf>,
    /// How many are compiled together, if not all.
    batch: Option<u64>,
    reduce: bool,
    gpu: bool,
}

/// How many kernels go into an executable that is sent to another machine.
const PACKED: u64 = 500;

/// Runs the command.
///
/// # Errors
///
/// Where the arguments are wrong, or kernels differ.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let Asked { options, out, pack, batch, reduce, gpu } = parse(arguments)?;
    let comparison = Comparison { overflow: options.overflow, gpu, small: false };
    if let Some(folder) = &pack {
        let comparison = Comparison { gpu: true, small: true, ..comparison };
        return batches::pack(&options, comparison, batch.unwrap_or(PACKED), folder);
    }
    if let Some(size) = batch {
        return batches::run(&options, comparison, size);
    }
    let programs = programs(&options);
    if let Some(out) = &out {
        return compare::write(out, &programs);
    }
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
    reduce::show_least(comparison, program, &failure)?;
    Err(Failure(format!("{name} differs")))
}

fn parse(arguments: &[&str]) -> Result<Asked> {
    let options = Options::default();
    let mut asked = Asked { options, out: None, pack: None, batch: None, reduce: false, gpu: false };
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| Failure(format!("`{argument}` needs a value")));
        match argument.strip_prefix("--") {
            Some("reduce") => asked.reduce = true,
            Some("gpu") => asked.gpu = true,
            Some("out") => asked.out = Some(PathBuf::from(value()?)),
            Some("pack") => asked.pack = Some(PathBuf::from(value()?)),
            Some("batch") => {
                let text = value()?;
                let size = text.parse().ok().filter(|size| *size > 0);
                asked.batch = Some(size.ok_or_else(|| Failure(format!("batch: `{text}` is no number of kernels")))?);
            }
            Some(name) if Options::NAMES.contains(&name) => asked.options.set(name, value()?).map_err(Failure)?,
            _ => return Err(Failure(format!("`{argument}` is not an option of `cargo xtask random`"))),
        }
    }
    Ok(asked)
}
