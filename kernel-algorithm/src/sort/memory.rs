//! The temporary memory of a sort in place.

use cumbia::{DeviceArray, DeviceType, Result, Stream};

use super::{BINS, MAX_PASSES};
use crate::queue::{Queue, suffices};

/// The numbers of elements of the arrays of a [`SortMemory`].
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) keys: usize,
    pub(super) values: usize,
    pub(super) tiles: usize,
}

/// The numbers of keys with each digit.
pub(super) struct Counts {
    /// Those of all keys, 256 for each pass.
    pub(super) total: DeviceArray<usize>,
    /// Those of the keys with lower digits, and of the keys with this digit in the tiles of earlier launches; alternating by
    /// launch.
    pub(super) starts: [DeviceArray<usize>; 2],
    /// Those of each tile, with a status; alternating by launch: each clears those of the next one.
    pub(super) states: [DeviceArray<u32>; 2],
    /// The number of tiles that each pass has begun, and of blocks that have finished counting.
    pub(super) tickets: DeviceArray<u32>,
    /// The number of tiles for which the memory is as before the first launch: those of the last sort, whose launches cleared the
    /// states of these tiles only; `usize::MAX` before the first one, and 0 if a launch has failed.
    pub(super) tiles_cleared: usize,
    /// Whether the memory belongs to a graph: it may be executed between any two launches.
    pub(super) is_in_graph: bool,
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
    pub(super) fn begin(&mut self, tiles: usize, queue: &mut Queue<'_, '_>) -> Result<()> {
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

/// The temporary memory of a sort: see [`Sort::prepare_in`](crate::Sort::prepare_in).
pub struct SortMemory<K, V> {
    /// The elements after the first pass, the third and so on.
    pub(super) keys: DeviceArray<K>,
    pub(super) values: DeviceArray<V>,
    /// Empty arrays in place of the values, if there are none.
    pub(super) none: [DeviceArray<V>; 2],
    pub(super) counts: Counts,
}

impl<K: DeviceType, V: DeviceType> SortMemory<K, V> {
    pub(super) fn new(stream: &Stream, Sizes { keys, values, tiles }: Sizes) -> Result<Self> {
        let counts = Counts::new(stream, size_of::<K>(), tiles)?;
        // SAFETY: the first pass writes all elements of these arrays, and later ones read them.
        let (keys, values) = unsafe { (stream.uninitialized(keys)?, stream.uninitialized(values)?) };
        // SAFETY: they have no elements.
        let none = unsafe { [stream.uninitialized(0)?, stream.uninitialized(0)?] };
        Ok(SortMemory { keys, values, none, counts })
    }

    /// Replaces the memory if it is too short.
    pub(super) fn fit(&mut self, stream: &Stream, sizes: Sizes) -> Result<()> {
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
