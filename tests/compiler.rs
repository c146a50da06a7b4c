//! NVRTC and the kernels of the corpus, for the tests of compiled code.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use cumbia::{CompileError, Error};
use cumbia_corpus::{Kernels, Look, kernels, left_out};

/// Returns the kernels, or `None` with a report if there is no NVRTC.
pub(crate) fn with_nvrtc(what: &str) -> Option<Kernels> {
    let kernels = kernels();
    let (_, look) = kernels.first_key_value().expect("the corpus is not empty");
    match (look.cubin)("sm_80") {
        Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) => {
            left_out(what, &error.to_string(), "CUMBIA_REQUIRE_NVRTC");
            None
        }
        Ok(_) | Err(_) => Some(kernels),
    }
}

/// Checks the kernels in parallel. Returns the failures that `check` reports, each with the name of its kernel.
pub(crate) fn for_each(kernels: &Kernels, check: impl Fn(&str, &Look) -> String + Sync) -> Vec<String> {
    let kernels: Vec<_> = kernels.iter().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some((kernel, look)) = kernels.get(next.fetch_add(1, Relaxed)) {
            let failure = check(kernel, look);
            if !failure.is_empty() {
                failures.push(format!("{kernel}: {failure}"));
            }
        }
        failures
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("checks do not panic")).collect()
    })
}
