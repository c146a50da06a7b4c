//! Decoupled look-back: prefixes of the tiles of an array, of which each block scans one, in a single pass.
//!
//! D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA Technical Report NVR-2016-002.
//! Each block publishes the aggregate of its tile, and obtains the prefix of the tile from what earlier tiles have published.
//!
//! Here the parentheses are fixed, so that floating-point results are the same in each launch: 32 tiles are a group, whose last tile
//! publishes the aggregate of the group and then its inclusive prefix: that of the nearest earlier group that has published one, and the
//! aggregates of the groups from there on, from left to right. Which group is the nearest does not change the result. The prefix of a
//! tile is that of the group before and a tree of the aggregates of the earlier tiles of its own group. Only one tile of 32 looks back
//! beyond one group, so that few blocks ask for the same words.

use cumbia::intrinsics::{
    Acquire, DeviceScope, Release, WARP_SIZE, any_sync, atomic_add, atomic_load, atomic_load_explicit, atomic_store,
    atomic_store_explicit, ballot_sync, block_dim, lane_id, shared, shfl_sync, sync_threads, sync_threads_count,
    thread_idx,
};
use cumbia::{DeviceArray, DeviceSliceMut, DeviceType, Result, Stream};
use cumbia_kernel_macros::device;

use crate::operator::Function2;
use crate::queue::{Queue, suffices};
use crate::warp::{is_gpu, warp_reduce_first};

/// The number of tiles of a group.
const GROUP: usize = WARP_SIZE;

/// The statuses of a tile or a group. Before, it is 0.
const AGGREGATE: u64 = 1;
const PREFIX: u64 = 2;

/// The status without a value: a thread has faulted on which the value depends.
const LOST: u64 = 3;

/// The size in bytes of the largest values that are published in one word with their status.
const WORD: usize = 4;

/// Returns the number of times that a block asks for what another one publishes, a power of two. On a GPU that takes some seconds: all threads of the
/// other one have faulted. The CPU device detects that by itself, and a block may take any time there.
#[device(unsafe(cuda = "return 1ull << 22;"))]
fn max_polls() -> u64 {
    1 << 63
}

/// Returns the bits of a value of at most 4 bytes.
#[device(unsafe(
    cuda = "unsigned bits = 0; memcpy(&bits, &value, sizeof(value) < 4 ? sizeof(value) : 4); return bits;"
))]
fn to_bits<T: DeviceType>(value: T) -> u32 {
    let mut bits = [0u32; 1];
    assert!(size_of::<T>() <= WORD && align_of::<T>() <= align_of::<u32>());
    // SAFETY: the value fits into the word, which is aligned for it. Padding of the value remains zero.
    unsafe { T::store(bits.as_mut_ptr().cast(), value) };
    bits[0]
}

/// Returns the value of these bits, of the type of `like`.
#[device(unsafe(cuda = "memcpy(&like, &bits, sizeof(like) < 4 ? sizeof(like) : 4); return like;"))]
fn from_bits<T: DeviceType>(bits: u32, like: T) -> T {
    let mut bits = [bits];
    let _ = like;
    assert!(size_of::<T>() <= WORD && align_of::<T>() <= align_of::<u32>());
    // SAFETY: the value fits into the word, which is aligned for it, initialised, and not shared.
    unsafe { T::load(bits.as_mut_ptr().cast()) }
}

/// Publishes a value with its status for other blocks, at position `at`.
#[device]
fn publish<T: DeviceType>(states: &mut [u64], values: &mut [T], at: usize, status: u64, value: T) {
    if const { size_of::<T>() <= WORD } {
        atomic_store(&mut states[at], status << 32 | to_bits(value) as u64);
    } else {
        // A value of its own for each status: another block may read the first while this one writes the second.
        values[2 * at + status as usize - 1] = value;
        atomic_store_explicit::<Release, DeviceScope>(&mut states[at], status);
    }
}

/// Publishes for other blocks that they will wait for the value at position `at` in vain.
#[device]
fn publish_loss<T: DeviceType>(states: &mut [u64], at: usize) {
    atomic_store(&mut states[at], if const { size_of::<T>() <= WORD } { LOST << 32 } else { LOST });
}

/// Publishes that this tile or, at the end of a group, the group has no value.
#[device]
fn publish_lost_tile<T: DeviceType>(tile: usize, states: &mut [u64], groups: usize) {
    let is_end = tile % GROUP == GROUP - 1;
    publish_loss::<T>(states, if is_end { tile / GROUP } else { groups + tile });
}

/// Publishes that the group of which this tile is the last has no prefix.
#[device]
fn publish_lost_group<T: DeviceType>(tile: usize, states: &mut [u64]) {
    if tile % GROUP == GROUP - 1 {
        publish_loss::<T>(states, tile / GROUP);
    }
}

/// Returns what is published at position `at`: the status, and with it the value. Without one, the value is `like`.
#[device]
fn published<T: DeviceType>(states: &[u64], values: &[T], at: usize, like: T) -> (u64, T) {
    if const { size_of::<T>() <= WORD } {
        let state = atomic_load(&states[at]);
        (state >> 32, if state != 0 { from_bits(state as u32, like) } else { like })
    } else {
        // Blocks that wait ask with relaxed ordering, which leaves the caches as they are.
        let mut status = atomic_load(&states[at]);
        let mut value = like;
        if status != 0 && status != LOST {
            status = atomic_load_explicit::<Acquire, DeviceScope>(&states[at]);
            if status != LOST {
                value = values[2 * at + status as usize - 1];
            }
        }
        (status, value)
    }
}

/// Waits for the prefix of a group. Returns it, and whether there is one. Called by a warp, in which one lane asks memory for all.
#[device]
fn prefix_of_group<T: DeviceType>(group: usize, like: T, states: &mut [u64], values: &[T]) -> (T, bool) {
    let mut value = like;
    let mut status = 0;
    if lane_id() == 0 {
        let mut polls = 0;
        while status != PREFIX && status != LOST {
            (status, value) = published(states, values, group, like);
            polls += 1;
            if polls & (max_polls() - 1) == 0 {
                publish_loss::<T>(states, group);
            }
        }
    }
    (shfl_sync(u32::MAX, value, 0), shfl_sync(u32::MAX, status, 0) == PREFIX)
}

/// Returns the reduction of all elements before a group, which is not the first: the prefix of the nearest earlier group that has
/// one among the last 32, and the aggregates of those in between, from left to right; and whether there are these. Called by a warp.
#[device]
fn fold_groups<T: DeviceType, F: Function2<T, T, Output = T>>(
    operator: F,
    group: usize,
    like: T,
    states: &mut [u64],
    values: &[T],
) -> (T, bool) {
    let lane = lane_id();
    let mut status = 0;
    let mut value = like;
    let (mut nearest, mut polls) = (WARP_SIZE, 0);
    let mut is_lost = false;
    while nearest == WARP_SIZE {
        // A lane whose operator has faulted neither asks nor votes.
        if ballot_sync(u32::MAX, true) != u32::MAX {
            return (like, false);
        }
        // The CPU device reports a deadlock if all threads wait in loops without votes.
        while !is_gpu() && lane < group && status == 0 {
            (status, value) = published(states, values, group - 1 - lane, like);
        }
        polls += 1;
        if lane < group && status != PREFIX && status != LOST {
            (status, value) = published(states, values, group - 1 - lane, like);
            if polls & (max_polls() - 1) == 0 && status == 0 {
                publish_loss::<T>(states, group - 1 - lane);
            }
        }
        // The lanes before the first with a prefix have to have an aggregate. 32 if no lane has one.
        let first = ballot_sync(u32::MAX, status == PREFIX).trailing_zeros() as usize;
        let missing = ballot_sync(u32::MAX, status == 0).trailing_zeros() as usize;
        let lost = ballot_sync(u32::MAX, status == LOST).trailing_zeros() as usize;
        is_lost = lost < first;
        if is_lost {
            nearest = 0;
        } else if missing > first {
            nearest = first;
        }
    }
    let mut total = shfl_sync(u32::MAX, value, nearest);
    for k in 0..nearest {
        let next = shfl_sync(u32::MAX, value, nearest - 1 - k);
        total = operator.call(total, next);
    }
    (total, !is_lost)
}

/// Publishes the aggregate of a tile and, at the end of a group, that of the group and its prefix. Returns the reduction of all
/// elements before the tile, and of `initial` if there is one; for the first tile without one, any value. Also returns whether there
/// is this value: it is lost if a thread of an earlier tile or of this warp has faulted. Called by a warp, after which the block
/// publishes the loss of the group: see [`publish_lost_group`](publish_lost_group()).
#[device]
fn prefix_of_tile<T: DeviceType, F: Function2<T, T, Output = T>>(
    operator: F,
    initial: T,
    has_initial: bool,
    tile: usize,
    aggregate: T,
    states: &mut [u64],
    values: &mut [T],
    groups: usize,
) -> (T, bool) {
    let lane = lane_id();
    let (group, place) = (tile / GROUP, tile % GROUP);
    let is_end = place == GROUP - 1;
    if lane == 0 && !is_end {
        publish(states, values, groups + tile, AGGREGATE, aggregate);
    }

    // The tiles before this one in the group.
    let mut within = aggregate;
    let mut is_lost = false;
    if lane < place {
        let at = groups + group * GROUP + lane;
        let (mut status, mut polls) = (0, 0);
        while status == 0 {
            (status, within) = published(states, values, at, aggregate);
            polls += 1;
            if polls & (max_polls() - 1) == 0 {
                publish_loss::<T>(states, at);
            }
        }
        is_lost = status == LOST;
    }
    if any_sync(u32::MAX, is_lost) {
        return (aggregate, false);
    }
    if place > 0 {
        within = warp_reduce_first(within, place, operator);
    }
    let mut of_group = aggregate;
    if is_end {
        of_group = operator.call(within, aggregate);
        if lane == 0 && group > 0 {
            publish(states, values, group, AGGREGATE, of_group);
        }
    }

    // The groups before this one.
    let mut before = initial;
    if group > 0 {
        let (found, is_found) = if is_end {
            fold_groups(operator, group, aggregate, states, values)
        } else {
            prefix_of_group(group - 1, aggregate, states, values)
        };
        if !is_found {
            return (aggregate, false);
        }
        before = found;
    }
    let has_before = group > 0 || has_initial;
    if is_end && lane == 0 {
        let prefix = if has_before { operator.call(before, of_group) } else { of_group };
        publish(states, values, group, PREFIX, prefix);
    }
    if has_before {
        within = if place > 0 { operator.call(before, within) } else { before };
    }
    (within, true)
}

/// Returns the number of the tile of the block. Tiles are numbered in the order in which blocks begin, so that no block waits for one
/// that has not begun. Called by all threads of a block of one dimension; `states` are those of a [`LookBack`].
#[device]
pub(crate) fn next_tile(states: &mut [u64]) -> usize {
    let mut ticket = shared::<usize>();
    if thread_idx().x == 0 {
        let last = states.len() - 1;
        *ticket = atomic_add(&mut states[last], 1) as usize;
    }
    sync_threads();
    *ticket
}

/// Returns the prefix of the tile of the block, as [`prefix_of_tile`](prefix_of_tile()) does, and whether there is one. If there is none, this is
/// published, and the thread has to return. Called by all threads of the block, once, with the aggregate of the tile.
#[device]
pub(crate) fn prefix_of_block<T: DeviceType, F: Function2<T, T, Output = T>>(
    operator: F,
    initial: T,
    has_initial: bool,
    tile: usize,
    aggregate: T,
    states: &mut [u64],
    values: &mut [T],
    groups: usize,
) -> (T, bool) {
    let mut prefix = shared::<T>();
    let mut is_lost = shared::<bool>();
    let t = thread_idx().x;
    if t == 0 {
        *is_lost = true;
    }
    if sync_threads_count(true) < block_dim().x as u32 {
        // The operator has faulted in the other threads. Later tiles do not wait for this one.
        publish_lost_tile::<T>(tile, states, groups);
        return (aggregate, false);
    }
    if t < WARP_SIZE {
        let (found, is_found) = prefix_of_tile(operator, initial, has_initial, tile, aggregate, states, values, groups);
        if t == 0 && is_found {
            *prefix = found;
            *is_lost = false;
        }
    }
    sync_threads();
    if *is_lost {
        // An earlier block has faulted. This is no fault of its own: it would be reported in place of the cause if the tile of the
        // lowest block is not the first one.
        publish_lost_group::<T>(tile, states);
        return (aggregate, false);
    }
    (*prefix, true)
}

/// The memory through which the blocks of a launch publish values of the tiles.
pub(crate) struct LookBack<T> {
    /// The states of the groups and of the tiles, and a ticket.
    states: DeviceArray<u64>,
    /// Two values for each state, unless they are published with the states.
    values: DeviceArray<T>,
    /// Whether no launch has written the states yet.
    is_zeroed: bool,
}

/// The part of a [`LookBack`] for a launch.
pub(crate) struct TileStates<'a, T> {
    pub(crate) states: DeviceSliceMut<'a, u64>,
    pub(crate) values: DeviceSliceMut<'a, T>,
    /// The number of groups.
    pub(crate) groups: usize,
}

/// Returns the number of groups, of states, and of values of a number of tiles.
fn sizes<T>(tiles: usize) -> (usize, usize, usize) {
    let groups = tiles.div_ceil(GROUP);
    (groups, groups + tiles + 1, if size_of::<T>() <= WORD { 0 } else { 2 * (groups + tiles) })
}

impl<T: DeviceType> LookBack<T> {
    /// Allocates the memory for a number of tiles.
    pub(crate) fn new(stream: &Stream, tiles: usize) -> Result<Self> {
        let (_, states, values) = sizes::<T>(tiles);
        // SAFETY: a block reads only values that another one has written before the state that it read.
        let values = unsafe { stream.uninitialized(values)? };
        Ok(LookBack { states: stream.zeros(states)?, values, is_zeroed: true })
    }

    /// Replaces the memory if it is too short.
    pub(crate) fn fit(&mut self, stream: &Stream, tiles: usize) -> Result<()> {
        let (_, states, values) = sizes::<T>(tiles);
        if !suffices(&self.states, stream, states) || !suffices(&self.values, stream, values) {
            *self = LookBack::new(stream, tiles)?;
        }
        Ok(())
    }

    /// Prepares the memory for a launch, which writes it.
    pub(crate) fn begin(&mut self, tiles: usize, queue: &mut Queue<'_, '_>) -> Result<TileStates<'_, T>> {
        let (groups, states, values) = sizes::<T>(tiles);
        let mut states = self.states.slice_mut(..states)?;
        if !std::mem::take(&mut self.is_zeroed) || queue.is_graph() {
            queue.fill(&mut states, 0)?;
        }
        Ok(TileStates { states, values: self.values.slice_mut(..values)?, groups })
    }

    /// Returns the size of the memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<u64>() * self.states.len() + size_of::<T>() * self.values.len()
    }
}
