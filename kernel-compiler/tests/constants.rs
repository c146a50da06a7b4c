//! Constant conditions, and unreachable code, which need not compile.

mod common;

use cumbia_kernel_compiler::{Facts, check};

const CONSTANTS: &str = "
    const N: usize = 4;
    const M: i32 = -3;
    const BIG: u64 = 0xffffffffffffffff;
    const SMALL: i8 = -128;
    const ON: bool = true;
    const OFF: bool = false;
    const X: f32 = 1.5;
    const WIDE: f64 = 1e300;
    const SIZES: [u32; 3] = [1, 2, 3];
    const PAIR: (i32, bool) = (7, true);
    enum Kind { A, B }
    const KIND: Kind = Kind::B;
    struct Config { tile: usize, kind: Kind }
    const CONFIG: Config = Config { tile: 16, kind: Kind::A };
";

/// Returns the errors of a kernel with this body, in which a variable `v` and constants of all kinds are in scope.
fn messages(body: &str) -> Vec<String> {
    let text = format!("{CONSTANTS} fn k(v: i32, y: &mut [i32]) {{ {body} }}");
    match check(common::program(&text, true)) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.0.iter().map(|error| error.diagnostic.message.clone()).collect(),
    }
}

/// Returns an expression that is rejected if it is reachable.
fn rejected(marker: u32) -> String {
    format!("shared::<([f32; {marker}], u32)>();")
}

/// Returns which of the marked expressions are reachable.
fn reachable(body: &str) -> Vec<u32> {
    let number = |message: &String| message.split_once("; ")?.1.split_once(']')?.0.parse().ok();
    messages(body).iter().map(|message| number(message).unwrap_or_else(|| panic!("{message}"))).collect()
}

#[track_caller]
fn folds(condition: &str, expected: Option<bool>) {
    let body = format!("if {condition} {{ {} }} else {{ {} }}", rejected(1), rejected(2));
    let expected: &[u32] = match expected {
        Some(true) => &[1],
        Some(false) => &[2],
        None => &[1, 2],
    };
    assert_eq!(reachable(&body), expected, "{condition}");
}

#[test]
fn conditions() {
    for (condition, expected) in [
        ("true", true),
        ("ON", true),
        ("!ON", false),
        ("N > 4", false),
        ("N >= 4", true),
        ("N == 4 && M < 0", true),
        ("OFF || M == -3", true),
        ("OFF && v > 0", false),
        ("ON || v > 0", true),
        ("N % 2 == 0 && N / 2 * 3 - 1 == 5", true),
        ("1 << N == 16", true),
        ("M >> 1 == -2", true),
        ("BIG >> 63 == 1", true),
        ("BIG ^ 1 == 0xfffffffffffffffe", true),
        ("!BIG == 0", true),
        ("!M == 2", true),
        ("-M == 3", true),
        ("M / 2 == -1 && M % 2 == -1", true),
        ("ON & !OFF | OFF ^ ON", true),
        ("M as u8 == 253", true),
        ("M as u32 as u64 == 4294967293", true),
        ("X as i32 == 1", true),
        ("WIDE as u8 == 255", true),
        ("-WIDE as i64 == i64::MIN", true),
        ("f32::NAN as i32 == 0", true),
        ("M as f32 == -3.0", true),
        ("ON as i32 == 1", true),
        ("X * 2.0 + 0.5 == 3.5", true),
        ("X / 0.0 > 1e30f32", true),
        ("f32::NAN == f32::NAN", false),
        ("f32::NAN != f32::NAN", true),
        ("-X < 0.0", true),
        ("SIZES[1] == 2", true),
        ("PAIR.0 == 7 && PAIR.1", true),
        ("KIND == Kind::B", true),
        ("KIND != Kind::A && KIND as u8 == 1", true),
        ("CONFIG.tile == 16 && CONFIG.kind == Kind::A", true),
        ("{ N == 4 }", true),
        ("if ON { N > 3 } else { v > 3 }", true),
        ("if OFF { v > 3 } else { N > 4 }", false),
        ("u8::MAX == 255", true),
    ] {
        folds(condition, Some(expected));
    }
}

#[test]
fn variables_and_faults_are_not_folded() {
    for condition in [
        "v > 0",
        "v > 0 && OFF",
        "v > 0 || ON",
        "ON && v > 0",
        // These operations fault.
        "N / (N - 4) == 1",
        "N - 5 > 0",
        "SMALL / -1i8 == 1i8",
        "SMALL % -1i8 == 0i8",
        "-SMALL == 1i8",
        "BIG + 1 == 0",
        "1 << 64 == 1u64",
        "SIZES[3] == 2",
        // Variables are not propagated, and side effects are preserved.
        "{ y[0] = 1; ON }",
        "{ let w = N; w == 4 }",
        "N.min(3) == 3",
    ] {
        folds(condition, None);
    }
}

#[test]
fn arms_of_a_match() {
    let arms = |of: &str, patterns: &[&str]| {
        let arms = (1u32..).zip(patterns).map(|(i, pattern)| format!("{pattern} => {{ {} }}", rejected(i)));
        reachable(&format!("match {of} {{ {} }}", arms.collect::<Vec<_>>().join(" ")))
    };
    assert_eq!(arms("N", &["3", "4", "_"]), [2]);
    assert_eq!(arms("N", &["0..4", "4..=5", "n"]), [2]);
    assert_eq!(arms("N", &["5..", "..4", "3 | 4", "_"]), [3]);
    assert_eq!(arms("M", &["-3", "_"]), [1]);
    assert_eq!(arms("ON", &["false", "true"]), [2]);
    assert_eq!(arms("KIND", &["Kind::A", "Kind::B"]), [2]);
    assert_eq!(arms("KIND", &["KIND", "_"]), [1]);
    assert_eq!(arms("CONFIG", &["Config { tile: 8, .. }", "Config { kind: Kind::B, .. }", "Config { tile, .. }"]), [3]);
    assert_eq!(arms("SIZES", &["[1, 3, _]", "[1, 2, x]", "_"]), [2]);
    assert_eq!(arms("SIZES", &["SIZES", "_"]), [1]);
    assert_eq!(arms("N", &["n if n > 3", "4", "_"]), [1, 2]);
    assert_eq!(arms("N", &["4 if OFF", "4 if ON", "_"]), [2]);
    assert_eq!(arms("N", &["4 if v > 0", "_"]), [1, 2]);
    assert_eq!(arms("v", &["1", "2", "_", "3"]), [1, 2, 3]);
    assert_eq!(arms("(N, v)", &["(3, _)", "(4, 1)", "(4, _)", "_"]), [2, 3]);
    assert_eq!(arms("(v, ON)", &["(1, false)", "(_, true)", "_"]), [2]);
    assert_eq!(arms("[N, 3]", &["[4, 2]", "[4, x] | [x, 4]", "_"]), [2]);
}

#[test]
fn loops_and_operands() {
    assert_eq!(reachable(&format!("while N > 4 {{ {} }}", rejected(1))), []);
    assert_eq!(reachable(&format!("while N > 3 {{ {} }}", rejected(1))), [1]);
    let operand = format!("{{ {} true }}", rejected(1));
    assert_eq!(reachable(&format!("if OFF && {operand} {{ }}")), []);
    assert_eq!(reachable(&format!("if ON || {operand} {{ }}")), []);
    assert_eq!(reachable(&format!("if ON && {operand} {{ }}")), [1]);
    assert_eq!(reachable(&format!("assert!(N == 4, \"{{}}\", {{ {} 1 }});", rejected(1))), []);
    // Unreachable code is neither typed nor compiled, and its variables are not checked.
    assert_eq!(messages("if OFF { let x: f32 = v + 1.0; x(); } else { }"), [] as [&str; 0]);
    assert_eq!(messages("let x: f32 = if ON { 1.0 } else { true };"), [] as [&str; 0]);
    assert_eq!(messages("let x: f32 = match N { 4 => 1.0, _ => true };"), [] as [&str; 0]);
    assert_eq!(messages("if OFF { let t: [(); 0] = [(); 0]; let r: &(u8, u8) = v; }"), [] as [&str; 0]);
    assert_eq!(messages("match N { 4 => { } x => { let y: bool = x; } }"), [] as [&str; 0]);
}

#[test]
fn unreachable_functions_are_skipped() {
    let facts = |condition: &str| {
        let text = format!(
            "{CONSTANTS}
            fn wait() -> usize {{ sync_threads(); shared::<[f32; 4]>(); dynamic_shared::<f32>().len() }}
            fn indirectly() -> usize {{ wait() }}
            fn k(y: &mut [usize]) {{ if {condition} {{ y[0] = indirectly(); sync_grid(); }} }}"
        );
        let program = common::program(&text, true);
        let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
        // The stack estimate is not tested here.
        (Facts { stack_bytes: 0, ..validated.facts() }, format!("{validated:?}"))
    };
    assert_eq!(facts("N > 4"), (Facts::default(), "Validated([\"k\"])".to_owned()));
    let needs = Facts {
        needs_other_threads: true,
        syncs_grid: true,
        static_shared_bytes: 16,
        uses_dynamic_shared: true,
        ..Facts::default()
    };
    assert_eq!(facts("N > 3"), (needs, "Validated([\"wait\", \"indirectly\", \"k\"])".to_owned()));

    // A function counts as called by an operator only if the call is reachable.
    let operator = |condition: &str| {
        format!(
            "{CONSTANTS} struct P {{ x: usize }}
            fn position() -> usize {{ grid(1) }}
            impl Add for P {{ fn add(self, other: P) -> P {{ if {condition} {{ P {{ x: position() }} }} else {{ self }} }} }}
            fn k(p: P) {{ let q = p + p; position(); }}"
        )
    };
    assert!(check(common::program(&operator("OFF"), true)).is_ok());
    assert!(check(common::program(&operator("ON"), true)).is_err());
}
