//! Inclusive prefix sum of 2²⁸ integers in a single pass by decoupled look-back (Merrill and Garland, 2016): each block scans a
//! tile, publishes its sum, and adds up the published sums of the tiles before its own.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::vector::Uint4;

use super::inputs::{random_below, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

const BLOCK: usize = 256;
const WARPS: usize = BLOCK / WARP_SIZE;
/// The vectors of four integers of a thread, and of a block.
const VECTORS: usize = 4;
const TILE: usize = BLOCK * VECTORS;

/// The state of a tile is one word, which is written and read at once: a sum in the low half, and what it is the sum of.
const SUM_OF_TILE: u64 = 1 << 32;
const SUM_UP_TO_TILE: u64 = 2 << 32;

/// Returns the inclusive prefix sum over the lanes of a warp.
#[device]
fn warp_scan(value: u32) -> u32 {
    let mut sum = value;
    for delta in [1, 2, 4, 8, 16] {
        let other = shfl_up_sync(u32::MAX, sum, delta);
        if lane_id() >= delta {
            sum += other;
        }
    }
    sum
}

variants! {
    /// `state` is zeroed: a ticket, and the states of the tiles.
    #[kernel(block = 256)]
    fn scan(x: &[Uint4], y: &mut [Uint4], state: &mut [u64]) {
        let mut ticket = shared::<u64>();
        let mut before = shared::<u32>();
        let mut warps = shared::<[u32; WARPS]>();
        let (t, lane) = (thread_idx().x, thread_idx().x % WARP_SIZE);
        let warp = t / WARP_SIZE;

        // Tiles are numbered in the order in which blocks begin, so that no block waits for one that has not begun.
        if t == 0 {
            *ticket = atomic_add(&mut state[0], 1);
        }
        sync_threads();
        let tile = *ticket as usize;
        let first = tile * TILE + warp * WARP_SIZE * VECTORS + lane;

        let mut sums = [Uint4::ZERO; VECTORS];
        let mut total = 0;
        #[unroll]
        for k in 0..VECTORS {
            let i = first + k * WARP_SIZE;
            let mut v = if i < x.len() { x[i] } else { Uint4::ZERO };
            v.y += v.x;
            v.z += v.y;
            v.w += v.z;
            let lanes = warp_scan(v.w);
            sums[k] = v + Uint4::splat(total + lanes - v.w);
            total += shfl_sync(u32::MAX, lanes, 31);
        }
        if lane == 0 {
            warps[warp] = total;
        }
        sync_threads();

        if warp == 0 {
            let mut sum = 0;
            for part in warps.iter() {
                sum += *part;
            }
            let mut exclusive = 0;
            if tile > 0 {
                if lane == 0 {
                    atomic_store(&mut state[1 + tile], SUM_OF_TILE | sum as u64);
                }
                // The lanes read the states of the 32 tiles before `end`.
                let mut end = tile;
                loop {
                    let mut found = SUM_UP_TO_TILE; // before the first tile: 0
                    if lane < end {
                        found = atomic_load(&state[end - lane]);
                        while found == 0 {
                            found = atomic_load(&state[end - lane]);
                        }
                    }
                    let complete = ballot_sync(u32::MAX, found >= SUM_UP_TO_TILE);
                    let part = if lane <= complete.trailing_zeros() as usize { found as u32 } else { 0 };
                    exclusive += reduce_add_sync(u32::MAX, part);
                    if complete != 0 {
                        break;
                    }
                    end -= WARP_SIZE;
                }
            }
            if lane == 0 {
                atomic_store(&mut state[1 + tile], SUM_UP_TO_TILE | (exclusive + sum) as u64);
                *before = exclusive;
            }
        }
        sync_threads();

        let mut offset = *before;
        for part in warps[..warp].iter() {
            offset += *part;
        }
        #[unroll]
        for k in 0..VECTORS {
            let i = first + k * WARP_SIZE;
            if i < y.len() {
                y[i] = sums[k] + Uint4::splat(offset);
            }
        }
    }
}

const CUDA_C: &str = r#"
typedef unsigned long long word;

static __device__ unsigned warp_scan(unsigned sum) {
    #pragma unroll
    for (int delta = 1; delta < 32; delta *= 2) {
        unsigned other = __shfl_up_sync(0xffffffff, sum, delta);
        if (threadIdx.x % 32 >= delta) sum += other;
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(256) scan(const uint4* __restrict__ x, uint4* __restrict__ y, word* state, int n) {
    const word sum_of_tile = 1ull << 32, sum_up_to_tile = 2ull << 32;
    __shared__ int ticket;
    __shared__ unsigned before, warps[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0) ticket = atomicAdd(&state[0], 1ull);
    __syncthreads();
    int tile = ticket, first = tile * 1024 + warp * 128 + lane;

    uint4 sums[4];
    unsigned total = 0;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + k * 32;
        uint4 v = i < n ? x[i] : make_uint4(0, 0, 0, 0);
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        unsigned lanes = warp_scan(v.w), offset = total + lanes - v.w;
        sums[k] = make_uint4(v.x + offset, v.y + offset, v.z + offset, v.w + offset);
        total += __shfl_sync(0xffffffff, lanes, 31);
    }
    if (lane == 0) warps[warp] = total;
    __syncthreads();

    if (warp == 0) {
        unsigned sum = 0, exclusive = 0;
        for (int k = 0; k < 8; ++k) sum += warps[k];
        volatile word* states = state;
        if (tile > 0) {
            if (lane == 0) states[1 + tile] = sum_of_tile | sum;
            for (int end = tile;; end -= 32) {
                word found = sum_up_to_tile;
                if (lane < end)
                    do found = states[end - lane];
                    while (found == 0);
                unsigned complete = __ballot_sync(0xffffffff, found >= sum_up_to_tile);
                int stop = complete ? __ffs(complete) - 1 : 32;
                exclusive += __reduce_add_sync(0xffffffff, lane <= stop ? (unsigned)found : 0u);
                if (complete) break;
            }
        }
        if (lane == 0) {
            states[1 + tile] = sum_up_to_tile | (exclusive + sum);
            before = exclusive;
        }
    }
    __syncthreads();

    unsigned offset = before;
    for (int k = 0; k < warp; ++k) offset += warps[k];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + k * 32;
        if (i < n) y[i] = make_uint4(sums[k].x + offset, sums[k].y + offset, sums[k].z + offset, sums[k].w + offset);
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "cumsum 2^28",
    tolerance: Tolerance::EXACT,
    ..Entry::new("scan", "inclusive scan, 2²⁸", CUDA_C, &[("scan", "CUDA C")], new, cubins, inspected)
};

struct Scan {
    tiles: usize,
    x: DeviceArray<u32>,
    y: DeviceArray<u32>,
    state: DeviceArray<u64>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(1 << 28, 10_000);
    let tiles = n.div_ceil(4 * TILE);
    // The sum of all is less than 2³².
    let x = random_below(device, n, 1, 15)?;
    Ok(Box::new(Scan { tiles, x, y: device.zeros(n)?, state: device.zeros(tiles + 1)? }))
}

impl Workload for Scan {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        self.state.fill(0)?;
        let (x, mut y) = (self.x.cast()?, self.y.cast_mut()?);
        enqueue!(variant, scan(&x, &mut y, &mut self.state).grid(self.tiles))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let arrays = [pointer(&self.x), pointer(&self.y), pointer(&self.state)];
        let parameters = [&arrays[..], &[int(self.x.len() / 4)]].concat();
        let launch = ByHand::new("scan", [self.tiles], [BLOCK], &parameters);
        vec![ByHand { zeroed: Some((self.state.as_ptr() as u64, 8 * self.state.len())), ..launch }]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0)
    }

    /// The sums are compared exactly, in halves that are exact as `f32`.
    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok(sample(&self.y)?.into_iter().flat_map(halves).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let mut sum = 0;
        let mut next = |x| {
            sum += x;
            halves(sum)
        };
        Ok(self.x.to_host()?.into_iter().flat_map(&mut next).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.x.len())
    }
}

fn halves(sum: u32) -> [f32; 2] {
    [(sum & 0xffff) as f32, (sum >> 16) as f32]
}
