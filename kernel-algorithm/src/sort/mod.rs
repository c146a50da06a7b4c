//! Stable radix sort of keys, alone or with values, from the least significant digit of 8 bits to the most significant one.
//!
//! A. Adinets, D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022, arXiv:2206.01784. One launch counts
//! the digits of all positions. Then one launch for each position moves the keys: a block ranks the keys of a tile by their digit,
//! obtains the number of keys with the same digit in earlier tiles by decoupled look-back, one thread for each digit, and writes the
//! keys through shared memory, so that those with the same digit are written together.
//!
//! An array that one block holds in registers is sorted by a single launch: [`small`].

pub(crate) mod segmented;
pub(crate) mod small;
pub(crate) mod top_k;

use cumbia::intrinsics::{
    AcqRel, DeviceScope, WARP_SIZE, atomic_add, atomic_add_explicit, atomic_load, atomic_or, atomic_store, block_idx,
    dynamic_shared_at, grid_dim, lanemask_lt, shared, sync_threads, sync_warp, thread_idx,
};
use cumbia::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Error, Integer, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::{device, kernel};

use crate::arrays::{Input, Output};
use crate::block::block_scan_first;
use crate::indexed::fill_indices;
use crate::key::{SortKey, ordered, unordered};
use crate::operator::Plus;
use crate::queue::{Held, Queue, suffices};
use crate::warp::is_gpu;
use small::{FEW, MANY, MANY_WIDE, argsort_of_block, items_for, max_len, sort_of_block};

/// The number of values of a digit.
const BINS: usize = 256;

/// The number of threads of a block that moves keys, which the kernel's attribute repeats.
const BLOCK: usize = 384;

/// The number of threads of a block that counts digits: one for each value of a digit. The kernel's attribute repeats it.
const COUNTING: usize = BINS;

/// The maximum number of blocks that count digits, and the minimum number of keys of each.
const MAX_BLOCKS: usize = 2048;
const CHUNK: usize = 4096;

/// The maximum number of digits of a key.
const MAX_PASSES: usize = 8;

/// The statuses of a number of keys of a tile, in its two highest bits: the number of those of the tile alone, or of this and all
/// earlier ones of the launch. Before, the word is 0.
const AGGREGATE: u32 = 1 << 30;
const PREFIX: u32 = 2 << 30;
const STATUS: u32 = 3 << 30;

/// The maximum number of elements that one launch moves.
const MAX_MOVED: usize = 1 << 30;

/// The largest values in bytes that are written through shared memory. Larger ones occupy whole sectors of 32 bytes anyway.
const MAX_EXCHANGED: usize = 16;

/// Returns the digit at a bit.
#[device]
fn digit<B: Integer>(bits: B, shift: u32) -> usize {
    (u32::cast(bits >> shift) & 255) as usize
}

/// Counts the digits of chunks of `len` keys in `counts`, and stores the number of keys with a lower digit in `starts`, 256 numbers
/// for each position. `counts` and `tickets`, of which the last counts the blocks that have finished, are 0 before and afterwards.
#[kernel(block = 256)]
pub fn radix_count<K: DeviceType, B: Integer, const IS_FLOAT: bool>(
    sign: B,
    flip: B,
    len: usize,
    keys: &[K],
    counts: &mut [usize],
    starts: &mut [usize],
    tickets: &mut [u32],
) {
    let mut bins = shared::<[u32; MAX_PASSES * BINS]>();
    let mut is_last = shared::<bool>();
    let passes = const { size_of::<K>() };
    let t = thread_idx().x;
    let first = block_idx().x * len;
    let end = (first + len).min(keys.len());
    #[unroll]
    for pass in 0..passes {
        bins[pass * BINS + t] = 0;
    }
    sync_threads();
    #[unroll(8)]
    for i in (first + t..end).step_by(COUNTING) {
        let bits = ordered::<K, B, IS_FLOAT>(keys[i], sign, flip);
        #[unroll]
        for pass in 0..passes {
            atomic_add(&mut bins[pass * BINS + digit(bits, 8 * pass as u32)], 1);
        }
    }
    sync_threads();
    #[unroll]
    for pass in 0..passes {
        let found = bins[pass * BINS + t];
        if found > 0 {
            atomic_add(&mut counts[pass * BINS + t], found as usize);
        }
    }
    sync_threads();
    if t == 0 {
        let before = atomic_add_explicit::<AcqRel, DeviceScope>(&mut tickets[MAX_PASSES], 1);
        *is_last = before as usize + 1 == grid_dim().x;
    }
    sync_threads();
    if *is_last {
        #[unroll(1)]
        for pass in 0..passes {
            let found = atomic_load(&counts[pass * BINS + t]);
            let (before, _) = block_scan_first(found, BINS, Plus);
            sync_threads();
            starts[pass * BINS + t] = if t == 0 { 0 } else { before };
            counts[pass * BINS + t] = 0;
        }
        if t <= MAX_PASSES {
            tickets[t] = 0;
        }
    }
}

/// Moves the keys, and values if there are any, to their positions by the digit at position `pass`, and keeps the order of those with
/// the same digit. `starts` has the position of the first one with each digit, and `next_starts` receives the position after the last
/// one. `states` and `cleared` have a word for each tile and digit. The former is 0; the latter is cleared for the next launch.
#[kernel(block = 384, launch_bounds(384, 2))]
pub fn radix_move<
    K: DeviceType,
    B: Integer,
    V: DeviceType,
    const IS_FLOAT: bool,
    const HAS_VALUES: bool,
    const ITEMS: usize,
>(
    sign: B,
    flip: B,
    pass: usize,
    keys: &[K],
    values: &[V],
    moved_keys: &mut [K],
    moved_values: &mut [V],
    starts: &[usize],
    next_starts: &mut [usize],
    states: &mut [u32],
    cleared: &mut [u32],
    tickets: &mut [u32],
) {
    const WARPS: usize = BLOCK / WARP_SIZE;
    // Of each warp, the number of its keys with each digit; then the rank in the tile of the next one of them.
    let mut ranks = shared::<[u32; WARPS * BINS]>();
    // Of each warp, the lanes with each digit, in one row.
    let mut masks = shared::<[u32; WARPS * BINS]>();
    // The difference between the position of a key with each digit and its rank in the tile, modulo 2⁶⁴.
    let mut moves = shared::<[usize; BINS]>();
    let mut ticket = shared::<usize>();
    let t = thread_idx().x;

    // Tiles are numbered in the order in which blocks begin, so that no block waits for one that has not begun.
    if t == 0 {
        *ticket = atomic_add(&mut tickets[pass], 1) as usize;
    }
    #[unroll]
    for k in 0..WARPS * BINS / BLOCK {
        ranks[k * BLOCK + t] = 0;
        masks[k * BLOCK + t] = 0;
    }
    sync_threads();
    let tile = *ticket;
    if tile >= grid_dim().x || keys.len() == 0 {
        return; // Never: for the proofs only.
    }
    let shift = 8 * pass as u32;
    let first = tile * (BLOCK * ITEMS);
    let count = (keys.len() - first).min(BLOCK * ITEMS);
    let is_full = first + BLOCK * ITEMS <= keys.len();

    // Each warp has consecutive keys, and reads them in rows. The elements beyond the end are greater than all keys, and come last.
    // A GPU has them in all rows, so that loops have no branches.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let first_of_warp = warp * (WARP_SIZE * ITEMS);
    let mut rows = ITEMS;
    if !is_gpu() {
        rows = if count > first_of_warp { (count - first_of_warp).div_ceil(WARP_SIZE).min(ITEMS) } else { 0 };
    }
    let at = first + first_of_warp + lane;
    let mut own = [B::MAX; ITEMS];
    if is_full {
        #[unroll]
        for k in 0..ITEMS {
            own[k] = ordered::<K, B, IS_FLOAT>(keys[at + k * WARP_SIZE], sign, flip);
        }
    } else {
        #[unroll]
        for k in 0..ITEMS {
            if at + k * WARP_SIZE < keys.len() {
                own[k] = ordered::<K, B, IS_FLOAT>(keys[at + k * WARP_SIZE], sign, flip);
            }
        }
    }
    // Count first, so that later tiles learn the numbers of this one early.
    #[unroll]
    for k in 0..ITEMS {
        if k < rows {
            atomic_add(&mut ranks[warp * BINS + digit(own[k], shift)], 1);
        }
    }
    sync_threads();

    // Thread t < 256 is responsible for digit t.
    let mut of_warps = [0u32; WARPS];
    let mut of_tile = 0;
    if t < BINS {
        #[unroll]
        for w in 0..WARPS {
            of_warps[w] = of_tile;
            of_tile += ranks[w * BINS + t];
        }
        atomic_store(&mut states[tile * BINS + t], of_tile | if tile == 0 { PREFIX } else { AGGREGATE });
        cleared[tile * BINS + t] = 0;
    }
    let (before, _) = block_scan_first(of_tile, BINS, Plus);
    let lower = if t == 0 { 0 } else { before };
    if t < BINS {
        #[unroll]
        for w in 0..WARPS {
            ranks[w * BINS + t] = lower + of_warps[w];
        }
    }
    sync_threads();

    // The ranks. A warp owns its row of counters.
    let mut exchange = dynamic_shared_at::<B>(0, BLOCK * ITEMS);
    let mut rank = [0u32; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        if k < rows {
            let counter = warp * BINS + digit(own[k], shift);
            // The lanes with this digit. That is faster than a match, and than a vote on each bit.
            atomic_or(&mut masks[counter], 1 << lane as u32);
            sync_warp(u32::MAX);
            let lanes = masks[counter];
            let next = ranks[counter];
            let before = lanes & lanemask_lt();
            rank[k] = next + before.count_ones();
            sync_warp(u32::MAX);
            if before == 0 {
                masks[counter] = 0;
                ranks[counter] = next + lanes.count_ones();
            }
            sync_warp(u32::MAX);
            exchange[(rank[k] as usize).min(BLOCK * ITEMS - 1)] = own[k];
        }
    }

    // The keys with this digit in earlier tiles.
    if t < BINS {
        let mut earlier = tile;
        let mut in_earlier = 0;
        while earlier > 0 {
            let found = atomic_load(&states[(earlier - 1) * BINS + t]);
            if found != 0 {
                in_earlier += found & !STATUS;
                earlier = if found & STATUS == PREFIX { 0 } else { earlier - 1 };
            }
        }
        if tile > 0 {
            atomic_store(&mut states[tile * BINS + t], in_earlier + of_tile | PREFIX);
        }
        let start = starts[pass * BINS + t] + in_earlier as usize;
        if tile == grid_dim().x - 1 {
            next_starts[pass * BINS + t] = start + of_tile as usize;
        }
        moves[t] = start.wrapping_sub(lower as usize);
    }
    sync_threads();

    let mut digits = [0u32; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        let r = k * BLOCK + t;
        if is_full || r < count {
            let bits = exchange[r];
            let d = digit(bits, shift);
            digits[k] = d as u32;
            let i = moves[d].wrapping_add(r);
            if i < moved_keys.len() {
                moved_keys[i] = unordered::<K, B, IS_FLOAT>(bits, sign, flip, keys[0]);
            }
        }
    }
    if HAS_VALUES {
        if const { size_of::<V>() <= MAX_EXCHANGED } {
            let mut exchange = dynamic_shared_at::<V>(0, BLOCK * ITEMS);
            let mut own = [values[0]; ITEMS];
            #[unroll]
            for k in 0..ITEMS {
                if k < rows {
                    own[k] = values[(at + k * WARP_SIZE).min(values.len() - 1)];
                }
            }
            sync_threads();
            #[unroll]
            for k in 0..ITEMS {
                if k < rows {
                    exchange[(rank[k] as usize).min(BLOCK * ITEMS - 1)] = own[k];
                }
            }
            sync_threads();
            #[unroll]
            for k in 0..ITEMS {
                let r = k * BLOCK + t;
                if is_full || r < count {
                    let i = moves[digits[k] as usize & 255].wrapping_add(r);
                    if i < moved_values.len() {
                        moved_values[i] = exchange[r];
                    }
                }
            }
        } else {
            #[unroll]
            for k in 0..ITEMS {
                let from = at + k * WARP_SIZE;
                let i = moves[digit(own[k], shift)].wrapping_add(rank[k] as usize);
                if from < values.len() && i < moved_values.len() {
                    moved_values[i] = values[from];
                }
            }
        }
    }
}

/// Sorts keys in place, from the least to the greatest. The sort is stable. Floats are ordered as by `total_cmp`.
///
/// ```
/// use cumbia::algorithm::sort;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&[3.0f32, -1.0, f32::NAN, 0.0, -0.0])?;
/// sort(&mut x).launch()?;
/// assert_eq!(x.slice(..4)?.to_host()?, [-1.0, -0.0, 0.0, 3.0]);
/// sort(&mut x.slice_mut(..4)?).descending().launch()?;
/// assert_eq!(x.slice(..4)?.to_host()?, [3.0, 0.0, -0.0, -1.0]);
/// # Ok(())
/// # }
/// ```
pub fn sort<K: SortKey>(keys: &mut (impl Output<Element = K> + ?Sized)) -> Sort<'_, K, u8, false> {
    Sort::new(keys.elements_mut(), None)
}

/// Sorts keys in place, and moves the values with their keys. Values with equal keys keep their order.
///
/// ```
/// use cumbia::algorithm::sort_by_key;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (mut cells, mut particles) = (device.to_device(&[2u8, 0, 2, 1])?, device.to_device(&[0.5, 1.5, 2.5, 3.5])?);
/// sort_by_key(&mut cells, &mut particles).launch()?;
/// assert_eq!(cells.to_host()?, [0, 1, 2, 2]);
/// assert_eq!(particles.to_host()?, [1.5, 3.5, 0.5, 2.5]);
/// # Ok(())
/// # }
/// ```
pub fn sort_by_key<'a, K: SortKey, V: DeviceType>(
    keys: &'a mut (impl Output<Element = K> + ?Sized),
    values: &'a mut (impl Output<Element = V> + ?Sized),
) -> Sort<'a, K, V, true> {
    Sort::new(keys.elements_mut(), Some(values.elements_mut()))
}

/// A sort: [`sort`] or [`sort_by_key`].
#[must_use = "a sort does nothing until it is launched: `.launch()?`"]
pub struct Sort<'a, K, V, const HAS_VALUES: bool> {
    keys: DeviceSliceMut<'a, K>,
    values: Option<DeviceSliceMut<'a, V>>,
    is_descending: bool,
    stream: Option<&'a Stream>,
    /// The maximum number of tiles that one launch moves.
    tiles: usize,
}

impl<'a, K: SortKey, V: DeviceType, const HAS_VALUES: bool> Sort<'a, K, V, HAS_VALUES> {
    /// The size in bytes of the shared memory for an element of a tile.
    const WIDTH: usize = {
        let value = if HAS_VALUES && size_of::<V>() <= MAX_EXCHANGED { size_of::<V>() } else { 0 };
        if value > size_of::<K>() { value } else { size_of::<K>() }
    };

    /// The elements of a thread, which two blocks of a multiprocessor hold in registers at once.
    const ITEMS: usize = match (Self::WIDTH, HAS_VALUES) {
        (0..=4, false) => 24,
        (0..=4, true) => 20,
        (5..=8, false) => 16,
        (5..=8, true) => 12,
        _ => 6,
    };

    /// The maximum number of keys that a single block sorts in one launch.
    const MAX_SMALL: usize = max_len(size_of::<K>(), if HAS_VALUES { size_of::<V>() } else { 0 });

    /// The maximum number of tiles that one launch moves.
    const MAX_TILES: usize = MAX_MOVED / (BLOCK * Self::ITEMS) - 1;

    fn new(keys: DeviceSliceMut<'a, K>, values: Option<DeviceSliceMut<'a, V>>) -> Self {
        Sort { keys, values, is_descending: false, stream: None, tiles: Self::MAX_TILES }
    }

    /// Moves the elements of at most so many tiles at once, also those of arrays that a single block could sort, for tests.
    #[doc(hidden)]
    pub fn in_launches_of(mut self, tiles: usize) -> Self {
        self.tiles = tiles.clamp(1, Self::MAX_TILES - 1);
        self
    }

    /// Sorts from the greatest key to the least. Elements with equal keys keep their order.
    pub fn descending(mut self) -> Self {
        self.is_descending = true;
        self
    }

    /// Enqueues the sort on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the sort.
    ///
    /// # Errors
    ///
    /// Those of [`Sort::prepare`] and [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that the arrays can be sorted repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the lengths of the arrays differ, [`Error::OutOfMemory`], or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedSort<'a, K, V, HAS_VALUES>> {
        self.check()?;
        Ok(PreparedSort { memory: Held::Owned(self.memory()?), sort: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or a CUDA driver error.
    pub fn memory(&self) -> Result<SortMemory<K, V>> {
        let default = self.keys.device().default_stream();
        SortMemory::new(self.stream.unwrap_or(&default), self.sizes())
    }

    /// Uses memory of an earlier sort instead of allocating it; it is replaced if it is too short, or on another device. The arrays are
    /// borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`Sort::prepare`].
    pub fn prepare_in(self, memory: &'a mut SortMemory<K, V>) -> Result<PreparedSort<'a, K, V, HAS_VALUES>> {
        self.check()?;
        let default = self.keys.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.sizes())?;
        Ok(PreparedSort { memory: Held::Borrowed(memory), sort: self })
    }

    /// Checks that there are as many values as keys.
    fn check(&self) -> Result<()> {
        match (self.keys.len(), self.values.as_ref().map(DeviceSlice::len)) {
            (from, Some(to)) if from != to => Err(Error::LengthMismatch { operation: "sort_by_key", from, to }),
            _ => Ok(()),
        }
    }

    fn sizes(&self) -> Sizes {
        Self::sizes_in(self.keys.len(), self.tiles)
    }

    /// Returns the sizes of the temporary memory for so many keys.
    fn sizes_of(len: usize) -> Sizes {
        Self::sizes_in(len, Self::MAX_TILES)
    }

    /// Returns whether so many keys are sorted by a single block, and need no temporary memory.
    fn is_small(len: usize, tiles: usize) -> bool {
        len <= if tiles == Self::MAX_TILES { Self::MAX_SMALL.max(1) } else { 1 }
    }

    /// Returns the sizes of the temporary memory for so many keys, and so many tiles that one launch moves.
    fn sizes_in(len: usize, tiles: usize) -> Sizes {
        let len = if Self::is_small(len, tiles) { 0 } else { len };
        let tiles = len.div_ceil(BLOCK * Self::ITEMS).min(tiles);
        Sizes { keys: len, values: if HAS_VALUES { len } else { 0 }, tiles }
    }

    /// Enqueues the sort.
    fn enqueue(&mut self, memory: &mut SortMemory<K, V>, queue: &mut Queue<'_, '_>) -> Result<()> {
        if self.keys.len() < 2 {
            return Ok(());
        }
        if Self::is_small(self.keys.len(), self.tiles) {
            return self.enqueue_small(memory, queue);
        }
        // Conditions that are constants, so that the kernels are compiled for one kind of keys and one number of items.
        if const { K::IS_FLOAT } {
            self.enqueue_for::<true>(memory, queue)
        } else {
            self.enqueue_for::<false>(memory, queue)
        }
    }

    /// Enqueues the launch of a single block.
    fn enqueue_small(&mut self, memory: &mut SortMemory<K, V>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let [none, _] = &mut memory.none;
        let (len, keys) = (self.keys.len(), &mut self.keys);
        let mut values = match &mut self.values {
            Some(values) => values.as_slice_mut(),
            None => none.as_slice_mut(),
        };
        let (is_descending, values) = (self.is_descending, &mut values);
        if items_for(len, size_of::<K>()) == FEW {
            queue.launch(sort_of_block::<_, _, HAS_VALUES, FEW>(is_descending, keys, values).grid(1))
        } else if const { size_of::<K>() > 4 } {
            queue.launch(sort_of_block::<_, _, HAS_VALUES, MANY_WIDE>(is_descending, keys, values).grid(1))
        } else {
            queue.launch(sort_of_block::<_, _, HAS_VALUES, MANY>(is_descending, keys, values).grid(1))
        }
    }

    fn enqueue_for<const IS_FLOAT: bool>(
        &mut self,
        memory: &mut SortMemory<K, V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        if const { Self::ITEMS == 24 } {
            self.passes::<IS_FLOAT, 24>(memory, queue)
        } else if const { Self::ITEMS == 20 } {
            self.passes::<IS_FLOAT, 20>(memory, queue)
        } else if const { Self::ITEMS == 16 } {
            self.passes::<IS_FLOAT, 16>(memory, queue)
        } else if const { Self::ITEMS == 12 } {
            self.passes::<IS_FLOAT, 12>(memory, queue)
        } else {
            self.passes::<IS_FLOAT, 6>(memory, queue)
        }
    }

    /// Enqueues the passes.
    fn passes<const IS_FLOAT: bool, const ITEMS: usize>(
        &mut self,
        memory: &mut SortMemory<K, V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let passes = size_of::<K>();
        let (sign, flip) = (K::SIGN, if self.is_descending { K::Bits::MAX } else { K::Bits::ZERO });
        let SortMemory { keys: other_keys, values: other_values, none: [no_values, no_results], counts } = memory;
        let keys = &mut self.keys;
        let (len, tiles) = (keys.len(), keys.len().div_ceil(BLOCK * ITEMS));
        let mut other_keys = other_keys.slice_mut(..len)?;
        let mut other_values = other_values.slice_mut(..if HAS_VALUES { len } else { 0 })?;
        counts.begin(tiles.min(self.tiles), queue)?;
        let Counts { total, starts, states, tickets, tiles_cleared, is_in_graph: _ } = counts;
        let chunk = len.div_ceil(MAX_BLOCKS).next_multiple_of(CHUNK);
        let launch = radix_count::<_, _, IS_FLOAT>(sign, flip, chunk, keys, total, &mut starts[0], tickets);
        queue.launch(launch.grid(len.div_ceil(chunk)))?;
        let is_odd = passes % 2 == 1;
        if is_odd {
            // The last pass writes the array itself, so that the first one reads a copy.
            queue.copy(&keys.as_slice(), &mut other_keys)?;
            if let Some(values) = &self.values {
                queue.copy(&values.as_slice(), &mut other_values)?;
            }
        }
        let mut is_first = true;
        for pass in 0..passes {
            let [mut these_starts, mut next_starts] = starts.each_mut();
            for from in (0..tiles).step_by(self.tiles) {
                let mut keys = keys.as_slice_mut();
                let mut other_keys = other_keys.as_slice_mut();
                let mut values = match &mut self.values {
                    Some(values) => values.as_slice_mut(),
                    None => no_values.as_slice_mut(),
                };
                let mut other_values = if HAS_VALUES { other_values.as_slice_mut() } else { no_results.as_slice_mut() };
                if (pass % 2 == 0) == is_odd {
                    std::mem::swap(&mut keys, &mut other_keys);
                    std::mem::swap(&mut values, &mut other_values);
                }
                let [these, next] = states;
                if tiles > self.tiles && !is_first {
                    // The launch before may have had fewer tiles, and the same ticket.
                    queue.fill(&mut these.as_slice_mut(), 0)?;
                    queue.fill(&mut tickets.as_slice_mut(), 0)?;
                }
                is_first = false;
                let end = len.min((from + self.tiles) * (BLOCK * ITEMS));
                let from = from * (BLOCK * ITEMS);
                let values = if HAS_VALUES { values.slice(from..end)? } else { values };
                let keys = keys.slice(from..end)?;
                let launch = radix_move::<_, _, _, IS_FLOAT, HAS_VALUES, ITEMS>(
                    sign,
                    flip,
                    pass,
                    &keys,
                    &values,
                    &mut other_keys,
                    &mut other_values,
                    these_starts,
                    next_starts,
                    these,
                    next,
                    tickets,
                );
                let launch = launch.grid((end - from).div_ceil(BLOCK * ITEMS));
                queue.launch(launch.shared_bytes(BLOCK * ITEMS * Self::WIDTH))?;
                std::mem::swap(&mut these_starts, &mut next_starts);
                states.swap(0, 1);
            }
        }
        if tiles > self.tiles {
            queue.fill(&mut states[0].as_slice_mut(), 0)?;
        }
        *tiles_cleared = tiles.min(self.tiles);
        Ok(())
    }
}

/// The numbers of elements of the arrays of a [`SortMemory`].
#[derive(Clone, Copy)]
struct Sizes {
    keys: usize,
    values: usize,
    tiles: usize,
}

/// The numbers of keys with each digit.
struct Counts {
    /// Those of all keys, 256 for each pass.
    total: DeviceArray<usize>,
    /// Those of the keys with lower digits, and of the keys with this digit in the tiles of earlier launches; alternating by launch.
    starts: [DeviceArray<usize>; 2],
    /// Those of each tile, with a status; alternating by launch: each clears those of the next one.
    states: [DeviceArray<u32>; 2],
    /// The number of tiles that each pass has begun, and of blocks that have finished counting.
    tickets: DeviceArray<u32>,
    /// The number of tiles for which the memory is as before the first launch: those of the last sort, whose launches cleared the states
    /// of these tiles only; `usize::MAX` before the first one, and 0 if a launch has failed.
    tiles_cleared: usize,
    /// Whether the memory belongs to a graph: it may be executed between any two launches.
    is_in_graph: bool,
}

impl Counts {
    fn new(stream: &Stream, passes: usize, tiles: usize) -> Result<Self> {
        let passes = if tiles == 0 { 0 } else { passes };
        Ok(Counts {
            total: stream.zeros(passes * BINS)?,
            starts: [stream.zeros(passes * BINS)?, stream.zeros(passes * BINS)?],
            states: [stream.zeros(tiles * BINS)?, stream.zeros(tiles * BINS)?],
            tickets: stream.zeros(if tiles == 0 { 0 } else { MAX_PASSES + 1 })?,
            tiles_cleared: usize::MAX,
            is_in_graph: false,
        })
    }

    /// Prepares the memory for the launches of a sort of so many tiles.
    fn begin(&mut self, tiles: usize, queue: &mut Queue<'_, '_>) -> Result<()> {
        self.is_in_graph |= queue.is_graph();
        if std::mem::take(&mut self.tiles_cleared) >= tiles && !self.is_in_graph {
            return Ok(());
        }
        queue.fill(&mut self.total.as_slice_mut(), 0)?;
        for states in &mut self.states {
            queue.fill(&mut states.as_slice_mut(), 0)?;
        }
        queue.fill(&mut self.tickets.as_slice_mut(), 0)
    }

    fn bytes(&self) -> usize {
        let words = [&self.total, &self.starts[0], &self.starts[1]].map(DeviceArray::len);
        let states = [&self.states[0], &self.states[1], &self.tickets].map(DeviceArray::len);
        size_of::<usize>() * words.iter().sum::<usize>() + size_of::<u32>() * states.iter().sum::<usize>()
    }
}

/// The temporary memory of a sort: see [`Sort::prepare_in`].
pub struct SortMemory<K, V> {
    /// The elements after the first pass, the third and so on.
    keys: DeviceArray<K>,
    values: DeviceArray<V>,
    /// Empty arrays in place of the values, if there are none.
    none: [DeviceArray<V>; 2],
    counts: Counts,
}

impl<K: SortKey, V: DeviceType> SortMemory<K, V> {
    fn new(stream: &Stream, Sizes { keys, values, tiles }: Sizes) -> Result<Self> {
        let counts = Counts::new(stream, size_of::<K>(), tiles)?;
        // SAFETY: the first pass writes all elements of these arrays, and later ones read them.
        let (keys, values) = unsafe { (stream.uninitialized(keys)?, stream.uninitialized(values)?) };
        // SAFETY: they have no elements.
        let none = unsafe { [stream.uninitialized(0)?, stream.uninitialized(0)?] };
        Ok(SortMemory { keys, values, none, counts })
    }

    /// Replaces the memory if it is too short.
    fn fit(&mut self, stream: &Stream, sizes: Sizes) -> Result<()> {
        let fits = suffices(&self.keys, stream, sizes.keys)
            && suffices(&self.values, stream, sizes.values)
            && suffices(&self.counts.states[0], stream, sizes.tiles * BINS);
        if !fits {
            *self = SortMemory::new(stream, sizes)?;
        }
        Ok(())
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<K>() * self.keys.len() + size_of::<V>() * self.values.len() + self.counts.bytes()
    }
}

/// A [`Sort`] with its temporary memory.
pub struct PreparedSort<'a, K, V, const HAS_VALUES: bool> {
    sort: Sort<'a, K, V, HAS_VALUES>,
    memory: Held<'a, SortMemory<K, V>>,
}

impl<K: SortKey, V: DeviceType, const HAS_VALUES: bool> PreparedSort<'_, K, V, HAS_VALUES> {
    /// Enqueues the sort of the keys that the array has then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.sort.keys.device().default_stream();
        let stream = self.sort.stream.unwrap_or(&default);
        self.sort.enqueue(&mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the sort as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        self.sort.enqueue(&mut self.memory, &mut Queue::Graph(graph))
    }

    /// Borrows the keys, for the next launch.
    pub fn keys_mut(&mut self) -> DeviceSliceMut<'_, K> {
        self.sort.keys.as_slice_mut()
    }

    /// Borrows the values, if there are any, for the next launch.
    pub fn values_mut(&mut self) -> Option<DeviceSliceMut<'_, V>> {
        self.sort.values.as_mut().map(DeviceSlice::as_slice_mut)
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}

/// Stores in `indices` the indices of the elements of `x` in the order of the elements: `x[indices[0]]` is the least. The indices of
/// equal elements ascend.
///
/// ```
/// use cumbia::algorithm::argsort;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[30, 10, 20, 10])?;
/// let mut order = device.zeros::<u32>(4)?;
/// argsort(&x, &mut order).launch()?;
/// assert_eq!(order.to_host()?, [1, 3, 2, 0]);
/// # Ok(())
/// # }
/// ```
pub fn argsort<'a, K: SortKey, I: Integer>(
    x: &'a (impl Input<Element = K> + ?Sized),
    indices: &'a mut (impl Output<Element = I> + ?Sized),
) -> ArgSort<'a, K, I> {
    ArgSort { x: x.elements(), indices: indices.elements_mut(), is_descending: false, stream: None }
}

/// A sort of indices: [`argsort`].
#[must_use = "a sort does nothing until it is launched: `.launch()?`"]
pub struct ArgSort<'a, K, I> {
    x: DeviceSlice<'a, K>,
    indices: DeviceSliceMut<'a, I>,
    is_descending: bool,
    stream: Option<&'a Stream>,
}

impl<'a, K: SortKey, I: Integer> ArgSort<'a, K, I> {
    /// Sorts from the greatest element to the least. The indices of equal elements ascend.
    pub fn descending(mut self) -> Self {
        self.is_descending = true;
        self
    }

    /// Enqueues the sort on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the sort.
    ///
    /// # Errors
    ///
    /// Those of [`ArgSort::prepare`] and [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that the indices can be sorted repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the lengths of the arrays differ, or exceed the number of indices that `I` represents;
    /// [`Error::OutOfMemory`], or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedArgSort<'a, K, I>> {
        self.check()?;
        Ok(PreparedArgSort { memory: Held::Owned(self.memory()?), sort: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or a CUDA driver error.
    pub fn memory(&self) -> Result<ArgSortMemory<K, I>> {
        let default = self.x.device().default_stream();
        ArgSortMemory::new(self.stream.unwrap_or(&default), self.x.len())
    }

    /// Uses memory of an earlier sort instead of allocating it; it is replaced if it is too short, or on another device. The arrays are
    /// borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`ArgSort::prepare`].
    pub fn prepare_in(self, memory: &'a mut ArgSortMemory<K, I>) -> Result<PreparedArgSort<'a, K, I>> {
        self.check()?;
        let default = self.x.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.x.len())?;
        Ok(PreparedArgSort { memory: Held::Borrowed(memory), sort: self })
    }

    /// Checks the lengths.
    fn check(&self) -> Result<()> {
        let (from, to) = (self.x.len(), self.indices.len());
        let to = if from == to { from.min(usize::cast(I::MAX).saturating_add(1)) } else { to };
        if from == to { Ok(()) } else { Err(Error::LengthMismatch { operation: "argsort", from, to }) }
    }

    /// Enqueues the sort.
    fn enqueue(&mut self, memory: &mut ArgSortMemory<K, I>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let len = self.x.len();
        if len == 0 {
            return Ok(());
        }
        if Sort::<K, I, true>::is_small(len, Sort::<K, I, true>::MAX_TILES) {
            let (x, indices, is_descending) = (&self.x, &mut self.indices, self.is_descending);
            return if items_for(len, size_of::<K>()) == FEW {
                queue.launch(argsort_of_block::<_, _, FEW>(is_descending, x, indices).grid(1))
            } else if const { size_of::<K>() > 4 } {
                queue.launch(argsort_of_block::<_, _, MANY_WIDE>(is_descending, x, indices).grid(1))
            } else {
                queue.launch(argsort_of_block::<_, _, MANY>(is_descending, x, indices).grid(1))
            };
        }
        self.enqueue_with_keys(memory, queue)
    }

    /// Enqueues the sort, which leaves the keys in their order in the temporary memory.
    fn enqueue_with_keys(&mut self, memory: &mut ArgSortMemory<K, I>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let len = self.x.len();
        let mut keys = memory.keys.slice_mut(..len)?;
        queue.launch(fill_indices(&mut self.indices).over(len))?;
        queue.copy(&self.x, &mut keys)?;
        let mut sort = sort_by_key(&mut keys, &mut self.indices);
        sort.is_descending = self.is_descending;
        sort.enqueue(&mut memory.sort, queue)
    }
}

/// The temporary memory of an [`ArgSort`]: see [`ArgSort::prepare_in`].
pub struct ArgSortMemory<K, I> {
    /// The copy of the keys, which is sorted.
    keys: DeviceArray<K>,
    sort: SortMemory<K, I>,
}

impl<K: SortKey, I: Integer> ArgSortMemory<K, I> {
    fn new(stream: &Stream, len: usize) -> Result<Self> {
        // SAFETY: a sort copies all elements before it reads them.
        let keys = unsafe { stream.uninitialized(len)? };
        Ok(ArgSortMemory { keys, sort: SortMemory::new(stream, Sort::<K, I, true>::sizes_of(len))? })
    }

    /// Replaces the memory if it is too short.
    fn fit(&mut self, stream: &Stream, len: usize) -> Result<()> {
        if !suffices(&self.keys, stream, len) {
            // SAFETY: as above.
            self.keys = unsafe { stream.uninitialized(len)? };
        }
        self.sort.fit(stream, Sort::<K, I, true>::sizes_of(len))
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<K>() * self.keys.len() + self.sort.bytes()
    }
}

/// An [`ArgSort`] with its temporary memory.
pub struct PreparedArgSort<'a, K, I> {
    sort: ArgSort<'a, K, I>,
    memory: Held<'a, ArgSortMemory<K, I>>,
}

impl<K: SortKey, I: Integer> PreparedArgSort<'_, K, I> {
    /// Enqueues the sort of a copy of the elements that the array has then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.sort.x.device().default_stream();
        let stream = self.sort.stream.unwrap_or(&default);
        self.sort.enqueue(&mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the sort as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        self.sort.enqueue(&mut self.memory, &mut Queue::Graph(graph))
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
