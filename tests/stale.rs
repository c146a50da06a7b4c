//! The kernel cache is never stale: after a change of a device function, in any module, file or crate, the kernels that
//! call it are recompiled although their own source is unchanged. Needs NVRTC, but no GPU.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use cumbia::{CompileError, Error};
use cumbia_corpus::left_out;

/// A program before and after an edit of the module `elsewhere`: the same kernel at the same position, and a function
/// with the same name and position but another result.
macro_rules! editions {
    ($($edition:ident $factor:literal)*) => {
        $(mod $edition {
            /// The edited module.
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

            /// The unchanged module.
            mod program {
                use cumbia::prelude::*;

                use super::elsewhere;

                #[allow(dead_code, reason = "the kernel is compiled, and not launched")]
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

/// A run of the program in a child process: compiles the kernel of one edition, with the cache named by the
/// environment.
#[test]
#[ignore = "run by `an_edited_device_function_is_recompiled`"]
fn child_process() {
    let cubin = match env::var(EDITION).as_deref() {
        Ok("before") => before::scaled::cubin("sm_80"),
        _ => after::scaled::cubin("sm_80"),
    };
    let place = env::var_os(MACHINE_CODE).expect("the parent sets the path");
    fs::write(place, cubin.expect("NVRTC compiles it")).expect("a directory that can be written");
}

#[test]
fn an_edited_device_function_is_recompiled() {
    if let Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) = before::scaled::cubin("sm_80") {
        return left_out("the cache after an edit", &error.to_string(), "CUMBIA_REQUIRE_NVRTC");
    }
    // The sources differ in the edited function only.
    let sources = [before::scaled::cuda_source(), after::scaled::cuda_source()].map(|source| source.expect("valid"));
    assert_ne!(sources[0], sources[1]);
    assert_eq!(sources[0].replace("2.0f", "3.0f"), sources[1]);

    let folder = env::temp_dir().join(format!("cumbia-stale-{}", std::process::id()));
    let cache = folder.join("cache");
    fs::create_dir_all(&cache).expect("a directory for temporary files");
    let run = |edition: &str| {
        let place = folder.join("scaled.cubin");
        let output = Command::new(env::current_exe().expect("tests know their executable"))
            .args(["child_process", "--exact", "--ignored"])
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
    // The first edition is a cache hit, even after the second one.
    let (again, same) = run("before");
    assert_eq!((again, same), (first, two));
    let _ = fs::remove_dir_all(&folder);
}

/// Returns the files below a directory that hold compiled kernels. They are the large ones: the other files of the
/// cache are small.
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
