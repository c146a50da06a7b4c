//! Searches in temporary directories; "opening" a file reads it.

use std::path::PathBuf;

use super::*;

/// Creates a root with files at these paths. Opening a file fails if its entry ends in ` broken`.
fn root(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let (file, text) = file.strip_suffix(" broken").map_or((*file, "good"), |file| (file, "broken"));
        let path = root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

fn open(path: &Path) -> Result<PathBuf, LibraryFailure> {
    match std::fs::read_to_string(path) {
        Ok(text) if text == "good" => Ok(path.to_owned()),
        Ok(message) => Err(LibraryFailure::NotLoaded { message }),
        Err(_) => Err(LibraryFailure::NotLoaded { message: "cannot open shared object file".to_owned() }),
    }
}

/// Returns the version suffix of a file name; a name without one counts as the newest.
#[allow(clippy::ptr_arg, reason = "`open` returns a `PathBuf`")]
fn major_of(path: &PathBuf) -> u32 {
    path.extension().and_then(|extension| extension.to_str()?.parse().ok()).unwrap_or(13)
}

fn environment(root: &Path) -> Environment {
    Environment { root: root.to_owned(), ..Environment::default() }
}

#[track_caller]
fn check(root: &tempfile::TempDir, environment: &Environment, expected: &str) {
    let (found, _) = find(environment, open, major_of).unwrap();
    assert_eq!(found.strip_prefix(root.path()).unwrap(), Path::new(expected));
}

#[test]
fn toolkits_and_pythons_are_searched_in_order() {
    let root = root(&[
        "home/lib64/libnvrtc.so.12",
        "path/targets/x86_64-linux/lib/libnvrtc.so",
        "usr/local/cuda-13.9/lib64/libnvrtc.so.13",
        "usr/local/cuda-13.10/lib64/libnvrtc.so.13",
        "usr/local/cuda-12.4/lib64/libnvrtc.so.12",
        "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc-builtins.so.13.5",
        "conda/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        "conda-toolkit/lib/libnvrtc.so.12",
        "tools/bin/python3",
        "tools/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "user/.local/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
    ]);
    let at = |name: &str| Some(root.path().join(name).into_os_string());
    let mut environment = Environment {
        cuda_home: at("home"),
        cuda_path: at("path"),
        virtual_env: at("venv"),
        conda_prefix: at("conda"),
        path: at("tools/bin"),
        home: at("user"),
        ..environment(root.path())
    };
    check(&root, &environment, "home/lib64/libnvrtc.so.12");
    environment.cuda_home = None;
    check(&root, &environment, "path/targets/x86_64-linux/lib/libnvrtc.so");
    environment.cuda_path = None;
    check(&root, &environment, "usr/local/cuda-13.10/lib64/libnvrtc.so.13");
    std::fs::remove_dir_all(root.path().join("usr")).unwrap();
    check(&root, &environment, "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    environment.virtual_env = None;
    check(&root, &environment, "conda/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    // conda's own package takes precedence over one of pip.
    environment.conda_prefix = at("conda-toolkit");
    check(&root, &environment, "conda-toolkit/lib/libnvrtc.so.12");
    environment.conda_prefix = None;
    check(&root, &environment, "tools/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    environment.path = None;
    check(&root, &environment, "user/.local/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
}

#[test]
fn the_newest_library_that_opens_is_chosen() {
    let root = root(&["home/lib64/libnvrtc.so", "home/lib64/libnvrtc.so.12", "home/lib64/libnvrtc.so.13 broken"]);
    let environment = Environment { cuda_home: Some(root.path().join("home").into()), ..environment(root.path()) };
    check(&root, &environment, "home/lib64/libnvrtc.so.12");
}

#[test]
fn every_location_is_reported_with_its_outcome() {
    let root = root(&["home/lib64/libnvrtc.so.13 broken", "conda/lib/readme"]);
    let environment = Environment {
        cuda_home: Some(root.path().join("home").into()),
        cuda_path: Some("/no/such/toolkit".into()),
        conda_prefix: Some(root.path().join("conda").into()),
        ..environment(root.path())
    };
    let text = find(&environment, open, major_of).unwrap_err().to_string();
    for expected in [
        "libnvrtc.so.13 in the loader's path: cannot open shared object file",
        "home/lib64/libnvrtc.so.13: broken",
        "CUDA_PATH: /no/such/toolkit: no such directory",
        "usr/local/cuda: no such directory",
        "a Python package in VIRTUAL_ENV: not set",
        "conda: no Python package with NVRTC",
    ] {
        assert!(text.contains(expected), "{expected}\nis not in\n{text}");
    }
}

#[test]
fn cumbia_nvrtc_names_a_file_or_folder_and_is_final() {
    let root = root(&["home/lib64/libnvrtc.so.13", "mine/libnvrtc.so.12", "bad/libnvrtc.so.12 broken", "empty/readme"]);
    let base = Environment { cuda_home: Some(root.path().join("home").into()), ..environment(root.path()) };
    let with = |name: &str| Environment { cumbia_nvrtc: Some(root.path().join(name).into()), ..base.clone() };
    check(&root, &with("mine/libnvrtc.so.12"), "mine/libnvrtc.so.12");
    check(&root, &with("mine"), "mine/libnvrtc.so.12");
    check(&root, &with("home"), "home/lib64/libnvrtc.so.13");
    for (name, reason) in [
        ("bad/libnvrtc.so.12", "broken"),
        ("bad", "contains no usable NVRTC"),
        ("empty", "contains no usable NVRTC"),
        ("nowhere", "there is no such file or directory"),
    ] {
        let text = find(&with(name), open, major_of).unwrap_err().to_string();
        assert!(text.contains(&format!("{name} is not usable")) && text.contains(reason), "{text}");
    }
}

#[test]
fn a_library_newer_than_the_driver_is_the_last_choice() {
    let root = root(&[
        "home/lib64/libnvrtc.so.13",
        "path/lib64/libnvrtc.so",
        "usr/local/cuda-12.4/lib64/libnvrtc.so.12 broken",
        "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    ]);
    let at = |name: &str| Some(root.path().join(name).into_os_string());
    let mut environment = Environment {
        cuda_home: at("home"),
        cuda_path: at("path"),
        virtual_env: at("venv"),
        driver: Some(12),
        ..environment(root.path())
    };
    check(&root, &environment, "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    let (_, searched) = find(&environment, open, major_of).unwrap();
    let passed_over = "home/lib64/libnvrtc.so.13: this is NVRTC 13, but the driver supports at most CUDA 12";
    assert!(searched.iter().any(|place| place.to_string().contains(passed_over)), "{searched:?}");
    // A driver supports all older versions, and without a driver all versions are accepted.
    for driver in [None, Some(13), Some(14)] {
        check(&root, &Environment { driver, ..environment.clone() }, "home/lib64/libnvrtc.so.13");
    }
    // An explicit choice is always respected.
    let requested = Environment { cumbia_nvrtc: at("home"), ..environment.clone() };
    check(&root, &requested, "home/lib64/libnvrtc.so.13");
    // The first one if there is no better choice.
    environment.virtual_env = None;
    check(&root, &environment, "home/lib64/libnvrtc.so.13");
}

#[test]
fn all_inputs_can_be_compared() {
    let empty = Environment::default();
    let changed = [
        Environment { cumbia_nvrtc: Some("x".into()), ..empty.clone() },
        Environment { ld_library_path: Some("x".into()), ..empty.clone() },
        Environment { cuda_home: Some("x".into()), ..empty.clone() },
        Environment { path: Some("x".into()), ..empty.clone() },
        Environment { driver: Some(12), ..empty.clone() },
    ];
    for environment in &changed {
        assert_ne!(environment.inputs(), empty.inputs());
    }
    assert_eq!(empty.inputs(), Environment::default().inputs());
}
