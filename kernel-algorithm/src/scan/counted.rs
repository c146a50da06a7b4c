//! Temporary memory of the scans that count elements or runs, and their number.

use cumbia::{DeviceArray, DeviceSlice, DeviceType, Result, Stream};

use crate::queue::{first, read_first, suffices};
use crate::scan::look_ahead::{BLOCK, LookAhead};

/// The tiles of a scan that counts.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    pub(crate) count: usize,
    /// Whether the counts have 32 bits.
    pub(crate) is_narrow: bool,
}

impl Tiles {
    /// Returns the tiles of an array of this length, if each thread has so many elements of a tile.
    pub(crate) fn new(len: usize, items: usize) -> Tiles {
        Tiles { count: len.div_ceil(BLOCK * items), is_narrow: u32::try_from(len).is_ok() }
    }
}

/// The temporary memory of a selection or of an algorithm on runs, and the number of selected elements or of runs. `N` and `W`
/// are the aggregates of tiles of arrays whose lengths have 32 bits, and of longer ones.
///
/// For an example see [`Select::prepare_in`](crate::Select::prepare_in).
pub struct CountedMemory<N, W> {
    pub(crate) narrow: LookAhead<N>,
    pub(crate) wide: LookAhead<W>,
    pub(crate) count: DeviceArray<usize>,
}

impl<N: DeviceType, W: DeviceType> CountedMemory<N, W> {
    /// Allocates the memory for these tiles.
    pub(crate) fn new(stream: &Stream, tiles: Tiles) -> Result<Self> {
        let (narrow, wide) = if tiles.is_narrow { (tiles.count, 0) } else { (0, tiles.count) };
        Ok(CountedMemory {
            narrow: LookAhead::new(stream, narrow)?,
            wide: LookAhead::new(stream, wide)?,
            count: stream.zeros(1)?,
        })
    }

    /// Replaces the memory if it is too short.
    pub(crate) fn fit(&mut self, stream: &Stream, tiles: Tiles) -> Result<()> {
        if !suffices(&self.count, stream, 1) {
            *self = CountedMemory::new(stream, tiles)?;
        }
        if tiles.is_narrow { self.narrow.fit(stream, tiles.count) } else { self.wide.fit(stream, tiles.count) }
    }

    /// Borrows the number of selected elements or of runs, an array of one element on the device, for later launches. It is the
    /// number of all of them, even if an output was too short; before the first launch it is 0, and after a launch that has faulted
    /// it is that of an earlier launch. Scans by key do not change it.
    pub fn count(&self) -> DeviceSlice<'_, usize> {
        first(&self.count)
    }

    /// Waits for the last launch that has been enqueued, and returns the number of selected elements or of runs, as
    /// [`CountedMemory::count`].
    ///
    /// # Errors
    ///
    /// Those of [`DeviceArray::to_host`].
    pub fn read(&self) -> Result<usize> {
        read_first(&self.count)
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.narrow.bytes() + self.wide.bytes() + size_of::<usize>()
    }
}
