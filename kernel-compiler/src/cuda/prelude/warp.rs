//! Helpers for warp-level operations and grid-wide synchronisation.
//!
//! CUDA's functions (`__shfl_sync` and the others) are called directly where one suffices. Operations that depend on
//! the set of active threads are `volatile` or functions of CUDA, so that the compiler neither duplicates nor moves
//! them.

use crate::ir::{Comparison, Reduce, Scalar, Shuffle};

/// The lane offset of a shuffle. The instruction uses the low five bits, so that 33 would become 1; an offset of 32 or
/// more becomes 0 instead, which selects the thread's own lane (PTX ISA, `shfl.sync`).
pub(in crate::cuda) const LANE_OFFSET: &str = "u32 $name(u64 distance) { return distance < 32 ? (u32)distance : 0; }\n";

/// PTX ISA, "Special Registers": constant for the lifetime of the thread, so it need not be `volatile`.
pub(in crate::cuda) const LANE_ID: &str = "\
u32 $name() {
    u32 lane;
    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));
    return lane;
}
";

/// The mask of the lanes whose index compares in this way with the thread's own.
pub(in crate::cuda) fn lane_mask(comparison: Comparison) -> String {
    let register = match comparison {
        Comparison::Eq => "eq",
        Comparison::Lt => "lt",
        Comparison::Le => "le",
        Comparison::Gt => "gt",
        Comparison::Ge => "ge",
    };
    format!(
        "\
u32 $name() {{
    u32 lanes;
    asm(\"mov.u32 %0, %%lanemask_{register};\" : \"=r\"(lanes));
    return lanes;
}}
"
    )
}

/// `volatile`, since NVCC has been observed to merge two calls of `__activemask()` in the branches of an `if` into one
/// ahead of it, where other lanes are active.
pub(in crate::cuda) const ACTIVE_MASK: &str = "\
u32 $name() {
    u32 lanes;
    asm volatile(\"activemask.b32 %0;\" : \"=r\"(lanes) :: \"memory\");
    return lanes;
}
";

/// A value of any type is shuffled word by word. The padding of the last word is irrelevant.
pub(in crate::cuda) fn shuffle(shuffle: Shuffle) -> String {
    let (builtin, source) = match shuffle {
        Shuffle::Index => ("__shfl_sync", "i32 lane"),
        Shuffle::Up => ("__shfl_up_sync", "u32 lane"),
        Shuffle::Down => ("__shfl_down_sync", "u32 lane"),
        Shuffle::Xor => ("__shfl_xor_sync", "i32 lane"),
    };
    format!(
        "\
template <class T>
static __device__ __forceinline__ T $name(u32 lanes, T value, {source}) {{
    u32 words[(sizeof(T) + 3) / 4] = {{}};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (u32& word : words) word = {builtin}(lanes, word, lane);
    memcpy(&value, words, sizeof(T));
    return value;
}}
"
    )
}

/// A single instruction since `sm_80`; on older devices, each lane reads all other lanes. All lanes of the mask take
/// part in each exchange, so they agree on the next lane; the ballot excludes lanes of the mask that do not exist.
pub(in crate::cuda) fn reduce(reduce: Reduce, scalar: Scalar) -> String {
    let signed = scalar == Scalar::I32;
    let (builtin, step) = match reduce {
        Reduce::Add => ("add", "total = ($T)((u32)total + (u32)next)"),
        Reduce::Min => ("min", "total = next < total ? next : total"),
        Reduce::Max => ("max", "total = next > total ? next : total"),
        Reduce::And => ("and", "total &= next"),
        Reduce::Or => ("or", "total |= next"),
        Reduce::Xor => ("xor", "total ^= next"),
    };
    // The bitwise reductions support only `unsigned`.
    let bitwise = matches!(reduce, Reduce::And | Reduce::Or | Reduce::Xor);
    let call = if signed && bitwise {
        format!("($T)__reduce_{builtin}_sync(lanes, (u32)value)")
    } else {
        format!("__reduce_{builtin}_sync(lanes, value)")
    };
    format!(
        "\
$T $name(u32 lanes, $T value) {{
#if __CUDA_ARCH__ >= 800
    return {call};
#else
    lanes = __ballot_sync(lanes, 1);
    $T total = __shfl_sync(lanes, value, (i32)__clz((i32)__brev(lanes)));
    for (u32 rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {{
        const $T next = __shfl_sync(lanes, value, (i32)__clz((i32)__brev(rest)));
        {step};
    }}
    return total;
#endif
}}
"
    )
}

/// A grid-wide barrier: each block increments a counter, which the host has zeroed, and spins until all blocks have
/// incremented it equally often. The counter is monotone, so it need not be reset between barriers.
///
/// The block-wide barriers make the first thread of a block represent all of them, and the fences order writes before
/// the barrier with reads after it (as in CUDA's `cooperative_groups`). A faulting thread never arrives; it marks the
/// counter, and every thread that reads the mark exits: the launch has failed, and the barrier would never complete.
pub(in crate::cuda) const SYNC_GRID: &str = "\
void $name($fault) {
    volatile u64* const count = launch.grid_barrier;
    if (count == nullptr) fault(launch, site, 0, 0);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        __threadfence();
        const u64 blocks = (u64)gridDim.x * gridDim.y * gridDim.z;
        const u64 before = atomicAdd(launch.grid_barrier, 1ull);
        const u64 all = (before / blocks + 1) * blocks;
        for (u64 now = *count; now < all && (now & grid_failed) == 0; now = *count) {}
        __threadfence();
    }
    __syncthreads();
    if ((*count & grid_failed) != 0) asm volatile(\"exit;\");
}
";

/// The failure mark in the counter of [`SYNC_GRID`].
pub(in crate::cuda) const GRID_FAILED: &str = "
static const u64 grid_failed = 1ull << 63;
";

/// Executed by a faulting thread of a program with grid-wide barriers.
pub(in crate::cuda) const MARK_GRID: &str =
    "    if (launch.grid_barrier != nullptr) atomicOr(launch.grid_barrier, grid_failed);\n";
