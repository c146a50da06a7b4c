//! User-defined methods, associated functions, operators and traits.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use std::ops::{
    Add, AddAssign, BitAnd, BitXorAssign, Div, Mul, MulAssign, Neg, Not, Rem, Shl, ShrAssign, Sub, SubAssign,
};

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![generic_kernels, places_of_receivers]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Vector {
            x: i64,
            y: i64,
        }

        #[device]
        impl PartialEq for Vector {
            fn eq(&self, other: &Vector) -> bool {
                self.x == other.x && self.y == other.y
            }
        }

        #[device]
        impl Vector {
            pub fn new(x: i64, y: i64) -> Self {
                Self { x, y }
            }

            pub fn zero() -> Vector {
                Vector::new(0, 0)
            }

            pub fn dot(self, other: Self) -> i64 {
                self.x.wrapping_mul(other.x).wrapping_add(self.y.wrapping_mul(other.y))
            }

            pub fn norm(&self) -> i64 {
                self.dot(*self)
            }

            pub fn turn(&mut self) {
                (self.x, self.y) = (-self.y, self.x);
            }

            pub fn scale(&mut self, by: i64) -> i64 {
                self.x *= by;
                self.y *= by;
                if by < 0 {
                    self.turn();
                }
                self.norm()
            }

            pub fn with_x(mut self, x: i64) -> Self {
                self.x = x;
                self
            }

            pub fn part(&self, i: usize) -> i64 {
                if i == 0 { self.x } else { self.y }
            }

            pub fn nearer(&self, other: &Vector) -> Vector {
                if self.norm() <= other.norm() { *self } else { *other }
            }

            pub fn sum_of(list: &[Vector]) -> Self {
                let mut sum = Self::zero();
                for v in list.iter() {
                    sum += *v;
                }
                sum
            }

            pub fn both<const N: usize>(self, more: [i64; N]) -> i64 {
                let mut total = self.x;
                for v in more {
                    total += v;
                }
                total + N as i64
            }
        }

        #[device]
        impl Add for Vector {
            type Output = Vector;

            fn add(self, other: Vector) -> Vector {
                Vector { x: self.x.wrapping_add(other.x), y: self.y.wrapping_add(other.y) }
            }
        }

        #[device]
        impl Sub for Vector {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Vector { x: self.x.wrapping_sub(other.x), y: self.y.wrapping_sub(other.y) }
            }
        }

        #[device]
        impl Mul<i64> for Vector {
            type Output = Vector;

            fn mul(self, by: i64) -> Vector {
                Vector { x: self.x.wrapping_mul(by), y: self.y.wrapping_mul(by) }
            }
        }

        #[device]
        impl Mul for Vector {
            type Output = i64;

            fn mul(self, other: Vector) -> i64 {
                self.dot(other)
            }
        }

        #[device]
        impl Div<i32> for Vector {
            type Output = Vector;

            fn div(self, by: i32) -> Vector {
                let x = self.x / by as i64;
                Vector::new(x, self.y / by as i64)
            }
        }

        #[device]
        impl Neg for Vector {
            type Output = Vector;

            fn neg(self) -> Vector {
                Vector::new(self.x.wrapping_neg(), self.y.wrapping_neg())
            }
        }

        #[device]
        impl Not for Vector {
            type Output = bool;

            fn not(self) -> bool {
                self.x == 0 && self.y == 0
            }
        }

        #[device]
        impl AddAssign for Vector {
            fn add_assign(&mut self, other: Vector) {
                self.x = self.x.wrapping_add(other.x);
                self.y = self.y.wrapping_add(other.y);
            }
        }

        #[device]
        impl SubAssign<i64> for Vector {
            fn sub_assign(&mut self, by: i64) {
                *self = Vector::new(self.x.wrapping_sub(by), self.y);
            }
        }

        #[device]
        impl MulAssign<i64> for Vector {
            fn mul_assign(&mut self, by: i64) {
                *self = *self * by;
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Bits(u32);

        #[device]
        impl Bits {
            fn has(self, bit: u32) -> bool {
                self.0 >> (bit & 31) & 1 != 0
            }
        }

        #[device]
        impl BitAnd for Bits {
            type Output = Bits;
            fn bitand(self, other: Bits) -> Bits {
                Bits(self.0 & other.0)
            }
        }

        #[device]
        impl Shl<u8> for Bits {
            type Output = Bits;
            fn shl(self, by: u8) -> Bits {
                Bits(self.0 << (by & 31))
            }
        }

        #[device]
        impl Rem<u32> for Bits {
            type Output = u32;
            fn rem(self, by: u32) -> u32 {
                self.0 % by
            }
        }

        #[device]
        impl BitXorAssign for Bits {
            fn bitxor_assign(&mut self, other: Bits) {
                self.0 ^= other.0;
            }
        }

        #[device]
        impl ShrAssign<i32> for Bits {
            fn shr_assign(&mut self, by: i32) {
                self.0 >>= by & 31;
            }
        }

        /// Equality modulo 4.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Hour(i32);

        #[device]
        impl PartialEq for Hour {
            fn eq(&self, other: &Hour) -> bool {
                (self.0 & 3) == (other.0 & 3)
            }
        }

        #[device]
        pub trait Shape: Copy {
            fn area(&self, k: i64) -> i64;

            fn grow(&mut self, by: i64);

            fn sides(self) -> u32;

            fn double(&self) -> i64 {
                2 * self.area(1)
            }

            fn grown(&self, by: i64) -> i64 {
                let mut copy = *self;
                copy.grow(by);
                copy.double() + copy.sides() as i64
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Square {
            side: i64,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Rectangle<T: DeviceType> {
            sides: [T; 2],
        }

        #[device]
        impl Shape for Square {
            fn area(&self, k: i64) -> i64 {
                self.side.wrapping_mul(self.side).wrapping_add(k) & 0xffff
            }

            fn grow(&mut self, by: i64) {
                self.side = self.side.wrapping_add(by);
            }

            fn sides(self) -> u32 {
                1
            }
        }

        #[device]
        impl Shape for Rectangle<i32> {
            fn area(&self, k: i64) -> i64 {
                (self.sides[0] as i64 * self.sides[1] as i64 & 0xffff) + k
            }

            fn grow(&mut self, by: i64) {
                self.sides[1] = self.sides[1].wrapping_add(by as i32);
            }

            fn sides(self) -> u32 {
                2
            }

            fn double(&self) -> i64 {
                self.area(1) + self.area(2)
            }
        }

        #[device]
        impl Shape for i32 {
            fn area(&self, k: i64) -> i64 {
                *self as i64 + k
            }

            fn grow(&mut self, by: i64) {
                *self = self.wrapping_add(by as i32);
            }

            fn sides(self) -> u32 {
                self.count_ones()
            }
        }

        #[device]
        pub fn generic_order<T: Number>(one: T, v: T) -> T {
            let mut n = 1usize;
            let mut list = [one; 4];
            list[{ n += 1; n % 4 }] = { n += 2; one + one };
            list[n % 3] += one;
            let pair = { n += 1; list[n % 4] } + { n += 1; list[n % 4] };
            let mut total = pair;
            for k in 0..4 {
                total = total + total + list[k];
            }
            if v == one { total } else { total + one }
        }

        #[device]
        pub fn total<S: Shape>(shapes: &[S], k: i64) -> i64 {
            let mut sum = 0;
            for shape in shapes.iter() {
                sum += shape.area(k);
            }
            sum
        }

        #[device]
        pub fn grow_all<S: Shape, const N: usize>(shapes: [S; N], by: i64) -> i64 {
            let mut shapes = shapes;
            let mut sum = 0;
            for i in 0..N {
                shapes[i].grow(by);
                sum += shapes[i].grown(by);
            }
            sum
        }

        #[device]
        pub trait Scale {
            const FACTOR: i64;

            fn scaled(n: i64) -> i64;

            fn twice(n: i64) -> i64 {
                Self::scaled(Self::scaled(n))
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Three(pub u8);

        #[device]
        impl Scale for Three {
            const FACTOR: i64 = 3;

            fn scaled(n: i64) -> i64 {
                n.wrapping_mul(Self::FACTOR)
            }
        }

        #[device]
        pub fn by_type<S: Scale>(n: i64) -> i64 {
            S::twice(n) + S::FACTOR
        }
    }

    fn methods(x: &[i32], y: &mut [i64]) {
        let v = Vector::new(x[0] as i64, x[1] as i64);
        let mut w = Vector { x: x[2] as i64 % 1000, y: x[3] as i64 % 1000 };
        y[0] = v.dot(w);
        y[1] = v.norm();
        w.turn();
        y[2] = w.scale(3) + w.x;
        y[3] = w.scale(-2) + w.y;
        y[4] = v.with_x(7).x + v.x;
        y[5] = v.nearer(&w).x + w.nearer(&v).part(1);
        y[6] = Vector::new(1, 2).with_x(x[4] as i64).nearer(&Vector::zero()).x;
        y[7] = Vector::dot(v, w) ^ Vector::norm(&v);
        Vector::turn(&mut w);
        y[8] = w.x;
        y[9] = v.both([1, 2, 3]) + v.both([0; 0]);
    }

    fn on_elements(x: &[i32], y: &mut [i64]) {
        let mut list = [Vector::zero(); 4];
        for i in 0..4 {
            list[i] = Vector::new(x[i] as i64 % 500, x[i + 4] as i64 % 500);
        }
        list[1].turn();
        let i = (x[0] & 3) as usize;
        y[0] = list[i].scale(2);
        list[(x[1] & 7) as usize % 5].turn();
        for v in list.iter_mut() {
            v.turn();
            v.x += 1;
        }
        let sum = Vector::sum_of(&list[..]);
        y[1] = sum.x * 10_000 + sum.y;
        y[2] = Vector::sum_of(&list[1..3]).norm();
        let mut pair = (list[0], [list[1]; 2]);
        pair.0.turn();
        pair.1[1].scale(-1);
        y[3] = pair.0.x + pair.1[0].y * 100 + pair.1[1].y;
        y[4] = list[2].nearer(&list[3]).y;
        let r = &mut list[0];
        r.turn();
        y[5] = r.norm() + r.part(0);
        y[6] = list.len() as i64 + list[0].x;
    }

    fn operators(x: &[i32], y: &mut [i64]) {
        let (a, b) = (Vector::new(x[0] as i64, x[1] as i64), Vector::new(x[2] as i64, x[3] as i64));
        let c = a + b * 3 - -a;
        y[0] = c.x;
        y[1] = c.y ^ a * b;
        y[2] = (c / 2).x + (b / (x[4] & 3)).y;
        let mut d = c;
        d += a;
        d -= 5;
        d *= 2;
        y[3] = d.x;
        y[4] = d.y;
        y[5] = !(a - a) as i64 + 2 * !a as i64;
        y[6] = (a == b) as i64 + 2 * (a != b) as i64 + 4 * (a + b == b + a) as i64;
        let mut list = [a, b];
        list[1] += a;
        list[(x[5] & 1) as usize] *= 2;
        let sum = list[0] + list[1];
        y[7] = sum.x ^ sum.y;
        let mut bits = Bits(x[6] as u32);
        bits ^= Bits(0xff00ff);
        bits >>= 3;
        y[8] = (bits & Bits(0xfff) << 4u8).0 as i64 + bits.has(5) as i64;
        y[9] = (bits % 77) as i64;
        let (p, q) = (Hour(x[6]), Hour(x[7]));
        y[10] = (p == q) as i64 + 2 * (p != q) as i64;
    }

    /// Operands of operators are evaluated from left to right.
    fn order_of_operands(x: &[i32], y: &mut [i64]) {
        let mut n = 1i64;
        let v = { n = n * 3 + 1; Vector::new(n, 0) } + { n = n * 5 + 2; Vector::new(n, x[0] as i64) };
        y[0] = v.x * 1000 + n;
        let mut list = [Vector::zero(); 3];
        list[{ n += 1; (n % 3) as usize }] += { n *= 2; Vector::new(n, 1) };
        y[1] = list[0].x + list[1].x * 1000 + list[2].x * 1_000_000;
        y[2] = n;
        y[3] = Vector::new({ n += 1; n }, { n *= 2; n }).dot({ n -= 3; Vector::new(n, n) });
    }

    /// A compound assignment evaluates the value first if the operator is built in, otherwise the place.
    fn order_in_generic_code(x: &[i32], y: &mut [i64]) {
        y[0] = generic_order(1i64, x[0] as i64);
        y[1] = generic_order(1.0f64, x[1] as f64) as i64;
        y[2] = generic_order(1u8, 3) as i64;
        let mut n = 1usize;
        let mut list = [1i64, 2, 3, 4];
        list[{ n += 1; n % 4 }] += { n *= 2; n as i64 };
        list[{ n += 1; n % 4 }] -= { n += 2; list[n % 4] };
        y[3] = list[0] + list[1] * 10 + list[2] * 100 + list[3] * 1000;
        y[4] = n as i64;
    }

    fn traits(x: &[i32], y: &mut [i64]) {
        let s = Square { side: x[0] as i64 };
        let mut r = Rectangle { sides: [x[1], x[2]] };
        y[0] = s.area(1) + s.double() * 3 + s.sides() as i64;
        y[1] = r.area(2) + r.double() + r.sides() as i64;
        r.grow(x[3] as i64);
        y[2] = r.grown(2) + s.grown(-1);
        y[3] = total(&[s, Square { side: 3 }], 5);
        y[4] = total(&[r; 3], 1) + grow_all([s; 2], 4);
        y[5] = grow_all([r], x[4] as i64) + grow_all([x[5], 3], 1);
        y[6] = x[6].area(1).wrapping_add(x[6].double()) + 5.sides() as i64;
        y[7] = Shape::area(&s, 2) + Square::area(&s, 3) + <Square as Shape>::double(&s);
        y[8] = by_type::<Three>(x[7] as i64) + Three::scaled(2) + <Three as Scale>::twice(1) + Three::FACTOR;
    }
}

/// A kernel that is generic over a trait with state, by value and as elements.
#[device]
pub trait Filter: DeviceType {
    fn apply(&mut self, x: f32) -> f32;

    fn gain(&self) -> f32 {
        1.0
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct LowPass {
    state: f32,
    share: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Delay<const N: usize> {
    past: [f32; N],
    at: u32,
}

#[device]
impl Filter for LowPass {
    fn apply(&mut self, x: f32) -> f32 {
        self.state += (x - self.state) * self.share;
        self.state
    }

    fn gain(&self) -> f32 {
        self.share * 2.0
    }
}

#[device]
impl<const N: usize> Filter for Delay<N> {
    fn apply(&mut self, x: f32) -> f32 {
        let at = self.at as usize % N;
        let old = self.past[at];
        self.past[at] = x;
        self.at += 1;
        old
    }
}

#[kernel(fmad = false)]
pub fn filtered<F: Filter>(first: F, filters: &mut [F], x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < filters.len() {
        let mut mine = first;
        for k in 0..x.len() {
            let v = filters[i].apply(x[k]) + mine.apply(x[k] * 0.5) * mine.gain();
            y[i * x.len() + k] = v;
        }
    }
}

fn generic_kernels(run: &mut Run<'_>) {
    fn of<F: Filter>(run: &mut Run<'_>, first: F, filters: [F; 3]) {
        let xs = [1.0f32, -2.5, 0.25, 8.0, 1.5];
        let x = run.array(&xs);
        let (mut there, mut y) = (run.array(&filters), run.zeros(15));
        run.launch(filtered(first, &mut there, &x, &mut y).over(3));
        let mut after = filters;
        let expected: Vec<f32> = after
            .iter_mut()
            .flat_map(|filter| {
                let mut mine = first;
                xs.map(|x| filter.apply(x) + mine.apply(x * 0.5) * mine.gain())
            })
            .collect();
        run.expect("y", &y, &expected);
        run.expect("filters", &there, &after);
    }
    let low = |share| LowPass { state: 0.5, share };
    of(run, low(0.25), [low(0.5), low(0.75), low(0.125)]);
    of(run, Delay { past: [9.0, 8.0], at: 3 }, [Delay { past: [0.0; 2], at: 0 }; 3]);
    of(run, Delay { past: [9.0], at: 0 }, [Delay { past: [1.5], at: 7 }; 3]);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Counter {
    count: u32,
    last: u32,
}

#[device]
impl Counter {
    pub fn see(&mut self, value: u32) -> u32 {
        self.count += 1;
        let before = self.last;
        self.last = value;
        before
    }

    pub fn both(self) -> u32 {
        self.count * 1000 + self.last
    }

    /// All threads update one counter: the atomic operation accesses the place itself.
    pub fn bump(count: &mut u32, by: u32) -> u32 {
        atomic_add(count, by)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Table {
    rows: [[Counter; 2]; 3],
    total: Counter,
}

/// Methods with `&mut self` on elements of global and shared memory, fields of them, and elements of those.
#[kernel]
pub fn see_all(tables: &mut [Table], y: &mut [u32]) {
    let mut tile = shared::<[Table; 4]>();
    let t = thread_idx().x;
    tile[t] = tables[t];
    y[4 * t] = tables[t].total.see(5);
    y[4 * t + 1] = tile[t].rows[t % 3][1].see(t as u32);
    sync_threads();
    let next = (t + 1) % 4;
    y[4 * t + 2] = tile[next].rows[next % 3][1].both() + tile[next].total.both();
    tables[t].rows[2][t % 2].see(7);
    tables[t].rows[2][t % 2].see(8);
    let row = &mut tables[t].rows[0];
    row[1].see(9);
    let one = &mut row[0];
    one.see(10);
    y[4 * t + 3] = one.both();
    Counter::bump(&mut tables[0].total.count, 100);
}

fn places_of_receivers(run: &mut Run<'_>) {
    let before: Vec<Table> = (0..4)
        .map(|i| {
            let counter = |k: u32| Counter { count: i + k, last: i * 7 + k };
            Table {
                rows: [[counter(1), counter(2)], [counter(3), counter(4)], [counter(5), counter(6)]],
                total: counter(0),
            }
        })
        .collect();
    let (mut tables, mut y) = (run.array(&before), run.zeros(16));
    run.launch(see_all(&mut tables, &mut y).grid(1).block(4));
    let (mut after, mut tile, mut expected) = (before.clone(), before, vec![0u32; 16]);
    let see = |counter: &mut Counter, value: u32| {
        counter.count += 1;
        std::mem::replace(&mut counter.last, value)
    };
    let both = |counter: Counter| counter.count * 1000 + counter.last;
    for t in 0..4 {
        expected[4 * t] = see(&mut after[t].total, 5);
        expected[4 * t + 1] = see(&mut tile[t].rows[t % 3][1], t as u32);
    }
    for t in 0..4 {
        let next = tile[(t + 1) % 4];
        expected[4 * t + 2] = both(next.rows[(t + 1) % 4 % 3][1]) + both(next.total);
        let table = &mut after[t];
        see(&mut table.rows[2][t % 2], 7);
        see(&mut table.rows[2][t % 2], 8);
        see(&mut table.rows[0][1], 9);
        see(&mut table.rows[0][0], 10);
        expected[4 * t + 3] = both(table.rows[0][0]);
    }
    after[0].total.count += 400;
    run.expect("y", &y, &expected);
    run.expect("tables", &tables, &after);
}
