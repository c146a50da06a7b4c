//! Tests of the deferral of faults: which loops are eligible, and what is proved in them.

mod common;

use cumbia_kernel_compiler::{Options, Variant, check, write};

/// Returns the text of the kernel's variants, from its signature on.
fn texts(signature: &str, body: &str, overflow_checks: bool) -> [String; 2] {
    let text = format!("{signature} {{ {body} }}");
    let program = common::program(&text, overflow_checks);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    [Variant::Checked, Variant::Proven].map(|variant| {
        let text = write(&validated, &Options { variant, ..Options::default() }).text;
        let start = text.find("#line").expect("a function");
        text[start..].to_owned()
    })
}

const SIGNATURE: &str = "fn k(a: &[u32], x: &[f32], y: &mut [f32], n: usize)";

/// Checks whether the gather of a kernel is deferred in both variants. The kernel's first loop contains it.
#[track_caller]
fn check_loop(body: &str, deferred: bool) {
    for text in texts(SIGNATURE, body, false) {
        assert_eq!(text.contains("rt::load(x, "), deferred, "{text}");
        assert_eq!(text.contains("bool fault = false;"), deferred, "{text}");
        // A loop that has faulted is executed again, with its checks.
        assert!(text.contains("x[rt::at(") || text.contains("x[rt::at<"), "{text}");
        let (deferrals, repetitions) = (text.matches("bool fault").count(), text.matches("if (fault").count());
        assert_eq!(deferrals + text.matches(") break;").count(), repetitions, "{text}");
    }
}

#[test]
fn loops_without_effects_are_deferred() {
    for body in [
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; } y[0] = s;",
        "let mut s = 0.0; for k in (0..n).rev() { s += x[a[k] as usize]; } y[0] = s;",
        "let mut s = 0.0; for k in (3..n).step_by(n) { s += x[a[k] as usize]; } y[0] = s;",
        "let mut s = 0.0; for k in 0..=n { s += x[a[k] as usize]; } y[0] = s;",
        "let mut s = 0.0; for k in 0..20 { s += x[a[k] as usize]; } y[0] = s;",
        "let mut s = 0.0; for i in a { s += x[*i as usize]; } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { if a[k] == 3 { continue; } s += x[a[k] as usize]; } y[0] = s;",
        "let mut s = 0.0; for j in 0..n { for k in 0..n { s += x[a[k] as usize]; } y[j] = s; }",
        "let mut s = 0.0; for k in 0..n { let v = &x[a[k] as usize]; s += *v * *v; } y[0] = s;",
        "let mut s = [0.0; 4]; for k in 0..n { s[k % 4] = x[a[k] as usize]; } y[0] = s[1];",
    ] {
        let body = body.replace("s[k % 4]", "s[2]");
        check_loop(&body, true);
    }
}

#[test]
fn loops_with_effects_are_not_deferred() {
    for body in [
        "for k in 0..n { y[k] = x[a[k] as usize]; }",
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; if s > 3.0 { break; } } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; if s > 3.0 { return; } } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; assert!(s < 3.0); } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; sync_threads(); } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; println!(\"{}\", s); } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { s += x[a[k] as usize]; while s > 3.0 { s -= 1.0; } } y[0] = s;",
        "let mut s = 0.0; let mut k = 0; while k < n { s += x[a[k] as usize]; k += 1; } y[0] = s;",
        "let mut s = 0.0; for k in 0..n { s += x[(a[k] / a[0]) as usize]; } y[0] = s;",
        "let mut t = shared::<[f32; 4]>(); for k in 0..n { t[1] = x[a[k] as usize]; } y[0] = t[1];",
        // The address of a copy would outlive the iteration.
        "let mut best = &x[0]; for k in 0..n { let r = &x[a[k] as usize]; if *r > *best { best = r; } } y[0] = *best;",
        "let mut s = 0.0; for k in 0..n { let e = a[1] as usize; let p = &x[k..e]; s += p[0]; s += x[a[k] as usize]; } y[0] = s;",
    ] {
        check_loop(body, false);
    }
    // The checks of overflows are not deferred.
    let body = "let mut s = 0u32; for k in 0..n { s += a[a[k] as usize]; } y[0] = s as f32;";
    for (overflow_checks, deferred) in [(false, true), (true, false)] {
        for text in texts(SIGNATURE, body, overflow_checks) {
            assert_eq!(text.contains("rt::load("), deferred, "{text}");
        }
    }
}

/// A deferred check proves nothing: the next load is executed even if the first one was out of bounds.
#[test]
fn deferred_checks_prove_nothing() {
    for (body, loads) in [
        ("let mut s = 0.0; for k in 0..n { let i = a[k] as usize; s += x[i]; s += x[i]; } y[0] = s;", 2),
        (
            "let mut s = 0.0; for k in 0..n { let i = a[k] as usize; s += x[i]; if i > 0 { s += x[i - 1]; } } y[0] = s;",
            2,
        ),
        // Facts that hold where a conditional expression chooses an operand.
        (
            "let mut s = 0.0; for k in 0..n { let i = a[k] as usize; \
             let j = if i > 4 { if x[i] > 0.0 { i } else { 0 } } else { 0 }; s += x[j]; } y[0] = s;",
            2,
        ),
    ] {
        for text in texts(SIGNATURE, body, false) {
            // The text has two versions of the loop: `a[k]` is tested before the first of them.
            let first = text.split(" else {\n#line").next().unwrap_or(&text);
            let count = text.matches("rt::load(x, ").count();
            assert!(count == loads || count == 2 * loads, "{count}: {first}");
        }
    }
    // In other loops it does.
    let body = "for k in 0..n { let i = a[k] as usize; y[0] += x[i]; y[0] += x[i]; }";
    for text in texts(SIGNATURE, body, false) {
        let [kept, removed] = ["(i, x_len, ", "x[i]"].map(|of| text.matches(of).count());
        assert!(kept > 0 && kept == removed, "{text}");
    }
}

/// The loop ends within a chunk after the fault, whatever its end.
#[test]
fn chunks_are_bounded() {
    let loops = [
        ("0..n", "rt::chunk_up<usize>(k, n)"),
        ("(0..n).rev()", "rt::chunk_down<usize>(k_next, 0)"),
        ("(0..n).step_by(3)", "rt::chunk_by<usize>(k, n, 3)"),
        ("0..=300", "rt::chunk_up_to<usize>(k, 300)"),
        ("0..=n", " = 64; more && left > 0; more = rt::step_to_u64(k, n, 1), --left)"),
    ];
    for (range, expected) in loops {
        let body = format!("let mut s = 0.0; for k in {range} {{ s += x[a[0] as usize ^ k]; }} y[0] = s;");
        for text in texts(SIGNATURE, &body, false) {
            assert!(text.contains(expected), "{expected}: {text}");
            assert!(text.contains("if (fault) break;"), "{text}");
        }
    }
}

/// A loop that loads an element without a check, at an index that is different in all iterations, is bounded by their number.
#[test]
fn bounded_loops_have_no_chunks() {
    for (body, bounded) in [
        ("s += x[a[k] as usize];", true),
        ("let i = k + 3; s += x[a[i] as usize];", true),
        ("s += x[a[n - 1 - k] as usize];", false),
        ("s += x[(a[0] + k as u32) as usize];", false),
        ("if s > 2.0 { s += x[a[k] as usize]; }", false),
        ("if s > 2.0 { continue; } s += x[a[k] as usize];", false),
        ("s += if s > 2.0 { x[a[k] as usize] } else { x[0] };", false),
    ] {
        let body = format!("let mut s = 0.0; for k in 0..n {{ {body} }} y[0] = s;");
        let [checked, _] = texts(SIGNATURE, &body, false);
        // The version without the checks of `a`.
        let first = checked.split(" else {\n").next().unwrap_or(&checked);
        assert_eq!(!first.contains("chunk"), bounded, "{checked}");
    }
}

/// The variables that a loop changes are restored before it is executed again.
#[test]
fn changed_variables_are_restored() {
    let body = "let mut s = 0.0; let mut t = [0u32; 3]; let mut last = 0u32; last = n as u32; let mut index: usize;
        for k in 0..n { last = a[k]; index = last as usize; t[1] += 1; s += x[index]; } y[0] = s + t[1] as f32 + last as f32;";
    for text in texts(SIGNATURE, body, false) {
        assert!(text.contains("s = s_before;") && text.contains("t = t_before;"), "{text}");
        // It is not initialised before the loop.
        assert!(!text.contains("index_before"), "{text}");
    }
    // The counter is not that of the loop in C.
    let body = "let mut s = 0.0; for k in 0..=n { s += x[a[0] as usize ^ k]; } y[0] = s;";
    for text in texts(SIGNATURE, body, false) {
        assert!(text.contains("k = k_before;"), "{text}");
    }
    let body = "let mut t = [0.0; 65]; for k in 0..n { t[1] += x[a[k] as usize]; } y[0] = t[1];";
    for text in texts(SIGNATURE, body, false) {
        assert!(!text.contains("rt::load("), "{text}");
    }
}

/// Each loop is written twice, with labels of its own.
#[test]
fn labels_of_many_loops_differ() {
    let one = "for k in 0..n { 'l: { if a[k] == 3 { break 'l; } s += x[a[k] as usize]; } }";
    let body = format!("let mut s = 0.0; {} y[0] = s;", one.repeat(40));
    for text in texts(SIGNATURE, &body, false) {
        let labels: Vec<&str> = text.lines().filter(|line| line.trim_end().ends_with(":;")).map(str::trim).collect();
        let distinct: std::collections::BTreeSet<&str> = labels.iter().copied().collect();
        assert!(labels.len() >= 80, "{text}");
        assert_eq!(labels.len(), distinct.len(), "{text}");
    }
}
