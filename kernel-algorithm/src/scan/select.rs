//! Selection of elements (stream compaction), in a single pass by [decoupled look-back](crate::scan::look_back): by a predicate, of the
//! first of equal elements, and partitions.

use cumbia::intrinsics::{WARP_SIZE, ballot_sync, grid_dim, lanemask_lt, shfl_sync, thread_idx};
use cumbia::{DeviceSlice, DeviceSliceMut, DeviceType, Error, Number, Result, Stream};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::arrays::{Input, Output};
use crate::block::block_scan_first;
use crate::operator::{Equatable, Function1, Plus};
use crate::scan::look_back::{LookBack, next_tile, prefix_of_block};

/// The number of threads of a block, which the kernel's attribute repeats.
const BLOCK: usize = 256;

/// The number of elements of a thread.
const ITEMS: usize = 16;

/// The condition under which an element is selected.
#[device]
pub trait Condition<T: DeviceType>: DeviceType {
    /// Whether the condition depends on the element before.
    const NEEDS_BEFORE: bool = false;

    /// Returns whether an element is selected. Unless the condition depends on it, `before` is any element, as it is for the first one.
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
/// `states`, `values` and `groups` are a `LookBack` for a scan of the numbers of selected elements of the tiles.
#[kernel(block = 256)]
pub fn select_tiles<T: DeviceType, P: Condition<T>, C: Number, const SPLITS: bool>(
    condition: P,
    x: &[T],
    y: &mut [T],
    rest: &mut [T],
    count: &mut [usize],
    states: &mut [u64],
    values: &mut [C],
    groups: usize,
) {
    let t = thread_idx().x;
    let tile = next_tile(states);
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
        let i = first + k * WARP_SIZE;
        let mut before = own[k];
        if P::NEEDS_BEFORE {
            // Another lane has read it: it is in the first-level cache.
            before = x[i.clamp(1, x.len()) - 1];
        }
        let is_selected = i < x.len() && condition.selects(own[k], before, i == 0);
        selected |= (is_selected as u32) << k;
        of_warp += ballot_sync(u32::MAX, is_selected).count_ones();
    }
    let (before, of_tile) = block_scan_first(if lane == 0 { of_warp } else { 0 }, BLOCK, Plus);
    let before_warp = shfl_sync(u32::MAX, before, 0);
    let (prefix, is_found) = prefix_of_block(Plus, C::ZERO, true, tile, C::cast(of_tile), states, values, groups);
    if !is_found {
        return;
    }

    // The number of selected elements before the row.
    let mut at = usize::cast(prefix);
    if t == 0 && tile == grid_dim().x - 1 {
        count[0] = at + of_tile as usize;
    }
    if warp > 0 {
        at += before_warp as usize;
    }
    #[unroll]
    for k in 0..ITEMS {
        let is_selected = selected >> k & 1 != 0;
        let row = ballot_sync(u32::MAX, is_selected);
        let i = at + (row & lanemask_lt()).count_ones() as usize;
        if is_selected {
            if i < y.len() {
                y[i] = own[k];
            }
        } else if SPLITS {
            let from = first + k * WARP_SIZE;
            if from < x.len() && from - i < rest.len() {
                rest[from - i] = own[k];
            }
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
) -> Select<'a, T, Holds<P>> {
    Select::new("select", x.elements(), y.elements_mut(), None, Holds(predicate))
}

/// Stores the elements of `x` that differ from the one before in the first elements of `y`: the first element of each run of equal
/// ones. The others of `y` keep their values. The value is the number of runs.
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
    Select::new("unique", x.elements(), y.elements_mut(), None, Differs)
}

/// Stores the elements of `x` for which a predicate holds in the first elements of `y`, and the others in the first elements of `rest`,
/// both in their order. The value is the number of elements in `y`; the other elements of `y` and of `rest` keep their values.
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
    Select::new("partition", x.elements(), y.elements_mut(), Some(rest.elements_mut()), Holds(predicate))
}

/// A selection: [`select`], [`unique`] or [`partition`].
#[must_use = "a selection does nothing until its value is asked for: `.value()?`"]
pub struct Select<'a, T, P, const SPLITS: bool = false> {
    operation: &'static str,
    x: DeviceSlice<'a, T>,
    y: DeviceSliceMut<'a, T>,
    /// The target of the other elements, of a partition.
    rest: Option<DeviceSliceMut<'a, T>>,
    condition: P,
    stream: Option<&'a Stream>,
}

impl<'a, T: DeviceType, P: Condition<T>, const SPLITS: bool> Select<'a, T, P, SPLITS> {
    fn new(
        operation: &'static str,
        x: DeviceSlice<'a, T>,
        y: DeviceSliceMut<'a, T>,
        rest: Option<DeviceSliceMut<'a, T>>,
        condition: P,
    ) -> Self {
        Select { operation, x, y, rest, condition, stream: None }
    }

    /// Enqueues the selection on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Selects the elements, waits, and returns their number.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `y` is shorter than the number of selected elements, of which it then has the first, or `rest`
    /// than the number of the others; [`Error::OutOfMemory`], and those of [`Launch::launch`](cumbia::Launch::launch) and
    /// [`DeviceArray::to_host`](cumbia::DeviceArray::to_host).
    pub fn value(self) -> Result<usize> {
        if u32::try_from(self.x.len()).is_ok() { self.count_by::<u32>() } else { self.count_by::<u64>() }
    }

    /// Selects the elements, with numbers of elements of type `C`.
    fn count_by<C: Number>(mut self) -> Result<usize> {
        let len = self.x.len();
        let tiles = len.div_ceil(BLOCK * ITEMS);
        if tiles == 0 {
            return Ok(0);
        }
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        let LookBack { mut states, mut values, groups, .. } = LookBack::<C>::new(stream, tiles)?;
        let mut count = stream.zeros(1)?;
        let mut none = stream.zeros(0)?;
        let mut rest = self.rest.unwrap_or_else(|| none.as_slice_mut());
        let (x, y) = (&self.x, &mut self.y);
        select_tiles::<T, P, C, SPLITS>(self.condition, x, y, &mut rest, &mut count, &mut states, &mut values, groups)
            .grid(tiles)
            .on(stream)
            .launch()?;
        let mut found = [0];
        count.copy_to_host(&mut found)?;
        let selected = found[0];
        let fits = |from, to| {
            if from <= to { Ok(()) } else { Err(Error::LengthMismatch { operation: self.operation, from, to }) }
        };
        fits(selected, self.y.len())?;
        if SPLITS {
            fits(len - selected, rest.len())?;
        }
        Ok(selected)
    }
}
