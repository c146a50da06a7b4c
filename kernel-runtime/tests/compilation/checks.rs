//! The checks of kernels, and kernels with `prove`.

use cumbia::checks::{Check, CheckKind, Counts, LaunchCondition, Proof, Quantity, Reason, Relation, Sum};
use cumbia::precompile::Plan;
use cumbia::prelude::*;
use cumbia::{CompileError, Error, LaunchError, Report};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[device]
fn element<T: Number>(x: &[T], at: u32) -> T {
    x[at as usize]
}

/// A gather without a guard and one with a guard.
#[kernel]
fn gather<T: Number>(x: &[T], from: &[u32], y: &mut [T], n: usize) {
    let i = grid(1);
    if i < y.len() {
        y[i] = element(x, from[i]);
        let j = from[i / n] as usize;
        if j < x.len() {
            y[i] += x[j];
        }
    }
}

/// Checks of each kind.
#[kernel]
fn kinds(x: &mut [i32], n: i32, bits: u32, width: usize) {
    let i = grid(1);
    if i < x.len() {
        let divided = i as i32 % n;
        let shifted = 1i32 << bits;
        let row = &mut x[i * width..];
        row[0] = divided.wrapping_add(shifted);
    }
}

#[kernel]
fn multiplied(a: ArrayView2<f32>, b: ArrayView2<f32>, mut c: ArrayViewMut2<f32>) {
    let (column, row) = grid(2);
    if row < c.nrows() && column < c.ncols() {
        let mut sum = 0.0;
        for k in 0..a.ncols() {
            sum += a[[row, k]] * b[[k, column]];
        }
        c[[row, column]] = sum;
    }
}

/// The range of the loop is loaded from memory.
#[kernel]
fn sums(x: &[f32], ends: &[u32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..ends[i] as usize {
            sum += x[k];
        }
        y[i] = sum;
    }
}

#[kernel(unchecked)]
fn divided(x: &mut [u32], by: u32) {
    let i = grid(1);
    x[i] /= by;
}

#[kernel(prove)]
fn proved(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(prove)]
fn guarded(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += 1.0;
    }
}

/// Generic, so that it is not one of all kernels that a plan compiles.
#[kernel(prove)]
fn scattered<T: Number>(x: &mut [T], to: &[u32], y: &[T]) {
    let i = grid(1);
    if i < to.len() {
        x[to[i] as usize] = y[i];
    }
}

#[kernel(prove)]
fn strided(mut x: ArrayViewMut2<f32>, y: ArrayView2<f32>) {
    let (column, row) = grid(2);
    if row < x.nrows() && column < x.ncols() {
        x[[row, column]] = y[[row, column]];
    }
}

#[kernel(prove)]
fn offset(x: &mut [f32], by: usize) {
    let i = grid(1);
    if i < x.len() {
        x[i] = x[by];
    }
}

fn described(checks: &[Check]) -> Vec<(CheckKind, String)> {
    checks.iter().map(|check| (check.kind, check.proof.to_string())).collect()
}

const IN_ALL: &str = "proved for every launch";

#[test]
fn conditions_name_the_parameters() {
    let checks = saxpy::checks().unwrap();
    assert!(checks.is_proven() && checks.kernel.ends_with("::saxpy"), "{checks}");
    let (index, expected) =
        (CheckKind::Index, "proved if x.len() >= y.len() || x.len() >= grid_dim().x * block_dim().x");
    let all = [(index, IN_ALL.to_owned()), (index, expected.to_owned()), (index, IN_ALL.to_owned())];
    assert_eq!(described(&checks.checks), all, "{checks}");
    let position = &checks.checks[0].position;
    assert_eq!((position.line, position.column, position.function.as_str()), (12, 9, "saxpy"));
    assert!(position.file.ends_with("checks.rs"));

    let checks = multiplied::checks().unwrap();
    for condition in [
        "index  proved if a.shape()[0] >= c.shape()[0] || a.shape()[0] >= grid_dim().y * block_dim().y\n",
        // One check for both indices.
        "proved if b.shape()[0] >= a.shape()[1] && (b.shape()[1] >= c.shape()[1] || b.shape()[1] >= grid_dim().x",
    ] {
        assert!(checks.to_string().contains(condition), "{checks}");
    }
    assert!(checks.is_proven());
}

#[test]
fn a_value_in_memory_keeps_a_check() {
    let checks = gather::<f32>::checks().unwrap();
    let kept: Vec<&Check> = checks.kept().collect();
    let [kept] = kept.as_slice() else { panic!("{checks}") };
    assert_eq!((kept.kind, &kept.proof), (CheckKind::Index, &Proof::Kept(Reason::DependsOnMemory)));
    assert_eq!((kept.position.line, kept.position.function.as_str()), (18, "element"));
    assert!(checks.kernel.ends_with("gather<f32>"), "{}", checks.kernel);
}

#[test]
fn checks_have_kinds() {
    let checks = kinds::checks().unwrap();
    let text = |kind| {
        let found = checks.checks.iter().find(|check| check.kind == kind).unwrap_or_else(|| panic!("{checks}"));
        found.proof.to_string()
    };
    assert_eq!(text(CheckKind::Shift), "proved if bits <= 31", "{checks}");
    assert!(checks.counts_of(CheckKind::Divisor).total() == 1, "{checks}");
    assert!(checks.counts_of(CheckKind::Range).total() == 1, "{checks}");
    assert_eq!(checks.counts().total(), checks.checks.len());
}

/// The versions of a loop have the same checks.
#[test]
fn a_position_is_listed_once() {
    let checks = sums::checks().unwrap();
    let mut places: Vec<_> =
        checks.checks.iter().map(|check| (check.position.line, check.position.column, check.kind)).collect();
    let count = places.len();
    places.dedup();
    assert_eq!(places.len(), count, "{checks}");
    assert!(places.is_sorted(), "{checks}");
    let kept: Vec<&Check> = checks.kept().collect();
    let [kept] = kept.as_slice() else { panic!("{checks}") };
    assert_eq!((kept.position.line, kept.proof.to_string().as_str()), (65, "kept: tested once before the loop"));
}

#[test]
fn unchecked_kernels_keep_other_checks() {
    let checks = divided::checks().unwrap();
    let [check] = checks.checks.as_slice() else { panic!("{checks}") };
    assert_eq!((check.kind, &check.proof), (CheckKind::Divisor, &Proof::Kept(Reason::Unchecked)));
}

#[test]
fn a_report_covers_the_program() {
    let report = Report::all();
    let of = |name: &str| report.kernels.iter().find(|checks| checks.kernel.ends_with(name));
    assert!(of("::checks::saxpy").is_some() && of("gather<f32>").is_none(), "{report}");
    assert!(report.left_out.iter().any(|info| info.name == "gather"), "{report}");
    assert!(!report.is_proven());
    let before = report.counts();
    let report = report.instance::<gather<f32>>().instance::<gather<f32>>().instance::<saxpy>();
    assert!(report.left_out.iter().all(|info| info.name != "gather"), "{report}");
    let Counts { kept, .. } = gather::<f32>::checks().unwrap().counts();
    assert_eq!((report.counts().kept, kept), (before.kept + 1, 1));
    assert!(report.kept().any(|(kernel, check)| kernel.ends_with("gather<f32>") && check.position.line == 18));
    assert!(report.to_string().starts_with(&format!("{} kernels: ", report.kernels.len())), "{report}");
}

#[test]
fn a_kernel_that_is_proved_is_launched() {
    let device = Device::cpu();
    let x = device.to_device(&[1.0, 2.0, 3.0]).unwrap();
    let mut y = device.to_device(&[10.0, 20.0, 30.0]).unwrap();
    proved(2.0, &x, &mut y).over(3).launch().unwrap();
    guarded(&mut y).grid(7).block(64).launch().unwrap();
    assert_eq!(y.to_host().unwrap(), [13.0, 25.0, 37.0]);
    let mut long = device.zeros(5).unwrap();
    // All threads are in bounds of `x`.
    proved(2.0, &x, &mut long).grid(1).block(3).launch().unwrap();
    proved(2.0, &x, &mut long).over(0).launch().unwrap();
}

#[test]
fn a_launch_that_is_not_proved_is_rejected() {
    let device = Device::cpu();
    let x = device.to_device(&[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = device.zeros(5).unwrap();
    for _ in 0..2 {
        let error = proved(2.0, &x, &mut y).grid(2).block(4).launch().unwrap_err();
        let Error::Launch(LaunchError::Unproven { kernel: "proved", failed }) = &error else { panic!("{error}") };
        let [failed] = failed.as_slice() else { panic!("{error}") };
        assert_eq!(failed.condition.to_string(), "x.len() >= y.len() || x.len() >= grid_dim().x * block_dim().x");
        let values = [("x.len()", 3), ("y.len()", 5), ("grid_dim().x", 2), ("block_dim().x", 4)];
        let named = failed.values.iter().map(|(quantity, value)| (quantity.to_string(), *value));
        assert_eq!(named.collect::<Vec<_>>(), values.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!((failed.checks.len(), failed.checks[0].1.line), (1, 81));
        let text = error.to_string();
        for part in [
            "has `prove`",
            "x.len() = 3, y.len() = 5",
            "\n       index at ",
            "checks.rs:81:",
            "\n  help: launch it with",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
    let error = proved(2.0, &x, &mut y).over(5).prepare().unwrap_err();
    assert!(matches!(error, Error::Launch(LaunchError::Unproven { .. })), "{error}");
    assert_eq!(y.to_host().unwrap(), [0.0; 5]);
}

#[test]
fn views_are_proved_in_both_layouts() {
    let device = Device::cpu();
    let y = device.to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let mut x = device.zeros(6).unwrap();
    strided(x.reshape_mut((2, 3)).unwrap(), y.reshape((2, 3)).unwrap()).over((3, 2)).launch().unwrap();
    strided(x.reshape_mut((3, 2)).unwrap(), y.reshape((2, 3)).unwrap().t()).over((2, 3)).launch().unwrap();
    assert_eq!(x.to_host().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let error = strided(x.reshape_mut((3, 2)).unwrap(), y.reshape((2, 3)).unwrap()).over((32, 3)).launch().unwrap_err();
    let Error::Launch(LaunchError::Unproven { failed, .. }) = &error else { panic!("{error}") };
    let rows = |of: &str| Sum::from(Quantity::Shape(of.to_owned(), 0));
    let covers = LaunchCondition::Compare { left: rows("y"), relation: Relation::GreaterOrEqual, right: rows("x") };
    let mentions = |condition: &LaunchCondition| match condition {
        LaunchCondition::Any(ways) => ways.contains(&covers),
        condition => *condition == covers,
    };
    assert!(failed.iter().any(|failed| mentions(&failed.condition)), "{error}");
}

/// The analysis assumes that numbers are not absurdly large.
#[test]
fn an_excluded_number_is_named() {
    let mut x = Device::cpu().to_device(&[1.0f32; 4]).unwrap();
    offset(&mut x, 3).over(4).launch().unwrap();
    let error = offset(&mut x, usize::MAX).over(4).launch().unwrap_err();
    let Error::Launch(LaunchError::Unproven { failed, .. }) = &error else { panic!("{error}") };
    assert_eq!(failed.len(), 1, "{error}");
    let by = Quantity::Argument("by".to_owned());
    let limit = Sum::from(1 << 44);
    let expected = LaunchCondition::Compare { left: by.clone().into(), relation: Relation::LessOrEqual, right: limit };
    assert_eq!(failed[0].condition, expected);
    assert_eq!(failed[0].values, [(by, i128::from(u64::MAX))]);
}

#[test]
fn a_kept_check_is_an_error() {
    #[track_caller]
    fn check(error: &Error) {
        let Error::Compile(CompileError::Unproven { kernel, kept }) = error else { panic!("{error}") };
        assert_eq!((kernel.as_str(), kept.len()), ("scattered", 1));
        assert_eq!((kept[0].position.line, &kept[0].proof), (98, &Proof::Kept(Reason::DependsOnMemory)));
    }
    let device = Device::cpu();
    let [mut x, to, y] = [[0u32; 2]; 3].map(|values| device.to_device(&values).unwrap());
    for _ in 0..2 {
        check(&scattered::<u32>(&mut x, &to, &y).over(2).launch().unwrap_err());
    }
    let error = scattered::<u32>(&mut x, &to, &y).over(2).prepare().unwrap_err();
    check(&error);
    let text = error.to_string();
    for part in [
        "kernel `scattered` has `prove`, but every launch executes a check\nerror: the index is not proved to be in bounds",
        "\n       why: it depends on a value in memory",
        "\n       help: compare it before, as in `if i < x.len()",
        "\n       at ",
        "checks.rs:98:9 in `scattered`",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let folder = std::env::temp_dir().join(format!("cumbia-unproven-{}", std::process::id()));
    let plan = Plan::new().instance::<scattered<u32>>().architectures(["sm_90"]).quiet();
    let Error::Precompile(failed) = plan.compile_into(&folder).unwrap_err() else { panic!("the error of a plan") };
    check(&failed.failures[0].error);
    assert_eq!((failed.failures.len(), failed.report.kernels.len()), (1, 0));
    // Inspection shows what is to be changed.
    assert_eq!(scattered::<u32>::checks().unwrap().kept().count(), 1);
    assert!(scattered::<u32>::cuda_source().unwrap().contains("rt::at"));
}
