//! Reports about the checks of kernels: which of them launches execute.
//!
//! Indices, sub-slices, overflows, divisors and shift amounts are checked. Most checks cannot fail for a reason that is known
//! before the launch or at the launch, where lengths, arguments, grid and block are numbers; such a launch runs code without
//! them on a GPU. `kernel::checks()` lists the checks of one kernel, a [`Report`] those of a program.
//!
//! ```
//! use cumbia::Report;
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
//! let report = Report::all().instance::<scale<f32>>();
//! println!("{report}");
//! for (kernel, check) in report.kept() {
//!     println!("{kernel} executes a check of the {} at {}", check.kind, check.position);
//! }
//! ```

use std::any::TypeId;
use std::fmt;

pub use crate::error::{
    Axis, Check, CheckKind, Checks, Counts, Factor, FailedCondition, Failure, LaunchCondition, Proof, Quantity, Reason,
    Relation, Sum, Term,
};
use crate::inspect::Kernel;
use crate::kernel::ErasedKernel;
use crate::kernel_info::KernelInfo;
use crate::registry::{instances, kernels};

/// The checks of the kernels of a program. `Display` renders a table for each kernel.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The kernels, by module and line, followed by the added instances.
    pub kernels: Vec<Checks>,
    /// The kernels that cannot be compiled, with the error.
    pub failures: Vec<Failure>,
    /// Generic kernels of which the report has no instance.
    pub left_out: Vec<&'static KernelInfo>,
    instances: Vec<TypeId>,
}

impl Report {
    /// Returns the report of every non-generic kernel of the program and of its dependencies; [`kernels`] lists them all.
    pub fn all() -> Report {
        let mut report = Report { left_out: kernels(), ..Report::default() };
        for instance in instances() {
            report.add(instance);
        }
        report
    }

    /// Adds a kernel, such as `scale<f32>`.
    #[must_use]
    pub fn instance<K: Kernel>(mut self) -> Report {
        self.add(ErasedKernel::of::<K>());
        self
    }

    fn add(&mut self, instance: ErasedKernel) {
        if self.instances.contains(&instance.id) {
            return;
        }
        self.instances.push(instance.id);
        self.left_out.retain(|info| **info != instance.info());
        match instance.specialised() {
            Ok(specialised) => self.kernels.push(specialised.checks()),
            Err(error) => self.failures.push(Failure { kernel: instance.path(), architecture: None, error }),
        }
    }

    /// Returns whether no check is kept.
    pub fn is_proven(&self) -> bool {
        self.kernels.iter().all(Checks::is_proven)
    }

    /// Returns the checks that every launch of a kernel executes, with the path of the kernel.
    pub fn kept(&self) -> impl Iterator<Item = (&'static str, &Check)> {
        self.kernels.iter().flat_map(|checks| checks.kept().map(move |check| (checks.kernel, check)))
    }

    /// Returns the number of checks of all kernels.
    pub fn counts(&self) -> Counts {
        Counts::of(self.kernels.iter().flat_map(|checks| &checks.checks))
    }

    /// Returns the number of checks of a kind of all kernels.
    pub fn counts_of(&self, kind: CheckKind) -> Counts {
        Counts::of(self.kernels.iter().flat_map(|checks| &checks.checks).filter(|check| check.kind == kind))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kernels, failures, left_out, instances: _ } = self;
        write!(f, "{} kernels: {}", kernels.len(), self.counts())?;
        kernels.iter().try_for_each(|checks| write!(f, "\n{checks}"))?;
        failures.iter().try_for_each(|failure| write!(f, "\n{failure}"))?;
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
