//! Borrows where rustc and the macros see different things: constants that rustc promotes to statics, coercions of
//! references in branches, sub-slices as receivers, and conditions that initialise variables.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, unused_mut, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

/// Constants for glob imports.
pub mod constants {
    /// Imported beside a mutable borrow.
    pub const STEP: i32 = 3;
}

programs! {
    items {
        pub const TABLE: [i32; 4] = [11, 22, 33, 44];
        pub const OTHER: [i32; 4] = [5, 6, 7, 8];
        pub const ORIGIN: Cell = Cell { at: [1, 2], value: 9 };

        #[derive(Clone, Copy, DeviceType)]
        pub struct Cell {
            at: [i32; 2],
            value: i32,
        }

        #[device]
        impl Cell {
            const UNIT: Cell = Cell { at: [3, 4], value: 1 };

            pub fn bump(&mut self) -> i32 {
                self.value = self.value.wrapping_add(1);
                self.value
            }

            pub fn get(&self) -> i32 {
                self.value
            }
        }

        #[device]
        pub fn total(x: &[i32]) -> i32 {
            let mut sum = 0i32;
            for v in x {
                sum = sum.wrapping_add(*v);
            }
            sum
        }

        #[device]
        pub fn value(cell: &Cell) -> i32 {
            cell.value
        }
    }

    fn borrowed_constants(x: &[i32], y: &mut [i32]) {
        let table = if x[0] & 1 == 0 { &TABLE } else { &OTHER };
        y[0] = table[2];
        let inner = {
            let inner = &TABLE;
            inner
        };
        y[1] = inner[1];
        let element = match x[1] & 3 {
            0 => &TABLE[3],
            1 => &ORIGIN.at[1],
            2 => &7,
            _ => &-7,
        };
        y[2] = *element;
        let (pair, list) = (&ORIGIN, &[1, 2, 3]);
        y[3] = pair.value + list[2] + value(pair);
        let part: &[i32] = if x[2] & 1 == 0 { &TABLE[1..3] } else { &[4, 5, 6] };
        y[4] = total(part);
        let mut last = &Cell::UNIT;
        for i in 0..2 {
            if x[i] & 1 == 0 {
                last = &ORIGIN;
            }
        }
        y[5] = last.get() + last.at[0];
        y[6] = total(&TABLE) + total(&OTHER[..2]);
    }

    fn coercions(x: &[i32], y: &mut [i32]) {
        let (a, b) = ([x[0], x[1]], [x[2], x[3], x[4]]);
        let chosen: &[i32] = if x[5] & 1 == 0 { &a } else { &b };
        y[0] = total(chosen);
        let chosen: &[i32] = match x[6] & 3 {
            0 => &a,
            1 => {
                if x[7] < 0 {
                    &b
                } else {
                    &a[1..]
                }
            }
            _ => &b[..2],
        };
        y[1] = total(chosen);
        let mut rest: &[i32] = &a;
        if x[5] & 2 == 0 {
            rest = &b;
        }
        y[2] = total(rest);
        let (first, second): (&[i32], &[i32]) = (&a, &b);
        y[3] = first[1].wrapping_sub(second[2]);
        let found: &[i32] = loop {
            if x[6] & 4 == 0 {
                break &a;
            }
            break &b;
        };
        y[4] = found[1];
        let labelled: &[i32] = 'found: {
            if x[7] & 4 == 0 {
                break 'found &b;
            }
            &a
        };
        y[5] = labelled[0];
        let later: &[i32];
        if x[0] < x[1] {
            later = &a;
        } else {
            later = &b;
        }
        y[6] = total(later);
        y[7] = total(if x[1] & 1 == 0 { &a[..] } else { &b });
        let mut inferred = &b[1..];
        if x[2] & 1 == 0 {
            inferred = &a;
        }
        y[8] = total(inferred);
        let mut changed = x[3];
        let read: &i32 = if x[4] & 1 == 0 { &mut changed } else { &a[0] };
        y[9] = *read;
    }

    fn parts_as_receivers(x: &[i32], y: &mut [i32]) {
        let mut list = [
            Cell { at: [0, 1], value: x[0] },
            Cell { at: [2, 3], value: x[1] },
            Cell { at: [4, 5], value: x[2] },
        ];
        y[0] = list[1..][0].bump();
        y[1] = list[1..][1].bump();
        y[2] = list[..2][1].get();
        y[3] = list[1..].len() as i32;
        let first = (x[3] & 3) as usize;
        y[4] = list[first..][0].bump();
        y[5] = list[0].value.wrapping_add(list[1].value).wrapping_add(list[2].value);
        y[6] = list[1..=2][1..][0].get();
        let (left, right) = list[..2].split_at(1);
        y[7] = left[0].value.wrapping_sub(right[0].value);
    }

    fn conditions_that_initialise(x: &[i32], y: &mut [i32]) {
        let (a, b);
        if !(x[0] & 1 == 0 && { a = x[1]; a > 0 }) {
            y[0] = 1;
        } else {
            y[0] = a;
        }
        if !(x[2] < 0 || !{ b = x[3]; b & 1 == 0 }) {
            y[1] = b;
        }
        let mut count = 0;
        if !!(x[4] & 1 == 0 && { count += 1; count > 0 }) {
            y[2] = count;
        }
        y[3] = count;
    }

    fn glob_imports(x: &[i32], y: &mut [i32]) {
        let mut v = x[0];
        let r = &mut v;
        {
            use constants::*;
            *r = r.wrapping_add(STEP);
            y[0] = v;
        }
        let later;
        {
            use constants::*;
            later = STEP;
            y[1] = later;
        }
    }
}
