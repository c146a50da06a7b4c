//! Compiling kernels ahead, for a program to take along: it then needs no NVRTC where it runs, and no time to compile.
//!
//! A [`Plan`] is made and run by the program itself, because what is compiled depends on how the program was built: on the
//! profile, which decides about checks of overflow, and on the paths of the sources. No GPU is needed.
//!
//! ```
//! use cumbia::precompile::Plan;
//! use cumbia::prelude::*;
//!
//! #[kernel]
//! fn double(x: &mut [f32]) {
//!     let i = grid(1);
//!     if i < x.len() {
//!         x[i] *= 2.0;
//!     }
//! }
//!
//! #[kernel]
//! fn scale<T: Number>(a: T, x: &mut [T]) {
//!     let i = grid(1);
//!     if i < x.len() {
//!         x[i] *= a;
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let plan = Plan::new()
//!     .all()                                  // every kernel without generic arguments, here `double`
//!     .instance::<scale<f32>>()               // and those of generic kernels that the program launches
//!     .instance::<scale<f64>>()
//!     .architectures(["sm_80", "sm_90"]);
//! # if std::env::var_os("CUMBIA_NVRTC").is_some() {
//! # let folder = std::env::temp_dir().join(format!("cumbia-kernels-{}", std::process::id()));
//! # let folder = folder.as_path();
//! let report = plan.compile_into(folder)?;
//! println!("{report}");
//! # let of = |name: &str| report.kernels.iter().filter(|compiled| compiled.kernel.ends_with(name)).count();
//! # assert_eq!((of("scale<f32>"), of("scale<f64>")), (2, 2));
//! # std::fs::remove_dir_all(folder).unwrap();
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! Where the program runs, it finds the folder through `CUMBIA_KERNELS`, or beside its executable under the name
//! `cumbia-kernels`. A GPU takes machine code of its own major compute capability and of the same or a lower minor one, or
//! else PTX of a lower capability, which the driver compiles; each file of machine code has its PTX with it. What is not in
//! the folder, or was made for a newer driver, is taken from the cache, or compiled.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use rayon::prelude::*;

use crate::cuda::{self, Architecture};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, KernelInfo, kernels};
use crate::precompiled::Precompiled;
use crate::specialise::{self, Layout, Specialised};

/// A kernel at one choice of its generic arguments. The macro hands in those of kernels that have none.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Instance {
    info: KernelInfo,
    name: fn() -> &'static str,
    id: fn() -> TypeId,
    specialise: fn() -> Result<&'static Specialised>,
}

impl Instance {
    /// That of a kernel's type.
    pub const fn of<K: Kernel>() -> Instance {
        Instance { info: K::INFO, name: std::any::type_name::<K>, id: TypeId::of::<K>, specialise: specialise::of::<K> }
    }
}

inventory::collect!(Instance);

/// Which kernels are compiled ahead, and for what.
#[derive(Clone, Default)]
pub struct Plan {
    instances: Vec<Instance>,
    all: bool,
    architectures: Vec<String>,
    quiet: bool,
}

impl Plan {
    /// A plan of nothing.
    pub fn new() -> Plan {
        Plan::default()
    }

    /// Adds every kernel of the program and of the crates that it uses, but for generic ones: [`kernels`] lists them all.
    /// The [`Report`] names the generic ones of which no instance is in the plan.
    #[must_use]
    pub fn all(mut self) -> Plan {
        self.all = true;
        let before: BTreeSet<TypeId> = self.instances.iter().map(|instance| (instance.id)()).collect();
        let mut new: Vec<Instance> = inventory::iter::<Instance>
            .into_iter()
            .filter(|instance| !before.contains(&(instance.id)()))
            .copied()
            .collect();
        new.sort_by_key(|Instance { info, .. }| (info.module_path, info.file, info.line, info.name));
        self.instances.extend(new);
        self
    }

    /// Adds a kernel, such as `saxpy` or `scale<f32>`.
    #[must_use]
    pub fn instance<K: Kernel>(mut self) -> Plan {
        if !self.instances.iter().any(|instance| (instance.id)() == TypeId::of::<K>()) {
            self.instances.push(Instance::of::<K>());
        }
        self
    }

    /// Adds architectures, such as `sm_90` for machine code or `compute_80` for PTX.
    #[must_use]
    pub fn architectures<A: Into<String>>(mut self, architectures: impl IntoIterator<Item = A>) -> Plan {
        self.architectures.extend(architectures.into_iter().map(Into::into));
        self
    }

    /// Shows no progress. Otherwise there is a bar on stderr where that is a terminal, with the feature `progress`.
    #[must_use]
    pub fn quiet(mut self) -> Plan {
        self.quiet = true;
        self
    }

    /// Compiles all of it into a folder, several kernels at a time. What the folder holds besides stays.
    ///
    /// # Errors
    ///
    /// [`CompileError::NotAnArchitecture`](crate::CompileError::NotAnArchitecture), before anything is compiled; and
    /// [`Error::Precompile`] with each kernel that could not be compiled or written, and why. All others are compiled
    /// nevertheless, and the error has their report.
    ///
    /// ```
    /// use cumbia::Error;
    /// use cumbia::precompile::Plan;
    ///
    /// # let folder = std::env::temp_dir().join(format!("cumbia-none-{}", std::process::id()));
    /// # let plan = Plan::new().architectures(["sm_90"]);
    /// match plan.compile_into(&folder) {
    ///     Ok(report) => println!("{report}"),
    ///     Err(Error::Precompile(failed)) => {
    ///         println!("{}", failed.report);
    ///         for failure in &failed.failures {
    ///             eprintln!("{}: {}", failure.kernel, failure.error);
    ///         }
    ///     }
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn compile_into(&self, folder: impl AsRef<Path>) -> Result<Report> {
        let folder = folder.as_ref();
        let architectures = self.parsed_architectures()?;
        let (jobs, mut failures) = self.jobs(&architectures);
        let progress = Progress::new(jobs.len(), self.quiet);
        let into = Precompiled::in_folder(folder);
        let compiled: Vec<Result<Compiled, Failure>> = jobs
            .par_iter()
            .map(|job| {
                progress.begin(job);
                let compiled = job.run(&into);
                progress.end();
                compiled
            })
            .collect();
        progress.finish();
        let mut kernels = Vec::new();
        for result in compiled {
            match result {
                Ok(compiled) => kernels.push(compiled),
                Err(failure) => failures.push(failure),
            }
        }
        let report = Report { folder: folder.to_owned(), kernels, left_out: self.left_out() };
        if failures.is_empty() { Ok(report) } else { Err(Error::Precompile(Box::new(Failed { report, failures }))) }
    }

    fn parsed_architectures(&self) -> Result<Vec<Architecture>> {
        let mut parsed: Vec<Architecture> = Vec::new();
        for name in &self.architectures {
            let architecture = Architecture::parse(name)?;
            if !parsed.contains(&architecture) {
                parsed.push(architecture);
            }
        }
        Ok(parsed)
    }

    /// What is to be compiled: the text of each kernel, and of one with views the text for strided ones as well. And what has no
    /// text.
    fn jobs<'a>(&self, architectures: &'a [Architecture]) -> (Vec<Job<'a>>, Vec<Failure>) {
        let (mut jobs, mut failures) = (Vec::new(), Vec::new());
        for instance in &self.instances {
            let specialised = match (instance.specialise)() {
                Ok(specialised) => specialised,
                Err(error) => {
                    failures.push(Failure { kernel: (instance.name)(), architecture: None, error });
                    continue;
                }
            };
            let has_strided = specialised.source(Layout::Strided).text != specialised.source(Layout::Contiguous).text;
            let layouts: &[Layout] =
                if has_strided { &[Layout::Contiguous, Layout::Strided] } else { &[Layout::Contiguous] };
            for architecture in architectures {
                jobs.extend(layouts.iter().map(|&layout| Job {
                    name: (instance.name)(),
                    request: specialised.request(layout),
                    architecture,
                }));
            }
        }
        (jobs, failures)
    }

    /// The generic kernels of the program of which the plan has no instance.
    fn left_out(&self) -> Vec<&'static KernelInfo> {
        if !self.all {
            return Vec::new();
        }
        kernels().into_iter().filter(|info| !self.instances.iter().any(|instance| instance.info == **info)).collect()
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { instances, all: _, architectures, quiet } = self;
        let names: Vec<&str> = instances.iter().map(|instance| (instance.name)()).collect();
        f.debug_struct("Plan")
            .field("kernels", &names)
            .field("architectures", architectures)
            .field("quiet", quiet)
            .finish()
    }
}

/// One compilation.
struct Job<'a> {
    name: &'static str,
    request: cuda::Request<'static>,
    architecture: &'a Architecture,
}

impl Job<'_> {
    fn run(&self, into: &Precompiled) -> Result<Compiled, Failure> {
        let Job { name: kernel, request, architecture } = *self;
        match cuda::precompile(request, architecture, into) {
            Ok((path, bytes)) => Ok(Compiled { kernel, architecture: architecture.to_string(), path, bytes }),
            Err(error) => Err(Failure { kernel, architecture: Some(architecture.to_string()), error }),
        }
    }
}

/// What [`Plan::compile_into`] made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The folder.
    pub folder: PathBuf,
    /// What was compiled, in the plan's order.
    pub kernels: Vec<Compiled>,
    /// Generic kernels that a plan of [`all`](Plan::all) has no [`instance`](Plan::instance) of.
    pub left_out: Vec<&'static KernelInfo>,
}

/// A kernel that was compiled for an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// The kernel with its path and types, such as `program::scale<f32>`.
    pub kernel: &'static str,
    /// The architecture.
    pub architecture: String,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// What [`Plan::compile_into`] could not make, and what it has made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed {
    /// What was compiled.
    pub report: Report,
    /// What was not: kernels without CUDA C first, then the others, each in the plan's order.
    pub failures: Vec<Failure>,
}

/// A kernel that was not compiled ahead.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The kernel with its path and types.
    pub kernel: &'static str,
    /// The architecture; none where there is no CUDA C to compile for any.
    pub architecture: Option<String>,
    /// Why.
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
        write!(f, "{failed} not compiled ahead ({compiled} compiled into {})", report.folder.display())?;
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
                "\n  left out: {} of {}:{}, which is generic; name it with `.instance::<{}<..>>()`",
                info.name, info.file, info.line, info.name
            )?;
        }
        Ok(())
    }
}

/// A bar on the terminal.
#[cfg(feature = "progress")]
struct Progress(indicatif::ProgressBar);

#[cfg(feature = "progress")]
impl Progress {
    /// A few kernels are compiled before a bar can be read.
    const FEW: usize = 4;

    fn new(jobs: usize, quiet: bool) -> Progress {
        let bar = if quiet || jobs <= Self::FEW {
            indicatif::ProgressBar::hidden()
        } else {
            // Draws nothing where stderr is no terminal.
            indicatif::ProgressBar::new(jobs as u64)
        };
        let style = indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}");
        Progress(if let Ok(style) = style { bar.with_style(style) } else { bar })
    }

    fn begin(&self, job: &Job<'_>) {
        self.0.set_message(format!("{} for {}", job.name, job.architecture));
    }

    fn end(&self) {
        self.0.inc(1);
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Nothing is shown without the feature `progress`.
#[cfg(not(feature = "progress"))]
struct Progress;

#[cfg(not(feature = "progress"))]
#[allow(clippy::unused_self, reason = "as with the feature")]
impl Progress {
    fn new(_jobs: usize, _quiet: bool) -> Progress {
        Progress
    }

    fn begin(&self, _job: &Job<'_>) {}

    fn end(&self) {}

    fn finish(&self) {}
}
