//! Loops, matches, tuples, arithmetic and conversions on every numeric type: the same programs for each.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(
    unreachable_patterns,
    unused_comparisons,
    reason = "of unsigned numbers, and of small ones, some arms have none"
)]

use crate::program::programs;
use crate::{Case, Run, listed};

/// The programs of each integer type, in a module of its own.
macro_rules! integers {
    ($($module:ident $int:ident $other:ident)*) => {
        $(pub mod $module {
            use super::*;

            programs! {
                items {
                    #[device]
                    pub fn ordered(pair: ($int, $int)) -> ($int, $int, bool) {
                        let (a, b) = pair;
                        if a <= b { (a, b, false) } else { (b, a, true) }
                    }

                    #[device]
                    pub fn next(n: &mut $int, by: $int) -> ($int, $int) {
                        let before = *n;
                        *n = n.wrapping_mul(5).wrapping_add(by);
                        (before, *n)
                    }
                }

                fn loops(x: &[$int], y: &mut [$int]) {
                    let (low, high, _) = ordered((x[0], x[1]));
                    let (mut sum, mut turns): ($int, u32) = (0, 0);
                    for v in low..=high {
                        turns += 1;
                        if turns > 40 {
                            break;
                        }
                        sum = sum.wrapping_mul(3).wrapping_add(v);
                    }
                    y[0] = sum;
                    for v in (x[2]..x[3]).step_by(3) {
                        turns += 1;
                        if turns > 60 {
                            break;
                        }
                        sum = sum.wrapping_mul(5).wrapping_sub(v);
                    }
                    y[1] = sum;
                    for v in (x[4]..=x[5]).rev().step_by(7) {
                        turns += 1;
                        if turns > 80 {
                            break;
                        }
                        if v % 2 == 0 {
                            continue;
                        }
                        sum = sum.wrapping_mul(7) ^ v;
                    }
                    y[2] = sum;
                    for v in ($int::MAX - 3)..=$int::MAX {
                        sum = sum.wrapping_add(v / 3);
                    }
                    for v in $int::MIN..($int::MIN + 3) {
                        sum = sum.wrapping_add(v / 2);
                    }
                    y[3] = sum;
                    let mut n = x[6];
                    let found = 'search: loop {
                        for (i, v) in x.iter().enumerate() {
                            let (_, now) = next(&mut n, *v);
                            if now & 3 == 1 {
                                break 'search now ^ i as $int;
                            }
                        }
                        turns += 10;
                        if turns > 120 {
                            break n;
                        }
                    };
                    y[4] = found;
                    while n > 1 && turns < 200 {
                        n /= 3;
                        turns += 1;
                    }
                    y[5] = n.wrapping_add(turns as $int);
                    for v in y.iter_mut().rev() {
                        *v = v.wrapping_add(1);
                    }
                }

                fn matches(x: &[$int], y: &mut [$int]) {
                    const SEVEN: $int = 7;
                    for i in 0..8 {
                        y[i] = match x[i] {
                            0 => 1,
                            1 | 2 => 2,
                            n @ 3..=6 => n * 2,
                            SEVEN => 70,
                            n if n % 2 == 0 && n > 100 => n / 3,
                            $int::MAX => 5,
                            $int::MIN => 6,
                            8.. => 9,
                            _ => 10,
                        };
                    }
                    y[8] = match (x[0], x[1] > x[2], x[3]) {
                        (0, true, _) => 1,
                        (a, false, 1..=5) => a,
                        (a, _, b) if a == b => 3,
                        (_, flag, c) => c / 2 + flag as $int,
                    };
                    y[9] = if let (3..=9, n) | (n, 0) = (x[4], x[5]) { n } else { 11 };
                    let mut n = x[6];
                    while let 1..=100 = n {
                        n = n / 2;
                    }
                    y[10] = n;
                    let (4.., rest) = (x[7], x[0]) else {
                        y[11] = 1;
                        return;
                    };
                    y[11] = rest;
                }

                fn tuples(x: &[$int], y: &mut [$int]) {
                    let (a, (b, c)) = (x[0], (x[1], x[2] < x[3]));
                    let mut t = (a, b, [x[4]; 3], c);
                    t.2[1] = t.0.wrapping_add(t.1);
                    (t.0, t.1) = (t.1, t.0);
                    let (low, high, swapped) = ordered((t.0, t.1));
                    y[0] = low;
                    y[1] = high.wrapping_sub(low);
                    y[2] = swapped as $int + 2 * t.3 as $int;
                    let (sum, over) = x[5].overflowing_add(x[6]);
                    let (product, more) = x[5].overflowing_mul(x[6]);
                    y[3] = sum ^ product;
                    y[4] = over as $int + 2 * more as $int;
                    let list = [(x[0], true), (x[1], false), (x[2], x[3] > x[4])];
                    let (mut best, mut at) = (list[0].0, 0usize);
                    for (i, (v, flag)) in list.into_iter().enumerate() {
                        if v > best || flag && v == best {
                            (best, at) = (v, i);
                        }
                    }
                    y[5] = best;
                    y[6] = at as $int;
                    let nested = ((t.2, (low, high)), t);
                    y[7] = nested.0.0[1] ^ nested.0.1.1 ^ nested.1.2[2];
                    let (before, after) = next(&mut t.0, 3);
                    y[8] = before ^ after ^ t.0;
                }

                fn arithmetic(x: &[$int], y: &mut [$int]) {
                    y[0] = x[0] + x[1];
                    y[1] = x[1] - x[2];
                    y[2] = x[2] * x[3];
                    y[3] = x[3] / x[4];
                    y[4] = x[4] % x[5];
                    y[5] = x[5] << (x[6] as u32 & 7);
                    y[6] = x[6] >> (x[7] as u32 & 7);
                    let mut n = x[7];
                    n += x[0];
                    n ^= !x[1];
                    n -= x[2] & 15;
                    n |= 1;
                    y[7] = n;
                }

                fn conversions(x: &[$int], y: &mut [$int]) {
                    let v = x[0];
                    y[0] = v as i8 as $int;
                    y[1] = v as u8 as i16 as $int;
                    y[2] = v as u16 as i32 as $int;
                    y[3] = v as i32 as u64 as $int;
                    y[4] = v as u32 as i64 as $int;
                    y[5] = v as f32 as $int;
                    y[6] = v as f64 as $int;
                    y[7] = (v as f64 * 1.5) as $int;
                    y[8] = v as $other as $int;
                    y[9] = v as usize as isize as $int;
                    y[10] = (v > 3) as $int + (v as u8 as f32 / 3.0) as $int;
                    y[11] = f32::NAN as $int + (x[1] as f32 * 1e10) as $int / 2;
                }
            }

            pub(crate) const ALL: &[Case] = PROGRAMS;
        })*
    };
}

integers! {
    of_i8 i8 u8 of_u8 u8 i8 of_i16 i16 u16 of_u16 u16 i16 of_u32 u32 i32 of_i64 i64 u64 of_u64 u64 i64 of_usize usize isize
    of_isize isize usize
}

/// The programs of `f32` and `f64`.
macro_rules! floats {
    ($($module:ident $float:ident)*) => {
        $(pub mod $module {
            use super::*;

            programs! {
                items {
                    #[device]
                    pub fn sums(x: &[$float], weight: $float) -> ($float, $float) {
                        let (mut plain, mut weighted) = (0.0, 0.0);
                        for (i, v) in x.iter().enumerate() {
                            plain += *v;
                            weighted += weight * *v / (i + 1) as $float;
                        }
                        (plain, weighted)
                    }
                }

                fn loops(x: &[$float], y: &mut [$float]) {
                    let (plain, weighted) = sums(x, 0.5);
                    y[0] = plain;
                    y[1] = weighted;
                    let (part, _) = sums(&x[2..5], x[0]);
                    y[2] = part;
                    let (mut t, mut turns) = (1.0, 0);
                    while t < 100.0 && turns < 20 {
                        t *= 1.5;
                        t -= x[3].clamp(-1.0, 1.0);
                        turns += 1;
                    }
                    y[3] = t;
                    y[4] = turns as $float;
                    let limit = loop {
                        turns += 1;
                        if turns as $float > x[4] || turns > 30 {
                            break t / turns as $float;
                        }
                    };
                    y[5] = limit;
                    'rows: for i in 0..4 {
                        for v in x[i..].iter().rev() {
                            if *v < 0.0 {
                                continue 'rows;
                            }
                            if v.is_nan() {
                                break 'rows;
                            }
                            y[6] += *v;
                        }
                        y[7] += 1.0;
                    }
                }

                fn matches(x: &[$float], y: &mut [$float]) {
                    const HALF: $float = 0.5;
                    for i in 0..8 {
                        y[i] = match x[i] {
                            0.0 => 1.0,
                            HALF => 2.0,
                            1.0..=2.0 => 3.0,
                            v if v < 0.0 => v * 2.0,
                            v @ 2.5.. => v + 1.0,
                            v => v,
                        };
                    }
                    y[8] = match (x[0] < x[1], x[2] == x[3], x[4]) {
                        (true, true, _) => 1.0,
                        (true, false, v) => v,
                        (false, _, v) if v != v => 2.0,
                        (false, same, _) => same as u8 as $float,
                    };
                }

                fn tuples(x: &[$float], y: &mut [$float]) {
                    let (mut a, b) = (x[0], [x[1], x[2]]);
                    let mut t = (a, b, x[3] > x[4]);
                    (a, t.0) = (t.1[0], a + 1.0);
                    t.1[1] -= a;
                    let ((p, q), r) = (sums(&t.1, 2.0), if t.2 { t.0 } else { -t.0 });
                    y[0] = p;
                    y[1] = q;
                    y[2] = r;
                    let points = [(x[5], 0i32), (x[6], 1), (x[7], 2)];
                    let mut least = points[0];
                    for point in points {
                        if point.0 < least.0 {
                            least = point;
                        }
                    }
                    y[3] = least.0;
                    y[4] = least.1 as $float;
                }

                fn arithmetic(x: &[$float], y: &mut [$float]) {
                    y[0] = x[0] + x[1];
                    y[1] = x[1] - x[2];
                    y[2] = x[2] * x[3];
                    y[3] = x[3] / x[4];
                    y[4] = x[4] % x[5];
                    y[5] = -x[6];
                    let mut v = x[7];
                    v += x[0];
                    v *= x[1];
                    v -= 1.0;
                    v /= x[2];
                    v %= 3.0;
                    y[6] = v;
                    y[7] = (x[0] < x[1]) as u8 as $float + (x[2] >= x[3]) as u8 as $float * 2.0;
                    y[8] = (x[0] != x[0]) as u8 as $float + (x[1] == x[1]) as u8 as $float * 2.0;
                }

                fn conversions(x: &[$float], y: &mut [$float]) {
                    let v = x[0];
                    y[0] = v as i8 as $float;
                    y[1] = v as u8 as $float;
                    y[2] = v as i16 as $float;
                    y[3] = v as u16 as $float;
                    y[4] = v as i32 as $float;
                    y[5] = v as u32 as $float;
                    y[6] = v as i64 as $float;
                    y[7] = v as u64 as $float;
                    y[8] = v as usize as $float;
                    y[9] = v as f32 as f64 as $float;
                    y[10] = v as isize as u8 as $float;
                    y[11] = v.to_bits() as $float;
                }
            }

            pub(crate) const ALL: &[Case] = PROGRAMS;
        })*
    };
}

floats!(of_f32 f32 of_f64 f64);

pub(crate) const CASES: &[&[Case]] = &[
    of_i8::ALL,
    of_u8::ALL,
    of_i16::ALL,
    of_u16::ALL,
    of_u32::ALL,
    of_i64::ALL,
    of_u64::ALL,
    of_usize::ALL,
    of_isize::ALL,
    of_f32::ALL,
    of_f64::ALL,
    listed![clones],
];

/// `.clone()` of the types whose `Clone` is known to be a copy.
pub mod copies {
    use cumbia::prelude::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
    pub struct Item {
        pub weight: f32,
        pub parts: [u16; 3],
    }

    #[derive(Clone, Copy, DeviceType)]
    #[device(PartialEq)]
    pub enum Mark {
        Red,
        Blue,
    }

    #[kernel]
    pub fn cloned<T: Number>(x: &[T], items: &mut [Item], y: &mut [T], n: &mut [u32]) {
        let v = x[1].clone();
        let mut pair = (v, [x[0]; 2]).clone();
        let before = pair.1.clone();
        pair.1[0] = v;
        let mut item = items[0];
        item.parts[1] += 1;
        let parts = items[0].parts.clone();
        items[1] = item;
        let mark = if v == x[0] { Mark::Red } else { Mark::Blue };
        let part = (&x[1..]).clone();
        let (first, same) = (T::clone(&x[0]), <[u16; 3]>::clone(&item.parts));
        y[0] = if first == before[0] && same[1] == item.parts[1] { before[0] } else { v };
        y[1] = pair.1[0] + part[0].clone();
        n[0] =
            item.parts[1] as u32 * 100 + parts[1] as u32 * 10 + (mark == Mark::Blue) as u32 + part.len() as u32 * 1000;
    }
}

fn clones(run: &mut Run<'_>) {
    let item = copies::Item { weight: 0.5, parts: [1, 2, 3] };
    let mut items = run.array(&[item, copies::Item::default()]);
    let (x, mut y, mut n) = (run.array(&[4u8, 9, 5]), run.zeros(2), run.zeros(1));
    run.launch(copies::cloned(&x, &mut items, &mut y, &mut n).grid(1).block(1));
    run.expect("y", &y, &[4, 18]);
    run.expect("n", &n, &[2321]);
    run.expect("items", &items, &[item, copies::Item { weight: 0.5, parts: [1, 3, 3] }]);
}
