//! Run-length encoding, in a single pass by [look-ahead](crate::scan::look_ahead).
//!
//! It is a scan of pairs: the number of runs that have begun, and the index at which the last one has. A run ends where the next
//! one begins.

use cumbia::error::{ArrayArgument, ResultKind};
use cumbia::intrinsics::{WARP_SIZE, ballot_sync, block_idx, grid_dim, lanemask_lt, shared, sync_threads, thread_idx};
use cumbia::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Integer, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::arrays::{Input, Output, require_room};
use crate::operator::{Equatable, Function2};
use crate::queue::{Held, Queue};
use crate::scan::counted::{CountedMemory, Tiles};
use crate::scan::look_ahead::{
    BLOCK, Groups, LookAhead, before_in_rows, blocks_of, load_rows, prefix_of_tile, publish, publish_losses,
    scan_of_warps,
};

/// The runs that begin among some elements.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Beginnings<C: DeviceType> {
    /// Their number.
    pub count: C,
    /// The index at which the last one begins; any number if there is none.
    pub last: C,
}

/// The [`Beginnings`] of elements and later ones.
#[derive(Clone, Copy, DeviceType)]
struct Joined;

#[device]
impl<C: Number> Function2<Beginnings<C>, Beginnings<C>> for Joined {
    type Output = Beginnings<C>;

    fn call(self, a: Beginnings<C>, b: Beginnings<C>) -> Beginnings<C> {
        Beginnings { count: a.count + b.count, last: if b.count == C::ZERO { a.last } else { b.last } }
    }
}

/// Stores the first element of each run in `firsts`, its length in `lengths`, and the number of runs in `count`. `states` are a
/// `LookAhead`. A block has `ITEMS` elements for each thread; `COLUMNS` is the number of threads, or 1 if each has a single
/// element. The launch is cooperative.
#[kernel(block = 256, launch_bounds(256, 3))]
pub fn encode_tiles<K: DeviceType + PartialEq, L: Number, C: Number, const ITEMS: usize, const COLUMNS: usize>(
    x: &[K],
    firsts: &mut [K],
    lengths: &mut [L],
    count: &mut [usize],
    states: &mut [u64],
) {
    // The elements of the tile whose number of runs is published.
    let mut held = shared::<[[K; COLUMNS]; ITEMS]>();
    let t = thread_idx().x;
    if x.len() == 0 {
        return; // Never: for the proofs only.
    }
    // Each warp has consecutive elements, and reads them in rows.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let in_tile = warp * (WARP_SIZE * ITEMS) + lane;
    let (tiles, stride) = (x.len().div_ceil(BLOCK * ITEMS) as u32, grid_dim().x as u32);
    let mut groups = Groups::none(Beginnings { count: C::ZERO, last: C::ZERO }, true);
    // The elements of the tile that is loaded, and the one before those of the warp; and those of the tile that is stored. A
    // thread with a single element has that of the tile in between in a register.
    let mut loaded = [x[0]; ITEMS];
    let mut preceding = x[0];
    let mut own = loaded;
    let mut next = x[0];
    // For the two earlier tiles, a bit for each row: whether a run begins with the lane's element; and the runs that begin in
    // the earlier warps and in all warps, at indices in the tile.
    let (mut begins_next, mut begins_own) = (0u32, 0u32);
    let none = Beginnings { count: 0u32, last: 0u32 };
    let (mut before_next, mut before_own) = (none, none);
    let (mut total_next, mut total_own) = (none, none);
    for step in (block_idx().x as u32..tiles + 2 * stride).step_by(stride as usize) {
        // There are none before the first tile.
        let asked = groups.parts_before(step.max(2 * stride) - 2 * stride, states);
        if const { ITEMS > 1 } {
            if step >= 2 * stride {
                #[unroll]
                for k in 0..ITEMS {
                    own[k] = held[k][t];
                }
            }
        } else {
            own[0] = next;
        }
        if step >= stride && step - stride < tiles {
            let tile = step - stride;
            let first = tile as usize * (BLOCK * ITEMS);
            let count_of_tile = (x.len() - first).min(BLOCK * ITEMS) as u32;
            begins_next = 0;
            let mut of_warp = none;
            #[unroll]
            for k in 0..ITEMS {
                let before = before_in_rows(loaded, k, preceding);
                let is_inside = ((in_tile + k * WARP_SIZE) as u32) < count_of_tile;
                let begins = is_inside && (k == 0 && tile == 0 && t == 0 || loaded[k] != before);
                begins_next |= (begins as u32) << k;
                let row = ballot_sync(u32::MAX, begins);
                if row != 0 {
                    let last = (in_tile - lane + k * WARP_SIZE) as u32 + (31 - row.leading_zeros());
                    of_warp = Beginnings { count: of_warp.count + row.count_ones(), last };
                }
                if const { ITEMS > 1 } {
                    held[k][t] = loaded[k];
                } else {
                    next = loaded[k];
                }
            }
            let (before, total, is_whole) = scan_of_warps(of_warp, none, Joined);
            if !is_whole {
                publish_losses::<Beginnings<C>>(tile, tiles, states);
                return;
            }
            (before_next, total_next) = (before, total);
            if t == 0 {
                let last = C::cast(first + total.last as usize);
                publish(tile, Beginnings { count: C::cast(total.count), last }, states);
            }
        } else {
            sync_threads();
        }

        if step < tiles {
            let first = step as usize * (BLOCK * ITEMS);
            if first + (in_tile - lane) < x.len() {
                preceding = x[(first + (in_tile - lane)).max(1) - 1];
            }
            loaded = load_rows(x, first, in_tile, loaded);
        }

        if step >= 2 * stride {
            let tile = step - 2 * stride;
            let (later, prefix, is_found) = prefix_of_tile(tile, groups, asked, Joined, states);
            if !is_found {
                publish_losses::<Beginnings<C>>(tile, tiles, states);
                return;
            }
            groups = later;
            let first = tile as usize * (BLOCK * ITEMS);
            if t == 0 && tile == tiles - 1 {
                // The last run ends with the array.
                let runs = usize::cast(prefix.count) + total_own.count as usize;
                let last = if total_own.count > 0 { first + total_own.last as usize } else { usize::cast(prefix.last) };
                count[0] = runs;
                if runs > 0 && runs <= lengths.len() {
                    lengths[runs - 1] = L::cast(x.len() - last);
                }
            }
            // The runs that begin before the elements of the warp, and the distance of the last one.
            let begun = usize::cast(prefix.count) + before_own.count as usize;
            let last = if before_own.count > 0 { first + before_own.last as usize } else { usize::cast(prefix.last) };
            let distance = first + (in_tile - lane) - last;
            let firsts_of_warp = &mut firsts[begun.min(firsts.len())..];
            let room_of_firsts = firsts_of_warp.len().min(WARP_SIZE * ITEMS) as u32;
            let lengths_of_warp = &mut lengths[(begun.max(1) - 1).min(lengths.len())..];
            let room = lengths_of_warp.len().min(WARP_SIZE * ITEMS) as u32;
            let is_start = (begun == 0) as u32;
            // The number of runs that begin in the rows before, and the index of the last one among the elements of the warp.
            let (mut at, mut last_of_rows) = (0, 0u32);
            #[unroll]
            for k in 0..ITEMS {
                let begins = begins_own >> k & 1 != 0;
                let row = ballot_sync(u32::MAX, begins);
                let earlier = row & lanemask_lt();
                let run = at + earlier.count_ones();
                let i = (k * WARP_SIZE + lane) as u32;
                let from =
                    if earlier != 0 { (k * WARP_SIZE) as u32 + (31 - earlier.leading_zeros()) } else { last_of_rows };
                let length = if run > 0 { (i - from) as usize } else { i as usize + distance };
                if begins && run < room_of_firsts {
                    firsts_of_warp[run as usize] = own[k];
                }
                if begins && run >= is_start && run - is_start < room {
                    lengths_of_warp[(run - is_start) as usize] = L::cast(length);
                }
                if row != 0 {
                    last_of_rows = (k * WARP_SIZE) as u32 + (31 - row.leading_zeros());
                }
                at += row.count_ones();
            }
        } else {
            // The next tile's aggregate uses the same shared memory as the last one.
            sync_threads();
        }
        (begins_own, before_own, total_own) = (begins_next, before_next, total_next);
    }
}

/// Stores the first element of each run of consecutive equal elements in the first elements of `unique_elements`, and the length
/// of the run in those of `lengths`; the other elements keep their values. The value is the number of runs.
///
/// Elements are compared by `==`, so that each NaN is a run. A length is converted to its type as by `as`.
///
/// ```
/// use cumbia::algorithm::run_length_encode;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[5, 5, 5, 2, 5, 5])?;
/// let (mut elements, mut lengths) = (device.zeros(6)?, device.zeros::<u32>(6)?);
/// let n = run_length_encode(&x, &mut elements, &mut lengths).value()?;
/// assert_eq!(elements.slice(..n)?.to_host()?, [5, 2, 5]);
/// assert_eq!(lengths.slice(..n)?.to_host()?, [3, 1, 2]);
/// # Ok(())
/// # }
/// ```
pub fn run_length_encode<'a, K: Equatable, L: Integer>(
    x: &'a (impl Input<Element = K> + ?Sized),
    unique_elements: &'a mut (impl Output<Element = K> + ?Sized),
    lengths: &'a mut (impl Output<Element = L> + ?Sized),
) -> RunLengthEncode<'a, K, L> {
    RunLengthEncode {
        x: x.elements(),
        firsts: unique_elements.elements_mut(),
        lengths: lengths.elements_mut(),
        stream: None,
    }
}

/// A run-length encoding: [`run_length_encode`].
#[must_use = "an encoding does nothing until its value is asked for: `.value()?`"]
pub struct RunLengthEncode<'a, K, L> {
    x: DeviceSlice<'a, K>,
    firsts: DeviceSliceMut<'a, K>,
    lengths: DeviceSliceMut<'a, L>,
    stream: Option<&'a Stream>,
}

/// The temporary memory of a run-length encoding, and the number of runs: see [`RunLengthEncode::prepare_in`].
pub type RunLengthMemory = CountedMemory<Beginnings<u32>, Beginnings<u64>>;

impl<'a, K: Equatable, L: Integer> RunLengthEncode<'a, K, L> {
    /// The elements of a thread, which it has twice in registers and once in shared memory.
    const ITEMS: usize = match size_of::<K>() {
        0..=4 => 24,
        5..=8 => 12,
        9..=16 => 6,
        17..=32 => 3,
        _ => 1,
    };

    /// Enqueues the encoding on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Encodes the elements, waits, and returns the number of runs.
    ///
    /// # Errors
    ///
    /// Those of [`RunLengthEncode::prepare`] and [`PreparedRunLengthEncode::value`].
    pub fn value(self) -> Result<usize> {
        self.prepare()?.value()
    }

    /// Allocates the temporary memory, so that elements can be encoded repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedRunLengthEncode<'a, K, L>> {
        Ok(PreparedRunLengthEncode { memory: Held::Owned(self.memory()?), encode: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<RunLengthMemory> {
        let default = self.x.device().default_stream();
        RunLengthMemory::new(self.stream.unwrap_or(&default), self.tiles())
    }

    /// Uses memory of an earlier encoding instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function, as by [`Select::prepare_in`](crate::Select::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`RunLengthEncode::prepare`].
    pub fn prepare_in(self, memory: &'a mut RunLengthMemory) -> Result<PreparedRunLengthEncode<'a, K, L>> {
        let default = self.x.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.tiles())?;
        Ok(PreparedRunLengthEncode { memory: Held::Borrowed(memory), encode: self })
    }

    fn tiles(&self) -> Tiles {
        Tiles::new(self.x.len(), Self::ITEMS)
    }

    /// Enqueues the encoding.
    fn enqueue(&mut self, memory: &mut RunLengthMemory, queue: &mut Queue<'_, '_>) -> Result<()> {
        let CountedMemory { narrow, wide, count } = memory;
        if self.tiles().is_narrow {
            self.count_by::<u32>(narrow, count, queue)
        } else {
            self.count_by::<u64>(wide, count, queue)
        }
    }

    /// Enqueues the encoding, with indices and numbers of runs of type `C`.
    fn count_by<C: Number>(
        &mut self,
        look_ahead: &mut LookAhead<Beginnings<C>>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        // Conditions that are constants, so that the kernel is compiled for one number of items.
        if const { Self::ITEMS == 24 } {
            self.enqueue_tiles::<C, 24, BLOCK>(look_ahead, count, queue)
        } else if const { Self::ITEMS == 12 } {
            self.enqueue_tiles::<C, 12, BLOCK>(look_ahead, count, queue)
        } else if const { Self::ITEMS == 6 } {
            self.enqueue_tiles::<C, 6, BLOCK>(look_ahead, count, queue)
        } else if const { Self::ITEMS == 3 } {
            self.enqueue_tiles::<C, 3, BLOCK>(look_ahead, count, queue)
        } else {
            self.enqueue_tiles::<C, 1, 1>(look_ahead, count, queue)
        }
    }

    fn enqueue_tiles<C: Number, const ITEMS: usize, const COLUMNS: usize>(
        &mut self,
        look_ahead: &mut LookAhead<Beginnings<C>>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let tiles = self.tiles().count;
        if tiles == 0 {
            return queue.fill(&mut count.as_slice_mut(), 0);
        }
        let blocks = blocks_of::<Beginnings<C>>(self.x.device(), tiles, ITEMS * COLUMNS * size_of::<K>());
        let mut states = look_ahead.begin(tiles, queue)?;
        let RunLengthEncode { x, firsts, lengths, stream: _ } = self;
        let launch = encode_tiles::<K, L, C, ITEMS, COLUMNS>(x, firsts, lengths, count, &mut states);
        queue.launch(launch.grid(blocks).cooperative())
    }
}

/// A [`RunLengthEncode`] with its temporary memory.
pub struct PreparedRunLengthEncode<'a, K, L> {
    encode: RunLengthEncode<'a, K, L>,
    memory: Held<'a, RunLengthMemory>,
}

impl<K: Equatable, L: Integer> PreparedRunLengthEncode<'_, K, L> {
    /// Enqueues the encoding of the elements that the array has then, without waiting for the number of runs. If an output is
    /// too short, it has the first runs, and the number of all is found by [`PreparedRunLengthEncode::count`] or
    /// [`PreparedRunLengthEncode::read`].
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.encode.x.device().default_stream();
        let stream = self.encode.stream.unwrap_or(&default);
        self.encode.enqueue(&mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the encoding as steps of a graph, which has the same results as a launch. The stream is the graph's. After the
    /// run, [`PreparedRunLengthEncode::count`] and [`PreparedRunLengthEncode::read`] have the number of runs.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        self.encode.enqueue(&mut self.memory, &mut Queue::Graph(graph))
    }

    /// Encodes the elements, waits, and returns the number of runs.
    ///
    /// # Errors
    ///
    /// Those of [`PreparedRunLengthEncode::launch`] and [`PreparedRunLengthEncode::read`].
    pub fn value(&mut self) -> Result<usize> {
        self.launch()?;
        self.read()
    }

    /// Waits for the last launch, and returns the number of runs.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if one of the results is shorter than the number of runs, of
    /// which it then has the first; and those of [`DeviceArray::to_host`].
    pub fn read(&self) -> Result<usize> {
        let runs = self.memory.read()?;
        for (name, len) in [("unique_elements", self.encode.firsts.len()), ("lengths", self.encode.lengths.len())] {
            require_room("run_length_encode", ArrayArgument::output(name, len), ResultKind::Runs, runs, "x")?;
        }
        Ok(runs)
    }

    /// Borrows the number of runs of the last launch, an array of one element on the device, for later launches.
    pub fn count(&self) -> DeviceSlice<'_, usize> {
        self.memory.count()
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
