//! Atomic operations: each on every supported type, at the limits of the type; under contention, with results that do
//! not depend on the order; in every ordering and scope; and algorithms that use them.

use cumbia::DeviceArray;
use cumbia::intrinsics::*;
use cumbia::intrinsics::{AtomicBits, AtomicMinMax};
use cumbia::prelude::*;

use crate::inputs::{Edges, Random};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    alone,
    floats_alone,
    narrow,
    contended,
    contended_floats,
    fields_and_shared,
    every_ordering,
    locks,
    messages_between_threads,
    compare_exchange_loops,
];

/// Every operation on integers, each on an element that one thread accesses. Returns the old values.
#[kernel]
pub fn of_integers<T: AtomicBits + AtomicMinMax + Number>(a: &[T], b: &[T], cells: &mut [T], olds: &mut [T]) {
    let i = grid(1);
    if i < a.len() {
        let at = 11 * i;
        let v = b[i];
        olds[at] = atomic_add(&mut cells[at], v);
        olds[at + 1] = atomic_sub(&mut cells[at + 1], v);
        olds[at + 2] = atomic_min(&mut cells[at + 2], v);
        olds[at + 3] = atomic_max(&mut cells[at + 3], v);
        olds[at + 4] = atomic_and(&mut cells[at + 4], v);
        olds[at + 5] = atomic_or(&mut cells[at + 5], v);
        olds[at + 6] = atomic_xor(&mut cells[at + 6], v);
        olds[at + 7] = atomic_exch(&mut cells[at + 7], v);
        olds[at + 8] = atomic_cas(&mut cells[at + 8], a[i], v);
        olds[at + 9] = atomic_cas(&mut cells[at + 9], v, T::ONE);
        olds[at + 10] = atomic_load(&cells[at + 10]);
        atomic_store(&mut cells[at + 10], v);
    }
}

/// `atomic_inc` and `atomic_dec`.
macro_rules! counting {
    ($($name:ident $int:ident)*) => {$(
        #[kernel]
        pub fn $name(limits: &[$int], cells: &mut [$int], olds: &mut [$int]) {
            let i = grid(1);
            if i < limits.len() {
                olds[2 * i] = atomic_inc(&mut cells[2 * i], limits[i]);
                olds[2 * i + 1] = atomic_dec(&mut cells[2 * i + 1], limits[i]);
            }
        }
    )*};
}

counting!(count_u32 u32 count_u64 u64 count_usize usize);

fn alone(run: &mut Run<'_>) {
    macro_rules! each {
        ($($int:ident)*) => {$({
            let pairs = $int::pairs(40);
            let (values, others): (Vec<$int>, Vec<$int>) = pairs.iter().copied().unzip();
            let before: Vec<$int> = values.iter().flat_map(|&a| [a; 11]).collect();
            let (a, b) = (run.array(&values), run.array(&others));
            let (mut cells, mut olds) = (run.array(&before), run.zeros(before.len()));
            run.launch(of_integers(&a, &b, &mut cells, &mut olds).over(pairs.len()));
            let after: Vec<$int> = pairs
                .iter()
                .flat_map(|&(a, b)| {
                    let kept = if a == b { 1 } else { a };
                    [a.wrapping_add(b), a.wrapping_sub(b), a.min(b), a.max(b), a & b, a | b, a ^ b, b, b, kept, b]
                })
                .collect();
            run.expect(concat!(stringify!($int), " cells"), &cells, &after);
            run.expect(concat!(stringify!($int), " olds"), &olds, &before);
        })*};
    }
    each!(i32 u32 i64 u64 isize usize);
    macro_rules! counts {
        ($($name:ident $int:ident)*) => {$({
            let pairs = $int::pairs(20);
            let limits: Vec<$int> = pairs.iter().map(|pair| pair.1).collect();
            let before: Vec<$int> = pairs.iter().flat_map(|pair| [pair.0; 2]).collect();
            let (there, mut cells, mut olds) = (run.array(&limits), run.array(&before), run.zeros(before.len()));
            run.launch($name(&there, &mut cells, &mut olds).over(pairs.len()));
            let counted = |&(old, limit): &($int, $int)| {
                [if old >= limit { 0 } else { old + 1 }, if old == 0 || old > limit { limit } else { old - 1 }]
            };
            run.expect(stringify!($name), &cells, &pairs.iter().flat_map(counted).collect::<Vec<_>>());
            run.expect(stringify!($name), &olds, &before);
        })*};
    }
    counts!(count_u32 u32 count_u64 u64 count_usize usize);
}

/// Every operation on floats.
#[kernel]
pub fn of_floats<T: AtomicMinMax + Float>(a: &[T], b: &[T], cells: &mut [T], olds: &mut [T]) {
    let i = grid(1);
    if i < a.len() {
        let at = 8 * i;
        let v = b[i];
        olds[at] = atomic_add(&mut cells[at], v);
        olds[at + 1] = atomic_sub(&mut cells[at + 1], v);
        olds[at + 2] = atomic_min(&mut cells[at + 2], v);
        olds[at + 3] = atomic_max(&mut cells[at + 3], v);
        olds[at + 4] = atomic_exch(&mut cells[at + 4], v);
        olds[at + 5] = atomic_cas(&mut cells[at + 5], a[i], v);
        olds[at + 6] = atomic_cas(&mut cells[at + 6], v, T::ONE);
        olds[at + 7] = atomic_load(&cells[at + 7]);
        atomic_store(&mut cells[at + 7], v);
    }
}

fn floats_alone(run: &mut Run<'_>) {
    macro_rules! each {
        ($($float:ident)*) => {$({
            // On a GPU, the atomic addition of `f32` flushes subnormal operands and results to zero.
            let usual = |x: &$float| !x.is_subnormal();
            let usual_sums = |&(a, b): &($float, $float)| usual(&(a + b)) && usual(&(a - b)) && usual(&a) && usual(&b);
            let mut pairs: Vec<($float, $float)> = $float::pairs(100).into_iter().filter(usual_sums).collect();
            pairs.extend([(0.0, -0.0), (-0.0, 0.0), ($float::NAN, 1.0), (1.0, $float::NAN), (-$float::NAN, -1.0)]);
            let (values, others): (Vec<$float>, Vec<$float>) = pairs.iter().copied().unzip();
            let before: Vec<$float> = values.iter().flat_map(|&a| [a; 8]).collect();
            let (a, b) = (run.array(&values), run.array(&others));
            let (mut cells, mut olds) = (run.array(&before), run.zeros(before.len()));
            run.launch(of_floats(&a, &b, &mut cells, &mut olds).over(pairs.len()));
            let after: Vec<$float> = pairs
                .iter()
                .flat_map(|&(a, b)| {
                    // −0 is less than +0; the result of `f32::min` is unspecified.
                    let least = if a.is_nan() || (!b.is_nan() && b.total_cmp(&a).is_lt()) { b } else { a };
                    let most = if a.is_nan() || (!b.is_nan() && b.total_cmp(&a).is_gt()) { b } else { a };
                    let kept = if a.to_bits() == b.to_bits() { 1.0 } else { a };
                    [a + b, a - b, least, most, b, b, kept, b]
                })
                .collect();
            run.expect(concat!(stringify!($float), " cells"), &cells, &after);
            run.expect(concat!(stringify!($float), " olds"), &olds, &before);
        })*};
    }
    each!(f32 f64);
}

/// The operations on integers of 8 and 16 bits.
#[kernel]
pub fn of_narrow(
    a: u16,
    h: &mut [f16],
    b: &mut [bf16],
    u: &mut [u16],
    i: &mut [i16],
    bytes: &mut [u8],
    bools: &mut [bool],
) {
    let t = grid(1);
    let n = t as f32;
    h[8 + t] = atomic_add(&mut h[t], f16::from_f32(n));
    b[8 + t] = atomic_sub(&mut b[t], bf16::from_f32(n));
    h[16 + t] = atomic_exch(&mut h[t], f16::from_f32(-1.5));
    b[16 + t] = atomic_cas(&mut b[t], bf16::from_f32(1.0), bf16::from_f32(50.0));
    u[8 + t] = atomic_exch(&mut u[t], a + t as u16);
    u[16 + t] = atomic_cas(&mut u[t], a + 3, 9);
    i[8 + t] = atomic_cas(&mut i[t], -2, 1000);
    i[16 + t] = atomic_exch(&mut i[t], -(t as i16));
    bytes[8 + t] = atomic_load(&bytes[t]);
    atomic_store(&mut bytes[t], t as u8 + 250);
    bools[8 + t] = atomic_load(&bools[t]);
    atomic_store(&mut bools[t], t % 3 == 0);
    atomic_store(&mut h[24 + t], atomic_load(&h[t]));
}

fn narrow(run: &mut Run<'_>) {
    let t = || 0..6u16;
    let half = |n: f32| f16::from_f32(n);
    let brain = |n: f32| bf16::from_f32(n);
    let mut halves = vec![half(2.5); 8];
    halves.resize(32, half(0.0));
    let mut brains = vec![brain(4.0); 8];
    brains.resize(24, brain(0.0));
    let (mut words, mut shorts) = (vec![7u16; 24], vec![-2i16; 24]);
    shorts[3] = 5;
    let (mut bytes, mut bools) = (vec![3u8; 16], vec![true; 16]);
    let (mut h, mut b) = (run.array(&halves), run.array(&brains));
    let (mut u, mut i) = (run.array(&words), run.array(&shorts));
    let (mut small, mut flags) = (run.array(&bytes), run.array(&bools));
    run.launch(of_narrow(60_000, &mut h, &mut b, &mut u, &mut i, &mut small, &mut flags).grid(2).block(3));
    for t in t() {
        let at = t as usize;
        let n = f32::from(t);
        halves[8 + at] = half(2.5);
        halves[16 + at] = half(2.5 + n);
        halves[at] = half(-1.5);
        halves[24 + at] = half(-1.5);
        brains[8 + at] = brain(4.0);
        brains[16 + at] = brain(4.0 - n);
        brains[at] = if t == 3 { brain(50.0) } else { brain(4.0 - n) };
        words[8 + at] = 7;
        words[16 + at] = 60_000 + t;
        words[at] = if t == 3 { 9 } else { 60_000 + t };
        shorts[8 + at] = if t == 3 { 5 } else { -2 };
        shorts[16 + at] = if t == 3 { 5 } else { 1000 };
        shorts[at] = -(t as i16);
        bytes[8 + at] = 3;
        bytes[at] = (t + 250) as u8;
        bools[8 + at] = true;
        bools[at] = t % 3 == 0;
    }
    run.expect("f16", &h, &halves);
    run.expect("bf16", &b, &brains);
    run.expect("u16", &u, &words);
    run.expect("i16", &i, &shorts);
    run.expect("u8", &small, &bytes);
    run.expect("bool", &flags, &bools);
}

/// Contention of all threads for a few elements, by commutative operations.
#[kernel]
pub fn crowd<T: AtomicBits + AtomicMinMax + Number>(x: &[T], cells: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        let v = x[i];
        atomic_add(&mut cells[i % 2], v);
        atomic_sub(&mut cells[2], v);
        atomic_min(&mut cells[3], v);
        atomic_max(&mut cells[4], v);
        atomic_and(&mut cells[5], v);
        atomic_or(&mut cells[6], v);
        atomic_xor(&mut cells[7], v);
        atomic_inc_of(&mut cells[8..]);
    }
}

/// An increment by compare-and-swap, which all types support.
#[device]
pub fn atomic_inc_of<T: AtomicBits + Number>(cell: &mut [T]) {
    let mut seen = cell[0];
    loop {
        let found = atomic_cas(&mut cell[0], seen, seen + T::ONE);
        if found == seen {
            break;
        }
        seen = found;
    }
}

fn contended(run: &mut Run<'_>) {
    macro_rules! each {
        ($($int:ident)*) => {$({
            let values = $int::some(200);
            let mut cells = [0, 0, 0, $int::MAX, $int::MIN, !0, 0, 0, 0];
            let (x, mut there) = (run.array(&values), run.array(&cells));
            run.launch(crowd(&x, &mut there).block(64).over(values.len()));
            for (i, &v) in values.iter().enumerate() {
                cells[i % 2] = cells[i % 2].wrapping_add(v);
                cells[2] = cells[2].wrapping_sub(v);
                cells[3] = cells[3].min(v);
                cells[4] = cells[4].max(v);
                cells[5] &= v;
                cells[6] |= v;
                cells[7] ^= v;
                cells[8] += 1;
            }
            run.expect(stringify!($int), &there, &cells);
        })*};
    }
    each!(i32 u32 i64 u64 usize isize);
}

/// Sums of integral values, which are exact in any order.
#[kernel]
pub fn crowd_of_floats<T: Float>(n: usize, cells: &mut [T]) {
    let i = grid(1);
    if i < n {
        atomic_add(&mut cells[i % 3], T::cast(i % 4));
        atomic_sub(&mut cells[3], T::ONE);
    }
}

fn contended_floats(run: &mut Run<'_>) {
    fn of<T: Float>(run: &mut Run<'_>, n: usize) {
        let mut cells = [0.0; 4];
        let mut there = run.zeros(4);
        run.launch(crowd_of_floats::<T>(n, &mut there).block(32).over(n));
        for i in 0..n {
            cells[i % 3] += (i % 4) as f64;
            cells[3] -= 1.0;
        }
        run.expect(std::any::type_name::<T>(), &there, &cells.map(T::from_f64));
    }
    of::<f32>(run, 500);
    of::<f64>(run, 500);
    of::<f16>(run, 300);
    of::<bf16>(run, 200);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Tally {
    small: u8,
    count: u32,
    sums: [f32; 2],
    last: u64,
    extremes: Extremes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Extremes {
    least: i32,
    most: f64,
}

/// Fields of elements in global, shared and dynamic shared memory, through references and device functions.
#[kernel]
pub fn tallies(x: &[i32], out: &mut [Tally]) {
    let mut tally = shared::<Tally>();
    let mut more = dynamic_shared::<Tally>();
    let mut rows = shared::<[[u32; 2]; 3]>();
    let t = thread_idx().x;
    if t == 0 {
        tally.count = 3;
        tally.last = clear(*tally).count as u64;
        more[1] =
            Tally { small: 7, count: 0, sums: [0.0; 2], last: 0, extremes: Extremes { least: i32::MAX, most: 0.0 } };
    }
    if t < 6 {
        rows[t / 2][t % 2] = 0;
    }
    sync_threads();
    let i = grid(1);
    if i < x.len() {
        atomic_add(&mut more[1].count, 1);
        atomic_add(&mut more[1].sums[i % 2], (x[i] % 8) as f32);
        let extremes = &mut more[1].extremes;
        atomic_min(&mut extremes.least, x[i]);
        atomic_max(&mut extremes.most, x[i] as f64 / 2.0);
        tell(&mut rows[i % 3], x[i]);
        atomic_max(&mut out[block_idx().x].last, x[i] as u64);
        atomic_xor(&mut out[0].extremes.least, x[i]);
    }
    sync_threads();
    if t == 0 {
        let mut sum = 0;
        for row in rows.iter() {
            sum += row[0] * 10 + row[1];
        }
        out[1 + block_idx().x].count = sum;
        out[1 + block_idx().x].sums = more[1].sums;
        out[1 + block_idx().x].small = more[1].small + more[1].count as u8 + tally.last as u8;
        out[1 + block_idx().x].extremes.most = more[1].extremes.most + more[1].extremes.least as f64 * 1000.0;
    }
}

#[device]
pub fn clear(old: Tally) -> Tally {
    Tally { count: 0, ..old }
}

#[device]
pub fn tell(row: &mut [u32; 2], x: i32) {
    atomic_add(&mut row[(x & 1) as usize], 1);
}

fn fields_and_shared(run: &mut Run<'_>) {
    let values: Vec<i32> = Random::new(5).below(48, 100).into_iter().map(u32::cast_signed).collect();
    let x = run.array(&values);
    let mut out = run.zeros(4);
    run.launch(tallies(&x, &mut out).grid(3).block(16).shared_bytes(2 * size_of::<Tally>()));
    let mut expected = [Tally::default(); 4];
    for (block, part) in values.chunks(16).enumerate() {
        let (mut sums, mut odd) = ([0.0; 2], [0u32; 2]);
        for (k, &x) in part.iter().enumerate() {
            sums[(16 * block + k) % 2] += (x % 8) as f32;
            odd[(x & 1) as usize] += 1;
            expected[block].last = expected[block].last.max(x as u64);
            expected[0].extremes.least ^= x;
        }
        let (least, most) = (part.iter().min().copied().unwrap_or(0), part.iter().max().copied().unwrap_or(0));
        let there = &mut expected[1 + block];
        there.count = odd[0] * 10 + odd[1];
        there.sums = sums;
        there.small = 7 + 16;
        there.extremes.most = f64::from(most) / 2.0 + f64::from(least) * 1000.0;
    }
    run.expect("out", &out, &expected);
}

/// Every ordering with every scope, on an element of its own.
macro_rules! orderings {
    ($($at:literal $ordering:ident $scope:ident)*) => {
        #[kernel]
        pub fn ordered(cells: &mut [u32], wide: &mut [i64], floats: &mut [f32], halves: &mut [bf16]) {
            $(
                cells[$at + 15] = atomic_add_explicit::<$ordering, $scope>(&mut cells[$at], 5);
                wide[$at + 15] = atomic_cas_explicit::<$ordering, $scope>(&mut wide[$at], -1, 1 << 40);
                floats[$at + 15] = atomic_max_explicit::<$ordering, $scope>(&mut floats[$at], 2.5);
                halves[$at + 15] = atomic_exch_explicit::<$ordering, $scope>(&mut halves[$at], bf16::from_f32(4.0));
                atomic_sub_explicit::<$ordering, $scope>(&mut floats[$at], 1.0);
                atomic_inc_explicit::<$ordering, $scope>(&mut cells[$at], 100);
                atomic_or_explicit::<$ordering, $scope>(&mut wide[$at], 3);
            )*
        }
    };
}

orderings! {
    0 Relaxed BlockScope 1 Relaxed DeviceScope 2 Relaxed SystemScope
    3 Acquire BlockScope 4 Acquire DeviceScope 5 Acquire SystemScope
    6 Release BlockScope 7 Release DeviceScope 8 Release SystemScope
    9 AcqRel BlockScope 10 AcqRel DeviceScope 11 AcqRel SystemScope
    12 SeqCst BlockScope 13 SeqCst DeviceScope 14 SeqCst SystemScope
}

/// Loads and stores in the orderings that they support.
#[kernel]
pub fn ordered_accesses(x: &[u64], y: &mut [u64]) {
    atomic_store_explicit::<Relaxed, BlockScope>(&mut y[0], atomic_load_explicit::<Relaxed, SystemScope>(&x[0]));
    atomic_store_explicit::<Release, BlockScope>(&mut y[1], atomic_load_explicit::<Acquire, BlockScope>(&x[1]));
    atomic_store_explicit::<Release, DeviceScope>(&mut y[2], atomic_load_explicit::<Acquire, DeviceScope>(&x[2]));
    atomic_store_explicit::<Release, SystemScope>(&mut y[3], atomic_load_explicit::<Acquire, SystemScope>(&x[3]));
    atomic_store_explicit::<SeqCst, BlockScope>(&mut y[4], atomic_load_explicit::<SeqCst, BlockScope>(&x[4]));
    atomic_store_explicit::<SeqCst, DeviceScope>(&mut y[5], atomic_load_explicit::<SeqCst, DeviceScope>(&x[5]));
    atomic_store_explicit::<SeqCst, SystemScope>(&mut y[6], atomic_load_explicit::<SeqCst, SystemScope>(&x[6]));
}

/// The elements after each ordering, and the results of the operations.
fn both<T: Copy>(after: T, old: T) -> Vec<T> {
    [[after; 15], [old; 15]].concat()
}

fn every_ordering(run: &mut Run<'_>) {
    let zeros = [0.0f32; 30].map(bf16::from_f32);
    let mut cells = run.array(&[10u32; 30]);
    let (mut wide, mut floats, mut halves) = (run.array(&[-1i64; 30]), run.array(&[1.0f32; 30]), run.array(&zeros));
    run.launch(ordered(&mut cells, &mut wide, &mut floats, &mut halves).grid(1).block(1));
    run.expect("cells", &cells, &both(16, 10));
    run.expect("wide", &wide, &both(1 << 40 | 3, -1));
    run.expect("floats", &floats, &both(1.5, 1.0));
    run.expect("halves", &halves, &both(bf16::from_f32(4.0), bf16::from_f32(0.0)));
    let values = [1u64, u64::MAX, 3, 4, 5, 6, 7];
    let (x, mut y) = (run.array(&values), run.zeros(7));
    run.launch(ordered_accesses(&x, &mut y).grid(1).block(1));
    run.expect("y", &y, &values);
}

/// A lock around non-atomic accesses.
#[kernel]
pub fn locked(lock: &mut [u32], total: &mut [u64], seen: &mut [u32]) {
    let i = grid(1);
    while atomic_cas_explicit::<Acquire, DeviceScope>(&mut lock[0], 0, 1) != 0 {}
    let at = atomic_load(&total[1]);
    total[0] = atomic_load(&total[0]) + i as u64;
    total[1] = at + 1;
    atomic_store_explicit::<Release, DeviceScope>(&mut lock[0], 0);
    seen[at as usize] = 1;
}

fn locks(run: &mut Run<'_>) {
    for (blocks, threads) in [(1, 40), (5, 8)] {
        let n = blocks * threads;
        let (mut lock, mut total, mut seen) = (run.zeros(1), run.zeros(2), run.zeros(n));
        run.launch(locked(&mut lock, &mut total, &mut seen).grid(blocks).block(threads));
        run.expect("total", &total, &[(n * (n - 1) / 2) as u64, n as u64]);
        run.expect("seen", &seen, &vec![1; n]);
        run.expect("lock", &lock, &[0]);
    }
}

/// Each thread waits for the preceding one, in its block and in the preceding block.
#[kernel]
pub fn relay(flags: &mut [u32], data: &mut [u64]) {
    let i = grid(1);
    if i > 0 {
        while atomic_load_explicit::<Acquire, DeviceScope>(&flags[i - 1]) == 0 {}
        data[i] = atomic_load(&data[i - 1]) * 3 % 1_000_007 + i as u64;
    } else {
        data[0] = 5;
    }
    thread_fence();
    atomic_exch(&mut flags[i], 1);
}

fn messages_between_threads(run: &mut Run<'_>) {
    for (blocks, threads) in [(1, 20), (3, 4)] {
        let n = blocks * threads;
        let (mut flags, mut data) = (run.zeros(n), run.zeros(n));
        run.launch(relay(&mut flags, &mut data).grid(blocks).block(threads));
        let mut expected = vec![5u64];
        for i in 1..n {
            expected.push(expected[i - 1] * 3 % 1_000_007 + i as u64);
        }
        run.expect("data", &data, &expected);
    }
}

/// A product by a compare-and-swap loop.
#[device]
pub fn atomic_mul<T: Number>(place: &mut T, factor: T, old: T) -> T
where
    T: cumbia::intrinsics::AtomicExchange,
{
    let mut old = old;
    loop {
        let found = atomic_cas(place, old, old * factor);
        if found == old {
            return old;
        }
        old = found;
    }
}

#[kernel]
pub fn products<T: Number + cumbia::intrinsics::AtomicExchange>(x: &[T], y: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        atomic_mul(&mut y[i % 2], x[i], y[i % 2]);
    }
}

fn compare_exchange_loops(run: &mut Run<'_>) {
    fn of<T: Number + cumbia::intrinsics::AtomicExchange>(run: &mut Run<'_>, x: &DeviceArray<T>, expected: [T; 2]) {
        let mut y = run.array(&[T::ONE, T::ONE]);
        run.launch(products(x, &mut y).grid(2).block(8));
        run.expect(std::any::type_name::<T>(), &y, &expected);
    }
    let x = run.array(&[2.0f32, 3.0, 0.5, 1.0, 4.0, 1.0, 2.0, 5.0, 1.0, 2.0]);
    of(run, &x, [8.0, 30.0]);
    let x = run.array(&[2u64, 3, 7, 1, 4, 1, 2, 5, 1, 2]);
    of(run, &x, [112, 30]);
    let x = run.array(&[2i16, -3, 7, 1, 4, 1, 2, 5, 1, 2]);
    of(run, &x, [112, -30]);
    let x = run.array(&[2.0f32, 3.0, 0.5, 1.0, 4.0, 1.0, 2.0, 5.0, 1.0, 2.0].map(f16::from_f32));
    of(run, &x, [8.0, 30.0].map(f16::from_f32));
}
