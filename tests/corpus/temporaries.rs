//! Value expressions as places: `{ s }`, `(s, 1).0`, `{ w }.t` are copies, although C++ could use the variable itself. And
//! scrutinees of a `match` whose guards modify the variables that they were computed from.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, unused_braces, unused_mut, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct S {
            a: i32,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct W {
            s: S,
            t: [S; 3],
        }

        #[device]
        impl S {
            pub fn bump(&mut self) -> i32 {
                self.a = self.a.wrapping_add(1);
                self.a
            }

            pub fn plus(&self, v: i32) -> i32 {
                self.a.wrapping_add(v)
            }
        }

        #[device]
        impl std::ops::Add for S {
            type Output = S;

            fn add(self, other: S) -> S {
                S { a: self.a.wrapping_add(other.a) }
            }
        }

        #[device]
        impl std::ops::Neg for S {
            type Output = S;

            fn neg(self) -> S {
                S { a: self.a.wrapping_neg() }
            }
        }

        #[device]
        pub fn inc(i: &mut i32) -> i32 {
            *i = i.wrapping_add(1);
            *i
        }

        #[device]
        pub fn read2(a: &i32, b: i32) -> i32 {
            a.wrapping_mul(10).wrapping_add(b)
        }

        #[device]
        pub fn set(n: &mut i32, to: i32) -> bool {
            *n = to;
            false
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct M {
            m: [i32; 4],
        }

        #[device]
        impl M {
            pub fn part(&mut self) {
                let r = &mut self.m[1..];
                r[0] = 10;
            }

            pub fn halves(&mut self, x: i32) {
                let (left, right) = self.m.split_at_mut(2);
                left[1] = x;
                right[0] = 5;
                let r = &mut self.m[..];
                let q = &mut r[3..];
                q[0] = 9;
            }
        }

        #[device]
        pub fn part(m: &mut [i32; 4]) {
            let r = &mut m[1..];
            r[0] = 10;
        }
    }

    fn receivers(x: &[i32], y: &mut [i32]) {
        let mut s = S { a: x[0] };
        s.bump();
        y[0] = (s, 1).0.bump();
        y[1] = s.a;
        y[2] = { s }.bump();
        y[3] = s.a;
        let mut w = W { s, t: [s, S { a: x[1] }, S { a: x[2] }] };
        y[4] = { w }.s.bump();
        y[5] = { w }.t[(x[3] & 1) as usize].bump();
        y[6] = w.s.a ^ w.t[0].a ^ w.t[1].a;
        y[7] = { s }.plus({
            s.a = 5;
            1
        });
        let fixed = S { a: x[4] };
        y[8] = (fixed, 1).0.bump();
        y[9] = fixed.a;
        y[10] = W { s: fixed, t: [fixed; 3] }.s.bump();
        w.s.bump();
        y[11] = w.s.a;
    }

    fn arguments(x: &[i32], y: &mut [i32]) {
        let mut v = x[0];
        y[0] = inc(&mut { v });
        y[1] = v;
        v = v.wrapping_add(1);
        let mut n = 0;
        y[2] = read2(&{ n }, {
            n = 5;
            n
        });
        for i in 0..3 {
            inc(&mut { i });
            y[3 + i as usize] = i;
        }
        let constant = x[1];
        y[6] = inc(&mut (constant, 1).0);
        y[7] = inc(&mut S { a: v }.a);
        y[8] = constant ^ v;
    }

    fn of_operators(x: &[i32], y: &mut [i32]) {
        let (a, b) = (S { a: x[0] }, S { a: x[1] });
        y[0] = (a + b).bump();
        y[1] = (-a).bump() + ((a + b)).plus(x[2] % 100);
        y[2] = inc(&mut (x[3] ^ 5)) ^ inc(&mut !x[4]) ^ inc(&mut (x[5] as i16 as i32));
        let sum = &mut (a + -b);
        sum.bump();
        y[3] = sum.a;
        y[4] = match x[6] & 3 { n @ 0..2 => n, mut n => { n += 3; n } };
        let r = &-(x[7] / 2);
        y[5] = *r;
    }

    fn sequences(x: &[i32], y: &mut [i32]) {
        let mut w = W { s: S { a: 0 }, t: [S { a: x[0] }, S { a: x[1] }, S { a: x[2] }] };
        for v in { w.t }.iter_mut() {
            v.bump();
        }
        for v in (w.t, 1).0.iter_mut() {
            v.a = 7;
        }
        let mut v = [x[3], x[4], x[5]];
        let mut total = 0i32;
        for q in (v, 1).0.iter() {
            v[1] = 9;
            total = total.wrapping_add(*q);
        }
        y[0] = total;
        y[1] = w.t[0].a;
        y[2] = w.t[2].a;
        y[3] = v[1];
        for v in w.t.iter_mut() {
            v.bump();
        }
        y[4] = w.t[1].a;
    }

    fn of_elements(x: &[i32], y: &mut [i32]) {
        y[0] = x[0];
        y[1] = inc(&mut { y[0] });
        y[2] = y[0];
        y[3] = inc(&mut y[0]);
    }

    fn guards_that_change_what_is_matched(x: &[i32], y: &mut [i32]) {
        let mut n = 0;
        for i in 0..4 {
            y[i] = match (x[i] & 3, n) {
                (1, _) if {
                    n += 5;
                    false
                } =>
                {
                    1
                }
                (_, 0) => 2,
                (a, b) => b * 10 + a,
            };
        }
        let mut b = x[4] & 7;
        y[4] = match { b } {
            _ if set(&mut b, 6) => 1,
            6 => 2,
            t => t,
        };
        let mut s = S { a: x[5] & 3 };
        y[5] = match { s } {
            S { a: 1 } if set(&mut s.a, 2) => 1,
            S { a: 2 } => 20,
            S { a } => a + 100,
        };
        let mut v = [x[6] & 3, 1];
        y[6] = match (v, 1) {
            ([0, _], _) if set(&mut v[0], 3) => 1,
            ([3, _], _) => 30,
            ([a, b], c) => a + b + c,
        };
        let mut m = 0;
        y[7] = matches!((m, 1), (_, 1 | 2) | (7, _) if { m += 1; m > 8 }) as i32;
        y[8] = m;
        y[9] = match (m, x[7] & 1) {
            (a, b) | (b, a) if {
                m += 1;
                a > b
            } =>
            {
                a * 100 + b
            }
            (a, _) => a,
        };
        y[10] = m;
    }

    fn parts_behind_references(x: &[i32], y: &mut [i32]) {
        let mut m = M { m: [x[0], x[1], x[2], x[3]] };
        m.part();
        part(&mut m.m);
        m.halves(x[4]);
        for i in 0..4 {
            y[i] = m.m[i];
        }
        let mut list = [x[4], x[5], x[6], x[7]];
        part(&mut list);
        y[4] = list[1];
        y[5] = list[2];
    }
}
