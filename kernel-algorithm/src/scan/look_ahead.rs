//! Look-ahead: prefixes of the tiles of an array, in a single pass by a grid of resident blocks, each of which has every `n`-th
//! tile.
//!
//! A block publishes the aggregate of its next tile, and loads the one after that, before it needs the prefix of the current
//! one. The aggregates of all tiles between its last one and this one are published by then, or about to be, and it reduces them
//! itself: unlike in decoupled look-back (D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back",
//! NVIDIA Technical Report NVR-2016-002), no block waits for the prefix of another one. The launch has to be cooperative, since
//! a block waits for later ones.
//!
//! The parentheses are fixed, so that floating-point results do not depend on the number of blocks: 32 tiles are a group. The
//! prefix of a tile is the reduction of the groups before its own, from left to right, and a tree of the earlier tiles of its
//! own group; that of a group is the same tree.

use std::marker::PhantomData;

use cumbia::intrinsics::{
    DeviceScope, Relaxed, WARP_SIZE, any_sync, atomic_load_explicit, atomic_store_explicit, block_idx, grid_dim,
    has_faulted, lane_id, shared, shfl_sync, shfl_up_sync, sync_threads_count, sync_warp, thread_idx,
};
use cumbia::{ArrayView1, Device, DeviceArray, DeviceSliceMut, DeviceType, Result, Stream};
use cumbia_kernel_macros::{DeviceType, KernelArgument, device};

use crate::adjacent::is_aligned;
use crate::operator::Function2;
use crate::queue::{Queue, suffices};
use crate::residency::resident_blocks;
use crate::warp::{is_gpu, warp_reduce_first, warp_scan_first};

/// The number of threads of a block, which the attributes of the kernels repeat.
pub(crate) const BLOCK: usize = 256;

/// The number of warps of a block.
pub(crate) const WARPS: usize = BLOCK / WARP_SIZE;

/// The number of resident blocks of a multiprocessor, unless it has too little shared memory. The attributes of the kernels
/// repeat it: it leaves each thread 80 registers.
const RESIDENT_BLOCKS: usize = 3;

/// The number of tiles of a group.
const GROUP: u32 = WARP_SIZE as u32;

/// The maximum number of groups between two tiles of a block, with their own ones.
const MAX_PARTS: usize = PARTS_OF_WARP * WARPS;

/// The maximum number of groups of which a warp reduces the aggregates.
const PARTS_OF_WARP: usize = 2;

/// The largest number of a launch, whose statuses are represented by a `u32`.
const LAST_LAUNCH: u32 = u32::MAX / 2;

/// The size in bytes of a word, which is published in 64 bits with its status, so that no order of accesses is needed.
const WORD: usize = 4;

/// The maximum number of words of an aggregate.
const MAX_WORDS: usize = 40;

/// The number of times that a thread polls for the aggregate of another block before it looks at the clock: 0.2 to 1 second on a GPU.
const FIRST_POLLS: u32 = 1 << 18;

/// The ratio of the longest wait to the time that the block has taken before, once a thread has faulted.
///
/// A wait has no end if all threads of the other block have faulted. How long it takes otherwise depends on how slowly blocks
/// execute, which a number of polls or seconds does not tell: a sanitizer slows the accesses to shared memory down a thousandfold, but
/// no poll. So a block waits in proportion to the time that it has taken so far, in which it has done the same work as the other one;
/// that includes the first polls, so that it is 2 to 10 seconds if nothing slows the GPU down.
///
/// The CPU device detects by itself that all threads wait, and a block may take any time there.
const PATIENCE: u32 = 8;

/// As [`PATIENCE`], as long as no fault is recorded. The operator may take long for some elements, so that blocks differ in their
/// work. Whether a fault is recorded does not tell with certainty that none happened: that of an earlier launch may have been in its
/// place, and been reported meanwhile.
const PATIENCE_WITHOUT_FAULT: u32 = 1024;

/// Returns the time in units of 2²⁰ ns, about a millisecond, modulo 2³².
#[device(unsafe(cuda = r#"
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return (unsigned)(now >> 20);
"#))]
fn time() -> u32 {
    0
}

/// Returns the time at which the block began, which the first call notes, before a barrier. Both calls are of the same instance of the
/// function, whose shared variable has the time.
#[device]
fn beginning(is_noted: bool) -> u32 {
    let mut at = shared::<u32>();
    if !is_noted && thread_idx().x == 0 {
        *at = time();
    }
    if is_noted { *at } else { 0 }
}

/// Notes the time at which the block begins. A barrier follows before [`prefix_of_tile`].
#[device]
pub(crate) fn note_beginning() {
    beginning(false);
}

/// Returns whether a thread that looks at the clock since `since` has waited in vain.
#[device]
fn is_in_vain(since: u32) -> bool {
    let (waited, before) = (time().wrapping_sub(since), since.wrapping_sub(beginning(true)));
    // At most 12 days, so that the difference of two times does not wrap.
    let longest = before.min(1 << 20);
    waited >= PATIENCE * longest && (has_faulted() || waited >= PATIENCE_WITHOUT_FAULT * longest)
}

/// The maximum number of words of an aggregate that is asked for in advance: its states occupy registers.
const MAX_WORDS_ASKED: usize = 4;

/// Words that are aligned for a value of any type.
#[repr(C, align(256))]
struct Aligned([u32; MAX_WORDS]);

/// Returns the words of a value, of which the first `size_of::<T>().div_ceil(WORD)` are used.
#[device(unsafe(cuda = "rt::Array<unsigned, 40> words; words.at[(sizeof(value) - 1) / 4] = 0; \
                        memcpy(words.at, &value, sizeof(value)); return words;"))]
fn to_words<T: DeviceType>(value: T) -> [u32; MAX_WORDS] {
    let mut buffer = Aligned([0; MAX_WORDS]);
    assert!(size_of::<T>() <= WORD * MAX_WORDS && align_of::<T>() <= align_of::<Aligned>());
    // SAFETY: the value fits into the buffer, which is aligned for it. Padding of the value remains zero.
    unsafe { T::__store(buffer.0.as_mut_ptr().cast(), value) };
    buffer.0
}

/// Returns the value of these words, of the type of `like`.
#[device(unsafe(cuda = "memcpy(&like, words.at, sizeof(like)); return like;"))]
fn from_words<T: DeviceType>(words: [u32; MAX_WORDS], like: T) -> T {
    let _ = like;
    let mut buffer = Aligned(words);
    assert!(size_of::<T>() <= WORD * MAX_WORDS && align_of::<T>() <= align_of::<Aligned>());
    // SAFETY: the value fits into the buffer, which is aligned for it, initialised with words of `to_words`, and not shared.
    unsafe { T::__load(buffer.0.as_mut_ptr().cast()) }
}

/// The words of the aggregates of all tiles, through which the blocks of a launch publish them, each with a status.
///
/// The statuses of a launch are greater than those of earlier launches, so that the words need not be cleared between two. The
/// status of an aggregate is the least of those of its words.
#[doc(hidden)]
#[derive(KernelArgument)]
pub struct States<'a> {
    pub words: DeviceSliceMut<'a, u64>,
    /// The number of the launch among those with this memory, from 1 to [`LAST_LAUNCH`]. Its statuses are the even number twice
    /// as large and the odd one after it.
    pub launch: u32,
}

#[device]
impl States<'_> {
    /// Returns the status of an aggregate if a thread has faulted on which it depends. Before, the status is less.
    fn lost(self) -> u32 {
        self.launch << 1
    }

    /// Returns the status of a published aggregate.
    fn published(self) -> u32 {
        self.launch << 1 | 1
    }

    /// Returns whether the words of so many tiles with aggregates of type `T` exist, and can be loaded in pairs. A kernel does nothing
    /// otherwise, which no launch of this crate leads to.
    pub(crate) fn suffice<T: DeviceType>(self, tiles: u32) -> bool {
        is_aligned(self.words) && self.words.len() >= tiles as usize * const { size_of::<T>().div_ceil(WORD) }
    }
}

/// Publishes words of an aggregate for other blocks.
#[device]
fn publish_words<T: DeviceType>(tile: u32, status: u32, words: [u32; MAX_WORDS], states: States<'_>) {
    let count = const { size_of::<T>().div_ceil(WORD) };
    #[unroll]
    for k in 0..count {
        let state = (status as u64) << 32 | words[k] as u64;
        atomic_store_explicit::<Relaxed, DeviceScope>(&mut states.words[tile as usize * count + k], state);
    }
}

/// Publishes the aggregate of a tile for other blocks.
#[device]
pub(crate) fn publish<T: DeviceType>(tile: u32, aggregate: T, states: States<'_>) {
    publish_words::<T>(tile, states.published(), to_words(aggregate), states);
}

/// Publishes that a tile has no aggregate.
#[device]
fn publish_loss<T: DeviceType>(tile: u32, states: States<'_>) {
    publish_words::<T>(tile, states.lost(), [0; MAX_WORDS], states);
}

/// Loads two adjacent states, of which the first has an even index, from [`States::suffice`].
#[device(unsafe(cuda = r#"
    rt::Array<u64, 2> pair;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(pair.at[0]), "=l"(pair.at[1]) : "l"(states + first));
    return pair;
"#))]
fn load_pair(states: &[u64], first: usize) -> [u64; 2] {
    [states[first], states[first + 1]]
}

/// Returns the states of the words of a tile's aggregate of type `T`.
#[device]
fn states_of<T: DeviceType>(tile: u32, states: States<'_>) -> [u64; MAX_WORDS] {
    let count = const { size_of::<T>().div_ceil(WORD) };
    let first = tile as usize * count;
    let mut found = [0; MAX_WORDS];
    if count % 2 == 0 && is_gpu() {
        // Half as many accesses of the L2 cache: every block loads the states of every tile.
        #[unroll]
        for k in 0..count / 2 {
            let pair = load_pair(states.words, first + 2 * k);
            found[2 * k] = pair[0];
            found[2 * k + 1] = pair[1];
        }
    } else {
        #[unroll]
        for k in 0..count {
            found[k] = atomic_load_explicit::<Relaxed, DeviceScope>(&states.words[first + k]);
        }
    }
    found
}

/// Returns the status of an aggregate whose words have been loaded, and the aggregate; `like` without one.
#[device]
fn aggregate_of<T: DeviceType>(loaded: [u64; MAX_WORDS], like: T, states: States<'_>) -> (u32, T) {
    let count = const { size_of::<T>().div_ceil(WORD) };
    let mut words = [0; MAX_WORDS];
    let mut status = states.published();
    #[unroll]
    for k in 0..count {
        words[k] = loaded[k] as u32;
        status = status.min((loaded[k] >> 32) as u32);
    }
    (status, if status == states.published() { from_words(words, like) } else { like })
}

/// Publishes that the tiles of the block have no aggregates.
#[device]
pub(crate) fn publish_losses<T: DeviceType>(tiles: u32, states: States<'_>) {
    for tile in (block_idx().x as u32..tiles).step_by(grid_dim().x) {
        publish_loss::<T>(tile, states);
    }
}

/// Returns the reduction of the values of the threads before the own one, in the first `count` threads but the very first one,
/// and any value in the others; the reduction of the values of all of them, in all threads; whether this is the thread of the block
/// that publishes the reduction; and whether no thread of the block has faulted before. If an operator of this function faults in
/// the second half of it, the reduction is any value, but no thread publishes it. A barrier has to follow before the next call,
/// which uses the same shared memory.
#[device]
pub(crate) fn scan_of_block<T: DeviceType, F: Function2<T, T, Output = T>>(
    value: T,
    count: u32,
    operator: F,
) -> (T, T, bool, bool) {
    let mut parts = shared::<[T; WARPS]>();
    let (warp, lane) = (thread_idx().x / WARP_SIZE, lane_id());
    let first = (warp * WARP_SIZE) as u32;
    let lanes = if count > first { (count - first).min(WARP_SIZE as u32) as usize } else { 0 };
    let through = warp_scan_first(value, lanes, operator);
    if lane + 1 == lanes {
        parts[warp] = through;
    }
    if sync_threads_count(true) < BLOCK as u32 {
        return (value, value, false, false);
    }
    let warps = count.div_ceil(WARP_SIZE as u32).min(WARPS as u32) as usize;
    let mut sums = parts[lane.min(warps - 1)];
    for delta in [1, 2, 4] {
        let other = shfl_up_sync(u32::MAX, sums, delta);
        if lane >= delta && lane < warps {
            sums = operator.call(other, sums);
        }
    }
    let total = shfl_sync(u32::MAX, sums, warps - 1);
    let before_warp = shfl_sync(u32::MAX, sums, (warp + WARP_SIZE - 1) % WARP_SIZE);
    let mut before = shfl_up_sync(u32::MAX, through, 1);
    if lane == 0 {
        before = before_warp;
    } else if warp > 0 && lane < lanes {
        before = operator.call(before_warp, before);
    }
    // The thread that has computed the total has exited if its operator has faulted.
    (before, total, warp == 0 && lane + 1 == warps, true)
}

/// Returns the reduction of `none` and a value of each warp, the same in all of its lanes, over the warps before the own one; over
/// all warps; and whether no thread of the block has faulted. A barrier has to follow before the next call, which uses the same
/// shared memory.
#[device]
pub(crate) fn scan_of_warps<T: DeviceType, F: Function2<T, T, Output = T>>(
    of_warp: T,
    none: T,
    operator: F,
) -> (T, T, bool) {
    let mut parts = shared::<[T; WARPS]>();
    let warp = thread_idx().x / WARP_SIZE;
    if lane_id() == 0 {
        parts[warp] = of_warp;
    }
    if sync_threads_count(true) < BLOCK as u32 {
        return (none, none, false);
    }
    let (mut before, mut total) = (none, none);
    #[unroll]
    for k in 0..WARPS {
        if k == warp {
            before = total;
        }
        total = operator.call(total, parts[k]);
    }
    (before, total, true)
}

/// Defines a function that loads elements of a tile, from an array of this type.
macro_rules! loads_rows {
    ($(#[$doc:meta])* $name:ident($array:ty)) => {
        $(#[$doc])*
        #[device]
        pub(crate) fn $name<T: DeviceType, const ITEMS: usize>(
            x: $array,
            first: usize,
            in_tile: usize,
            default: T,
        ) -> [T; ITEMS] {
            let at = first + in_tile;
            let mut loaded = [default; ITEMS];
            if first + BLOCK * ITEMS <= x.len() {
                // All loads are issued before the first value is needed.
                #[unroll]
                for k in 0..ITEMS {
                    loaded[k] = x[at + k * WARP_SIZE];
                }
            } else {
                #[unroll]
                for k in 0..ITEMS {
                    if at + k * WARP_SIZE < x.len() {
                        loaded[k] = x[at + k * WARP_SIZE];
                    }
                }
            }
            loaded
        }
    };
}

loads_rows! {
    /// Loads elements of a tile, of which `first` is the first one, and the lane's is `in_tile` later: one of each of `ITEMS` rows.
    /// Those beyond the end of the array are `default`.
    ///
    /// They do not depend on the elements of an earlier tile, which need no registers when they have been used.
    load_rows(ArrayView1<'_, T>)
}

loads_rows! {
    /// As [`load_rows`], of the array that the kernel overwrites.
    load_rows_in_place(&[T])
}

/// Returns the thread's consecutive elements of a tile of which the warp has loaded these rows, and stores those of the warp in
/// `elements`, an array of the tile in shared memory; not if a thread has a single element. Called by all lanes of the warp.
#[device]
pub(crate) fn stage_rows<T: DeviceType, const ITEMS: usize>(rows: [T; ITEMS], elements: &mut [T]) -> [T; ITEMS] {
    let mut own = rows;
    if const { ITEMS > 1 } {
        let (t, lane) = (thread_idx().x, thread_idx().x % WARP_SIZE);
        let of_warp = t / WARP_SIZE * (WARP_SIZE * ITEMS);
        // The warp has read its elements of the tile before.
        sync_warp(u32::MAX);
        #[unroll]
        for k in 0..ITEMS {
            elements[of_warp + k * WARP_SIZE + lane] = rows[k];
        }
        sync_warp(u32::MAX);
        #[unroll]
        for k in 0..ITEMS {
            own[k] = elements[t * ITEMS + k];
        }
    }
    own
}

/// Returns the element before the lane's one in row `k`, of rows of consecutive elements. `preceding` is the one before the first row.
/// Called by all lanes of the warp.
#[device]
pub(crate) fn before_in_rows<T: DeviceType, const ITEMS: usize>(rows: [T; ITEMS], k: usize, preceding: T) -> T {
    // That of the first lane is the last one of the row before.
    let lane = lane_id();
    let mut given = rows[k];
    if lane == WARP_SIZE - 1 {
        given = if k > 0 { rows[k.max(1) - 1] } else { preceding };
    }
    shfl_sync(u32::MAX, given, (lane + WARP_SIZE - 1) % WARP_SIZE)
}

/// The reduction of the groups before one, and of an initial value if there is one. The first warp has it; in the others it may be
/// any value.
#[derive(Clone, Copy, DeviceType)]
pub(crate) struct Groups<T: DeviceType> {
    /// Any value if there is neither a group nor an initial value.
    value: T,
    has_value: bool,
    /// The number of groups.
    count: u32,
}

#[device]
impl<T: DeviceType> Groups<T> {
    /// Returns the reduction of no group.
    pub(crate) fn none(initial: T, has_initial: bool) -> Self {
        Groups { value: initial, has_value: has_initial, count: 0 }
    }
}

/// The parts of the tiles before a tile whose aggregates the warp has asked for, one of each lane: a part is a group, and the last
/// one the earlier tiles of the tile's own group. The states of the aggregates are as they were loaded, since any computation with
/// them waits for the loads.
#[derive(Clone, Copy, DeviceType)]
pub(crate) struct Asked {
    states: [[u64; MAX_WORDS]; PARTS_OF_WARP],
}

/// The aggregates of the lane's tiles of these parts.
#[derive(Clone, Copy, DeviceType)]
pub(crate) struct Parts<T: DeviceType> {
    status: [u32; PARTS_OF_WARP],
    value: [T; PARTS_OF_WARP],
    /// Whether one of them is lost, in the whole warp.
    is_lost: bool,
}

#[device]
impl<T: DeviceType> Groups<T> {
    /// Returns the number of tiles of a part of the tiles before a tile that are not in these groups.
    fn members(self, part: u32, tile: u32) -> u32 {
        let complete = tile / GROUP - self.count;
        if part < complete {
            GROUP
        } else if part == complete {
            tile % GROUP
        } else {
            0
        }
    }

    /// Asks for the aggregates of all tiles before a tile that are not in these groups, without waiting for them. Large ones, which
    /// would need many registers, are not asked for.
    pub(crate) fn ask(self, tile: u32, states: States<'_>) -> Asked {
        let (warp, lane) = (thread_idx().x / WARP_SIZE, lane_id() as u32);
        let mut asked = Asked { states: [[0; MAX_WORDS]; PARTS_OF_WARP] };
        if const { size_of::<T>() <= WORD * MAX_WORDS_ASKED } {
            #[unroll]
            for k in 0..PARTS_OF_WARP {
                let part = (k * WARPS + warp) as u32;
                if lane < self.members(part, tile) {
                    asked.states[k] = states_of::<T>((self.count + part) * GROUP + lane, states);
                }
            }
        }
        asked
    }

    /// Returns the aggregates that have been asked for, as far as they were published then. Called by all lanes of the warp before
    /// they load another tile: later loads may share a scoreboard with these ones, and would be waited for, too.
    pub(crate) fn receive(self, asked: Asked, tile: u32, states: States<'_>) -> Parts<T> {
        let (warp, lane) = (thread_idx().x / WARP_SIZE, lane_id() as u32);
        let mut parts =
            Parts { status: [states.published(); PARTS_OF_WARP], value: [self.value; PARTS_OF_WARP], is_lost: false };
        let mut is_lost = false;
        #[unroll]
        for k in 0..PARTS_OF_WARP {
            if lane < self.members((k * WARPS + warp) as u32, tile) {
                (parts.status[k], parts.value[k]) = aggregate_of(asked.states[k], self.value, states);
                is_lost = is_lost || parts.status[k] == states.lost();
            }
        }
        parts.is_lost = any_sync(u32::MAX, is_lost);
        parts
    }
}

/// Waits for the aggregates of all tiles before a tile, of which `groups` has those of the last call, and `parts` the others as
/// far as they have been received. Returns the groups before the tile, the reduction of all elements before it, and whether there is
/// one: it is lost if a thread of an earlier tile or of this block has faulted. For the first tile without an initial value it
/// is any value. Called by all threads of the block; the next call has to follow a barrier.
#[device]
pub(crate) fn prefix_of_tile<T: DeviceType, F: Function2<T, T, Output = T>>(
    tile: u32,
    groups: Groups<T>,
    received: Parts<T>,
    operator: F,
    states: States<'_>,
) -> (Groups<T>, T, bool) {
    let mut parts = shared::<[T; MAX_PARTS]>();
    let (warp, lane) = (thread_idx().x / WARP_SIZE, lane_id() as u32);
    let (group, place) = (tile / GROUP, tile % GROUP);
    let complete = group - groups.count;
    let mut is_lost = received.is_lost;
    #[unroll]
    for k in 0..PARTS_OF_WARP {
        let part = (k * WARPS + warp) as u32;
        let (mut status, mut value) = (received.status[k], received.value[k]);
        // First the number of polls that are left, and then the time after the last of them.
        let (mut bound, mut is_time) = (FIRST_POLLS, false);
        while status < states.lost() {
            let member = (groups.count + part) * GROUP + lane;
            (status, value) = aggregate_of(states_of::<T>(member, states), value, states);
            if is_gpu() {
                if is_time {
                    if is_in_vain(bound) {
                        publish_loss::<T>(member, states);
                        panic!("a block has waited in vain for the aggregate of another one");
                    }
                } else if bound > 0 {
                    bound -= 1;
                } else {
                    is_time = true;
                    bound = time();
                }
            }
        }
        is_lost = is_lost || status == states.lost();
        let members = groups.members(part, tile);
        if members > 0 && !any_sync(u32::MAX, is_lost) {
            let of_part = warp_reduce_first(value, members as usize, operator);
            if lane == 0 {
                parts[part as usize] = of_part;
            }
        }
    }
    // A thread whose operator has faulted does not count.
    if sync_threads_count(!is_lost) < BLOCK as u32 {
        return (groups, groups.value, false);
    }

    // One warp computes the prefix for all, unless the barrier would cost more instructions than it saves.
    let by_one_warp = const { size_of::<T>() > WORD };
    let mut before = groups.value;
    let has_before = groups.has_value || complete > 0;
    let mut prefix = before;
    if warp == 0 || !by_one_warp {
        #[unroll]
        for k in 0..MAX_PARTS {
            if (k as u32) < complete {
                before = if k > 0 || groups.has_value { operator.call(before, parts[k]) } else { parts[k] };
            }
        }
        prefix = before;
        if place > 0 && (complete as usize) < MAX_PARTS {
            let last = parts[complete as usize];
            prefix = if has_before { operator.call(before, last) } else { last };
        }
    }
    let mut is_whole = true;
    if by_one_warp {
        let mut prefixes = shared::<[T; 1]>();
        if thread_idx().x == 0 {
            prefixes[0] = prefix;
        }
        is_whole = sync_threads_count(true) == BLOCK as u32;
        prefix = prefixes[0];
    }
    (Groups { value: before, has_value: has_before, count: group }, prefix, is_whole)
}

/// The memory through which the blocks of a launch publish aggregates of the tiles.
pub(crate) struct LookAhead<T> {
    words: DeviceArray<u64>,
    /// The number of the last launch, which is at least that of the launches in graphs.
    launches: u32,
    of: PhantomData<T>,
}

/// The number of a launch in a graph, which clears the words before: the graph is executed between any two launches.
const LAUNCH_OF_GRAPH: u32 = 1;

impl<T: DeviceType> LookAhead<T> {
    /// Allocates the memory for a number of tiles.
    pub(crate) fn new(stream: &Stream, tiles: usize) -> Result<Self> {
        Ok(LookAhead { words: stream.zeros(Self::words(tiles))?, launches: LAUNCH_OF_GRAPH, of: PhantomData })
    }

    /// Replaces the memory if it is too short.
    pub(crate) fn fit(&mut self, stream: &Stream, tiles: usize) -> Result<()> {
        if !suffices(&self.words, stream, Self::words(tiles)) {
            *self = LookAhead::new(stream, tiles)?;
        }
        Ok(())
    }

    /// Returns the words for a launch, which writes them.
    pub(crate) fn begin(&mut self, tiles: usize, queue: &mut Queue<'_, '_>) -> Result<States<'_>> {
        let launch = if queue.is_graph() {
            queue.fill(&mut self.words.slice_mut(..Self::words(tiles))?, 0)?;
            LAUNCH_OF_GRAPH
        } else {
            if self.launches == LAST_LAUNCH {
                queue.fill(&mut self.words.as_slice_mut(), 0)?;
                self.launches = LAUNCH_OF_GRAPH;
            }
            self.launches += 1;
            self.launches
        };
        Ok(States { words: self.words.slice_mut(..Self::words(tiles))?, launch })
    }

    /// Returns the number of words of the aggregates of a number of tiles.
    fn words(tiles: usize) -> usize {
        tiles * const { size_of::<T>().div_ceil(WORD) }
    }

    /// Returns the size of the memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<u64>() * self.words.len()
    }
}

/// Returns the number of blocks of a cooperative launch for a number of tiles with aggregates `T`, of a kernel with so many
/// bytes of shared memory in each block, apart from those of the functions of this module.
pub(crate) fn blocks_of<T>(device: &Device, tiles: usize, shared_bytes: usize) -> usize {
    let limits = device.limits();
    // Each thread runs one block on the CPU device, and shares the limit of resident threads with other launches.
    if device.is_cpu() {
        return tiles.min(limits.multiprocessors).min(MAX_CPU_BLOCKS);
    }
    let shared_bytes = shared_bytes + (MAX_PARTS + WARPS + 1) * size_of::<T>().max(WORD);
    let of_multiprocessor = RESIDENT_BLOCKS.min(resident_blocks(device, BLOCK, shared_bytes));
    // Between two tiles of a block there are at most `MAX_PARTS` groups, of which two are their own.
    tiles.min(of_multiprocessor * limits.multiprocessors).min((MAX_PARTS - 2) * GROUP as usize)
}

/// The maximum number of blocks on the CPU device.
const MAX_CPU_BLOCKS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// After the last launch that has a number, the words are cleared, and the numbers begin again.
    #[test]
    fn numbers_of_launches_begin_again() {
        let stream = Device::cpu().default_stream();
        let mut memory = LookAhead::<u32>::new(&stream, 2).unwrap();
        memory.launches = LAST_LAUNCH - 1;
        memory.words.fill(u64::MAX).unwrap();
        assert_eq!(memory.begin(1, &mut Queue::Stream(&stream)).unwrap().launch, LAST_LAUNCH);
        assert_eq!(memory.words.to_host().unwrap(), [u64::MAX; 2]);
        assert_eq!(memory.begin(1, &mut Queue::Stream(&stream)).unwrap().launch, LAUNCH_OF_GRAPH + 1);
        assert_eq!(memory.words.to_host().unwrap(), [0; 2]);
    }
}
