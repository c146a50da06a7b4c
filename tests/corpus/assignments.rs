//! Evaluation order of `place += value`: the value first for numbers; the place first for overloaded operators and for
//! type parameters.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        use std::ops::{AddAssign, MulAssign};

        #[derive(Clone, Copy, DeviceType)]
        pub struct Sum {
            value: i64,
            terms: i64,
        }

        #[device]
        impl AddAssign<i64> for Sum {
            fn add_assign(&mut self, other: i64) {
                self.value = self.value.wrapping_mul(3).wrapping_add(other);
                self.terms += 1;
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Cursor {
            at: usize,
        }

        #[device]
        impl Cursor {
            fn advance(&mut self) -> i64 {
                self.at = (self.at + 1) % 4;
                self.at as i64 + 10
            }
        }

        /// Increments the counter, and returns an index below 4.
        #[device]
        pub fn next(n: &mut usize) -> usize {
            *n += 1;
            *n % 4
        }

        #[device]
        pub fn of_parameter<T: Number>(list: &mut [T], n: &mut usize, values: [T; 4]) {
            list[next(n)] += values[next(n)];
            list[*n % 4] += { *n += 2; values[*n % 4] };
            let mut own = values;
            own[next(n)] += list[next(n)];
            own[next(n)] *= own[next(n)];
            list[0] += own[3];
        }

        #[device]
        pub fn of_bounds<T: DeviceType + AddAssign + MulAssign>(list: &mut [T], n: &mut usize, by: T) {
            list[next(n)] *= { *n += 1; by };
            list[next(n)] += list[next(n)];
        }
    }

    fn numbers(x: &[i32], y: &mut [i64]) {
        let mut n = x[0] as usize & 7;
        y[next(&mut n)] += next(&mut n) as i64;
        y[n % 4] += { n += 3; n as i64 };
        let mut list = [x[1] as i64 & 0xff, 5, 6, 7];
        list[next(&mut n)] += next(&mut n) as i64 * 100;
        list[next(&mut n)] -= list[next(&mut n)];
        let mut rows = [[1i64; 4]; 4];
        rows[next(&mut n)][next(&mut n)] += 10 * next(&mut n) as i64;
        rows[n % 4][1] += { n += 1; 7 };
        let part = &mut y[0..4];
        part[next(&mut n)] ^= next(&mut n) as i64 + 1;
        for i in 0..4 {
            y[4 + i] = list[i] * 1000 + rows[i][0] + 10 * rows[i][1] + 100 * rows[i][2] + 1000 * rows[i][3];
        }
        y[8] = n as i64;
    }

    fn small_numbers(x: &[u8], y: &mut [u16]) {
        let mut n = x[0] as usize & 7;
        let mut list = [x[1], x[2], x[3], x[4]];
        list[next(&mut n)] ^= next(&mut n) as u8;
        list[next(&mut n)] >>= next(&mut n) as u32;
        y[next(&mut n)] |= next(&mut n) as u16 + 1;
        for i in 0..4 {
            y[4 + i] = list[i] as u16;
        }
    }

    fn functions(x: &[i32], y: &mut [i64]) {
        let mut n = x[0] as usize & 7;
        let mut sums = [Sum { value: x[1] as i64, terms: 0 }; 4];
        sums[next(&mut n)] += next(&mut n) as i64;
        sums[n % 4] += { n += 3; n as i64 };
        let list = &mut sums;
        list[next(&mut n)] += list[next(&mut n)].value;
        list[n % 4] += { n += 1; 5 };
        y[8] = n as i64;
        for i in 0..4 {
            y[i] = sums[i].value;
            y[4 + i] = sums[i].terms;
        }
    }

    fn parameters(x: &[i32], y: &mut [i64]) {
        let mut n = x[0] as usize & 7;
        of_parameter(&mut y[0..4], &mut n, [x[1] as i64 & 15, x[2] as i64 & 15, x[3] as i64 & 15, 4]);
        of_bounds(&mut y[0..4], &mut n, x[4] as i64 & 15);
        let mut floats = [1.5, 2.5, x[5] as f32, 4.5];
        of_parameter(&mut floats, &mut n, [0.5, 2.0, 3.0, 8.0]);
        of_bounds(&mut floats, &mut n, 2.0);
        for i in 0..4 {
            y[4 + i] = (floats[i] * 2.0) as i64;
        }
        y[8] = n as i64;
    }

    /// The position of a fault is the opening parenthesis, as in rustc.
    fn parentheses(x: &[i32], y: &mut [i64]) {
        let list = [3i64, 5, 7];
        y[0] = (x[0] / x[1]) as i64 * 2;
        y[1] = 1 + ((list[(x[2] & 3) as usize]));
        y[2] = 10 - (-(x[3])) as i64;
        y[((x[4] as usize) & 7) % 12] += (x[5] % (x[6])) as i64;
        y[5] = (y[x[7] as usize]) + 1;
    }

    fn cursors(x: &[i32], y: &mut [i64]) {
        let mut cursor = Cursor { at: x[0] as usize & 3 };
        y[cursor.at] += cursor.advance();
        y[cursor.at] += { cursor.at = 2; x[1] as i64 };
        let mut list = [1i64, 2, 3, 4];
        list[cursor.at] *= cursor.advance();
        for i in 0..4 {
            y[4 + i] = list[i];
        }
    }

    /// Indexing of an array that is the value of a loop or a labelled block.
    fn values_of_loops(x: &[i32], y: &mut [i64]) {
        let mut list = {
            let mut n = 0;
            loop {
                n += 1;
                if n > 2 {
                    break [x[0] as i64, 2, 3, n];
                }
            }
        };
        list[{
            list[1] = 9;
            x[1] as usize & 3
        }] += x[2] as i64;
        let mut pair = 'found: {
            if x[3] > 0 {
                break 'found [1i64, 2];
            }
            [3, x[4] as i64]
        };
        pair[{
            pair[0] ^= 1;
            1
        }] -= 5;
        let last = loop {
            break &list[3];
        };
        y[0] = *last;
        for i in 0..4 {
            y[1 + i] = list[i];
        }
        y[5] = pair[0] ^ pair[1];
    }
}
