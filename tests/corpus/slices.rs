//! Sub-slices of slices and arrays in every memory, and references, as arguments of device functions that read and write.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![of_shared_memory, of_global_memory, of_dynamic_memory]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Point {
            x: i64,
            y: [i64; 2],
        }

        #[device]
        pub fn sum<T: Number>(x: &[T]) -> T {
            let mut total = T::ZERO;
            for v in x.iter() {
                total = total + *v;
            }
            total
        }

        #[device]
        pub fn small_sum(x: &[i32]) -> i64 {
            let mut total = 0;
            for i in 0..x.len() {
                total += x[i] as i64;
            }
            total
        }

        #[device]
        pub fn fill(y: &mut [i64], value: i64) {
            for v in y.iter_mut() {
                *v = value;
            }
        }

        /// Bounds that a number satisfies already.
        #[device]
        pub fn combined<T: Number + PartialOrd + std::ops::Add<Output = T>>(a: T, b: T) -> T {
            if a < b { a * b + a } else { a - b }
        }

        #[device]
        pub fn weighed(input: (&[i64], i64), output: (&mut [i64], usize)) -> i64 {
            let (x, factor) = input;
            let (out, at) = output;
            out[at] += factor;
            let mut total = 0;
            for v in x.iter() {
                total += *v * factor;
            }
            total
        }

        #[device]
        pub fn reversed(y: &mut [i64]) {
            if y.len() < 2 {
                return;
            }
            let last = y.len() - 1;
            (y[0], y[last]) = (y[last], y[0]);
            let mut i = 1;
            while i < last - i {
                let kept = y[i];
                y[i] = y[last - i];
                y[last - i] = kept;
                i += 1;
            }
        }

        #[device]
        pub fn add_to(v: &mut i64, by: i64) -> i64 {
            let old = *v;
            *v += by;
            old
        }

        #[device]
        pub fn swap(a: &mut i64, b: &mut i64) {
            let kept = *a;
            *a = *b;
            *b = kept;
        }

        #[device]
        pub fn length(p: &Point) -> i64 {
            p.x + p.y[0] * p.y[1] % 1000
        }

        #[device]
        pub fn advance(p: &mut Point, by: i64) {
            p.x += by;
            p.y[1] = p.x;
            fill(&mut p.y[..1], by);
        }

        #[device]
        pub fn twice(p: &mut Point) {
            advance(p, 1);
            advance(&mut *p, 2);
            add_to(&mut p.x, 100);
            let x = &mut p.x;
            *x += 1000;
        }

        #[device]
        pub fn both(v: &i64, w: &i64) -> i64 {
            *v * 3 + w % 100
        }
    }

    fn parts(x: &[i32], y: &mut [i64]) {
        let (a, b) = (x[0] as usize, x[1] as usize);
        y[0] = 1;
        y[1] = small_sum(&x[a..b]);
        y[2] = small_sum(&x[a..]);
        y[3] = small_sum(&x[..b]);
        y[4] = small_sum(&x[..]);
        y[5] = small_sum(&x[a..][..2]);
        fill(&mut y[a + 1..b + 1], 7);
    }

    fn inclusive_parts(x: &[i32], y: &mut [i64]) {
        let (a, b) = (x[0] as usize, x[1] as usize);
        y[0] = small_sum(&x[a..=b]);
        y[1] = small_sum(&x[..=b]);
        y[2] = small_sum(&x[2..=(x[2] & 7) as usize]);
        y[3] = 1;
    }

    fn variables(x: &[i32], y: &mut [i64]) {
        let middle = &x[2..6];
        let inner = &middle[1..3];
        y[0] = inner[0] as i64 + inner[1] as i64 * 2 + inner.len() as i64 * 100;
        y[1] = middle[(x[0] & 7) as usize] as i64;
        let (left, right) = x.split_at((x[1] & 15) as usize);
        y[2] = small_sum(left) * 10 + small_sum(right) + left.len() as i64;
        let whole = x;
        y[3] = whole[7] as i64 + whole.is_empty() as i64;
        let tail = &mut y[8..];
        tail[0] = 5;
        tail[1] = small_sum(inner);
        let (one, two) = y.split_at_mut(6);
        one[4] = 4;
        two[0] = one[0] + 1;
        swap(&mut one[5], &mut two[1]);
        fill(&mut two[4..], 9);
    }

    fn local_arrays(x: &[i32], y: &mut [i64]) {
        let mut a = [3i64; 8];
        for i in 0..8 {
            a[i] = x[i] as i64 % 100;
        }
        y[0] = sum(&a);
        y[1] = sum(&a[2..5]);
        fill(&mut a[(x[0] & 7) as usize..], -1);
        reversed(&mut a[1..7]);
        y[2] = a[1] * 10 + a[6] + sum(&a[..]);
        let mut rows = [[1i64, 2, 3], [4, 5, 6]];
        reversed(&mut rows[1]);
        fill(&mut rows[0][1..], 9);
        y[3] = rows[1][0] * 100 + rows[0][2] + sum(&rows[(x[1] & 1) as usize]);
        let (left, right) = a.split_at(3);
        y[4] = sum(left) - sum(right) * 2;
        let (left, right) = a.split_at_mut(4);
        left[0] = right[0];
        right[1] = 1000;
        y[5] = sum(&a);
        let part = &a[2..4];
        y[6] = part[0] + part[1] + part.len() as i64;
        y[7] = sum(&[1, 2, x[2] as i64]);
        y[8] = sum(&a[(x[3] & 15) as usize..]);
    }

    fn references(x: &[i32], y: &mut [i64]) {
        let mut n = x[0] as i64;
        y[0] = add_to(&mut n, 5);
        y[1] = n;
        y[2] = add_to(&mut y[1], x[1] as i64);
        let mut points = [Point { x: n, y: [x[2] as i64, 3] }; 3];
        advance(&mut points[1], 4);
        twice(&mut points[(x[3] & 3) as usize % 3]);
        y[3] = length(&points[0]);
        y[4] = length(&points[1]) + length(&points[2]) * 2;
        let p = &points[1];
        y[5] = p.x + p.y[0] + length(p) + both(&p.x, &p.y[1]);
        let q = &mut points[2];
        q.y[0] = 5;
        q.x += 1;
        advance(q, 2);
        y[6] = q.x + q.y[1];
        let mut a = 1;
        let mut b = x[4] as i64;
        swap(&mut a, &mut b);
        y[7] = a * 100 + b;
        let r = &mut a;
        *r += 7;
        add_to(r, 1);
        y[8] = a;
        let mut pair = (4i64, [5i64, 6]);
        add_to(&mut pair.1[(x[5] & 1) as usize], 10);
        add_to(&mut pair.0, 20);
        y[9] = pair.0 + pair.1[0] * 100 + pair.1[1] * 10_000;
        y[10] = both(&7, &(x[6] as i64 + 1));
        let s = &x[7];
        y[11] = *s as i64;
    }

    fn arrays_in_tuples(x: &[i32], y: &mut [i64]) {
        let a = [x[0] as i64, x[1] as i64, 3];
        let mut b = [1i64; 2];
        let mut nested = [[x[2] as i64, 5], [6, 7]];
        y[0] = weighed((&a, 2), (&mut b, 1));
        y[1] = weighed((if x[3] > 0 { &a } else { &[7, 8, 9] }, b[1]), (&mut b[..1], 0));
        y[2] = weighed((&nested[1], 3), (&mut b, 0)) + b[0] * 10 + b[1];
        y[3] = weighed((&b, 4), (&mut nested[0], 1)) + nested[0][1];
        y[4] = combined(y[0], y[1]) + combined(y[2], y[3]) + combined(a[2], b[0]);
        y[5] = weighed((&a[1..], 1), (y, 6)) + combined(x[4] as i64, 2);
    }

    fn faults(x: &[i32], y: &mut [i64]) {
        let a = [1i64, 2, 3, 4];
        y[0] = 1;
        match x[0] & 7 {
            0 => y[1] = sum(&a[(x[1] & 7) as usize..(x[2] & 7) as usize]),
            1 => y[1] = sum(&a[..(x[1] & 7) as usize]),
            2 => y[1] = sum(&a[(x[1] & 7) as usize..=(x[2] & 7) as usize]),
            3 => y[1] = sum(&a[..=(x[3] as usize)]),
            4 => y[1] = sum(a.split_at((x[1] & 7) as usize).1),
            5 => fill(&mut y[(x[1] & 15) as usize..(x[2] & 15) as usize], 4),
            6 => y[1] = x[x.len() - 1 - (x[1] & 15) as usize] as i64,
            _ => y[1] = a[2..][(x[1] & 3) as usize],
        }
        y[2] = 2;
    }
}

/// The sum of a sub-slice, by functions that do not depend on its memory.
#[device]
pub fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for v in x.iter() {
        sum += *v;
    }
    sum
}

/// Adds to every element.
#[device]
pub fn raise(x: &mut [u32], by: u32) {
    for v in x.iter_mut() {
        *v += by;
    }
}

#[device]
pub fn first_and_last(x: &[u32]) -> (u32, u32) {
    (x[0], x[x.len() - 1])
}

/// Rows and parts of shared arrays.
#[kernel]
pub fn shared_parts(x: &[u32], y: &mut [u32], from: usize, to: usize) {
    let mut rows = shared::<[[u32; 8]; 4]>();
    let mut list = shared::<[u32; 32]>();
    let t = thread_idx().x;
    rows[t / 8][t % 8] = x[t];
    list[t] = 0;
    sync_threads();
    if t < 4 {
        raise(&mut rows[t][2..5], 100);
        raise(&mut list[8 * t..8 * t + 8], t as u32);
    }
    sync_threads();
    if t == 0 {
        y[0] = total(&rows[1]);
        y[1] = total(&rows[2][from..to]);
        let (low, high) = first_and_last(&list[from..]);
        y[2] = low * 1000 + high;
        let (left, right) = list.split_at(12);
        y[3] = total(left) * 100 + total(right);
        raise(&mut list, 1);
        y[4] = total(&list);
        atomic_add(&mut rows[3][to % 8], 7);
        y[5] = rows[3][to % 8];
        let row = &mut rows[0];
        row[1] = 9;
        raise(&mut row[0..2], 1);
        y[6] = rows[0][1] + row.len() as u32;
    }
}

fn of_shared_memory(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..32).map(|i| i * i % 50).collect();
    let x = run.array(&values);
    for (from, to) in [(0, 8), (3, 5), (4, 4), (5, 3), (2, 9), (9, 9), (33, 40)] {
        let mut y = run.zeros(7);
        run.launch(shared_parts(&x, &mut y, from, to).grid(1).block(32));
        run.output("y", &y);
        if (from, to) == (3, 5) {
            let row = |r: usize| -> Vec<u32> {
                (0..8).map(|c| values[8 * r + c] + if (2..5).contains(&c) { 100 } else { 0 }).collect()
            };
            let sums = [row(1).iter().sum(), row(2)[3..5].iter().sum(), 3, 400 + 8 * 5 + 4, 48 + 32, row(3)[5] + 7, 18];
            run.expect("y", &y, &sums);
        }
    }
}

#[device]
pub fn halves(y: &mut [u32], depth: u32) -> u32 {
    let middle = y.len() / 2;
    let (left, right) = y.split_at_mut(middle);
    for (i, v) in right.iter_mut().enumerate() {
        *v += if i < left.len() { left[i] } else { depth };
    }
    left.len() as u32
}

/// Each thread accesses its own part of an array.
#[kernel]
pub fn own_parts(y: &mut [u32], lens: &mut [u32], width: usize) {
    let i = grid(1);
    let part = &mut y[width * i..width * i + width];
    lens[i] = halves(part, 50) + part.len() as u32 * 10;
    raise(&mut part[1..], 1000);
    let last = &mut part[width - 1];
    *last += 5;
}

fn of_global_memory(run: &mut Run<'_>) {
    let values: Vec<u32> = (1..=20).collect();
    for (width, threads) in [(5, 4), (4, 5), (1, 1), (10, 2), (6, 4)] {
        let (mut y, mut lens) = (run.array(&values), run.zeros(threads));
        // One block of one thread for each part, so that the last part, which is out of bounds, stops no other thread.
        run.launch(own_parts(&mut y, &mut lens, width).grid(threads).block(1));
        if width * threads > values.len() {
            continue;
        }
        let mut expected = values.clone();
        for part in expected.chunks_mut(width) {
            let middle = width / 2;
            for i in 0..width - middle {
                part[middle + i] += if i < middle { part[i] } else { 50 };
            }
            part[1..].iter_mut().for_each(|v| *v += 1000);
            part[width - 1] += 5;
        }
        let untouched = threads * width;
        expected[untouched..].copy_from_slice(&values[untouched..]);
        run.expect("y", &y, &expected);
        run.expect("lens", &lens, &vec![(width / 2 + 10 * width) as u32; threads]);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Particle {
    mass: f32,
    at: [f32; 2],
    hits: u32,
}

#[device]
pub fn push(p: &mut Particle, by: &[f32]) {
    for (i, v) in by.iter().enumerate() {
        p.at[i] += *v / p.mass;
    }
    p.hits += 1;
}

/// Parts of dynamic shared memory, and references to elements of it.
#[kernel(fmad = false)]
pub fn dynamic_references(x: &mut [Particle], forces: &[f32]) {
    let mut local = dynamic_shared::<Particle>();
    let t = thread_idx().x;
    local[t] = x[t];
    push(&mut local[t], &forces[2 * t..2 * t + 2]);
    sync_threads();
    let next = &local[(t + 1) % local.len()];
    push(&mut x[t], &next.at);
    push(&mut x[t], &next.at[1..]);
}

fn of_dynamic_memory(run: &mut Run<'_>) {
    let particles: Vec<Particle> =
        (0..6).map(|i| Particle { mass: 1.0 + i as f32, at: [i as f32, -0.5], hits: i }).collect();
    let forces: Vec<f32> = (0..12).map(|i| i as f32 * 0.3 - 1.0).collect();
    let (mut x, forces_there) = (run.array(&particles), run.array(&forces));
    let bytes = size_of::<Particle>() * particles.len();
    run.launch(dynamic_references(&mut x, &forces_there).grid(1).block(6).shared_bytes(bytes));
    let push = |p: &mut Particle, by: &[f32]| {
        by.iter().enumerate().for_each(|(i, v)| p.at[i] += v / p.mass);
        p.hits += 1;
    };
    let mut local = particles.clone();
    local.iter_mut().enumerate().for_each(|(t, p)| push(p, &forces[2 * t..2 * t + 2]));
    let mut expected = particles;
    for (t, p) in expected.iter_mut().enumerate() {
        let next = local[(t + 1) % 6];
        push(p, &next.at);
        push(p, &next.at[1..]);
    }
    run.expect("x", &x, &expected);
}
