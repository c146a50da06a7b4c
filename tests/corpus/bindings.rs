//! Variables: destructuring, deferred initialisation, shadowing, tuple assignments; labelled blocks; tuple values.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, unused_mut, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Point {
            x: i32,
            y: i32,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Line(Point, Point);

        #[device]
        pub fn divided(a: i32, b: i32) -> (i32, i32, bool) {
            if b == 0 { (0, a, false) } else { (a / b, a % b, true) }
        }

        #[device]
        pub fn ends(x: &[i32]) -> ((i32, u8), [i32; 2]) {
            ((x[0], x.len() as u8), [x[x.len() - 1], x[1]])
        }

        #[device]
        pub fn pass<T: Copy + DeviceType>(pair: (T, (T, i32))) -> (i32, T) {
            let (a, (_, n)) = pair;
            (n, a)
        }

        #[device]
        pub fn nothing(n: i32) {
            let _ = n;
        }
    }

    fn destructuring(x: &[i32], y: &mut [i64]) {
        let (a, b) = (x[0], x[1]);
        let (c, (d, e), f) = (x[2], (x[3], x[4]), x[5]);
        let Point { x: px, y: py } = Point { x: a, y: b };
        let Line(Point { x: x0, .. }, q @ Point { y: y1, .. }) = Line(Point { x: c, y: d }, Point { x: e, y: f });
        let [first, _, third] = [a, b, c];
        let [[m, n], [o, _]] = [[d, e], [f, a]];
        let [head, _, _] = [x[6], x[7], 1];
        let [_, ref_, tail] = [x[6], x[7], 1];
        let _ = ref_;
        let (_, last) = (1, 2);
        let ((), _) = ((), 5);
        y[0] = a as i64 + b as i64 * 2 + c as i64 * 3 + d as i64 * 5 + e as i64 * 7 + f as i64 * 11;
        y[1] = px as i64 - py as i64;
        y[2] = x0 as i64 + q.x as i64 * 10 + y1 as i64 * 100;
        y[3] = first as i64 + third as i64 + m as i64 * 3 + n as i64 + o as i64 + head as i64 + tail as i64 + last;
    }

    fn tuple_results(x: &[i32], y: &mut [i64]) {
        let (q, r, fine) = divided(x[0], x[1]);
        y[0] = q as i64 * 1000 + r as i64;
        y[1] = fine as i64;
        let all = divided(x[2], x[3]);
        let copy = all;
        y[2] = all.0 as i64 + copy.1 as i64 + if copy.2 { 5 } else { 6 };
        let ((low, len), [high, second]) = ends(x);
        y[3] = low as i64 + len as i64 + high as i64 * 3 + second as i64 * 7;
        y[4] = ends(x).1[0] as i64 + ends(x).0.1 as i64;
        let mut nested = ((1, 2), [x[4]; 3]);
        nested.0.1 += x[5] as i64 % 100;
        nested.1[1] = 9;
        y[5] = nested.0.0 + nested.0.1 + nested.1[0] as i64 + nested.1[1] as i64;
        y[6] = divided(7, x[6] % 5).0 as i64;
        let (n, t) = pass((2.5f64, (1.5, x[7])));
        y[7] = n as i64 + (t * 2.0) as i64;
        let (n, t) = pass((true, (false, 3)));
        y[8] = n as i64 + t as i64;
    }

    fn tuple_assignment(x: &[i32], y: &mut [i64]) {
        let (mut a, mut b) = (x[0] as i64, x[1] as i64);
        (a, b) = (b, a);
        let mut c = 1;
        [a, c] = [a + 1, a + 2];
        (y[0], y[1]) = (a, b);
        (a, _) = (b, 1);
        (_, b) = (1, c);
        let mut p = Point { x: 1, y: 2 };
        (p.x, p.y) = (p.y, p.x + x[2] % 100);
        let mut n = 0;
        let mut m = [0; 3];
        ((n, m[1]), m[(x[3] & 1) as usize * 2]) = ((x[4], 5), 6);
        (y[2], (y[3], ..)) = (a + b, (c, 1, 2));
        y[4] = p.x as i64 * 1000 + p.y as i64;
        y[5] = n as i64 + m[0] as i64 * 10 + m[1] as i64 * 100 + m[2] as i64 * 1000;
        let i = (x[5] & 3) as usize;
        (y[6], y[6 + i]) = (1, 2);
        Line(p, _) = Line(Point { x: 4, y: 5 }, p);
        Point { x: n, .. } = p;
        y[11] = n as i64 + p.y as i64;
    }

    fn references_assigned_later(x: &[i32], y: &mut [i64]) {
        let numbers = [x[0] as i64, 5];
        let first: &i64;
        let part: &[i32];
        let whole;
        if x[1] > 2 {
            first = &numbers[0];
            part = &x[2..];
        } else {
            first = &numbers[1];
            part = x;
        }
        whole = x;
        y[0] = *first + part[0] as i64;
        for i in 0..3 {
            let near: &[i32];
            for j in 0..3 {
                if part[j] > 0 {
                    near = &part[j..];
                    y[1 + i] = near[i] as i64 + whole[j] as i64;
                    break;
                }
            }
        }
    }

    fn assigned_later(x: &[i32], y: &mut [i64]) {
        let a;
        let b: i64;
        let (c, d);
        let point: Point;
        if x[0] > 2 {
            a = 1;
            b = x[1] as i64;
        } else {
            a = x[0];
            b = -1;
        }
        match x[2] {
            0 => c = 5,
            n if n > 3 => c = n,
            _ => c = -2,
        }
        d = c + 1;
        point = Point { x: d, y: a };
        let array: [i32; 2];
        array = [c, d];
        y[0] = a as i64 + b * 10 + c as i64 * 100;
        y[1] = d as i64 + point.x as i64 + point.y as i64 + array[1] as i64;
        let e;
        loop {
            if x[3] > 0 {
                e = 3;
                break;
            }
            e = 4;
            break;
        }
        y[2] = e;
        let f: bool;
        {
            f = x[4] > x[5];
        }
        y[3] = f as i64;
        for i in 0..3 {
            let square;
            square = i * i;
            y[4] += square;
        }
        let only_sometimes: i32;
        if x[6] == 3 {
            only_sometimes = 7;
            y[5] = only_sometimes as i64;
        }
    }

    fn shadowing(x: &[i32], y: &mut [i64]) {
        let n = x[0];
        let n = n as i64 * 2;
        let n = (n, n + 1);
        let (n, m) = n;
        y[0] = n + m;
        let m = { let n = n > 4; if n { 1u8 } else { 2 } };
        y[1] = n + m as i64;
        for n in 0..2 {
            let n = n + 10;
            y[2] += n;
            let y_ = n;
            let n = y_ * 2;
            y[3] += n;
        }
        if n > 0 {
            let n = [n, 3];
            y[4] = n[1];
        }
        y[5] = n;
        let x = [x[1], x[2], 4];
        y[6] = x[0] as i64 + x.len() as i64;
    }

    fn blocks(x: &[i32], y: &mut [i64]) {
        let a = 'a: {
            if x[0] > 3 {
                break 'a 1;
            }
            let b = 'b: {
                if x[1] > 3 {
                    break 'a 2;
                }
                if x[1] < 0 {
                    break 'b 10;
                }
                x[2] as i64
            };
            b + 100
        };
        y[0] = a;
        'done: {
            for i in 0..8 {
                if x[i] == 2 {
                    break 'done;
                }
                y[1] += 1;
            }
            y[2] = 1;
        }
        let found = 'search: {
            for i in 0..8 {
                for j in 0..i {
                    if x[i] == x[j] + 2 {
                        break 'search (i as i64, j as i64);
                    }
                }
            }
            (-1, -1)
        };
        y[3] = found.0 * 10 + found.1;
        'a: loop {
            'c: {
                if x[3] > 1 {
                    break 'c;
                }
                y[4] = 5;
            }
            y[5] = 6;
            break 'a;
        }
        nothing(x[4]);
        let unit = { y[6] = 7; };
        unit
    }

    fn nested_values(x: &[i32], y: &mut [i64]) {
        y[0] = if x[0] > 1 { if x[1] > 1 { 1 } else { 2 } } else if x[2] > 1 { 3 } else { 4 };
        y[1] = { let a = x[3] as i64; let d = { let b = a * 2; b + { let c = b; c + 1 } }; d };
        y[2] = (if x[4] > 0 { 5 } else { 6 }) * loop { break 3; };
        y[3] = -(if x[5] > 2 { x[5] as i64 } else { 1 });
        let t = (if x[6] > 0 { 1 } else { 2 }, { y[4] = 8; x[7] as i64 });
        y[5] = t.0 + t.1;
        y[{ y[6] = 1; 7 }] = { y[8] = 2; 9 };
        let arr = [{ y[9] = 4; 1 }, if x[0] == 0 { 2 } else { 3 }];
        y[10] = arr[0] + arr[1];
    }

    fn integer_tuples(x: &[i32], y: &mut [i64]) {
        let mut state = (1u64, 0u8, false);
        for i in 0..8 {
            state.0 = state.0.wrapping_mul(x[i] as u64 | 1).wrapping_add(i as u64);
            state.1 = state.1.wrapping_add(state.0 as u8);
            state.2 ^= x[i] > 3;
            let (sum, over) = (state.0 as i32).overflowing_add(x[i]);
            y[i] = sum as i64 * 2 + over as i64;
        }
        y[8] = (state.0 >> 1) as i64;
        y[9] = state.1 as i64 + state.2 as i64 * 1000;
    }
}
