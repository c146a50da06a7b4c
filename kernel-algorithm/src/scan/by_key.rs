//! Scans of the values of each run of consecutive equal keys, in a single pass by [look-ahead](crate::scan::look_ahead).
//!
//! They are scans of pairs: the number of runs that have begun, and the reduction of the values since the last beginning.

use cumbia::error::ArrayArgument;
use cumbia::intrinsics::{WARP_SIZE, ballot_sync, block_idx, grid_dim, shared, sync_threads, sync_warp, thread_idx};
use cumbia::{ArrayView1, DeviceSliceMut, DeviceType, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::arrays::{Input, Output, require_same_length};
use crate::operator::{Equatable, Function2};
use crate::queue::{Held, Queue, StepsIn};
use crate::scan::counted::{CountedMemory, Tiles};
use crate::scan::look_ahead::{
    BLOCK, Groups, LookAhead, States, before_in_rows, blocks_of, load_rows, note_beginning, prefix_of_tile, publish,
    publish_losses, scan_of_block,
};

/// The number of runs that begin among some elements, and the reduction of the values from the last beginning on; of all values
/// if no run begins.
#[derive(Clone, Copy, DeviceType)]
pub struct Runs<C: DeviceType, V: DeviceType> {
    /// The number of runs.
    pub begun: C,
    /// The reduction of the values.
    pub value: V,
}

/// The [`Runs`] of elements and later ones, of which values of one run are combined by an operator.
#[derive(Clone, Copy, DeviceType)]
pub(super) struct Followed<F: DeviceType>(pub(super) F);

#[device]
impl<C: Number, V: DeviceType, F: Function2<V, V, Output = V>> Function2<Runs<C, V>, Runs<C, V>> for Followed<F> {
    type Output = Runs<C, V>;

    fn call(self, a: Runs<C, V>, b: Runs<C, V>) -> Runs<C, V> {
        let value = if b.begun == C::ZERO { self.0.call(a.value, b.value) } else { b.value };
        Runs { begun: a.begun + b.begun, value }
    }
}

/// Stores the scan of the values of each run of equal keys in `y`. `states` are of a `LookAhead`. A block has `ITEMS` elements for
/// each thread, in `ROWS` rows of 32 (1 if a thread has a single element). The launch is cooperative.
#[kernel(block = 256, launch_bounds(256, 3))]
pub fn scan_runs<
    K: DeviceType + PartialEq,
    V: DeviceType,
    C: Number,
    F: Function2<V, V, Output = V>,
    const ITEMS: usize,
    const ROWS: usize,
    const EXCLUSIVE: bool,
>(
    operator: F,
    initial: V,
    keys: ArrayView1<K>,
    x: ArrayView1<V>,
    y: &mut [V],
    states: States<'_>,
) {
    // The values of the tile whose aggregate is published, and of the one before, whose results are stored. A column more than
    // the elements of a row, so that the elements of a thread and those of a warp are in different banks.
    let mut scanned = shared::<[[[V; WARP_SIZE + 1]; ROWS]; 2]>();
    let t = thread_idx().x;
    let len = keys.len();
    if len == 0 || x.len() < len {
        return; // Never: for the proofs only.
    }
    let followed = Followed(operator);
    // Each warp has consecutive elements, and rows of its own, in which it exchanges them: it loads and stores row by row, and
    // each lane scans consecutive elements.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let row = warp * ITEMS;
    let lanes_of_row = WARP_SIZE / ITEMS;
    let (own_row, own_column) = (row + lane / lanes_of_row, lane % lanes_of_row * ITEMS);
    let in_tile = row * WARP_SIZE + lane;
    let (tiles, stride) = (len.div_ceil(BLOCK * ITEMS) as u32, grid_dim().x as u32);
    if !states.suffice::<Runs<C, V>>(tiles) {
        return;
    }
    note_beginning();
    let mut groups = Groups::none(Runs { begun: C::ZERO, value: initial }, false);

    // The keys and values of the tile that is loaded, and the key before those of the warp.
    let any_key = keys[0];
    let mut loaded_keys = [any_key; ITEMS];
    let mut preceding = any_key;
    let mut loaded = [initial; ITEMS];
    // Instead, if a thread has a single element.
    let (mut next, mut own) = (initial, initial);
    // For each of the two tiles a bit for each own element: whether a run begins.
    let (mut begins_next, mut begins_own) = (0u32, 0u32);
    // The runs of the earlier threads of the tile.
    let mut before_next = Runs { begun: C::ZERO, value: initial };
    let mut before_own = before_next;
    for step in (block_idx().x as u32..tiles + 2 * stride).step_by(stride as usize) {
        // There are none before the first tile.
        let tile_to_store = step.max(2 * stride) - 2 * stride;
        let asked = groups.ask(tile_to_store, states);
        if step >= stride && step - stride < tiles {
            let tile = step - stride;
            let first = tile as usize * (BLOCK * ITEMS);
            let count_of_tile = (len - first).min(BLOCK * ITEMS) as u32;
            begins_next = 0;
            let slot = (step / stride % 2) as usize;
            sync_warp(u32::MAX);
            #[unroll]
            for k in 0..ITEMS {
                let before = before_in_rows(loaded_keys, k, preceding);
                let is_inside = ((in_tile + k * WARP_SIZE) as u32) < count_of_tile;
                let begins = is_inside && (k == 0 && tile == 0 && t == 0 || loaded_keys[k] != before);
                let of_row = ballot_sync(u32::MAX, begins);
                if lane / lanes_of_row == k {
                    begins_next = of_row;
                }
                let mut value = loaded[k];
                if EXCLUSIVE && begins {
                    value = operator.call(initial, value);
                }
                if const { ITEMS > 1 } {
                    scanned[slot][row + k][lane] = value;
                } else {
                    next = value;
                }
            }
            begins_next = begins_next >> own_column & ((1 << ITEMS) - 1);
            sync_warp(u32::MAX);
            let mine = count_of_tile.saturating_sub((t * ITEMS) as u32).min(ITEMS as u32) as usize;
            let mut total = next;
            if const { ITEMS > 1 } {
                total = scanned[slot][own_row][own_column];
            }
            #[unroll]
            for k in 1..ITEMS {
                if k < mine {
                    let value = scanned[slot][own_row][own_column + k];
                    total = if begins_next >> k & 1 == 0 { operator.call(total, value) } else { value };
                    scanned[slot][own_row][own_column + k] = total;
                }
            }
            let total = Runs { begun: C::cast(begins_next.count_ones()), value: total };
            let (before, aggregate, publishes, is_whole) =
                scan_of_block(total, count_of_tile.div_ceil(ITEMS as u32), followed);
            if !is_whole {
                publish_losses::<Runs<C, V>>(tiles, states);
                return;
            }
            before_next = before;
            if publishes {
                publish(tile, aggregate, states);
            }
        } else {
            sync_threads();
        }

        let parts = groups.receive(asked, tile_to_store, states);
        let first = step as usize * (BLOCK * ITEMS);
        preceding = keys[(first + (in_tile - lane)).max(1).min(len) - 1];
        loaded_keys = load_rows(keys, first, in_tile, any_key);
        // There are as many values as keys.
        loaded = load_rows(x, first, in_tile, initial);

        if step >= 2 * stride {
            let tile = step - 2 * stride;
            let first = tile as usize * (BLOCK * ITEMS);
            let count_of_tile = (len - first).min(BLOCK * ITEMS) as u32;
            let (later, prefix, is_found) = prefix_of_tile(tile, groups, parts, followed, states);
            if !is_found {
                publish_losses::<Runs<C, V>>(tiles, states);
                return;
            }
            groups = later;
            let mine = count_of_tile.saturating_sub((t * ITEMS) as u32).min(ITEMS as u32) as usize;
            // The runs of all earlier elements.
            let has_lead = tile > 0 || t > 0;
            let mut lead = before_own;
            if mine > 0 && tile > 0 {
                lead = if t > 0 { followed.call(prefix, before_own) } else { prefix };
            }
            let slot = ((step / stride + 1) % 2) as usize;
            let mut last = lead.value;
            #[unroll]
            for k in 0..ITEMS {
                let mut result = last;
                if k < mine {
                    let mut through = own;
                    if const { ITEMS > 1 } {
                        through = scanned[slot][own_row][own_column + k];
                    }
                    // No run begins up to this element.
                    if has_lead && begins_own & ((2 << k) - 1) == 0 {
                        through = operator.call(lead.value, through);
                    }
                    if !EXCLUSIVE {
                        result = through;
                    } else if begins_own >> k & 1 != 0 {
                        result = initial;
                    }
                    last = through;
                    if const { ITEMS > 1 } {
                        scanned[slot][own_row][own_column + k] = result;
                    } else {
                        own = result;
                    }
                }
            }
            sync_warp(u32::MAX);
            let at = first + in_tile;
            #[unroll]
            for k in 0..ITEMS {
                if at + k * WARP_SIZE < y.len() {
                    y[at + k * WARP_SIZE] = if const { ITEMS > 1 } { scanned[slot][row + k][lane] } else { own };
                }
            }
        } else {
            // The next tile's aggregate uses the same shared memory as the last one.
            sync_threads();
        }
        own = next;
        (begins_own, before_own) = (begins_next, before_next);
    }
}

/// Scans the values of each run of consecutive equal keys: `y[i] = operator(.. operator(x[j], x[j + 1]) .., x[i])`, with the
/// beginning `j` of the run of `i`, and any parentheses.
///
/// The operator has to be associative. Keys are compared by `==`, so that each NaN is a run.
///
/// ```
/// use cumbia::algorithm::{Plus, exclusive_scan_by_key, inclusive_scan_by_key};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let keys = device.to_device(&[7u8, 7, 3, 7, 7])?;
/// let x = device.to_device(&[1, 2, 4, 8, 16])?;
/// let mut y = device.zeros(5)?;
/// inclusive_scan_by_key(&keys, &x, &mut y, Plus).launch()?;
/// assert_eq!(y.to_host()?, [1, 3, 4, 8, 24]);
/// exclusive_scan_by_key(&keys, &x, &mut y, 100, Plus).launch()?;
/// assert_eq!(y.to_host()?, [100, 101, 100, 100, 108]);
/// # Ok(())
/// # }
/// ```
pub fn inclusive_scan_by_key<'a, K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>>(
    keys: &'a (impl Input<Element = K> + ?Sized),
    x: &'a (impl Input<Element = V> + ?Sized),
    y: &'a mut (impl Output<Element = V> + ?Sized),
    operator: F,
) -> ScanByKey<'a, K, V, F, false> {
    let elements = Elements { keys: keys.elements(), x: x.elements(), operator };
    ScanByKey { elements, initial: V::__placeholder(), y: y.elements_mut(), stream: None, enqueue: ScanByKey::steps }
}

/// Scans the values of each run of consecutive equal keys: `y[i] = operator(.. operator(operator(initial, x[j]), x[j + 1]) ..,
/// x[i - 1])`, with the beginning `j` of the run of `i`, and any parentheses; `y[j] = initial`.
///
/// The operator has to be associative, as for [`inclusive_scan_by_key`]. It is called with `initial` and the first value of each run,
/// also of a run of one element, and faults if it does for these.
pub fn exclusive_scan_by_key<'a, K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>>(
    keys: &'a (impl Input<Element = K> + ?Sized),
    x: &'a (impl Input<Element = V> + ?Sized),
    y: &'a mut (impl Output<Element = V> + ?Sized),
    initial: V,
    operator: F,
) -> ScanByKey<'a, K, V, F, true> {
    let elements = Elements { keys: keys.elements(), x: x.elements(), operator };
    ScanByKey { elements, initial, y: y.elements_mut(), stream: None, enqueue: ScanByKey::steps }
}

/// Keys with their values.
pub(super) struct Elements<'a, K, V, F> {
    pub(super) keys: ArrayView1<'a, K>,
    pub(super) x: ArrayView1<'a, V>,
    pub(super) operator: F,
}

impl<K: DeviceType, V: DeviceType, F> Elements<'_, K, V, F> {
    /// The elements of a thread, whose keys and values it has once in registers, and whose values twice in shared memory.
    const ITEMS: usize = match max(size_of::<K>(), size_of::<V>()) {
        0..=4 => 16,
        5..=8 => 8,
        9..=16 => 4,
        17..=32 => 2,
        _ => 1,
    };

    fn tiles(&self) -> Tiles {
        let () =
            const { assert!(size_of::<Runs<u64, V>>() <= 160, "the values of a scan by key have at most 152 bytes") };
        Tiles::new(self.keys.len(), Self::ITEMS)
    }

    /// Checks that there are as many values as keys.
    pub(super) fn check(&self, algorithm: &'static str) -> Result<()> {
        let (keys, x) = (ArrayArgument::input("keys", self.keys.len()), ArrayArgument::input("x", self.x.len()));
        require_same_length(algorithm, x, keys)
    }
}

impl<K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>> Elements<'_, K, V, F> {
    /// Enqueues the scan of the elements.
    fn scan<const EXCLUSIVE: bool>(
        &self,
        initial: V,
        y: &mut DeviceSliceMut<'_, V>,
        memory: &mut RunsMemory<V>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        if self.keys.is_empty() {
            Ok(())
        } else if self.tiles().is_narrow {
            self.count_by::<u32, EXCLUSIVE>(initial, y, &mut memory.narrow, queue)
        } else {
            self.count_by::<u64, EXCLUSIVE>(initial, y, &mut memory.wide, queue)
        }
    }

    /// Enqueues the scan, with numbers of runs of type `C`.
    fn count_by<C: Number, const EXCLUSIVE: bool>(
        &self,
        initial: V,
        y: &mut DeviceSliceMut<'_, V>,
        look_ahead: &mut LookAhead<Runs<C, V>>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        // Conditions that are constants, so that the kernel is compiled for one number of items.
        if const { Self::ITEMS == 16 } {
            self.enqueue_tiles::<C, 16, 128, EXCLUSIVE>(initial, y, look_ahead, queue)
        } else if const { Self::ITEMS == 8 } {
            self.enqueue_tiles::<C, 8, 64, EXCLUSIVE>(initial, y, look_ahead, queue)
        } else if const { Self::ITEMS == 4 } {
            self.enqueue_tiles::<C, 4, 32, EXCLUSIVE>(initial, y, look_ahead, queue)
        } else if const { Self::ITEMS == 2 } {
            self.enqueue_tiles::<C, 2, 16, EXCLUSIVE>(initial, y, look_ahead, queue)
        } else {
            self.enqueue_tiles::<C, 1, 1, EXCLUSIVE>(initial, y, look_ahead, queue)
        }
    }

    fn enqueue_tiles<C: Number, const ITEMS: usize, const ROWS: usize, const EXCLUSIVE: bool>(
        &self,
        initial: V,
        y: &mut DeviceSliceMut<'_, V>,
        look_ahead: &mut LookAhead<Runs<C, V>>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let tiles = self.tiles().count;
        let shared_bytes = 2 * ROWS * (WARP_SIZE + 1) * size_of::<V>();
        let blocks = blocks_of::<Runs<C, V>>(self.keys.device(), tiles, shared_bytes);
        let states = look_ahead.begin(tiles, queue)?;
        let (operator, keys, x) = (self.operator, &self.keys, &self.x);
        let launch = scan_runs::<K, V, C, F, ITEMS, ROWS, EXCLUSIVE>(operator, initial, keys, x, y, states);
        queue.launch(launch.grid(blocks).cooperative())
    }
}

/// Returns the greater number, in a constant.
const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// The temporary memory of an algorithm on runs, and the number of runs: see [`ScanByKey::prepare_in`].
pub type RunsMemory<V> = CountedMemory<Runs<u32, V>, Runs<u64, V>>;

/// A scan of runs: [`inclusive_scan_by_key`] or [`exclusive_scan_by_key`].
#[must_use = "a scan does nothing until it is launched: `.launch()?`"]
pub struct ScanByKey<'a, K, V: DeviceType, F, const EXCLUSIVE: bool> {
    elements: Elements<'a, K, V, F>,
    /// The first result of each run of an exclusive scan, which an inclusive one does not use.
    initial: V,
    y: DeviceSliceMut<'a, V>,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, RunsMemory<V>>,
}

impl<'a, K: DeviceType, V: DeviceType, F, const EXCLUSIVE: bool> ScanByKey<'a, K, V, F, EXCLUSIVE> {
    /// Enqueues the scan on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the scan.
    ///
    /// # Errors
    ///
    /// Those of [`ScanByKey::prepare`], and of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that the scan can be launched repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of the arrays differ,
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedScanByKey<'a, K, V, F, EXCLUSIVE>> {
        self.check()?;
        Ok(PreparedScanByKey { memory: Held::Owned(self.memory()?), scan: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<RunsMemory<V>> {
        let default = self.elements.keys.device().default_stream();
        RunsMemory::new(self.stream.unwrap_or(&default), self.elements.tiles())
    }

    /// Uses memory of an earlier algorithm on runs instead of allocating it; it is replaced if it is too short, or on another
    /// device. The arrays are borrowed only as long as the result of this function, as by
    /// [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`ScanByKey::prepare`].
    pub fn prepare_in(self, memory: &'a mut RunsMemory<V>) -> Result<PreparedScanByKey<'a, K, V, F, EXCLUSIVE>> {
        self.check()?;
        let default = self.elements.keys.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.elements.tiles())?;
        Ok(PreparedScanByKey { memory: Held::Borrowed(memory), scan: self })
    }

    /// Checks that the arrays have the same length.
    fn check(&self) -> Result<()> {
        let algorithm = if EXCLUSIVE { "exclusive_scan_by_key" } else { "inclusive_scan_by_key" };
        self.elements.check(algorithm)?;
        let keys = ArrayArgument::input("keys", self.elements.keys.len());
        require_same_length(algorithm, ArrayArgument::output("y", self.y.len()), keys)
    }
}

impl<K: Equatable, V: DeviceType, F: Function2<V, V, Output = V>, const EXCLUSIVE: bool>
    ScanByKey<'_, K, V, F, EXCLUSIVE>
{
    /// Enqueues the scan.
    fn steps(&mut self, memory: &mut RunsMemory<V>, queue: &mut Queue<'_, '_>) -> Result<()> {
        self.elements.scan::<EXCLUSIVE>(self.initial, &mut self.y, memory, queue)
    }
}

/// A [`ScanByKey`] with its temporary memory.
pub struct PreparedScanByKey<'a, K, V: DeviceType, F, const EXCLUSIVE: bool> {
    scan: ScanByKey<'a, K, V, F, EXCLUSIVE>,
    memory: Held<'a, RunsMemory<V>>,
}

impl<K: DeviceType, V: DeviceType, F, const EXCLUSIVE: bool> PreparedScanByKey<'_, K, V, F, EXCLUSIVE> {
    /// Enqueues the scan of the elements that the arrays have then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.scan.elements.keys.device().default_stream();
        let stream = self.scan.stream.unwrap_or(&default);
        (self.scan.enqueue)(&mut self.scan, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the scan as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.scan.enqueue)(&mut self.scan, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
