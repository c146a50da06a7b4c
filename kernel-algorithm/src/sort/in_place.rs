//! Sorts of arrays in place: of keys alone, or of keys with values.

use cumbia::error::ArrayArgument;
use cumbia::{DeviceSlice, DeviceSliceMut, DeviceType, Number, Recorder, Result, Stream};

use super::count::{chunk_len, radix_count};
use super::memory::{Counts, Sizes, SortMemory};
use super::onesweep::{BLOCK, MAX_EXCHANGED, MAX_MOVED, radix_move};
use super::small::{FEW, MANY, MANY_WIDE, items_for, max_len, sort_of_block};
use crate::arrays::{Output, require_same_length};
use crate::key::SortKey;
use crate::queue::{Held, Queue};

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
    pub(super) is_descending: bool,
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
    pub(super) const MAX_TILES: usize = MAX_MOVED / (BLOCK * Self::ITEMS) - 1;

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
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of the arrays differ,
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedSort<'a, K, V, HAS_VALUES>> {
        self.check()?;
        Ok(PreparedSort { memory: Held::Owned(self.memory()?), sort: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<SortMemory<K, V>> {
        let default = self.keys.device().default_stream();
        SortMemory::new(self.stream.unwrap_or(&default), self.sizes())
    }

    /// Uses memory of an earlier sort instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
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
        let Some(values) = &self.values else { return Ok(()) };
        let keys = ArrayArgument::output("keys", self.keys.len());
        require_same_length("sort_by_key", ArrayArgument::output("values", values.len()), keys)
    }

    fn sizes(&self) -> Sizes {
        Self::sizes_in(self.keys.len(), self.tiles)
    }

    /// Returns the sizes of the temporary memory for so many keys.
    pub(super) fn sizes_of(len: usize) -> Sizes {
        Self::sizes_in(len, Self::MAX_TILES)
    }

    /// Returns whether so many keys are sorted by a single block, and need no temporary memory.
    pub(super) fn is_small(len: usize, tiles: usize) -> bool {
        len <= if tiles == Self::MAX_TILES { Self::MAX_SMALL.max(1) } else { 1 }
    }

    /// Returns the sizes of the temporary memory for so many keys, and so many tiles that one launch moves.
    fn sizes_in(len: usize, tiles: usize) -> Sizes {
        let len = if Self::is_small(len, tiles) { 0 } else { len };
        let tiles = len.div_ceil(BLOCK * Self::ITEMS).min(tiles);
        Sizes { keys: len, values: if HAS_VALUES { len } else { 0 }, tiles }
    }

    /// Enqueues the sort.
    pub(super) fn enqueue(&mut self, memory: &mut SortMemory<K, V>, queue: &mut Queue<'_, '_>) -> Result<()> {
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
        let chunk = chunk_len(len);
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
