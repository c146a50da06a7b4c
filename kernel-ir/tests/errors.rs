//! What is refused, and in which words. And what is damaged: an error, never a panic.

mod common;

use cumbia_kernel_ir::ir::{
    Callee, Expr, ExprId, ExprKind, Filled, Function, FunctionId, Instance, LoopId, Program, SlotId, Type,
};
use cumbia_kernel_ir::{Options, check, write};

/// The messages of all errors in a program.
fn messages(program: &Program) -> Vec<String> {
    match check(program) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.0.iter().map(|error| error.what.message.clone()).collect(),
    }
}

#[track_caller]
fn refuses(text: &str, expected: &[&str]) {
    assert_eq!(messages(&common::program(text, true)), expected);
}

#[test]
fn a_message_has_three_parts() {
    let program = common::program("fn k(x: &[f32]) {\n    x[0] = 1.0;\n}", true);
    let errors = check(&program).expect_err("an error").to_string();
    assert_eq!(
        errors,
        "error: an element of `x` is written\n       \
         why: it is a `&[f32]`, which a kernel only reads\n       \
         help: declare it as `&mut [f32]`\n       \
         at src/kernels.rs:2:5 in `k`"
    );
}

#[test]
fn all_errors_come_at_once() {
    refuses(
        "fn helper(x: &[f32]) { x[0] = 1.0; } fn k(x: (f32, f32), y: &[f32]) -> f32 { y[0] += 1.0; 2.0 }",
        &[
            "an element of `x` is written",
            "the parameter `x` has type `(f32, f32)`",
            "the kernel returns `f32`",
            "an element of `y` is written",
        ],
    );
}

#[test]
fn what_is_refused() {
    refuses("fn k(x: f32) { x = 1.0; }", &["`x` is assigned, but is not declared `mut`"]);
    refuses("fn k(x: f32) { let n: u32 = x.count_ones(); }", &["`f32` has no method `count_ones` in a kernel"]);
    refuses("fn k() { k(); }", &["the call reaches function 4294967295 of the program before it is complete"]);
    refuses(
        "fn k() { let mut a: Shared<[f32; 8192]> = shared::<[f32; 8192]>(); let b: Shared<[f32; 8192]> = shared::<[f32; 8192]>(); }",
        &["the kernel declares 65536 bytes of shared memory"],
    );
    refuses(
        "fn k() { let mut a: Shared<[[f32; 8]; 8]> = shared::<[[f32; 8]; 8]>(); a[0] = a[1]; }",
        &["a row of a shared array is used as a value", "an assignment to a place of type `[f32; 8]`"],
    );
    refuses("fn k(y: &mut [u8]) { atomic_add(&mut y[0], 1u8); }", &["`atomic_add` on a `u8`"]);
    refuses("fn k(y: &[u32]) { atomic_add(&mut y[0], 1u32); }", &["an element of `y` is written"]);
    refuses(
        "fn k(n: u32) { let mut n: u32 = n; atomic_add(&mut n, 1u32); }",
        &["a reference to a `u32` that is not an element of an array"],
    );
    refuses(
        "fn k(y: &mut [u32]) { let p: &mut u32 = &mut y[0]; }",
        &["the variable `p` has type `&mut u32`", "a reference to an element is used as a value"],
    );
    refuses(
        "fn k(p: bool) { let mut a: Shared<[f32; 8]> = shared::<[f32; 8]>(); let b: Shared<[f32; 8]> = if p { a } else { a }; }",
        &["a shared array cannot be chosen at run time"],
    );
    refuses(
        "fn k() { let a: Shared<[f32; 0]> = shared::<[f32; 0]>(); }",
        &["the variable `a` has type `shared [f32; 0]`", "shared memory of type `[f32; 0]`"],
    );
    refuses("fn two() -> (f32, f32) { (1.0, 2.0) } fn k() { }", &["the device function returns `(f32, f32)`"]);
}

#[test]
fn types_that_contradict_each_other() {
    refuses("fn k(x: f32, n: i32) { let y: f32 = x + n; }", &["Add of `f32` and `i32`"]);
    refuses("fn k(x: f32) { if x { } }", &["the condition of an `if` is `f32`, not `bool`"]);
    refuses("fn k(x: f32) { let y: i32 = x; }", &["the value of a `let` is `f32`, not `i32`"]);
    refuses("fn k(y: &[f32], i: i32) { let z: f32 = y[i]; }", &["an index is `i32`, not `usize`"]);
    refuses("fn k(x: f32) { let y: f32 = -true; }".replace("-true", "!x").as_str(), &["`!` of `f32`"]);
    refuses("fn f(x: f32) { } fn k(n: i32) { f(n); }", &["an argument of `f` is `i32`, not `f32`"]);
    refuses(
        "fn k() { let x: u8 = 256u8; }",
        &["the literal Int { magnitude: 256, negative: false } does not fit `u8`"],
    );
    refuses("fn k(b: bool) { for i in b..b { } }", &["a range of `bool`"]);
}

/// A kernel with these expressions, all of them statements of its body.
fn damaged(exprs: Vec<ExprKind>, slots: Vec<Filled>) -> Program {
    let mut program = common::program("fn k() { }", true);
    let function: &mut Function = &mut program.kernel.function;
    function.exprs = exprs.into_iter().map(|kind| Expr { kind, span: function.span }).collect();
    function.body.tail = function.exprs.len().checked_sub(1).map(|last| ExprId(last as u32));
    function.slots = slots.len() as u32;
    program.kernel.slots = slots;
    program
}

#[test]
fn damaged_functions_are_errors() {
    let call = |callee| ExprKind::Call { callee, args: Vec::new() };
    let unit = || ExprKind::Tuple(Vec::new());
    for (program, expected) in [
        (damaged(vec![ExprKind::Borrow(ExprId(0))], vec![]), "ExprId0 comes before its operand ExprId0"),
        (damaged(vec![ExprKind::Borrow(ExprId(9))], vec![]), "ExprId0 comes before its operand ExprId9"),
        (damaged(vec![unit(), ExprKind::Tuple(vec![ExprId(0), ExprId(0)])], vec![]), "ExprId0 stands at two places"),
        (damaged(vec![ExprKind::Local(cumbia_kernel_ir::ir::LocalId(3))], vec![]), "LocalId3 does not exist"),
        (damaged(vec![call(SlotId(0))], vec![]), "SlotId0 holds no callee"),
        (damaged(vec![call(SlotId(0))], vec![Filled::Type(Type::Unit)]), "SlotId0 holds no callee"),
        (damaged(vec![ExprKind::Constant(SlotId(7))], vec![]), "SlotId7 holds no constant"),
        (damaged(vec![ExprKind::Continue { target: LoopId(0) }], vec![]), "LoopId0 is not around the jump to it"),
        (
            damaged(vec![call(SlotId(0))], vec![Filled::Callee(Callee::Function(FunctionId(0)))]),
            "the call reaches function 0 of the program before it is complete",
        ),
    ] {
        assert_eq!(messages(&program), [expected]);
    }
}

/// A sum of `terms` terms nests as deep.
fn sum(terms: usize) -> Program {
    let text = format!("fn k(y: &mut [f32]) {{ y[0] = {}; }}", vec!["y[1]"; terms].join(" + "));
    // The parser recurses too, deeper than the compiler.
    let parse = move || common::program(&text, true);
    std::thread::Builder::new().stack_size(64 << 20).spawn(parse).expect("a thread").join().expect("a program")
}

#[test]
fn deep_expressions_compile_or_are_refused_on_a_small_stack() {
    let deep = sum(390);
    let written = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let validated = check(&deep).unwrap_or_else(|errors| panic!("{errors}"));
        write(&validated, &Options { bounds_checks: true }).text.len()
    });
    assert!(written.expect("a thread").join().expect("no overflow") > 390 * 10);
    assert!(messages(&sum(600)).iter().any(|message| message == "the expression nests deeper than 400 levels"));
}

/// Every byte of a function changed in some way: whatever can still be read is refused or written, without a panic.
#[test]
fn no_bytes_make_the_compiler_panic() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/control.rs"))
        .expect("it is there");
    let program = common::program(&text, true);
    let bytes = program.kernel.function.to_bytes();
    let mut read = 0;
    for position in 0..bytes.len() {
        for change in [1, 2, 0x10, 0x7f] {
            let mut bytes = bytes.clone();
            bytes[position] ^= change;
            let Ok(function) = Function::from_bytes(&bytes) else { continue };
            read += 1;
            let kernel = Instance { function, ..program.kernel.clone() };
            let program = Program { kernel, functions: program.functions.clone() };
            if let Ok(validated) = check(&program) {
                write(&validated, &Options { bounds_checks: true });
            }
        }
    }
    assert!(read > 100);
}
