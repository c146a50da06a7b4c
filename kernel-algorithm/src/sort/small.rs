//! Sorts of arrays that a single block holds in registers, in one launch.

use cumbia::intrinsics::{shared, sync_threads, thread_idx};
use cumbia::{DeviceType, Integer};
use cumbia_kernel_macros::{device, kernel};

use crate::block::block_scan_first;
use crate::key::{SortKey, bits_of, key_of};
use crate::operator::Plus;

/// The number of threads of the block, which the kernels' attributes repeat.
const BLOCK: usize = 512;

/// The number of bits of a digit.
const DIGIT: u32 = 4;

/// The number of words of a thread's counters, two for each.
const WORDS: usize = 8;

/// The number of words of a shared array that holds a word of each element, or the counters of all threads, at
/// [`padded`](padded()) indices.
const TILE: usize = 33 * WORDS * BLOCK / 32;

/// The distance of the words that hold the two halves of a key of 8 bytes.
const HIGH: usize = SOME * BLOCK;

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
/// Radix sort by digits of 4 bits: in each pass the elements, of which a thread has adjacent ones, are moved to their positions
/// through shared memory. The sources use that of the counters, which are read by then.
#[device]
fn sorted_with_sources<K: SortKey, const N: usize, const HAS_SOURCES: bool>(
    keys: &[K],
    is_descending: bool,
) -> ([K::Bits; N], [u32; N]) {
    let (mut words, mut counters) = (shared::<[u32; TILE]>(), shared::<[u32; TILE]>());
    let t = thread_idx().x;
    let mut bits = [K::Bits::MAX; N];
    let mut sources = [0u32; N];
    #[unroll]
    for k in 0..N {
        let source = t * N + k;
        sources[k] = source as u32;
        if source < keys.len() {
            bits[k] = bits_of(keys[source], is_descending);
        }
    }
    let width = const { 8 * size_of::<K::Bits>() as u32 };
    #[unroll(1)]
    for shift in (0..width).step_by(DIGIT as usize) {
        let ranks = ranks_of(&mut counters, bits, shift);
        #[unroll]
        for k in 0..N {
            // The remainder is for the proofs only.
            let rank = ranks[k] as usize % (BLOCK * N);
            words[padded(rank)] = u32::cast(bits[k]);
            if const { size_of::<K::Bits>() > 4 } {
                words[padded(rank + HIGH)] = u32::cast(bits[k] >> 32);
            }
        }
        sync_threads();
        #[unroll]
        for k in 0..N {
            bits[k] = bits_at::<K::Bits>(&words, padded(t * N) + k);
        }
        if HAS_SOURCES {
            #[unroll]
            for k in 0..N {
                counters[padded(ranks[k] as usize % (BLOCK * N))] = sources[k];
            }
            sync_threads();
            #[unroll]
            for k in 0..N {
                sources[k] = counters[padded(t * N) + k];
            }
            sync_threads();
        }
    }
    #[unroll]
    for k in 0..N {
        let place = padded(t) + k * padded(BLOCK);
        bits[k] = bits_at::<K::Bits>(&words, place);
        if HAS_SOURCES {
            sources[k] = counters[place];
        }
    }
    (bits, sources)
}

/// Returns the bits of a key whose lower half, or whole, is at this index.
#[device]
fn bits_at<B: Integer>(words: &[u32; TILE], place: usize) -> B {
    let mut bits = B::cast(words[place]);
    if const { size_of::<B>() > 4 } {
        bits = bits | B::cast(words[place + padded(HIGH)]) << 32;
    }
    bits
}

/// Returns the position of each element of the block in the order of the digit at a bit; elements with the same digit keep their
/// order.
///
/// Each thread counts its elements with each digit in counters of its own, of 16 bits, two in a word: that of a digit and that
/// of the digit with the highest bit set as well. A scan of the words, in the order of the digits and of the threads for each, turns
/// the counts into positions.
#[device]
fn ranks_of<B: Integer, const N: usize>(counters: &mut [u32; TILE], bits: [B; N], shift: u32) -> [u32; N] {
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
    digit as usize % WORDS * padded(BLOCK) + padded(thread_idx().x)
}

/// Returns the first bit of the counter of a digit, and higher bits.
#[device]
fn half_of(digit: u32) -> u32 {
    digit / WORDS as u32 % 2 * 16
}

/// Returns the index in shared memory of a word: one of 33 is unused, so that words with a distance of a power of two are in
/// different banks. The index of `i + j` is the sum of both, if one of them is a multiple of 32 or both are in the same 32 words.
#[device]
fn padded(i: usize) -> usize {
    i + i / 32
}
