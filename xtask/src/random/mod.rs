//! `cargo xtask random`: compares random kernels between devices, and reduces those that fail.

mod batches;
mod compare;
mod reduce;

use std::path::PathBuf;

use cumbia_random_kernels::{Options, programs};

use crate::program::{Failure, Result};
use compare::Comparison;

/// The parsed arguments.
struct Arguments {
    options: Options,
    /// The file to write the source to, instead of a comparison.
    out: Option<PathBuf>,
    /// The directory to compile the kernels into, instead of a comparison.
    pack: Option<PathBuf>,
    /// The number of kernels per batch; all at once without it.
    batch: Option<u64>,
    reduce: bool,
    gpu: bool,
}

/// The default number of kernels per executable for another machine.
const PACKED_BATCH: u64 = 500;

/// Runs the command.
///
/// # Errors
///
/// If the arguments are invalid, or kernels differ.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let Arguments { options, out, pack, batch, reduce, gpu } = parse(arguments)?;
    let comparison = Comparison { overflow: options.overflow, gpu, small: false };
    if let Some(folder) = &pack {
        let comparison = Comparison { gpu: true, small: true, ..comparison };
        return batches::pack(&options, comparison, batch.unwrap_or(PACKED_BATCH), folder);
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
            "{} of {} kernels differ\n  help: add `--kernel {} --reduce` to the command to reduce one",
            failures.len(),
            programs.len(),
            name.trim_start_matches('k')
        )));
    }
    let failure = failures.remove(name).unwrap_or_default();
    reduce::show_reduced(comparison, program, &failure)?;
    Err(Failure(format!("{name} differs")))
}

fn parse(arguments: &[&str]) -> Result<Arguments> {
    let options = Options::default();
    let mut parsed = Arguments { options, out: None, pack: None, batch: None, reduce: false, gpu: false };
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| Failure(format!("`{argument}` needs a value")));
        match argument.strip_prefix("--") {
            Some("reduce") => parsed.reduce = true,
            Some("gpu") => parsed.gpu = true,
            Some("out") => parsed.out = Some(PathBuf::from(value()?)),
            Some("pack") => parsed.pack = Some(PathBuf::from(value()?)),
            Some("batch") => {
                let text = value()?;
                let size = text.parse().ok().filter(|size| *size > 0);
                parsed.batch =
                    Some(size.ok_or_else(|| Failure(format!("batch: `{text}` is not a number of kernels")))?);
            }
            Some(name) if Options::NAMES.contains(&name) => parsed.options.set(name, value()?).map_err(Failure)?,
            _ => return Err(Failure(format!("`{argument}` is not an option of `cargo xtask random`"))),
        }
    }
    Ok(parsed)
}
