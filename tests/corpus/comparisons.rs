//! `==`, `<` and their like of structs, enums, tuples and arrays, as what Rust derives compares them.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        pub enum Level {
            Low = 3,
            High = 200,
            Middle = 100,
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        pub struct Key {
            small: i8,
            float: f32,
            flag: bool,
            level: Level,
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        pub struct Row<T: Element, const N: usize> {
            id: u16,
            items: [T; N],
            nothing: [u64; 0],
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        pub struct Nested(pub Row<Key, 2>, pub [[u8; 3]; 6], pub i64);

        #[derive(Clone, Copy, DeviceType)]
        pub struct Angle {
            degrees: i32,
            turns: i32,
        }

        #[device]
        impl PartialEq for Angle {
            fn eq(&self, other: &Angle) -> bool {
                self.degrees.wrapping_sub(other.degrees) % 360 == 0
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub enum Sign {
            Plus,
            Minus,
            Unknown,
        }

        #[device]
        impl PartialEq for Sign {
            fn eq(&self, other: &Sign) -> bool {
                *self as u8 == *other as u8 && *self as u8 != 2
            }
        }

        #[device]
        pub fn level(n: i32) -> Level {
            match n & 3 {
                0 => Level::Low,
                1 => Level::High,
                _ => Level::Middle,
            }
        }

        #[device]
        pub fn key(a: i32, b: i32) -> Key {
            let float = if b == 7 { f32::NAN } else if b == 0 && a > 2 { -0.0 } else { b as f32 };
            Key { small: a as i8, float, flag: a & 2 != 0, level: level(b) }
        }

        #[device]
        pub fn nested(x: &[i32]) -> Nested {
            let row = Row { id: x[0] as u16 & 1, items: [key(x[1] & 1, x[2] & 1), key(x[3], x[4])], nothing: [] };
            let mut bytes = [[x[5] as u8 & 1; 3]; 6];
            bytes[(x[6] & 3) as usize + 1][(x[7] & 1) as usize + 1] = 5;
            Nested(row, bytes, x[1] as i64)
        }

        #[device]
        pub fn largest<T: Element + PartialOrd>(a: T, b: T, c: T) -> T {
            let mut best = a;
            if b > best {
                best = b;
            }
            if c >= best { c } else { best }
        }

        #[device]
        pub fn position<T: Element + PartialEq, const N: usize>(items: [T; N], wanted: T) -> usize {
            let mut at = 0;
            while at < N && items[at] != wanted {
                at += 1;
            }
            at
        }
    }

    fn structs(x: &[i32], y: &mut [i64]) {
        let (a, b) = (key(x[0], x[1]), key(x[2], x[3]));
        let c = Key { small: a.small, ..b };
        y[0] = (a == b) as i64 + 2 * (a != b) as i64 + 4 * (a == a) as i64 + 8 * (a == c) as i64;
        y[1] = (a < b) as i64 + 2 * (a <= b) as i64 + 4 * (a > b) as i64 + 8 * (a >= b) as i64;
        y[2] = (a < c) as i64 + 2 * (a <= c) as i64 + 4 * (a > c) as i64 + 8 * (a >= c) as i64;
        y[3] = (a <= a) as i64 + 2 * (a < a) as i64 + 4 * (a != a) as i64 + 8 * !(c == b) as i64;
        let d = Key { level: level(x[5]), ..a };
        y[4] = (a == d) as i64 + 2 * (a < d) as i64 + 4 * (a >= d) as i64;
        if key(x[4], x[5]) == key(x[6], x[7]) && a.flag {
            y[5] = 1;
        }
        y[6] = (level(x[0]) == level(x[1])) as i64 + 2 * (level(x[0]) < level(x[1])) as i64;
    }

    fn nested_structs(x: &[i32], y: &mut [i64]) {
        let mut a = nested(x);
        let mut b = a;
        b.1[(x[0] & 3) as usize][2] ^= (x[3] & 1) as u8;
        y[0] = (a == b) as i64 + 2 * (a < b) as i64 + 4 * (a <= b) as i64 + 8 * (a > b) as i64 + 16 * (a >= b) as i64;
        b.0.items[1].small = x[4] as i8;
        y[1] = (a == b) as i64 + 2 * (a < b) as i64 + 4 * (a <= b) as i64 + 8 * (a > b) as i64 + 16 * (a >= b) as i64;
        a.2 = 5;
        y[2] = (a.0 == b.0) as i64 + 2 * (a.1 == b.1) as i64 + 4 * (a.0 < b.0) as i64 + 8 * (a.1 < b.1) as i64;
        y[3] = (a.0.items != b.0.items) as i64 + 2 * (a.0.nothing == b.0.nothing) as i64;
        y[4] = (a.0.nothing < b.0.nothing) as i64 + 2 * (a.0.nothing <= b.0.nothing) as i64;
    }

    fn arrays(x: &[i32], y: &mut [i64]) {
        let a = [x[0], x[1], x[2], x[3], x[4], x[5], x[6]];
        let mut b = a;
        b[(x[7] & 7).min(6) as usize] += x[0] & 1;
        y[0] = (a == b) as i64 + 2 * (a != b) as i64 + 4 * (a < b) as i64 + 8 * (a >= b) as i64;
        y[1] = ([x[0], x[1]] < [x[2], x[3]]) as i64 + 2 * ([x[0], x[1]] == [x[2], x[3]]) as i64;
        let (c, d) = ([[x[0] as f32; 5]; 5], [[x[1] as f32; 5]; 5]);
        y[2] = (c == d) as i64 + 2 * (c <= d) as i64 + 4 * (c > d) as i64;
        let mut n = 0;
        while a[n] < b[n] || a == b {
            n += 1;
            if n > 3 {
                break;
            }
        }
        y[3] = n as i64;
        y[4] = position([x[0], x[1], x[2]], x[3]) as i64;
        y[5] = position([key(x[0], 1), key(x[1], 1)], key(x[2], 1)) as i64;
        let flags = [x[0] > 2, x[1] > 2, x[2] > 2, x[3] > 2, x[4] > 2];
        y[6] = (flags == [true; 5]) as i64 + 2 * (flags < [false, true, false, true, false]) as i64;
    }

    fn tuples(x: &[i32], y: &mut [i64]) {
        let (a, b) = ((x[0], x[1] as f32, x[2] > 1), (x[3], x[4] as f32, x[5] > 1));
        y[0] = (a == b) as i64 + 2 * (a != b) as i64 + 4 * (a < b) as i64 + 8 * (a <= b) as i64;
        y[1] = (a > b) as i64 + 2 * (a >= b) as i64;
        y[2] = ((x[0], x[1]) < (x[2], x[3])) as i64 + 2 * ((x[0],) == (x[1],)) as i64;
        y[3] = (((x[0], 1u8), [x[1], x[2]]) >= ((x[3], 2u8), [x[4], x[5]])) as i64;
        y[4] = ((key(x[0], x[1]), x[2]) == (key(x[0], x[3]), x[2])) as i64;
        let nan = (1, if x[0] > 3 { f64::NAN } else { 0.5 });
        y[5] = (nan == nan) as i64 + 2 * (nan < nan) as i64 + 4 * (nan <= (2, 0.0)) as i64;
    }

    /// Operands are evaluated once, in their order, whatever they compare.
    fn order(x: &[i32], y: &mut [i64]) {
        let mut n = x[0] as i64 & 0xff;
        let same = (({ n = n * 3 + 1; n }, x[1]) == ({ n = n * 5 + 2; n }, x[1])) as i64;
        let less = ([{ n += 7; n }, n, n, n, n, n]) < ([n, n, n, { n *= 2; n }, n, n]);
        y[0] = n;
        y[1] = same + 2 * less as i64;
        let mut p = [x[1], x[2]];
        let q = { p[0] += 1; p } == p;
        y[2] = q as i64 + p[0] as i64;
    }

    fn generic(x: &[i32], y: &mut [i64]) {
        let k = largest(key(x[0], x[1]), key(x[2], x[3]), key(x[4], x[5]));
        y[0] = k.small as i64 * 100 + k.level as i64;
        y[1] = largest(x[0] as u8, x[1] as u8, x[2] as u8) as i64;
        let row = largest([x[0], x[1]], [x[2], x[3]], [x[4], x[5]]);
        y[2] = row[0] as i64 * 100 + row[1] as i64;
    }

    /// What is written by hand, with `#[device]`, is what counts.
    fn by_hand(x: &[i32], y: &mut [i64]) {
        let a = Angle { degrees: x[0], turns: 0 };
        let b = Angle { degrees: x[0].wrapping_add(360 * (x[1] & 1)), turns: x[2] };
        let c = Angle { degrees: x[3], ..b };
        y[0] = (a == b) as i64 + 2 * (a != c) as i64 + 4 * (b == c) as i64;
        let signs = [Sign::Plus, Sign::Minus, Sign::Unknown];
        let (s, t) = (signs[(x[0] as u32 % 3) as usize], signs[(x[1] as u32 % 3) as usize]);
        y[1] = (s == t) as i64 + 2 * (s != s) as i64 + a.turns as i64;
        y[2] = position([a, c], b) as i64;
    }
}
