//! Slots, as far as results do not show them: the types that the macro obtains from rustc, and the source of each
//! instance. The kernels whose results depend on slots are in the corpus, in `slots`.

use std::collections::BTreeSet;

use cumbia::__private::KernelImpl;
use cumbia::prelude::*;
use cumbia_corpus::slots::{generics, literals, sizes};

/// Returns the part of a kernel's source that is not the prelude.
#[track_caller]
fn body(source: cumbia::Result<String>) -> String {
    let source = source.expect("a valid kernel");
    let (_, body) = source.split_once("#line").expect("a line number before the first function");
    body.to_owned()
}

#[track_caller]
fn check(source: cumbia::Result<String>, expected: &[&str]) {
    let body = body(source);
    for part in expected {
        assert!(body.contains(part), "no `{part}` in\n{body}");
    }
}

#[test]
fn literals_have_the_types_that_rustc_inferred() {
    check(
        literals::late::cuda_source(),
        &["float acc = 0.0f", "i64 longest = 0", "u8 byte = 250", "usize at = 0", "i64 most = -1"],
    );
}

#[test]
fn a_generic_kernel_has_a_source_per_instance() {
    let sources = [
        generics::polynomial::<f32>::cuda_source(),
        generics::polynomial::<f64>::cuda_source(),
        generics::polynomial::<u8>::cuda_source(),
        generics::polynomial::<i16>::cuda_source(),
        generics::polynomial::<i64>::cuda_source(),
        generics::polynomial::<usize>::cuda_source(),
    ];
    let bodies = sources.map(body);
    assert!(!bodies[0].contains("double"), "the `f32` instance contains `double`:\n{}", bodies[0]);
    assert!(!bodies[1].contains("float"), "the `f64` instance contains `float`:\n{}", bodies[1]);
    assert_eq!(bodies.iter().collect::<BTreeSet<_>>().len(), bodies.len(), "two instances have the same source");
}

#[test]
fn the_source_is_deterministic() {
    assert_eq!(body(generics::calls::cuda_source()), body(generics::calls::cuda_source()));
}

#[test]
fn every_inferred_type_has_a_slot() {
    /// 1 parameter, 2 variables, 4 literals, 1 cast, 1 call, 1 constant and 3 operators.
    #[kernel]
    fn thirteen(out: &mut [f32]) {
        let i = grid(1);
        let x = i as f32 * 2.0 + f32::MAX;
        out[0] = x + 1.0;
    }
    assert_eq!(thirteen::definition().contents().len(), 13);
    assert_eq!(sizes::empty::definition().contents().len(), 0);
    let many = sizes::long::definition().contents().len();
    assert!(many > 400, "the long kernel has only {many} slots");
}

#[test]
fn kernels_with_the_same_name_are_distinct() {
    #[kernel]
    fn one(out: &mut [u32]) {
        out[0] = 1;
    }
    let first = body(one::cuda_source());
    let mut out = Device::cpu().zeros(1).expect("a small array");
    one(&mut out).grid(1).block(1).launch().expect("a good launch");
    assert_eq!(out.to_host().expect("no fault"), [1]);
    {
        #[kernel]
        fn one(out: &mut [u32]) {
            out[0] = 2;
        }
        assert_ne!(first, body(one::cuda_source()));
        one(&mut out).grid(1).block(1).launch().expect("a good launch");
        assert_eq!(out.to_host().expect("no fault"), [2]);
    }
}

#[test]
fn mutual_recursion_is_rejected() {
    #[device]
    fn even(n: u32) -> bool {
        if n == 0 { true } else { odd(n - 1) }
    }
    #[device]
    fn odd(n: u32) -> bool {
        if n == 0 { false } else { even(n - 1) }
    }
    #[kernel]
    fn parity(out: &mut [bool]) {
        out[0] = even(4);
    }
    let error = parity::cuda_source().expect_err("recursion");
    assert!(error.to_string().contains("recursion"), "{error}");
    let mut out = Device::cpu().zeros(1).expect("a small array");
    let error = parity(&mut out).grid(1).block(1).launch().expect_err("recursion");
    assert!(error.to_string().contains("recursion"), "{error}");
}

/// Checks that a recursion error names these functions and, for each call of the cycle, a position with this source
/// text.
#[track_caller]
fn check_cycle(error: cumbia::Result<String>, functions: &[&str], calls: &[&str]) {
    let error = error.expect_err("recursion").to_string();
    let source: Vec<&str> = include_str!("slots.rs").lines().collect();
    let mut lines = error.lines();
    let first = lines.find(|line| line.contains("recursion is not supported")).expect("a message");
    for function in functions {
        assert!(first.contains(function), "`{function}` is missing: {error}");
    }
    let mut positions = lines.filter_map(|line| line.trim().strip_prefix("at "));
    for call in calls {
        let at = positions.next().unwrap_or_else(|| panic!("no position of `{call}`: {error}"));
        let mut parts = at.split([':', ' ']);
        let (file, line, column) = (parts.next().expect("a file"), parts.next(), parts.next());
        assert!(file.ends_with("slots.rs"), "{error}");
        let [line, column] = [line, column].map(|n| n.and_then(|n| n.parse::<usize>().ok()).expect("a number"));
        let text = &source[line - 1][column - 1..];
        assert!(text.starts_with(call), "`{call}` is not at {line}:{column}, but `{text}`: {error}");
    }
    assert_eq!(positions.next(), None, "{error}");
}

#[test]
fn recursion_is_reported_with_each_call_of_the_cycle() {
    #[device]
    fn first(n: u32) -> u32 {
        if n == 0 { 1 } else { second(n - 1) + 1 }
    }
    #[device]
    fn second(n: u32) -> u32 {
        let m = n + 1;
        third::<f32>(m)
    }
    #[device]
    fn third<T: Float>(n: u32) -> u32 {
        first(n / 2)
    }
    #[device]
    fn outside(n: u32) -> u32 {
        n + third::<f64>(n)
    }
    #[kernel]
    fn of_functions(out: &mut [u32]) {
        out[0] = outside(1);
    }
    // The instance for `f64` is outside the cycle, and the one for `f32` is part of it.
    check_cycle(
        of_functions::cuda_source(),
        &["first → ", "second → ", "third → "],
        &["second(n - 1)", "third::<f32>(m)", "first(n / 2)"],
    );
}

#[test]
fn recursion_of_methods_operators_and_traits_is_reported() {
    #[derive(Clone, Copy, DeviceType)]
    struct Number {
        n: u32,
    }
    #[device]
    impl Number {
        fn factorial(self) -> u32 {
            if self.n == 0 { 1 } else { self.n * Number { n: self.n - 1 }.factorial() }
        }
        fn halved(&self) -> u32 {
            (Number { n: self.n / 2 } + *self).n
        }
    }
    #[device]
    impl std::ops::Add for Number {
        type Output = Number;
        fn add(self, other: Number) -> Number {
            Number { n: other.halved() }
        }
    }
    #[device]
    trait Depth: DeviceType {
        fn depth(&self) -> u32 {
            1 + self.below()
        }
        fn below(&self) -> u32;
    }
    #[device]
    impl Depth for Number {
        fn below(&self) -> u32 {
            self.depth()
        }
    }
    #[kernel]
    fn of_a_method(out: &mut [u32]) {
        out[0] = Number { n: 3 }.factorial();
    }
    #[kernel]
    fn of_an_operator(out: &mut [u32]) {
        out[0] = (Number { n: 3 } + Number { n: 4 }).n;
    }
    #[kernel]
    fn of_a_trait(out: &mut [u32]) {
        out[0] = Number { n: 3 }.depth();
    }
    let factorial = ["Number { n: self.n - 1 }.factorial()"];
    check_cycle(of_a_method::cuda_source(), &["Number::factorial"], &factorial);
    let operator = ["other.halved()", "Number { n: self.n / 2 } + *self"];
    check_cycle(of_an_operator::cuda_source(), &["Number::add", "Number::halved"], &operator);
    check_cycle(of_a_trait::cuda_source(), &["Depth::depth", "Number::below"], &["self.below()", "self.depth()"]);
}

#[test]
fn device_functions_are_callable_on_the_host() {
    assert_eq!(generics::square(generics::square(3u16)), 81);
    assert_eq!(generics::sum(&[1.5f64, 2.0]), 3.5);
    let mut x = [1, 2, 3];
    generics::fill(&mut x, 9, 2);
    assert_eq!(x, [9, 9, 3]);
    assert_eq!(generics::elsewhere::square(3), 9003);
    let of: fn(f32) -> f32 = literals::half;
    assert_eq!([1.0, 3.0].map(of), [0.5, 1.5]);
}

#[test]
fn a_kernel_keeps_its_documentation_and_visibility() {
    mod inner {
        use cumbia::prelude::*;

        /// Seen from the test.
        #[kernel]
        pub(super) fn seen(out: &mut [u32]) {
            out[0] = hidden_helper();
        }

        #[device]
        fn hidden_helper() -> u32 {
            7
        }
    }
    let mut out = Device::cpu().zeros(1).expect("a small array");
    launch!(inner::seen[1, 1](&mut out)).expect("a good launch");
    assert_eq!(out.to_host().expect("no fault"), [7]);
    let info = inner::seen::info();
    assert_eq!((info.name, info.signature), ("seen", "fn seen(out: &mut [u32])"));
    assert!(cumbia::kernels().contains(&&info));
}

#[test]
fn device_functions_of_other_crates_are_callable() {
    use cumbia_corpus::device_functions::{far, power};

    #[kernel]
    fn across<T: Float>(x: &[T], y: &mut [T], powers: &mut [i64]) {
        let i = grid(1);
        if i < y.len() {
            y[i] = far::lerp(x[i], T::ONE, T::from_f64(0.5));
            powers[i] = power::<3>(i as i64);
        }
    }

    let device = Device::open().expect("a device");
    let x = device.to_device(&[0.0f32, 3.0, 5.0]).expect("a small array");
    let mut y = device.zeros(3).expect("a small array");
    let mut powers = device.zeros(3).expect("a small array");
    across(&x, &mut y, &mut powers).over(x.len()).launch().expect("a good launch");
    assert_eq!(y.to_host().expect("no fault"), [0.5, 2.0, 3.0]);
    assert_eq!(powers.to_host().expect("no fault"), [0, 1, 8]);
}
