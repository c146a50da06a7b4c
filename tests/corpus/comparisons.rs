//! Comparisons of structs, enums, tuples and arrays: derived by `#[device(PartialEq, PartialOrd)]`, implemented by
//! `#[device] impl PartialEq`, and both nested.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![elements]];

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
        pub struct Row<T: DeviceType, const N: usize> {
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

        /// `==` is a function for some fields and built in for others.
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        pub struct Pose {
            pub at: [f32; 2],
            pub heading: Angle,
            pub signs: [Sign; 3],
            pub level: Level,
        }

        #[device(PartialEq)]
        #[derive(Clone, Copy, DeviceType)]
        pub struct Both<T, U>(pub T, pub U);

        /// A hand-written implementation that differs slightly from the derived one.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Tolerance(pub f32, pub i32);

        #[device]
        impl PartialEq for Tolerance {
            fn eq(&self, other: &Tolerance) -> bool {
                self.1 == other.1 && (self.0 - other.0).abs() <= 1.5
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Exchanged(pub i32, pub i32);

        #[device]
        impl PartialEq for Exchanged {
            fn eq(&self, other: &Exchanged) -> bool {
                self.0 == other.1 && self.1 == other.0
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct FirstOnly<T>(pub T, pub i32);

        #[device]
        impl<T: DeviceType + PartialEq> PartialEq for FirstOnly<T> {
            fn eq(&self, other: &FirstOnly<T>) -> bool {
                self.0 == other.0
            }
        }

        /// A loop whose trip count is a field.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Counted(pub i32);

        #[device]
        impl PartialEq for Counted {
            fn eq(&self, other: &Counted) -> bool {
                let mut rest = self.0 & 15;
                while rest > 0 {
                    if rest == other.0 & 15 {
                        return true;
                    }
                    rest -= 1;
                }
                other.0 & 15 == 0
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Careful(pub i32);

        #[device]
        impl PartialEq for Careful {
            fn eq(&self, other: &Careful) -> bool {
                if self.0 > 2 {
                    panic!("{} is too large", self.0);
                }
                self.0 == other.0
            }
        }

        /// Operands of different types.
        #[device]
        impl PartialEq<Counted> for Careful {
            fn eq(&self, other: &Counted) -> bool {
                self.0 + 1 == other.0
            }
        }

        pub const ORIGIN: Key = Key { small: 0, float: 0.0, flag: false, level: Level::Low };
        pub const STEP: Both<u8, [f32; 2]> = Both(1, [0.0, -1.0]);

        #[device]
        pub fn pose(x: &[i32], from: usize) -> Pose {
            let signs = [Sign::Plus, Sign::Minus, Sign::Unknown];
            let sign = signs[(x[from] as u32 % 3) as usize];
            Pose {
                at: [x[0] as f32, if x[from] == 4 { f32::NAN } else { 1.0 }],
                heading: Angle { degrees: x[1].wrapping_add(360 * (x[from] & 3)), turns: x[from] },
                signs: [Sign::Plus, Sign::Minus, if x[from] & 4 != 0 { sign } else { Sign::Plus }],
                level: level(x[2] & (x[from] | 1)),
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
        pub fn largest<T: DeviceType + PartialOrd>(a: T, b: T, c: T) -> T {
            let mut best = a;
            if b > best {
                best = b;
            }
            if c >= best { c } else { best }
        }

        #[device]
        pub fn position<T: DeviceType + PartialEq, const N: usize>(items: [T; N], wanted: T) -> usize {
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

    /// Operands are evaluated once, from left to right, for all types.
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

    /// A hand-written `#[device]` implementation takes effect.
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

    /// Compound types whose parts have functions for `==`.
    fn by_parts(x: &[i32], y: &mut [i64]) {
        let (a, b) = (pose(x, 3), pose(x, 4));
        y[0] = (a == b) as i64 + 2 * (a != b) as i64 + 4 * (a == a) as i64;
        y[1] = (a.signs == b.signs) as i64 + 2 * ([a, b] == [b, a]) as i64 + 4 * ([a; 6] != [b; 6]) as i64;
        y[2] = ((a, x[5]) == (b, x[6])) as i64 + 2 * (((a.heading, 1u8), [a]) != ((b.heading, 1), [b])) as i64;
        let both = Both(a, [Both(a.heading, x[5] as u8 & 1); 2]);
        let mut other = both;
        other.1[1] = Both(b.heading, x[6] as u8 & 1);
        y[3] = (both == other) as i64 + 2 * (both.1 == other.1) as i64 + 4 * (both.1[0] != other.1[1]) as i64;
        y[4] = position([a.heading, b.heading], other.1[1].0) as i64;
        y[5] = position([Both(1u8, a), Both(2, b)], Both(2, a)) as i64;
        let empty: [Angle; 0] = [];
        y[6] = (empty == []) as i64 + 2 * (Both(empty, x[0]) == Both([], x[7])) as i64;
    }

    /// Each hand-written operator.
    fn nearly_derived(x: &[i32], y: &mut [i64]) {
        let (a, b) = (Tolerance(x[0] as f32, x[1] & 1), Tolerance(x[2] as f32, x[3] & 1));
        y[0] = (a == b) as i64 + 2 * (a != b) as i64 + 4 * ([a, b] == [b, a]) as i64;
        let (a, b) = (Exchanged(x[0], x[1]), Exchanged(x[2], x[3]));
        y[1] = (a == b) as i64 + 2 * (a == a) as i64 + 4 * (a == Exchanged(a.1, a.0)) as i64;
        let (a, b) = (FirstOnly(x[0], x[1]), FirstOnly(x[2], x[3]));
        y[2] = (a == b) as i64 + 2 * (a == FirstOnly(a.0, b.1)) as i64;
        let (a, b) = (FirstOnly(Exchanged(x[0], x[1]), 1), FirstOnly(Exchanged(x[1], x[2]), 2));
        y[3] = (a == b) as i64 + 2 * (a != b) as i64;
        let (a, b) = (Counted(x[0]), Counted(x[2]));
        y[4] = (a == b) as i64 + 2 * (b == a) as i64 + 4 * ((a, 1) == (b, 1)) as i64;
        y[5] = (Careful(x[0] & 1) == Counted(x[1])) as i64;
    }

    /// The first parts that differ determine the result: later parts are not compared.
    fn up_to_the_first_difference(x: &[i32], y: &mut [i64]) {
        y[0] = (Both(x[0], Careful(x[1])) == Both(x[2], Careful(x[3]))) as i64;
        y[1] = ((x[2], Careful(x[4])) != (x[5], Careful(x[3]))) as i64;
        y[2] = ([Careful(x[1]), Careful(x[6])] == [Careful(x[3]), Careful(x[7])]) as i64;
        let (a, b) = ([Careful(x[5]); 7], [Careful(x[6]); 7]);
        y[3] = (x[7] > 1 && Both(a, 1) == Both(b, 1)) as i64;
    }

    /// A constant in a pattern is compared structurally, as by rustc's derive.
    fn constants(x: &[i32], y: &mut [i64]) {
        let zero = if x[1] & 1 == 1 { -0.0 } else { 0.0 };
        let k = Key { small: (x[0] & 1) as i8, float: zero, flag: false, level: level(x[2] & 1) };
        y[0] = match k {
            ORIGIN => 1,
            Key { small: 1, .. } => 2,
            _ => 3,
        };
        y[1] = match Both(x[3] as u8 & 1, [zero, if x[4] > 2 { f32::NAN } else { -1.0 }]) {
            STEP => 1,
            _ => 2,
        };
        y[2] = (k == ORIGIN) as i64;
    }
}

/// Comparisons of elements in memory.
#[kernel]
pub fn same_poses(x: &[device::Pose], y: &[device::Pose], out: &mut [u32]) {
    let i = grid(1);
    if i < out.len() {
        let swapped = [x[i], y[i]] == [y[i], x[i]];
        let parts = x[i].heading == y[i].heading && x[i].signs == y[i].signs;
        out[i] = (x[i] == y[i]) as u32
            + 2 * (x[i] != y[i]) as u32
            + 4 * swapped as u32
            + 8 * ((x[i], 1u8) == (y[i], 1)) as u32
            + 16 * parts as u32;
    }
}

fn elements(run: &mut Run<'_>) {
    let numbers = [1, 5, 2, 0, 1, 2, 3, 4];
    let all: Vec<_> = (0..8).map(|from| device::pose(&numbers, from)).collect();
    let pairs: Vec<_> = all.iter().flat_map(|x| all.iter().map(move |y| (*x, *y))).collect();
    let (x, y): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let of = |&(x, y): &(device::Pose, device::Pose)| {
        let parts = x.heading == y.heading && x.signs == y.signs;
        (x == y) as u32
            + 2 * (x != y) as u32
            + 4 * ([x, y] == [y, x]) as u32
            + 8 * ((x, 1u8) == (y, 1)) as u32
            + 16 * parts as u32
    };
    let expected: Vec<u32> = pairs.iter().map(of).collect();
    let (x, y, mut out) = (run.array(&x), run.array(&y), run.zeros(pairs.len()));
    run.launch(same_poses(&x, &y, &mut out).over(pairs.len()));
    run.expect("out", &out, &expected);
}
