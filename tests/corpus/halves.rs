//! `f16` and `bf16`: every bit pattern through conversions and unary functions, the operators at the limits, and single
//! rounding.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::Tolerance::Ulps;
use crate::inputs::{Edges, Random};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    all_patterns,
    arithmetic,
    from_wide_floats,
    from_and_to_integers,
    functions,
    fused,
    classes,
    in_structs,
    clamps,
];

/// A float of 16 bits.
trait Half: Float + Edges {
    fn of(bits: u16) -> Self;
    fn bits(self) -> u16;
    fn wide(self) -> f64;
    fn single(x: f32) -> Self;
}

macro_rules! halves {
    ($($half:ident)*) => {$(
        impl Half for $half {
            fn of(bits: u16) -> Self {
                $half::from_bits(bits)
            }

            fn bits(self) -> u16 {
                self.to_bits()
            }

            fn wide(self) -> f64 {
                self.to_f64()
            }

            fn single(x: f32) -> Self {
                $half::from_f32(x)
            }
        }

        impl Edges for $half {
            fn edges() -> Vec<Self> {
                let one = $half::ONE.to_bits();
                let least = $half::MIN_POSITIVE.to_bits();
                let infinity = $half::INFINITY.to_bits();
                let patterns = [
                    0, 1, 2, 3, least - 1, least, least + 1, one - 1, one, one + 1, one + 2, one / 2, infinity - 2,
                    infinity - 1, infinity, $half::NAN.to_bits(), $half::from_f32(3.0).to_bits(),
                    $half::from_f32(0.1).to_bits(), $half::from_f32(100.0).to_bits(), $half::from_f32(1.5).to_bits(),
                ];
                patterns.into_iter().flat_map(|bits| [bits, bits | 0x8000]).map($half::from_bits).collect()
            }

            fn random(random: &mut Random) -> Self {
                let any = $half::from_bits(random.bits() as u16);
                if any.is_nan() { $half::NAN } else { any }
            }

            fn small(number: i64) -> Self {
                $half::from_f32(number as f32 / 2.0)
            }
        }
    )*};
}

halves!(f16 bf16);

/// Runs a check for both types.
macro_rules! both {
    ($of:ident $run:ident) => {
        $of::<f16>($run);
        $of::<bf16>($run);
    };
}

/// The nearest number of the type, ties to even.
fn nearest<H: Half>(x: f64) -> H {
    if x.is_nan() {
        return H::NAN;
    }
    // The neighbour below the smallest number is 0; that above the largest is infinity, one step away.
    let (mut low, mut high) = (0u16, H::INFINITY.bits());
    let magnitude = x.abs();
    let value = |bits: u16| if bits == H::INFINITY.bits() { beyond::<H>() } else { H::of(bits).wide() };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if value(middle) <= magnitude { low = middle } else { high = middle }
    }
    let (below, above) = (magnitude - value(low), value(high) - magnitude);
    let bits = if magnitude.is_infinite() || below > above || (below == above && low % 2 == 1) { high } else { low };
    H::of(bits | if x.is_sign_negative() { 0x8000 } else { 0 })
}

/// The number that would follow the largest one.
fn beyond<H: Half>() -> f64 {
    let last = H::INFINITY.bits() - 1;
    2.0 * H::of(last).wide() - H::of(last - 1).wide()
}

/// Conversions and exact functions, whose results must agree bit for bit.
#[kernel]
pub fn one_by_one<T: Float>(x: &[T], singles: &mut [f32], doubles: &mut [f64], integers: &mut [i64], same: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        let v = x[i];
        singles[i] = f32::cast(v);
        doubles[i] = f64::cast(v);
        integers[3 * i] = i64::cast(v);
        integers[3 * i + 1] = u8::cast(v) as i64;
        integers[3 * i + 2] = i16::cast(v) as i64;
        let at = 8 * i;
        same[at] = T::cast(f32::cast(v));
        same[at + 1] = -v;
        same[at + 2] = v.abs();
        same[at + 3] = v.floor();
        same[at + 4] = v.round();
        same[at + 5] = v.trunc();
        same[at + 6] = v.signum();
        same[at + 7] = v.sqrt();
    }
}

fn all_patterns(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        // Every 7th, so that all low and all high halves of the pattern occur.
        let values: Vec<H> = (0..=u16::MAX).step_by(7).map(H::of).collect();
        let n = values.len();
        let (x, mut singles, mut doubles) = (run.array(&values), run.zeros(n), run.zeros(n));
        let (mut integers, mut same) = (run.zeros(3 * n), run.zeros(8 * n));
        run.launch(one_by_one(&x, &mut singles, &mut doubles, &mut integers, &mut same).over(n));
        run.expect("f32", &singles, &values.iter().map(|x| x.wide() as f32).collect::<Vec<_>>());
        run.expect("f64", &doubles, &values.iter().map(|x| x.wide()).collect::<Vec<_>>());
        let of = |x: &H| [x.wide() as i64, i64::from(x.wide() as u8), i64::from(x.wide() as i16)];
        run.expect("integers", &integers, &values.iter().flat_map(of).collect::<Vec<_>>());
        let of = |x: &H| {
            let wide = x.wide();
            let all = [wide, -wide, wide.abs(), wide.floor(), wide.round(), wide.trunc(), wide.signum(), wide.sqrt()];
            all.map(nearest::<H>)
        };
        run.expect("same", &same, &values.iter().flat_map(of).collect::<Vec<_>>());
    }
    both!(of run);
}

/// The operators. A sum, difference or product is exact in `f64`, and the rounding error of a quotient there does not
/// affect the result.
#[kernel]
pub fn operators<T: Float>(a: &[T], b: &[T], out: &mut [T], compared: &mut [u32]) {
    let i = grid(1);
    if i < a.len() {
        let (x, y) = (a[i], b[i]);
        let at = 10 * i;
        out[at] = x + y;
        out[at + 1] = x - y;
        out[at + 2] = x * y;
        out[at + 3] = x / y;
        out[at + 4] = x % y;
        out[at + 5] = x.min(y);
        out[at + 6] = x.max(y);
        out[at + 7] = x.copysign(y);
        let mut z = x;
        z += y;
        z *= x;
        z -= y;
        out[at + 8] = z;
        z /= y;
        z %= x;
        out[at + 9] = z;
        compared[i] = (x == y) as u32
            + (x != y) as u32 * 2
            + (x < y) as u32 * 4
            + (x <= y) as u32 * 8
            + (x > y) as u32 * 16
            + (x >= y) as u32 * 32;
    }
}

fn arithmetic(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        let zeros = |&(a, b): &(H, H)| a.wide() == 0.0 && b.wide() == 0.0 && a.bits() != b.bits();
        let pairs: Vec<(H, H)> = H::pairs(600).into_iter().filter(|pair| !zeros(pair)).collect();
        let (values, others): (Vec<H>, Vec<H>) = pairs.iter().copied().unzip();
        let n = pairs.len();
        let (a, b, mut out, mut compared) = (run.array(&values), run.array(&others), run.zeros(10 * n), run.zeros(n));
        run.launch(operators(&a, &b, &mut out, &mut compared).over(n));
        let of = |&(a, b): &(H, H)| {
            let (x, y) = (a.wide(), b.wide());
            let rounded = |x: f64| nearest::<H>(x);
            let sum = rounded(x + y);
            let product = rounded(sum.wide() * x);
            let z = rounded(product.wide() - y);
            let last = rounded(rounded(z.wide() / y).wide() % x);
            let all = [x + y, x - y, x * y, x / y, x % y, x.min(y), x.max(y), x.copysign(y)].map(rounded);
            [all.as_slice(), &[z, last]].concat()
        };
        run.expect(std::any::type_name::<H>(), &out, &pairs.iter().flat_map(of).collect::<Vec<_>>());
        let of = |&(a, b): &(H, H)| {
            let (x, y) = (a.wide(), b.wide());
            [x >= y, x > y, x <= y, x < y, x != y, x == y].into_iter().fold(0, |bits, bit| bits * 2 + u32::from(bit))
        };
        run.expect("compared", &compared, &pairs.iter().map(of).collect::<Vec<_>>());
    }
    both!(of run);
}

/// From wider floats: rounded once, also where an intermediate rounding to `f32` would change the result.
#[kernel]
pub fn narrowed<T: Float>(doubles: &[f64], singles: &[f32], out: &mut [T]) {
    let i = grid(1);
    if i < doubles.len() {
        out[3 * i] = T::cast(doubles[i]);
        out[3 * i + 1] = T::cast(singles[i]);
        out[3 * i + 2] = T::from_f64(doubles[i]);
    }
}

fn from_wide_floats(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        let mut doubles = f64::some(200);
        let mut random = Random::new(21);
        for _ in 0..300 {
            // Halfway between two numbers, and next to it.
            let bits = (random.bits() as u16) & 0x7fff;
            if bits < H::INFINITY.bits() {
                let next = if bits + 1 == H::INFINITY.bits() { beyond::<H>() } else { H::of(bits + 1).wide() };
                let middle = (H::of(bits).wide() + next) / 2.0;
                doubles.extend([middle, middle.next_up(), middle.next_down(), -middle, middle * (1.0 + 1e-12)]);
            }
        }
        let singles: Vec<f32> = doubles.iter().map(|x| *x as f32).collect();
        let n = doubles.len();
        let (d, s, mut out) = (run.array(&doubles), run.array(&singles), run.zeros(3 * n));
        run.launch(narrowed(&d, &s, &mut out).over(n));
        let of = |(&d, &s): (&f64, &f32)| [nearest::<H>(d), nearest(f64::from(s)), nearest(d)];
        run.expect(std::any::type_name::<H>(), &out, &doubles.iter().zip(&singles).flat_map(of).collect::<Vec<_>>());
    }
    both!(of run);
}

#[kernel]
pub fn from_integers<T: Float>(x: &[i64], out: &mut [T], back: &mut [i64]) {
    let i = grid(1);
    if i < x.len() {
        let n = x[i];
        out[8 * i] = T::cast(n);
        out[8 * i + 1] = T::cast(n as u64);
        out[8 * i + 2] = T::cast(n as i32);
        out[8 * i + 3] = T::cast(n as u32);
        out[8 * i + 4] = T::cast(n as i16);
        out[8 * i + 5] = T::cast(n as u16);
        out[8 * i + 6] = T::cast(n as i8);
        out[8 * i + 7] = T::cast(n as usize);
        back[2 * i] = i32::cast(T::cast(n)) as i64;
        back[2 * i + 1] = u64::cast(T::cast(n)) as i64;
    }
}

fn from_and_to_integers(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        let mut values = i64::some(100);
        values.extend([2049, 4099, 65504, 65519, 65520, 65521, 257, 259, -2051, (1 << 24) + 1, (1 << 40) + 1]);
        for bits in [8, 9, 11, 12, 24, 25, 40] {
            values.extend([(3 << bits) + 1, (1 << bits) + 1, (1 << bits) - 1, -(5 << bits) - 1]);
        }
        let n = values.len();
        let (x, mut out, mut back) = (run.array(&values), run.zeros(8 * n), run.zeros(2 * n));
        run.launch(from_integers(&x, &mut out, &mut back).over(n));
        let of = |&n: &i64| {
            // The error of `f64` is far from the midpoint of two numbers.
            let exact = |n: i128| nearest_integer::<H>(n);
            let n128 = i128::from(n);
            [
                exact(n128),
                exact(i128::from(n as u64)),
                exact(i128::from(n as i32)),
                exact(i128::from(n as u32)),
                exact(i128::from(n as i16)),
                exact(i128::from(n as u16)),
                exact(i128::from(n as i8)),
                exact(i128::from(n as u64)),
            ]
        };
        run.expect(std::any::type_name::<H>(), &out, &values.iter().flat_map(of).collect::<Vec<_>>());
        let of = |&n: &i64| {
            let there = nearest_integer::<H>(i128::from(n)).wide();
            [i64::from(there as i32), there as u64 as i64]
        };
        run.expect("back", &back, &values.iter().flat_map(of).collect::<Vec<_>>());
    }
    both!(of run);
}

/// The nearest number of the type. The lowest bit is a sticky bit, for those that `f64` cannot represent.
fn nearest_integer<H: Half>(n: i128) -> H {
    let kept = n.unsigned_abs();
    let shift = (128 - kept.leading_zeros()).saturating_sub(50);
    let sticky = u128::from(kept & ((1 << shift) - 1) != 0);
    let magnitude = ((kept >> shift) | sticky) as f64 * (shift as f64).exp2();
    nearest(if n < 0 { -magnitude } else { magnitude })
}

/// Functions that are computed as `f32` and rounded.
macro_rules! methods {
    ($($method:ident)*) => {
        #[kernel(fmad = false)]
        pub fn all_functions<T: Float>(x: &[T], out: &mut [T]) {
            let i = grid(1);
            if i < x.len() {
                let mut at = i * (out.len() / x.len());
                $(
                    out[at] = x[i].$method();
                    at += 1;
                )*
            }
        }

        const FUNCTIONS: usize = [$(stringify!($method)),*].len();

        fn on_host(x: f32) -> [f32; FUNCTIONS] {
            [$(x.$method()),*]
        }
    };
}

methods! {
    ceil round_ties_even fract recip cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh
    to_degrees to_radians
}

#[kernel(fmad = false)]
pub fn of_two<T: Float>(a: &[T], b: &[T], n: &[i32], out: &mut [T]) {
    let i = grid(1);
    if i < a.len() {
        let at = 7 * i;
        out[at] = a[i].powf(b[i]);
        out[at + 1] = a[i].hypot(b[i]);
        out[at + 2] = a[i].atan2(b[i]);
        out[at + 3] = a[i].powi(n[i]);
        out[at + 4] = a[i].rem_euclid(b[i]);
        out[at + 5] = a[i].div_euclid(b[i]);
        let (sin, cos) = a[i].sin_cos();
        out[at + 6] = sin + cos;
    }
}

fn functions(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        let values: Vec<H> = H::some(400);
        let (x, mut out) = (run.array(&values), run.zeros(FUNCTIONS * values.len()));
        run.launch(all_functions(&x, &mut out).over(values.len()));
        let of = |x: &H| on_host(x.wide() as f32).map(H::single);
        let name = std::any::type_name::<H>();
        // An error of one ulp in `f32` is at most one ulp after rounding.
        run.expect_within(name, &out, &values.iter().flat_map(of).collect::<Vec<_>>(), Ulps(1));
        let pairs: Vec<(H, H)> = H::pairs(100);
        let (values, others): (Vec<H>, Vec<H>) = pairs.iter().copied().unzip();
        let exponents: Vec<i32> = (0..pairs.len()).map(|i| [0, 1, 2, 3, -1, -2, 5][i % 7]).collect();
        let (a, b, n) = (run.array(&values), run.array(&others), run.array(&exponents));
        let mut out = run.zeros(7 * pairs.len());
        run.launch(of_two(&a, &b, &n, &mut out).over(pairs.len()));
        let of = |(&(a, b), &n): (&(H, H), &i32)| {
            let (x, y) = (a.wide() as f32, b.wide() as f32);
            let (sin, cos) = x.sin_cos();
            let both = f64::from(H::single(sin).wide() as f32 + H::single(cos).wide() as f32);
            let all = [x.powf(y), x.hypot(y), x.atan2(y), x.powi(n), x.rem_euclid(y), x.div_euclid(y)].map(H::single);
            [all.as_slice(), &[nearest(both)]].concat()
        };
        // The sum of sine and cosine can cancel.
        run.expect_within(name, &out, &pairs.iter().zip(&exponents).flat_map(of).collect::<Vec<_>>(), Ulps(16));
    }
    both!(of run);
}

#[kernel]
pub fn fused_sums<T: Float>(a: &[T], b: &[T], c: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < a.len() {
        out[i] = a[i].mul_add(b[i], c[i]);
    }
}

fn fused(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        let mut random = Random::new(31);
        let pairs = H::pairs(500);
        let edges = H::edges();
        let third = |random: &mut Random| edges[random.bits() as usize % edges.len()];
        let mut triples: Vec<(H, H, H)> = pairs.iter().map(|&(a, b)| (a, b, third(&mut random))).collect();
        for _ in 0..500 {
            // The product and the summand nearly cancel, or their sum is a midpoint of two numbers.
            let (a, b) = (H::random(&mut random), H::random(&mut random));
            let product = nearest::<H>(a.wide() * b.wide());
            triples.extend([
                (a, b, -product),
                (a, b, H::of(product.bits() ^ 1)),
                (a, b, H::of(1)),
                (a, b, H::of(0x8001)),
            ]);
        }
        let n = triples.len();
        let a = run.array(&triples.iter().map(|triple| triple.0).collect::<Vec<_>>());
        let b = run.array(&triples.iter().map(|triple| triple.1).collect::<Vec<_>>());
        let c = run.array(&triples.iter().map(|triple| triple.2).collect::<Vec<_>>());
        let mut out = run.zeros(n);
        run.launch(fused_sums(&a, &b, &c, &mut out).over(n));
        let of = |&(a, b, c): &(H, H, H)| fused_exactly(a, b, c);
        run.expect(std::any::type_name::<H>(), &out, &triples.iter().map(of).collect::<Vec<_>>());
    }
    both!(of run);
}

/// The product is exact in `f64`; Møller's and Knuth's two-sum yields the rounding error of the sum, which determines
/// the direction at a midpoint.
fn fused_exactly<H: Half>(a: H, b: H, c: H) -> H {
    let (product, c) = (a.wide() * b.wide(), c.wide());
    let sum = product + c;
    if !sum.is_finite() || sum == 0.0 {
        return nearest(sum);
    }
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    let even = sum.to_bits() % 2 == 0;
    let odd = match (even, lost > 0.0, lost < 0.0) {
        (true, true, _) => sum.next_up(),
        (true, _, true) => sum.next_down(),
        _ => sum,
    };
    nearest(odd)
}

/// On concrete types: bits, classification, and constants.
#[kernel]
pub fn named(
    x: &[f16],
    y: &[bf16],
    bits: &mut [u16],
    flags: &mut [u32],
    singles: &mut [f32],
    back: &mut [f16],
    brains: &mut [bf16],
) {
    let i = grid(1);
    if i < x.len() {
        bits[2 * i] = x[i].to_bits();
        bits[2 * i + 1] = y[i].to_bits();
        flags[i] = x[i].is_nan() as u32
            | (x[i].is_finite() as u32) << 1
            | (y[i].is_infinite() as u32) << 2
            | (x[i].is_normal() as u32) << 3
            | (y[i].is_normal() as u32) << 4
            | (x[i].is_sign_negative() as u32) << 5
            | (y[i].is_sign_positive() as u32) << 6
            | (x[i] == f16::ONE) as u32;
        singles[i] = x[i].to_f32() + y[i].to_f32();
        back[3 * i] = f16::from_bits(bits[2 * i] ^ 1);
        back[3 * i + 1] = f16::from_f32(y[i].to_f32());
        back[3 * i + 2] = f16::from_f64(y[i].to_f64()) + f16::MAX;
        brains[2 * i] = bf16::from_bits(bits[2 * i + 1] ^ 0x8001);
        brains[2 * i + 1] = bf16::from_f64(x[i].to_f64() * 1.001);
    }
}

fn classes(run: &mut Run<'_>) {
    let (xs, ys) = (f16::some(60), bf16::some(60));
    let n = xs.len();
    let (x, y, mut bits, mut flags) = (run.array(&xs), run.array(&ys), run.zeros(2 * n), run.zeros(n));
    let (mut singles, mut back, mut brains) = (run.zeros(n), run.zeros(3 * n), run.zeros(2 * n));
    run.launch(named(&x, &y, &mut bits, &mut flags, &mut singles, &mut back, &mut brains).over(n));
    let pairs = || xs.iter().zip(&ys);
    run.expect("bits", &bits, &pairs().flat_map(|(x, y)| [x.to_bits(), y.to_bits()]).collect::<Vec<_>>());
    let of = |(x, y): (&f16, &bf16)| {
        let all = [
            x.is_nan() || *x == f16::ONE,
            x.is_finite(),
            y.is_infinite(),
            x.is_normal(),
            y.is_normal(),
            x.is_sign_negative(),
            y.is_sign_positive(),
        ];
        all.into_iter().rev().fold(0, |bits, bit| bits * 2 + u32::from(bit))
    };
    run.expect("flags", &flags, &pairs().map(of).collect::<Vec<_>>());
    run.expect("singles", &singles, &pairs().map(|(x, y)| x.to_f32() + y.to_f32()).collect::<Vec<_>>());
    let of = |(x, y): (&f16, &bf16)| {
        let narrowed = nearest::<f16>(y.to_f64());
        [f16::from_bits(x.to_bits() ^ 1), narrowed, nearest(narrowed.to_f64() + f16::MAX.to_f64())]
    };
    run.expect("back", &back, &pairs().flat_map(of).collect::<Vec<_>>());
    let of = |(x, y): (&f16, &bf16)| [bf16::from_bits(y.to_bits() ^ 0x8001), nearest(x.to_f64() * 1.001)];
    run.expect("brains", &brains, &pairs().flat_map(of).collect::<Vec<_>>());
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Weights {
    scale: bf16,
    values: [f16; 3],
    sum: f32,
}

/// In structs, arrays, tuples, constants, shared memory, and as arguments.
#[kernel(fmad = false)]
pub fn weighted(by: f16, x: &mut [Weights]) {
    const HALF: f16 = f16::from_f32_const(0.5);
    let mut tile = shared::<[[bf16; 2]; 4]>();
    let i = thread_idx().x;
    let mut w = x[i];
    tile[i] = [w.scale, bf16::from_f32(i as f32)];
    sync_threads();
    for v in w.values.iter_mut() {
        *v = *v * by + HALF;
    }
    w.values[1] += f16::from_f32(1.0);
    w.scale = tile[3 - i][0] + tile[(i + 1) % 4][1];
    let (a, b) = (w.values[0], w.values[2]);
    w.sum = if a < b { b.to_f32() } else { -a.to_f32() };
    x[i] = w;
}

fn in_structs(run: &mut Run<'_>) {
    let half = f16::from_f32;
    let before: Vec<Weights> = (0..4u8)
        .map(|i| {
            let values = [half(f32::from(i) * 0.3), half(-2.0), half(0.1 - f32::from(i))];
            Weights { scale: bf16::from_f32(f32::from(i) * 1.7), values, sum: 0.0 }
        })
        .collect();
    let mut x = run.array(&before);
    run.launch(weighted(half(1.25), &mut x).grid(1).block(4));
    let rounded = |x: f64| nearest::<f16>(x);
    let after: Vec<Weights> = (0..4)
        .map(|i| {
            let mut values = before[i].values.map(|v| rounded(rounded(v.to_f64() * 1.25).to_f64() + 0.5));
            values[1] = rounded(values[1].to_f64() + 1.0);
            let scale = nearest(before[3 - i].scale.to_f64() + ((i + 1) % 4) as f64);
            let sum = if values[0] < values[2] { values[2].to_f32() } else { -values[0].to_f32() };
            Weights { scale, values, sum }
        })
        .collect();
    run.expect("x", &x, &after);
}

#[kernel]
pub fn clamped<T: Float>(x: &[T], low: &[T], out: &mut [T]) {
    let i = grid(1);
    if i < out.len() {
        out[i] = x[i].clamp(low[i], T::ONE);
    }
}

fn clamps(run: &mut Run<'_>) {
    fn of<H: Half>(run: &mut Run<'_>) {
        let host = |x: H, low: H| {
            (low.wide() <= 1.0).then(|| {
                if x.wide() < low.wide() {
                    low
                } else if x.wide() > 1.0 {
                    H::ONE
                } else {
                    x
                }
            })
        };
        let pairs: Vec<(H, H)> = H::pairs(20).into_iter().step_by(9).collect();
        crate::sweep::binary(run, std::any::type_name::<H>(), &pairs, host, |a, b, out| clamped(a, b, out));
    }
    both!(of run);
}
