//! Sorts of arrays, in place or into other arrays: of keys alone, or of keys with values.

use cumbia::error::ArrayArgument;
use cumbia::{ArrayView1, DeviceSlice, DeviceSliceMut, DeviceType, Number, Recorder, Result, Stream};

use super::buffers::Buffers;
use super::count::{chunk_len, radix_count};
use super::memory::{Counts, Sizes, SortMemory};
use super::onesweep::{BLOCK, MAX_EXCHANGED, MAX_MOVED, radix_move};
use super::small::{FEW, MANY, SOME, items_for, max_len, sort_of_block, sort_of_block_into};
use crate::arrays::{Input, Output, require_same_length};
use crate::key::SortKey;
use crate::queue::{Held, Queue, StepsIn};

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
    Sort::new("sort", keys.elements_mut(), None)
}

/// Stores the keys in `sorted` from the least to the greatest. The sort is stable. Floats are ordered as by `total_cmp`.
///
/// It takes less time than a copy and [`sort`](crate::sort()).
///
/// ```
/// use cumbia::algorithm::sort_into;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3, 1, 2, 9, 7, 8])?;
/// let mut sorted = device.zeros(3)?;
/// sort_into(&x.slice(3..)?, &mut sorted).launch()?;
/// assert_eq!(sorted.to_host()?, [7, 8, 9]);
/// sort_into(&x.reshape((2, 3))?.row(0)?, &mut sorted).descending().launch()?;
/// assert_eq!(sorted.to_host()?, [3, 2, 1]);
/// # Ok(())
/// # }
/// ```
pub fn sort_into<'a, K: SortKey>(
    keys: &'a (impl Input<Element = K> + ?Sized),
    sorted: &'a mut (impl Output<Element = K> + ?Sized),
) -> Sort<'a, K, u8, false> {
    let sort = Sort::new("sort_into", sorted.elements_mut(), None);
    Sort { keys_from: Some(keys.elements()), ..sort }
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
    Sort::new("sort_by_key", keys.elements_mut(), Some(values.elements_mut()))
}

/// Stores the keys in `sorted_keys` from the least to the greatest, and the values with their keys in `sorted_values`. Values
/// with equal keys keep their order.
///
/// It takes less time than copies and [`sort_by_key`].
///
/// ```
/// use cumbia::algorithm::sort_by_key_into;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (cells, particles) = (device.to_device(&[2u8, 0, 2, 1])?, device.to_device(&[0.5, 1.5, 2.5, 3.5])?);
/// let (mut sorted_cells, mut sorted_particles) = (device.zeros(4)?, device.zeros(4)?);
/// sort_by_key_into(&cells, &particles, &mut sorted_cells, &mut sorted_particles).launch()?;
/// assert_eq!(sorted_cells.to_host()?, [0, 1, 2, 2]);
/// assert_eq!(sorted_particles.to_host()?, [1.5, 3.5, 0.5, 2.5]);
/// # Ok(())
/// # }
/// ```
pub fn sort_by_key_into<'a, K: SortKey, V: DeviceType>(
    keys: &'a (impl Input<Element = K> + ?Sized),
    values: &'a (impl Input<Element = V> + ?Sized),
    sorted_keys: &'a mut (impl Output<Element = K> + ?Sized),
    sorted_values: &'a mut (impl Output<Element = V> + ?Sized),
) -> Sort<'a, K, V, true> {
    let sort = Sort::new("sort_by_key_into", sorted_keys.elements_mut(), Some(sorted_values.elements_mut()));
    Sort { keys_from: Some(keys.elements()), values_from: Some(values.elements()), ..sort }
}

/// A sort: [`sort`], [`sort_by_key`], [`sort_into`] or [`sort_by_key_into`].
#[must_use = "a sort does nothing until it is launched: `.launch()?`"]
pub struct Sort<'a, K, V, const HAS_VALUES: bool> {
    /// The name of the function.
    name: &'static str,
    /// The keys and values to sort, if they are not in `keys` and `values`.
    pub(super) keys_from: Option<ArrayView1<'a, K>>,
    values_from: Option<ArrayView1<'a, V>>,
    keys: DeviceSliceMut<'a, K>,
    values: Option<DeviceSliceMut<'a, V>>,
    pub(super) is_descending: bool,
    stream: Option<&'a Stream>,
    /// The maximum number of tiles that one launch moves.
    tiles: usize,
    enqueue: StepsIn<Self, SortMemory<K, V>>,
}

/// The keys and values of a sort that the kernels read elsewhere than in the arrays of the results.
#[derive(Clone, Copy)]
struct Unsorted<'a, K, V> {
    keys: Option<DeviceSlice<'a, K>>,
    values: Option<DeviceSlice<'a, V>>,
}

impl<'a, K: DeviceType, V: DeviceType, const HAS_VALUES: bool> Sort<'a, K, V, HAS_VALUES> {
    /// The size in bytes of the shared memory for an element of a tile.
    const WIDTH: usize = {
        let value = if HAS_VALUES && size_of::<V>() <= MAX_EXCHANGED { size_of::<V>() } else { 0 };
        if value > size_of::<K>() { value } else { size_of::<K>() }
    };

    /// The elements of a thread, which two blocks of a multiprocessor hold in registers at once.
    ///
    /// The shared memory of keys of up to 4 bytes has at most 64 KiB, as on GPUs of compute capability 7.5.
    const ITEMS: usize = match (Self::WIDTH, HAS_VALUES) {
        (0..=4, _) => 24,
        (5..=8, false) => 20,
        (5..=8, true) if size_of::<K>() > 4 => 18,
        (5..=8, true) => 12,
        _ => 6,
    };

    /// The maximum number of keys that a single block sorts in one launch.
    const MAX_SMALL: usize = max_len(size_of::<K>(), if HAS_VALUES { size_of::<V>() } else { 0 });

    /// The maximum number of tiles that one launch moves.
    pub(super) const MAX_TILES: usize = MAX_MOVED / (BLOCK * Self::ITEMS) - 1;

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

    /// Checks that there are as many values as keys, and as many results.
    fn check(&self) -> Result<()> {
        let same = |argument, keys| require_same_length(self.name, argument, keys);
        let values = self.values.as_ref().map(DeviceSlice::len);
        let Some(keys_from) = &self.keys_from else {
            let keys = ArrayArgument::output("keys", self.keys.len());
            return values.map_or(Ok(()), |len| same(ArrayArgument::output("values", len), keys));
        };
        let keys = ArrayArgument::input("keys", keys_from.len());
        if let Some(values_from) = &self.values_from {
            same(ArrayArgument::input("values", values_from.len()), keys)?;
        }
        let Some(values) = values else { return same(ArrayArgument::output("sorted", self.keys.len()), keys) };
        same(ArrayArgument::output("sorted_keys", self.keys.len()), keys)?;
        same(ArrayArgument::output("sorted_values", values), keys)
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
}

impl<'a, K: SortKey, V: DeviceType, const HAS_VALUES: bool> Sort<'a, K, V, HAS_VALUES> {
    fn new(name: &'static str, keys: DeviceSliceMut<'a, K>, values: Option<DeviceSliceMut<'a, V>>) -> Self {
        let (keys_from, values_from, tiles) = (None, None, Self::MAX_TILES);
        Sort {
            name,
            keys_from,
            values_from,
            keys,
            values,
            is_descending: false,
            stream: None,
            tiles,
            enqueue: Self::steps,
        }
    }

    /// Enqueues the sort.
    pub(super) fn steps(&mut self, memory: &mut SortMemory<K, V>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let is_small = Self::is_small(self.keys.len(), self.tiles);
        let mut from = Unsorted {
            keys: self.keys_from.and_then(ArrayView1::into_slice),
            values: self.values_from.and_then(ArrayView1::into_slice),
        };
        // A block sorts in place or into other arrays, but not keys in one way and values in the other.
        if self.keys.len() < 2 || is_small && (from.keys.is_none() || HAS_VALUES && from.values.is_none()) {
            from = Unsorted { keys: None, values: None };
        }
        // What a kernel cannot read where it is, strided elements above all, is sorted in place.
        if let (Some(view), None) = (self.keys_from, from.keys) {
            queue.copy_view(view, &mut self.keys)?;
        }
        if let (Some(view), None, Some(values)) = (self.values_from, from.values, &mut self.values) {
            queue.copy_view(view, values)?;
        }
        if self.keys.len() < 2 {
            return Ok(());
        }
        if is_small {
            return self.enqueue_small(from, memory, queue);
        }
        // Conditions that are constants, so that the kernels are compiled for one kind of keys and one number of items.
        if const { K::IS_FLOAT } {
            self.enqueue_for::<true>(from, memory, queue)
        } else {
            self.enqueue_for::<false>(from, memory, queue)
        }
    }

    /// Enqueues the launch of a single block.
    fn enqueue_small(
        &mut self,
        from: Unsorted<'_, K, V>,
        memory: &mut SortMemory<K, V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let items = items_for(self.keys.len());
        if items == FEW {
            self.enqueue_block::<FEW>(from, memory, queue)
        } else if items == SOME || const { size_of::<K>() > 4 } {
            self.enqueue_block::<SOME>(from, memory, queue)
        } else {
            self.enqueue_block::<MANY>(from, memory, queue)
        }
    }

    fn enqueue_block<const N: usize>(
        &mut self,
        from: Unsorted<'_, K, V>,
        memory: &mut SortMemory<K, V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let [no_results, no_values] = &mut memory.none;
        let mut values = match &mut self.values {
            Some(values) => values.as_slice_mut(),
            None => no_results.as_slice_mut(),
        };
        let (is_descending, keys, values) = (self.is_descending, &mut self.keys, &mut values);
        let Some(keys_from) = from.keys else {
            return queue.launch(sort_of_block::<_, _, HAS_VALUES, N>(is_descending, keys, values).grid(1));
        };
        let values_from = from.values.unwrap_or(no_values.as_slice());
        let launch = sort_of_block_into::<_, _, HAS_VALUES, N>(is_descending, &keys_from, &values_from, keys, values);
        queue.launch(launch.grid(1))
    }

    fn enqueue_for<const IS_FLOAT: bool>(
        &mut self,
        from: Unsorted<'_, K, V>,
        memory: &mut SortMemory<K, V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        if const { Self::ITEMS == 24 } {
            self.passes::<IS_FLOAT, 24>(from, memory, queue)
        } else if const { Self::ITEMS == 20 } {
            self.passes::<IS_FLOAT, 20>(from, memory, queue)
        } else if const { Self::ITEMS == 18 } {
            self.passes::<IS_FLOAT, 18>(from, memory, queue)
        } else if const { Self::ITEMS == 12 } {
            self.passes::<IS_FLOAT, 12>(from, memory, queue)
        } else {
            self.passes::<IS_FLOAT, 6>(from, memory, queue)
        }
    }

    /// Enqueues the passes.
    fn passes<const IS_FLOAT: bool, const ITEMS: usize>(
        &mut self,
        from: Unsorted<'_, K, V>,
        memory: &mut SortMemory<K, V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let passes = size_of::<K>();
        let (sign, flip) = (K::SIGN, if self.is_descending { K::Bits::MAX } else { K::Bits::ZERO });
        let SortMemory { keys: other_keys, values: other_values, none: [no_values, no_results], counts } = memory;
        let (len, tiles) = (self.keys.len(), self.keys.len().div_ceil(BLOCK * ITEMS));
        let other = other_keys.slice_mut(..len)?;
        let mut keys = Buffers { source: from.keys, array: self.keys.as_slice_mut(), other, passes };
        let mut values = if let Some(values) = &mut self.values {
            let other = other_values.slice_mut(..len)?;
            Buffers { source: from.values, array: values.as_slice_mut(), other, passes }
        } else {
            let (array, other) = (no_values.as_slice_mut(), no_results.as_slice_mut());
            Buffers { source: None, array, other, passes }
        };
        counts.begin(tiles.min(self.tiles), queue)?;
        let Counts { total, starts, states, tickets, tiles_cleared, is_in_graph: _ } = counts;
        keys.begin(queue)?;
        values.begin(queue)?;
        let chunk = chunk_len(len);
        let (unsorted, _) = keys.of_pass(0);
        let launch = radix_count::<_, _, IS_FLOAT>(sign, flip, chunk, &unsorted, total, &mut starts[0], tickets);
        queue.launch(launch.grid(len.div_ceil(chunk)))?;
        let mut is_first = true;
        for pass in 0..passes {
            let [mut these_starts, mut next_starts] = starts.each_mut();
            for first in (0..tiles).step_by(self.tiles) {
                let [these, next] = states;
                if tiles > self.tiles && !is_first {
                    // The launch before may have had fewer tiles, and the same ticket.
                    queue.fill(&mut these.as_slice_mut(), 0)?;
                    queue.fill(&mut tickets.as_slice_mut(), 0)?;
                }
                is_first = false;
                let end = len.min((first + self.tiles) * (BLOCK * ITEMS));
                let start = first * (BLOCK * ITEMS);
                let ((keys, mut moved_keys), (values, mut moved_values)) = (keys.of_pass(pass), values.of_pass(pass));
                let values = if HAS_VALUES { values.slice(start..end)? } else { values };
                let keys = keys.slice(start..end)?;
                let launch = radix_move::<_, _, _, IS_FLOAT, HAS_VALUES, ITEMS>(
                    sign,
                    flip,
                    pass,
                    &keys,
                    &values,
                    &mut moved_keys,
                    &mut moved_values,
                    these_starts,
                    next_starts,
                    these,
                    next,
                    tickets,
                );
                let launch = launch.grid((end - start).div_ceil(BLOCK * ITEMS));
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

impl<K: DeviceType, V: DeviceType, const HAS_VALUES: bool> PreparedSort<'_, K, V, HAS_VALUES> {
    /// Enqueues the sort of the keys and values that the arrays have then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.sort.keys.device().default_stream();
        let stream = self.sort.stream.unwrap_or(&default);
        (self.sort.enqueue)(&mut self.sort, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the sort as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.sort.enqueue)(&mut self.sort, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Borrows the array of the sorted keys: those for the next launch, if they are sorted in place.
    pub fn keys_mut(&mut self) -> DeviceSliceMut<'_, K> {
        self.sort.keys.as_slice_mut()
    }

    /// Borrows the array of the sorted values, if there are any: those for the next launch, if they are sorted in place.
    pub fn values_mut(&mut self) -> Option<DeviceSliceMut<'_, V>> {
        self.sort.values.as_mut().map(DeviceSlice::as_slice_mut)
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
