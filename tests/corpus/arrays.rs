//! Local arrays: literals, repetitions, nested arrays, arrays of tuples and structs; copied, compared, dynamically
//! indexed, passed and returned; and constants that are arrays and structs.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![decided, sizes, constants_of_two_modules, unrolled, few]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Item {
            key: u8,
            value: i64,
        }

        #[device]
        impl PartialEq for Item {
            fn eq(&self, other: &Item) -> bool {
                self.value == other.value && self.key == other.key
            }
        }

        pub const PRIMES: [u16; 6] = [2, 3, 5, 7, 11, 13];
        pub const TABLE: [[i64; 3]; 2] = [[1, -2, 3], [i64::MAX, 5, i64::MIN]];
        pub const ITEM: Item = Item { key: 200, value: -7 };
        pub const ITEMS: [Item; 2] = [ITEM, Item { key: 1, ..ITEM }];
        pub const PAIR: (u8, f32) = (9, 1.5);
        pub const BITS: [bool; 4] = [true, false, false, true];
        pub const NONE: [f64; 0] = [];

        pub struct Settings;

        impl Settings {
            pub const WEIGHTS: [f32; 3] = [0.5, -1.25, 4.0];
            pub const SIZE: usize = 3;
        }

        #[device]
        pub fn nothing<T: DeviceType>(_like: T) -> [T; 0] {
            []
        }

        #[device]
        pub fn first_or<T: DeviceType, const N: usize>(items: [T; N], other: T) -> T {
            if N > 0 { items[0] } else { other }
        }

        #[device]
        pub fn total<const N: usize>(items: &[i64; N]) -> i64 {
            let mut sum = 5;
            for v in items.iter() {
                sum += *v;
            }
            sum
        }

        #[device]
        pub fn counted(n: &mut i64) -> [f32; 0] {
            *n += 1;
            []
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Marked<T: DeviceType> {
            mark: [T; 0],
            value: i64,
        }

        #[device]
        pub fn sorted<const N: usize>(list: [i64; N]) -> [i64; N] {
            let mut list = list;
            for i in 1..N {
                let mut j = i;
                while j > 0 && list[j] < list[j - 1] {
                    (list[j], list[j - 1]) = (list[j - 1], list[j]);
                    j -= 1;
                }
            }
            list
        }

        #[device]
        pub fn matrix(a: [[i64; 2]; 2], b: [[i64; 2]; 2]) -> [[i64; 2]; 2] {
            let mut c = [[0; 2]; 2];
            for i in 0..2 {
                for j in 0..2 {
                    for k in 0..2 {
                        c[i][j] = (c[i][j] + a[i][k] % 1000 * b[k][j] % 1000) % 1_000_003;
                    }
                }
            }
            c
        }

        #[device]
        pub fn pair_of<T: DeviceType>(a: T, b: T) -> [T; 2] {
            [a, b]
        }
    }

    fn literals(x: &[i32], y: &mut [i64]) {
        let a = [x[0], x[1], x[2] / 2];
        let b = [x[3] as i64; 4];
        let c = [[1u8; 3], [2, 3, x[4] as u8]];
        let d = [0i16; 0];
        let e = [true, x[5] > 1];
        let f = [0.5f32, x[6] as f32];
        y[0] = a[0] as i64 + a[1] as i64 * 2 + a[2] as i64 * 3;
        y[1] = b[(x[7] & 3) as usize] + b.len() as i64;
        y[2] = c[1][2] as i64 + c[0][1] as i64 * 1000 + c[0].len() as i64 * 10_000 + c.len() as i64 * 100_000;
        y[3] = d.len() as i64 + d.is_empty() as i64;
        y[4] = e[1] as i64 * 2 + e[0] as i64;
        y[5] = (f[1] + f[0]) as i64;
        y[6] = [5, 6, 7][(x[0] & 3) as usize];
        y[7] = [[1, 2], [3, 4]][(x[1] & 1) as usize][(x[2] & 1) as usize];
        y[8] = [9; 3].len() as i64;
    }

    fn written(x: &[i32], y: &mut [i64]) {
        let mut a = [0i64; 6];
        for i in 0..8 {
            a[(x[i] as usize) % 6] += i as i64;
            a[i % 6] *= 2;
        }
        let b = a;
        a[(x[0] & 7) as usize] = -1;
        for i in 0..6 {
            y[i] = a[i] * 1000 + b[i];
        }
        let mut deep = [[[0u8; 2]; 3]; 2];
        deep[(x[1] & 1) as usize][1][(x[2] & 1) as usize] = 7;
        deep[1][2] = [x[3] as u8, 1];
        deep[0] = deep[1];
        let row = deep[0][1];
        y[6] = row[0] as i64 + row[1] as i64 * 10 + deep[0][2][0] as i64 * 100 + deep[1][1][1] as i64 * 1000;
        deep[(x[4] & 3) as usize][0][0] += 1;
        y[7] = deep[1][0][0] as i64;
    }

    fn of_tuples_and_structs(x: &[i32], y: &mut [i64]) {
        let mut pairs = [(0u8, 1i64); 3];
        pairs[1].1 = x[0] as i64;
        pairs[(x[1] & 1) as usize + 1] = (x[2] as u8, 5);
        let (a, b) = pairs[2];
        y[0] = a as i64 + b * 10 + pairs[1].1;
        let mut items = [ITEM; 3];
        items[0].value += 1;
        items[(x[3] & 1) as usize].key = x[4] as u8;
        items[2] = Item { value: 11, ..items[0] };
        y[1] = items[0].value + items[1].key as i64 * 100 + items[2].key as i64 * 100_000 + items[2].value;
        let mut nested = [[(1i64, [2i64; 2]); 2]; 2];
        nested[1][0].1[(x[5] & 1) as usize] = 50;
        nested[0] = nested[1];
        y[2] = nested[0][0].1[0] + nested[0][0].1[1] * 3 + nested[0][1].0;
        y[3] = (items[0] == items[2]) as i64 + 2 * (items[1] != ITEM) as i64;
    }

    fn passed(x: &[i32], y: &mut [i64]) {
        let s = sorted([x[0] as i64, x[1] as i64, x[2] as i64, x[3] as i64, x[4] as i64]);
        for i in 0..5 {
            y[i] = s[i];
        }
        let m = [[x[5] as i64, 1], [2, x[6] as i64]];
        let [[a, b], [c, d]] = matrix(m, matrix(m, m));
        y[5] = a + b * 3 + c * 5 + d * 7;
        y[6] = sorted([3, 1])[0] + sorted([7])[0];
        let [p, q] = pair_of((x[7], 1u8).0, 4);
        y[7] = p as i64 + q as i64;
        y[8] = pair_of(ITEM, ITEMS[1])[1].key as i64;
    }

    fn without_elements(x: &[i32], y: &mut [i64]) {
        let none: [i64; 0] = [];
        let mut n = x[0] as i64 & 0xff;
        let a = counted(&mut n);
        let copy = none;
        y[0] = n + none.len() as i64 + copy.len() as i64;
        for v in none.iter() {
            y[1] += *v;
        }
        y[2] = first_or(nothing(x[1]), x[2]) as i64;
        y[3] = total(&none) + total(&nothing(3i64)) + (none == []) as i64;
        y[4] = (a == counted(&mut n)) as i64 + n;
        let zero = [{ n += 1; n }; 0];
        y[5] = n + zero.is_empty() as i64;
        let later: [i64; 0];
        if x[0] > 2 {
            later = nothing(1i64);
        } else {
            later = [];
        }
        y[6] = later.len() as i64;
        let marked = Marked { mark: [], value: x[4] as i64 };
        let again = Marked { mark: nothing(x[1] as f32), value: marked.value + 1 };
        let Marked { mark, value } = if x[1] > 1 { marked } else { again };
        y[7] = value + mark.len() as i64;
        let pair = (nothing(2u8), x[5] as i64);
        y[8] = pair.1 + pair.0.len() as i64;
        y[9] = if x[5] == 2 { none[(x[6] & 3) as usize] } else { 4 };
    }

    fn constants(x: &[i32], y: &mut [i64]) {
        let i = (x[0] & 7) as usize;
        y[0] = PRIMES[i] as i64;
        y[1] = TABLE[(x[1] & 1) as usize][i % 3] ^ TABLE[1][2];
        y[2] = ITEM.value + ITEMS[(x[2] & 1) as usize].key as i64;
        y[3] = PAIR.0 as i64 + (PAIR.1 * 4.0) as i64;
        y[4] = BITS[i % 4] as i64 + NONE.len() as i64 * 10;
        let weights = [0u8; Settings::SIZE];
        y[5] = (Settings::WEIGHTS[i % weights.len()] * 8.0) as i64;
        const LOCAL: [i32; 2] = [40, 50];
        y[6] = LOCAL[(x[3] & 1) as usize] as i64;
        let mut primes = PRIMES;
        primes[i % 6] = 0;
        let mut sum = 0;
        for p in primes {
            sum += p as i64;
        }
        for p in PRIMES.iter().rev() {
            sum = sum * 2 + *p as i64;
        }
        for row in TABLE {
            sum ^= row[1];
        }
        y[7] = sum;
        let Item { key, value } = ITEM;
        y[8] = key as i64 * value;
        y[9] = const { PRIMES[2] as i64 * 100 } + const { [1i64, 2, 3] }[1];
    }
}

/// Arrays of generic length; the branch that a constant condition excludes need not be valid.
#[kernel]
pub fn chosen<T: Number, const N: usize, const WIDE: bool>(x: &[T], y: &mut [T], sizes: &mut [usize]) {
    let mut part = [T::ZERO; N];
    if N > 2 {
        part[2] = x[2];
    }
    let last = if N == 0 { T::ONE } else { part[N - 1] };
    let kept = if WIDE { [x[0]; 4] } else { [x[1]; 4] };
    y[0] = last;
    y[1] = kept[3];
    if N > 2 && !WIDE {
        sizes[0] = N - 3;
    } else if WIDE {
        sizes[0] = 100;
    }
    sizes[1] = size_of_part::<N>() + if const { N > 3 } { 1000 } else { 2000 };
    const HUGE: usize = 1 << 40;
    if N > HUGE {
        y[HUGE] = T::ZERO;
    }
    match N {
        0 => sizes[2] = 10,
        1 | 2 => sizes[2] = 20,
        _ => sizes[2] = 30,
    }
}

#[device]
pub fn size_of_part<const N: usize>() -> usize {
    if N == 0 {
        return 7;
    }
    let parts = [1usize; N];
    parts[N / 2] * N
}

fn decided(run: &mut Run<'_>) {
    fn of<T: Number, const N: usize, const WIDE: bool>(run: &mut Run<'_>, x: [T; 3], y: [T; 2], sizes: [usize; 3]) {
        let (x, mut out, mut lens) = (run.array(&x), run.zeros(2), run.zeros(3));
        run.launch(chosen::<T, N, WIDE>(&x, &mut out, &mut lens).grid(1).block(1));
        run.expect("y", &out, &y);
        run.expect("sizes", &lens, &sizes);
    }
    of::<f32, 0, false>(run, [1.0, 2.0, 3.0], [1.0, 2.0], [0, 2007, 10]);
    of::<f32, 1, true>(run, [1.0, 2.0, 3.0], [0.0, 1.0], [100, 2001, 20]);
    of::<u8, 3, false>(run, [1, 2, 3], [3, 2], [0, 2003, 30]);
    of::<i64, 5, true>(run, [1, 2, 3], [0, 1], [100, 1005, 30]);
}

/// Array lengths from constants of all kinds.
#[kernel]
pub fn sized<const N: usize>(y: &mut [usize]) {
    const FOUR: usize = 4;
    let a = [0u8; N];
    let b = [1u16; FOUR];
    let c = [[2u32; N]; FOUR];
    let d = [3u64; device::Settings::SIZE];
    let mut tile = shared::<[[f32; N]; FOUR]>();
    tile[0][N - 1] = 1.0;
    y[0] = a.len() + b.len() * 10 + c.len() * 100 + c[0].len() * 1000 + d.len() * 10_000;
    y[1] = tile.len() + tile[3].len() * 10;
}

fn sizes(run: &mut Run<'_>) {
    let mut y = run.zeros(2);
    run.launch(sized::<7>(&mut y).grid(1).block(1));
    run.expect("y", &y, &[7 + 40 + 400 + 7000 + 30_000, 4 + 70]);
}

pub mod north {
    use cumbia::prelude::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
    pub struct Cell {
        pub value: u8,
        pub weight: f64,
    }

    pub const CELLS: [Cell; 2] = [Cell { value: 1, weight: 0.5 }, Cell { value: 2, weight: 1.5 }];

    #[device]
    pub fn weight(cell: Cell) -> f64 {
        cell.weight * cell.value as f64 + CELLS[1].weight
    }
}

pub mod south {
    use cumbia::prelude::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
    pub struct Cell {
        pub weight: [i16; 3],
        pub value: u32,
    }

    pub const CELLS: [Cell; 2] = [Cell { value: 70, weight: [1, 2, 3] }, Cell { value: 80, weight: [-4, 5, 6] }];

    #[device]
    pub fn weight(cell: Cell) -> f64 {
        (cell.weight[0] as u32 + cell.value) as f64 + CELLS[1].value as f64
    }
}

/// Structs, functions and constants of the same name in two modules, and a struct that is generic over both.
#[kernel]
pub fn both_modules(x: &[north::Cell], y: &mut [south::Cell], z: &mut [f64]) {
    let i = grid(1);
    if i < y.len() {
        z[i] = north::weight(x[i]) + 1000.0 * south::weight(south::CELLS[0]) + north::weight(north::CELLS[i]);
        y[i] = south::Cell { value: south::CELLS[i].value + x[i].value as u32, ..south::CELLS[1 - i] };
        let kept = (north::CELLS[0], south::Cell { value: 1, weight: [0; 3] });
        z[i] += kept.0.weight + kept.1.value as f64;
    }
}

fn constants_of_two_modules(run: &mut Run<'_>) {
    let cells = [north::Cell { value: 3, weight: 2.0 }, north::Cell { value: 4, weight: -1.0 }];
    let (x, mut y, mut z) = (run.array(&cells), run.zeros(2), run.zeros(2));
    run.launch(both_modules(&x, &mut y, &mut z).over(2));
    let [a, b] = south::CELLS;
    run.expect("y", &y, &[south::Cell { value: 73, ..b }, south::Cell { value: 84, ..a }]);
    let second = 151_000.0 + 1.5;
    run.expect("z", &z, &[7.5 + second - 1.5 + 0.5 + 1.5 + 1.5, -2.5 + second - 1.5 + 3.0 + 1.5 + 1.5]);
}

/// `#[unroll]`: by a constant, on ranges that are not constant, with jumps, over arrays, nested, and by 1.
#[kernel(fmad = false)]
pub fn unrolled_sums<const N: usize>(x: &[f32], y: &mut [f32], n: usize) {
    let i = grid(1);
    if i >= y.len() {
        return;
    }
    let mut part = [0.0; N];
    #[unroll]
    for k in 0..N {
        part[k] = x[i * N + k];
    }
    let mut sum = 0.0;
    #[unroll]
    for k in (0..N).rev() {
        sum += part[k];
    }
    #[unroll(4)]
    for k in 0..n {
        if k == 5 {
            continue;
        }
        sum += k as f32;
        if k == 9 {
            break;
        }
    }
    #[unroll(3)]
    for (k, v) in part.iter().enumerate().rev() {
        sum += *v * k as f32;
    }
    #[unroll]
    for a in [1.0, 2.0] {
        #[unroll(1)]
        for b in (0..=4).step_by(2) {
            sum += a * b as f32;
        }
    }
    let mut k = 0;
    #[unroll(2)]
    while k < n {
        sum += 0.5;
        k += 3;
    }
    y[i] = sum;
}

/// Unrolled loops of which the compiler knows an upper bound of the trip count only.
#[kernel]
pub fn few_turns(n: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i >= y.len() {
        return;
    }
    let (mut turns, mut sum) = (0, n[i]);
    #[unroll(3)]
    for k in 0..n[i].min(5) {
        turns += 1;
        sum = sum * 3 % 1000 + k;
    }
    #[unroll(3)]
    for k in 0..(n[i] as u8).clamp(0, 2) {
        turns += 10;
        y[i] = k as u32;
    }
    #[unroll(5)]
    for _ in (0..n[i] % 7).rev() {
        turns += 100;
    }
    #[unroll(6)]
    for k in (0..n[i].min(9) as usize).step_by(2) {
        turns += 1000;
        sum += k as u32;
    }
    let mut left = n[i].min(4);
    #[unroll(3)]
    while left != 0 {
        left -= 1;
        turns += 10_000;
    }
    y[i] += turns + sum * 100_000;
}

fn few(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..12).collect();
    let (n, mut y) = (run.array(&values), run.array(&[9; 12]));
    run.launch(few_turns(&n, &mut y).over(12));
    let of = |&n: &u32| {
        let start = if n == 0 { 9 } else { n.min(2) - 1 };
        let sum = (0..n.min(5)).fold(n, |sum, k| sum * 3 % 1000 + k) + (0..n.min(9)).step_by(2).sum::<u32>();
        let turns = n.min(5) + 10 * n.min(2) + 100 * (n % 7) + 1000 * n.min(9).div_ceil(2) + 10_000 * n.min(4);
        start + turns + sum * 100_000
    };
    run.expect("y", &y, &values.iter().map(of).collect::<Vec<u32>>());
}

fn unrolled(run: &mut Run<'_>) {
    fn of<const N: usize>(run: &mut Run<'_>, n: usize) {
        let values: Vec<f32> = (0..3 * N).map(|i| i as f32 * 0.5).collect();
        let (x, mut y) = (run.array(&values), run.zeros(3));
        run.launch(unrolled_sums::<N>(&x, &mut y, n).over(3));
        let of = |part: &[f32]| {
            let mut sum = 0.0;
            part.iter().rev().for_each(|v| sum += v);
            (0..n.min(10)).filter(|k| *k != 5).for_each(|k| sum += k as f32);
            part.iter().enumerate().rev().for_each(|(k, v)| sum += v * k as f32);
            [1.0, 2.0].iter().for_each(|a| [0.0, 2.0, 4.0].iter().for_each(|b| sum += a * b));
            (0..n).step_by(3).for_each(|_| sum += 0.5);
            sum
        };
        let expected: Vec<f32> = values.chunks(N).map(of).collect();
        run.expect("y", &y, &expected);
    }
    of::<1>(run, 0);
    of::<4>(run, 7);
    of::<5>(run, 20);
}
