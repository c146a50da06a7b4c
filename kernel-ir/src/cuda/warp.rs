//! What the threads of a warp, or of the grid, do together.
//!
//! CUDA's functions (`__shfl_sync` and its like) are called where one does all of it. What depends on which threads run
//! it is `volatile` or a function of CUDA's, so that the compiler neither doubles nor moves it.

use crate::ir::{Comparison, Reduce, Scalar, Shuffle};

/// How far a lane is away. The instruction looks at the low five bits, so that 33 would be 1; a distance that leads out
/// of every warp becomes 0, which is the thread's own lane (PTX ISA, `shfl.sync`).
pub(super) const LANE_OFFSET: &str = "u32 $name(u64 distance) { return distance < 32 ? (u32)distance : 0; }\n";

/// PTX ISA, "Special Registers": constant as long as the thread runs, which is why it need not be `volatile`.
pub(super) const LANE_ID: &str = "\
u32 $name() {
    u32 lane;
    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));
    return lane;
}
";

/// The lanes whose numbers compare like this with the thread's own.
pub(super) fn lane_mask(comparison: Comparison) -> String {
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

/// `volatile`, since NVCC has merged two calls of `__activemask()` in the arms of an `if` into one before it, which
/// sees other lanes.
pub(super) const ACTIVE_MASK: &str = "\
u32 $name() {
    u32 lanes;
    asm volatile(\"activemask.b32 %0;\" : \"=r\"(lanes) :: \"memory\");
    return lanes;
}
";

/// A value of any type goes word by word. What is behind the end of the value in its last word is of no account.
pub(super) fn shuffle(shuffle: Shuffle) -> String {
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

/// One instruction since `sm_80`; before it, each lane looks at all others. All lanes of the mask take part in each
/// exchange, so they agree on which is next; the ballot leaves out those of the mask that are not there.
pub(super) fn reduce(reduce: Reduce, scalar: Scalar) -> String {
    let signed = scalar == Scalar::I32;
    let (builtin, step) = match reduce {
        Reduce::Add => ("add", "total = ($T)((u32)total + (u32)next)"),
        Reduce::Min => ("min", "total = next < total ? next : total"),
        Reduce::Max => ("max", "total = next > total ? next : total"),
        Reduce::And => ("and", "total &= next"),
        Reduce::Or => ("or", "total |= next"),
        Reduce::Xor => ("xor", "total ^= next"),
    };
    // The bitwise ones are of `unsigned` alone.
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

/// A barrier for the grid: each block adds one to a count that the host has set to zero, and waits until all blocks
/// have added as often as it did. The count never goes back, so there is nothing to reset between two barriers.
///
/// A block's own barriers make the first of its threads speak for all of them, and the fences order what all have
/// written with what all read behind it (as in CUDA's `cooperative_groups`). A thread that has a fault does not come;
/// it marks the count, and who sees the mark ends: the launch has failed, and waiting for it would never end.
pub(super) const SYNC_GRID: &str = "\
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

/// The mark on the count of [`SYNC_GRID`].
pub(super) const GRID_FAILED: &str = "
static const u64 grid_failed = 1ull << 63;
";

/// What a fault does in a program whose threads wait for each other in the whole grid.
pub(super) const MARK_GRID: &str =
    "    if (launch.grid_barrier != nullptr) atomicOr(launch.grid_barrier, grid_failed);\n";
