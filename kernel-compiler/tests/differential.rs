//! Differential test against rustc: the emitted text, compiled by `g++`, has to have the same side effects in the same
//! order as the Rust program, up to the fault, if there is one.
//!
//! Each program is a kernel of `x: &[i32]` and `y: &mut [i32]`, run as a single thread on many inputs.

mod common;

use std::any::Any;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cumbia_kernel_compiler::{Options, SiteKind, Source, check, write};

/// The programs as compiled by rustc.
#[allow(unused, clippy::all, clippy::pedantic, reason = "the programs are written for two compilers")]
mod rust {
    use std::ops::{Add, AddAssign, Neg};

    fn grid(_: u8) -> usize {
        0
    }

    /// Shared memory, of which there is a single block's. All-zero bits are valid for all types of the programs.
    fn shared<T: Copy>() -> &'static mut T {
        // SAFETY: all-zero bits are valid for scalars, and for structs and arrays of scalars.
        Box::leak(Box::new(unsafe { std::mem::zeroed() }))
    }

    macro_rules! programs {
        ($($name:ident)*) => {
            $(mod $name {
                use super::*;
                include!(concat!("programs/", stringify!($name), ".rs"));

                pub(crate) fn run(x: &[i32], y: &mut [i32]) {
                    $name(x, y);
                }
            })*

            pub(crate) const ALL: &[(&str, &str, fn(&[i32], &mut [i32]))] = &[$((
                stringify!($name),
                include_str!(concat!("programs/", stringify!($name), ".rs")),
                $name::run,
            )),*];
        };
    }
    programs! { structs arrays tuples matching references ranges corners }
}

/// Inputs that exercise different paths: small numbers, negative numbers, and numbers out of bounds as an index.
fn inputs() -> Vec<[i32; 8]> {
    let mut inputs =
        vec![[0; 8], [1; 8], [1, 2, 3, 4, 5, 6, 7, 8], [-1, 5, 2, 3, 6, 1, 0, 2], [0, 4, 1, 2, 9, 7, 0, 1]];
    let mut state = 12345u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    for _ in 0..60 {
        inputs.push(std::array::from_fn(|_| next(14).cast_signed() - 2));
    }
    inputs.extend([
        [300, 100, 7, 0, 20, 30, 40, 200],
        [i32::MAX, i32::MAX, 1, 2, 3, 4, 5, 6],
        [i32::MIN, i32::MIN + 5, 2, 3, 4, 5, 6, 7],
    ]);
    inputs
}

/// The length of `y`.
const RESULTS: usize = 16;

/// Returns the behaviour of the Rust version, as one line.
fn expected(run: fn(&[i32], &mut [i32]), x: &[i32; 8]) -> String {
    let mut y = [0; RESULTS];
    let outcome = catch_unwind(AssertUnwindSafe(|| run(x, &mut y)));
    let end = match outcome {
        Ok(()) => "done".to_owned(),
        Err(payload) => message(&*payload),
    };
    format!("{} {end}\n", y.map(|n| n.to_string()).join(" "))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.expect("a message").to_owned()
}

/// Returns Rust's message of a fault, as a `printf` format for the record's `index` and `len`.
fn format_of(kind: &SiteKind) -> String {
    match kind {
        SiteKind::OutOfBounds => "index out of bounds: the len is %2$llu but the index is %1$llu".to_owned(),
        SiteKind::RangeReversed => "slice index starts at %1$llu but ends at %2$llu".to_owned(),
        SiteKind::RangeStartOutside => "range start index %1$llu out of range for slice of length %2$llu".to_owned(),
        SiteKind::RangeEndOutside => "range end index %1$llu out of range for slice of length %2$llu".to_owned(),
        other => other.to_string(),
    }
}

fn emitted(text: &str) -> Source {
    let program = common::program(text, cfg!(debug_assertions));
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    write(&validated, &Options::default())
}

/// Returns a C++ function that runs a kernel on all inputs, and prints one line for each.
fn runner(name: &str, source: &Source) -> String {
    let text = common::host::for_host(&source.text).replace("extern \"C\"", "static");
    let mut formats = String::new();
    for site in &source.sites {
        let _ = writeln!(formats, "{:?},", format_of(&site.kind));
    }
    format!(
        "namespace {name}_ {{
{text}
#line 1 \"run\"
static const char* const formats[] = {{{formats} \"\"}};
static void run() {{
    for (const auto& x : inputs) {{
        i32 y[{RESULTS}] = {{}};
        rt::Fault record = {{}};
        const rt::Launch launch = {{&record, nullptr, nullptr, 0}};
        char end[200] = \"done\";
        try {{
            {name}(x, 8, y, {RESULTS}, launch);
        }} catch (u32 site) {{
            snprintf(end, sizeof end, formats[site], record.index, record.len);
        }}
        for (i32 n : y) printf(\"%d \", n);
        printf(\"%s\\n\", end);
    }}
}}
}}
"
    )
}

#[test]
fn emitted_programs_match_rustc() {
    // Faults are expected and compared, so the panic messages are suppressed.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let run_all = |run: fn(&[i32], &mut [i32])| inputs().iter().map(|x| expected(run, x)).collect();
    let expected: Vec<Vec<String>> = rust::ALL.iter().map(|(_, _, run)| run_all(*run)).collect();
    std::panic::set_hook(hook);

    let mut text = String::from("static const int inputs[][8] = {\n");
    for x in inputs() {
        let _ = writeln!(text, "{{{}}},", x.map(|n| format!("(int){n}ll")).join(", "));
    }
    text.push_str("};\n");
    let mut calls = String::new();
    for (name, program, _) in rust::ALL {
        text.push_str(&runner(name, &emitted(program)));
        let _ = write!(calls, "{name}_::run(); ");
    }
    let _ = writeln!(text, "int main() {{ {calls} }}");
    let Some(output) = common::host::run("differential", &text) else { return };

    let mut lines = output.split_inclusive('\n');
    let mut faults = 0;
    for ((name, _, _), expected) in rust::ALL.iter().zip(&expected) {
        for (x, expected) in inputs().iter().zip(expected) {
            assert_eq!(lines.next(), Some(expected.as_str()), "`{name}` of {x:?}");
            faults += usize::from(!expected.ends_with("done\n"));
        }
    }
    assert!(faults > 20);
}
