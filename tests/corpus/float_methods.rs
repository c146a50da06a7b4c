//! Every method of floats, in `f32` and `f64`, directly and through `T: Float`.
//!
//! Operations that IEEE 754 requires to be correctly rounded must agree bit for bit. For the others, the tolerance is
//! the sum of the errors stated in the CUDA Math API and of one ulp for glibc, with a margin.

use cumbia::prelude::*;

use crate::Tolerance::{self, Exact, Ulps};
use crate::inputs::Edges;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    exact,
    transcendental,
    inverse_hyperbolic,
    of_cuda,
    of_two,
    of_integers,
    predicates,
    concrete,
    clamps,
    logarithms,
    of_bits,
    by_path
];

#[kernel(fmad = false)]
pub fn rounded<T: Float>(x: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        let at = 9 * i;
        out[at] = x[i].floor();
        out[at + 1] = x[i].ceil();
        out[at + 2] = x[i].round();
        out[at + 3] = x[i].trunc();
        out[at + 4] = x[i].fract();
        out[at + 5] = x[i].abs();
        out[at + 6] = x[i].signum();
        out[at + 7] = x[i].sqrt();
        out[at + 8] = x[i].recip();
    }
}

fn exact(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {$({
            let values = $float::some(300);
            let (x, mut out) = (run.array(&values), run.zeros(9 * values.len()));
            run.launch(rounded(&x, &mut out).over(values.len()));
            let host = |x: &$float| {
                [x.floor(), x.ceil(), x.round(), x.trunc(), x.fract(), x.abs(), x.signum(), x.sqrt(), x.recip()]
            };
            run.expect(stringify!($float), &out, &values.iter().flat_map(host).collect::<Vec<_>>());
        })*};
    }
    each!(f32 f64);
}

/// The host's result: that of the standard library, or of `Float` for methods that it lacks.
macro_rules! host {
    (std $x:ident $method:ident) => {
        $x.$method()
    };
    (ours $x:ident $method:ident) => {
        Float::$method(*$x)
    };
}

/// A kernel for each method of one float, and the comparison with the host's.
macro_rules! methods {
    ($case:ident of $host:ident: $($method:ident $tolerance:expr),* $(,)?) => {
        pub mod $case {
            use cumbia::prelude::*;

            $(#[kernel(fmad = false)]
            pub fn $method<T: Float>(x: &[T], out: &mut [T]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = x[i].$method();
                }
            })*
        }

        fn $case(run: &mut Run<'_>) {
            let mut singles = f32::some(200);
            let mut doubles = f64::some(200);
            if stringify!($case) == "inverse_hyperbolic" {
                singles.retain(|x| (x.abs() < f32::MAX.sqrt() && x.abs().next_up() != 1.0) || !x.is_finite());
                doubles.retain(|x| (x.abs() < f64::MAX.sqrt() && x.abs().next_up() != 1.0) || !x.is_finite());
            }
            $({
                let tolerance: Tolerance = $tolerance;
                let (x, mut out) = (run.array(&singles), run.zeros(singles.len()));
                run.launch($case::$method(&x, &mut out).over(singles.len()));
                let expected: Vec<f32> = singles.iter().map(|x| host!($host x $method)).collect();
                run.expect_within(concat!("f32 ", stringify!($method)), &out, &expected, tolerance);
                let (x, mut out) = (run.array(&doubles), run.zeros(doubles.len()));
                run.launch($case::$method(&x, &mut out).over(doubles.len()));
                let expected: Vec<f64> = doubles.iter().map(|x| host!($host x $method)).collect();
                run.expect_within(concat!("f64 ", stringify!($method)), &out, &expected, tolerance);
            })*
        }
    };
}

methods!(transcendental of std:
    cbrt Ulps(3), exp Ulps(3), exp2 Ulps(3), exp_m1 Ulps(3), ln Ulps(3), ln_1p Ulps(3), log2 Ulps(3), log10 Ulps(4),
    sin Ulps(4), cos Ulps(4), tan Ulps(6), asin Ulps(5), acos Ulps(4), atan Ulps(4), sinh Ulps(5), cosh Ulps(4),
    tanh Ulps(4), to_degrees Exact, to_radians Exact,
);

// The standard library has its own formulas for these, which overflow near the end of the range, and of `atanh` lose
// digits just above −1.
methods!(inverse_hyperbolic of std: asinh Ulps(8), acosh Ulps(8), atanh Ulps(8));

methods!(of_cuda of ours:
    rsqrt Ulps(3), erf Ulps(4), erfc Ulps(8), sinpi Ulps(4), cospi Ulps(4), normcdf Ulps(10),
);

/// The methods with two operands, one after another.
#[kernel(fmad = false)]
pub fn exact_pairs<T: Float>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < a.len() {
        let at = 6 * i;
        out[at] = a[i].copysign(b[i]);
        out[at + 1] = a[i].min(b[i]);
        out[at + 2] = a[i].max(b[i]);
        out[at + 3] = a[i].div_euclid(b[i]);
        out[at + 4] = a[i].rem_euclid(b[i]);
        out[at + 5] = a[i].mul_add(b[i], T::ONE);
    }
}

#[kernel(fmad = false)]
pub fn pairs<T: Float>(a: &[T], b: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < a.len() {
        out[3 * i] = a[i].powf(b[i]);
        out[3 * i + 1] = a[i].hypot(b[i]);
        out[3 * i + 2] = a[i].atan2(b[i]);
    }
}

fn of_two(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {$({
            // The sign of the result of `min` and `max` of a positive and a negative zero is unspecified.
            let zeros = |(a, b): &($float, $float)| *a == 0.0 && *b == 0.0 && a.is_sign_negative() != b.is_sign_negative();
            let values: Vec<_> = $float::pairs(300).into_iter().filter(|pair| !zeros(pair)).collect();
            let (a, b): (Vec<$float>, Vec<$float>) = values.iter().copied().unzip();
            let (a, b, mut out) = (run.array(&a), run.array(&b), run.zeros(6 * values.len()));
            run.launch(exact_pairs(&a, &b, &mut out).over(values.len()));
            let host = |&(a, b): &($float, $float)| {
                [a.copysign(b), a.min(b), a.max(b), a.div_euclid(b), a.rem_euclid(b), a.mul_add(b, 1.0)]
            };
            run.expect(stringify!($float), &out, &values.iter().flat_map(host).collect::<Vec<_>>());
            let mut out = run.zeros(3 * values.len());
            run.launch(pairs(&a, &b, &mut out).over(values.len()));
            let host = |&(a, b): &($float, $float)| [a.powf(b), a.hypot(b), a.atan2(b)];
            let expected = values.iter().flat_map(host).collect::<Vec<_>>();
            run.expect_within(stringify!($float), &out, &expected, Ulps(10));
        })*};
    }
    each!(f32 f64);
}

#[kernel(fmad = false)]
pub fn powi<T: Float>(x: &[T], exponent: &[i32], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = x[i].powi(exponent[i]);
    }
}

fn of_integers(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {$({
            let exponents = [0, 1, 2, 3, -1, -2, 7, 10, -13, 100, i32::MAX, i32::MIN];
            let values: Vec<($float, i32)> =
                $float::some(30).into_iter().flat_map(|x| exponents.map(|n| (x, n))).collect();
            let (x, exponent): (Vec<$float>, Vec<i32>) = values.iter().copied().unzip();
            let (x, exponent, mut out) = (run.array(&x), run.array(&exponent), run.zeros(values.len()));
            run.launch(powi(&x, &exponent, &mut out).over(values.len()));
            let expected: Vec<$float> = values.iter().map(|&(x, n)| x.powi(n)).collect();
            // The number of multiplications, each of which rounds, is unspecified.
            run.expect_within(concat!(stringify!($float), " powi"), &out, &expected, Ulps(64));
        })*};
    }
    each!(f32 f64);
}

/// One bit for each predicate.
#[kernel]
pub fn classes<T: Float>(x: &[T], out: &mut [u32]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = x[i].is_nan() as u32
            | (x[i].is_finite() as u32) << 1
            | (x[i].is_infinite() as u32) << 2
            | (x[i].is_sign_positive() as u32) << 3
            | (x[i].is_sign_negative() as u32) << 4;
    }
}

fn predicates(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {$({
            let values = $float::some(100);
            let (x, mut out) = (run.array(&values), run.zeros(values.len()));
            run.launch(classes(&x, &mut out).over(values.len()));
            let host = |x: &$float| {
                [x.is_sign_negative(), x.is_sign_positive(), x.is_infinite(), x.is_finite(), x.is_nan()]
                    .into_iter()
                    .fold(0, |bits, bit| bits * 2 + u32::from(bit))
            };
            run.expect(stringify!($float), &out, &values.iter().map(host).collect::<Vec<_>>());
        })*};
    }
    each!(f32 f64);
}

/// On concrete types: the methods that `Float` lacks, and functions by path.
#[kernel(fmad = false)]
pub fn named_types(x: &[f32], y: &[f64], bits: &mut [u32], wide: &mut [u64], out: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        bits[i] = x[i].to_bits();
        wide[i] = y[i].to_bits();
        out[i] = f32::max(x[i], -1.0).sqrt() + f32::min(1.0, y[i] as f32);
    }
}

fn concrete(run: &mut Run<'_>) {
    let (singles, doubles) = (f32::some(100), f64::some(100));
    let (x, y, len) = (run.array(&singles), run.array(&doubles), singles.len());
    let (mut bits, mut wide, mut out) = (run.zeros(len), run.zeros(len), run.zeros(len));
    run.launch(named_types(&x, &y, &mut bits, &mut wide, &mut out).over(len));
    run.expect("f32 bits", &bits, &singles.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    run.expect("f64 bits", &wide, &doubles.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    let host = |(x, y): (&f32, &f64)| x.max(-1.0).sqrt() + 1.0f32.min(*y as f32);
    run.expect("by path", &out, &singles.iter().zip(&doubles).map(host).collect::<Vec<_>>());
}

#[kernel]
pub fn clamp<T: Float>(x: &[T], low: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = x[i].clamp(low[i], T::ONE);
    }
}

fn clamps(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {
            // A bound that is NaN is a panic, like a lower bound above the upper one.
            $(crate::sweep::binary(
                run,
                concat!(stringify!($float), " clamp"),
                &$float::pairs(20),
                |x: $float, low| (low <= 1.0).then(|| x.clamp(low, 1.0)),
                |a, b, out| clamp(a, b, out),
            );)*
        };
    }
    each!(f32 f64);
}

/// Logarithms to an arbitrary base.
#[kernel(fmad = false)]
pub fn log<T: Float>(x: &[T], base: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = x[i].log(base[i]);
    }
}

fn logarithms(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {$({
            let bases: [$float; 6] = [2.0, 10.0, 0.5, 1.5, 3e10, -1.0];
            let values: Vec<($float, $float)> =
                $float::some(40).into_iter().flat_map(|x| bases.map(|base| (x, base))).collect();
            let (x, base): (Vec<$float>, Vec<$float>) = values.iter().copied().unzip();
            let (x, base, mut out) = (run.array(&x), run.array(&base), run.zeros(values.len()));
            run.launch(log(&x, &base, &mut out).over(values.len()));
            let expected: Vec<$float> = values.iter().map(|&(x, base)| x.log(base)).collect();
            run.expect_within(concat!(stringify!($float), " log"), &out, &expected, Ulps(8));
        })*};
    }
    each!(f32 f64);
}

/// Bits, neighbours and classification.
macro_rules! bits_kernels {
    ($($name:ident $float:ident $bits:ident)*) => {
        $(#[kernel(fmad = false)]
        pub fn $name(x: &[$float], patterns: &[$bits], out: &mut [$float], kinds: &mut [u8]) {
            let i = grid(1);
            if i < x.len() {
                let v = x[i];
                out[5 * i] = v.next_up();
                out[5 * i + 1] = v.next_down();
                out[5 * i + 2] = v.midpoint(1.0);
                out[5 * i + 3] = $float::from_bits(v.to_bits() ^ 1);
                out[5 * i + 4] = $float::from_bits(patterns[i]);
                kinds[i] = v.is_subnormal() as u8 + 2 * v.is_normal() as u8 + 4 * (v.next_up() > v) as u8;
            }
        })*

        fn of_bits(run: &mut Run<'_>) {
            $({
                let values = $float::some(200);
                let patterns: Vec<$bits> = $bits::some(values.len()).into_iter().take(values.len()).collect();
                let (x, patterns_there) = (run.array(&values), run.array(&patterns));
                let (mut out, mut kinds) = (run.zeros(5 * values.len()), run.zeros(values.len()));
                run.launch($name(&x, &patterns_there, &mut out, &mut kinds).over(values.len()));
                let of = |(v, pattern): (&$float, &$bits)| {
                    let other = $float::from_bits(v.to_bits() ^ 1);
                    [v.next_up(), v.next_down(), v.midpoint(1.0), other, $float::from_bits(*pattern)]
                };
                run.expect(stringify!($float), &out, &values.iter().zip(&patterns).flat_map(of).collect::<Vec<_>>());
                let of = |v: &$float| {
                    u8::from(v.is_subnormal()) + 2 * u8::from(v.is_normal()) + 4 * u8::from(v.next_up() > *v)
                };
                run.expect(stringify!($float), &kinds, &values.iter().map(of).collect::<Vec<_>>());
            })*
        }
    };
}

bits_kernels!(bits_of_f32 f32 u32 bits_of_f64 f64 u64);

/// The methods by their paths, where integers have methods of the same names.
#[device]
fn combined<T: Float>(x: T) -> T {
    T::sqrt(T::abs(x)) + T::signum(x) * T::mul_add(x, x, T::floor(x))
}

#[kernel(fmad = false)]
pub fn paths<T: Float>(x: &[T], n: &[i32], out: &mut [T], signs: &mut [i32]) {
    let i = grid(1);
    if i < x.len() {
        out[i] = combined(x[i]);
        signs[i] = i32::signum(n[i]) * i32::abs(n[i] / 2) + i32::pow(n[i] % 8, 2) + n[i].signum();
    }
}

fn by_path(run: &mut Run<'_>) {
    let n = run.array(&[-9, 0, 7, -1, 123]);
    let (x, y) = (run.array(&[-2.25f32, 0.0, 1.5, -0.75, 9.0]), run.array(&[-2.25f64, 0.0, 1.5, -0.75, 9.0]));
    let (mut of_x, mut of_y) = (run.array(&[0.0f32; 5]), run.array(&[0.0f64; 5]));
    let mut signs = run.array(&[0; 5]);
    run.launch(paths(&x, &n, &mut of_x, &mut signs).over(5));
    run.launch(paths(&y, &n, &mut of_y, &mut signs).over(5));
    run.output("of_x", &of_x);
    run.output("of_y", &of_y);
    run.output("signs", &signs);
}
