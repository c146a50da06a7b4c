//! Generates the kernels that the environment selects, or a default selection.
//!
//! | variable | meaning |
//! |---|---|
//! | `CUMBIA_RANDOM_SEED` | the seed |
//! | `CUMBIA_RANDOM_KERNELS` | the number (`140`) or the range (`17..18`) of kernels |
//! | `CUMBIA_RANDOM_KERNEL` | the number of a single kernel |
//! | `CUMBIA_RANDOM_OVERFLOW` | `wraps`, for a profile without overflow checks |
//! | `CUMBIA_RANDOM_TALLIES` | `off`: no methods with atomics on shared elements |
//! | `CUMBIA_RANDOM_FILE` | a source file to use instead |

use std::path::PathBuf;
use std::{env, fs};

use cumbia_random_kernels::{Options, programs, source};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let text = match variable("FILE") {
        Some(file) => {
            println!("cargo::rerun-if-changed={file}");
            fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
        }
        None => source(&programs(&options())),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    fs::write(out.join("kernels.rs"), text).expect("OUT_DIR can be written to");
}

fn options() -> Options {
    let mut options = Options::default();
    for name in Options::NAMES {
        if let Some(value) = variable(&name.to_uppercase()) {
            options.set(name, &value).unwrap_or_else(|problem| panic!("{problem}"));
        }
    }
    options
}

/// Returns the value of `CUMBIA_RANDOM_NAME`, if it is set.
fn variable(name: &str) -> Option<String> {
    let name = format!("CUMBIA_RANDOM_{name}");
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).ok().filter(|value| !value.is_empty())
}
