//! Reductions of the values of each run of consecutive equal keys, in a single pass by
//! [look-ahead](crate::scan::look_ahead).
//!
//! It is a scan of the pairs of the scans by key. A run ends where the next one begins, also in a later tile.

use cumbia::error::{ArrayArgument, ResultKind};
use cumbia::intrinsics::{WARP_SIZE, block_idx, grid_dim, shared, shfl_up_sync, sync_threads, thread_idx};
use cumbia::{ArrayView1, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::kernel;

use crate::arrays::{Input, Output, require_room};
use crate::operator::{Equatable, Function2};
use crate::queue::{Held, Queue, StepsIn};
use crate::scan::by_key::{Elements, Followed, Runs, RunsMemory};
use crate::scan::counted::{CountedMemory, Tiles};
use crate::scan::look_ahead::{
    BLOCK, Groups, LookAhead, States, blocks_of, load_rows, note_beginning, prefix_of_tile, publish, publish_losses,
    scan_of_block, stage_rows,
};

/// Stores the key of each run in `firsts`, the reduction of its values in `y`, and the number of runs in `count`. `states` are
/// of a `LookAhead`. A block has `ITEMS` elements for each thread, and `TILE` in total; `HELD` is `TILE`, or 1 if a thread has a single
/// element. The launch is cooperative.
#[kernel(block = 256, launch_bounds(256, 3))]
pub fn reduce_runs<
    K: DeviceType + PartialEq,
    V: DeviceType,
    C: Number,
    F: Function2<V, V, Output = V>,
    const ITEMS: usize,
    const TILE: usize,
    const HELD: usize,
>(
    operator: F,
    keys: ArrayView1<K>,
    x: ArrayView1<V>,
    firsts: &mut [K],
    y: &mut [V],
    count: &mut [usize],
    states: States<'_>,
) {
    // Of the tile whose aggregate is published, the keys of the runs that begin among the elements of each thread, in the places
    // of its first elements, and the reductions of its values before each of them. Of the tile before, the keys of all runs that
    // begin, and the reductions of the values of the runs that end there.
    let mut keys_of_tile = shared::<[K; HELD]>();
    let mut values_of_tile = shared::<[V; HELD]>();
    let mut firsts_of_tile = shared::<[K; HELD]>();
    let mut totals_of_tile = shared::<[V; HELD]>();
    let t = thread_idx().x;
    let len = keys.len();
    if len == 0 || x.len() < len {
        return; // Never: for the proofs only.
    }
    let followed = Followed(operator);
    // Each warp has consecutive elements. It reads them in rows, and each of its threads reduces consecutive ones.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let of_warp = warp * (WARP_SIZE * ITEMS);
    let (tiles, stride) = (len.div_ceil(TILE) as u32, grid_dim().x as u32);
    if !states.suffice::<Runs<C, V>>(tiles) {
        return;
    }
    note_beginning();
    let (any_key, any) = (keys[0], x[0]);
    let mut groups = Groups::none(Runs { begun: C::ZERO, value: any }, false);
    // The keys and values of the tile that is loaded, and the key before those of the warp.
    let mut loaded_keys = [any_key; ITEMS];
    let mut preceding = any_key;
    let mut loaded = [any; ITEMS];
    // A thread with a single element keeps the key in a register, with whether a run begins, the number of runs that begin
    // earlier in the tile, and the reduction of the values of the run that ends.
    let (mut next, mut own) = (any_key, any_key);
    let (mut own_rank, mut own_total) = (0u32, any);
    // Whether a run begins with the first of the thread's elements.
    let mut own_begins = false;
    // The aggregates of the two earlier tiles.
    let none = Runs { begun: 0u32, value: any };
    let (mut aggregate_next, mut aggregate_own) = (none, none);
    for step in (block_idx().x as u32..tiles + 2 * stride).step_by(stride as usize) {
        // There are none before the first tile.
        let tile_to_store = step.max(2 * stride) - 2 * stride;
        let asked = groups.ask(tile_to_store, states);
        // The number of runs that begin among the elements of the thread, and whether one does with the first of them; and the
        // runs of the earlier elements of the tile.
        let (mut begun, mut begins) = (0u32, false);
        let mut before = none;
        let is_counted = step >= stride && step - stride < tiles;
        if is_counted {
            let tile = step - stride;
            let count_of_tile = (len - tile as usize * TILE).min(TILE) as u32;
            let mine = count_of_tile.saturating_sub((t * ITEMS) as u32).min(ITEMS as u32) as usize;
            let is_first = tile == 0 && t == 0;
            let own_keys = stage_rows(loaded_keys, &mut keys_of_tile[..]);
            let own_values = stage_rows(loaded, &mut values_of_tile[..]);
            next = own_keys[0];
            let given = shfl_up_sync(u32::MAX, own_keys[ITEMS - 1], 1);
            let key_before = if lane > 0 { given } else { preceding };
            begins = mine > 0 && (is_first || own_keys[0] != key_before);
            begun = begins as u32;
            let mut value = own_values[0];
            if const { ITEMS > 1 } {
                if begins {
                    keys_of_tile[t * ITEMS] = own_keys[0];
                }
                if mine == ITEMS {
                    #[unroll]
                    for k in 1..ITEMS {
                        if own_keys[k] != own_keys[k - 1] {
                            let place = t * ITEMS + (begun as usize).min(k);
                            keys_of_tile[place] = own_keys[k];
                            values_of_tile[place] = value;
                            begun += 1;
                            value = own_values[k];
                        } else {
                            value = operator.call(value, own_values[k]);
                        }
                    }
                } else {
                    let mut last = own_keys[0];
                    for k in 1..mine {
                        let (key, of_key) = (keys_of_tile[t * ITEMS + k], values_of_tile[t * ITEMS + k]);
                        if key != last {
                            let place = t * ITEMS + (begun as usize).min(k);
                            keys_of_tile[place] = key;
                            values_of_tile[place] = value;
                            begun += 1;
                            value = of_key;
                        } else {
                            value = operator.call(value, of_key);
                        }
                        last = key;
                    }
                }
            }
            let of_thread = Runs { begun, value };
            let (earlier, aggregate, publishes, is_whole) =
                scan_of_block(of_thread, count_of_tile.div_ceil(ITEMS as u32), followed);
            if !is_whole {
                publish_losses::<Runs<C, V>>(tiles, states);
                return;
            }
            before = Runs { begun: if t > 0 { earlier.begun } else { 0 }, value: earlier.value };
            aggregate_next = aggregate;
            if publishes {
                publish(tile, Runs { begun: C::cast(aggregate.begun), value: aggregate.value }, states);
            }
        } else {
            sync_threads();
        }

        let parts = groups.receive(asked, tile_to_store, states);
        let first = step as usize * TILE;
        preceding = keys[(first + of_warp).max(1).min(len) - 1];
        loaded_keys = load_rows(keys, first, of_warp + lane, any_key);
        // There are as many values as keys.
        loaded = load_rows(x, first, of_warp + lane, any);

        if step >= 2 * stride {
            let tile = step - 2 * stride;
            let (later, prefix, is_found) = prefix_of_tile(tile, groups, parts, followed, states);
            if !is_found {
                publish_losses::<Runs<C, V>>(tiles, states);
                return;
            }
            groups = later;
            // The runs that begin before the tile: at least one, unless it is the first tile.
            let earlier = if tile > 0 { usize::cast(prefix.begun) } else { 0 };
            if t == 0 && tile == tiles - 1 {
                // The last run ends with the array.
                let runs = earlier + aggregate_own.begun as usize;
                count[0] = runs;
                if runs > 0 && runs <= y.len() {
                    let is_open = tile > 0 && aggregate_own.begun == 0;
                    let total = aggregate_own.value;
                    y[runs - 1] = if is_open { operator.call(prefix.value, total) } else { total };
                }
            }
            let firsts_from_tile = &mut firsts[earlier.min(firsts.len())..];
            let room_of_firsts = firsts_from_tile.len().min(TILE) as u32;
            // A run ends where the next one begins.
            let is_start = (tile == 0) as u32;
            let y_from_tile = &mut y[(earlier.max(1) - 1).min(y.len())..];
            let room = y_from_tile.len().min(TILE) as u32;
            if const { ITEMS > 1 } {
                for run in (t as u32..aggregate_own.begun.min(TILE as u32)).step_by(BLOCK) {
                    if run < room_of_firsts {
                        firsts_from_tile[run as usize] = firsts_of_tile[run as usize];
                    }
                    if run >= is_start && run - is_start < room {
                        let mut total = totals_of_tile[run as usize];
                        // The first thread has the first element and the first run.
                        if run == 0 {
                            total = if own_begins { prefix.value } else { operator.call(prefix.value, total) };
                        }
                        y_from_tile[(run - is_start) as usize] = total;
                    }
                }
            } else if own_begins {
                if own_rank < room_of_firsts {
                    firsts_from_tile[own_rank as usize] = own;
                }
                if own_rank >= is_start && own_rank - is_start < room {
                    let mut total = own_total;
                    if own_rank == 0 {
                        total = if t == 0 { prefix.value } else { operator.call(prefix.value, total) };
                    }
                    y_from_tile[(own_rank - is_start) as usize] = total;
                }
            }
        }
        // The runs of the tile are stored where those of the tile before were.
        sync_threads();
        if is_counted && const { ITEMS > 1 } {
            for k in 0..begun {
                let from = t * ITEMS + (k as usize).min(ITEMS - 1);
                let run = ((before.begun + k) as usize).min(TILE - 1);
                let mut total = values_of_tile[from];
                if k == 0 {
                    if begins {
                        total = before.value;
                    } else if t > 0 {
                        total = operator.call(before.value, total);
                    }
                }
                firsts_of_tile[run] = keys_of_tile[from];
                totals_of_tile[run] = total;
            }
        }
        own = next;
        (own_begins, own_rank, own_total) = (begins, before.begun, before.value);
        aggregate_own = aggregate_next;
    }
}

/// Reduces the values of each run of consecutive equal keys. The key of each run is stored in the first elements of
/// `unique_keys`, and the reduction of its values, in their order, in those of `y`; the other elements keep their values. The
/// value is the number of runs.
///
/// The operator has to be associative. The parentheses depend on the keys and the length alone, so that the result is the same
/// in each launch. Keys are compared by `==`, so that each NaN is a run.
///
/// ```
/// use cumbia::algorithm::{Plus, reduce_by_key};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let keys = device.to_device(&[7u8, 7, 3, 7, 7])?;
/// let x = device.to_device(&[1.0, 2.0, 4.0, 8.0, 16.0])?;
/// let (mut unique_keys, mut sums) = (device.zeros(5)?, device.zeros(5)?);
/// let n = reduce_by_key(&keys, &x, &mut unique_keys, &mut sums, Plus).value()?;
/// assert_eq!(unique_keys.slice(..n)?.to_host()?, [7, 3, 7]);
/// assert_eq!(sums.slice(..n)?.to_host()?, [3.0, 4.0, 24.0]);
/// # Ok(())
/// # }
/// ```
pub fn reduce_by_key<'a, K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>>(
    keys: &'a (impl Input<Element = K> + ?Sized),
    x: &'a (impl Input<Element = V> + ?Sized),
    unique_keys: &'a mut (impl Output<Element = K> + ?Sized),
    y: &'a mut (impl Output<Element = V> + ?Sized),
    operator: F,
) -> ReduceByKey<'a, K, V, F> {
    ReduceByKey {
        elements: Elements { keys: keys.elements(), x: x.elements(), operator },
        firsts: unique_keys.elements_mut(),
        y: y.elements_mut(),
        stream: None,
        enqueue: ReduceByKey::steps,
    }
}

/// The arrays that a reduction writes.
struct Results<'a, K, V> {
    firsts: DeviceSliceMut<'a, K>,
    y: DeviceSliceMut<'a, V>,
}

impl<K: DeviceType, V: DeviceType, F> Elements<'_, K, V, F> {
    /// The elements of a thread, whose keys and values are twice in shared memory. Odd numbers avoid bank conflicts.
    const ITEMS_OF_REDUCTION: usize = match size_of::<K>() + size_of::<V>() {
        0..=8 => 11,
        9..=16 => 5,
        17..=24 => 3,
        _ => 1,
    };

    /// Returns the tiles of a reduction.
    fn tiles_of_reduction(&self) -> Tiles {
        let () = const {
            assert!(size_of::<Runs<u64, V>>() <= 160, "the values of a reduction by key have at most 152 bytes");
        };
        Tiles::new(self.keys.len(), Self::ITEMS_OF_REDUCTION)
    }
}

impl<K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>> Elements<'_, K, V, F> {
    /// Enqueues the reduction of the runs.
    fn reduce(&self, results: Results<'_, K, V>, memory: &mut RunsMemory<V>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let CountedMemory { narrow, wide, count } = memory;
        if self.keys.is_empty() {
            queue.fill(&mut count.as_slice_mut(), 0)
        } else if self.tiles_of_reduction().is_narrow {
            self.reduce_by::<u32>(results, narrow, count, queue)
        } else {
            self.reduce_by::<u64>(results, wide, count, queue)
        }
    }

    /// Enqueues the reduction, with numbers of runs of type `C`.
    fn reduce_by<C: Number>(
        &self,
        results: Results<'_, K, V>,
        look_ahead: &mut LookAhead<Runs<C, V>>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        // Conditions that are constants, so that the kernel is compiled for one number of items.
        if const { Self::ITEMS_OF_REDUCTION == 11 } {
            self.reduce_tiles::<C, 11, { 11 * BLOCK }, { 11 * BLOCK }>(results, look_ahead, count, queue)
        } else if const { Self::ITEMS_OF_REDUCTION == 5 } {
            self.reduce_tiles::<C, 5, { 5 * BLOCK }, { 5 * BLOCK }>(results, look_ahead, count, queue)
        } else if const { Self::ITEMS_OF_REDUCTION == 3 } {
            self.reduce_tiles::<C, 3, { 3 * BLOCK }, { 3 * BLOCK }>(results, look_ahead, count, queue)
        } else {
            self.reduce_tiles::<C, 1, BLOCK, 1>(results, look_ahead, count, queue)
        }
    }

    fn reduce_tiles<C: Number, const ITEMS: usize, const TILE: usize, const HELD: usize>(
        &self,
        results: Results<'_, K, V>,
        look_ahead: &mut LookAhead<Runs<C, V>>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let tiles = self.tiles_of_reduction().count;
        let shared_bytes = 2 * HELD * (size_of::<K>() + size_of::<V>());
        let blocks = blocks_of::<Runs<C, V>>(self.keys.device(), tiles, shared_bytes);
        let states = look_ahead.begin(tiles, queue)?;
        let Results { mut firsts, mut y } = results;
        let launch = reduce_runs::<K, V, C, F, ITEMS, TILE, HELD>(
            self.operator,
            &self.keys,
            &self.x,
            &mut firsts,
            &mut y,
            count,
            states,
        );
        queue.launch(launch.grid(blocks).cooperative())
    }
}

/// A reduction of runs: [`reduce_by_key`].
#[must_use = "a reduction does nothing until its value is asked for: `.value()?`"]
pub struct ReduceByKey<'a, K, V: DeviceType, F> {
    elements: Elements<'a, K, V, F>,
    firsts: DeviceSliceMut<'a, K>,
    y: DeviceSliceMut<'a, V>,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, RunsMemory<V>>,
}

impl<'a, K: DeviceType, V: DeviceType, F> ReduceByKey<'a, K, V, F> {
    /// Enqueues the reduction on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Reduces the runs, waits, and returns their number.
    ///
    /// # Errors
    ///
    /// Those of [`ReduceByKey::prepare`] and [`PreparedReduceByKey::value`].
    pub fn value(self) -> Result<usize> {
        self.prepare()?.value()
    }

    /// Allocates the temporary memory, so that runs can be reduced repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if there are not as many values as keys,
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedReduceByKey<'a, K, V, F>> {
        self.elements.check("reduce_by_key")?;
        Ok(PreparedReduceByKey { memory: Held::Owned(self.memory()?), reduce: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<RunsMemory<V>> {
        let default = self.elements.keys.device().default_stream();
        RunsMemory::new(self.stream.unwrap_or(&default), self.elements.tiles_of_reduction())
    }

    /// Uses memory of an earlier algorithm on runs instead of allocating it; it is replaced if it is too short, or on another
    /// device. The arrays are borrowed only as long as the result of this function, as by
    /// [`Select::prepare_in`](crate::Select::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`ReduceByKey::prepare`].
    pub fn prepare_in(self, memory: &'a mut RunsMemory<V>) -> Result<PreparedReduceByKey<'a, K, V, F>> {
        self.elements.check("reduce_by_key")?;
        let default = self.elements.keys.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.elements.tiles_of_reduction())?;
        Ok(PreparedReduceByKey { memory: Held::Borrowed(memory), reduce: self })
    }
}

impl<K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>> ReduceByKey<'_, K, V, F> {
    /// Enqueues the reduction.
    fn steps(&mut self, memory: &mut RunsMemory<V>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let results = Results { firsts: self.firsts.as_slice_mut(), y: self.y.as_slice_mut() };
        self.elements.reduce(results, memory, queue)
    }
}

/// A [`ReduceByKey`] with its temporary memory.
pub struct PreparedReduceByKey<'a, K, V: DeviceType, F> {
    reduce: ReduceByKey<'a, K, V, F>,
    memory: Held<'a, RunsMemory<V>>,
}

impl<K: DeviceType, V: DeviceType, F> PreparedReduceByKey<'_, K, V, F> {
    /// Enqueues the reduction of the elements that the arrays have then, without waiting for the number of runs. If an output is
    /// too short, it has the first runs, and the number of all is found by [`PreparedReduceByKey::count`] or
    /// [`PreparedReduceByKey::read`].
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.reduce.elements.keys.device().default_stream();
        let stream = self.reduce.stream.unwrap_or(&default);
        (self.reduce.enqueue)(&mut self.reduce, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the reduction as steps of a graph, which has the same results as a launch. The stream is the graph's. After
    /// the run, [`PreparedReduceByKey::count`] and [`PreparedReduceByKey::read`] have the number of runs.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.reduce.enqueue)(&mut self.reduce, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Reduces the runs, waits, and returns their number.
    ///
    /// # Errors
    ///
    /// Those of [`PreparedReduceByKey::launch`] and [`PreparedReduceByKey::read`].
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
        for (name, len) in [("unique_keys", self.reduce.firsts.len()), ("y", self.reduce.y.len())] {
            require_room("reduce_by_key", ArrayArgument::output(name, len), ResultKind::Runs, runs, "keys")?;
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
