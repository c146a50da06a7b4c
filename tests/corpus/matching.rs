//! Enums, and patterns of every kind: in `match`, `if let`, `while let`, `let else` and `matches!`.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, unreachable_patterns, reason = "as above")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![discriminants, of_each_type]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        pub enum Kind {
            Plus,
            Minus,
            Times,
            Over,
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        #[repr(i16)]
        pub enum Level {
            Low = -300,
            None = 0,
            Mid = 7,
            High = 30_000,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Spot {
            kind: Kind,
            x: i32,
            y: i32,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Two(Level, u8);

        pub const FIVE: i32 = 5;

        pub struct Limits;

        impl Limits {
            pub const LOW: i32 = -2;
            pub const HIGH: i32 = 9;
        }

        #[device]
        pub fn kind(n: i32) -> Kind {
            match n & 3 {
                0 => Kind::Plus,
                1 => Kind::Minus,
                2 => Kind::Times,
                _ => Kind::Over,
            }
        }

        #[device]
        pub fn level(n: i32) -> Level {
            if n < 0 { Level::Low } else if n == 0 { Level::None } else if n < 8 { Level::Mid } else { Level::High }
        }

        #[device]
        pub fn apply(kind: Kind, a: i64, b: i64) -> i64 {
            use Kind::*;
            match kind {
                Plus => a + b,
                Minus => a - b,
                Times => a * b,
                Over if b == 0 => -1,
                Over => a / b,
            }
        }
    }

    fn enums(x: &[i32], y: &mut [i64]) {
        let k = kind(x[0]);
        let l = level(x[1]);
        y[0] = apply(k, x[2] as i64, x[3] as i64);
        y[1] = k as i64 * 100_000 + l as i64;
        y[2] = (k == Kind::Minus) as i64 + 2 * (k != kind(x[2])) as i64 + 4 * (l == Level::Mid) as i64;
        y[3] = (l < Level::Mid) as i64 + 2 * (l >= level(x[2])) as i64 + 4 * (k > Kind::Plus) as i64;
        let kinds = [Kind::Over, k, kind(x[4])];
        let mut count = [0; 4];
        for kind in kinds {
            count[kind as usize] += 1;
        }
        y[4] = count[0] * 1000 + count[1] * 100 + count[2] * 10 + count[3];
        y[5] = Level::High as i16 as i64 + Level::Low as i64 + Level::Mid as u8 as i64;
        y[6] = matches!(l, Level::Low | Level::High) as i64 + 2 * !matches!(k, Kind::Times) as i64;
    }

    fn integers(x: &[i32], y: &mut [i64]) {
        for i in 0..8 {
            y[i] = match x[i] {
                i32::MIN..=-2 => -1,
                -1 => 10,
                0 | 2 | 4 => 20,
                n @ (1 | 3) => n as i64 * 100,
                FIVE => 50,
                n @ 6..9 => 60 + n as i64,
                Limits::HIGH => 90,
                n if n % 2 == 0 && n > 1000 => n as i64 / 1000,
                1_000_000.. => 7,
                _ => 8,
            };
        }
        y[8] = match x[0] { Limits::LOW..=0 => 1, ..Limits::LOW => 2, 1.. => 3 };
    }

    /// If a guard is false, the later arms are tried; it is evaluated once.
    fn guards(x: &[i32], y: &mut [i64]) {
        let mut asked = 0;
        for i in 0..8 {
            y[i] = match x[i] {
                n if { asked += 1; n > 5 } => 1,
                2 | 3 if { asked += 10; x[0] > 1 } => 2,
                n @ (2 | 4) if { asked += 100; n == x[1] } => 3,
                2 => 4,
                n if n < 0 => match n { -1 => 5, m if m < -100 => 6, _ => 7 },
                _ => 9,
            };
        }
        y[8] = asked;
    }

    fn tuples(x: &[i32], y: &mut [i64]) {
        let pair = (x[0], x[1]);
        y[0] = match pair {
            (0, 0) => 1,
            (0, n) | (n, 0) => n as i64 * 10,
            (a, b) if a == b => 2,
            (1..=3, 4 | 5) => 3,
            (a @ 4.., _) => a as i64,
            _ => 4,
        };
        y[1] = match (x[2] > 0, x[3] > 0, kind(x[4])) {
            (true, true, Kind::Plus | Kind::Times) => 1,
            (true, false, _) => 2,
            (false, _, Kind::Over) => 3,
            (p, q, k) => p as i64 + q as i64 * 2 + k as i64 * 4 + 100,
        };
        y[2] = match ((x[5], x[6]), [x[7], x[0], x[1]]) {
            ((1, _), [0, _, _]) => 1,
            ((_, 2), [_, _, 2]) => 2,
            ((a, b), [c, d, e]) if a + b == c => d as i64 + e as i64,
            ((a, ..), [_, rest @ 0..=9, _]) => a as i64 * 7 + rest as i64,
            _ => 5,
        };
    }

    fn structs(x: &[i32], y: &mut [i64]) {
        let spot = Spot { kind: kind(x[0]), x: x[1], y: x[2] };
        y[0] = match spot {
            Spot { kind: Kind::Plus, x, y } => x as i64 + y as i64,
            Spot { x: 0, y: 0, .. } => 1,
            Spot { kind: k @ (Kind::Minus | Kind::Times), x: a @ 1..=4, .. } => k as i64 * 100 + a as i64,
            Spot { y, .. } if y < 0 => 2,
            Spot { kind: _, x, y: same } if x == same => 3,
            _ => 4,
        };
        let two = Two(level(x[3]), x[4] as u8);
        y[1] = match two {
            Two(Level::None, 0) => 0,
            Two(Level::Low, n) | Two(Level::High, n) => n as i64,
            Two(_, 1..=3) => 1,
            Two(l, _) => l as i64,
        };
        let spots = [spot, Spot { x: 1, ..spot }];
        y[2] = match spots {
            [Spot { x: 1, .. }, _] => 1,
            [Spot { x: a, .. }, Spot { x: b, .. }] => a as i64 * 2 + b as i64,
        };
    }

    fn booleans(x: &[i32], y: &mut [i64]) {
        let (a, b) = (x[0] > 1, x[1] > 1);
        y[0] = match a { true => 1, false => 2 };
        y[1] = match (a, b) { (true, false) => 1, (false, true) => 2, (false, false) => 3, (true, true) => 4 };
        y[2] = match !a { false if b => 1, true => 2, _ => 3 };
    }

    fn bytes(x: &[i32], y: &mut [i64]) {
        for i in 0..8 {
            y[i] = match x[i] as u8 {
                b'0'..=b'9' => 1,
                b'a'..=b'z' | b'A'..=b'Z' => 2,
                0..=9 => 3,
                200..=u8::MAX => 4,
                _ => 5,
            };
        }
    }

    /// Arms that diverge: out of loops, blocks and the function.
    fn leaving(x: &[i32], y: &mut [i64]) {
        let mut total = 0i64;
        'all: for i in 0..8 {
            let n = match x[i] {
                -2 => return,
                -1 => break 'all,
                0 => continue,
                1 => loop { break 11; },
                n @ 2..=4 => {
                    let mut sum = 0;
                    for k in 0..n {
                        match k {
                            1 => continue,
                            3 => break,
                            _ => sum += k + 1,
                        }
                    }
                    sum
                }
                n => 'part: {
                    if n > 7 {
                        break 'part 8;
                    }
                    if n > 6 {
                        continue 'all;
                    }
                    n
                }
            };
            total = total * 3 + n as i64;
            y[i] = total;
        }
        y[8] = total;
    }

    fn if_lets(x: &[i32], y: &mut [i64]) {
        if let (1 | 2, n) = (x[0], x[1]) {
            y[0] = n as i64;
        } else if let k @ (Kind::Plus | Kind::Over) = kind(x[2]) {
            y[0] = 100 + k as i64;
        } else {
            y[0] = -1;
        }
        y[1] = if let 3..=5 = x[3] { 1 } else { 0 };
        let mut i = 0;
        while let 0..=6 = x[i] {
            y[2] += x[i] as i64;
            i += 1;
            if i == 8 {
                break;
            }
        }
        let (a @ 0..=5, b) = (x[4], x[5]) else {
            y[3] = -5;
            return;
        };
        y[3] = a as i64 * 10 + b as i64;
        let Level::Mid = level(x[6]) else {
            return;
        };
        y[4] = 44;
    }

    fn chains(x: &[i32], y: &mut [i64]) {
        if x[0] > 0 && let n @ 1..=4 = x[1] && n != x[2] {
            y[0] = n as i64;
        } else {
            y[0] = -7;
        }
        let mut i = 0;
        while i < 8 && let n @ 0.. = x[i] && n < 7 {
            y[1] += n as i64;
            i += 1;
        }
        y[2] = i as i64;
    }

    /// Bindings are copies, and shadow outer variables in their arms only.
    fn bindings(x: &[i32], y: &mut [i64]) {
        let n = x[0];
        let mut m = x[1];
        y[0] = match m {
            n @ 0..=3 => {
                m = 50;
                n as i64 + m as i64
            }
            mut n => {
                n /= 2;
                n as i64
            }
        };
        y[1] = n as i64 + m as i64;
        match (n, m) {
            (m, n) if m < n => y[2] = m as i64,
            (m, _) => y[2] = n as i64 + m as i64,
        }
    }

    fn in_expressions(x: &[i32], y: &mut [i64]) {
        y[match x[0] { 0 => 1, 1..=3 => 2, _ => 0 }] = 5;
        y[3] = 2 * match x[1] { n if n > 3 => n as i64, _ => 1 } + if let 2 = x[2] { 10 } else { 20 };
        y[4] = apply(match x[3] { 1 => Kind::Times, _ => kind(x[4]) }, match x[5] { 0 => 1, _ => 2 }, 3);
        let unit = match x[6] { 0 => (), _ => {} };
        let (a, b) = match x[7] { 0 => (1, 2), n => (n, n / 2) };
        y[5] = a as i64 * 100 + b as i64;
        unit
    }
}

/// The discriminants of enums of each representation, in memory.
#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
#[repr(u64)]
pub enum Huge {
    One = 1,
    Top = u64::MAX,
    Middle = 1 << 40,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(i8)]
pub enum Small {
    Least = -128,
    Zero = 0,
    Most = 127,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Only {
    Variant = 9,
}

#[kernel]
pub fn numbers(x: &[Huge], small: &[Small], only: &mut [Only], y: &mut [u64], z: &mut [i64], back: &mut [Huge]) {
    let i = grid(1);
    if i < x.len() {
        y[i] = x[i] as u64;
        z[i] = small[i] as i64 * 1000 + only[i] as i64 + small[i] as u8 as i64;
        back[i] = match small[i] {
            Small::Most => Huge::Top,
            Small::Zero if x[i] == Huge::One => Huge::Middle,
            Small::Zero | Small::Least => x[i],
        };
        only[i] = Only::Variant;
    }
}

fn discriminants(run: &mut Run<'_>) {
    let huge = [Huge::One, Huge::Top, Huge::Middle, Huge::One];
    let (x, small) = (run.array(&huge), run.array(&[Small::Zero, Small::Least, Small::Most, Small::Most]));
    let mut only = run.array(&[Only::Variant; 4]);
    let (mut y, mut z, mut back) = (run.zeros(4), run.zeros(4), run.array(&huge));
    run.launch(numbers(&x, &small, &mut only, &mut y, &mut z, &mut back).over(4));
    run.expect("y", &y, &[1, u64::MAX, 1 << 40, 1]);
    run.expect("z", &z, &[9, -128_000 + 9 + 128, 127_000 + 9 + 127, 127_000 + 9 + 127]);
    run.expect("back", &back, &[Huge::Middle, Huge::Top, Huge::Top, Huge::Top]);
    run.expect("only", &only, &[Only::Variant; 4]);
}

/// Literal and range patterns at the limits of each integer type.
macro_rules! ends {
    ($($name:ident $int:ident)*) => {
        $(#[kernel]
        pub fn $name(x: &[$int], y: &mut [u8]) {
            const MIN: $int = $int::MIN;
            const MAX: $int = $int::MAX;
            const BELOW: $int = $int::MAX - 1;
            let i = grid(1);
            if i < x.len() {
                y[i] = match x[i] {
                    MIN => 1,
                    MAX => 2,
                    BELOW..MAX => 3,
                    0 => 4,
                    1..=99 => 5,
                    100.. => 6,
                    _ => 7,
                };
            }
        })*

        fn of_each_type(run: &mut Run<'_>) {
            $({
                let values = <$int as crate::inputs::Edges>::some(20);
                let (x, mut y) = (run.array(&values), run.zeros(values.len()));
                run.launch($name(&x, &mut y).over(values.len()));
                let expected: Vec<u8> = values.iter().map(|&x| match x {
                    $int::MIN => 1,
                    $int::MAX => 2,
                    x if x == $int::MAX - 1 => 3,
                    0 => 4,
                    1..=99 => 5,
                    100.. => 6,
                    #[allow(unreachable_patterns, reason = "of unsigned numbers there are no others")]
                    _ => 7,
                }).collect();
                run.expect(stringify!($int), &y, &expected);
            })*
        }
    };
}

ends!(ends_of_i8 i8 ends_of_u8 u8 ends_of_i16 i16 ends_of_u32 u32 ends_of_i64 i64 ends_of_u64 u64 ends_of_isize isize);
