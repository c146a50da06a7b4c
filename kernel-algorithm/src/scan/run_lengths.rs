//! Run-length encoding, in a single pass by [look-ahead](crate::scan::look_ahead).
//!
//! It is a scan of pairs: the number of runs that have begun, and the index at which the last one has. A run ends where the next
//! one begins.

use cumbia::error::{ArrayArgument, ResultKind};
use cumbia::intrinsics::{
    WARP_SIZE, ballot_sync, block_idx, grid_dim, shared, shfl_sync, shfl_up_sync, sync_threads, thread_idx,
};
use cumbia::{
    ArrayView1, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Integer, Number, Recorder, Result, Stream,
};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::arrays::{Input, Output, require_room};
use crate::operator::{Equatable, Function2, Plus};
use crate::queue::{Held, Queue, StepsIn};
use crate::scan::counted::{CountedMemory, Tiles};
use crate::scan::look_ahead::{
    BLOCK, Groups, LookAhead, States, blocks_of, load_rows, note_beginning, prefix_of_tile, publish, publish_losses,
    scan_of_warps, stage_rows,
};
use crate::warp::warp_inclusive_scan;

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

/// Returns the length of a run. `C` represents the length of the array.
#[device]
fn length_of<L: Number, C: Number>(length: usize) -> L {
    // Both are constants.
    if usize::cast(L::MAX) < usize::cast(C::MAX) {
        assert!(
            length <= usize::cast(L::MAX),
            "run_length_encode: a run has {} elements, which the type of `lengths` does not represent",
            length
        );
    }
    L::cast(length)
}

/// Stores the first element of each run in `firsts`, its length in `lengths`, and the number of runs in `count`. `states` are
/// of a `LookAhead`. A block has `ITEMS` elements for each thread, and `TILE` in total; `HELD` is `TILE`, or 1 if a thread has a single
/// element. The launch is cooperative.
#[kernel(block = 256, launch_bounds(256, 3))]
pub fn encode_tiles<
    K: DeviceType + PartialEq,
    L: Number,
    C: Number,
    const ITEMS: usize,
    const TILE: usize,
    const HELD: usize,
>(
    x: ArrayView1<K>,
    firsts: &mut [K],
    lengths: &mut [L],
    count: &mut [usize],
    states: States<'_>,
) {
    // The elements of the tile whose number of runs is published. Of the tile before, the first elements of the runs, and their
    // indices in the tile.
    let mut elements = shared::<[K; HELD]>();
    let mut firsts_of_tile = shared::<[K; HELD]>();
    let mut starts = shared::<[u16; TILE]>();
    let t = thread_idx().x;
    if x.len() == 0 {
        return; // Never: for the proofs only.
    }
    // Each warp has consecutive elements. It reads them in rows, and each of its threads compares consecutive ones.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let of_warp = warp * (WARP_SIZE * ITEMS);
    let (tiles, stride) = (x.len().div_ceil(TILE) as u32, grid_dim().x as u32);
    if !states.suffice::<Beginnings<C>>(tiles) {
        return;
    }
    note_beginning();
    let mut groups = Groups::none(Beginnings { count: C::ZERO, last: C::ZERO }, true);
    // The elements of the tile that is loaded, and the one before those of the warp. A thread with a single element keeps it in a
    // register.
    let any = x[0];
    let mut loaded = [any; ITEMS];
    let mut preceding = any;
    let (mut next, mut own) = (any, any);
    // Whether a run begins with it, and the number of those that begin earlier in the tile.
    let (mut own_begins, mut own_rank) = (false, 0u32);
    // Of the two earlier tiles, the runs that begin in all warps, at indices in the tile.
    let none = Beginnings { count: 0u32, last: 0u32 };
    let (mut total_next, mut total_own) = (none, none);
    for step in (block_idx().x as u32..tiles + 2 * stride).step_by(stride as usize) {
        // There are none before the first tile.
        let tile_to_store = step.max(2 * stride) - 2 * stride;
        let asked = groups.ask(tile_to_store, states);
        // A bit for each element of the thread that a run begins with, and the number of runs that begin earlier in the tile.
        let (mut begins, mut earlier) = (0u32, 0u32);
        let is_counted = step >= stride && step - stride < tiles;
        if is_counted {
            let tile = step - stride;
            let first = tile as usize * TILE;
            let own_elements = stage_rows(loaded, &mut elements[..]);
            next = own_elements[0];
            let given = shfl_up_sync(u32::MAX, own_elements[ITEMS - 1], 1);
            let mut before = if lane > 0 { given } else { preceding };
            #[unroll]
            for k in 0..ITEMS {
                begins |= ((own_elements[k] != before) as u32) << k;
                before = own_elements[k];
            }
            if tile == 0 && t == 0 {
                begins |= 1;
            }
            // The elements of the thread up to the last one of the tile.
            let inside = (x.len() - first).min(TILE).max(t * ITEMS) - t * ITEMS;
            if inside < ITEMS {
                begins &= (1u32 << inside) - 1;
            }
            let through = warp_inclusive_scan(begins.count_ones(), Plus);
            let begun = ballot_sync(u32::MAX, begins != 0);
            let last_lane = (31 - begun.max(1).leading_zeros()) as usize;
            let last = (t * ITEMS) as u32 + (31 - begins.max(1).leading_zeros());
            let mut of_warp = Beginnings { count: shfl_sync(u32::MAX, through, WARP_SIZE - 1), last: 0 };
            of_warp.last = shfl_sync(u32::MAX, last, last_lane);
            let (before_warp, total, is_whole) = scan_of_warps(of_warp, none, Joined);
            if !is_whole {
                publish_losses::<Beginnings<C>>(tiles, states);
                return;
            }
            earlier = before_warp.count + through - begins.count_ones();
            total_next = total;
            if t == 0 {
                let last = C::cast(first + total.last as usize);
                publish(tile, Beginnings { count: C::cast(total.count), last }, states);
            }
        } else {
            sync_threads();
        }

        let parts = groups.receive(asked, tile_to_store, states);
        let first = step as usize * TILE;
        preceding = x[(first + of_warp).max(1).min(x.len()) - 1];
        loaded = load_rows(x, first, of_warp + lane, any);

        if step >= 2 * stride {
            let tile = step - 2 * stride;
            let (later, prefix, is_found) = prefix_of_tile(tile, groups, parts, Joined, states);
            if !is_found {
                publish_losses::<Beginnings<C>>(tiles, states);
                return;
            }
            groups = later;
            let first = tile as usize * TILE;
            // The runs that begin before the tile, and the distance of the last one.
            let (begun, last) = (usize::cast(prefix.count), usize::cast(prefix.last));
            if t == 0 && tile == tiles - 1 {
                // The last run ends with the array.
                let runs = begun + total_own.count as usize;
                let last = if total_own.count > 0 { first + total_own.last as usize } else { last };
                count[0] = runs;
                if runs > 0 && runs <= lengths.len() {
                    lengths[runs - 1] = length_of::<L, C>(x.len() - last);
                }
            }
            let firsts_from_tile = &mut firsts[begun.min(firsts.len())..];
            let room_of_firsts = firsts_from_tile.len().min(TILE) as u32;
            // A run ends where the next one begins.
            let is_start = (begun == 0) as u32;
            let lengths_from_tile = &mut lengths[(begun.max(1) - 1).min(lengths.len())..];
            let room_of_lengths = lengths_from_tile.len().min(TILE) as u32;
            for run in (t as u32..total_own.count.min(TILE as u32)).step_by(BLOCK) {
                let start = starts[run as usize] as u32;
                if const { ITEMS > 1 } {
                    if run < room_of_firsts {
                        firsts_from_tile[run as usize] = firsts_of_tile[run as usize];
                    }
                }
                let length = if run > 0 {
                    (start - starts[run.max(1) as usize - 1] as u32) as usize
                } else {
                    start as usize + (first - last)
                };
                if run >= is_start && run - is_start < room_of_lengths {
                    lengths_from_tile[(run - is_start) as usize] = length_of::<L, C>(length);
                }
            }
            if const { ITEMS == 1 } {
                if own_begins && own_rank < room_of_firsts {
                    firsts_from_tile[own_rank as usize] = own;
                }
            }
        }
        // The runs of the tile are stored where those of the tile before were.
        sync_threads();
        if is_counted {
            let mut at = earlier;
            let mut left = begins;
            while left != 0 {
                let i = t * ITEMS + (left.trailing_zeros() as usize).min(ITEMS - 1);
                let run = (at as usize).min(TILE - 1);
                starts[run] = i as u16;
                if const { ITEMS > 1 } {
                    firsts_of_tile[run] = elements[i];
                }
                left &= left - 1;
                at += 1;
            }
        }
        own = next;
        (own_begins, own_rank) = (begins != 0, earlier);
        total_own = total_next;
    }
}

/// Stores the first element of each run of consecutive equal elements in the first elements of `unique_elements`, and the length
/// of the run in those of `lengths`; the other elements keep their values. The value is the number of runs.
///
/// Elements are compared by `==`, so that each NaN is a run. A length that its type does not represent is a fault.
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
        enqueue: RunLengthEncode::steps,
    }
}

/// A run-length encoding: [`run_length_encode`].
#[must_use = "an encoding does nothing until its value is asked for: `.value()?`"]
pub struct RunLengthEncode<'a, K, L> {
    x: ArrayView1<'a, K>,
    firsts: DeviceSliceMut<'a, K>,
    lengths: DeviceSliceMut<'a, L>,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, RunLengthMemory>,
}

/// The temporary memory of a run-length encoding, and the number of runs: see [`RunLengthEncode::prepare_in`].
pub type RunLengthMemory = CountedMemory<Beginnings<u32>, Beginnings<u64>>;

impl<'a, K: DeviceType, L: DeviceType> RunLengthEncode<'a, K, L> {
    /// The elements of a thread, which are twice in shared memory. Odd numbers avoid bank conflicts.
    const ITEMS: usize = match size_of::<K>() {
        0..=4 => 17,
        5..=8 => 9,
        9..=16 => 5,
        17..=24 => 3,
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
}

impl<K: Equatable, L: Integer> RunLengthEncode<'_, K, L> {
    /// Enqueues the encoding.
    fn steps(&mut self, memory: &mut RunLengthMemory, queue: &mut Queue<'_, '_>) -> Result<()> {
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
        if const { Self::ITEMS == 17 } {
            self.enqueue_tiles::<C, 17, { 17 * BLOCK }, { 17 * BLOCK }>(look_ahead, count, queue)
        } else if const { Self::ITEMS == 9 } {
            self.enqueue_tiles::<C, 9, { 9 * BLOCK }, { 9 * BLOCK }>(look_ahead, count, queue)
        } else if const { Self::ITEMS == 5 } {
            self.enqueue_tiles::<C, 5, { 5 * BLOCK }, { 5 * BLOCK }>(look_ahead, count, queue)
        } else if const { Self::ITEMS == 3 } {
            self.enqueue_tiles::<C, 3, { 3 * BLOCK }, { 3 * BLOCK }>(look_ahead, count, queue)
        } else {
            self.enqueue_tiles::<C, 1, BLOCK, 1>(look_ahead, count, queue)
        }
    }

    fn enqueue_tiles<C: Number, const ITEMS: usize, const TILE: usize, const HELD: usize>(
        &mut self,
        look_ahead: &mut LookAhead<Beginnings<C>>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let tiles = self.tiles().count;
        if tiles == 0 {
            return queue.fill(&mut count.as_slice_mut(), 0);
        }
        let shared_bytes = 2 * HELD * size_of::<K>() + TILE * size_of::<u16>();
        let blocks = blocks_of::<Beginnings<C>>(self.x.device(), tiles, shared_bytes);
        let states = look_ahead.begin(tiles, queue)?;
        let RunLengthEncode { x, firsts, lengths, stream: _, enqueue: _ } = self;
        let launch = encode_tiles::<K, L, C, ITEMS, TILE, HELD>(*x, firsts, lengths, count, states);
        queue.launch(launch.grid(blocks).cooperative())
    }
}

/// A [`RunLengthEncode`] with its temporary memory.
pub struct PreparedRunLengthEncode<'a, K, L> {
    encode: RunLengthEncode<'a, K, L>,
    memory: Held<'a, RunLengthMemory>,
}

impl<K: DeviceType, L: DeviceType> PreparedRunLengthEncode<'_, K, L> {
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
        (self.encode.enqueue)(&mut self.encode, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the encoding as steps of a graph, which has the same results as a launch. The stream is the graph's. After the
    /// run, [`PreparedRunLengthEncode::count`] and [`PreparedRunLengthEncode::read`] have the number of runs.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.encode.enqueue)(&mut self.encode, &mut self.memory, &mut Queue::Graph(graph))
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
