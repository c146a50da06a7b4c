//! Plans with kernels that cannot be compiled: each failure is reported with its error, and all other kernels are compiled.

use cumbia::precompile::Plan;
use cumbia::prelude::*;
use cumbia::{CompileError, Error};

#[kernel]
fn first(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += 1.0;
    }
}

#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

/// Mutual recursion, whose depth is not bounded.
#[kernel]
fn recursive(x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = if even(x[i]) { 1 } else { 0 };
    }
}

/// More static shared memory than a block can have.
#[kernel]
fn too_much_shared(x: &mut [f32]) {
    let mut tile = shared::<[[f32; 128]; 128]>();
    let i = thread_idx().x;
    if i < x.len() {
        tile[i][0] = x[i];
        x[i] = tile[i][0];
    }
}

#[kernel]
fn generic<T: Number>(x: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += T::ONE;
    }
}

#[kernel]
fn last(x: &mut [u8]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = x[i].wrapping_add(1);
    }
}

fn has_nvrtc() -> bool {
    match cumbia::doctor().nvrtc {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
            eprintln!("skipped: NVRTC is not here");
            false
        }
    }
}

#[test]
fn a_kernel_that_fails_specialisation_does_not_affect_others() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new().all().instance::<generic<f64>>().architectures(["sm_80", "compute_90"]).quiet();
    let error = plan.compile_into(folder.path()).unwrap_err();
    let Error::Precompile(failed) = &error else { panic!("{error}") };
    let of = |name: &str| failed.failures.iter().filter(|failure| failure.kernel.ends_with(name)).collect::<Vec<_>>();
    for (name, words) in [("::recursive", "recursion is not supported"), ("::too_much_shared", "shared memory")] {
        let [failure] = &of(name)[..] else { panic!("{name}: {error}") };
        let Error::Compile(CompileError::Rejected { diagnostics, .. }) = &failure.error else { panic!("{error}") };
        assert!(failure.architecture.is_none());
        let positions = &diagnostics[0].positions;
        assert!(positions.iter().all(|position| position.file.ends_with("precompile.rs") && position.line > 0));
        // Each call of the cycle, from `even` to `odd` and back.
        let is_cycle = positions.len() == 2 && positions.iter().all(|position| position.callee.is_some());
        assert_eq!(is_cycle, name == "::recursive", "{diagnostics:?}");
        assert!(failure.error.to_string().contains(words), "{}", failure.error);
        assert!(error.to_string().contains(&failure.to_string()), "every failure is in the message:\n{error}");
    }
    assert!(error.to_string().starts_with("2 kernels were not compiled ahead") || !has_nvrtc(), "{error}");
    if has_nvrtc() {
        assert_eq!(failed.failures.len(), 2, "{error}");
        let mut compiled: Vec<_> = failed
            .report
            .kernels
            .iter()
            .map(|compiled| (compiled.kernel.rsplit("::").next().unwrap(), compiled.architecture.as_str()))
            .collect();
        compiled.sort_unstable();
        // Each kernel is compiled several times: with and without 32-bit indices, as it is and coarsened.
        compiled.dedup();
        let mut expected: Vec<_> = ["first", "generic<f64>", "last"]
            .iter()
            .flat_map(|name| [(*name, "compute_90"), (*name, "sm_80")])
            .collect();
        expected.sort_unstable();
        assert_eq!(compiled, expected);
        assert!(failed.report.kernels.iter().all(|compiled| compiled.path.is_file()));
        assert!(failed.report.left_out.is_empty());
    }
}

/// Errors of NVRTC are reported for each kernel and architecture.
#[test]
fn each_failure_is_reported() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new().instance::<first>().instance::<recursive>().instance::<last>();
    let plan = plan.architectures(["sm_80", "sm_10", "sm_90"]).quiet();
    let error = plan.compile_into(folder.path()).unwrap_err();
    let Error::Precompile(failed) = &error else { panic!("{error}") };
    let architectures: Vec<_> = failed.failures.iter().map(|failure| failure.architecture.as_deref()).collect();
    assert_eq!(architectures, [None, Some("sm_10"), Some("sm_10")], "{error}");
    // Each kernel is compiled four times: with and without 32-bit indices, as it is and coarsened.
    assert_eq!(failed.report.kernels.len(), 16);
}
