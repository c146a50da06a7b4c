//! The text itself: golden files, `g++` as a second reader of it, and a run of a kernel with effects in every corner.
//!
//! `CUMBIA_BLESS=1 cargo test -p cumbia-kernel-ir` rewrites the golden files. `CUMBIA_DUMP=directory` keeps every text,
//! to be given to NVRTC.

mod common;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use cumbia_kernel_ir::ir::{Function, Program};
use cumbia_kernel_ir::{Facts, Options, SiteKind, Source, check, write};

const PROGRAMS: &[&str] = &["saxpy", "grid_stride", "gemm", "names", "control", "dynamic"];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn program(name: &str, overflow_checks: bool) -> Program {
    let text = fs::read_to_string(path(&format!("{name}.rs"))).expect("the program is there");
    common::program(&text, overflow_checks)
}

fn source(program: &Program, bounds_checks: bool) -> Source {
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    write(&validated, &Options { bounds_checks })
}

#[test]
fn the_text_is_as_it_was() {
    for name in PROGRAMS {
        let text = source(&program(name, false), true).text;
        // The prelude is the same everywhere, and covered by what is compiled.
        let start = text.find("namespace device").or(text.find("#line")).expect("a function");
        let golden = path(&format!("{name}.cu"));
        if std::env::var_os("CUMBIA_BLESS").is_some() {
            fs::write(&golden, &text[start..]).expect("the golden file can be written to");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            text[start..] == expected,
            "{} differs; `CUMBIA_BLESS=1 cargo test -p cumbia-kernel-ir` accepts:\n{}",
            golden.display(),
            &text[start..]
        );
    }
}

#[test]
fn a_host_compiler_accepts_the_text() {
    let mut all = String::new();
    for name in PROGRAMS {
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

#[test]
fn the_text_is_a_function_of_the_program() {
    for name in PROGRAMS {
        assert_eq!(source(&program(name, true), true), source(&program(name, true), true));
    }
}

#[test]
fn functions_come_back_from_their_bytes() {
    for name in PROGRAMS {
        let function = program(name, true).kernel.function;
        let bytes = function.to_bytes();
        assert_eq!(Function::from_bytes(&bytes), Ok(function));
        assert!(Function::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Function::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    }
}

#[test]
fn facts_are_those_of_the_whole_program() {
    let facts = |name| check(&program(name, true)).unwrap_or_else(|errors| panic!("{errors}")).facts();
    assert_eq!(facts("saxpy"), Facts::default());
    let gemm = Facts { needs_other_threads: true, static_shared_bytes: 2048, uses_dynamic_shared: false };
    assert_eq!(facts("gemm"), gemm);
    let dynamic = Facts { needs_other_threads: true, static_shared_bytes: 8, uses_dynamic_shared: true };
    assert_eq!(facts("dynamic"), dynamic);
}

#[test]
fn what_cannot_fault_takes_no_launch() {
    let unchecked = source(&program("saxpy", false), false);
    assert!(!unchecked.can_fault && unchecked.sites.is_empty());
    assert!(!unchecked.text.contains("Launch"));
    let checked = source(&program("saxpy", false), true);
    assert!(checked.can_fault && checked.sites.iter().all(|site| site.kind == SiteKind::OutOfBounds));
    assert_eq!((checked.sites[0].span.line, checked.sites[0].span.column), (4, 20));
    assert_eq!(checked.entry, "saxpy");
    assert_eq!(source(&program("names", false), true).entry, "main_");
}

/// The kernel as rustc compiles it, for one thread.
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
fn effects_happen_in_rusts_order() {
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
            control(x, 4, y, 4, c, 4, flags, 2, rt::Launch{{&record, 0}});
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
