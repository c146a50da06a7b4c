//! Tests of the runtime with a fake CUDA driver: the number of calls of each driver function, error handling, and
//! resource leaks. No GPU is needed, and no kernel runs.

#![cfg(target_os = "linux")]

mod allocations;
mod arrays;
mod coarsening;
mod concurrency;
mod cudarc;
mod doctor;
mod driver_errors;
mod fake;
mod graphs;
mod journal;
mod kernels;
mod launches;
mod limits;
mod linking;
mod prints;
mod profiling;
mod random;
mod streams;
mod tracing_subscribers;
mod variants;
mod window;

/// Declares tests, each of which runs in a process with the fake driver and these environment variables.
macro_rules! scenarios {
    ($($(#[$attribute:meta])* fn $name:ident($($variable:literal = $value:expr),*) $body:block)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $name() {
                let path = concat!(module_path!(), "::scenario::", stringify!($name));
                // Test names do not contain the crate.
                let path = path.split_once("::").map_or(path, |(_, path)| path);
                crate::fake::passes(path, &[$(($variable, $value)),*]);
            }
        )*

        mod scenario {
            #[allow(unused_imports, reason = "not every scenario needs all of them")]
            use super::*;

            $(
                #[test]
                #[ignore = "needs a process with the fake driver"]
                fn $name() $body
            )*
        }
    };
}
pub(crate) use scenarios;
