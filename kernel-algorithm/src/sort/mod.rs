//! Stable radix sort of keys, alone or with values, from the least significant digit of 8 bits to the most significant one.
//!
//! A. Adinets, D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022, arXiv:2206.01784. One launch
//! counts the digits of all positions: [`count`]. Then one launch for each position moves the keys: [`onesweep`]. An array that
//! one block holds in registers is sorted by a single launch instead: [`small`]. The sorts of [`argsort`], [`segmented`] and
//! [`top_k`] consist of those of [`radix`].

pub(crate) mod argsort;
mod buffers;
pub(crate) mod count;
pub(crate) mod memory;
pub(crate) mod onesweep;
pub(crate) mod radix;
pub(crate) mod segmented;
pub(crate) mod small;
pub(crate) mod top_k;

use cumbia::Integer;
use cumbia_kernel_macros::device;

/// The number of values of a digit.
const BINS: usize = 256;

/// The maximum number of digits of a key.
const MAX_PASSES: usize = 8;

/// Returns the digit at a bit.
#[device]
fn digit<B: Integer>(bits: B, shift: u32) -> usize {
    (u32::cast(bits >> shift) & 255) as usize
}
