//! The cache is never stale: where a device function has changed, in whatever module, file or crate, the kernels that call it
//! are compiled anew, though they themselves are as they were. Needs NVRTC, but no GPU.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use cumbia::{CompileError, Error};
use cumbia_corpus::left_out;

/// A program before and after an edit of the file `elsewhere`: the same kernel in the same lines, and a function of the
/// same name and place that computes something else.
macro_rules! editions {
    ($($edition:ident $factor:literal)*) => {
        $(mod $edition {
            /// What was edited.
            pub(super) mod elsewhere {
                use cumbia::prelude::*;

                #[device]
                pub(crate) fn factor(x: f32) -> f32 {
                    x * $factor
                }

                #[device]
                pub(crate) fn scale(x: f32) -> f32 {
                    factor(x) + 1.0
                }
            }

            /// What was not.
            mod program {
                use cumbia::prelude::*;

                use super::elsewhere;

                #[allow(dead_code, reason = "the kernel is looked at, and not launched")]
                #[kernel]
                pub(crate) fn scaled(x: &mut [f32]) {
                    let i = grid(1);
                    if i < x.len() {
                        x[i] = elsewhere::scale(x[i]);
                    }
                }
            }

            pub(super) use program::scaled;
        })*
    };
}

editions!(before 2.0 after 3.0);

const EDITION: &str = "CUMBIA_TEST_EDITION";
const MACHINE_CODE: &str = "CUMBIA_TEST_CUBIN";

/// A process of the program: compiles the kernel of one edition, with the cache that the environment names.
#[test]
#[ignore = "run by `an_edit_of_a_device_function_is_compiled`"]
fn a_process_of_the_program() {
    let cubin = match env::var(EDITION).as_deref() {
        Ok("before") => before::scaled::cubin("sm_80"),
        _ => after::scaled::cubin("sm_80"),
    };
    let place = env::var_os(MACHINE_CODE).expect("where to put it");
    fs::write(place, cubin.expect("NVRTC compiles it")).expect("a folder that can be written");
}

#[test]
fn an_edit_of_a_device_function_is_compiled() {
    if let Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) = before::scaled::cubin("sm_80") {
        return left_out("the cache after an edit", &error.to_string(), "CUMBIA_REQUIRE_NVRTC");
    }
    // All that differs is the function that was edited.
    let sources = [before::scaled::cuda_source(), after::scaled::cuda_source()].map(|source| source.expect("valid"));
    assert_ne!(sources[0], sources[1]);
    assert_eq!(sources[0].replace("2.0f", "3.0f"), sources[1]);

    let folder = env::temp_dir().join(format!("cumbia-stale-{}", std::process::id()));
    let cache = folder.join("cache");
    fs::create_dir_all(&cache).expect("a folder for temporary files");
    let run = |edition: &str| {
        let place = folder.join("scaled.cubin");
        let output = Command::new(env::current_exe().expect("tests know their executable"))
            .args(["a_process_of_the_program", "--exact", "--ignored"])
            .env(EDITION, edition)
            .env(MACHINE_CODE, &place)
            .env("CUMBIA_CACHE_DIR", &cache)
            .env_remove("CUMBIA_CACHE")
            .output()
            .expect("a process");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        (fs::read(place).expect("the process wrote it"), entries(&cache))
    };
    let (first, one) = run("before");
    let (edited, two) = run("after");
    assert_ne!(first, edited, "the edit has an effect");
    assert_eq!((one.len(), two.len()), (1, 2), "{two:?}");
    // What was not edited is not compiled again, whatever came between.
    let (again, same) = run("before");
    assert_eq!((again, same), (first, two));
    let _ = fs::remove_dir_all(&folder);
}

/// The files below a folder that hold compiled kernels: the largest. What else the cache keeps is small.
fn entries(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(entries(&path));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.len() > 1000
        {
            found.insert(path.display().to_string(), bytes);
        }
    }
    found
}
