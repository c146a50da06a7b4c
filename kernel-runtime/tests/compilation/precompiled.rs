//! Kernels that one process precompiles and another one uses without NVRTC.

use std::path::Path;

use cumbia::precompile::Plan;
use cumbia::{CompileError, Error};

use crate::kernels::{scale, tagged, transpose};
use crate::support::{Process, has_nvrtc, tell};

#[test]
#[ignore = "run as a process of its own"]
fn finds_its_kernels() {
    for cubin in [scale::<f32>::cubin("sm_90"), transpose::cubin("sm_80"), transpose::cubin("sm_90")] {
        assert!(cubin.unwrap().starts_with(b"\x7fELF"));
    }
    assert!(scale::<f32>::ptx("compute_75").unwrap().contains(".target sm_75"));
    // These were not in the plan.
    for error in [scale::<f64>::cubin("sm_90"), scale::<f32>::cubin("sm_86")] {
        assert!(matches!(error, Err(Error::Compile(CompileError::BadNvrtc { .. }))), "{error:?}");
    }
    tell(&cumbia::cache::stats());
}

/// Simulates a machine without NVRTC and without the cache.
fn without_nvrtc(process: Process) -> Process {
    process.env("CUMBIA_NVRTC", "/nowhere/libnvrtc.so").env("CUMBIA_CACHE", "off")
}

fn fill(folder: &Path) -> cumbia::precompile::Report {
    let plan = Plan::new().all().instance::<scale<f32>>().instance::<scale<f32>>();
    plan.architectures(["sm_80", "sm_90", "compute_75", "sm_80"]).quiet().compile_into(folder).unwrap()
}

#[test]
fn precompiled_kernels_need_no_nvrtc() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let kernels = folder.path().join("cumbia-kernels");
    let report = fill(&kernels);
    let of = |name: &str| report.kernels.iter().filter(|compiled| compiled.kernel.ends_with(name)).count();
    // Per architecture: with and without 32-bit indices, as it is and coarsened. A kernel with views has others for strided
    // views; each with all checks, and without those that depend on the launch.
    assert_eq!((of("::scale<f32>"), of("::transpose"), of("::tagged")), (12, 30, 0), "{report}");
    assert!(report.kernels.iter().all(|compiled| compiled.path.metadata().unwrap().len() == compiled.bytes));
    assert!(report.left_out.iter().any(|info| info.name == "tagged"));
    assert!(!report.left_out.iter().any(|info| info.name == "scale" || info.name == "transpose"));
    let text = report.to_string();
    assert!(text.contains("for compute_75, sm_80, sm_90 in") && text.contains("`.instance::<tagged<..>>()`"), "{text}");

    let named = without_nvrtc(Process::new("precompiled::finds_its_kernels")).env("CUMBIA_KERNELS", &kernels);
    assert_eq!(named.passes().counts()["precompiled"], 4);

    let executable = folder.path().join("program");
    let this = std::env::current_exe().unwrap();
    std::fs::hard_link(&this, &executable).or_else(|_| std::fs::copy(&this, &executable).map(drop)).unwrap();
    let beside = without_nvrtc(Process::of(&executable, "precompiled::finds_its_kernels"));
    assert_eq!(beside.passes().counts()["precompiled"], 4);
}

#[test]
#[ignore = "run as a process of its own"]
fn finds_nothing() {
    assert!(scale::<f32>::cubin("sm_90").is_ok());
    assert_eq!(cumbia::cache::stats().precompiled, 0);
}

#[test]
fn a_missing_folder_gives_one_warning() {
    if has_nvrtc() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere").into_os_string().into_string().unwrap();
        let said =
            Process::new("precompiled::finds_nothing").env("CUMBIA_KERNELS", &nowhere).env("CUMBIA_CACHE", "off");
        let err = said.passes().err;
        let warning = format!("warning: CUMBIA_KERNELS is `{nowhere}`, which is not a directory");
        assert_eq!(err.matches(&warning).count(), 1, "{err}");
    }
}

#[test]
fn an_invalid_plan_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = Plan::new().all().architectures(["sm_90", "hopper"]).compile_into(folder.path()).unwrap_err();
    assert!(matches!(error, Error::Compile(CompileError::NotAnArchitecture { .. })), "{error}");
    let nothing = Plan::new().architectures(["sm_90"]).compile_into(folder.path()).unwrap();
    assert!(nothing.kernels.is_empty() && nothing.left_out.is_empty());
    if has_nvrtc() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let plan = Plan::new().instance::<tagged<0>>().architectures(["sm_90"]);
        let error = plan.compile_into(file.path()).unwrap_err();
        let Error::Precompile(failed) = &error else { panic!("{error}") };
        assert!(matches!(&failed.failures[0].error, Error::File { operation: "writing", .. }), "{error}");
    }
}
