namespace types {

// kernels::Best
struct __align__(4) Best {
    float value;
    u32 at;
};
static_assert(sizeof(Best) == 8, "the size of Best");
static_assert(offset_of(Best, value) == 0, "the offset of Best::value");
static_assert(offset_of(Best, at) == 4, "the offset of Best::at");

}  // namespace types

#undef offset_of

namespace device {

#line 6 "src/kernels.rs"
static __device__ inline types::Best better(types::Best a, types::Best b) {
    if (b.value > a.value) {
#line 7
        return b;
    } else {
#line 7
        return a;
    }
}

}  // namespace device

#line 10 "src/kernels.rs"
extern "C" __global__ void cooperation(const float* __restrict__ x, usize x_len, types::Best* __restrict__ best, usize best_len, u32* __restrict__ counts, usize counts_len, i64* __restrict__ sums, usize sums_len, float* __restrict__ least, usize least_len, u8* __restrict__ flags, usize flags_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    const usize lane = (usize)rt::lane_id();
    const u32 mask = rt::active_mask();
    types::Best own = {x[rt::at(i, x_len, 0, launch)], (u32)i};
    u32 distance = 16;
    for (; distance > 0; rt::progress()) {
        const types::Best saved = own;
#line 17
        const types::Best value = rt::shfl_down_sync(mask, own, rt::lane_offset((u64)distance));
#line 17
        own = device::better(saved, value);
        distance = distance / 2;
    }
    if (lane == 0) {
        best[rt::at(i / 32, best_len, 1, launch)] = own;
    }
    const u32 positive = __ballot_sync(mask, x[rt::at(i, x_len, 2, launch)] > 0.0f);
    const bool value_2 = __all_sync(mask, (positive & rt::lanemask_lt()) != 0) != 0;
#line 24
    if (value_2) {
        atomicAdd(&counts[rt::at(0, counts_len, 3, launch)], 1u);
    }
    i32 all_2;
#line 27
    const u32 lanes = __match_all_sync(mask, own.at, &all_2);
#line 27
    const u32 same = lanes;
#line 27
    const bool all = all_2 != 0;
    const usize at = rt::at(2, counts_len, 4, launch);
#line 28
    const u32 value_3 = rt::reduce_add_sync_u32(mask, same);
#line 28
    const u32 value_4 = atomicMax(&counts[at], value_3);
#line 28
    const u32 value_5 = __shfl_up_sync(mask, counts[rt::at(3, counts_len, 5, launch)], rt::lane_offset((u64)lane));
#line 28
    counts[rt::at(1, counts_len, 6, launch)] = value_4 + value_5;
    rt::atomic_add_i64(&sums[rt::at(0, sums_len, 7, launch)], 1);
    rt::atomic_min_f32(&least[rt::at(0, least_len, 8, launch)], x[rt::at(i, x_len, 9, launch)]);
    const u32 value_6 = rt::atomic_cas_acq_rel_u32(&counts[rt::at(4, counts_len, 10, launch)], 0, 1);
#line 31
    bool decided = value_6 == 0;
#line 31
    if (decided) {
#line 31
        const bool value_7 = rt::atomic_load_acquire_bool(&flags[rt::at(0, flags_len, 11, launch)]) != 0;
#line 31
        decided = !value_7;
    }
#line 31
    if (decided) {
        rt::atomic_store_release_bool(&flags[rt::at(0, flags_len, 12, launch)], all);
    }
    const u32 some = __syncthreads_count(sums[rt::at(1, sums_len, 13, launch)] != 0);
    const bool shifted = __shfl_xor_sync(mask, (i32)(flags[rt::at(1, flags_len, 14, launch)] != 0), 1) != 0;
    bool decided_2 = shifted;
#line 36
    if (decided_2) {
#line 36
        const bool value_8 = __syncthreads_or(some != 0) != 0;
#line 36
        decided_2 = value_8;
    }
#line 36
    if (decided_2) {
        __threadfence();
    }
    rt::sync_grid(15, launch);
    const u32 value_9 = __match_any_sync(mask, __float_as_uint(least[rt::at(0, least_len, 16, launch)]));
#line 40
    counts[rt::at(5, counts_len, 17, launch)] = value_9;
}
