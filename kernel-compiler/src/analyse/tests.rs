//! Tests of the analyses on small functions. Variables are identified by name, loops by their order in the source.

use crate::common;
use crate::ir::{LocalId, LoopId};
use crate::validate::Validated;
use crate::{check, write};

/// Returns the invariant variables of each loop of the kernel, as `name name | name`.
#[track_caller]
fn invariants(text: &str) -> String {
    let program = common::program(text, false);
    let validated: Validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let text = write(&validated, &crate::Options::default()).text;
    assert!(!text.contains("bug in Cumbia"), "{text}");
    let (typed, flow) = validated.functions().iter().zip(validated.flows()).next_back().expect("the kernel");
    let locals = &typed.instance.function.locals;
    let of = |id: LoopId| {
        let names = locals.iter().zip(0u32..).filter(|(_, local)| flow.is_invariant(LocalId(*local), id));
        names.map(|(local, _)| local.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    let loops = (0..8).map(LoopId).filter(|id| flow.has_loop(*id));
    loops.map(of).collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn are_invariant(text: &str, expected: &str) {
    assert_eq!(invariants(text), expected, "{text}");
}

#[test]
fn variables_declared_or_assigned_in_a_loop_are_not_invariant() {
    are_invariant(
        "fn k(x: &mut [u32], n: usize) {
            let a: usize = n + 1; let mut b: usize = n; let mut c: usize = n;
            for i in 0..n { let d: usize = a; b = d + i; x[b] = 1; }
            c = 2;
            x[c] = 1;
        }",
        "x n a c",
    );
    are_invariant("fn k(x: &mut [u32], n: usize) { let mut i: usize = 0; while i < n { i += 1; } x[i] = 1; }", "x n");
}

#[test]
fn uninitialised_variables_are_not_invariant() {
    are_invariant(
        "fn k(x: &mut [u32], n: usize) {
            for r in 0..n {
                let at: usize;
                for i in 0..n { if i > r { at = i; x[at] = 7; break; } }
            }
        }",
        "x n | x n r",
    );
}

#[test]
fn initialisation_on_every_path() {
    are_invariant(
        "fn k(x: &mut [u32], n: usize, p: bool) {
            let at: usize;
            if p { at = 1; } else { at = n; }
            for i in 0..n { x[at + i] = 7; }
        }",
        "x n p at",
    );
    are_invariant(
        "fn k(x: &mut [u32], n: usize, p: bool) {
            let at: usize;
            let mut b: usize = 0;
            if p { at = 1; b = at; }
            for i in 0..n { x[b + i] = 7; }
        }",
        "x n p b",
    );
    // Paths that leave the function do not count.
    are_invariant(
        "fn k(x: &mut [u32], n: usize, p: bool) {
            let at: usize;
            if p { at = 1; } else { return; }
            for i in 0..n { x[at + i] = 7; }
        }",
        "x n p at",
    );
    are_invariant(
        "fn k(x: &mut [u32], n: usize) {
            let at: usize;
            match n { 0 => { at = 3; } 1 | 2 => { return; } m => { at = m; } }
            for i in 0..n { x[at + i] = 7; }
        }",
        "x n at",
    );
}

#[test]
fn loops_may_have_zero_iterations() {
    are_invariant(
        "fn k(x: &mut [u32], n: usize) {
            let mut at: usize = 0;
            let to: usize;
            'out: { for i in 0..n { if x[i] > 3 { to = i; x[to] = 1; break 'out; } } at = 4; }
            for j in 0..n { x[at + j] = 2; }
        }",
        "x n at | x n at",
    );
    are_invariant(
        "fn k(x: &mut [u32], n: usize) {
            let mut at: usize = 0;
            for i in 0..n { let to: usize; if x[i] > 3 { to = i; } else { continue; } at = to; }
            for j in 0..n { x[at + j] = 2; }
        }",
        "x n | x n at",
    );
    // A `loop` runs at least once and is left only at its `break`s.
    are_invariant(
        "fn k(x: &mut [u32], n: usize) {
            let at: usize;
            loop { if x[0] > 3 { at = n; break; } x[0] += 1; }
            for j in 0..n { x[at + j] = 2; }
        }",
        "x n | x n at",
    );
}

#[test]
fn conditions_are_branches() {
    are_invariant(
        "fn k(x: &mut [u32], n: usize, p: bool) {
            let at: usize;
            if p && { at = n; x[0] > 1 } { for i in 0..n { x[at + i] = 7; } }
        }",
        "x n p at",
    );
    are_invariant(
        "fn k(x: &mut [u32], n: usize, p: bool) {
            let at: usize;
            if p || { at = n; x[0] > 1 } { for i in 0..n { x[i] = 7; } } else { for i in 0..n { x[at + i] = 7; } }
        }",
        "x n p | x n p at",
    );
}

#[test]
fn mutably_borrowed_variables_are_not_invariant() {
    are_invariant(
        "fn bump(a: &mut usize) { *a += 1; }
        fn k(x: &mut [u32], n: usize) {
            let mut a: usize = 0; let mut b: usize = 0;
            bump(&mut a);
            for i in 0..n { x[a + b + i] = 7; }
            b += 1;
            x[b] = 2;
        }",
        "x n b",
    );
}
