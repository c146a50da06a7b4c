typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef long long isize;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned long long usize;

namespace rt {

struct Fault {
    u32 flag;
    u32 kernel;
    u32 site;
    u32 block[3];
    u32 thread[3];
    u32 pad;
    u64 index;
    u64 len;
    u64 args[6];
};

struct Print;

struct Launch {
    Fault* fault;
    Print* print;
    u64* grid_barrier;
    u32 kernel;
};

static __device__ __forceinline__ Fault* claim(Launch launch, u32 site) {
    Fault* const record = launch.fault;
    if (atomicCAS(&record->flag, 0u, 1u) != 0u) return nullptr;
    record->kernel = launch.kernel;
    record->site = site;
    record->block[0] = blockIdx.x;
    record->block[1] = blockIdx.y;
    record->block[2] = blockIdx.z;
    record->thread[0] = threadIdx.x;
    record->thread[1] = threadIdx.y;
    record->thread[2] = threadIdx.z;
    return record;
}

static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u32 site, u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
    asm volatile("exit;");
    __builtin_unreachable();
}

static __device__ __forceinline__ usize at(usize index, usize len, u32 site, Launch launch) {
    if (index >= len) fault(launch, site, index, len);
    return index;
}

static __device__ __forceinline__ bool within(usize base, usize stride, usize start, usize end, usize len) {
    if (start >= end) return true;
    const usize last = end - 1 - start;
    const usize reach = stride * last;
    return __umul64hi(stride, last) == 0 && reach < len && base + stride * start < len - reach;
}

static __device__ __forceinline__ usize part_len(usize start, usize end, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    if (end > len) fault(launch, site + 1, end, len);
    if (start > end) fault(launch, site + 2, start, end);
    return end - start;
}

static __device__ __forceinline__ usize rest_len(usize start, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    return len - start;
}

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 sum = (i64)((u64)a + (u64)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ i64 sub_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 difference = (i64)((u64)a - (u64)b);
    if (((a ^ b) & (a ^ difference)) < 0) fault(launch, site, 0, 0);
    return difference;
}

static __device__ __forceinline__ i64 mul_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 product = (i64)((u64)a * (u64)b);
    if (__mul64hi(a, b) != (product >> 63)) fault(launch, site, 0, 0);
    return product;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

}  // namespace rt

namespace device {

#line 99 "tests/corpus/sequences.rs"
static __device__ inline void elements(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    for (usize i_7 = 0; i_7 < x_len; ++i_7) {
#line 100
        const i32& v = x[i_7];
        const usize at = rt::at(0, y_len, 0, launch);
#line 101
        y[at] = rt::add_i64(y[at], (i64)v, 1, launch);
    }
    for (usize i_8 = 0; i_8 < x_len; ++i_8) {
#line 103
        const i32& v_2 = x[i_8];
        y[rt::at(1, y_len, 5, launch)] = rt::add_i64(rt::mul_i64(y[rt::at(1, y_len, 2, launch)], 3, 3, launch), (i64)v_2 % 100, 4, launch);
    }
    for (usize i_9 = 0; i_9 < x_len; ++i_9) {
#line 106
        const i32 v_3 = x[i_9];
        const usize at_2 = rt::at(2, y_len, 6, launch);
#line 107
        y[at_2] = rt::add_i64(y[at_2], (i64)v_3 / 2, 7, launch);
    }
    if (rt::within(3, 0, 0, x_len, y_len)) {
#line 109
        for (usize i = 0; i < x_len; ++i) {
#line 109
            const i32& v_4 = x[i];
            y[3] = rt::add_i64(y[3], rt::mul_i64((i64)v_4 % 10, (i64)i, 8, launch), 9, launch);
        }
    } else {
#line 109
        for (usize i_2 = 0; i_2 < x_len; ++i_2) {
#line 109
            const i32& v_5 = x[i_2];
            const usize at_3 = rt::at(3, y_len, 11, launch);
#line 110
            y[at_3] = rt::add_i64(y[at_3], rt::mul_i64((i64)v_5 % 10, (i64)i_2, 10, launch), 12, launch);
        }
    }
#line 112
    for (usize i_next = x_len; i_next > 0; --i_next) {
#line 112
        const usize i_10 = i_next - 1;
#line 112
        const i32& v_6 = x[i_10];
        y[rt::at(4, y_len, 16, launch)] = rt::add_i64(rt::mul_i64(y[rt::at(4, y_len, 13, launch)], 3, 14, launch), (i64)v_6 % 100, 15, launch);
    }
    if (rt::within(5, 0, 0, x_len, y_len)) {
#line 115
        for (usize i_next_2 = x_len; i_next_2 > 0; --i_next_2) {
#line 115
            const usize i_3 = i_next_2 - 1;
#line 115
            const i32 v_7 = x[i_3];
            y[5] = rt::add_i64(rt::add_i64(rt::mul_i64(y[5], 3, 17, launch), (i64)v_7 % 100, 18, launch), (i64)i_3, 19, launch) % 1000003;
        }
    } else {
#line 115
        for (usize i_next_3 = x_len; i_next_3 > 0; --i_next_3) {
#line 115
            const usize i_4 = i_next_3 - 1;
#line 115
            const i32 v_8 = x[i_4];
            y[rt::at(5, y_len, 24, launch)] = rt::add_i64(rt::add_i64(rt::mul_i64(y[rt::at(5, y_len, 20, launch)], 3, 21, launch), (i64)v_8 % 100, 22, launch), (i64)i_4, 23, launch) % 1000003;
        }
    }
#line 118
    const usize part_len = rt::rest_len(1, x_len, 25, launch);
#line 118
    if (rt::within(6, 0, 0, part_len, y_len)) {
#line 118
        for (usize i_next_4 = part_len; i_next_4 > 0; --i_next_4) {
#line 118
            const usize i_5 = i_next_4 - 1;
#line 118
            const i32& v_9 = (x + 1)[i_5];
            y[6] = rt::add_i64(rt::add_i64(rt::mul_i64(y[6], 3, 26, launch), (i64)v_9 % 100, 27, launch), (i64)i_5, 28, launch) % 1000003;
        }
    } else {
#line 118
        for (usize i_next_5 = part_len; i_next_5 > 0; --i_next_5) {
#line 118
            const usize i_6 = i_next_5 - 1;
#line 118
            const i32& v_10 = (x + 1)[i_6];
            y[rt::at(6, y_len, 33, launch)] = rt::add_i64(rt::add_i64(rt::mul_i64(y[rt::at(6, y_len, 29, launch)], 3, 30, launch), (i64)v_10 % 100, 31, launch), (i64)i_6, 32, launch) % 1000003;
        }
    }
#line 121
    for (usize i_11 = 0; i_11 < x_len; ++i_11) {
#line 121
        const i32 v_11 = x[i_11];
        y[rt::at(7, y_len, 34, launch)] ^= (i64)v_11;
    }
    const usize part_len_2 = rt::part_len(2, 5, x_len, 35, launch);
#line 124
    for (usize i_12 = 0; i_12 < part_len_2; ++i_12) {
#line 124
        const i32& v_12 = (x + 2)[i_12];
        const usize at_4 = rt::at(8, y_len, 38, launch);
#line 125
        y[at_4] = rt::add_i64(y[at_4], (i64)v_12, 39, launch);
    }
    const usize part_len_3 = rt::rest_len(5, x_len, 40, launch);
#line 127
    for (usize i_13 = 0; i_13 < part_len_3; ++i_13) {
#line 127
        const i32& v_13 = (x + 5)[i_13];
        const usize at_5 = rt::at(9, y_len, 41, launch);
#line 128
        y[at_5] = rt::sub_i64(y[at_5], (i64)v_13, 42, launch);
    }
    const usize part_len_4 = rt::part_len(3, 3, x_len, 43, launch);
#line 130
    for (usize i_14 = 0; i_14 < part_len_4; ++i_14) {
#line 130
        const i32& v_14 = (x + 3)[i_14];
        y[rt::at(10, y_len, 46, launch)] = (i64)v_14;
    }
}

}  // namespace device

#line 99 "tests/corpus/sequences.rs"
extern "C" __global__ void elements(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 47, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 48, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 49, launch);
        const usize end = rt::add_u64(from, 8, 50, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 51, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 54, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 55, launch);
#line 50
        device::elements(x + from, part_len, y + to, part_len_2, launch);
    }
}
