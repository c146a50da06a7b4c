//! The outcome of compiling kernels ahead of time.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use bytesize::ByteSize;

use super::Error;
use crate::kernel_info::KernelInfo;

/// The result of [`Plan::compile_into`](crate::inspect::precompile::Plan::compile_into).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The directory.
    pub folder: PathBuf,
    /// The compiled kernels, in the plan's order.
    pub kernels: Vec<Compiled>,
    /// Generic kernels of which a plan with [`all`](crate::inspect::precompile::Plan::all) has no
    /// [`instance`](crate::inspect::precompile::Plan::instance).
    pub left_out: Vec<&'static KernelInfo>,
}

/// A kernel that was compiled for an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// The kernel's path and generic arguments, such as `program::scale<f32>`.
    pub kernel: &'static str,
    /// The architecture.
    pub architecture: String,
    /// The file.
    pub path: PathBuf,
    /// Its size, in bytes.
    pub bytes: u64,
}

/// The failures of [`Plan::compile_into`](crate::inspect::precompile::Plan::compile_into), with the report of the
/// compiled kernels.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed {
    /// The compiled kernels.
    pub report: Report,
    /// The failures: kernels whose specialisation failed first, then the others, each in the plan's order.
    pub failures: Vec<Failure>,
}

/// A kernel that could not be compiled or written.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The kernel's path and generic arguments.
    pub kernel: &'static str,
    /// The architecture; `None` if the specialisation failed.
    pub architecture: Option<String>,
    /// The error.
    pub error: Error,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failed { report, failures } = self;
        let kernels = |names: BTreeSet<&str>| match names.len() {
            1 => "1 kernel was".to_owned(),
            count => format!("{count} kernels were"),
        };
        let failed = kernels(failures.iter().map(|failure| failure.kernel).collect());
        let compiled = kernels(report.kernels.iter().map(|compiled| compiled.kernel).collect());
        write!(f, "{failed} not compiled ahead of time ({compiled} compiled into {})", report.folder.display())?;
        failures.iter().try_for_each(|failure| write!(f, "\n{failure}"))
    }
}

impl std::error::Error for Failed {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { kernel, architecture, error } = self;
        write!(f, "{kernel}")?;
        if let Some(architecture) = architecture {
            write!(f, " for {architecture}")?;
        }
        write!(f, ": {error}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { folder, kernels, left_out } = self;
        let instances: BTreeSet<&str> = kernels.iter().map(|compiled| compiled.kernel).collect();
        let architectures: BTreeSet<&str> = kernels.iter().map(|compiled| compiled.architecture.as_str()).collect();
        let bytes: u64 = kernels.iter().map(|compiled| compiled.bytes).sum();
        write!(
            f,
            "{} kernels for {} in {} ({})",
            instances.len(),
            architectures.into_iter().collect::<Vec<_>>().join(", "),
            folder.display(),
            ByteSize(bytes).display().iec()
        )?;
        for info in left_out {
            write!(
                f,
                "\n  left out: {} at {}:{}, which is generic; add it with `.instance::<{}<..>>()`",
                info.name, info.file, info.line, info.name
            )?;
        }
        Ok(())
    }
}
