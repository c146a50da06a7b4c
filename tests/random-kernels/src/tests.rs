//! Tests of the generator and of the edits.

use crate::{Options, edit, generate, programs, source};

fn text(options: &Options) -> String {
    source(&programs(options))
}

fn options(kernels: std::ops::Range<u64>) -> Options {
    Options { seed: 5, kernels, ..Options::default() }
}

#[test]
fn a_kernel_depends_only_on_its_seed_and_number() {
    let alone = text(&options(7..8));
    let module = alone.split("/// Every kernel").next().expect("there is a kernel");
    assert!(text(&options(0..9)).contains(module));
}

/// Each edit alone makes a program no larger, and all of them together make it smaller.
#[test]
fn edits_make_programs_smaller() {
    for number in 0..6 {
        let program = generate::program(&options(0..6), number);
        let edits = edit::edits(&program);
        let size = edit::size(&program);
        for edit in &edits {
            let smaller = edit::apply(&program, &[*edit]);
            assert!(edit::size(&smaller) <= size, "{edit:?} of kernel {number}");
        }
        let together = edit::apply(&program, &edit::together(&edits));
        assert!(edit::size(&together) < size, "kernel {number}");
        assert!(!source(&[(String::from("k"), together)]).is_empty());
    }
}

/// The source of many kernels contains every construct of the generator, so that none is lost unnoticed.
#[test]
fn every_construct_is_generated() {
    let options = Options { tallies: true, ..options(0..300) };
    let text = text(&options);
    let constructs = [
        // Deferred initialisation, with and without a type.
        ("let later", ";"),
        ("let later", "usize;"),
        ("let later", ": &["),
        ("later", " = &"),
        // Search, with and without a default.
        ("'found", ": {"),
        ("break 'found", ";"),
        // Loops without a bound.
        ("while turns", " != 1"),
        ("while turns", " != 0"),
        ("while at", ".len() {}"),
        // Traits, their constants, defaults, and generic functions.
        ("pub trait Tr", ": Copy {"),
        ("Self::K", ""),
        ("<T: Tr", " + DeviceType>"),
        // Alternatives that bind a variable, with a guard.
        (") | (", " if "),
        // Methods with atomics on shared elements.
        ("&mut self", ") { atomic_"),
        ("tallies", ".note"),
        ("tallies", ".inner.note"),
    ];
    for (first, then) in constructs {
        let has_both = |line: &str| line.split_once(first).is_some_and(|(_, rest)| rest.contains(then));
        assert!(text.lines().any(has_both), "no line has `{first}` and then `{then}`");
    }
}

/// A `match` with alternatives has barriers in its arms, where no thread has returned.
#[test]
fn barriers_are_generated_in_match_arms() {
    let text = text(&options(0..300));
    let mut in_arm = false;
    let found = text.lines().any(|line| {
        in_arm |= line.contains(") | (") && line.ends_with("=> {");
        in_arm &= !line.contains("pub fn ");
        in_arm && line.contains("sync_threads();")
    });
    assert!(found);
}
