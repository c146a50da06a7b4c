//! Inclusive and exclusive scans of an array, in a single pass by [look-ahead](crate::scan::look_ahead).

pub(crate) mod by_key;
pub(crate) mod counted;
pub(crate) mod look_ahead;
pub(crate) mod reduce_by_key;
pub(crate) mod run_lengths;
pub(crate) mod select;

use cumbia::error::ArrayArgument;
use cumbia::intrinsics::{WARP_SIZE, block_idx, grid_dim, shared, sync_threads, sync_warp, thread_idx};
use cumbia::{ArrayView1, DeviceSliceMut, DeviceType, Recorder, Result, Stream};
use cumbia_kernel_macros::kernel;

use crate::arrays::{Input, Output, require_same_length, view_of};
use crate::operator::Function2;
use crate::queue::{Held, Queue, StepsIn};
use crate::scan::look_ahead::{
    BLOCK, Groups, LookAhead, States, blocks_of, load_rows, load_rows_in_place, note_beginning, prefix_of_tile,
    publish, publish_losses, scan_of_block,
};
use crate::warp::inclusive_from;

/// Scans `x`, or `y` itself if `IN_PLACE`. `states` are of a `LookAhead`. A block has `ITEMS` elements for each thread, in `ROWS`
/// rows of 32 (1 if a thread has a single element). The launch is cooperative.
#[kernel(block = 256, launch_bounds(256, 3))]
pub fn scan_tiles<
    T: DeviceType,
    F: Function2<T, T, Output = T>,
    const ITEMS: usize,
    const ROWS: usize,
    const EXCLUSIVE: bool,
    const IN_PLACE: bool,
>(
    operator: F,
    initial: T,
    x: ArrayView1<T>,
    y: &mut [T],
    states: States<'_>,
) {
    // A column more than the elements of a row, so that the elements of a thread and those of a warp are in different banks.
    let mut exchange = shared::<[[T; WARP_SIZE + 1]; ROWS]>();
    let t = thread_idx().x;
    let len = if IN_PLACE { y.len() } else { x.len() };
    if len == 0 {
        return; // Never: for the proofs only.
    }
    // Each warp has consecutive elements, and rows of its own, in which it exchanges them: it loads and stores row by row, and
    // each lane scans consecutive elements. Addresses differ by constants.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let row = warp * ITEMS;
    let lanes_of_row = WARP_SIZE / ITEMS;
    let (own_row, own_column) = (row + lane / lanes_of_row, lane % lanes_of_row * ITEMS);
    let in_tile = row * WARP_SIZE + lane;

    let (tiles, stride) = (len.div_ceil(BLOCK * ITEMS) as u32, grid_dim().x as u32);
    if !states.suffice::<T>(tiles) {
        return;
    }
    note_beginning();
    let mut groups = Groups::none(initial, EXCLUSIVE);
    // The elements of the tile that is loaded; the scans of the own elements of the tile whose aggregate is published, and of
    // the one before, whose results are stored; and the reductions of the elements of earlier threads of the two.
    let mut loaded = [initial; ITEMS];
    let mut next = [initial; ITEMS];
    let mut own = [initial; ITEMS];
    let (mut before_next, mut before_own) = (initial, initial);
    for step in (block_idx().x as u32..tiles + 2 * stride).step_by(stride as usize) {
        // There are none before the first tile.
        let tile_to_store = step.max(2 * stride) - 2 * stride;
        let asked = groups.ask(tile_to_store, states);
        if step >= stride && step - stride < tiles {
            let tile = step - stride;
            let count = (len - tile as usize * (BLOCK * ITEMS)).min(BLOCK * ITEMS) as u32;
            if const { ITEMS > 1 } {
                sync_warp(u32::MAX);
                #[unroll]
                for k in 0..ITEMS {
                    exchange[row + k][lane] = loaded[k];
                }
                sync_warp(u32::MAX);
                #[unroll]
                for k in 0..ITEMS {
                    next[k] = exchange[own_row][own_column + k];
                }
            } else {
                next = loaded;
            }
            let mine = count.saturating_sub((t * ITEMS) as u32).min(ITEMS as u32) as usize;
            if mine == ITEMS {
                next = inclusive_from(next, next[0], operator);
            } else {
                #[unroll]
                for k in 1..ITEMS {
                    if k < mine {
                        next[k] = operator.call(next[k - 1], next[k]);
                    }
                }
            }
            // Of the last thread with elements that are fewer, the total is in an earlier one.
            let mut total = next[ITEMS - 1];
            if mine < ITEMS {
                #[unroll]
                for k in 1..ITEMS {
                    if k == mine {
                        total = next[k - 1];
                    }
                }
            }
            let (before, aggregate, publishes, is_whole) = scan_of_block(total, count.div_ceil(ITEMS as u32), operator);
            if !is_whole {
                publish_losses::<T>(tiles, states);
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
        // Of an array that is overwritten, each block loads and stores its own tiles, and a tile before it is stored.
        let next_tile = step as usize * (BLOCK * ITEMS);
        loaded = if IN_PLACE {
            load_rows_in_place(y, next_tile, in_tile, initial)
        } else {
            load_rows(x, next_tile, in_tile, initial)
        };

        if step >= 2 * stride {
            let tile = step - 2 * stride;
            let first = tile as usize * (BLOCK * ITEMS);
            let (later, prefix, is_found) = prefix_of_tile(tile, groups, parts, operator, states);
            if !is_found {
                publish_losses::<T>(tiles, states);
                return;
            }
            groups = later;
            let count = (len - first).min(BLOCK * ITEMS) as u32;
            let mine = count.saturating_sub((t * ITEMS) as u32).min(ITEMS as u32) as usize;
            let has_prefix = tile > 0 || EXCLUSIVE;
            let mut results = own;
            if mine > 0 {
                let mut lead = prefix;
                if t > 0 {
                    lead = if has_prefix { operator.call(lead, before_own) } else { before_own };
                }
                if EXCLUSIVE {
                    results[0] = lead;
                }
                if EXCLUSIVE || t > 0 || has_prefix {
                    if mine == ITEMS {
                        #[unroll]
                        for k in 0..ITEMS {
                            if !EXCLUSIVE {
                                results[k] = operator.call(lead, own[k]);
                            } else if k > 0 {
                                results[k] = operator.call(lead, own[k - 1]);
                            }
                        }
                    } else {
                        #[unroll]
                        for k in 0..ITEMS {
                            if k < mine {
                                if !EXCLUSIVE {
                                    results[k] = operator.call(lead, own[k]);
                                } else if k > 0 {
                                    results[k] = operator.call(lead, own[k - 1]);
                                }
                            }
                        }
                    }
                }
            }
            if const { ITEMS > 1 } {
                sync_warp(u32::MAX);
                #[unroll]
                for k in 0..ITEMS {
                    exchange[own_row][own_column + k] = results[k];
                }
                sync_warp(u32::MAX);
                #[unroll]
                for k in 0..ITEMS {
                    results[k] = exchange[row + k][lane];
                }
            }
            let at = first + in_tile;
            if first + BLOCK * ITEMS <= len && first + BLOCK * ITEMS <= y.len() {
                #[unroll]
                for k in 0..ITEMS {
                    y[at + k * WARP_SIZE] = results[k];
                }
            } else {
                #[unroll]
                for k in 0..ITEMS {
                    if at + k * WARP_SIZE < y.len() {
                        y[at + k * WARP_SIZE] = results[k];
                    }
                }
            }
        } else {
            // The next tile's aggregate uses the same shared memory as the last one.
            sync_threads();
        }
        own = next;
        before_own = before_next;
    }
}

/// Computes `y[i] = operator(.. operator(x[0], x[1]) .., x[i])`, with any parentheses.
///
/// The operator has to be associative. The order of its operands is kept. As for [`reduce`](crate::reduce()), the parentheses
/// depend on the length of the array alone.
///
/// ```
/// use cumbia::algorithm::{Maximum, Plus, inclusive_scan};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3, 1, 4, 1, 5])?;
/// let mut y = device.zeros(5)?;
/// inclusive_scan(&x, &mut y, Plus).launch()?;
/// assert_eq!(y.to_host()?, [3, 4, 8, 9, 14]);
/// inclusive_scan(&x, &mut y, Maximum).launch()?;
/// assert_eq!(y.to_host()?, [3, 3, 4, 4, 5]);
/// # Ok(())
/// # }
/// ```
pub fn inclusive_scan<'a, T: DeviceType, F: Function2<T, T, Output = T>>(
    x: &'a (impl Input<Element = T> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
    operator: F,
) -> Scan<'a, T, F, false> {
    Scan::new(Some(x.elements()), y.elements_mut(), T::__placeholder(), operator)
}

/// Replaces the elements of an array by their inclusive scan: [`inclusive_scan`] with `x` as input and output, and with the same
/// results.
///
/// ```
/// use cumbia::algorithm::{Plus, inclusive_scan_in_place};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&[3, 1, 4, 1, 5])?;
/// inclusive_scan_in_place(&mut x, Plus).launch()?;
/// assert_eq!(x.to_host()?, [3, 4, 8, 9, 14]);
/// # Ok(())
/// # }
/// ```
pub fn inclusive_scan_in_place<T: DeviceType, F: Function2<T, T, Output = T>>(
    x: &mut (impl Output<Element = T> + ?Sized),
    operator: F,
) -> Scan<'_, T, F, false, true> {
    Scan::new(None, x.elements_mut(), T::__placeholder(), operator)
}

/// Computes `y[i] = operator(.. operator(operator(initial, x[0]), x[1]) .., x[i - 1])`, with any parentheses, and `y[0] =
/// initial`.
///
/// The operator has to be associative, as for [`inclusive_scan`].
///
/// ```
/// use cumbia::algorithm::{Plus, exclusive_scan};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let lengths = device.to_device(&[3u32, 1, 4])?;
/// let mut starts = device.zeros(3)?;
/// exclusive_scan(&lengths, &mut starts, 0, Plus).launch()?;
/// assert_eq!(starts.to_host()?, [0, 3, 4]);
/// # Ok(())
/// # }
/// ```
pub fn exclusive_scan<'a, T: DeviceType, F: Function2<T, T, Output = T>>(
    x: &'a (impl Input<Element = T> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
    initial: T,
    operator: F,
) -> Scan<'a, T, F, true> {
    Scan::new(Some(x.elements()), y.elements_mut(), initial, operator)
}

/// Replaces the elements of an array by their exclusive scan: [`exclusive_scan`] with `x` as input and output, and with the same
/// results.
///
/// ```
/// use cumbia::algorithm::{Plus, exclusive_scan_in_place};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&[3, 1, 4, 1, 5])?;
/// exclusive_scan_in_place(&mut x.slice_mut(1..)?, 0, Plus).launch()?;
/// assert_eq!(x.to_host()?, [3, 0, 1, 5, 6]);
/// # Ok(())
/// # }
/// ```
pub fn exclusive_scan_in_place<T: DeviceType, F: Function2<T, T, Output = T>>(
    x: &mut (impl Output<Element = T> + ?Sized),
    initial: T,
    operator: F,
) -> Scan<'_, T, F, true, true> {
    Scan::new(None, x.elements_mut(), initial, operator)
}

/// A scan: [`inclusive_scan`] or [`exclusive_scan`], or one of these in place.
#[must_use = "a scan does nothing until it is launched: `.launch()?`"]
pub struct Scan<'a, T, F, const EXCLUSIVE: bool, const IN_PLACE: bool = false> {
    /// The input, unless it is `y`.
    x: Option<ArrayView1<'a, T>>,
    y: DeviceSliceMut<'a, T>,
    /// The first result of an exclusive scan, which an inclusive one does not use.
    initial: T,
    operator: F,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, ScanMemory<T>>,
    /// The function that was called and the names of its arrays, for errors.
    names: (&'static str, [&'static str; 2]),
}

impl<'a, T: DeviceType, F: Function2<T, T, Output = T>, const EXCLUSIVE: bool, const IN_PLACE: bool>
    Scan<'a, T, F, EXCLUSIVE, IN_PLACE>
{
    fn new(x: Option<ArrayView1<'a, T>>, y: DeviceSliceMut<'a, T>, initial: T, operator: F) -> Self {
        let () = const { assert!(Self::ITEMS > 0) };
        let algorithm = if EXCLUSIVE { "exclusive_scan" } else { "inclusive_scan" };
        Scan { x, y, initial, operator, stream: None, enqueue: Self::steps, names: (algorithm, ["x", "y"]) }
    }

    /// Enqueues the scan.
    fn steps(&mut self, memory: &mut ScanMemory<T>, queue: &mut Queue<'_, '_>) -> Result<()> {
        if self.y.is_empty() {
            return Ok(());
        }
        // Conditions that are constants, so that the kernel is compiled for one number of items.
        if const { Self::ITEMS == 16 } {
            self.enqueue_tiles::<16, 128>(memory, queue)
        } else if const { Self::ITEMS == 8 } {
            self.enqueue_tiles::<8, 64>(memory, queue)
        } else if const { Self::ITEMS == 4 } {
            self.enqueue_tiles::<4, 32>(memory, queue)
        } else {
            self.enqueue_tiles::<1, 1>(memory, queue)
        }
    }

    fn enqueue_tiles<const ITEMS: usize, const ROWS: usize>(
        &mut self,
        memory: &mut ScanMemory<T>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let tiles = self.tiles();
        let blocks = blocks_of::<T>(self.y.device(), tiles, ROWS * (WARP_SIZE + 1) * size_of::<T>());
        let states = memory.0.begin(tiles, queue)?;
        let Scan { x, y, initial, operator, .. } = self;
        let (operator, initial) = (*operator, *initial);
        let (none, mut y) = y.as_slice_mut().split_at(0)?;
        let x = x.unwrap_or_else(|| view_of(none.as_slice()));
        let launch = scan_tiles::<T, F, ITEMS, ROWS, EXCLUSIVE, IN_PLACE>(operator, initial, x, &mut y, states);
        queue.launch(launch.grid(blocks).cooperative())
    }
}

impl<'a, T: DeviceType, F, const EXCLUSIVE: bool, const IN_PLACE: bool> Scan<'a, T, F, EXCLUSIVE, IN_PLACE> {
    /// The elements of a thread: 64 bytes, which a thread has three times in registers.
    const ITEMS: usize = match size_of::<T>() {
        0..=4 => 16,
        5..=8 => 8,
        9..=40 => 4,
        41..=160 => 1,
        _ => panic!("the elements of a scan have at most 160 bytes"),
    };

    /// Names the function and its arrays in errors.
    pub(crate) fn named(mut self, algorithm: &'static str, arrays: [&'static str; 2]) -> Self {
        self.names = (algorithm, arrays);
        self
    }

    /// Enqueues the scan on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the scan.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of the arrays differ, and those of
    /// [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that the scan can be launched repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of the arrays differ,
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedScan<'a, T, F, EXCLUSIVE, IN_PLACE>> {
        self.check()?;
        Ok(PreparedScan { memory: Held::Owned(self.memory()?), scan: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<ScanMemory<T>> {
        let default = self.y.device().default_stream();
        Ok(ScanMemory(LookAhead::new(self.stream.unwrap_or(&default), self.tiles())?))
    }

    /// Uses memory of an earlier scan instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`Scan::prepare`].
    pub fn prepare_in(self, memory: &'a mut ScanMemory<T>) -> Result<PreparedScan<'a, T, F, EXCLUSIVE, IN_PLACE>> {
        self.check()?;
        let default = self.y.device().default_stream();
        memory.0.fit(self.stream.unwrap_or(&default), self.tiles())?;
        Ok(PreparedScan { memory: Held::Borrowed(memory), scan: self })
    }

    /// Checks that the arrays have the same length.
    fn check(&self) -> Result<()> {
        let (algorithm, [x, y]) = self.names;
        let Some(input) = &self.x else { return Ok(()) };
        let (x, y) = (ArrayArgument::input(x, input.len()), ArrayArgument::output(y, self.y.len()));
        require_same_length(algorithm, y, x)
    }

    fn tiles(&self) -> usize {
        self.y.len().div_ceil(BLOCK * Self::ITEMS)
    }
}

/// The temporary memory of a scan: see [`Scan::prepare_in`].
pub struct ScanMemory<T>(LookAhead<T>);

impl<T: DeviceType> ScanMemory<T> {
    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A [`Scan`] with its temporary memory.
pub struct PreparedScan<'a, T, F, const EXCLUSIVE: bool, const IN_PLACE: bool = false> {
    scan: Scan<'a, T, F, EXCLUSIVE, IN_PLACE>,
    memory: Held<'a, ScanMemory<T>>,
}

impl<T: DeviceType, F, const EXCLUSIVE: bool, const IN_PLACE: bool> PreparedScan<'_, T, F, EXCLUSIVE, IN_PLACE> {
    /// Enqueues the scan of the elements that the array has then. A repeated scan in place is one of the results.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.scan.y.device().default_stream();
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

    /// Borrows the results, for later launches that read or write them.
    pub fn output_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.scan.y.as_slice_mut()
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
