//! The writer's semantics against Rust's own: the functions below are compiled by rustc, and written as C and compiled
//! by g++; both run on all pairs of edge values, and have to give the same bits, or fault with the same message.
//!
//! With `cargo test` overflow is a fault on both sides, with `cargo test --release` it wraps on both.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    clippy::unnecessary_cast,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    reason = "one macro for all types of numbers"
)]

mod common;

use std::fmt::Write as _;
use std::panic::catch_unwind;

use cumbia_kernel_ir::{Options, Source, check, write};

/// A type with values at which things go wrong.
trait Edges: Copy {
    fn edges() -> Vec<u64>;
    fn from(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! edges {
    ($($int:ident)*) => {$(
        impl Edges for $int {
            fn edges() -> Vec<u64> {
                let ends = [$int::MIN, $int::MAX, $int::MIN + 1, $int::MAX - 1, $int::MAX / 2, $int::MIN / 2];
                let small = [0, 1, 2, 3, 7, 10, 31, 32, 63, 64, 100].map(|n: u8| n as $int);
                let negative = [1, 2, 3, 7, 31].map(|n: u8| (n as $int).wrapping_neg());
                ends.into_iter().chain(small).chain(negative).map(Edges::bits).collect()
            }
            fn from(bits: u64) -> $int { bits as $int }
            fn bits(self) -> u64 { self as u64 & (u64::MAX >> (64 - $int::BITS)) }
        }
    )*};
}
edges!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! float_edges {
    ($($float:ident)*) => {$(
        impl Edges for $float {
            fn edges() -> Vec<u64> {
                let positive = [
                    0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.25, 127.0, 127.5, 128.0, 255.0, 255.5, 256.0, 32767.5, 32768.0, 65535.9,
                    65536.0, 2147483520.0, 2147483648.0, 4294967040.0, 4294967296.0, 9.2e18, 9223372036854775808.0,
                    18446744073709551616.0, 1e30, $float::MAX, $float::MIN_POSITIVE, $float::INFINITY, $float::EPSILON,
                ];
                positive.into_iter().flat_map(|x| [x, -x]).chain([$float::NAN]).map(Edges::bits).collect()
            }
            fn from(bits: u64) -> $float { $float::from_bits(bits as _) }
            // All NaNs are one: Rust promises nothing of their bits.
            fn bits(self) -> u64 { if self.is_nan() { $float::NAN.to_bits().into() } else { self.to_bits().into() } }
        }
    )*};
}
float_edges!(f32 f64);

impl Edges for bool {
    fn edges() -> Vec<u64> {
        vec![0, 1]
    }
    fn from(bits: u64) -> bool {
        bits != 0
    }
    fn bits(self) -> u64 {
        self.into()
    }
}

/// A function on both sides.
struct Case {
    name: &'static str,
    params: Vec<(&'static str, Vec<u64>)>,
    result: &'static str,
    run: fn(&[u64]) -> u64,
}

/// Defines functions in Rust, and keeps their text.
macro_rules! corpus {
    ($module:ident: $(fn $name:ident($($arg:ident: $ty:ident),*) -> $result:ident $body:block)*) => {
        mod $module {
            #![allow(clippy::all, clippy::pedantic, arithmetic_overflow, unused, reason = "they are edge cases")]
            use super::{Case, Edges};
            $(fn $name($($arg: $ty),*) -> $result $body)*
            pub(crate) const TEXT: &str = concat!(
                $(stringify!(fn $name($($arg: $ty),*) -> $result $body), "\n",)*
                "fn kernel_", stringify!($module), "() {}"
            );
            pub(crate) fn cases() -> Vec<Case> {
                vec![$(Case {
                    name: stringify!($name),
                    params: vec![$((stringify!($ty), <$ty as Edges>::edges())),*],
                    result: stringify!($result),
                    run: |bits| {
                        let mut bits = bits.iter();
                        $(let $arg = <$ty as Edges>::from(*bits.next().unwrap());)*
                        Edges::bits($name($($arg),*))
                    },
                }),*]
            }
        }
    };
}

macro_rules! integers {
    ($($module:ident $T:ident $U:ident;)*) => {$(corpus! { $module:
        fn add(a: $T, b: $T) -> $T { a + b }
        fn sub(a: $T, b: $T) -> $T { a - b }
        fn mul(a: $T, b: $T) -> $T { a * b }
        fn div(a: $T, b: $T) -> $T { a / b }
        fn rem(a: $T, b: $T) -> $T { a % b }
        fn nested(a: $T, b: $T) -> $T { (a ^ b) & !a | b & (a - (b - a)) }
        fn not(a: $T) -> $T { !a }
        fn shl(a: $T, b: $T) -> $T { a << b }
        fn shr(a: $T, b: u32) -> $T { a >> b }
        fn shr_signed(a: $T, b: i64) -> $T { a >> b }
        fn lt(a: $T, b: $T) -> bool { a < b && !(a == b) || a >= b && a > b }
        fn update(a: $T, b: $T) -> $T { let mut x: $T = a; x += b; x -= a; x *= b; x ^= a; x |= b; x &= a; x }
        fn to_i8(a: $T) -> i8 { a as i8 }
        fn to_u16(a: $T) -> u16 { a as u16 }
        fn to_i32(a: $T) -> i32 { a as i32 }
        fn to_u64(a: $T) -> u64 { a as u64 }
        fn to_f32(a: $T) -> f32 { a as f32 }
        fn to_f64(a: $T) -> f64 { a as f64 }
        fn min(a: $T, b: $T) -> $T { a.min(b) }
        fn max(a: $T, b: $T) -> $T { a.max(b) }
        fn clamp(a: $T, b: $T) -> $T { a.clamp(b, a) }
        fn rem_euclid(a: $T, b: $T) -> $T { a.rem_euclid(b) }
        fn div_euclid(a: $T, b: $T) -> $T { a.div_euclid(b) }
        fn pow(a: $T, b: u8) -> $T { a.pow(b as u32) }
        fn abs_diff(a: $T, b: $T) -> $U { a.abs_diff(b) }
        fn wrapping_add(a: $T, b: $T) -> $T { a.wrapping_add(b) }
        fn wrapping_sub(a: $T, b: $T) -> $T { a.wrapping_sub(b) }
        fn wrapping_mul(a: $T, b: $T) -> $T { a.wrapping_mul(b) }
        fn wrapping_neg(a: $T) -> $T { a.wrapping_neg() }
        fn saturating_add(a: $T, b: $T) -> $T { a.saturating_add(b) }
        fn saturating_sub(a: $T, b: $T) -> $T { a.saturating_sub(b) }
        fn ones(a: $T) -> u32 { a.count_ones() }
        fn zeros(a: $T) -> u32 { a.count_zeros() }
        fn leading(a: $T) -> u32 { a.leading_zeros() }
        fn trailing(a: $T) -> u32 { a.trailing_zeros() }
        fn rotate_left(a: $T, b: u32) -> $T { a.rotate_left(b) }
        fn rotate_right(a: $T, b: u32) -> $T { a.rotate_right(b) }
        fn swap_bytes(a: $T) -> $T { a.swap_bytes() }
        fn reverse_bits(a: $T) -> $T { a.reverse_bits() }
        fn count(a: $T, b: $T) -> i32 {
            let mut turns: i32 = 0i32;
            for i in a as $T..b { if turns > 300i32 { break; } turns += 1i32; }
            turns
        }
        fn count_inclusive(a: $T, b: $T) -> i32 {
            let mut turns: i32 = 0i32;
            for i in a as $T..=b { if turns > 300i32 { break; } if i == b { turns += 1000i32; continue; } turns += 1i32; }
            turns
        }
        fn count_steps(a: $T, b: $T, by: u8) -> i32 {
            let mut turns: i32 = 0i32;
            for i in (a as $T..b).step_by(by as usize) { if turns > 300i32 { break; } turns += 1i32; }
            for i in (a as $T..=b).step_by(by as usize) { if turns > 900i32 { break; } turns += 1i32; }
            turns
        }
    })*};
}
integers! {
    of_i8 i8 u8; of_i16 i16 u16; of_i32 i32 u32; of_i64 i64 u64; of_isize isize usize;
    of_u8 u8 u8; of_u16 u16 u16; of_u32 u32 u32; of_u64 u64 u64; of_usize usize usize;
}

macro_rules! signed {
    ($($module:ident $T:ident $U:ident;)*) => {$(corpus! { $module:
        fn neg(a: $T) -> $T { -a }
        fn abs(a: $T) -> $T { a.abs() }
        fn unsigned_abs(a: $T) -> $U { a.unsigned_abs() }
        fn signum(a: $T) -> $T { a.signum() }
        fn div_seven(a: $T) -> $T { a / 7 as $T + a % 7 as $T }
        fn double_neg(a: $T) -> $T { -(-(a / 3 as $T)) }
    })*};
}
signed! { signed_i8 i8 u8; signed_i16 i16 u16; signed_i32 i32 u32; signed_i64 i64 u64; signed_isize isize usize; }

macro_rules! unsigned {
    ($($module:ident $T:ident;)*) => {$(corpus! { $module:
        fn is_power_of_two(a: $T) -> bool { a.is_power_of_two() }
        fn div_ceil(a: $T, b: $T) -> $T { a.div_ceil(b) }
    })*};
}
unsigned! { unsigned_u8 u8; unsigned_u16 u16; unsigned_u32 u32; unsigned_u64 u64; unsigned_usize usize; }

macro_rules! floats {
    ($($module:ident $T:ident $U:ident;)*) => {$(corpus! { $module:
        fn arithmetic(a: $T, b: $T) -> $T { a * b - (a - (b - a)) / -b }
        fn rem(a: $T, b: $T) -> $T { a % b }
        fn neg(a: $T) -> $T { -(-(-a)) }
        fn equal(a: $T, b: $T) -> bool { a == b }
        fn different(a: $T, b: $T) -> bool { a != b }
        fn not_less(a: $T, b: $T) -> bool { !(a < b) }
        fn to_i8(a: $T) -> i8 { a as i8 }
        fn to_i16(a: $T) -> i16 { a as i16 }
        fn to_i32(a: $T) -> i32 { a as i32 }
        fn to_i64(a: $T) -> i64 { a as i64 }
        fn to_isize(a: $T) -> isize { a as isize }
        fn to_u8(a: $T) -> u8 { a as u8 }
        fn to_u16(a: $T) -> u16 { a as u16 }
        fn to_u32(a: $T) -> u32 { a as u32 }
        fn to_u64(a: $T) -> u64 { a as u64 }
        fn to_f32(a: $T) -> f32 { a as f32 }
        fn to_f64(a: $T) -> f64 { a as f64 }
        fn sqrt(a: $T) -> $T { a.sqrt() }
        fn recip(a: $T) -> $T { a.recip() }
        fn mul_add(a: $T, b: $T) -> $T { a.mul_add(b, a) }
        fn floor(a: $T) -> $T { a.floor() }
        fn ceil(a: $T) -> $T { a.ceil() }
        fn round(a: $T) -> $T { a.round() }
        fn trunc(a: $T) -> $T { a.trunc() }
        fn fract(a: $T) -> $T { a.fract() }
        fn abs(a: $T) -> $T { a.abs() }
        fn signum(a: $T) -> $T { a.signum() }
        fn copysign(a: $T, b: $T) -> $T { a.copysign(b) }
        fn to_degrees(a: $T) -> $T { a.to_degrees() }
        fn to_radians(a: $T) -> $T { a.to_radians() }
        fn is_nan(a: $T) -> bool { a.is_nan() }
        fn is_finite(a: $T) -> bool { a.is_finite() }
        fn is_infinite(a: $T) -> bool { a.is_infinite() }
        fn is_negative(a: $T) -> bool { a.is_sign_negative() || !a.is_sign_positive() }
        fn to_bits(a: $T) -> $U { if a.is_nan() { 0 as $U } else { a.to_bits() } }
        // The sign of the zero is not specified where both are zeros.
        fn min(a: $T, b: $T) -> $T { a.min(b).abs() }
        fn max(a: $T, b: $T) -> $T { a.max(b).abs() }
        fn clamp(a: $T, b: $T) -> $T { a.clamp(b, a.abs()) }
        fn unit(a: $T) -> $T { a.clamp(0 as $T, 1 as $T) }
        fn rem_euclid(a: $T, b: $T) -> $T { a.rem_euclid(b) }
        fn div_euclid(a: $T, b: $T) -> $T { a.div_euclid(b) }
        fn powi(a: $T, b: i8) -> $T { a.powi(b as i32) }
    })*};
}
floats! { of_f32 f32 u32; of_f64 f64 u64; }

corpus! { mixed:
    fn bools(a: bool, b: bool) -> bool { (a & !b | b ^ a) == (a != b) }
    fn bool_order(a: bool, b: bool) -> i32 { if a < b { 1i32 } else { b as i32 - a as i32 } }
    fn short_circuit(a: i32, b: i32) -> bool { b != 0i32 && a / b > 1i32 || a == 3i32 }
    fn effects(a: i32) -> i32 {
        let mut x: i32 = a & 15i32;
        let y: i32 = x + { x += 1i32; x } * { x *= 2i32; x };
        let z: bool = x > 10i32 && { x += 100i32; true } || { x -= 1i32; false };
        x += { x = 5i32; x + y };
        if z { x } else { -x }
    }
    fn tuples(a: i32, b: i32) -> i32 {
        let mut t: (i32, i32) = (a & 7i32, b & 7i32);
        t = (t.1 + 1i32, t.0);
        let (p, q): (i32, i32) = if t.0 > t.1 { t.0 -= 3i32; (t.1, t.0) } else { (1i32, 2i32) };
        let u: (i32, i32) = { let v: i32 = p; (v, q) };
        t.0 * 1000i32 + t.1 * 100i32 + u.0 * 10i32 + u.1
    }
    fn labels(a: u32, b: u32) -> u32 {
        let (a, b): (u32, u32) = (a & 15u32, b & 15u32);
        let mut n: u32 = 0u32;
        'outer: for i in 0u32..a {
            let d: u32 = i + 1u32;
            let mut j: u32 = 0u32;
            while { j += 1u32; j < b } {
                if j == d { continue 'outer; }
                if i * j == 42u32 { break 'outer; }
                if j % 3u32 == 0u32 { continue; }
                n += j;
            }
            n += d;
        }
        n
    }
    fn loops(a: u32, b: u32) -> u32 {
        let found: u32 = 'search: loop {
            let mut i: u32 = a & 31u32;
            loop {
                i += 1u32;
                if i % 7u32 == 3u32 { break 'search i * 2u32; }
                if i > 20u32 { break; }
            }
            if b & 1u32 == 1u32 { return 77u32; }
            break 1u32;
        };
        found + if found > 4u32 { for k in 0u32..3u32 { if k == found - 5u32 { return k; } } 1u32 } else { 2u32 }
    }
    fn late(a: i32) -> i32 {
        let x: i32;
        if a > 3i32 { x = a / 2i32; } else { x = 4i32; }
        let x: i32 = x + 1i32;
        x
    }
    fn changed_counter(a: u8) -> u32 {
        let mut sum: u32 = 0u32;
        for mut i in 0u8..a { i = i / 2u8; sum += i as u32; }
        sum
    }
    fn literals(a: f32) -> f32 { a * 0.1f32 + 16777217.0f32 - 1e-45f32 + 3.4028235e38f32 }
    fn doubles(a: f64) -> f64 { a * 0.1f64 + 1e300f64 - 5e-324f64 }
    fn extremes(a: i64) -> i64 { if a == i64::MIN { i64::MAX } else if a == i64::MAX { i64::MIN } else { -9223372036854775808i64 } }
    fn wide(a: u64) -> u64 { (a ^ 18446744073709551615u64) | 1u64 << 40u32 }
    fn precedence(a: i32, b: i32) -> i32 { (a & 3i32) - ((b & 3i32) - (a & 1i32)) * (2i32 - -(a & 1i32)) }
    fn shift_sums(a: u32, b: u32) -> u32 { ((a >> 16u32) + (b >> 20u32)) >> 1u32 & 0xffffu32 ^ (a & 3u32) << 2u32 }
    fn early(a: i32) -> i32 { if a < 0i32 { return -1i32; } if a == 0i32 { return 0i32 } 1i32 }
    fn fails(a: i32) -> i32 { if a == 7i32 { panic!("seven") } else { a / 2i32 } }
    fn diverges_inside(a: i32) -> i32 { (a & 1i32) + if a == 3i32 { return 9i32 } else { 4i32 } }
    fn unit_branches(a: i32) -> i32 { let mut x: i32 = 0i32; if a > 5i32 { } else if a > 2i32 { x = 1i32 } else { x = 2i32 } x }
}

fn programs() -> Vec<(&'static str, &'static str, Vec<Case>)> {
    macro_rules! list {
        ($($module:ident)*) => { vec![$((stringify!($module), $module::TEXT, $module::cases())),*] };
    }
    list! {
        of_i8 of_i16 of_i32 of_i64 of_isize of_u8 of_u16 of_u32 of_u64 of_usize signed_i8 signed_i16 signed_i32 signed_i64
        signed_isize unsigned_u8 unsigned_u16 unsigned_u32 unsigned_u64 unsigned_usize of_f32 of_f64 mixed
    }
}

#[test]
fn c_means_what_rust_means() {
    let mut body = String::new();
    let mut main = String::from("int main() {\n");
    let mut written: Vec<(Source, Vec<Case>)> = Vec::new();
    for (module, text, cases) in programs() {
        let program = common::program(text, cfg!(debug_assertions));
        let validated = check(&program).unwrap_or_else(|errors| panic!("{module}: {errors}"));
        let source = write(&validated, &Options { bounds_checks: true });
        let _ = writeln!(body, "namespace {module} {{\n{}\n}}", common::host::for_host(&source.text));
        for case in &cases {
            call(&mut main, module, &source, case);
        }
        written.push((source, cases));
    }
    main.push_str("}\n");
    if let Ok(directory) = std::env::var("CUMBIA_DUMP") {
        for (source, _) in &written {
            std::fs::write(format!("{directory}/{}.cu", source.entry), &source.text).unwrap();
        }
    }
    let Some(output) =
        common::host::run("semantics", &format!("#line 1 \"emitted\"\n{body}\n#line 1 \"main\"\n{main}"))
    else {
        return;
    };
    let mut lines = output.lines();
    let mut wrong = Vec::new();
    // The panics are what is tested.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for (source, cases) in &written {
        for case in cases {
            for inputs in products(case) {
                let rust = catch_unwind(|| (case.run)(&inputs)).map_err(|payload| {
                    let text = payload.downcast_ref::<String>().map(String::as_str);
                    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("?").to_owned()
                });
                let line = lines.next().expect("a line for each call");
                let c = match line.strip_prefix('F') {
                    Some(site) => Err(source.sites[site.parse::<usize>().unwrap()].kind.to_string()),
                    None => Ok(line.parse::<u64>().unwrap()),
                };
                let same = match (&rust, &c) {
                    (Ok(rust), Ok(c)) => rust == c,
                    // Rust adds the values of a float's bounds.
                    (Err(rust), Err(c)) => rust.starts_with(c.as_str()),
                    _ => false,
                };
                if !same {
                    wrong.push(format!("{}: {}({inputs:x?}): Rust {rust:x?}, C {c:x?}", source.entry, case.name));
                }
            }
        }
    }
    std::panic::set_hook(hook);
    assert!(wrong.is_empty(), "{} calls differ:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

/// All combinations of the inputs of a case, the last parameter first to change.
fn products(case: &Case) -> Vec<Vec<u64>> {
    let mut products = vec![Vec::new()];
    for (_, edges) in &case.params {
        products =
            products.iter().flat_map(|start| edges.iter().map(|edge| [start.as_slice(), &[*edge]].concat())).collect();
    }
    products
}

/// The calls of a case, in C++.
fn call(main: &mut String, module: &str, source: &Source, case: &Case) {
    let mut args = Vec::new();
    for (i, (ty, edges)) in case.params.iter().enumerate() {
        let list = edges.iter().map(|bits| format!("{bits}ull")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(main, "{{ const unsigned long long e{i}[] = {{{list}}}; for (unsigned long long b{i} : e{i})");
        args.push(format!("from_bits<{}>(b{i})", c_type(ty)));
    }
    // The functions that can fault take the launch.
    let marker = format!(" {}(", case.name);
    let marker_reserved = format!(" {}_(", case.name);
    let definition = source.text.lines().find(|line| {
        line.starts_with("static __device__ inline") && (line.contains(&marker) || line.contains(&marker_reserved))
    });
    let definition = definition.unwrap_or_else(|| panic!("{} is not in the text", case.name));
    if definition.contains("rt::Launch launch") {
        args.push(format!("{module}::rt::Launch{{&record, 0}}"));
    }
    let name = definition.split('(').next().unwrap().rsplit(' ').next().unwrap();
    let record = if source.can_fault { format!("{module}::rt::Fault record = {{}}; ") } else { String::new() };
    let result = c_type(case.result);
    let canonical = if matches!(case.result, "f32" | "f64") {
        format!(
            "if (r != r) r = from_bits<{result}>({}); ",
            if case.result == "f32" { "0x7fc00000" } else { "0x7ff8000000000000" }
        )
    } else {
        String::new()
    };
    let _ = writeln!(
        main,
        "try {{ {record}{result} r = {module}::device::{name}({}); {canonical}printf(\"%llu\\n\", to_bits<{result}>(r)); }} \
         catch (unsigned site) {{ printf(\"F%u\\n\", site); }}",
        args.join(", ")
    );
    main.push_str(&"}".repeat(case.params.len()));
    main.push('\n');
}

fn c_type(rust: &str) -> &str {
    match rust {
        "f32" => "float",
        "f64" => "double",
        "bool" => "bool",
        "i8" => "signed char",
        "i16" => "short",
        "i32" => "int",
        "i64" | "isize" => "long long",
        "u8" => "unsigned char",
        "u16" => "unsigned short",
        "u32" => "unsigned",
        _ => "unsigned long long",
    }
}
