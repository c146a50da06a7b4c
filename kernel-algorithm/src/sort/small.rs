//! Sorts of arrays that a single block holds in registers, in one launch.

use cumbia::intrinsics::{shared, sync_threads, thread_idx};
use cumbia::{DeviceType, Integer};
use cumbia_kernel_macros::{device, kernel};

use crate::block::block_scan_first;
use crate::block::exchange::moved_in;
use crate::key::{SortKey, bits_of, key_of};
use crate::operator::Plus;

/// The number of threads of the block, which the kernels' attributes repeat.
const BLOCK: usize = 512;

/// The number of bits of a digit.
const DIGIT: u32 = 4;

/// The number of words of a thread's counters, two for each.
const WORDS: usize = 8;

/// The rows of the shared memory of [`moved_in`](crate::block::exchange::moved_in()) that hold the elements of the block.
const ROWS: usize = 33 * BLOCK / 32;

/// The numbers of keys of a thread: as few as possible, because the threads rank their keys one after the other.
pub(crate) const FEW: usize = 2;
pub(crate) const SOME: usize = 4;
/// For keys of up to 4 bytes: shared memory holds fewer of 8 bytes.
pub(crate) const MANY: usize = 8;

/// The largest values in bytes of which a thread holds its number in registers.
const MAX_VALUE: usize = 16;

/// Returns the maximum number of keys of so many bytes that a block sorts with values of so many bytes, or with none.
pub(crate) const fn max_len(key: usize, value: usize) -> usize {
    if value > MAX_VALUE {
        0
    } else if key > 4 {
        BLOCK * SOME
    } else {
        BLOCK * MANY
    }
}

/// Returns the number of keys of each thread for `len` keys.
pub(crate) fn items_for(len: usize) -> usize {
    [FEW, SOME].into_iter().find(|items| len <= BLOCK * items).unwrap_or(MANY)
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
    let (bits, sources) = sorted_with_sources::<K, N, HAS_VALUES>(keys, is_descending);
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
    let (bits, sources) = sorted_with_sources::<K, N, HAS_VALUES>(keys, is_descending);
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
    let (_, sources) = sorted_with_sources::<K, N, true>(keys, is_descending);
    #[unroll]
    for k in 0..N {
        let i = k * BLOCK + t;
        if i < indices.len() {
            indices[i] = I::cast(sources[k]);
        }
    }
}

/// Returns the bits of the keys in their order, and the indices of these keys if they are needed, both in the striped arrangement.
/// Elements beyond the end are the last ones. No thread reads the keys afterwards.
///
/// Radix sort by digits of 4 bits: in each pass the elements, of which a thread has adjacent ones, are moved to their positions.
#[device]
fn sorted_with_sources<K: SortKey, const N: usize, const HAS_SOURCES: bool>(
    keys: &[K],
    is_descending: bool,
) -> ([K::Bits; N], [u32; N]) {
    let t = thread_idx().x;
    let mut bits = [K::Bits::MAX; N];
    let mut blocked = [0u32; N];
    #[unroll]
    for k in 0..N {
        let source = t * N + k;
        blocked[k] = source as u32;
        if source < keys.len() {
            bits[k] = bits_of(keys[source], is_descending);
        }
    }
    let mut sources = blocked;
    let width = const { 8 * size_of::<K::Bits>() as u32 };
    #[unroll(1)]
    for shift in (0..width).step_by(DIGIT as usize) {
        let ranks = ranks_of(bits, shift);
        let mut next = blocked;
        if shift + DIGIT >= width {
            #[unroll]
            for k in 0..N {
                next[k] = (k * BLOCK + t) as u32;
            }
        }
        bits = moved_in::<K::Bits, N, ROWS>(bits, ranks, next);
        if HAS_SOURCES {
            sources = moved_in::<u32, N, ROWS>(sources, ranks, next);
        }
    }
    (bits, sources)
}

/// Returns the position of each element of the block in the order of the digit at a bit; elements with the same digit keep their
/// order.
///
/// Each thread counts its elements with each digit in counters of its own, of 16 bits, two in a word: that of a digit and that
/// of the digit with the highest bit set as well. A scan of the words, in the order of the digits and of the threads for each, turns
/// the counts into positions.
#[device]
fn ranks_of<B: Integer, const N: usize>(bits: [B; N], shift: u32) -> [u32; N] {
    let mut counters = shared::<[u32; 33 * WORDS * BLOCK / 32]>();
    let t = thread_idx().x;
    #[unroll]
    for word in 0..WORDS {
        counters[padded(word * BLOCK + t)] = 0;
    }
    let mut ranks = [0u32; N];
    #[unroll]
    for k in 0..N {
        let digit = u32::cast(bits[k] >> shift);
        let (counter, half) = (counter_of(digit), half_of(digit));
        let counts = counters[counter];
        ranks[k] = counts >> half & 0xffff;
        counters[counter] = counts + (1 << half);
    }
    sync_threads();
    let mut counts = [0u32; WORDS];
    let mut sum = 0;
    #[unroll]
    for word in 0..WORDS {
        counts[word] = counters[padded(t * WORDS + word)];
        sum += counts[word];
    }
    let (before, total) = block_scan_first(sum, BLOCK, Plus);
    // The greater digits follow all of the lesser ones.
    let mut position = (total << 16) + if t == 0 { 0 } else { before };
    #[unroll]
    for word in 0..WORDS {
        counters[padded(t * WORDS + word)] = position;
        position += counts[word];
    }
    sync_threads();
    #[unroll]
    for k in 0..N {
        let digit = u32::cast(bits[k] >> shift);
        ranks[k] += counters[counter_of(digit)] >> half_of(digit) & 0xffff;
    }
    ranks
}

/// Returns the index of the thread's counters that a digit, and higher bits, select.
#[device]
fn counter_of(digit: u32) -> usize {
    padded(digit as usize % WORDS * BLOCK + thread_idx().x)
}

/// Returns the first bit of the counter of a digit, and higher bits.
#[device]
fn half_of(digit: u32) -> u32 {
    digit / WORDS as u32 % 2 * 16
}

/// Returns the index in shared memory of a counter: one of 33 is unused, so that counters with a distance of a power of two are
/// in different banks.
#[device]
fn padded(counter: usize) -> usize {
    counter + counter / 32
}
