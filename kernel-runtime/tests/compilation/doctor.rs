//! Reports of `doctor` with missing components and invalid environment variables.

use crate::support::Process;

#[test]
#[ignore = "run as a process of its own"]
fn prints_the_report() {
    println!("{}", cumbia::doctor());
}

/// Invalid values of every variable.
const INVALID_VALUES: [(&str, &str); 12] = [
    ("CUMBIA_DEVICE", "gpu"),
    ("CUMBIA_NVRTC", "/dev/null"),
    ("CUMBIA_CACHE_DIR", "/dev/null"),
    ("CUMBIA_CACHE_SIZE", "much"),
    ("CUMBIA_KERNELS", "/dev/null"),
    ("CUDA_VISIBLE_DEVICES", "x"),
    ("CUDA_HOME", "/dev/null"),
    ("CUDA_PATH", ""),
    ("VIRTUAL_ENV", "/dev/null/\u{fffd}"),
    ("CONDA_PREFIX", ":::"),
    ("PATH", "::/dev/null"),
    ("HOME", "relative"),
];

#[test]
fn doctor_never_fails() {
    let text = Process::new("doctor::prints_the_report").passes().out;
    for heading in ["driver  ", "NVRTC  ", "devices  ", "cache  ", "precompiled  ", "disassembler  ", "environment  "] {
        assert!(text.contains(&format!("\n{heading}")), "{heading} is not in\n{text}");
    }
    let has_verdict = ["Kernels run on ", "There is a GPU, but "].iter().any(|verdict| text.contains(verdict));
    assert!(text.contains("`Device::open()` opens ") && has_verdict, "{text}");

    for (name, value) in INVALID_VALUES {
        Process::new("doctor::prints_the_report").env(name, value).passes();
    }
    let all = INVALID_VALUES
        .iter()
        .fold(Process::new("doctor::prints_the_report"), |process, (name, value)| process.env(name, value));
    let said = all.passes();
    for expected in [
        "CUMBIA_NVRTC is `/dev/null`, but",
        "`Device::open()` fails: CUMBIA_DEVICE is `gpu`, which does not name a device",
        "writing to /dev/null: ",
        "help: point CUMBIA_CACHE_DIR at a directory",
        "CUMBIA_DEVICE=gpu",
    ] {
        assert!(said.out.contains(expected), "{expected} is not in\n{}", said.out);
    }
    for warning in
        ["CUMBIA_CACHE_SIZE is `much`, which is not a size", "CUMBIA_KERNELS is `/dev/null`, which is not a directory"]
    {
        assert_eq!(said.err.matches(warning).count(), 1, "{}", said.err);
    }
}

#[test]
fn a_missing_nvrtc_is_explained() {
    let mut process = Process::new("doctor::prints_the_report").without("CUMBIA_NVRTC");
    for name in ["PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        process = process.env(name, "");
    }
    let text = process.passes().out;
    // NVRTC may be installed in a location that no variable controls.
    let found = text.contains("\nNVRTC         version 1");
    assert!(found || text.contains("pip install nvidia-cuda-nvrtc"), "{text}");
    assert!(found || text.contains("looked for libnvrtc.so.13 in the loader's path"), "{text}");
}
