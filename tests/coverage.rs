//! Coverage of the language by the corpus: every built-in method, intrinsic and scalar type occurs in the IR of a
//! kernel.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use cumbia_corpus::{Usage, kernels};
use cumbia_kernel_ir::{
    AtomicOp, Comparison, Fast, Intrinsic, Method, Ordering, Predicate, Reduce, Scalar, Scope, Shuffle, Type, Vote,
};

/// Returns the usage of all kernels of the corpus, or `None` if `CUMBIA_CASES` selects a part of it.
fn corpus_usage() -> Option<Usage> {
    if std::env::var_os("CUMBIA_CASES").is_some() {
        return None;
    }
    let mut all = Usage::default();
    for look in kernels().values() {
        let Usage { methods, defined, intrinsics, scalars, .. } = (look.usage)();
        all.methods.extend(methods);
        all.defined.extend(defined);
        all.intrinsics.extend(intrinsics);
        all.scalars.extend(scalars);
    }
    Some(all)
}

/// Returns an intrinsic without the parameters that are not covered in all combinations: the type of shared memory, and
/// the ordering and the scope of atomic operations.
fn without_parameters(intrinsic: &Intrinsic) -> Intrinsic {
    match intrinsic {
        Intrinsic::Shared(_) => Intrinsic::Shared(Type::Unit),
        Intrinsic::DynamicShared(_) => Intrinsic::DynamicShared(Type::Unit),
        Intrinsic::DynamicSharedAt(_) => Intrinsic::DynamicSharedAt(Type::Unit),
        &Intrinsic::Atomic { op, ordering: _, scope: _ } => relaxed(op),
        Intrinsic::Grid(_)
        | Intrinsic::GridSize(_)
        | Intrinsic::ThreadIdx
        | Intrinsic::BlockIdx
        | Intrinsic::BlockDim
        | Intrinsic::GridDim
        | Intrinsic::SyncThreads
        | Intrinsic::SyncThreadsVote(_)
        | Intrinsic::SyncWarp
        | Intrinsic::SyncGrid
        | Intrinsic::Fence(_)
        | Intrinsic::Shuffle(_)
        | Intrinsic::Vote(_)
        | Intrinsic::MatchAny
        | Intrinsic::MatchAll
        | Intrinsic::Reduce(_)
        | Intrinsic::ActiveMask
        | Intrinsic::LaneId
        | Intrinsic::LaneMask(_)
        | Intrinsic::Fast(_)
        | Intrinsic::HasFaulted => intrinsic.clone(),
    }
}

fn relaxed(op: AtomicOp) -> Intrinsic {
    Intrinsic::Atomic { op, ordering: Ordering::Relaxed, scope: Scope::Device }
}

/// An array of all variants of an enum. A missing variant is a compile error.
macro_rules! variants {
    ($ty:ident: $first:ident $(, $next:ident)*) => {{
        let all = [$ty::$first $(, $ty::$next)*];
        let _no_other = |value: $ty| match value {
            $ty::$first $(| $ty::$next)* => (),
        };
        all
    }};
}

/// Returns every intrinsic, as [`without_parameters`] returns it.
fn all_intrinsics() -> Vec<Intrinsic> {
    use Intrinsic as I;
    let mut all = vec![
        I::ThreadIdx,
        I::BlockIdx,
        I::BlockDim,
        I::GridDim,
        I::Shared(Type::Unit),
        I::DynamicShared(Type::Unit),
        I::DynamicSharedAt(Type::Unit),
        I::SyncThreads,
        I::SyncWarp,
        I::SyncGrid,
        I::MatchAny,
        I::MatchAll,
        I::ActiveMask,
        I::LaneId,
        I::HasFaulted,
    ];
    all.extend([1, 2, 3].into_iter().flat_map(|n| [I::Grid(n), I::GridSize(n)]));
    all.extend(variants!(Predicate: Count, And, Or).map(I::SyncThreadsVote));
    all.extend(scopes().map(I::Fence));
    all.extend(
        variants!(
            AtomicOp: Add, Sub, Min, Max, And, Or, Xor, Exchange, CompareExchange, Inc, Dec, Load, Store
        )
        .map(relaxed),
    );
    all.extend(variants!(Shuffle: Index, Up, Down, Xor).map(I::Shuffle));
    all.extend(variants!(Vote: All, Any, Uni, Ballot).map(I::Vote));
    all.extend(variants!(Reduce: Add, Min, Max, And, Or, Xor).map(I::Reduce));
    all.extend(variants!(Comparison: Eq, Lt, Le, Gt, Ge).map(I::LaneMask));
    all.extend(
        variants!(
            Fast: Sin, Cos, Tan, SinCos, Tanh, Exp, Exp2, Exp10, Ln, Log2, Log10, Pow, Div, Rcp, Sqrt, Rsqrt
        )
        .map(I::Fast),
    );
    all
}

fn scopes() -> [Scope; 3] {
    variants!(Scope: Block, Device, System)
}

#[test]
fn every_method_is_in_a_kernel_of_the_corpus() {
    let Some(Usage { methods: used, .. }) = corpus_usage() else { return };
    let missing: Vec<_> = Method::ALL.iter().filter(|method| !used.contains(method)).map(|m| m.name()).collect();
    assert_eq!(missing, [""; 0], "no kernel of tests/corpus calls these");
}

/// The paths within the crate of the methods that the language layer defines in Rust.
fn definitions() -> Vec<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel-lang/src");
    let of_module = |module: &str| -> Vec<String> {
        let source = fs::read_to_string(sources.join(module).with_extension("rs")).expect("a source");
        let names = source.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('<').next());
        names.map(|name| format!("{}::{name}", module.replace('/', "::"))).collect()
    };
    let modules = [
        "number/integer/definitions",
        "number/float/definitions",
        "methods/element",
        "methods/fallible/option",
        "methods/fallible/result",
        "methods/iterator",
        "methods/slice",
    ];
    modules.into_iter().flat_map(of_module).collect()
}

#[test]
fn every_defined_method_is_in_a_kernel_of_the_corpus() {
    let Some(Usage { defined: used, .. }) = corpus_usage() else { return };
    let all = definitions();
    assert!(all.len() > 20, "{all:?}");
    let missing: Vec<_> = all.iter().filter(|path| !used.iter().any(|used| used.ends_with(path.as_str()))).collect();
    assert!(missing.is_empty(), "no kernel of tests/corpus calls these: {missing:?}");
}

#[test]
fn every_intrinsic_is_in_a_kernel_of_the_corpus() {
    let Some(Usage { intrinsics, .. }) = corpus_usage() else { return };
    let used: HashSet<Intrinsic> = intrinsics.iter().map(without_parameters).collect();
    let all = all_intrinsics();
    let missing: Vec<_> = all.iter().filter(|intrinsic| !used.contains(intrinsic)).collect();
    assert!(missing.is_empty(), "no kernel of tests/corpus calls these: {missing:?}");
    // The converse: a new intrinsic has to be added to the list.
    let unknown: Vec<_> = used.iter().filter(|intrinsic| !all.contains(intrinsic)).collect();
    assert!(unknown.is_empty(), "`all_intrinsics` lacks {unknown:?}");
}

#[test]
fn every_ordering_and_scope_of_atomics_is_in_a_kernel_of_the_corpus() {
    let Some(Usage { intrinsics: used, .. }) = corpus_usage() else { return };
    for ordering in variants!(Ordering: Relaxed, Acquire, Release, AcqRel, SeqCst) {
        for scope in scopes() {
            let is = |intrinsic: &&Intrinsic| matches!(intrinsic, Intrinsic::Atomic { ordering: o, scope: s, .. } if *o == ordering && *s == scope);
            assert!(used.iter().any(|intrinsic| is(&intrinsic)), "no atomic operation is {ordering:?} in {scope:?}");
        }
    }
}

#[test]
fn every_scalar_type_is_in_a_kernel_of_the_corpus() {
    let Some(Usage { scalars: used, .. }) = corpus_usage() else { return };
    let all = variants!(
        Scalar: Bool, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize, F16, Bf16, F32, F64
    );
    for scalar in all {
        assert!(used.contains(&scalar), "no kernel has a `{scalar}`");
    }
}
