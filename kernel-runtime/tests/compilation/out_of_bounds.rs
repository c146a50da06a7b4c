//! A kernel without bounds checks that reads out of bounds, which compute-sanitizer has to detect.

use cumbia::prelude::*;

#[kernel(unchecked)]
pub(crate) fn reads_far(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i + 1_000_000_000]; // @far
    }
}

/// The text of this file.
pub(crate) const TEXT: &str = include_str!("out_of_bounds.rs");
