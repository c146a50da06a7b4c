//! The runtime against a driver of our own: how often it calls which function, what it makes of each refusal, and that it
//! leaves nothing behind. No GPU is needed, and no kernel runs.

#![cfg(target_os = "linux")]

mod allocations;
mod arrays;
mod cudarc;
mod doctor;
mod fake;
mod graphs;
mod kernels;
mod launches;
mod limits;
mod listeners;
mod many;
mod prints;
mod profiling;
mod refusals;
mod streams;

/// Declares tests, each of which runs in a process with the fake driver and these environment variables.
macro_rules! scenarios {
    ($($(#[$attribute:meta])* fn $name:ident($($variable:literal = $value:expr),*) $body:block)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $name() {
                let path = concat!(module_path!(), "::scenario::", stringify!($name));
                // Without the crate, as the test's name has it.
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
