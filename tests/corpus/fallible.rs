//! `Option` and `Result` as values: patterns, methods, `?`, faults.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, reason = "as above")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![unwrapped_results]];

#[device]
pub fn bounded(n: i32) -> Result<i32, i32> {
    if n > 3 { Err(n) } else { Ok(n) }
}

#[kernel]
pub fn unwraps(n: i32, y: &mut [i32]) {
    y[0] = bounded(n).unwrap();
    y[1] = bounded(n + 10).unwrap_err();
}

/// Not a program: the message of the host has the value as well, whose `Debug` is compiled for the host only.
fn unwrapped_results(run: &mut Run<'_>) {
    let mut y = run.zeros(2);
    run.launch(unwraps(2, &mut y).grid(1).block(1));
    run.expect("values", &y, &[2, 12]);
    run.expect_fault("unwrap", |run| run.launch(unwraps(4, &mut y).grid(1).block(1)));
    run.expect_fault("unwrap_err", |run| run.launch(unwraps(-20, &mut y).grid(1).block(1)));
}

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        pub enum Reason {
            Negative,
            Large,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Range {
            start: i32,
            end: i32,
        }

        pub const NOTHING: Option<i32> = None;
        pub const SEVEN: Option<i32> = Some(7);
        pub const ROWS: [Option<[i16; 9]>; 3] = [None, Some([1, 2, 3, 4, 5, 6, 7, 8, 9]), None];

        #[device]
        pub fn position(x: &[i32], wanted: i32) -> Option<usize> {
            for i in 0..x.len() {
                if x[i] == wanted {
                    return Some(i);
                }
            }
            None
        }

        #[device]
        pub fn half(n: i32) -> Option<i32> {
            if n % 2 == 0 { Some(n / 2) } else { None }
        }

        #[device]
        pub fn quarter(n: i32) -> Option<i32> {
            let half = half(n)?;
            Some(self::half(half)? + 1000)
        }

        #[device]
        pub fn range(start: i32, end: i32) -> Option<Range> {
            (start < end).then_range(start, end)
        }

        #[device]
        pub trait Ranges {
            fn then_range(self, start: i32, end: i32) -> Option<Range>;
        }

        #[device]
        impl Ranges for bool {
            fn then_range(self, start: i32, end: i32) -> Option<Range> {
                if self { Some(Range { start, end }) } else { None }
            }
        }

        #[device]
        pub fn root(n: i32) -> Result<i32, Reason> {
            match n {
                ..0 => Err(Reason::Negative),
                0..=100 => {
                    let mut root = 0;
                    while (root + 1) * (root + 1) <= n {
                        root += 1;
                    }
                    Ok(root)
                }
                _ => Err(Reason::Large),
            }
        }

        #[device]
        pub fn roots(a: i32, b: i32) -> Result<(i32, i32), Reason> {
            Ok((root(a)?, root(b)?))
        }

        #[device]
        pub fn check(n: i32) -> Result<(), i64> {
            if n > 3 { Err(n as i64 * 10) } else { Ok(()) }
        }

        #[device]
        pub fn checks(a: i32, b: i32) -> Result<(), i64> {
            check(a)?;
            check(b)
        }

        #[device]
        pub fn larger<T: DeviceType + PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) if a > b => Some(a),
                (_, Some(b)) => Some(b),
                (a, None) => a,
            }
        }

        #[device]
        pub fn first_of<T: DeviceType>(x: &[T]) -> Option<T> {
            if x.is_empty() { None } else { Some(x[0]) }
        }
    }

    fn patterns(x: &[i32], y: &mut [i64]) {
        y[0] = match position(x, 5) { Some(i) => i as i64, None => -1 };
        y[1] = if let Some(i @ 2..) = position(x, 2) { i as i64 } else { -2 };
        let Some(n) = half(x[0]) else {
            y[2] = 1;
            return;
        };
        y[3] = n as i64;
        let mut m = Some(x[1]);
        let mut steps = 0;
        while let Some(n) = m && steps < 40 {
            m = half(n).or(if n > 1 && n < 1000 { Some(3 * n + 1) } else { None });
            steps += 1;
            if n == 1 { break; }
        }
        y[4] = steps;
        y[5] = match (half(x[2]), half(x[3])) {
            (Some(0), _) => 1,
            (Some(a), Some(b)) if a > b => a as i64 * 100 + b as i64,
            (Some(a), None) | (None, Some(a)) => a as i64,
            (None, None) => 2,
            _ => 3,
        };
        y[6] = matches!(half(x[4]), Some(1 | 3)) as i64 + 2 * matches!(half(x[5]), None) as i64;
        let mut best = None;
        for i in 0..x.len() {
            match best {
                Some((_, v)) if v >= x[i] => {}
                _ => best = Some((i, x[i])),
            }
        }
        if let Some((i, v)) = best {
            y[7] = i as i64 * 1_000_000_000 + v as i64 / 8;
        }
        y[8] = match range(x[6], x[7]) { Some(Range { start, end }) => end as i64 - start as i64, None => -5 };
        y[9] = match SEVEN { Some(n) => n as i64, None => 0 } + match NOTHING { None => 10, Some(_) => 20 };
        y[10] = match Some(half(x[0])) { Some(Some(n)) => n as i64, Some(None) => -7, None => -8 };
    }

    fn methods(x: &[i32], y: &mut [i64]) {
        let (a, b) = (half(x[0]), half(x[1]));
        y[0] = a.is_some() as i64 + 2 * b.is_none() as i64;
        y[1] = a.unwrap_or(-9) as i64 * 100 + b.unwrap_or_default() as i64;
        y[2] = a.or(b).unwrap_or(77) as i64 + a.xor(b).unwrap_or(1000) as i64;
        y[3] = match a.zip(position(x, 1)) { Some((n, i)) => n as i64 * 10 + i as i64, None => -1 };
        y[4] = a.and(position(x, 2)).unwrap_or(99) as i64;
        y[5] = match a.ok_or(Reason::Large) { Ok(n) => n as i64, Err(reason) => reason as i64 + 500 };
        let r = root(x[2]);
        y[6] = r.is_ok() as i64 + 2 * r.is_err() as i64 + r.unwrap_or(3) as i64 * 10 + r.unwrap_or_default() as i64 * 1000;
        y[7] = r.ok().unwrap_or(55) as i64;
        y[8] = match r.err() { Some(Reason::Negative) => 1, Some(Reason::Large) => 2, None => 3 };
        y[9] = (a == b) as i64 + 2 * (a < b) as i64 + 4 * (a == None) as i64 + 8 * (a >= Some(2)) as i64;
        y[10] = larger(a, b).unwrap_or(-3) as i64 + larger(Some(1.5), None).unwrap_or(0.0) as i64;
        y[11] = first_of(&x[..x[3].clamp(0, 8) as usize]).unwrap_or(-1) as i64;
    }

    fn question_marks(x: &[i32], y: &mut [i64]) {
        for i in 0..4 {
            y[i] = quarter(x[i]).unwrap_or(-1) as i64;
        }
        y[4] = match roots(x[4], x[5]) {
            Ok((a, b)) => a as i64 * 100 + b as i64,
            Err(Reason::Negative) => -1,
            Err(Reason::Large) => -2,
        };
        y[5] = match checks(x[6], x[7]) { Ok(()) => 1, Err(n) => n };
    }

    fn arrays(x: &[i32], y: &mut [i64]) {
        let mut halves = [None; 4];
        for i in 0..4 {
            halves[i] = half(x[i]);
        }
        halves[(x[4] & 3) as usize] = Some(x[5]);
        for i in 0..4 {
            if let Some(n) = halves[i] {
                y[i] = n as i64;
            }
        }
        let row = if x[6] > 4 { ROWS[(x[7] & 1) as usize] } else { None };
        y[5] = match row { Some(row) => row[(x[5] & 7) as usize] as i64, None => -1 };
        let pair = if x[0] > x[1] { Some([x[0], x[1]]) } else { None };
        y[6] = pair.unwrap_or([7; 2])[1] as i64;
        let mut count = 0;
        for half in halves {
            count += half.is_some() as i64;
        }
        y[4] = count;
    }

    fn elements(x: &[i32], y: &mut [i64]) {
        let part = &x[..x[0].clamp(0, 8) as usize];
        y[0] = part.get(x[1] as usize).copied().unwrap_or(-5) as i64;
        y[1] = part.first().copied().unwrap_or(-6) as i64 + part.last().copied().unwrap_or(-7) as i64;
        let squares = [1i64, 4, 9];
        y[2] = squares.get(x[2] as usize).copied().unwrap_or(0) + squares[1..].last().copied().unwrap();
        if let Some(first) = y.first().copied() && let Some(last) = squares.first().cloned() {
            y[3] = first + last;
        }
    }

    fn faults(x: &[i32], y: &mut [i64]) {
        y[0] = half(x[0]).unwrap() as i64;
        y[1] = half(x[1]).expect("{x[1]} is odd") as i64;
        y[2] = position(x, 3).expect("no 3") as i64;
    }
}
