//! Tests of the emitted text: golden files, compilation with `g++`, and execution of a kernel with side effects in many
//! positions.
//!
//! `CUMBIA_BLESS=1 cargo test -p cumbia-kernel-compiler` rewrites the golden files. `CUMBIA_DUMP=directory` stores every text
//! there, for compilation with NVRTC.

mod common;
#[path = "common/nvrtc.rs"]
mod compiler;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use cumbia_kernel_compiler::{Axis, Facts, LaunchSymbol, Options, Site, SiteKind, Source, Variant, check, write};
use cumbia_kernel_ir::{Function, Program, Scalar};

const PROGRAMS: &[&str] = &[
    "saxpy",
    "grid_stride",
    "gemm",
    "names",
    "control",
    "dynamic",
    "structs",
    "arrays",
    "tuples",
    "matching",
    "references",
    "ranges",
    "corners",
    "messages",
    "views",
    "decided",
    "cuda_c",
    "linked",
    "methods",
    "cooperation",
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn program(name: &str, overflow_checks: bool) -> Program {
    let text = fs::read_to_string(path(&format!("{name}.rs"))).expect("the program can be read");
    common::program(&text, overflow_checks)
}

fn source(program: &Program, bounds_checks: bool) -> Source {
    let validated = check(program.clone()).unwrap_or_else(|errors| panic!("{errors}"));
    write(&validated, &Options { bounds_checks, ..Options::default() })
}

/// The variants of a kernel whose index the launch decides: only the checks and their helper differ.
#[test]
fn variants_have_the_same_interface() {
    let kernel = "fn double(x: &[f32], y: &mut [f32]) { let i = grid(1); y[i] = 2.0 * x[i]; }";
    let validated = check(common::program(kernel, false)).unwrap_or_else(|errors| panic!("{errors}"));
    let [narrow, proven, checked] =
        Variant::ALL.map(|variant| write(&validated, &Options { variant, ..Options::default() }));
    assert!(checked.text.contains("rt::at") && !proven.text.contains("rt::at"), "{}", proven.text);
    let predicate = proven.predicate.clone().expect("a predicate");
    let value = |symbol: &LaunchSymbol, lengths: [i128; 2]| match symbol {
        LaunchSymbol::Param { index: 1, scalar: Scalar::Usize } => lengths[0],
        LaunchSymbol::Param { index: 3, scalar: Scalar::Usize } => lengths[1],
        LaunchSymbol::GridDim(Axis::X) => 4,
        LaunchSymbol::BlockDim(Axis::X) => 32,
        other => panic!("{other:?}"),
    };
    for (lengths, expected) in [([128, 128], true), ([127, 128], false), ([1000, 127], false), ([0, 0], false)] {
        let values: Vec<i128> = predicate.symbols().iter().map(|symbol| value(symbol, lengths)).collect();
        assert_eq!(predicate.holds(&values), expected, "{lengths:?}");
    }
    assert!(narrow.text.contains("const i32 i = "), "{}", narrow.text);
    assert_ne!(narrow.predicate, checked.predicate);
    // A text with checks is not coarsened.
    assert!(proven.coarsening.is_ok() && narrow.coarsening.is_ok() && checked.coarsening.is_err());
    let (text, coarsening) = (checked.text.clone(), checked.coarsening.clone());
    assert_eq!(Source { text: text.clone(), coarsening: coarsening.clone(), ..proven }, checked);
    let interface = Source { text, coarsening, predicate: checked.predicate.clone(), ..narrow };
    assert_eq!(interface, checked);
    let unchecked = Options { bounds_checks: false, variant: Variant::Proven, ..Options::default() };
    assert_eq!(write(&validated, &unchecked).predicate, None);
}

#[test]
fn emitted_text_matches_golden_files() {
    for name in PROGRAMS {
        let text = source(&program(name, false), true).text;
        // The prelude is the same for all programs, and is covered by the compilation tests.
        let parts = ["namespace types", "namespace constants", "namespace device", "#line"];
        let start = parts.into_iter().find_map(|part| text.find(part)).expect("a function");
        let golden = path(&format!("{name}.cu"));
        if std::env::var_os("CUMBIA_BLESS").is_some() {
            fs::write(&golden, &text[start..]).expect("the golden file can be written to");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            text[start..] == expected,
            "{} differs; `CUMBIA_BLESS=1 cargo test -p cumbia-kernel-compiler` rewrites it. New text:\n{}",
            golden.display(),
            &text[start..]
        );
    }
}

/// Returns the programs that are complete without linking.
fn unlinked() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().copied().filter(|name| *name != "linked")
}

#[test]
fn a_host_compiler_accepts_the_text() {
    let mut all = String::new();
    for name in unlinked() {
        for (variant, overflow_checks, bounds_checks) in
            [("checked", true, true), ("release", false, true), ("unchecked", false, false)]
        {
            let source = source(&program(name, overflow_checks), bounds_checks);
            if let Some(directory) = std::env::var_os("CUMBIA_DUMP") {
                let file = PathBuf::from(directory).join(format!("{name}.{variant}.cu"));
                fs::write(file, &source.text).expect("the directory can be written to");
            }
            let text = common::host::for_host(&source.text).replace("extern \"C\"", "static");
            let _ = writeln!(all, "namespace {name}_{variant} {{\n{text}\n}}");
        }
    }
    common::host::run("emitted", &format!("{all}int main() {{}}"));
}

/// The oldest hardware that CUDA 13 supports, and one in common use.
const ARCHITECTURES: [&str; 2] = ["sm_75", "sm_90"];

#[test]
fn nvrtc_accepts_the_text() {
    let Some(nvrtc) = compiler::Nvrtc::find() else { return };
    for name in unlinked() {
        for (overflow_checks, bounds_checks) in [(true, true), (false, false)] {
            let text = source(&program(name, overflow_checks), bounds_checks).text;
            for architecture in ARCHITECTURES {
                if let Err(log) = nvrtc.compile(&text, architecture) {
                    panic!("`{name}` for {architecture}: {log}\n{text}");
                }
            }
        }
    }
}

#[test]
fn emission_is_deterministic() {
    for name in PROGRAMS {
        assert_eq!(source(&program(name, true), true), source(&program(name, true), true));
    }
}

#[test]
fn functions_round_trip_through_bytes() {
    for name in PROGRAMS {
        let function = program(name, true).kernel.function.clone();
        let bytes = function.to_bytes();
        assert_eq!(Function::from_bytes(&bytes), Ok(function));
        assert!(Function::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Function::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    }
}

#[test]
fn facts_cover_the_whole_program() {
    // The stack estimate is not tested here.
    let facts = |name| {
        let program = program(name, true);
        Facts { stack_bytes: 0, ..check(program).unwrap_or_else(|errors| panic!("{errors}")).facts() }
    };
    assert_eq!(facts("saxpy"), Facts::default());
    let gemm = Facts { needs_other_threads: true, static_shared_bytes: 2048, ..Facts::default() };
    assert_eq!(facts("gemm"), gemm);
    let dynamic =
        Facts { needs_other_threads: true, static_shared_bytes: 8, uses_dynamic_shared: true, ..Facts::default() };
    assert_eq!(facts("dynamic"), dynamic);
}

#[test]
fn kernels_without_faults_take_no_launch() {
    let unchecked = source(&program("gemm", false), false);
    assert!(!unchecked.takes_launch && unchecked.sites.is_empty());
    assert!(!unchecked.text.contains("Launch"));
    // It can be coarsened, and would read the extent of the grid from the launch.
    let unchecked = source(&program("saxpy", false), false);
    assert!(unchecked.takes_launch && unchecked.sites.is_empty());
    assert!(!unchecked.text.contains("void fault("));
    let checked = source(&program("saxpy", false), true);
    assert!(checked.takes_launch && checked.sites.iter().all(|site| site.kind == SiteKind::OutOfBounds));
    assert_eq!((checked.sites[0].span.line, checked.sites[0].span.column), (4, 20));
    assert_eq!(checked.entry, "saxpy");
    assert_eq!(source(&program("names", false), true).entry, "main_");
}

/// The kernel as compiled by rustc, for a single thread.
#[allow(unused, clippy::all, clippy::pedantic, reason = "the program is written for other tests")]
mod rust {
    fn grid(_: u8) -> usize {
        0
    }

    fn atomic_add(place: &mut u32, value: u32) -> u32 {
        let old = *place;
        *place += value;
        old
    }

    pub(crate) mod control {
        use super::{atomic_add, grid};
        include!("programs/control.rs");

        pub(crate) fn run(x: &[i32], y: &mut [i32], c: &mut [u32], flags: &mut [bool]) {
            control(x, y, c, flags);
        }
    }
}

#[test]
fn side_effects_follow_rusts_evaluation_order() {
    let emitted = source(&program("control", false), true);
    let x = [[5, 2, 1, 4], [-5, 3, 1, 9], [0, 1, -1, 6]];
    let mut expected = String::new();
    let mut main = String::from("int main() {\n");
    for x in x {
        let (mut y, mut c, mut flags) = ([1, 2, 3, 4], [10, 20, 30, 40], [true, false]);
        rust::control::run(&x, &mut y, &mut c, &mut flags);
        let line = format!("{y:?} {c:?} {flags:?}\n");
        expected.push_str(&line.replace(['[', ']', ','], ""));
        let x = format!("{x:?}").replace('[', "{").replace(']', "}");
        let _ = writeln!(
            main,
            "{{ i32 x[] = {x}, y[] = {{1, 2, 3, 4}}; u32 c[] = {{10, 20, 30, 40}}; u8 flags[] = {{1, 0}};
            rt::Fault record = {{}};
            control(x, 4, y, 4, c, 4, flags, 2, rt::Launch{{&record, nullptr, nullptr, 0}});
            for (i32 n : y) printf(\"%d \", n); for (u32 n : c) printf(\"%u \", n);
            printf(\"%s %s\\n\", flags[0] ? \"true\" : \"false\", flags[1] ? \"true\" : \"false\"); }}"
        );
    }
    main.push('}');
    let text = common::host::for_host(&emitted.text);
    if let Some(output) = common::host::run("effects", &format!("{text}\n#line 1 \"main\"\n{main}")) {
        assert_eq!(output, expected);
    }
}

/// Runs `messages` for `n` as a single thread, with a print buffer of `capacity` words, and returns the contents of the
/// buffer and of the fault record.
fn messages(n: i32, capacity: usize) -> Option<String> {
    let emitted = source(&program("messages", true), true);
    let text = common::host::for_host(&emitted.text);
    let main = format!(
        "int main() {{
            const float x[] = {{1.5f, 2.5f, 3.5f}}; float y[1] = {{}};
            rt::Fault record = {{}};
            struct {{ rt::Print head; u64 words[64]; }} buffer = {{}};
            buffer.head.capacity = {capacity};
            threadIdx = {{0, 7, 8}}; blockIdx = {{0, 5, 6}};
            try {{
                messages({n}, x, 3, y, 1, rt::Launch{{&record, (rt::Print*)&buffer, nullptr, 9}});
            }} catch (u32 site) {{
                printf(\"fault %u %u\", record.kernel, record.site);
                for (u64 arg : record.args) printf(\" %llx\", arg);
                puts(\"\");
            }}
            printf(\"used %u lost %u\", buffer.head.used, buffer.head.lost);
            for (int i = 0; i < 64; ++i) if (i < 25 || buffer.words[i] != 0) printf(\" %llx\", buffer.words[i]);
        }}"
    );
    common::host::run(&format!("messages_{n}_{capacity}"), &format!("{text}\n#line 1 \"main\"\n{main}"))
}

#[test]
fn messages_reach_the_host() {
    let emitted = source(&program("messages", true), true);
    assert!(emitted.prints && emitted.takes_launch);
    let messages_of = |site: &Site| match &site.kind {
        SiteKind::Panic(text) | SiteKind::Print(text) => {
            Some(format!("{text} <- {}", text.args.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")))
        }
        _ => None,
    };
    let sites: Vec<String> = emitted.sites.iter().filter_map(messages_of).collect();
    let expected = [
        "n is {}, of {} in all <- usize i32",
        "checked {:>4}\n <- i32",
        "thread {} of {}: {:.3} {:?} {}\n <- usize f32 bool i8 usize",
        "level {:?}\n <- kernels::Level",
        "assertion failed <- ",
        "{} {} {} {} {} {} {} {} <- usize usize usize usize usize usize usize f32",
    ];
    assert_eq!(sites, expected);
    // The thread has index (0, 7, 8) in block (0, 5, 6), in a grid and a block of size one.
    let at = "500000000 6 800000007";
    let first = format!("900000005 {at} 1 3fc00000 1 fffffff9 0");
    let Some(output) = messages(1, 64) else { return };
    assert_eq!(output, format!("used 19 lost 0 {first} 900000002 {at} 1 900000007 {at} 3 0 0 0 0 0 0"));
    // The second message does not fit, and neither do those after it.
    let zeros = "0 ".repeat(16);
    let full = messages(1, 10);
    assert_eq!(full, Some(format!("used 14 lost 2 {first} {}", zeros.trim_end())));
    // A panic records its arguments.
    let failed = messages(-1, 64);
    assert_eq!(failed, Some(format!("fault 9 0 3 ffffffff 0 0 0 0\nused 9 lost 0 {first} {}", zeros.trim_end())));
}

/// Returns the text of the emitted kernel.
fn text_of(kernel: &str) -> String {
    let text = source(&common::program(kernel, false), true).text;
    text[text.find("extern \"C\"").expect("a kernel")..].to_owned()
}

/// A check is hoisted if and only if its operands are initialised ahead of the loop.
#[test]
fn checks_are_hoisted_over_invariant_variables() {
    let assigned = text_of(
        "fn k(y: &mut [u32], n: usize, p: bool) {
            let at: usize;
            if p { at = n; } else { at = 1; }
            for i in 0..n { y[at + i] = 1; }
        }",
    );
    assert!(assigned.contains("if (rt::within(rt::saturating_add_u64(at, n), y_len))"), "{assigned}");
    let in_the_loop = text_of(
        "fn k(keys: &[u32], y: &mut [u32], n: usize) {
            for r in 0..n {
                let at: usize;
                for i in 0..n { if keys[i] > 3 { at = keys[i] as usize; y[at] = 1; break; } }
            }
        }",
    );
    assert!(in_the_loop.contains("(at, y_len, "), "{in_the_loop}");
    let changed_outside = text_of(
        "fn k(y: &mut [u32], n: usize) {
            let mut width: usize = n;
            while width > 0 { for i in 0..n { y[width + i] = 1; } width /= 2; }
        }",
    );
    assert!(
        changed_outside.contains("if (rt::within(rt::saturating_add_u64(width, rt::opaque(n)), rt::opaque(y_len)))"),
        "{changed_outside}"
    );
    let changed_inside = text_of(
        "fn k(y: &mut [u32], n: usize) {
            let mut at: usize = 0;
            for i in 0..n { y[at + i] = 1; at += 2; }
        }",
    );
    assert!(!changed_inside.contains("rt::within"), "{changed_inside}");
    let lent = text_of(
        "fn bump(a: &mut usize) { *a += 1; }
        fn k(y: &mut [u32], n: usize) {
            let mut at: usize = 0;
            for i in 0..n { y[at + i] = 1; }
            bump(&mut at);
        }",
    );
    assert!(!lent.contains("rt::within"), "{lent}");
}

/// NVRTC 13.0 and 13.5 assume a single iteration of a loop with an exit that compares a counter with its start, unless one of them
/// is opaque.
#[test]
fn comparisons_with_counters_are_opaque() {
    const SIGNATURE: &str = "x: &[u32], y: &mut [u32], a: usize, n: usize";
    let functions = "
        #[derive(Clone, Copy)]
        struct Range { first: usize, next: usize }
        fn is_less(i: usize, a: usize) -> bool { i < a }
        fn stops(i: usize, a: usize) -> bool { is_less(i, a) || i > 100 }
        fn advance(range: &mut Range) { range.next += 1; }
        fn element(y: &[u32], i: usize) -> u32 { y[i] }";
    let texts =
        |body: &str| source(&common::program(&format!("{functions} fn k({SIGNATURE}) {{ {body} }}"), false), true).text;
    for (body, expected) in [
        // An exit, a stored comparison, the test of a `while`, and a check.
        ("for i in a..n { if i < a { break; } y[0] += 1; }", "if (i < rt::opaque(a))"),
        ("for i in a..n { let c = a > i; if c { break; } y[0] += 1; }", "const bool c = rt::opaque(a) > i;"),
        ("let mut i = a; while i >= a { i += 1; y[0] += 1; }", "for (; i >= rt::opaque(a); "),
        ("for i in 0..n { y[i * i] += 1; }", "(i * i, rt::opaque(y_len), "),
        (
            "let mut w = x.len(); while w > 0 { w -= 1; let part = &x[a..w]; if part.len() == 3 { y[0] = 1; } }",
            "(a, rt::opaque(end), rt::opaque(x_len), ",
        ),
        // A value that is derived from a counter, and a counter that is derived from another one.
        ("for i in 0..n { let j = a + i; if j < a { break; } y[0] += 1; }", "if (j < rt::opaque(a))"),
        ("let mut j = a; for i in 0..n { let k = j; if k < a { break; } j += 1; }", "if (k < rt::opaque(a))"),
        // A part of a struct or an array, and memory.
        (
            "let mut r = Range { first: a, next: a }; for _ in 0..n { if r.next < a { break; } r.next += 1; }",
            "if (r.next < rt::opaque(a))",
        ),
        (
            "let mut r = Range { first: a, next: a }; for _ in 0..n { if r.next < r.first { break; } advance(&mut r); }",
            "if (r.next < rt::opaque(r.first))",
        ),
        ("let mut t = [a; 4]; for _ in 0..n { if t[2] < a { break; } t[2] += 1; }", "if (t[2] < rt::opaque(a))"),
        ("y[0] = a as u32; for _ in 0..n { if y[0] < a as u32 { break; } y[0] += 1; }", "< rt::opaque((u32)a))"),
        // Functions that a loop calls, directly or not.
        ("for i in a..n { if stops(i, a) { break; } y[0] += 1; }", "return i < rt::opaque(a);"),
        ("for i in a..n { y[0] += element(x, i); }", "(i, rt::opaque(y_len), "),
        // Steps that may be negative, and equality.
        ("let mut i = a; while i < n { y[0] += 1; i = i.wrapping_add(!0); }", "for (; i < rt::opaque(n); "),
        ("let mut i = a; while i < n { y[0] += 1; i = i.wrapping_add(a); }", "for (; i < rt::opaque(n); "),
        ("for i in a..n { if i == a { break; } y[0] += 1; }", "if (i == rt::opaque(a))"),
        // Comparisons that are written as other operations.
        ("for i in a..n { let m = i.min(a); if m != a { break; } y[0] += 1; }", "(i, rt::opaque(a))"),
        ("for i in a..n { if i / a == 0 { break; } y[0] += 1; }", "(i, rt::opaque(a), "),
        ("for i in a..n { let b = i % a; if b == i { break; } y[0] += 1; }", "(i, rt::opaque(a), "),
        ("for i in a..n { if i.saturating_add(!a) == n { break; } y[0] += 1; }", "(i, rt::opaque(~a))"),
        (
            "for i in a..n { let d: i64 = (i as i64).wrapping_sub(a as i64); if d < 0 { break; } y[0] += 1; }",
            "rt::opaque((i64)a))",
        ),
        (
            "let m: i64 = (a as i64).wrapping_neg(); for i in a..n { if m.wrapping_add(i as i64) < 0i64 { break; } y[0] += 1; }",
            "if (rt::opaque(rt::wrapping_add_i64(m, (i64)i)) < 0)",
        ),
        (
            "let m: usize = a.wrapping_neg(); for i in a..n { let d: usize = i.wrapping_add(m); if d < 1 { break; } y[0] += 1; }",
            "if (rt::opaque(d) < 1)",
        ),
        (
            "for i in a..n { let b: u64 = f64::from_bits(i as u64).to_bits(); if b < a as u64 { break; } y[0] += 1; }",
            "if (b < rt::opaque((u64)a))",
        ),
    ] {
        let text = texts(body);
        assert!(text.contains(expected), "{expected}: {text}");
    }
    for body in [
        // Outside of loops, and constants.
        "if a < n { y[0] = 1; }",
        "if stops(a, n) { y[0] = element(x, a); }",
        "for i in a..n { if i == 9 || i < 7 { break; } y[0] += 1; }",
        "for i in a..n { let d = 2 * i + 1; if d == 9 || i + 2 < 7 { break; } y[0] += 1; }",
        "let mut i = a; while i < 1000 { y[0] += 1; i += n; }",
        // A counter that approaches the bound.
        "let mut i = a; while i < n { y[0] += 1; i += 2; }",
        "let mut i = a; while i > n { y[0] += 1; i -= 1; }",
        "let mut i = a; while i != n && y[0] > 3 { y[0] += 1; i += 1; }",
    ] {
        let text = texts(body);
        assert!(!text.contains("opaque("), "{body}: {text}");
    }
    // A value that is loaded from memory that the loop does not change.
    let text = texts("for i in 0..n { let v = x[i % 4] as usize; if v < a { break; } y[0] += 1; }");
    assert!(text.contains("if (v < a)"), "{text}");
}

/// NVRTC 13.0 merges the end of a kernel with an exit before a fault, if no other effect is between them.
#[test]
fn kernels_that_end_with_a_check_have_an_instruction_at_their_end() {
    let ends_with_one = |body: &str| {
        let text = text_of(&format!("fn k(x: &[u32], y: &mut [u32], n: usize) {{ {body} }}"));
        text.trim_end().trim_end_matches('}').trim_end().ends_with("rt::keep_loop();")
    };
    assert!(ends_with_one("let i = grid(1); if i < n { assert!(x[i] > 3); }"));
    assert!(ends_with_one("for i in 0..n { let v = x[i]; }"));
    assert!(ends_with_one("y[0] = 1u32; let mut i: usize = 0; while i < n { let v = x[i * 2]; i += 1; }"));
    assert!(ends_with_one("if n > 3 { y[0] = 1u32; } else { let v = x[n]; }"));
    assert!(!ends_with_one("let i = grid(1); if i < n { y[i] = x[i]; }"));
    assert!(!ends_with_one("for i in 0..n { y[i] = x[i]; }"));
    assert!(!ends_with_one("assert!(n > 3); let i = grid(1); if i < n { y[i] = 3u32; }"));
}

/// Only a loop that is not proved to terminate and has no side effect in each iteration needs an instruction to
/// preserve it.
#[test]
fn loops_without_side_effects_get_a_progress_instruction() {
    let kept = |body: &str| {
        let text = text_of(&format!("fn k(x: &[u32], y: &mut [u32], n: usize, hits: &mut [u32]) {{ {body} }}"));
        assert!(text.contains("for ("), "{text}");
        text.contains("rt::keep_loop()")
    };
    assert!(!kept("let mut i: usize = 0; while i < n { i += 1; }"));
    assert!(!kept("let mut i: usize = 0; while i < x.len() && n > 3 { i += 1; }"));
    assert!(!kept("let mut i: usize = n; while i > 0 { i /= 2; }"));
    assert!(!kept("let mut i: usize = n; while i != 0 { i >>= 1; }"));
    assert!(!kept("let mut i: usize = n; while i > 5 { i -= 1; }"));
    assert!(!kept("let mut i: usize = 0; while i < n { y[i] = 1u32; i += 3; }"));
    assert!(!kept("let mut i: usize = n; while i != 1 { sync_threads(); i = i * 3 + 1; }"));
    assert!(!kept(
        "let mut i: usize = n; loop { atomic_add(&mut hits[0], 1u32); i = i * 3 + 1; if i == 1 { break; } }"
    ));
    assert!(!kept("let mut i: usize = 1; while i < 32 { i *= 2; }"));
    assert!(!kept("let mut i: u32 = 1u32; while i <= 16u32 { i <<= 1; }"));
    assert!(kept("let mut i: usize = 0; while i < 32 { i *= 2; }"));
    assert!(kept("let mut i: usize = 1; i = n; while i < 32 { i *= 2; }"));
    assert!(kept("let mut i: usize = 1; while i < n { i *= 2; }"));
    assert!(kept("let mut i: u8 = 1u8; while i < 200u8 { i *= 2u8; }"));
    assert!(kept("let mut i: usize = 1; while i < 32 { i *= 1; }"));
    assert!(kept("while n > 3 { }"));
    assert!(kept("loop { if n > 3 { break; } }"));
    assert!(kept("let mut i: usize = 0; while i < n { i += 3; }"));
    assert!(kept("let mut i: usize = 0; while i != n { i += 1; }"));
    assert!(kept("let mut i: usize = 0; let mut m: usize = n; while i < m { i += 1; m += 2; }"));
    assert!(kept("let mut i: usize = 0; while i < n { if x[i] > 3u32 { continue; } i += 1; }"));
    assert!(kept("let mut i: usize = 0; while i < n { i += 1; i -= 1; }"));
    assert!(kept("let mut i: usize = 0; while i < n { if x[0] > 3u32 { i += 1; } }"));
    assert!(kept("let mut i: usize = n; while i > 0 { i /= 1; }"));
    assert!(kept("let mut i: usize = n; while i != 0 { i >>= 64; }"));
    assert!(kept("let mut i: u32 = 1u32; while i < 16u32 { i <<= 32; }"));
    assert!(kept("let mut i: usize = n; while i != 1 { if i > 7 { y[0] = 1u32; } i = i * 3 + 1; }"));
    assert!(kept("let mut i: usize = n; while i != 1 { i = i * 3 + 1; if i > 7 { continue; } y[0] = 1u32; }"));
}

/// A loop from 0 is unrolled by a small power of two by which its counter is divided.
#[test]
fn loops_with_remainders_of_the_counter_are_unrolled() {
    let factor = |body: &str| {
        let text = text_of(&format!("fn k(x: &[u32], y: &mut [u32], n: usize) {{ {body} }}"));
        let at = text.find("#pragma unroll")?;
        text[at..].lines().next().map(str::to_owned)
    };
    let by = |factor: u32| Some(format!("#pragma unroll {factor}"));
    assert_eq!(factor("for i in 0..n { y[i % 2] = x[i]; }"), by(2));
    assert_eq!(factor("for i in 0..n { if i % 2 == 0 { y[i] = x[i % 4]; } }"), by(4));
    assert_eq!(factor("#[unroll(8)] for i in 0..n { y[i % 2] = x[i]; }"), by(8));
    assert_eq!(factor("#[unroll(1)] for i in 0..n { y[i % 2] = x[i]; }"), by(1));
    for other in ["i % 3", "i % 8", "n % 2", "i / 2", "(i + 1) % 2"] {
        assert_eq!(factor(&format!("for i in 0..n {{ y[{other}] = x[i]; }}")), None, "{other}");
    }
    assert_eq!(factor("for i in 1..n { y[i % 2] = x[i]; }"), None);
    assert_eq!(factor("for i in 0..6 { y[i % 2] = x[i]; }"), None);
    assert_eq!(factor("for i in (0..n).rev() { y[i % 2] = x[i]; }"), None);
}

/// Two to four index checks call a function of their own.
#[test]
fn few_checks_call_their_own_functions() {
    let own = |reads: usize| {
        let sum: Vec<String> = (0..reads).map(|i| format!("x[t + {i}]")).chain(["1u32".to_owned()]).collect();
        let text = text_of(&format!("fn k(x: &[u32], y: &mut [u32], t: usize) {{ y[0] = {}; }}", sum.join(" + ")));
        (text.matches("rt::at<").count(), text.matches("rt::at(").count())
    };
    assert_eq!(own(0), (0, 1));
    assert_eq!(own(1), (2, 0));
    assert_eq!(own(3), (4, 0));
    assert_eq!(own(4), (0, 5));
}
