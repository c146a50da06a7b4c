//! Evaluation order of compound assignments: the value first for primitive operands, and otherwise the place first, with
//! its bounds check (the Rust reference, "Compound assignment expressions"). Generic code is never primitive.
//!
//! The programs are compiled as plain Rust as well (`program.rs`), so that the expected results are rustc's.

#![allow(clippy::all, clippy::pedantic, reason = "the order of effects is what is tested")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        use std::ops::AddAssign;

        #[derive(Clone, Copy, DeviceType)]
        pub struct Cell {
            n: i64,
            k: i64,
        }

        #[device]
        impl Cell {
            fn bump(&mut self) -> i64 {
                self.n = self.n.wrapping_add(1);
                self.n
            }

            fn split_at(&self, by: i64) -> (i64, i64) {
                (self.n ^ by, self.k ^ by)
            }
        }

        #[device]
        impl AddAssign<i64> for Cell {
            fn add_assign(&mut self, by: i64) {
                self.n = self.n.wrapping_mul(3).wrapping_add(by);
            }
        }

        #[device]
        pub trait Step {
            fn step(&mut self) -> i64;
        }

        #[device]
        impl Step for usize {
            fn step(&mut self) -> i64 {
                *self = (*self + 1) & 1;
                *self as i64
            }
        }

        #[device]
        impl Step for [i64; 2] {
            fn step(&mut self) -> i64 {
                self[0] = (self[0] + 1) & 1;
                self[0]
            }
        }

        #[device]
        pub fn change(k: &mut [i64]) -> i64 {
            k[0] = (k[0] + 1) & 1;
            k[0]
        }

        #[device]
        pub fn add_changed<T: DeviceType + AddAssign<i64>>(list: &mut [T], k: &mut [i64]) {
            list[k[0] as usize] += change(k);
            list[k[0] as usize] += change(k);
        }

        #[device]
        pub fn add_after<T: DeviceType + AddAssign<i64>>(list: &mut [T], i: usize, y: &mut [i64]) {
            list[i] += {
                y[1] = 2;
                3
            };
        }

        #[device]
        pub fn pair_of(n: i64) -> [Cell; 2] {
            [Cell { n, k: 1 }, Cell { n: 2, k: n }]
        }

        #[device]
        pub trait Value {
            fn pick(self) -> i64;
        }

        #[device]
        impl Value for i64 {
            fn pick(self) -> i64 {
                self ^ 1
            }
        }

        #[device]
        pub trait Ref {
            fn pick(&self) -> i64;
        }

        #[device]
        impl Ref for i64 {
            fn pick(&self) -> i64 {
                *self ^ 2
            }
        }

        #[device]
        pub fn index_of(n: i64) -> usize {
            (n & 1) as usize
        }
    }

    fn through_references(x: &[i64], y: &mut [i64]) {
        let mut cells = [Cell { n: x[0], k: x[1] }, Cell { n: x[2], k: x[3] }];
        let mut keys = [x[4] & 1, x[5]];
        let list = &mut cells[..];
        let k = &mut keys[..];
        list[k[0] as usize] += change(k);
        list[k[0] as usize] += change(k);
        list[(k[0] & 1) as usize] += 7;
        for i in 0..2 {
            y[2 * i] = cells[i].n;
            y[2 * i + 1] = keys[i];
        }
    }

    fn through_methods(x: &[i64], y: &mut [i64]) {
        let mut cells = [Cell { n: x[0], k: x[1] }, Cell { n: x[2], k: x[3] }];
        let list = &mut cells[..];
        let mut i = (x[4] & 1) as usize;
        list[i] += i.step();
        let r = &mut i;
        list[*r] += r.step();
        let mut g = [x[5] & 1, 0];
        list[g[0] as usize] += g.step();
        list[i] += { i = 1 - i; 5 };
        let mut numbers = [x[6], x[7]];
        let part = &mut numbers[..];
        part[i] ^= i.step();
        part[g[0] as usize] ^= g.step();
        y[0] = cells[0].n;
        y[1] = cells[1].n;
        y[2] = numbers[0];
        y[3] = numbers[1];
        y[4] = i as i64;
        y[5] = g[0];
    }

    fn generic(x: &[i64], y: &mut [i64]) {
        let mut keys = [x[0] & 1, 0];
        let mut cells = [Cell { n: x[1] & 63, k: 0 }, Cell { n: x[2] & 63, k: 0 }];
        let mut numbers = [x[3] & 63, x[4] & 63];
        add_changed(&mut cells, &mut keys);
        y[0] = cells[0].n;
        y[1] = cells[1].n;
        add_changed(&mut numbers, &mut keys);
        y[2] = numbers[0];
        y[3] = numbers[1];
        y[4] = keys[0];
    }

    /// The bounds are checked before the value is evaluated, unless the operands are known to be primitive.
    fn faults(x: &[i64], y: &mut [i64]) {
        let mut cells = [Cell { n: x[0], k: 0 }; 2];
        let mut numbers = [x[1] & 63; 2];
        let i = (x[2] & 3) as usize;
        let choice = x[3] & 3;
        if choice == 0 {
            let list = &mut cells[..];
            list[i] += {
                y[1] = 2;
                3
            };
        } else if choice == 1 {
            add_after(&mut cells, i, y);
        } else if choice == 2 {
            add_after(&mut numbers, i, y);
        } else {
            let list = &mut numbers[..];
            list[i] += {
                y[1] = 4;
                3
            };
        }
        y[2] = cells[i & 1].n;
        y[3] = numbers[i & 1];
    }

    fn faults_in_variables(x: &[i64], y: &mut [i64]) {
        let mut cells = [Cell { n: x[0], k: 0 }; 2];
        let mut n = 0;
        let i = (x[2] & 3) as usize;
        cells[{
            n += 1;
            i
        }] += {
            y[1] = n + x[1];
            n = 5;
            cells[0].k.wrapping_add(3)
        };
        y[2] = cells[i & 1].n;
        y[3] = n;
    }

    fn results(x: &[i64], y: &mut [i64]) {
        let mut pair = pair_of(x[0]);
        y[0] = pair[0].bump();
        pair[{ pair[0].n = 1; index_of(x[1]) }].n = 5;
        pair[index_of(x[2])] += pair[0].n;
        let mut chosen = match x[3] & 1 { 0 => pair_of(x[4]), _ => pair };
        y[1] = chosen[1].bump();
        let (a, b) = chosen[0].split_at(6);
        y[2] = (&a).pick();
        y[3] = a.pick() ^ (&b).pick();
        let cells = &pair[..];
        let (a, _) = cells[1].split_at(x[5]);
        y[4] = a;
        let lists = [[x[0], x[1], x[2]], [x[3], x[4], x[5]]];
        let rows = &lists[..];
        let (left, right) = rows[index_of(x[6])].split_at(index_of(x[7]) + 1);
        y[5] = left[0] ^ right[0];
        for i in 0..2 {
            let (left, _) = rows[i].split_at(if x[6] > 3 { continue } else { 1 });
            y[6 + i] = left[0];
        }
    }
}
