//! What the analyses prove about the checks of the benchmark suite, the algorithms and the corpus, in `tests/checks.txt`: a table
//! by kind, and for each kernel of the first two the conditions of its launches and the checks that are kept. A change of the
//! analyses shows as a diff of that file. The list of all kernels, which is long, is `tmp/checks.txt` in Cargo's target
//! directory.
//!
//! The file is of a debug build, with overflow checks. In a release build the comparison is skipped.

#[allow(dead_code, reason = "the launches need a GPU")]
#[path = "../benches/suite/kernels/mod.rs"]
mod kernels;
#[allow(dead_code, reason = "the launches need a GPU")]
#[path = "../benches/suite/workload.rs"]
mod workload;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use cumbia::checks::{CheckKind, Checks, Counts, Proof};
use cumbia_corpus::left_out;

/// The kinds, in the order of the table.
const KINDS: [CheckKind; 6] = [
    CheckKind::Index,
    CheckKind::Range,
    CheckKind::Overflow,
    CheckKind::Divisor,
    CheckKind::Shift,
    CheckKind::Argument,
];

/// The title of the corpus.
const CORPUS: &str = "corpus";

/// Kernels with the title of their part of the file.
type Part = (&'static str, Vec<Checks>);

#[test]
fn checks_match_the_golden_file() {
    if !cfg!(debug_assertions) {
        return left_out("golden checks", "a release build has no overflow checks", "CUMBIA_REQUIRE_GOLDEN");
    }
    let parts = parts();
    let mut text = table(&parts);
    let mut all = text.clone();
    for (title, kernels) in &parts {
        let start = all.len();
        let _ = writeln!(all, "\n{title}");
        for checks in kernels {
            list(&mut all, checks);
        }
        if *title != CORPUS {
            text.push_str(&all[start..]);
        }
    }
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("checks.txt"), &all).expect("a writable directory");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("checks.txt");
    if std::env::var_os("CUMBIA_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, text).expect("a writable directory");
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let first = golden.lines().zip(text.lines()).position(|(golden, now)| golden != now);
    let shown = |text: &str| text.lines().skip(first.unwrap_or(0)).take(8).collect::<Vec<_>>().join("\n");
    assert!(
        golden == text,
        "tests/checks.txt differs from line {}:\n{}\nagainst the current analyses:\n{}\nto accept them: cargo xtask bless",
        first.map_or(0, |line| line + 1),
        shown(&golden),
        shown(&text)
    );
}

fn parts() -> Vec<Part> {
    let suite = kernels::ENTRIES.iter().flat_map(|entry| (entry.inspected)());
    let suite = suite.map(|(_, inspected)| inspected.expect("valid kernels").checks).collect();
    let corpus = cumbia_corpus::kernels();
    let corpus = corpus.values().map(|look| (look.checks)().expect("valid kernels"));
    let (algorithms, corpus) = corpus.partition(|checks| !checks.kernel.starts_with("cumbia_corpus::"));
    vec![("benchmark suite", suite), ("algorithms", algorithms), (CORPUS, corpus)]
}

/// Returns the numbers of checks by kind.
fn table(parts: &[Part]) -> String {
    let mut text = format!("{:28}{:>8}{:>8}{:>10}{:>8}\n", "checks", "all", "always", "at launch", "kept");
    let mut row = |title: &str, counts: &[Counts]| {
        let sum = |of: fn(&Counts) -> usize| counts.iter().map(of).sum::<usize>();
        let (always, at_launch, kept) = (sum(|c| c.always), sum(|c| c.at_launch), sum(|c| c.kept));
        let _ = writeln!(text, "{title:28}{:>8}{always:>8}{at_launch:>10}{kept:>8}", always + at_launch + kept);
    };
    for (title, kernels) in parts {
        row(title, &kernels.iter().map(Checks::counts).collect::<Vec<_>>());
        for kind in KINDS {
            row(&format!("  {kind}"), &kernels.iter().map(|checks| checks.counts_of(kind)).collect::<Vec<_>>());
        }
    }
    text
}

/// Appends the checks of a kernel that are not proved for every launch, without positions, which change with the lines before
/// them.
fn list(text: &mut String, checks: &Checks) {
    let _ = writeln!(text, "{}: {}", checks.kernel, checks.counts());
    for check in checks.checks.iter().filter(|check| check.proof != Proof::Always) {
        let _ = writeln!(text, "  {:9} {}", check.kind, check.proof);
    }
}
