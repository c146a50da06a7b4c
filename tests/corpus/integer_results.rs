//! Further methods of integers: on each type through `T: Integer`, those of signed or unsigned types only, those with
//! operands of both signs, those with an overflow flag, and all that can fault.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::inputs::Edges;
use crate::program::quietly;
use crate::sweep::{binary, unary};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![of_all_types, that_may_fault, of_signed_types, of_unsigned_types, of_two_signs, overflows_as_branches];

/// Expressions in `a`, `b` and `n`, in a generic kernel and for the host.
macro_rules! results {
    ($kernel:ident $host:ident $bound:ident ($a:ident $b:ident $n:ident)
        values [$($value:expr;)*] counts [$($count:expr;)*] tuples [$($tuple:expr;)*] bools [$($bool:expr;)*]
    ) => {
        #[kernel]
        pub fn $kernel<T: $bound>(x: &[T], y: &[T], ns: &[u32], values: &mut [T], counts: &mut [u32], bools: &mut [bool]) {
            let i = grid(1);
            if i < x.len() {
                let ($a, $b, $n) = (x[i], y[i], ns[i]);
                let (mut at, mut count_at, mut bool_at) =
                    (i * (values.len() / x.len()), i * (counts.len() / x.len()), i * (bools.len() / x.len()));
                $(
                    values[at] = $value;
                    at += 1;
                )*
                $(
                    counts[count_at] = $count;
                    count_at += 1;
                )*
                $(
                    let (value, over) = $tuple;
                    values[at] = value;
                    at += 1;
                    bools[bool_at] = over;
                    bool_at += 1;
                )*
                $(
                    bools[bool_at] = $bool;
                    bool_at += 1;
                )*
            }
        }

        fn $host<T: $bound>($a: T, $b: T, $n: u32) -> (Vec<T>, Vec<u32>, Vec<bool>) {
            let (mut values, mut bools) = (vec![$($value),*], Vec::<bool>::new());
            $(
                let (value, over) = $tuple;
                values.push(value);
                bools.push(over);
            )*
            bools.extend([$($bool),*] as [bool; 0 $(+ { let _ = stringify!($bool); 1 })*]);
            (values, vec![$($count),*], bools)
        }
    };
}

results! { integers integers_on_host Integer (a b n)
    values [
        a.to_be();
        a.to_le();
        a.midpoint(b);
        a.wrapping_add(b);
        a.wrapping_sub(b);
        a.wrapping_mul(b);
        a.wrapping_neg();
        a.wrapping_shl(n);
        a.wrapping_shr(n);
        a.wrapping_pow(n);
        a.saturating_add(b);
        a.saturating_sub(b);
        a.saturating_mul(b);
        a.saturating_pow(n);
        a.unbounded_shl(n);
        a.unbounded_shr(n);
        a.rotate_left(n);
        a.rotate_right(n);
        a.swap_bytes();
        a.reverse_bits();
        a.min(b);
        a.max(b);
        a.clone();
    ]
    counts [
        a.count_ones();
        a.count_zeros();
        a.leading_zeros();
        a.leading_ones();
        a.trailing_zeros();
        a.trailing_ones();
    ]
    tuples [
        a.overflowing_add(b);
        a.overflowing_sub(b);
        a.overflowing_mul(b);
        a.overflowing_neg();
        a.overflowing_shl(n);
        a.overflowing_shr(n);
        a.overflowing_pow(n);
    ]
    bools []
}

/// Pairs of operands, each with an amount for shifts and powers.
fn triples<T: Edges>() -> Vec<(T, T, u32)> {
    let ns = [0, 1, 2, 3, 5, 7, 8, 13, 15, 16, 31, 32, 33, 63, 64, 65, 127, 1 << 31, u32::MAX];
    T::pairs(60).into_iter().enumerate().map(|(i, (a, b))| (a, b, ns[i * 5 % ns.len()])).collect()
}

/// The slices of a kernel, and the expected result of each input.
type Expected<T> = (Vec<T>, Vec<u32>, Vec<bool>);

fn of_all_types(run: &mut Run<'_>) {
    fn of<T: Integer + Edges>(run: &mut Run<'_>) {
        let inputs = triples::<T>();
        let results: Vec<Expected<T>> = inputs.iter().map(|&(a, b, n)| integers_on_host(a, b, n)).collect();
        let name = std::any::type_name::<T>();
        let a = run.array(&inputs.iter().map(|input| input.0).collect::<Vec<_>>());
        let b = run.array(&inputs.iter().map(|input| input.1).collect::<Vec<_>>());
        let n = run.array(&inputs.iter().map(|input| input.2).collect::<Vec<_>>());
        let values: Vec<T> = results.iter().flat_map(|result| result.0.clone()).collect();
        let counts: Vec<u32> = results.iter().flat_map(|result| result.1.clone()).collect();
        let bools: Vec<bool> = results.iter().flat_map(|result| result.2.clone()).collect();
        let (mut v, mut c, mut o) = (run.zeros(values.len()), run.zeros(counts.len()), run.zeros(bools.len()));
        run.launch(integers(&a, &b, &n, &mut v, &mut c, &mut o).over(inputs.len()));
        run.expect(&format!("{name} values"), &v, &values);
        run.expect(&format!("{name} counts"), &c, &counts);
        run.expect(&format!("{name} overflows"), &o, &bools);
    }
    of::<i8>(run);
    of::<i16>(run);
    of::<i32>(run);
    of::<i64>(run);
    of::<isize>(run);
    of::<u8>(run);
    of::<u16>(run);
    of::<u32>(run);
    of::<u64>(run);
    of::<usize>(run);
}

/// A kernel for each method that can fault.
macro_rules! faulting {
    ($($kernel:ident $a:ident $b:ident -> $result:ty = $value:expr;)*) => {$(
        #[kernel]
        pub fn $kernel<T: Integer>(x: &[T], y: &[T], out: &mut [$result]) {
            let i = grid(1);
            if i < out.len() {
                let ($a, $b) = (x[i], y[i]);
                out[i] = $value;
            }
        }
    )*};
}

faulting! {
    isqrt a _b -> T = a.isqrt();
    ilog a b -> u32 = a.ilog(b);
    ilog2 a _b -> u32 = a.ilog2();
    ilog10 a _b -> u32 = a.ilog10();
    wrapping_div a b -> T = a.wrapping_div(b);
    wrapping_rem a b -> T = a.wrapping_rem(b);
    wrapping_div_euclid a b -> T = a.wrapping_div_euclid(b);
    wrapping_rem_euclid a b -> T = a.wrapping_rem_euclid(b);
    saturating_div a b -> T = a.saturating_div(b);
}

fn that_may_fault(run: &mut Run<'_>) {
    macro_rules! each {
        ($run:ident $int:ident: $($method:ident $(($b:ident))?)*) => {$({
            let host = |a: $int, _b: $int| quietly(|| a.$method($({ let $b = _b; $b })?)).ok();
            let name = concat!(stringify!($int), " ", stringify!($method));
            binary($run, name, &$int::pairs(20), host, |a, b, out| $method(a, b, out));
        })*};
    }
    macro_rules! types {
        ($($int:ident)*) => {
            $(each!(run $int: isqrt ilog(b) ilog2 ilog10 wrapping_div(b) wrapping_rem(b) wrapping_div_euclid(b)
                wrapping_rem_euclid(b) saturating_div(b));)*
        };
    }
    types!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
}

/// Methods of signed types.
macro_rules! signed {
    ($($module:ident $int:ident $unsigned:ident)*) => {$(
        pub mod $module {
            use cumbia::prelude::*;

            #[kernel]
            pub fn plain(x: &[$int], out: &mut [$int], over: &mut [bool], bits: &mut [$unsigned]) {
                let i = grid(1);
                if i < x.len() {
                    let a = x[i];
                    let at = 7 * i;
                    out[at] = a.wrapping_abs();
                    out[at + 1] = a.saturating_neg();
                    out[at + 2] = a.saturating_abs();
                    (out[at + 3], over[3 * i]) = a.overflowing_abs();
                    out[at + 4] = a.signum();
                    out[at + 5] = $int::from_be(a);
                    out[at + 6] = $int::from_le(a);
                    over[3 * i + 1] = a.is_positive();
                    over[3 * i + 2] = a.is_negative();
                    bits[2 * i] = a.cast_unsigned();
                    bits[2 * i + 1] = a.unsigned_abs();
                }
            }
        }
    )*};
}

signed!(signed_8 i8 u8 signed_16 i16 u16 signed_32 i32 u32 signed_64 i64 u64 signed_size isize usize);

fn of_signed_types(run: &mut Run<'_>) {
    macro_rules! each {
        ($($module:ident $int:ident)*) => {$({
            let values = $int::some(40);
            let n = values.len();
            let (x, mut out, mut over, mut bits) = (run.array(&values), run.zeros(7 * n), run.zeros(3 * n), run.zeros(2 * n));
            run.launch($module::plain(&x, &mut out, &mut over, &mut bits).over(n));
            let of = |a: &$int| {
                [
                    a.wrapping_abs(), a.saturating_neg(), a.saturating_abs(), a.overflowing_abs().0, a.signum(),
                    $int::from_be(*a), $int::from_le(*a),
                ]
            };
            run.expect(stringify!($int), &out, &values.iter().flat_map(of).collect::<Vec<_>>());
            let of = |a: &$int| [a.overflowing_abs().1, a.is_positive(), a.is_negative()];
            run.expect(stringify!($int), &over, &values.iter().flat_map(of).collect::<Vec<_>>());
            let of = |a: &$int| [a.cast_unsigned(), a.unsigned_abs()];
            run.expect(stringify!($int), &bits, &values.iter().flat_map(of).collect::<Vec<_>>());
        })*};
    }
    each!(signed_8 i8 signed_16 i16 signed_32 i32 signed_64 i64 signed_size isize);
}

/// Methods of unsigned types.
macro_rules! unsigned {
    ($($module:ident $int:ident $signed:ident)*) => {$(
        pub mod $module {
            use cumbia::prelude::*;

            #[kernel]
            pub fn plain(a: &[$int], b: &[$int], out: &mut [bool], signed: &mut [$signed]) {
                let i = grid(1);
                if i < a.len() {
                    out[2 * i] = a[i].is_multiple_of(b[i]);
                    out[2 * i + 1] = a[i].is_power_of_two();
                    signed[i] = a[i].cast_signed();
                }
            }

            #[kernel]
            pub fn next_multiple_of(a: &[$int], b: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = a[i].next_multiple_of(b[i]);
                }
            }

            #[kernel]
            pub fn next_power_of_two(a: &[$int], out: &mut [$int]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = a[i].next_power_of_two();
                }
            }
        }
    )*};
}

unsigned!(unsigned_8 u8 i8 unsigned_16 u16 i16 unsigned_32 u32 i32 unsigned_64 u64 i64 unsigned_size usize isize);

fn of_unsigned_types(run: &mut Run<'_>) {
    macro_rules! each {
        ($($module:ident $int:ident)*) => {$({
            let mut pairs = $int::pairs(30);
            pairs.extend([(6, 3), (7, 3), (100, 25), ($int::MAX - 1, 2), (64, 64), (65, 64)]);
            let (values, others): (Vec<$int>, Vec<$int>) = pairs.iter().copied().unzip();
            let n = pairs.len();
            let (a, b, mut out, mut signed) = (run.array(&values), run.array(&others), run.zeros(2 * n), run.zeros(n));
            run.launch($module::plain(&a, &b, &mut out, &mut signed).over(n));
            let of = |&(a, b): &($int, $int)| [a.is_multiple_of(b), a.is_power_of_two()];
            run.expect(stringify!($int), &out, &pairs.iter().flat_map(of).collect::<Vec<_>>());
            run.expect(stringify!($int), &signed, &values.iter().map(|a| a.cast_signed()).collect::<Vec<_>>());
            let host = |a: $int, b: $int| quietly(|| a.next_multiple_of(b)).ok();
            let name = concat!(stringify!($int), " next_multiple_of");
            binary(run, name, &pairs, host, |a, b, out| $module::next_multiple_of(a, b, out));
            let host = |a: $int| quietly(|| a.next_power_of_two()).ok();
            let name = concat!(stringify!($int), " next_power_of_two");
            unary(run, name, &values, host, |a, out| $module::next_power_of_two(a, out));
        })*};
    }
    each!(unsigned_8 u8 unsigned_16 u16 unsigned_32 u32 unsigned_64 u64 unsigned_size usize);
}

/// Methods with an unsigned and a signed operand.
macro_rules! mixed {
    ($($name:ident $signed:ident $unsigned:ident)*) => {
        $(#[kernel]
        pub fn $name(a: &[$signed], b: &[$unsigned], signed: &mut [$signed], unsigned: &mut [$unsigned]) {
            let i = grid(1);
            if i < a.len() {
                let (s, u) = (a[i], b[i]);
                signed[4 * i] = s.wrapping_add_unsigned(u);
                signed[4 * i + 1] = s.wrapping_sub_unsigned(u);
                signed[4 * i + 2] = s.saturating_add_unsigned(u);
                signed[4 * i + 3] = s.saturating_sub_unsigned(u);
                unsigned[3 * i] = u.wrapping_add_signed(s);
                unsigned[3 * i + 1] = u.saturating_add_signed(s);
                unsigned[3 * i + 2] = s.abs_diff(u as $signed) / 2 + u.abs_diff(s as $unsigned) / 2;
            }
        })*

        fn of_two_signs(run: &mut Run<'_>) {
            $({
                let pairs: Vec<($signed, $unsigned)> = $signed::edges()
                    .into_iter()
                    .flat_map(|s| $unsigned::some(5).into_iter().map(move |u| (s, u)))
                    .collect();
                let (values, others): (Vec<$signed>, Vec<$unsigned>) = pairs.iter().copied().unzip();
                let n = pairs.len();
                let (a, b, mut s, mut u) = (run.array(&values), run.array(&others), run.zeros(4 * n), run.zeros(3 * n));
                run.launch($name(&a, &b, &mut s, &mut u).over(n));
                let of = |&(s, u): &($signed, $unsigned)| {
                    [s.wrapping_add_unsigned(u), s.wrapping_sub_unsigned(u), s.saturating_add_unsigned(u), s.saturating_sub_unsigned(u)]
                };
                run.expect(stringify!($signed), &s, &pairs.iter().flat_map(of).collect::<Vec<_>>());
                let of = |&(s, u): &($signed, $unsigned)| {
                    let apart = s.abs_diff(u as $signed) / 2 + u.abs_diff(s as $unsigned) / 2;
                    [u.wrapping_add_signed(s), u.saturating_add_signed(s), apart]
                };
                run.expect(stringify!($unsigned), &u, &pairs.iter().flat_map(of).collect::<Vec<_>>());
            })*
        }
    };
}

mixed!(mixed_8 i8 u8 mixed_16 i16 u16 mixed_32 i32 u32 mixed_64 i64 u64 mixed_size isize usize);

/// Results with an overflow flag in conditions, patterns, chains and loops: a product of 128 bits.
#[kernel]
pub fn long_products(a: &[u64], b: &[u64], low: &mut [u64], high: &mut [u64], fits: &mut [u8]) {
    let i = grid(1);
    if i < a.len() {
        let (x0, x1) = (a[i] & 0xffff_ffff, a[i] >> 32);
        let (y0, y1) = (b[i] & 0xffff_ffff, b[i] >> 32);
        let (middle, carry) = (x0 * y1).overflowing_add(x1 * y0);
        let (sum, more) = (x0 * y0).overflowing_add(middle << 32);
        low[i] = sum;
        high[i] = x1 * y1 + (middle >> 32) + more as u64 + ((carry as u64) << 32);
        fits[i] = match a[i].overflowing_mul(b[i]) {
            (0, false) => 1,
            (_, true) if a[i].overflowing_add(b[i]).1 => 2,
            (product, over) => 3 + (product == sum) as u8 * 4 + over as u8 * 8,
        };
    }
}

fn overflows_as_branches(run: &mut Run<'_>) {
    let pairs = u64::pairs(50);
    let (values, others): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
    let n = pairs.len();
    let (a, b) = (run.array(&values), run.array(&others));
    let (mut low, mut high, mut fits) = (run.zeros(n), run.zeros(n), run.zeros(n));
    run.launch(long_products(&a, &b, &mut low, &mut high, &mut fits).over(n));
    let product = |&(a, b): &(u64, u64)| u128::from(a) * u128::from(b);
    run.expect("low", &low, &pairs.iter().map(|pair| product(pair) as u64).collect::<Vec<_>>());
    run.expect("high", &high, &pairs.iter().map(|pair| (product(pair) >> 64) as u64).collect::<Vec<_>>());
    let of = |pair: &(u64, u64)| match product(pair) {
        0 => 1,
        large if large >> 64 != 0 => {
            if pair.0.checked_add(pair.1).is_none() {
                2
            } else {
                15
            }
        }
        _ => 7,
    };
    run.expect("fits", &fits, &pairs.iter().map(of).collect::<Vec<u8>>());
}
