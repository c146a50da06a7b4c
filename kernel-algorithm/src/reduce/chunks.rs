//! The kernels of a reduction: each block reduces a chunk of consecutive elements, and the last one the partial results. A single
//! chunk has a kernel with less code, since a launch of few elements takes as long as its instructions are loaded.

use cumbia::intrinsics::{
    DeviceScope, Release, WARP_SIZE, atomic_add_explicit, atomic_max, block_idx, grid_dim, lane_id, shared,
    sync_threads, thread_idx,
};
use cumbia::{ArrayView1, DeviceType};
use cumbia_kernel_macros::{DeviceType, KernelArgument, device, kernel};

use crate::adjacent::{is_contiguous, load_adjacent};
use crate::block::{block_reduce_first, reduce_first_warps};
use crate::operator::{Function1, Function2};
use crate::warp::{total_of, warp_reduce, warp_reduce_first};

/// The number of threads of a block, which the kernel's attribute repeats.
const BLOCK: usize = 512;

/// The number of elements of a tile for each thread.
const ITEMS: usize = 16;

/// The number of elements of a tile, of which the length of a chunk is a multiple, or of a quarter of a tile.
pub(super) const TILE: usize = ITEMS * BLOCK;

/// The size in bytes of the largest results of which a thread has several at once. With larger ones, whose operators take longer
/// than the loads, the kernel would have so much code that its compilation took minutes.
pub(crate) const SEVERAL_AT_ONCE: usize = 32;

/// Rejects a type of results of which the warps of a block have no room in shared memory.
pub(crate) const fn assert_reducible<T>() {
    assert!(size_of::<T>() <= 1024, "the values of a reduction have at most 1024 bytes");
}

/// The function of the elements of two arrays, or of one, and of their index, whose results are reduced.
#[device]
pub trait Mapping<A: DeviceType, B: DeviceType>: DeviceType {
    /// The type of the result.
    type Output: DeviceType;

    /// Whether the second array exists. Otherwise the second element is that of index 0.
    const IS_BINARY: bool = false;

    /// Whether the reduction selects one of the results, by the elements of the first array: with [`selects`](Mapping::selects) for
    /// elements in the order of their indices. The operator, which may exchange its operands, compares the indices as well.
    const SELECTS: bool = false;

    /// Returns the result for the elements at an index.
    fn apply(self, a: A, b: B, index: usize) -> Self::Output;

    /// Returns whether the next element is selected, and not that before it, which has a lesser index.
    fn selects(self, _before: A, _next: A) -> bool {
        false
    }
}

/// A function of the element of one array.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct OfOne<M: DeviceType>(pub M);

#[device]
impl<A: DeviceType, M: Function1<A>> Mapping<A, u8> for OfOne<M> {
    type Output = M::Output;

    fn apply(self, a: A, _b: u8, _index: usize) -> M::Output {
        self.0.call(a)
    }
}

/// A function of the elements of two arrays.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct OfTwo<M: DeviceType>(pub M);

#[device]
impl<A: DeviceType, B: DeviceType, M: Function2<A, B>> Mapping<A, B> for OfTwo<M> {
    type Output = M::Output;

    const IS_BINARY: bool = true;

    fn apply(self, a: A, b: B, _index: usize) -> M::Output {
        self.0.call(a, b)
    }
}

/// The arrays of a reduction, whose elements are reduced in chunks, and the functions of their elements.
#[doc(hidden)]
#[derive(KernelArgument)]
pub struct Chunks<'a, A: DeviceType, B: DeviceType, M: DeviceType, F: DeviceType> {
    pub a: ArrayView1<'a, A>,
    /// The second array, of the same length; without elements if the function is of one array.
    pub b: ArrayView1<'a, B>,
    /// The operand of the function in place of an element of a second array, if there is none.
    pub like: B,
    /// The [`Mapping`].
    pub map: M,
    pub operator: F,
    /// The number of elements of a chunk, a multiple of [`TILE`], or of a quarter of it if `N` is 1.
    pub len: usize,
}

/// Returns the result of the function at an index.
#[device]
fn mapped<A: DeviceType, B: DeviceType, M: Mapping<A, B>, F: DeviceType>(
    chunks: Chunks<'_, A, B, M, F>,
    i: usize,
) -> M::Output {
    chunks.map.apply(chunks.a[i], if M::IS_BINARY { chunks.b[i] } else { chunks.like }, i)
}

/// Returns the results of the function from an index on. `ALIGNED` is that of [`load_adjacent`].
#[device]
fn mapped_adjacent<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: DeviceType,
    const N: usize,
    const ALIGNED: bool,
>(
    chunks: Chunks<'_, A, B, M, F>,
    first: usize,
) -> [T; N] {
    let of_a: [A; N] = load_adjacent::<A, N, ALIGNED>(chunks.a, first);
    let mut of_b = [chunks.like; N];
    if M::IS_BINARY {
        of_b = load_adjacent::<B, N, ALIGNED>(chunks.b, first);
    }
    let mut results = [chunks.map.apply(of_a[0], of_b[0], first); N];
    #[unroll]
    for k in 1..N {
        results[k] = chunks.map.apply(of_a[k], of_b[k], first + k);
    }
    results
}

/// Returns the reduction of the elements from `first` to before `end`, of which there are some, in the first thread. The operands
/// can be exchanged: each thread has every 512th.
#[device]
fn reduce_strided<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
>(
    chunks: Chunks<'_, A, B, M, F>,
    first: usize,
    end: usize,
) -> T {
    let (t, operator) = (thread_idx().x, chunks.operator);
    let mut total = mapped(chunks, (first + t).min(end - 1));
    for i in (first + t + BLOCK..end).step_by(BLOCK) {
        total = operator.call(total, mapped(chunks, i));
    }
    block_reduce_first(total, end - first, operator)
}

/// Returns the reduction of the elements from `first` to before `end`, of which there are some, in the first thread. The operands
/// can be exchanged. Of each whole tile, a thread has 16 elements: in each of the tile's rows, `N` adjacent ones. Of the rest, it has
/// every 512th.
#[device]
fn reduce_tiles<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
    const N: usize,
    const ALIGNED: bool,
>(
    chunks: Chunks<'_, A, B, M, F>,
    first: usize,
    end: usize,
) -> T {
    let (t, operator) = (thread_idx().x, chunks.operator);
    let whole = (end - first) / TILE;
    let rest = first + whole * TILE;
    let mut total = mapped(chunks, (first + t * N).min(end - 1));
    for tile in 0..whole {
        let start = first + tile * TILE + t * N;
        // All loads are issued before the first element is needed.
        let mut rows = [mapped_adjacent::<A, B, T, M, F, N, ALIGNED>(chunks, start); ITEMS];
        #[unroll]
        for k in 1..ITEMS / N {
            rows[k] = mapped_adjacent::<A, B, T, M, F, N, ALIGNED>(chunks, start + k * BLOCK * N);
        }
        #[unroll]
        for k in 0..ITEMS {
            let own = rows[k / N][k % N];
            total = if k == 0 && tile == 0 { own } else { operator.call(total, own) };
        }
    }
    if rest < end {
        let mut of_rest = [total; ITEMS];
        #[unroll]
        for k in 0..ITEMS {
            of_rest[k] = mapped(chunks, (rest + k * BLOCK + t).min(end - 1));
        }
        #[unroll]
        for k in 0..ITEMS {
            if rest + k * BLOCK + t < end {
                let own = of_rest[k];
                total = if k == 0 && whole == 0 { own } else { operator.call(total, own) };
            }
        }
    }
    block_reduce_first(total, end - first, operator)
}

/// Returns that of the results for the elements from `first` to before `end`, of which there are some, which the operator selects, in
/// the first thread. A thread has the same elements as in [`reduce_tiles`], and computes the index of a selected one once for a
/// tile.
#[device]
fn select_in_tiles<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
    const N: usize,
    const ALIGNED: bool,
>(
    chunks: Chunks<'_, A, B, M, F>,
    first: usize,
    end: usize,
) -> T {
    let (t, a, map) = (thread_idx().x, chunks.a, chunks.map);
    let whole = (end - first) / TILE;
    let rest = first + whole * TILE;
    let mut index = if whole > 0 { first + t * N } else { (first + t).min(end - 1) };
    let mut best = a[index];
    for tile in 0..whole {
        let start = first + tile * TILE + t * N;
        let mut rows = [load_adjacent::<A, N, ALIGNED>(a, start); ITEMS];
        #[unroll]
        for k in 1..ITEMS / N {
            rows[k] = load_adjacent::<A, N, ALIGNED>(a, start + k * BLOCK * N);
        }
        let mut selected = ITEMS;
        #[unroll]
        for k in 0..ITEMS {
            let next = rows[k / N][k % N];
            if map.selects(best, next) {
                best = next;
                selected = k;
            }
        }
        if selected < ITEMS {
            index = start + selected / N * (BLOCK * N) + selected % N;
        }
    }
    if rest < end {
        let mut of_rest = [best; ITEMS];
        #[unroll]
        for k in 0..ITEMS {
            of_rest[k] = a[(rest + k * BLOCK + t).min(end - 1)];
        }
        let mut selected = ITEMS;
        #[unroll]
        for k in 0..ITEMS {
            if rest + k * BLOCK + t < end && map.selects(best, of_rest[k]) {
                best = of_rest[k];
                selected = k;
            }
        }
        if selected < ITEMS {
            index = rest + selected * BLOCK + t;
        }
    }
    block_reduce_first(map.apply(best, chunks.like, index), end - first, chunks.operator)
}

/// Returns the reduction of the elements from `first` to before `end`, of which there are some, in the first thread, in
/// their order: each warp takes consecutive ones, in rows of 4 for each lane as long as there are so many and the results are not
/// large.
#[device]
fn reduce_ordered<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
    const ALIGNED: bool,
>(
    chunks: Chunks<'_, A, B, M, F>,
    first: usize,
    end: usize,
) -> T {
    const ROW: usize = 4 * WARP_SIZE;
    let (warp, lane) = (thread_idx().x / WARP_SIZE, lane_id());
    let operator = chunks.operator;
    let of_warp = chunks.len / (BLOCK / WARP_SIZE);
    let start = first + warp * of_warp;
    let mut total = mapped(chunks, first);
    if start < end {
        let stop = (start + of_warp).min(end);
        let count = stop - start;
        total = warp_reduce_first(mapped(chunks, (start + lane).min(end - 1)), count, operator);
        let rest = start + WARP_SIZE;
        let mut rows = 0;
        if const { size_of::<T>() <= SEVERAL_AT_ONCE } {
            rows = if count > WARP_SIZE { (count - WARP_SIZE) / ROW } else { 0 };
            #[unroll(4)]
            for k in 0..rows {
                let own = mapped_adjacent::<A, B, T, M, F, 4, ALIGNED>(chunks, rest + k * ROW + 4 * lane);
                total = operator.call(total, warp_reduce(total_of(own, operator), operator));
            }
        }
        // The minimum is for the proofs only.
        for i in (rest + rows * ROW..stop).step_by(WARP_SIZE) {
            let part = warp_reduce_first(mapped(chunks, (i + lane).min(end - 1)), stop - i, operator);
            total = operator.call(total, part);
        }
    }
    reduce_first_warps(total, (end - first).div_ceil(of_warp), operator)
}

/// Returns the reduction of the elements from `first` to before `end`, of which there are some, in the first thread.
#[device]
fn reduce_chunk<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
    const N: usize,
    const ALIGNED: bool,
>(
    chunks: Chunks<'_, A, B, M, F>,
    first: usize,
    end: usize,
) -> T {
    if !F::COMMUTATIVE {
        reduce_ordered::<A, B, T, M, F, ALIGNED>(chunks, first, end)
    } else if const { size_of::<T>() > SEVERAL_AT_ONCE } {
        reduce_strided(chunks, first, end)
    } else if M::SELECTS {
        select_in_tiles::<A, B, T, M, F, N, ALIGNED>(chunks, first, end)
    } else {
        reduce_tiles::<A, B, T, M, F, N, ALIGNED>(chunks, first, end)
    }
}

/// Returns the reduction of the partial results from `start` to before `end`, of which there are some, `COUNT` of them loaded at once.
#[device]
fn reduce_parts<T: DeviceType, F: Function2<T, T, Output = T>, const COUNT: usize>(
    operator: F,
    parts: &[T],
    start: usize,
    end: usize,
) -> T {
    let mut total = parts[start];
    for first in (start..end).step_by(COUNT) {
        let mut own = [parts[first]; COUNT];
        #[unroll]
        for k in 1..COUNT {
            own[k] = parts[(first + k).min(end - 1)];
        }
        #[unroll]
        for k in 0..COUNT {
            if first + k < end {
                total = if k == 0 && first == start { own[k] } else { operator.call(total, own[k]) };
            }
        }
    }
    total
}

/// A fence after an atomic operation, which makes it an acquire at the scope of the device.
#[device(unsafe(cuda = r#"
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
    asm volatile("fence.acquire.gpu;" ::: "memory");
#else
    __threadfence();
#endif
"#))]
fn acquire() {
    std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
}

/// Reduces several chunks to `parts`, and these to `result`, with `initial` as the first operand if there is one. Of `N` adjacent
/// elements, each thread loads all.
///
/// `finished` is the number of the last launch, in the upper half, and that of its blocks that have finished: `launch` is greater,
/// or both are 0.
///
/// Products of the function are not fused with sums of the operator, so that the result does not depend on how the elements are
/// loaded.
#[kernel(block = 512, fmad = false)]
pub fn reduce_chunks<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
    const N: usize,
>(
    chunks: Chunks<'_, A, B, M, F>,
    initial: T,
    has_initial: bool,
    launch: u32,
    parts: &mut [T],
    finished: &mut [u64],
    result: &mut [T],
) {
    // As long as the widest load: NVIDIA's compiler loads an array behind a shorter variable together with it, and racecheck reports
    // that as a read of the variable.
    let mut is_last = shared::<[bool; 16]>();
    let (t, a, b, len, operator) = (thread_idx().x, chunks.a, chunks.b, chunks.len, chunks.operator);
    let first = block_idx().x * len;
    let end = (first + len).min(a.len());
    // The barriers of the reduction follow. Thread 0 writes it after them, unless the operator faults.
    if t == 1 {
        is_last[0] = false;
    }
    if first >= end {
        return; // The grid covers the array: this is for the proof only.
    }
    let begun = (launch as u64) << 32;
    if t == 0 {
        // Long before the addition, which waits for it.
        atomic_max(&mut finished[0], begun);
    }
    let is_aligned =
        (N == 1 || len % TILE == 0) && is_contiguous(a) && (!M::IS_BINARY || is_contiguous(b) && b.len() >= a.len());
    let mut total = if const { size_of::<T>() <= SEVERAL_AT_ONCE } && is_aligned {
        reduce_chunk::<A, B, T, M, F, N, true>(chunks, first, end)
    } else {
        reduce_chunk::<A, B, T, M, F, N, false>(chunks, first, end)
    };
    if t == 0 {
        parts[block_idx().x] = total;
        // Only the last block acquires: any other would discard in vain what the cache of its multiprocessor holds.
        let before = atomic_add_explicit::<Release, DeviceScope>(&mut finished[0], 1);
        if before + 1 == begun + grid_dim().x as u64 {
            acquire();
            is_last[0] = true;
        }
    }
    sync_threads();
    if !is_last[0] {
        return;
    }
    let run = parts.len().div_ceil(BLOCK);
    let runs = parts.len().div_ceil(run);
    let start = t.min(runs - 1) * run;
    let end = (start + run).min(parts.len());
    total = if const { size_of::<T>() <= 8 } {
        reduce_parts::<T, F, 4>(operator, parts, start, end)
    } else if const { size_of::<T>() <= SEVERAL_AT_ONCE } {
        reduce_parts::<T, F, 2>(operator, parts, start, end)
    } else {
        reduce_parts::<T, F, 1>(operator, parts, start, end)
    };
    total = block_reduce_first(total, runs, operator);
    if t == 0 {
        result[0] = if has_initial { operator.call(initial, total) } else { total };
    }
}

/// Reduces a single chunk to `result`, with `initial` as the first operand if there is one.
#[kernel(block = 512, fmad = false)]
pub fn reduce_chunk_alone<
    A: DeviceType,
    B: DeviceType,
    T: DeviceType,
    M: Mapping<A, B, Output = T>,
    F: Function2<T, T, Output = T>,
>(
    chunks: Chunks<'_, A, B, M, F>,
    initial: T,
    has_initial: bool,
    result: &mut [T],
) {
    let (len, operator) = (chunks.a.len(), chunks.operator);
    if len == 0 {
        return; // There is an element: this is for the proof only.
    }
    let total = if F::COMMUTATIVE {
        reduce_strided(chunks, 0, len)
    } else {
        reduce_ordered::<A, B, T, M, F, false>(chunks, 0, len)
    };
    if thread_idx().x == 0 {
        result[0] = if has_initial { operator.call(initial, total) } else { total };
    }
}
