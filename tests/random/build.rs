//! Generates the kernels: those that the environment asks for, or always the same.
//!
//! | variable | meaning |
//! |---|---|
//! | `CUMBIA_RANDOM_SEED` | what all follows from |
//! | `CUMBIA_RANDOM_KERNELS` | how many there are (`200`), or which (`17..18`) |
//! | `CUMBIA_RANDOM_OVERFLOW` | `wraps`, for a profile without checks of overflow |
//! | `CUMBIA_RANDOM_TALLIES` | `on` for methods with atomics on shared elements |
//! | `CUMBIA_RANDOM_FILE` | a file to take instead |

use std::path::PathBuf;
use std::{env, fs};

use cumbia_random_kernels::{Options, programs, source};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let text = match chosen("FILE") {
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
        if let Some(value) = chosen(&name.to_uppercase()) {
            options.set(name, &value).unwrap_or_else(|problem| panic!("{problem}"));
        }
    }
    options
}

/// What the environment says.
fn chosen(name: &str) -> Option<String> {
    let name = format!("CUMBIA_RANDOM_{name}");
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).ok().filter(|value| !value.is_empty())
}
