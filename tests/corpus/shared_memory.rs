//! Shared memory and barriers: tiles, reductions, transposes, histograms, and dynamic shared memory in parts.

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    products,
    reductions,
    transposes,
    histograms,
    dynamic,
    parts_of_dynamic,
    several_arrays,
    early_returns_and_barriers,
];

/// c = a b, one element per thread.
#[kernel(fmad = false)]
pub fn matmul(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let (col, row) = grid(2);
    if row < m && col < n {
        let mut sum = 0.0;
        for i in 0..k {
            sum += a[row * k + i] * b[i * n + col];
        }
        c[row * n + col] = sum;
    }
}

/// c = a b by tiles in shared memory, on any sizes.
#[kernel(fmad = false)]
pub fn matmul_tiled<const TILE: usize>(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let mut a_tile = shared::<[[f32; TILE]; TILE]>();
    let mut b_tile = shared::<[[f32; TILE]; TILE]>();
    let (col, row) = grid(2);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..k.div_ceil(TILE) {
        let (a_col, b_row) = (tile * TILE + tx, tile * TILE + ty);
        a_tile[ty][tx] = if row < m && a_col < k { a[row * k + a_col] } else { 0.0 };
        b_tile[ty][tx] = if b_row < k && col < n { b[b_row * n + col] } else { 0.0 };
        sync_threads();
        for i in 0..TILE {
            sum += a_tile[ty][i] * b_tile[i][tx];
        }
        sync_threads();
    }
    if row < m && col < n {
        c[row * n + col] = sum;
    }
}

fn products(run: &mut Run<'_>) {
    for (m, n, k) in [(1, 1, 1), (16, 16, 16), (17, 5, 33), (37, 31, 19)] {
        let mut random = Random::new(5);
        let (xs, ys) = (random.floats(m * k, 1.0), random.floats(k * n, 1.0));
        let (a, b) = (run.array(&xs), run.array(&ys));
        let expected: Vec<f32> =
            (0..m * n).map(|at| (0..k).fold(0.0, |sum, i| sum + xs[at / n * k + i] * ys[i * n + at % n])).collect();
        let mut c = run.zeros(m * n);
        run.launch(matmul(&a, &b, &mut c, m, n, k).over((n, m)));
        run.expect("naive", &c, &expected);
        let mut c = run.zeros(m * n);
        run.launch(matmul_tiled::<16>(&a, &b, &mut c, m, n, k).block((16, 16)).over((n, m)));
        run.expect("16 by 16", &c, &expected);
        let mut c = run.zeros(m * n);
        run.launch(matmul_tiled::<5>(&a, &b, &mut c, m, n, k).block((5, 5)).over((n, m)));
        run.expect("5 by 5", &c, &expected);
    }
}

/// The sum of each block, by a tree reduction.
#[kernel]
pub fn block_sums<T: Number, const THREADS: usize>(x: &[T], sums: &mut [T]) {
    let mut partial = shared::<[T; THREADS]>();
    let (i, t) = (grid(1), thread_idx().x);
    partial[t] = if i < x.len() { x[i] } else { T::ZERO };
    sync_threads();
    let mut half = THREADS / 2;
    while half > 0 {
        if t < half {
            partial[t] = partial[t] + partial[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        sums[block_idx().x] = partial[0];
    }
}

fn reductions(run: &mut Run<'_>) {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let values: Vec<$ty> = (0..300).map(|i| (i % 11) as $ty).collect();
            let (x, mut sums) = (run.array(&values), run.zeros(5));
            run.launch(block_sums::<$ty, 64>(&x, &mut sums).grid(5).block(64));
            let expected: Vec<$ty> = values.chunks(64).map(|chunk| chunk.iter().copied().sum()).collect();
            run.expect(stringify!($ty), &sums, &expected);
        })*};
    }
    each!(f32 f64 i16 u32 i64 usize);
}

/// A padded tile, which avoids bank conflicts.
#[kernel]
pub fn transpose<T: Number>(x: &[T], y: &mut [T], width: usize, height: usize) {
    let mut tile = shared::<[[T; 9]; 8]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (col, row) = grid(2);
    if col < width && row < height {
        tile[ty][tx] = x[row * width + col];
    }
    sync_threads();
    let (col, row) = (block_idx().y * 8 + tx, block_idx().x * 8 + ty);
    if col < height && row < width {
        y[row * height + col] = tile[tx][ty];
    }
}

fn transposes(run: &mut Run<'_>) {
    for (width, height) in [(8, 8), (1, 20), (19, 13)] {
        let values: Vec<u16> = (0..width * height).map(|i| i as u16 * 7).collect();
        let (x, mut y) = (run.array(&values), run.zeros(values.len()));
        run.launch(transpose(&x, &mut y, width, height).block((8, 8)).over((width, height)));
        let expected: Vec<u16> = (0..values.len()).map(|at| values[at % height * width + at / height]).collect();
        run.expect("y", &y, &expected);
    }
}

/// A histogram per block in shared memory, added to the global one.
#[kernel]
pub fn histogram(data: &[u32], counts: &mut [u32]) {
    let mut local = shared::<[u32; 16]>();
    let t = thread_idx().x;
    if t < 16 {
        local[t] = 0;
    }
    sync_threads();
    for i in (grid(1)..data.len()).step_by(grid_size(1)) {
        atomic_add(&mut local[(data[i] % 16) as usize], 1);
    }
    sync_threads();
    if t < 16 {
        atomic_add(&mut counts[t], local[t]);
    }
}

/// Sums of each type with an atomic addition; those of the last two do not depend on the order.
#[kernel]
pub fn atomic_sums(
    x: &[i32],
    i32s: &mut [i32],
    u32s: &mut [u32],
    i64s: &mut [i64],
    u64s: &mut [u64],
    usizes: &mut [usize],
    f32s: &mut [f32],
    f64s: &mut [f64],
) {
    let i = grid(1);
    if i < x.len() {
        atomic_add(&mut i32s[i % 3], x[i]);
        atomic_add(&mut u32s[i % 3], x[i] as u32);
        atomic_add(&mut i64s[i % 3], x[i] as i64);
        atomic_add(&mut u64s[i % 3], x[i] as u64);
        atomic_add(&mut usizes[i % 3], x[i] as usize);
        atomic_add(&mut f32s[i % 3], (x[i] % 100) as f32);
        atomic_add(&mut f64s[i % 3], (x[i] % 1000) as f64);
    }
}

fn histograms(run: &mut Run<'_>) {
    let data = Random::new(6).below(2000, 1000);
    let (array, mut counts) = (run.array(&data), run.zeros(16));
    run.launch(histogram(&array, &mut counts).grid(3).block(64));
    let mut expected = [0; 16];
    for x in &data {
        expected[(x % 16) as usize] += 1;
    }
    run.expect("counts", &counts, &expected);

    let values: Vec<i32> = Random::new(7).below(500, u32::MAX).into_iter().map(u32::cast_signed).collect();
    let x = run.array(&values);
    let (mut i32s, mut u32s, mut i64s, mut u64s) = (run.zeros(3), run.zeros(3), run.zeros(3), run.zeros(3));
    let (mut usizes, mut f32s, mut f64s) = (run.zeros(3), run.zeros(3), run.zeros(3));
    let launch = atomic_sums(&x, &mut i32s, &mut u32s, &mut i64s, &mut u64s, &mut usizes, &mut f32s, &mut f64s)
        .over(values.len());
    run.launch(launch);
    macro_rules! expect {
        ($($out:ident $add:expr, $from:expr;)*) => {$(
            let mut sums = [($from)(0); 3];
            values.iter().enumerate().for_each(|(i, &x)| sums[i % 3] = ($add)(sums[i % 3], ($from)(x)));
            run.expect(stringify!($out), &$out, &sums);
        )*};
    }
    expect! {
        i32s i32::wrapping_add, |x: i32| x;
        u32s u32::wrapping_add, |x: i32| x as u32;
        i64s i64::wrapping_add, i64::from;
        u64s u64::wrapping_add, |x: i32| x as u64;
        usizes usize::wrapping_add, |x: i32| x as usize;
        f32s |a: f32, b: f32| a + b, |x: i32| (x % 100) as f32;
        f64s |a: f64, b: f64| a + b, |x: i32| f64::from(x % 1000);
    }
}

/// Reverses each block through dynamic shared memory.
#[kernel]
pub fn reverse_blocks<T: Number>(x: &mut [T]) {
    let mut buffer = dynamic_shared::<T>();
    let t = thread_idx().x;
    let i = grid(1);
    buffer[t] = x[i];
    sync_threads();
    x[i] = buffer[buffer.len() - 1 - t];
}

fn dynamic(run: &mut Run<'_>) {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let values: Vec<$ty> = (0..96).map(|i| i as $ty).collect();
            let mut x = run.array(&values);
            run.launch(reverse_blocks(&mut x).grid(3).block(32).shared_bytes(32 * size_of::<$ty>()));
            let expected: Vec<$ty> = values.chunks(32).flat_map(|chunk| chunk.iter().rev().copied()).collect();
            run.expect(stringify!($ty), &x, &expected);
        })*};
    }
    each!(u8 i16 f32 f64 u64);
}

/// Three arrays of different types in dynamic shared memory, and the rest of it.
#[kernel]
pub fn dynamic_parts(out: &mut [f64], lens: &mut [usize]) {
    let n = block_dim().x;
    let mut doubles = dynamic_shared_at::<f64>(0, n);
    let mut words = dynamic_shared_at::<u32>(8 * n, n);
    let mut bytes = dynamic_shared_at::<u8>(12 * n, n);
    let nothing = dynamic_shared_at::<u16>(12 * n, 0);
    let t = thread_idx().x;
    doubles[t] = t as f64 / 4.0;
    words[n - 1 - t] = t as u32 * 1000;
    bytes[t] = t as u8 + 100;
    sync_threads();
    let next = (t + 1) % n;
    out[grid(1)] = doubles[next] + words[next] as f64 + bytes[next] as f64;
    if grid(1) == 0 {
        lens[0] = doubles.len() + words.len() + bytes.len();
        lens[1] = nothing.len();
        lens[2] = dynamic_shared::<u64>().len();
        lens[3] = dynamic_shared::<u8>().len();
        lens[4] = nothing.is_empty() as usize * 2 + bytes.is_empty() as usize;
    }
}

fn parts_of_dynamic(run: &mut Run<'_>) {
    let (n, blocks) = (24, 2);
    let (mut out, mut lens) = (run.zeros(n * blocks), run.zeros(5));
    run.launch(dynamic_parts(&mut out, &mut lens).grid(blocks).block(n).shared_bytes(13 * n));
    let expected: Vec<f64> = (0..n * blocks)
        .map(|i| (i % n + 1) % n)
        .map(|next| next as f64 / 4.0 + (n - 1 - next) as f64 * 1000.0 + (next + 100) as f64)
        .collect();
    run.expect("out", &out, &expected);
    run.expect("lens", &lens, &[3 * n, 0, 13 * n / 8, 13 * n, 2]);
}

/// Each call in the source has its own storage, even in a device function and for arrays of the same type.
#[device]
pub fn scratch(t: usize, value: u32) -> u32 {
    let mut scratch = shared::<[u32; 32]>();
    scratch[t] = value;
    sync_threads();
    scratch[31 - t]
}

#[kernel]
pub fn many_arrays(out: &mut [u32], flags: &mut [bool]) {
    let (mut a, mut b) = (shared::<[u32; 32]>(), shared::<[u32; 32]>());
    let mut cube = shared::<[[[u8; 2]; 3]; 32]>();
    let mut marks = shared::<[bool; 32]>();
    let t = thread_idx().x;
    a[t] = t as u32;
    b[t] = t as u32 + 1000;
    cube[t][2][1] = 7;
    cube[t][0][0] = t as u8;
    marks[t] = t % 3 == 0;
    sync_threads();
    let mirrored = scratch(t, a[31 - t] + b[t]);
    out[grid(1)] =
        mirrored + a[t] + cube[31 - t][0][0] as u32 + cube[t][2][1] as u32 + cube[t].len() as u32 + a.len() as u32;
    flags[grid(1)] = marks[31 - t];
}

fn several_arrays(run: &mut Run<'_>) {
    let (mut out, mut flags) = (run.zeros(64), run.zeros(64));
    run.launch(many_arrays(&mut out, &mut flags).grid(2).block(32));
    let expected: Vec<u32> = (0..64)
        .map(|i| i % 32)
        .map(|t| {
            let other = 31 - t;
            let mirrored = (31 - other) + (other + 1000);
            mirrored + t + (31 - t) + 7 + 3 + 32
        })
        .collect();
    run.expect("out", &out, &expected);
    run.expect("flags", &flags, &(0..64).map(|i| (31 - i % 32) % 3 == 0).collect::<Vec<bool>>());
}

/// A barrier does not wait for threads that have returned.
#[kernel]
pub fn some_return(x: &mut [u32]) {
    let mut sums = shared::<[u32; 4]>();
    let t = thread_idx().x;
    if t < 4 {
        sums[t] = 0;
    }
    sync_threads();
    if t >= 40 {
        return;
    }
    for round in 0..3 {
        atomic_add(&mut sums[t % 4], t as u32 * (round + 1));
        sync_threads();
    }
    if t < 4 {
        x[block_idx().x * 4 + t] = sums[t];
    }
}

fn early_returns_and_barriers(run: &mut Run<'_>) {
    let mut x = run.zeros(8);
    run.launch(some_return(&mut x).grid(2).block(64));
    let sums: Vec<u32> = (0..4).map(|at| 6 * (at..40).step_by(4).sum::<u32>()).collect();
    run.expect("x", &x, &[sums.clone(), sums].concat());
}
