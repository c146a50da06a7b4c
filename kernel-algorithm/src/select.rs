//! Selection of elements by a predicate (stream compaction), in a single pass by decoupled look-back.

use cumbia::intrinsics::{
    WARP_SIZE, atomic_add, ballot_sync, grid_dim, lanemask_lt, shared, shfl_sync, sync_threads, sync_threads_count,
    thread_idx,
};
use cumbia::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Error, Number, Result, Stream};
use cumbia_kernel_macros::kernel;

use crate::arrays::{Input, Output};
use crate::block::block_scan_first;
use crate::operator::{Function1, Plus};
use crate::scan::{GROUP, prefix_of_tile, publish_lost_group, publish_lost_tile};

/// The number of threads of a block, which the kernel's attribute repeats.
const BLOCK: usize = 256;

/// The number of elements of a thread.
const ITEMS: usize = 16;

/// Stores the elements for which the predicate holds in `y`, in their order, and their number in `count`. `states` and `values` are
/// those of a scan of the numbers of selected elements of the tiles.
#[kernel(block = 256)]
pub fn select_tiles<T: DeviceType, P: Function1<T, Output = bool>, C: Number>(
    predicate: P,
    x: &[T],
    y: &mut [T],
    count: &mut [usize],
    states: &mut [u64],
    values: &mut [C],
    groups: usize,
) {
    let mut ticket = shared::<usize>();
    let mut prefix = shared::<usize>();
    let mut is_lost = shared::<bool>();
    let t = thread_idx().x;
    if t == 0 {
        let last = states.len() - 1;
        *ticket = atomic_add(&mut states[last], 1) as usize;
        *is_lost = true;
    }
    sync_threads();
    let tile = *ticket;
    if tile >= grid_dim().x || x.len() == 0 {
        return; // Never: for the proofs only.
    }

    // Each warp has consecutive elements, and reads them in rows.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let first = tile * (BLOCK * ITEMS) + warp * (WARP_SIZE * ITEMS) + lane;
    let mut own = [x[0]; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        own[k] = x[(first + k * WARP_SIZE).min(x.len() - 1)];
    }
    // A bit for each row: whether the lane's element is selected.
    let mut selected = 0u32;
    let mut of_warp = 0;
    #[unroll]
    for k in 0..ITEMS {
        let is_selected = first + k * WARP_SIZE < x.len() && predicate.call(own[k]);
        selected |= (is_selected as u32) << k;
        of_warp += ballot_sync(u32::MAX, is_selected).count_ones();
    }
    let (before, of_tile) = block_scan_first(if lane == 0 { of_warp } else { 0 }, BLOCK, Plus);
    let before_warp = shfl_sync(u32::MAX, before, 0);
    if sync_threads_count(true) < BLOCK as u32 {
        // The predicate has faulted in the other threads. Later tiles do not wait for this one.
        publish_lost_tile::<C>(tile, states, groups);
        return;
    }
    if warp == 0 {
        let (found, is_found) = prefix_of_tile(Plus, C::ZERO, true, tile, C::cast(of_tile), states, values, groups);
        if lane == 0 && is_found {
            *is_lost = false;
            *prefix = usize::cast(found);
            if tile == grid_dim().x - 1 {
                count[0] = usize::cast(found) + of_tile as usize;
            }
        }
    }
    sync_threads();
    if *is_lost {
        publish_lost_group::<C>(tile, states);
        // Not reported if the fault of the predicate is, which was before.
        assert!(t != 0, "an earlier block of this selection has faulted");
        return;
    }

    let mut at = *prefix;
    if warp > 0 {
        at += before_warp as usize;
    }
    #[unroll]
    for k in 0..ITEMS {
        let is_selected = selected >> k & 1 != 0;
        let row = ballot_sync(u32::MAX, is_selected);
        let i = at + (row & lanemask_lt()).count_ones() as usize;
        if is_selected && i < y.len() {
            y[i] = own[k];
        }
        at += row.count_ones() as usize;
    }
}

/// Stores the elements of `x` for which a predicate holds in the first elements of `y`, in their order; the others of `y` keep their
/// values. The value is the number of selected elements.
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
) -> Select<'a, T, P> {
    Select { x: x.elements(), y: y.elements_mut(), predicate, stream: None }
}

/// A selection: [`select`].
#[must_use = "a selection does nothing until its value is asked for: `.value()?`"]
pub struct Select<'a, T, P> {
    x: DeviceSlice<'a, T>,
    y: DeviceSliceMut<'a, T>,
    predicate: P,
    stream: Option<&'a Stream>,
}

impl<'a, T: DeviceType, P: Function1<T, Output = bool>> Select<'a, T, P> {
    /// Enqueues the selection on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Selects the elements, waits, and returns their number.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `y` is shorter than the number of selected elements, of which it then has the first;
    /// [`Error::OutOfMemory`], and those of [`Launch::launch`](cumbia::Launch::launch) and [`DeviceArray::to_host`].
    pub fn value(self) -> Result<usize> {
        if u32::try_from(self.x.len()).is_ok() { self.count_by::<u32>() } else { self.count_by::<u64>() }
    }

    /// Selects the elements, with numbers of elements of type `C`.
    fn count_by<C: Number>(mut self) -> Result<usize> {
        let tiles = self.x.len().div_ceil(BLOCK * ITEMS);
        if tiles == 0 {
            return Ok(0);
        }
        let groups = tiles.div_ceil(GROUP);
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        let mut states = stream.zeros(groups + tiles + 1)?;
        let values = if size_of::<C>() <= size_of::<u32>() { 0 } else { 2 * (groups + tiles) };
        // SAFETY: a block reads only values that another one has written before the state that it read.
        let mut values: DeviceArray<C> = unsafe { stream.uninitialized(values)? };
        let mut count = stream.zeros(1)?;
        select_tiles(self.predicate, &self.x, &mut self.y, &mut count, &mut states, &mut values, groups)
            .grid(tiles)
            .on(stream)
            .launch()?;
        let mut found = [0];
        count.copy_to_host(&mut found)?;
        let (from, to) = (found[0], self.y.len());
        if from > to {
            return Err(Error::LengthMismatch { operation: "select", from, to });
        }
        Ok(from)
    }
}
