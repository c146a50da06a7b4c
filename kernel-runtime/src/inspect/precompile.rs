//! Ahead-of-time compilation of kernels: a program that ships them needs neither NVRTC nor compile time where it runs.
//!
//! A [`Plan`] is created and executed by the program itself, because the compiled code depends on the program's build: on the
//! profile, which determines the overflow checks, and on the paths of the sources. No GPU is needed.
//!
//! The kernels of Cumbia's own algorithms (`cumbia::algorithm`, and methods of arrays such as `x.sum()`) are generic and private:
//! no plan contains them, and a program that calls them needs NVRTC or a filled cache where it runs.
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
//! # let directory = std::env::temp_dir().join(format!("cumbia-kernels-{}", std::process::id()));
//! # let directory = directory.as_path();
//! let report = plan.compile_into(directory)?;
//! println!("{report}");
//! # let of = |name: &str| report.kernels.iter().filter(|compiled| compiled.kernel.ends_with(name)).count();
//! # assert_eq!((of("scale<f32>"), of("scale<f64>")), (8, 8)); // with and without 32-bit indices, coarsened or not
//! # std::fs::remove_dir_all(directory).unwrap();
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! At run time, the program finds the directory through `CUMBIA_KERNELS`, or beside its executable under the name
//! `cumbia-kernels`. A GPU runs machine code of its own major compute capability and of the same or a lower minor one, or else
//! PTX of a lower capability, which the driver compiles; each file with machine code also contains its PTX. A kernel that is
//! not in the directory, or was compiled for a newer driver, is taken from the cache or compiled.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use rayon::prelude::*;

use crate::compile::build::Build;
use crate::compile::{Request, image};
use crate::cuda::Architecture;
pub use crate::error::{Compiled, Failed, Failure, Report};
use crate::error::{Error, Result};
use crate::inspect::Kernel;
use crate::kernel::ErasedKernel;
use crate::kernel_info::KernelInfo;
use crate::layout::Layout;
use crate::precompiled::Precompiled;
use crate::registry::{instances, kernels};

/// The kernels to compile ahead of time, and the architectures.
#[derive(Clone, Default)]
pub struct Plan {
    instances: Vec<ErasedKernel>,
    all: bool,
    architectures: Vec<String>,
    quiet: bool,
}

impl Plan {
    /// Returns an empty plan.
    pub fn new() -> Plan {
        Plan::default()
    }

    /// Adds every non-generic kernel of the program and of its dependencies; [`kernels`] lists them all. The [`Report`] names the
    /// generic kernels of which the plan has no instance.
    #[must_use]
    pub fn all(mut self) -> Plan {
        self.all = true;
        let before: BTreeSet<TypeId> = self.instances.iter().map(|instance| instance.id).collect();
        self.instances.extend(instances().filter(|instance| !before.contains(&instance.id)));
        self
    }

    /// Adds a kernel, such as `saxpy` or `scale<f32>`.
    #[must_use]
    pub fn instance<K: Kernel>(mut self) -> Plan {
        if !self.instances.iter().any(|instance| instance.id == TypeId::of::<K>()) {
            self.instances.push(ErasedKernel::of::<K>());
        }
        self
    }

    /// Adds architectures, such as `sm_90` for machine code or `compute_80` for PTX.
    #[must_use]
    pub fn architectures<A: Into<String>>(mut self, architectures: impl IntoIterator<Item = A>) -> Plan {
        self.architectures.extend(architectures.into_iter().map(Into::into));
        self
    }

    /// Disables the progress bar, which the feature `progress` shows on stderr if that is a terminal.
    #[must_use]
    pub fn quiet(mut self) -> Plan {
        self.quiet = true;
        self
    }

    /// Compiles the kernels into a directory, in parallel. Other files of the directory stay.
    ///
    /// # Errors
    ///
    /// [`CompileError::NotAnArchitecture`](crate::CompileError::NotAnArchitecture), before anything is compiled; and
    /// [`Error::Precompile`] with the error of each kernel that could not be compiled or written. All others are compiled
    /// nevertheless, and the error contains their report.
    ///
    /// ```
    /// use cumbia::Error;
    /// use cumbia::precompile::Plan;
    ///
    /// # let directory = std::env::temp_dir().join(format!("cumbia-none-{}", std::process::id()));
    /// # let plan = Plan::new().architectures(["sm_90"]);
    /// match plan.compile_into(&directory) {
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
        let compiled: Vec<Result<Compiled, Box<Failure>>> = jobs
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
                Err(failure) => failures.push(*failure),
            }
        }
        // The variants of a kernel mostly fail for the same reason.
        failures.dedup_by(|next, known| {
            let same = (next.kernel, &next.architecture) == (known.kernel, &known.architecture);
            same && next.error.to_string() == known.error.to_string()
        });
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

    /// Returns the compilations: one per kernel, variant and architecture, coarsened or not, and others for strided views if the
    /// kernel has views. Also returns the kernels whose specialisation failed.
    fn jobs<'a>(&self, architectures: &'a [Architecture]) -> (Vec<Job<'a>>, Vec<Failure>) {
        let (mut jobs, mut failures) = (Vec::new(), Vec::new());
        for instance in &self.instances {
            let proved = instance.specialised().and_then(|specialised| {
                let text = |layout| &specialised.source(layout, Build::CHECKED).text;
                let has_strided = text(Layout::Strided) != text(Layout::Contiguous);
                let layouts: &[Layout] =
                    if has_strided { &[Layout::Contiguous, Layout::Strided] } else { &[Layout::Contiguous] };
                layouts.iter().try_for_each(|layout| {
                    specialised.require_provable(*layout)?;
                    specialised.require_coarsenable(*layout)
                })?;
                Ok((specialised, layouts))
            });
            let (specialised, layouts) = match proved {
                Ok(proved) => proved,
                Err(error) => {
                    failures.push(Failure { kernel: instance.path(), architecture: None, error });
                    continue;
                }
            };
            let builds = |layout| {
                let builds = specialised.variants(layout).into_iter().flat_map(move |variant| {
                    let coarsened = specialised.coarsened(layout, variant);
                    let coarsened = coarsened.filter(|coarsened| coarsened.is_worthwhile);
                    [Some(Build::Of(variant)), coarsened.map(|_| Build::Coarsened(variant))]
                });
                builds.flatten()
            };
            for architecture in architectures {
                jobs.extend(layouts.iter().flat_map(|&layout| {
                    builds(layout).map(move |build| Job {
                        name: instance.path(),
                        request: specialised.request(layout, build, None),
                        architecture,
                    })
                }));
            }
        }
        (jobs, failures)
    }

    /// Returns the generic kernels of the program of which the plan has no instance.
    fn left_out(&self) -> Vec<&'static KernelInfo> {
        if !self.all {
            return Vec::new();
        }
        kernels().into_iter().filter(|info| !self.instances.iter().any(|instance| instance.info() == **info)).collect()
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { instances, all: _, architectures, quiet } = self;
        let names: Vec<&str> = instances.iter().map(|instance| instance.path()).collect();
        f.debug_struct("Plan")
            .field("kernels", &names)
            .field("architectures", architectures)
            .field("quiet", quiet)
            .finish()
    }
}

/// One compilation: a kernel for an architecture.
struct Job<'a> {
    name: &'static str,
    request: Request<'static>,
    architecture: &'a Architecture,
}

impl Job<'_> {
    fn run(&self, into: &Precompiled) -> Result<Compiled, Box<Failure>> {
        let Job { name: kernel, request, architecture } = *self;
        match image::precompile(request, architecture, into) {
            Ok((path, bytes)) => Ok(Compiled { kernel, architecture: architecture.to_string(), path, bytes }),
            Err(error) => Err(Box::new(Failure { kernel, architecture: Some(architecture.to_string()), error })),
        }
    }
}

/// A progress bar on the terminal.
#[cfg(feature = "progress")]
struct Progress(indicatif::ProgressBar);

#[cfg(feature = "progress")]
impl Progress {
    /// At most this many compilations finish too fast for a progress bar.
    const FEW: usize = 4;

    fn new(jobs: usize, quiet: bool) -> Progress {
        let bar = if quiet || jobs <= Self::FEW {
            indicatif::ProgressBar::hidden()
        } else {
            // Draws nothing if stderr is not a terminal.
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

/// The progress bar without the feature `progress`: none.
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
