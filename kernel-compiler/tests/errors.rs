//! Rejected programs and their error messages; and corrupt IR, which has to cause errors but no panic.

mod common;

use std::sync::Arc;

use cumbia_kernel_compiler::{LAUNCH_BYTES, Options, check, write};
use cumbia_kernel_ir::{
    Arm, BinaryOp, Block, Callee, Constant, ConstantValue, Expr, ExprId, ExprKind, Filled, Function, FunctionId,
    Instance, LocalId, LoopId, Message, Pattern, Piece, Program, Scalar, SlotId, Type, Unroll,
};

/// Returns the messages of all errors of a program.
fn messages(program: &Program) -> Vec<String> {
    match check(program.clone()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.0.iter().map(|error| error.diagnostic.message.clone()).collect(),
    }
}

#[track_caller]
fn rejects(text: &str, expected: &[&str]) {
    assert_eq!(messages(&common::program(text, true)), expected);
}

#[test]
fn a_message_has_three_parts() {
    let program = common::program("fn k(x: &[f32]) {\n    x[0] = 1.0;\n}", true);
    let errors = check(program).expect_err("an error").to_string();
    assert_eq!(
        errors,
        "error: cannot write to an element of `x`\n       \
         why: it is a `&[f32]`, which is read-only\n       \
         help: declare it as `&mut [f32]`\n       \
         at src/kernels.rs:2:5 in `k`"
    );
}

#[test]
fn symbols_of_linked_functions_are_distinct() {
    rejects(
        "#[link(\"sinf\")] fn f(x: f32) -> f32 { } #[link(\"k\")] fn g(x: f32) -> f32 { }
        #[link(\"h\")] fn h(x: f32) -> f32 { } #[link(\"h\")] fn i(x: u32) -> u32 { }
        #[link(\"unused\")] fn u(x: f32) -> f32 { } #[link(\"unused\")] fn v(x: u32) -> u32 { }
        #[link(\"same\")] fn s(x: u32) -> u32 { } #[link(\"same\")] fn t(x: u32) -> u32 { }
        fn k(x: &mut [f32]) { x[0] = f(g(h(x[1]))); x[i(s(t(1u32))) as usize] = 0.0; }",
        &["the symbol `sinf` cannot be linked", "two device functions with different signatures have the symbol `h`"],
    );
}

#[test]
fn all_errors_are_reported_together() {
    rejects(
        "fn helper(x: &[f32]) { x[0] = 1.0; } fn k(x: (), y: &[f32]) -> f32 { y[0] += 1.0; helper(y); 2.0 }",
        &[
            "cannot write to an element of `x`",
            "the parameter `x` has the unsupported type `()`",
            "a kernel cannot return `f32`",
            "cannot write to an element of `y`",
        ],
    );
}

#[test]
fn writes_to_read_only_places() {
    rejects("fn k(x: f32) { x = 1.0; }", &["cannot assign to `x`, which is not declared `mut`"]);
    rejects("fn k(y: &[u32]) { atomic_add(&mut y[0], 1u32); }", &["cannot write to an element of `y`"]);
    rejects("fn k(y: &[f32]) { let part = &mut y[1..]; }", &["cannot write to an element of `y`"]);
    rejects("fn k(y: ArrayView2<f32>) { y[[0, 1]] = 1.0; }", &["cannot write to an element of `y`"]);
    rejects("fn f(y: &f32) { *y = 1.0; } fn k(x: &[f32]) { f(&x[0]); }", &["cannot write to the referent of `y`"]);
    rejects(
        "struct P { x: f32 } fn f(p: &P) { p.x += 1.0; } fn k(p: P) { f(&p); }",
        &["cannot write to the referent of `p`"],
    );
    rejects(
        "struct P { x: [f32; 2] } fn f(p: &[P]) { p[0].x[1] = 1.0; } fn k(p: &[P]) { f(p); }",
        &["cannot write to an element of `p`"],
    );
    rejects("fn f() -> f32 { 1.0 } fn k() { f() = 2.0; }", &["this expression is not assignable"]);
    rejects("fn k() { let a = [1.0, 2.0]; a[0] = 2.0; }", &["cannot assign to `a`, which is not declared `mut`"]);
    rejects(
        "fn k() { let a = [1.0, 2.0]; for v in a.iter_mut() { } }",
        &["cannot assign to `a`, which is not declared `mut`"],
    );
    rejects(
        "struct P { x: f32 } impl P { fn grow(&mut self) { self.x += 1.0; } } fn k(p: P) { p.grow(); }",
        &["cannot assign to `p`, which is not declared `mut`"],
    );
}

#[test]
fn types_without_memory_layout() {
    rejects("fn k(x: &[(f32, f32)]) { }", &["the parameter `x` has the unsupported type `&[(f32, f32)]`"]);
    rejects("fn k(x: &[[f32; 0]]) { }", &["the parameter `x` has the unsupported type `&[[f32; 0]]`"]);
    rejects("fn k(x: ()) { }", &["the parameter `x` has the unsupported type `()`"]);
    rejects("fn k(x: &f32) { }", &["the parameter `x` has the unsupported type `&f32`"]);
    rejects("struct Empty { } fn k(x: Empty) { }", &[]);
    rejects(
        "struct Empty { } fn k(x: &[Empty]) { }",
        &["the parameter `x` has the unsupported type `&[kernels::Empty]`"],
    );
    rejects(
        "struct P { x: &[f32] } fn f(p: P) { } fn k(x: &[f32]) { f(P { x }); }",
        &["a value of type `kernels::P` is not supported"],
    );
    rejects("struct Tagged { x: f32, none: [u8; 0] } fn k(x: &[Tagged]) { }", &[]);
    rejects("fn k() { let t = (1.0, 2.0); let r = &t; }", &["a reference to a `(f32, f32)` is not supported"]);
    rejects("fn k() { let a = [0.0; 0]; let r = &a; }", &[]);
    rejects(
        "fn k(x: &[f32]) { let a = [&x[0], &x[1]]; let b = a; }",
        &["a value of type `[&f32; 2]` is not supported"],
    );
    rejects("fn k(x: &[f32]) { let a = [&x[1..]; 2]; }", &["a value of type `[&[f32]; 2]` is not supported"]);
    rejects("fn k() { let a = [(); 2]; }", &["a value of type `[(); 2]` is not supported"]);
    rejects("fn k() { let a = [[0.0; 0]; 2]; }", &["a value of type `[[f32; 0]; 2]` is not supported"]);
    rejects("fn k() { shared::<[f32; 0]>(); }", &["shared memory of type `[f32; 0]` is not supported"]);
    rejects("fn k() { shared::<(f32, f32)>(); }", &["shared memory of type `(f32, f32)` is not supported"]);
    rejects("fn k() { dynamic_shared::<()>(); }", &["dynamic shared memory of type `()` is not supported"]);
    rejects("fn k() { shfl_sync(1u32, [0.0; 0], 3); }", &["a shuffle of `[f32; 0]` is not supported"]);
}

#[test]
fn results_that_are_references() {
    rejects("fn f(x: &[f32]) -> &[f32] { x } fn k(x: &[f32]) { f(x); }", &["a device function cannot return `&[f32]`"]);
    rejects("fn f(x: &[f32]) -> &f32 { &x[0] } fn k(x: &[f32]) { f(x); }", &["a device function cannot return `&f32`"]);
    rejects(
        "fn f(x: &[f32]) -> (&[f32], usize) { (x, 1) } fn k(x: &[f32]) { f(x); }",
        &["a device function cannot return `(&[f32], usize)`"],
    );
    rejects("fn f() -> [f32; 0] { [0.0; 0] } fn k() { f(); }", &[]);
    rejects(
        "fn f() -> [[f32; 0]; 2] { [[0.0; 0]; 2] } fn k() { f(); }",
        &["a device function cannot return `[[f32; 0]; 2]`", "a value of type `[[f32; 0]; 2]` is not supported"],
    );
}

#[test]
fn limits_of_the_device() {
    rejects(
        "fn k() { let a: Shared<[f32; 8192]> = shared::<[f32; 8192]>(); let b = shared::<[f32; 8192]>(); }",
        &["the kernel declares 65536 bytes of shared memory"],
    );
    // A slice occupies 16 bytes, a two-dimensional view 40.
    let rest = (4096 - LAUNCH_BYTES - 16 - 40) / 8;
    let takes = |len: usize| format!("fn k(a: [f64; {len}], x: &[f32], y: ArrayView2<f32>) {{ }}");
    rejects(&takes(rest), &[]);
    rejects(&takes(rest + 1), &[&format!("the kernel's parameters occupy {} bytes", 4096 - LAUNCH_BYTES + 8)]);
    rejects("struct Big { data: [[f64; 16]; 32] } fn k(big: Big) { }", &["the kernel's parameters occupy 4096 bytes"]);
}

#[test]
fn unsupported_atomic_operands() {
    rejects("fn k(y: &mut [u8]) { atomic_add(&mut y[0], 1u8); }", &["`atomic_add` is not supported for `u8`"]);
    rejects(
        "fn k(y: &mut [f32]) { let v: f32 = atomic_xor(&mut y[0], 1.0); }",
        &["`atomic_xor` is not supported for `f32`"],
    );
    let thread = |name: &str| format!("`{name}` is applied to a thread-local variable");
    let (add, count) = (thread("atomic_add"), thread("count"));
    rejects("fn k(n: u32) { let mut n: u32 = n; atomic_add(&mut n, 1u32); }", &[&add]);
    rejects("fn k() { let mut a = [0u32; 4]; atomic_add(&mut a[1], 1u32); }", &[&add]);
    rejects("fn k() { let mut a = [0u32; 4]; let part = &mut a[1..]; atomic_add(&mut part[0], 1u32); }", &[&add]);
    rejects(
        "fn k(p: bool, y: &mut [u32]) {
            let mut n = 0u32;
            let mut r = &mut y[0];
            if p { r = &mut n; }
            let s = if p { r } else { &mut y[1] };
            atomic_add(s, 1u32);
        }",
        &[&add],
    );
    rejects("fn k() { let mut a = [0u32; 4]; for v in a.iter_mut() { atomic_add(v, 1u32); } }", &[&add]);
    rejects(
        "fn k() { let mut a = [0u32; 4]; let (l, r) = (&mut a).split_at_mut(2); atomic_add(&mut r[0], 1u32); }",
        &[&add],
    );
    let count_of = "fn inner(y: &mut u32) { atomic_add(y, 1u32); } fn count(n: u32, y: &mut u32) { inner(y); }";
    rejects(&format!("{count_of} fn k() {{ let mut n = 0u32; count(1u32, &mut n); }}"), &[&count]);
    rejects(
        "struct Counter { hits: u32 }
        impl Counter { fn count(&mut self) { atomic_add(&mut self.hits, 1u32); } }
        fn k() { let mut c = Counter { hits: 0 }; c.count(); }",
        &[&count],
    );
    rejects(
        "struct Counter { hits: u32 }
        impl AddAssign for Counter { fn add_assign(&mut self, n: u32) { atomic_add(&mut self.hits, n); } }
        fn k(y: &mut [Counter]) { let mut c = y[0]; c += 1u32; y[1] += 2u32; }",
        &[&thread("add_assign")],
    );
    for fine in [
        &format!("{count_of} fn k(y: &mut [u32]) {{ count(1u32, &mut y[0]); }}"),
        "struct Counter { hits: u32 }
        impl Counter { fn count(&mut self) { atomic_add(&mut self.hits, 1u32); } }
        fn k(y: &mut [Counter]) { y[0].count(); let c = shared::<Counter>(); c.count(); }",
        "fn k(y: &mut [u32]) {
            let (l, r) = y.split_at_mut(2);
            let all = dynamic_shared_at::<u32>(0, 4);
            for v in l.iter_mut() { atomic_max(v, 1u32); }
            let one = loop { break &mut all[1]; };
            atomic_add(one, 1u32);
            atomic_add(&mut shared::<[u32; 4]>()[2], 1u32);
        }",
    ] {
        rejects(fine, &[]);
    }
}

#[test]
fn thread_operations_called_by_operators() {
    let operator = |body: &str| {
        format!(
            "struct P {{ x: usize }}
            fn position() -> usize {{ {body} }}
            impl Add for P {{ fn add(self, other: P) -> P {{ P {{ x: self.x + other.x + position() }} }} }}
            fn k(p: P) {{ let q = p + p; let x = position(); }}"
        )
    };
    rejects(&operator("grid(1)"), &["`grid` is not supported in the implementation of an operator"]);
    rejects(&operator("sync_threads(); 1"), &["`sync_threads` is not supported in the implementation of an operator"]);
    rejects(&operator("thread_fence(); 1"), &[]);
    rejects(
        "struct P { x: usize }
        impl AddAssign for P { fn add_assign(&mut self, other: P) { self.x += lane_id(); } }
        fn k(p: P) { let mut q = p; q += p; }",
        &["`lane_id` is not supported in the implementation of an operator"],
    );
}

#[test]
fn methods_and_messages() {
    rejects(
        "fn k(x: f32) { let n: u32 = x.count_ones(); }",
        &["method `count_ones` of `f32` is not supported on a device"],
    );
    rejects("fn k() { k(); }", &["recursive call: function 4294967295 does not precede its caller"]);
    rejects(
        "struct P { x: f32 } fn k(p: P) { println!(\"{} {}\", p.x, p); }",
        &["a format argument of type `kernels::P` needs `{:?}`"],
    );
    rejects("struct P { x: f32 } fn k(p: P) { println!(\"{p:?} {:#?}\", (p, [p.x; 3])); }", &[]);
    rejects("fn k(x: &[f32]) { println!(\"{:?}\", x); }", &["a format argument of type `&[f32]` is not supported"]);
    rejects(
        "fn k(x: f32) { println!(\"{:?} {:?}\", [x; 64], [x; 65]); }",
        &["a format argument of type `[f32; 65]` has more than 64 scalars"],
    );
}

#[test]
fn inconsistent_types() {
    rejects("fn k(x: f32, n: i32) { let y: f32 = x + n; }", &["Add of `f32` and `i32`"]);
    rejects("fn k(x: f32) { if x { } }", &["the condition of an `if` is `f32`, not `bool`"]);
    rejects("fn k(x: f32) { let y: i32 = x; }", &["the value of a `let` is `f32`, not `i32`"]);
    rejects("fn k(y: &[f32], i: i32) { let z: f32 = y[i]; }", &["an index is `i32`, not `usize`"]);
    rejects("fn k(x: f32) { let y: f32 = !x; }", &["`!` of `f32`"]);
    rejects("fn f(x: f32) { } fn k(n: i32) { f(n); }", &["an argument of `f` is `i32`, not `f32`"]);
    rejects(
        "fn k() { let x: u8 = 256u8; }",
        &["the literal Int { magnitude: 256, negative: false } does not fit `u8`"],
    );
    rejects("fn k(b: bool) { for i in b..b { } }", &["a range of `bool`"]);
    rejects("fn k(y: ArrayView2<f32>) { let x: f32 = y[1]; }", &["an index is `usize`, not `[usize; 2]`"]);
    rejects("fn k(x: f32) { let y: f32 = x[0]; }", &["`f32` has no elements"]);
    rejects("fn k(x: f32) { let y: f32 = *x; }", &["`*` of `f32`"]);
    rejects("fn k(x: &[f32], i: i32) { let y = &x[i..]; }", &["a bound of a sub-slice is `i32`, not `usize`"]);
    rejects("fn k() { let a = [1.0, 2u32]; }", &["the elements of an array are `f32` and `u32`"]);
    rejects("fn k() { let a: [f32; 3] = [1.0; 2]; }", &["the value of a `let` is `[f32; 2]`, not `[f32; 3]`"]);
    rejects("fn k(x: f32) { for v in x..x { } }", &["a range of `f32`"]);
    rejects("fn k(b: bool) { let n: u8 = b as u8; let b: bool = n as bool; }", &["a cast from `u8` to `bool`"]);
    rejects("enum Kind { A, B } fn k() { let x = Kind::A as f32; }", &["a cast from `kernels::Kind` to `f32`"]);
    rejects(
        "enum Kind { A, B } fn k() { let x = Kind::A + Kind::B; }",
        &["Add of `kernels::Kind` and `kernels::Kind`"],
    );
    rejects("enum Kind { A, B } fn k(n: u8) { let x = Kind::A == n; }", &["Eq of `kernels::Kind` and `u8`"]);
    rejects("struct P { x: f32 } fn k(p: P) { let q: P = p + p; }", &["Add of `kernels::P` and `kernels::P`"]);
    let point = |body: &str| format!("struct P {{ x: f32, y: f32 }} fn k(p: P) {{ {body} }}");
    rejects(&point("let q = P { x: 1.0 };"), &["`kernels::P` is given 1 of 2 fields"]);
    rejects(&point("let q = P { x: 1.0, z: 1.0 };"), &["`kernels::P` has no field `z`"]);
    rejects(&point("let q = P { x: 1.0, x: 1.0 };"), &["`kernels::P` is given `x` twice"]);
    rejects(&point("let q = P { x: 1u32, ..p };"), &["the value of a field is `u32`, not `f32`"]);
    rejects(&point("let q = P { x: 1.0, ..1.0 };"), &["the base of a struct expression is `f32`, not `kernels::P`"]);
    rejects(&point("let q: f32 = p.z;"), &["`kernels::P` has no field `z`"]);
    rejects(&point("let q: f32 = p;"), &["the value of a `let` is `kernels::P`, not `f32`"]);
}

#[test]
fn inconsistent_patterns() {
    let arm =
        |of: &str, pattern: &str| format!("struct P {{ x: f32 }} fn k(v: {of}) {{ match v {{ {pattern} => {{}} }} }}");
    rejects(&arm("u8", "(a, b)"), &["a pattern of 2 parts for `u8`"]);
    rejects(&arm("u8", "P { x }"), &["a pattern of fields for `u8`"]);
    rejects(&arm("P", "P { z: 1.0 }"), &["`kernels::P` has no field `z`"]);
    rejects(&arm("P", "P { x: 1.0, x: 2.0 }"), &["a pattern names `x` twice"]);
    rejects(&arm("P", "P { x: true }"), &["the literal Bool(true) does not fit `f32`"]);
    rejects(&arm("[u8; 3]", "[a, b]"), &["a pattern of 2 elements for `[u8; 3]`"]);
    rejects(&arm("u8", "256"), &["the literal Int { magnitude: 256, negative: false } does not fit `u8`"]);
    rejects(&arm("bool", "false..=true"), &["a pattern that is a range for `bool`"]);
    rejects(
        "enum A { X } enum B { Y } fn k(a: A) { match a { B::Y => {} } }",
        &["the constant of a pattern is `kernels::B`, not `kernels::A`"],
    );
    rejects("fn k(n: u8) { match n { 1 => 2, _ => 1.0 }; }", &["the arms of a `match` are `usize` and `f32`"]);
    rejects("fn k(n: u8) { match n { 1 if n => {} _ => {} } }", &["the guard of an arm is `u8`, not `bool`"]);
}

/// Returns a kernel whose body consists of these expressions as statements.
fn corrupt(exprs: Vec<ExprKind>, slots: Vec<Filled>) -> Program {
    let mut program = common::program("fn k() { }", true);
    let function: &mut Function = &mut Arc::make_mut(&mut program.kernel).function;
    function.exprs = exprs.into_iter().map(|kind| Expr { kind, span: function.span }).collect();
    function.body.tail = function.exprs.len().checked_sub(1).map(|last| ExprId(last as u32));
    function.slots = slots.len() as u32;
    Arc::make_mut(&mut program.kernel).slots = slots;
    program
}

#[test]
fn corrupt_functions_are_errors() {
    let call = |callee| ExprKind::Call { callee, args: Vec::new() };
    let unit = || ExprKind::Tuple(Vec::new());
    let some = |id| Some(ExprId(id));
    let bits = |ty, bits| vec![Filled::Constant(Constant { ty, value: ConstantValue::Bits(bits) })];
    let parts = |ty, len| {
        vec![Filled::Constant(Constant { ty, value: ConstantValue::Parts(vec![ConstantValue::Bits(0); len]) })]
    };
    let constant = || vec![ExprKind::Constant(SlotId(0))];
    let arms = |pattern| {
        let arm = Arm { pattern, guard: None, body: ExprId(1) };
        vec![unit(), unit(), ExprKind::Match { scrutinee: ExprId(0), arms: vec![arm] }]
    };
    let labelled =
        |jump| vec![jump, ExprKind::Labelled { id: LoopId(0), body: Block { stmts: Vec::new(), tail: some(0) } }];
    let unrolled = ExprKind::Loop { id: LoopId(0), body: Block::default(), unroll: Unroll::By(0) };
    let number = Piece::Number { position: 0, format: String::new() };
    let part = ExprKind::SubSlice { base: ExprId(0), start: None, end: None, inclusive: false };
    let nothing = Pattern::Range { start: None, end: None, inclusive: false };
    let open = Pattern::Range { start: Some(Box::new(Pattern::Wild)), end: None, inclusive: true };
    let deep = (0..500).fold(Pattern::Wild, |inner, _| Pattern::Tuple(vec![inner]));
    let function = Filled::Callee(Callee::Function(FunctionId(0)));
    let add = ExprKind::Binary { op: BinaryOp::Add, left: ExprId(0), right: ExprId(1), operator: SlotId(0) };
    for (program, expected) in [
        (corrupt(vec![ExprKind::Deref(ExprId(0))], vec![]), "ExprId0 comes before its operand ExprId0"),
        (corrupt(vec![ExprKind::Deref(ExprId(9))], vec![]), "ExprId0 comes before its operand ExprId9"),
        (corrupt(vec![unit(), ExprKind::Tuple(vec![ExprId(0), ExprId(0)])], vec![]), "ExprId0 has two parents"),
        (corrupt(vec![ExprKind::Local(LocalId(3))], vec![]), "LocalId3 does not exist"),
        (corrupt(vec![call(SlotId(0))], vec![]), "SlotId0 does not hold a callee"),
        (corrupt(vec![call(SlotId(0))], vec![Filled::Type(Type::Unit)]), "SlotId0 does not hold a callee"),
        (corrupt(vec![ExprKind::Constant(SlotId(7))], vec![]), "SlotId7 does not hold a constant"),
        (corrupt(constant(), bits(Type::Scalar(Scalar::U8), 256)), "SlotId0 does not hold a `u8`"),
        (corrupt(constant(), bits(Type::BOOL, 2)), "SlotId0 does not hold a `bool`"),
        (corrupt(constant(), bits(Type::Array(Box::new(Type::U32), 2), 2)), "SlotId0 does not hold a `[u32; 2]`"),
        (corrupt(constant(), parts(Type::Array(Box::new(Type::U32), 2), 1)), "SlotId0 does not hold a `[u32; 2]`"),
        (corrupt(constant(), parts(Type::Tuple(vec![Type::U32]), 2)), "SlotId0 does not hold a `(u32,)`"),
        (corrupt(vec![unit(), unit(), add], vec![Filled::Type(Type::Unit)]), "SlotId0 does not hold an operator"),
        (corrupt(vec![ExprKind::Continue { target: LoopId(0) }], vec![]), "LoopId0 does not enclose the jump to it"),
        (corrupt(labelled(ExprKind::Continue { target: LoopId(0) }), vec![]), "LoopId0 cannot be continued"),
        (corrupt(vec![unrolled], vec![]), "a loop is unrolled by a factor of zero"),
        (corrupt(vec![ExprKind::Array(Vec::new())], vec![]), "an array has no type"),
        (corrupt(vec![unit(), part], vec![]), "a sub-slice is used without `&`"),
        (
            corrupt(vec![ExprKind::Panic(Message { pieces: vec![number], args: Vec::new() })], vec![]),
            "a message with 0 arguments refers to argument 0",
        ),
        (corrupt(arms(Pattern::Constant(SlotId(0))), vec![]), "SlotId0 does not hold a constant"),
        (corrupt(arms(Pattern::Local(LocalId(0))), vec![]), "LocalId0 does not exist"),
        (corrupt(arms(nothing), vec![]), "a range pattern has no bound"),
        (corrupt(arms(Pattern::Or(Vec::new())), vec![]), "the alternatives of a pattern declare different variables"),
        (
            corrupt(arms(Pattern::Or(vec![Pattern::Wild, Pattern::Local(LocalId(0))])), vec![]),
            "the alternatives of a pattern declare different variables",
        ),
        (corrupt(arms(deep), vec![]), "the pattern nests deeper than 400 levels"),
        (corrupt(vec![call(SlotId(0))], vec![function]), "recursive call: function 0 does not precede its caller"),
    ] {
        assert_eq!(messages(&program), [expected]);
    }
    assert_eq!(
        messages(&corrupt(arms(open), vec![])),
        ["a range pattern has no bound", "a range pattern has a bound that is not a constant"]
    );
}

/// Returns a sum of `terms` terms, whose nesting depth is the same number.
fn sum(terms: usize) -> Program {
    let text = format!("fn k(y: &mut [f32]) {{ y[0] = {}; }}", vec!["y[1]"; terms].join(" + "));
    // The parser recurses, too, and deeper than the compiler.
    let parse = move || common::program(&text, true);
    std::thread::Builder::new().stack_size(64 << 20).spawn(parse).expect("a thread").join().expect("a program")
}

#[test]
fn deep_expressions_compile_or_are_rejected_on_a_small_stack() {
    let deep = sum(390);
    let written = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let validated = check(deep).unwrap_or_else(|errors| panic!("{errors}"));
        write(&validated, &Options::default()).text.len()
    });
    assert!(written.expect("a thread").join().expect("no overflow") > 390 * 10);
    assert!(messages(&sum(600)).iter().any(|message| message == "the expression nests deeper than 400 levels"));
}

/// Modifies every byte of a function: whatever can still be decoded is rejected or compiled, without a panic.
#[track_caller]
fn corrupt_every_byte(program: &Program) {
    let bytes = program.kernel.function.to_bytes();
    let mut read = 0;
    for position in 0..bytes.len() {
        for change in [1, 2, 0x10, 0x7f] {
            let mut bytes = bytes.clone();
            bytes[position] ^= change;
            let Ok(function) = Function::from_bytes(&bytes) else { continue };
            read += 1;
            let kernel = Arc::new(Instance { function, ..(*program.kernel).clone() });
            let program = Program { kernel, functions: program.functions.clone(), index: program.index };
            if let Ok(validated) = check(program) {
                let text = write(&validated, &Options::default()).text;
                assert!(!text.contains("bug in Cumbia"), "{text}");
            }
        }
    }
    assert!(read > 100);
}

#[test]
fn corrupt_bytes_do_not_panic() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/control.rs"))
        .expect("the file can be read");
    corrupt_every_byte(&common::program(&text, true));
}

#[test]
fn corrupt_bytes_of_all_constructs_do_not_panic() {
    corrupt_every_byte(&common::program(
        "enum Kind { A, B }
        const N: usize = 4;
        struct P { x: f32, kinds: [Kind; 2] }
        impl P { fn norm(&self) -> f32 { self.x } fn grow(&mut self) { self.x += 1.0; } }
        impl Add for P { fn add(self, other: P) -> P { P { x: self.x + other.x, ..self } } }
        impl AddAssign for P { fn add_assign(&mut self, other: P) { self.x += other.x; } }
        impl PartialEq for P { fn eq(&self, other: &P) -> bool { self.x == other.x } }
        fn sum(x: &[f32]) -> (f32, bool) { let mut s = 0.0; for v in x.iter() { s += *v; } (s, x.is_empty()) }
        fn k(p: P, x: &mut [f32], ps: &mut [P], v: ArrayViewMut2<f32>, hits: &mut [u32]) {
            let i = grid(1);
            let mut a = [[0.0; 4]; 2];
            let list = [1u32, 2, 3];
            a[1][i] = x[i];
            ps[i].kinds[0] = Kind::B;
            ps[i].grow();
            let P { x: px, kinds: [first, _] } = ps[i] + p;
            let mut q = p;
            q += ps[0];
            let r = &mut x[1..i];
            let (s, empty) = sum(r);
            let t = &mut a[0];
            t[2] = match (i, first) {
                (0, Kind::A) => s,
                (n @ 1..=3, Kind::A | Kind::B) if n > 2 => px,
                (N, k) if k == Kind::A => 3.0,
                (..9, _) => if N > 4 { 1.0 } else { q.norm() },
                _ => 'out: { if empty { break 'out 1.0; } for (j, e) in x.iter_mut().enumerate().rev() { *e = j as f32; } 2.0 },
            };
            #[unroll] for j in (0..10).rev().step_by(3) { x[j] = *(&t[0]); }
            v[[i, 1]] = a[0][1] + list[2] as f32 + if q == p && q != ps[1] { 1.0 } else { -x[0].abs() };
            let tile = shared::<[[f32; 4]; 4]>();
            tile[0][1] = shfl_sync(1u32, x[0], 1);
            atomic_add(&mut hits[0], 1u32);
            println!(\"{} {:?}\", i, empty);
            assert!(i < 100, \"{i}\");
        }",
        true,
    ));
}

#[test]
fn synchronisation_in_guards_with_alternatives() {
    let help = |name: &str| format!("`{name}` is not supported in the guard of an or-pattern");
    let kernel = |pattern: &str, guard: &str| {
        format!(
            "fn meet(n: u32) -> bool {{ sync_threads(); n > 1u32 }}
            fn k(x: &[u32], y: &mut [u32]) {{
                match (x[0], x[1]) {{ {pattern} if {guard} => {{ y[0] = 1u32; }} _ => {{}} }}
            }}"
        )
    };
    rejects(&kernel("(0, v) | (v, 0)", "meet(v)"), &[&help("sync_threads")]);
    rejects(&kernel("(0, _) | (_, 0)", "meet(3u32)"), &[&help("sync_threads")]);
    rejects(&kernel("(0, v) | (v, 0)", "all_sync(1u32, v > 1u32)"), &[&help("all_sync")]);
    // At most one alternative can match, so the guard is emitted once.
    rejects(&kernel("(0 | 1, v)", "meet(v)"), &[]);
    rejects(&kernel("(0, v)", "meet(v)"), &[]);
    rejects(&kernel("(0, v) | (v, 0)", "v > 3u32"), &[]);
}
