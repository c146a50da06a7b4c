//! The kernels of these tests.

use cumbia::prelude::*;

/// A family of kernels with different machine code for each `N`.
#[kernel]
pub(crate) fn tagged<const N: usize>(x: &mut [usize]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = x[i] * (N + 3) + N;
    }
}

#[kernel]
pub(crate) fn scale<T: Number>(a: T, x: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        x[i] = x[i] * a; // @scale
    }
}

#[kernel]
pub(crate) fn transpose(from: ArrayView2<f32>, mut to: ArrayViewMut2<f32>) {
    let (column, row) = grid(2);
    if row < from.nrows() && column < from.ncols() {
        to[[column, row]] = from[[row, column]];
    }
}

/// The source of this file, to find lines by their marks.
pub(crate) const TEXT: &str = include_str!("kernels.rs");

/// Returns the number of the line with a mark, from 1.
pub(crate) fn line_of(text: &str, mark: &str) -> usize {
    let mark = format!("// @{mark}");
    text.lines().position(|line| line.ends_with(&mark)).expect("a mark of this file") + 1
}

type Cubin = fn(&str) -> cumbia::Result<Vec<u8>>;

macro_rules! numbered {
    ($($number:literal)*) => { [$(tagged::<$number>::cubin),*] };
}

/// The number of kernels of [`cubin_of`].
pub(crate) const NUMBERS: usize = 20;

const CUBINS: [Cubin; NUMBERS] = numbered!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);

/// Returns the machine code of a kernel by its number.
pub(crate) fn cubin_of(number: usize) -> Vec<u8> {
    let cubin = CUBINS[number]("sm_90").expect("NVRTC compiles it");
    assert!(cubin.starts_with(b"\x7fELF"));
    cubin
}
