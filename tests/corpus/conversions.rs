//! `into`, `try_into` and `try_from` between numbers.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, reason = "as above")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![values_that_do_not_fit]];

#[kernel]
pub fn indexed_by_conversions(i: i32, n: u32, y: &mut [u64]) {
    let first: usize = i.try_into().unwrap();
    y[first] = n.into();
    let last = usize::try_from(n).unwrap();
    if grid(1) < n.try_into().unwrap() && y.len() > (2 * n - n).try_into().unwrap() {
        y[0] = (n + 1).into();
    }
    y[last] = u8::try_from(n).unwrap().into();
}

/// Not a program: the message of the host has the error as well, whose `Debug` is compiled for the host only.
fn values_that_do_not_fit(run: &mut Run<'_>) {
    let mut y = run.zeros(5);
    run.launch(indexed_by_conversions(2, 3, &mut y).grid(1).block(1));
    run.expect("values", &y, &[4, 0, 3, 3, 0]);
    run.expect_fault("a negative index", |run| run.launch(indexed_by_conversions(-1, 3, &mut y).grid(1).block(1)));
    run.expect_fault("a large byte", |run| run.launch(indexed_by_conversions(1, 256, &mut y).grid(1).block(1)));
}

programs! {
    items {
        #[device]
        pub fn saturated(x: i64) -> u8 {
            match u8::try_from(x) {
                Ok(x) => x,
                Err(_) => if x < 0 { 0 } else { 255 },
            }
        }

        #[device]
        pub fn sum(a: i64, b: i64) -> Result<i16, std::num::TryFromIntError> {
            let a: i16 = a.try_into()?;
            Ok(a.wrapping_add(b.try_into()?))
        }

        #[device]
        pub fn widened<T: DeviceType + From<u16>>(x: u16) -> T {
            x.into()
        }
    }

    fn signed(x: &[i64], y: &mut [i64]) {
        y[0] = i8::try_from(x[0]).is_ok() as i64;
        y[1] = i16::try_from(x[1]).unwrap_or(-3).into();
        y[2] = u8::try_from(x[2]).unwrap_or(9).into();
        y[3] = u32::try_from(x[3]).unwrap_or_default().into();
        let wide: Result<u64, _> = x[4].try_into();
        y[4] = if let Ok(wide) = wide { (wide % 1000) as i64 } else { -1 };
        y[5] = i32::try_from(x[5]).ok().is_none() as i64;
        y[6] = saturated(x[6]).into();
        y[7] = match sum(x[0] % 40_000, x[1]) { Ok(sum) => sum.into(), Err(_) => i64::MIN };
        let small: usize = (x[7] as u16).into();
        y[8] = small as i64;
        let Ok(index) = usize::try_from(x[3]) else {
            y[9] = 1;
            return;
        };
        y[10] = (index % 7) as i64;
    }

    fn unsigned(x: &[u64], y: &mut [u64]) {
        y[0] = i8::try_from(x[0]).is_ok() as u64;
        y[1] = i64::try_from(x[1]).is_err() as u64;
        y[2] = u16::try_from(x[2]).unwrap_or(7).into();
        y[3] = i16::try_from(x[3] as u16).unwrap_or(-1) as u64;
        y[4] = isize::try_from(x[4]).unwrap_or(-5) as u64;
        y[5] = u32::try_from(x[5]).unwrap_or(u32::MAX).into();
        y[6] = widened::<u64>(x[6] as u16) + u64::from(widened::<u32>(x[7] as u16));
        let byte = x[6] as u8;
        let lossless: Result<u32, _> = byte.try_into();
        y[7] = lossless.unwrap_or(0).into();
        y[8] = i8::try_from(byte).unwrap_or_default() as u64;
        y[9] = (u8::try_from(x[0]) == Ok(3)) as u64 + 2 * (u8::try_from(x[1]) == u8::try_from(x[2])) as u64;
        y[10] = (Some(()) != None) as u64;
    }
}
