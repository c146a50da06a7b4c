//! Device functions: generic ones, in other modules, with slice parameters, and shared by several kernels.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![own_storage, calls, constants_of_modules, unchecked];

pub mod near {
    use cumbia::prelude::*;

    pub const SCALE: i32 = 3;

    #[device]
    pub fn scaled(x: i32) -> i32 {
        x * SCALE
    }
}

pub mod far {
    use cumbia::prelude::*;

    pub const SCALE: i32 = 5;

    /// The same name and the same source as the one of `near`.
    #[device]
    pub fn scaled(x: i32) -> i32 {
        x * SCALE
    }

    /// Nested calls of two other functions.
    #[device]
    pub fn mixed<T: Float>(a: T, b: T, share: T) -> T {
        lerp(a, b, saturated(share))
    }

    #[device]
    pub fn lerp<T: Float>(a: T, b: T, share: T) -> T {
        a + (b - a) * share
    }

    #[device]
    fn saturated<T: Float>(x: T) -> T {
        if x < T::ZERO {
            return T::ZERO;
        }
        if x > T::ONE {
            return T::ONE;
        }
        x
    }
}

/// Writes through a slice parameter.
#[device]
pub fn add_to<T: Number>(y: &mut [T], at: usize, value: T) {
    if at >= y.len() {
        return;
    }
    y[at] += value;
}

/// Reads a slice in a loop with an early exit.
#[device]
pub fn first_above<T: Number>(x: &[T], limit: T) -> usize {
    for i in 0..x.len() {
        if x[i] > limit {
            return i;
        }
    }
    x.len()
}

/// Two instances with different constants.
#[device]
pub fn power<const N: usize>(x: i64) -> i64 {
    let mut product = 1;
    for _ in 0..N {
        product *= x;
    }
    product
}

#[kernel(fmad = false)]
pub fn calling(x: &[f32], y: &mut [f32], wide: &mut [f64], indices: &mut [usize], powers: &mut [i64]) {
    let i = grid(1);
    if i < x.len() {
        y[i] = far::mixed(x[i], 10.0, 0.25) + far::mixed(x[i], 10.0, x[i]);
        wide[i] = far::mixed(x[i] as f64, -1.0, 0.5);
        add_to(y, i, 100.0);
        add_to(y, i + x.len(), 1e9);
        add_to(wide, i, y[i] as f64);
        indices[i] = first_above(x, i as f32) + first_above(y, 101.0);
        powers[i] = power::<3>(i as i64) + power::<0>(i as i64) * power::<5>(2);
    }
}

fn calls(run: &mut Run<'_>) {
    let xs = [-2.0f32, 0.5, 1.5, 3.0, -0.25];
    let (x, mut y, mut wide) = (run.array(&xs), run.zeros(5), run.zeros(5));
    let (mut indices, mut powers) = (run.zeros(5), run.zeros(5));
    // One thread after another: `first_above` reads what the others write.
    run.launch(calling(&x, &mut y, &mut wide, &mut indices, &mut powers).grid(1).block(5));
    let ys = xs.map(|x| {
        let lerp = |share: f32| x + (10.0 - x) * share.clamp(0.0, 1.0);
        lerp(0.25) + lerp(x) + 100.0
    });
    run.expect("y", &y, &ys);
    let wides: Vec<f64> =
        xs.iter().zip(ys).map(|(&x, y)| f64::from(x) + (-1.0 - f64::from(x)) * 0.5 + f64::from(y)).collect();
    run.expect("wide", &wide, &wides);
    run.expect("powers", &powers, &[32, 33, 40, 59, 96]);
}

#[kernel]
pub fn both_scales(x: &mut [i32]) {
    const SCALE: i32 = 7;
    let i = grid(1);
    if i < x.len() {
        x[i] = near::scaled(x[i]) + 100 * far::scaled(x[i]) + 10_000 * SCALE + 1_000_000 * near::SCALE + far::SCALE;
    }
}

fn constants_of_modules(run: &mut Run<'_>) {
    let mut x = run.array(&[1, 2]);
    run.launch(both_scales(&mut x).over(2));
    run.expect("x", &x, &[3_070_508, 3_071_011]);
}

#[kernel(unchecked)]
pub fn unchecked_copy(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i] + y[y.len() - 1 - i];
    }
}

fn unchecked(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[1.0, 2.0, 3.0]), run.zeros(3));
    // SAFETY: both have three elements, and the kernel compares with that.
    unsafe { run.launch_unchecked(unchecked_copy(&x, &mut y).grid(1).block(1)) };
    run.expect("y", &y, &[1.0, 0.0, 0.0]);
}

/// Has a shared variable of its own.
#[device]
fn kept<const K: u32>(value: u32) -> u32 {
    let mut cell = shared::<[u32; 1]>();
    if value != 0 {
        cell[0] = value + K - K;
    }
    cell[0]
}

/// Device functions with the same source.
macro_rules! keepers {
    ($($name:ident),*) => {$(
        #[device]
        fn $name(value: u32) -> u32 {
            let mut cell = shared::<[u32; 1]>();
            if value != 0 {
                cell[0] = value;
            }
            cell[0]
        }
    )*};
}

keepers!(first_keeper, second_keeper);

/// Each instance of a function has its own shared arrays.
#[kernel]
pub fn keep(y: &mut [u32]) {
    y[0] = kept::<1>(11) + 100 * kept::<2>(22);
    y[1] = kept::<1>(0);
    y[2] = kept::<2>(0);
    y[3] = first_keeper(33) + 100 * second_keeper(44);
    y[4] = first_keeper(0);
    y[5] = second_keeper(0);
}

fn own_storage(run: &mut Run<'_>) {
    let mut y = run.zeros(6);
    run.launch(keep(&mut y).grid(1).block(1));
    run.expect("storage", &y, &[2211, 11, 22, 4433, 33, 44]);
}
