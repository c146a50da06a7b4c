//! Sorts of arrays that a single block holds in registers, in one launch.

use cumbia::intrinsics::{sync_threads, thread_idx};
use cumbia::{DeviceType, Integer};
use cumbia_kernel_macros::{device, kernel};

use crate::block::sort::{position_in_rows, sorted_rows};
use crate::key::{SortKey, bits_of, key_of};

/// The number of threads of the block, which the kernels' attributes repeat.
const BLOCK: usize = 512;

/// The rows of the shared memory of [`moved_in`](crate::block::exchange::moved_in()) that hold the elements of the block.
const ROWS: usize = 33 * BLOCK / 32;

/// The numbers of keys of a thread: as few as possible, because the threads rank their keys one after the other.
pub(crate) const FEW: usize = 2;
pub(crate) const MANY: usize = 8;
/// `MANY` for keys of 8 bytes, of which shared memory holds fewer.
pub(crate) const MANY_WIDE: usize = 4;

/// The largest values in bytes of which a thread holds its number in registers.
const MAX_VALUE: usize = 16;

/// Returns the maximum number of keys of so many bytes that a block sorts with values of so many bytes, or with none.
pub(crate) const fn max_len(key: usize, value: usize) -> usize {
    if value > MAX_VALUE {
        0
    } else if key > 4 {
        BLOCK * MANY_WIDE
    } else {
        BLOCK * MANY
    }
}

/// Returns the number of keys of each thread for `len` keys of so many bytes.
pub(crate) fn items_for(len: usize, key: usize) -> usize {
    if len <= BLOCK * FEW {
        FEW
    } else if key > 4 {
        MANY_WIDE
    } else {
        MANY
    }
}

/// Sorts at most `512 * N` keys, and moves the values with their keys if there are any.
#[kernel(block = 512)]
pub fn sort_of_block<K: SortKey, V: DeviceType, const HAS_VALUES: bool, const N: usize>(
    is_descending: bool,
    keys: &mut [K],
    values: &mut [V],
) {
    let t = thread_idx().x;
    if keys.len() == 0 {
        return; // Never: for the proofs only.
    }
    let like = keys[0];
    let (bits, sources) = sorted_with_sources::<K, N>(keys, is_descending);
    #[unroll]
    for k in 0..N {
        let i = k * BLOCK + t;
        if i < keys.len() {
            keys[i] = key_of(bits[k], is_descending, like);
        }
    }
    if HAS_VALUES {
        if values.len() == 0 {
            return; // Never: for the proofs only.
        }
        let mut own = [values[0]; N];
        #[unroll]
        for k in 0..N {
            if k * BLOCK + t < values.len() {
                own[k] = values[(sources[k] as usize).min(values.len() - 1)];
            }
        }
        sync_threads();
        #[unroll]
        for k in 0..N {
            let i = k * BLOCK + t;
            if i < values.len() {
                values[i] = own[k];
            }
        }
    }
}

/// As `sort_of_block`, but stores the keys and values in other arrays.
#[kernel(block = 512)]
pub fn sort_of_block_into<K: SortKey, V: DeviceType, const HAS_VALUES: bool, const N: usize>(
    is_descending: bool,
    keys: &[K],
    values: &[V],
    sorted_keys: &mut [K],
    sorted_values: &mut [V],
) {
    let t = thread_idx().x;
    if keys.len() == 0 {
        return; // Never: for the proofs only.
    }
    let (bits, sources) = sorted_with_sources::<K, N>(keys, is_descending);
    #[unroll]
    for k in 0..N {
        let i = k * BLOCK + t;
        if i < sorted_keys.len() {
            sorted_keys[i] = key_of(bits[k], is_descending, keys[0]);
        }
        if HAS_VALUES && i < sorted_values.len() && values.len() > 0 {
            sorted_values[i] = values[(sources[k] as usize).min(values.len() - 1)];
        }
    }
}

/// Stores the indices of at most `512 * N` keys in their order.
#[kernel(block = 512)]
pub fn argsort_of_block<K: SortKey, I: Integer, const N: usize>(is_descending: bool, keys: &[K], indices: &mut [I]) {
    let t = thread_idx().x;
    let (_, sources) = sorted_with_sources::<K, N>(keys, is_descending);
    #[unroll]
    for k in 0..N {
        let i = k * BLOCK + t;
        if i < indices.len() {
            indices[i] = I::cast(sources[k]);
        }
    }
}

/// Returns the bits of the keys in their order, and the indices of these keys, both in the striped arrangement. Elements beyond
/// the end are the last ones. No thread reads the keys afterwards.
#[device]
fn sorted_with_sources<K: SortKey, const N: usize>(keys: &[K], is_descending: bool) -> ([K::Bits; N], [u32; N]) {
    let t = thread_idx().x;
    let mut bits = [K::Bits::MAX; N];
    let (mut sources, mut striped) = ([0u32; N], [0u32; N]);
    #[unroll]
    for k in 0..N {
        let source = position_in_rows(t, k, N);
        sources[k] = source;
        striped[k] = (k * BLOCK + t) as u32;
        if (source as usize) < keys.len() {
            bits[k] = bits_of(keys[source as usize], is_descending);
        }
    }
    sorted_rows::<_, _, N, true, ROWS>(bits, sources, striped)
}
