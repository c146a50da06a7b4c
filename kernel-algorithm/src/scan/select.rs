//! Selection of elements (stream compaction), in a single pass by [look-ahead](crate::scan::look_ahead): by a predicate, of the
//! first of equal elements, and partitions.

use cumbia::error::{ArrayArgument, ResultKind};
use cumbia::intrinsics::{WARP_SIZE, block_idx, grid_dim, shared, shfl_sync, shfl_up_sync, sync_threads, thread_idx};
use cumbia::{ArrayView1, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::arrays::{Input, Output, require_room};
use crate::operator::{Equatable, Function1, Plus};
use crate::queue::{Held, Queue, StepsIn};
use crate::scan::counted::{CountedMemory, Tiles};
use crate::scan::look_ahead::{
    BLOCK, Groups, LookAhead, States, blocks_of, load_rows, note_beginning, prefix_of_tile, publish, publish_losses,
    scan_of_warps, stage_rows,
};
use crate::warp::warp_inclusive_scan;

/// The condition under which an element is selected.
#[device]
pub trait Condition<T: DeviceType>: DeviceType {
    /// Whether the condition depends on the element before.
    const NEEDS_BEFORE: bool = false;

    /// Returns whether an element is selected. Unless the condition depends on it, `before` is any element, as it is for the
    /// first one.
    fn selects(self, a: T, before: T, is_first: bool) -> bool;
}

/// A predicate holds.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Holds<P: DeviceType>(pub P);

#[device]
impl<T: DeviceType, P: Function1<T, Output = bool>> Condition<T> for Holds<P> {
    fn selects(self, a: T, _before: T, _is_first: bool) -> bool {
        self.0.call(a)
    }
}

/// The element is the first one, or differs from the one before.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Differs;

#[device]
impl<T: DeviceType + PartialEq> Condition<T> for Differs {
    const NEEDS_BEFORE: bool = true;

    fn selects(self, a: T, before: T, is_first: bool) -> bool {
        is_first || a != before
    }
}

/// Stores the selected elements in `y`, in their order, and their number in `count`. If `SPLITS`, stores the others in `rest`.
/// `states` are of a `LookAhead` for a scan of the numbers of selected elements of the tiles. A block has `ITEMS` elements for
/// each thread, and `TILE` in total; `HELD` is `TILE`, or 1 if a thread has a single element. The launch is cooperative.
#[kernel(block = 256, launch_bounds(256, 3))]
pub fn select_tiles<
    T: DeviceType,
    P: Condition<T>,
    C: Number,
    const ITEMS: usize,
    const TILE: usize,
    const HELD: usize,
    const SPLITS: bool,
>(
    condition: P,
    x: ArrayView1<T>,
    y: &mut [T],
    rest: &mut [T],
    count: &mut [usize],
    states: States<'_>,
) {
    // The elements of the tile whose number is published; and those of the tile before, the selected ones first.
    let mut elements = shared::<[T; HELD]>();
    let mut divided = shared::<[T; HELD]>();
    let t = thread_idx().x;
    if x.len() == 0 {
        return; // Never: for the proofs only.
    }
    // Each warp has consecutive elements. It reads them in rows, and each of its threads tests consecutive ones.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let of_warp = warp * (WARP_SIZE * ITEMS);
    let (tiles, stride) = (x.len().div_ceil(TILE) as u32, grid_dim().x as u32);
    if !states.suffice::<C>(tiles) {
        return;
    }
    note_beginning();
    let mut groups = Groups::none(C::ZERO, true);
    // The elements of the tile that is loaded, and the one before those of the warp. A thread with a single element keeps it in a
    // register, with whether it is selected, and the number of selected elements before it.
    let any = x[0];
    let mut loaded = [any; ITEMS];
    let mut preceding = any;
    let (mut next, mut own) = (any, any);
    let (mut own_selected, mut own_rank) = (false, 0u32);
    // The numbers of selected elements of the two earlier tiles.
    let (mut total_next, mut total_own) = (0u32, 0u32);
    for step in (block_idx().x as u32..tiles + 2 * stride).step_by(stride as usize) {
        // There are none before the first tile.
        let tile_to_store = step.max(2 * stride) - 2 * stride;
        let asked = groups.ask(tile_to_store, states);
        // A bit for each element of the thread that is selected, the number of its elements, and the number of selected ones
        // before them in the tile.
        let (mut selected, mut inside, mut earlier) = (0u32, 0, 0u32);
        let is_counted = step >= stride && step - stride < tiles;
        if is_counted {
            let tile = step - stride;
            let is_first = tile == 0 && t == 0;
            inside = ((x.len() - tile as usize * TILE).min(TILE).max(t * ITEMS) - t * ITEMS).min(ITEMS);
            let own_elements = stage_rows(loaded, &mut elements[..]);
            next = own_elements[0];
            let mut before = preceding;
            if P::NEEDS_BEFORE {
                let given = shfl_up_sync(u32::MAX, own_elements[ITEMS - 1], 1);
                before = if lane > 0 { given } else { preceding };
            }
            #[unroll]
            for k in 0..ITEMS {
                let element = own_elements[k];
                let is_selected = k < inside && condition.selects(element, before, k == 0 && is_first);
                selected |= (is_selected as u32) << k;
                before = element;
            }
            let through = warp_inclusive_scan(selected.count_ones(), Plus);
            let (before_warp, total, is_whole) = scan_of_warps(shfl_sync(u32::MAX, through, WARP_SIZE - 1), 0, Plus);
            if !is_whole {
                publish_losses::<C>(tiles, states);
                return;
            }
            earlier = before_warp + through - selected.count_ones();
            total_next = total;
            if t == 0 {
                publish(tile, C::cast(total), states);
            }
        } else {
            sync_threads();
        }

        let parts = groups.receive(asked, tile_to_store, states);
        let first = step as usize * TILE;
        if P::NEEDS_BEFORE {
            preceding = x[(first + of_warp).max(1).min(x.len()) - 1];
        }
        loaded = load_rows(x, first, of_warp + lane, any);

        if step >= 2 * stride {
            let tile = step - 2 * stride;
            let (later, prefix, is_found) = prefix_of_tile(tile, groups, parts, Plus, states);
            if !is_found {
                publish_losses::<C>(tiles, states);
                return;
            }
            groups = later;
            // The number of selected elements before the tile.
            let (begun, first) = (usize::cast(prefix), tile as usize * TILE);
            if t == 0 && tile == tiles - 1 {
                count[0] = begun + total_own as usize;
            }
            let y_from_tile = &mut y[begun.min(y.len())..];
            let room = y_from_tile.len().min(TILE) as u32;
            let others = (x.len() - first).min(TILE) as u32 - total_own;
            let rest_from_tile = &mut rest[(first.max(begun) - begun).min(rest.len())..];
            let room_of_rest = rest_from_tile.len().min(TILE) as u32;
            if const { ITEMS > 1 } {
                for i in (t as u32..total_own.min(room)).step_by(BLOCK) {
                    y_from_tile[i as usize] = divided[i as usize];
                }
                if SPLITS {
                    for i in (t as u32..others).step_by(BLOCK) {
                        if i < room_of_rest {
                            rest_from_tile[i as usize] = divided[((total_own + i) as usize).min(TILE - 1)];
                        }
                    }
                }
            } else if own_selected {
                if own_rank < room {
                    y_from_tile[own_rank as usize] = own;
                }
            } else if SPLITS {
                let i = t as u32 - own_rank;
                if i < others.min(room_of_rest) {
                    rest_from_tile[i as usize] = own;
                }
            }
        }
        // The elements of the tile are stored where those of the tile before were.
        sync_threads();
        if is_counted && const { ITEMS > 1 } {
            let mut at = earlier;
            if SPLITS {
                #[unroll]
                for k in 0..ITEMS {
                    let i = t * ITEMS + k;
                    let is_selected = selected >> k & 1 != 0;
                    let to = if is_selected { at } else { total_next + i as u32 - at };
                    if k < inside {
                        divided[(to as usize).min(TILE - 1)] = elements[i];
                    }
                    at += is_selected as u32;
                }
            } else {
                let mut left = selected;
                while left != 0 {
                    let i = t * ITEMS + (left.trailing_zeros() as usize).min(ITEMS - 1);
                    divided[(at as usize).min(TILE - 1)] = elements[i];
                    left &= left - 1;
                    at += 1;
                }
            }
        }
        own = next;
        (own_selected, own_rank) = (selected != 0, earlier);
        total_own = total_next;
    }
}

/// Stores the elements of `x` for which a predicate holds in the first elements of `y`, in their order; the others of `y` keep
/// their values. The value is the number of selected elements.
///
/// ```
/// use cumbia::algorithm::{Function1, select};
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Positive;
///
/// #[device]
/// impl Function1<i32> for Positive {
///     type Output = bool;
///
///     fn call(self, a: i32) -> bool {
///         a > 0
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3, -1, 4, -1, 5])?;
/// let mut y = device.zeros(5)?;
/// let n = select(&x, &mut y, Positive).value()?;
/// assert_eq!(y.slice(..n)?.to_host()?, [3, 4, 5]);
/// # Ok(())
/// # }
/// ```
pub fn select<'a, T: DeviceType, P: Function1<T, Output = bool>>(
    x: &'a (impl Input<Element = T> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
    predicate: P,
) -> Select<'a, T, Holds<P>> {
    Select::new(("select", ResultKind::Selected), x.elements(), y.elements_mut(), None, Holds(predicate))
}

/// Stores the elements of `x` that differ from the one before in the first elements of `y`: the first element of each run of
/// equal ones. The others of `y` keep their values. The value is the number of runs.
///
/// Elements are compared by `==`, so that each NaN is a run.
///
/// ```
/// use cumbia::algorithm::{sort, unique};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let mut x = device.to_device(&[2, 2, 7, 2, 5, 5])?;
/// let mut y = device.zeros(6)?;
/// let n = unique(&x, &mut y).value()?;
/// assert_eq!(y.slice(..n)?.to_host()?, [2, 7, 2, 5]);
/// sort(&mut x).launch()?;
/// let n = unique(&x, &mut y).value()?;
/// assert_eq!(y.slice(..n)?.to_host()?, [2, 5, 7]);
/// # Ok(())
/// # }
/// ```
pub fn unique<'a, T: Equatable>(
    x: &'a (impl Input<Element = T> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
) -> Select<'a, T, Differs> {
    Select::new(("unique", ResultKind::Runs), x.elements(), y.elements_mut(), None, Differs)
}

/// Stores the elements of `x` for which a predicate holds in the first elements of `y`, and the others in the first elements of
/// `rest`, both in their order. The value is the number of elements in `y`; the other elements of `y` and of `rest` keep their
/// values.
///
/// ```
/// use cumbia::algorithm::{Function1, partition};
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Below(u32);
///
/// #[device]
/// impl Function1<u32> for Below {
///     type Output = bool;
///
///     fn call(self, a: u32) -> bool {
///         a < self.0
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3, 9, 4, 8, 5])?;
/// let mut y = device.zeros(5)?;
/// let (mut low, mut high) = y.split_at_mut(3)?;
/// assert_eq!(partition(&x, &mut low, &mut high, Below(6)).value()?, 3);
/// assert_eq!(y.to_host()?, [3, 4, 5, 9, 8]);
/// # Ok(())
/// # }
/// ```
pub fn partition<'a, T: DeviceType, P: Function1<T, Output = bool>>(
    x: &'a (impl Input<Element = T> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
    rest: &'a mut (impl Output<Element = T> + ?Sized),
    predicate: P,
) -> Select<'a, T, Holds<P>, true> {
    Select::new(
        ("partition", ResultKind::Selected),
        x.elements(),
        y.elements_mut(),
        Some(rest.elements_mut()),
        Holds(predicate),
    )
}

/// A selection: [`select`], [`unique`] or [`partition`].
#[must_use = "a selection does nothing until its value is asked for: `.value()?`"]
pub struct Select<'a, T, P, const SPLITS: bool = false> {
    /// The function that was called and its results, for errors.
    algorithm: &'static str,
    results: ResultKind,
    x: ArrayView1<'a, T>,
    y: DeviceSliceMut<'a, T>,
    /// The target of the other elements, of a partition.
    rest: Option<DeviceSliceMut<'a, T>>,
    condition: P,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, SelectMemory>,
}

impl<'a, T: DeviceType, P: Condition<T>, const SPLITS: bool> Select<'a, T, P, SPLITS> {
    fn new(
        (algorithm, results): (&'static str, ResultKind),
        x: ArrayView1<'a, T>,
        y: DeviceSliceMut<'a, T>,
        rest: Option<DeviceSliceMut<'a, T>>,
        condition: P,
    ) -> Self {
        Select { algorithm, results, x, y, rest, condition, stream: None, enqueue: Self::steps }
    }

    /// Enqueues the selection.
    fn steps(&mut self, memory: &mut SelectMemory, queue: &mut Queue<'_, '_>) -> Result<()> {
        let SelectMemory { narrow, wide, count } = memory;
        if self.tiles().is_narrow { self.count_by(narrow, count, queue) } else { self.count_by(wide, count, queue) }
    }

    /// Enqueues the selection, with numbers of elements of type `C`.
    fn count_by<C: Number>(
        &mut self,
        look_ahead: &mut LookAhead<C>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        // Conditions that are constants, so that the kernel is compiled for one number of items.
        if const { Self::ITEMS == 19 } {
            self.enqueue_tiles::<C, 19, { 19 * BLOCK }, { 19 * BLOCK }>(look_ahead, count, queue)
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
        look_ahead: &mut LookAhead<C>,
        count: &mut DeviceArray<usize>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let tiles = self.tiles().count;
        if tiles == 0 {
            return queue.fill(&mut count.as_slice_mut(), 0);
        }
        let blocks = blocks_of::<C>(self.x.device(), tiles, 2 * HELD * size_of::<T>());
        let states = look_ahead.begin(tiles, queue)?;
        // SAFETY: it has no elements.
        let mut none = if self.rest.is_some() { None } else { Some(unsafe { self.x.device().uninitialized(0)? }) };
        let rest = self.rest.as_mut().map(DeviceSlice::as_slice_mut);
        let Some(mut rest) = rest.or_else(|| none.as_mut().map(DeviceArray::as_slice_mut)) else {
            unreachable!("without an array for the others there is an empty one")
        };
        let (condition, x, y) = (self.condition, &self.x, &mut self.y);
        let launch = select_tiles::<T, P, C, ITEMS, TILE, HELD, SPLITS>(condition, x, y, &mut rest, count, states);
        queue.launch(launch.grid(blocks).cooperative())
    }
}

impl<'a, T: DeviceType, P, const SPLITS: bool> Select<'a, T, P, SPLITS> {
    /// Enqueues the selection on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Selects the elements, waits, and returns their number.
    ///
    /// # Errors
    ///
    /// Those of [`Select::prepare`] and [`PreparedSelect::value`].
    pub fn value(self) -> Result<usize> {
        self.prepare()?.value()
    }

    /// Allocates the temporary memory, so that elements can be selected repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedSelect<'a, T, P, SPLITS>> {
        Ok(PreparedSelect { memory: Held::Owned(self.memory()?), select: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<SelectMemory> {
        let default = self.x.device().default_stream();
        SelectMemory::new(self.stream.unwrap_or(&default), self.tiles())
    }

    /// Uses memory of an earlier selection instead of allocating it; it is replaced if it is too short, or on another device.
    /// The arrays are borrowed only as long as the result of this function.
    ///
    /// ```
    /// use cumbia::algorithm::unique;
    /// use cumbia::prelude::*;
    ///
    /// /// Stores the number of elements, which is on the device.
    /// #[kernel]
    /// fn store(count: &[usize], i: usize, all: &mut [usize]) {
    ///     all[i] = count[0];
    /// }
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let mut x = device.to_device(&[2, 2, 5, 5])?;
    /// let (mut y, mut counts) = (device.zeros(4)?, device.zeros(2)?);
    /// let mut memory = unique(&x, &mut y).memory()?;
    /// for i in 0..2 {
    ///     unique(&x, &mut y).prepare_in(&mut memory)?.launch()?;
    ///     store(&memory.count(), i, &mut counts).grid(1).block(1).launch()?;
    ///     x.slice_mut(1..)?.fill(7)?;
    ///     x.slice_mut(2..3)?.fill(8)?;
    /// }
    /// assert_eq!(counts.to_host()?, [2, 4]);
    /// assert_eq!(memory.read()?, 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Select::prepare`].
    pub fn prepare_in(self, memory: &'a mut SelectMemory) -> Result<PreparedSelect<'a, T, P, SPLITS>> {
        let default = self.x.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.tiles())?;
        Ok(PreparedSelect { memory: Held::Borrowed(memory), select: self })
    }

    /// The elements of a thread, which are twice in shared memory. Odd numbers avoid bank conflicts.
    const ITEMS: usize = match size_of::<T>() {
        0..=4 => 19,
        5..=8 => 9,
        9..=16 => 5,
        17..=24 => 3,
        _ => 1,
    };

    fn tiles(&self) -> Tiles {
        Tiles::new(self.x.len(), Self::ITEMS)
    }
}

/// The temporary memory of a selection, and the number of selected elements: see [`Select::prepare_in`].
pub type SelectMemory = CountedMemory<u32, u64>;

/// A [`Select`] with its temporary memory.
pub struct PreparedSelect<'a, T, P, const SPLITS: bool = false> {
    select: Select<'a, T, P, SPLITS>,
    memory: Held<'a, SelectMemory>,
}

impl<T: DeviceType, P, const SPLITS: bool> PreparedSelect<'_, T, P, SPLITS> {
    /// Enqueues the selection of the elements that the array has then, without waiting for their number. If an output is too
    /// short, it has the first elements, and the number of all is found by [`PreparedSelect::count`] or
    /// [`PreparedSelect::read`].
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.select.x.device().default_stream();
        let stream = self.select.stream.unwrap_or(&default);
        (self.select.enqueue)(&mut self.select, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the selection as steps of a graph, which has the same results as a launch. The stream is the graph's. After
    /// the run, [`PreparedSelect::count`] and [`PreparedSelect::read`] have the number of elements.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.select.enqueue)(&mut self.select, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Selects the elements, waits, and returns their number.
    ///
    /// # Errors
    ///
    /// Those of [`PreparedSelect::launch`] and [`PreparedSelect::read`].
    pub fn value(&mut self) -> Result<usize> {
        self.launch()?;
        self.read()
    }

    /// Waits for the last launch, and returns the number of selected elements.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if `y` is shorter than the number of selected elements, of
    /// which it then has the first, or `rest` than the number of the others; and those of [`DeviceArray::to_host`].
    pub fn read(&self) -> Result<usize> {
        let selected = self.memory.read()?;
        let Select { algorithm, results, x, y, rest, .. } = &self.select;
        require_room(algorithm, ArrayArgument::output("y", y.len()), *results, selected, "x")?;
        if let Some(rest) = rest {
            let rejected = x.len().saturating_sub(selected);
            require_room(algorithm, ArrayArgument::output("rest", rest.len()), ResultKind::Rejected, rejected, "x")?;
        }
        Ok(selected)
    }

    /// Borrows the number of selected elements of the last launch, an array of one element on the device, for later launches.
    pub fn count(&self) -> DeviceSlice<'_, usize> {
        self.memory.count()
    }

    /// Borrows the selected elements, for later launches that read or write them.
    pub fn output_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.select.y.as_slice_mut()
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
