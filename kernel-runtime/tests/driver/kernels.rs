//! The kernels of the scenarios.

use cumbia::intrinsics::*;
use cumbia::prelude::*;

#[kernel]
pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Sixteen arrays: the maximum for which a launch does not allocate.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub(crate) fn sum(
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    e: &[f32],
    f: &[f32],
    g: &[f32],
    h: &[f32],
    i: &[f32],
    j: &[f32],
    k: &[f32],
    l: &[f32],
    m: &[f32],
    n: &[f32],
    o: &[f32],
    y: &mut [f32],
) {
    let t = grid(1);
    if t < y.len() {
        y[t] = a[t] + b[t] + c[t] + d[t] + e[t] + f[t] + g[t] + h[t] + i[t] + j[t] + k[t] + l[t] + m[t] + n[t] + o[t];
    }
}

/// The threads of a block synchronise.
#[kernel]
pub(crate) fn together(x: &mut [f32]) {
    let i = grid(1);
    sync_threads();
    if i < x.len() {
        x[i] += 1.0;
    }
}

#[kernel]
pub(crate) fn whole_grid(x: &mut [f32]) {
    sync_grid();
    if grid(1) < x.len() {
        x[grid(1)] += 1.0;
    }
}

#[kernel(launch_bounds(128))]
pub(crate) fn bounded(x: &mut [f32]) {
    if grid(1) < x.len() {
        x[grid(1)] += 1.0;
    }
}

#[kernel]
pub(crate) fn with_dynamic(x: &mut [f32]) {
    let mut part = dynamic_shared::<f32>();
    let i = thread_idx().x;
    if i < part.len() && i < x.len() {
        part[i] = x[i];
        x[i] = part[i];
    }
}

#[kernel]
pub(crate) fn telling(x: &[f32]) {
    if grid(1) < x.len() {
        println!("{}", x[grid(1)]);
    }
}

/// Its first site is the `println!`, and its parameters are the number, the array's pointer and length, and the launch parameter.
#[kernel]
pub(crate) fn tell(number: u64, x: &mut [f32]) {
    println!("<{number}>");
    if grid(1) < x.len() {
        x[grid(1)] += 1.0;
    }
}

/// The index is not compared with the lengths, so that a launch decides whether it is in bounds.
#[kernel]
pub(crate) fn scaled(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    y[i] = a * x[i];
}

/// As `scaled`, with a grid-wide barrier and launch bounds.
#[kernel(launch_bounds(256))]
pub(crate) fn scaled_together(x: &mut [f32]) {
    let i = grid(1);
    sync_grid();
    x[i] = 2.0;
}

/// As `scaled`; a launch out of bounds is rejected.
#[kernel(prove)]
pub(crate) fn scaled_proved(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    y[i] = a * x[i];
}

/// The index is known only on the device. Generic, so that it is not one of all kernels that a plan compiles.
#[kernel(prove)]
pub(crate) fn scattered_proved<T: Number>(to: &[u32], y: &mut [T]) {
    y[to[0] as usize] = T::ONE;
}

#[kernel(unchecked)]
pub(crate) fn scaled_unchecked(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    y[i] = a * x[i];
}

/// Seventeen arrays: the validation of a launch allocates, but a launch on the fast path does not.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub(crate) fn seventeen(
    factor: f32,
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    e: &[f32],
    f: &[f32],
    g: &[f32],
    h: &[f32],
    i: &[f32],
    j: &[f32],
    k: &[f32],
    l: &[f32],
    m: &[f32],
    n: &[f32],
    o: &[f32],
    p: &[f32],
    y: &mut [f32],
) {
    let t = grid(1);
    let first = a[t] + b[t] + c[t] + d[t] + e[t] + f[t] + g[t] + h[t];
    y[t] = factor * (first + i[t] + j[t] + k[t] + l[t] + m[t] + n[t] + o[t] + p[t]);
}

/// As `saxpy`; each CUDA thread executes four threads of every launch.
#[kernel(coarsen = 4)]
pub(crate) fn saxpy_by_4(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// As `saxpy`; each CUDA thread executes one thread of every launch.
#[kernel(coarsen = false)]
pub(crate) fn plain_saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Blocks are merged along the rows.
#[kernel(coarsen = 4)]
pub(crate) fn rows_by_4(a: f32, x: &[f32], y: &mut [f32]) {
    let (column, row) = grid(2);
    if row < y.len() && row < x.len() && column == 0 {
        y[row] = a * x[row];
    }
}

/// The index is known only on the device. Generic, so that it is not one of all kernels that a plan compiles.
#[kernel(coarsen = 2)]
pub(crate) fn scattered_by_2<T: Number>(to: &[u32], y: &mut [T]) {
    let i = grid(1);
    if i < to.len() {
        y[to[i] as usize] = T::ONE;
    }
}
