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

template <class T>
static __device__ __forceinline__ T opaque(T x) {
    static_assert(sizeof(T) == 1 || (T)0.5f == (T)0, "an integer");
    if (sizeof(T) == 8) {
        u64 seen = (u64)x;
        asm("" : "+l"(seen));
        return (T)seen;
    }
    u32 seen = (u32)x;
    asm("" : "+r"(seen));
    return (T)seen;
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
    for (usize i_4 = 0; i_4 < x_len; ++i_4) {
#line 100
        const i32& v = x[i_4];
        const usize at = 0;
#line 101
        y[at] = rt::add_i64(y[at], rt::opaque((i64)v), 1, launch);
    }
    for (usize i_5 = 0; i_5 < x_len; ++i_5) {
#line 103
        const i32& v_2 = x[i_5];
        y[1] = rt::add_i64(rt::mul_i64(y[1], 3, 3, launch), rt::opaque((i64)v_2 % 100), 4, launch);
    }
    for (usize i_6 = 0; i_6 < x_len; ++i_6) {
#line 106
        const i32 v_3 = x[i_6];
        const usize at_2 = 2;
#line 107
        y[at_2] = rt::add_i64(y[at_2], rt::opaque((i64)v_3 / 2), 7, launch);
    }
    for (usize i = 0; i < x_len; ++i) {
#line 109
        const i32& v_4 = x[i];
        const usize at_3 = 3;
#line 110
        y[at_3] = rt::add_i64(y[at_3], rt::opaque(rt::mul_i64((i64)v_4 % 10, (i64)i, 8, launch)), 10, launch);
    }
    for (usize i_next = x_len; i_next > 0; --i_next) {
#line 112
        const usize i_7 = i_next - 1;
#line 112
        const i32& v_5 = x[i_7];
        y[4] = rt::add_i64(rt::mul_i64(y[4], 3, 12, launch), rt::opaque((i64)v_5 % 100), 13, launch);
    }
    for (usize i_next_2 = x_len; i_next_2 > 0; --i_next_2) {
#line 115
        const usize i_2 = i_next_2 - 1;
#line 115
        const i32 v_6 = x[i_2];
        y[5] = rt::add_i64(rt::add_i64(rt::mul_i64(y[5], 3, 16, launch), rt::opaque((i64)v_6 % 100), 17, launch), rt::opaque((i64)i_2), 18, launch) % 1000003;
    }
    const usize part_len = rt::rest_len(1, x_len, 20, launch);
#line 118
    for (usize i_next_3 = part_len; i_next_3 > 0; --i_next_3) {
#line 118
        const usize i_3 = i_next_3 - 1;
#line 118
        const i32& v_7 = (x + 1)[i_3];
        y[6] = rt::add_i64(rt::add_i64(rt::mul_i64(y[6], 3, 22, launch), rt::opaque((i64)v_7 % 100), 23, launch), rt::opaque((i64)i_3), 24, launch) % 1000003;
    }
    for (usize i_8 = 0; i_8 < x_len; ++i_8) {
#line 121
        const i32 v_8 = x[i_8];
        y[7] ^= (i64)v_8;
    }
    const usize part_len_2 = rt::part_len(2, 5, x_len, 27, launch);
#line 124
    for (usize i_9 = 0; i_9 < part_len_2; ++i_9) {
#line 124
        const i32& v_9 = (x + 2)[i_9];
        const usize at_4 = 8;
#line 125
        y[at_4] = rt::add_i64(y[at_4], rt::opaque((i64)v_9), 31, launch);
    }
    const usize part_len_3 = rt::rest_len(5, x_len, 32, launch);
#line 127
    for (usize i_10 = 0; i_10 < part_len_3; ++i_10) {
#line 127
        const i32& v_10 = (x + 5)[i_10];
        const usize at_5 = 9;
#line 128
        y[at_5] = rt::sub_i64(y[at_5], rt::opaque((i64)v_10), 34, launch);
    }
    const usize part_len_4 = rt::part_len(3, 3, x_len, 35, launch);
#line 130
    for (usize i_11 = 0; i_11 < part_len_4; ++i_11) {
#line 130
        const i32& v_11 = (x + 3)[i_11];
        y[rt::at(10, y_len, 38, launch)] = (i64)v_11;
    }
}

}  // namespace device

#line 99 "tests/corpus/sequences.rs"
extern "C" __global__ void elements(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 39, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 40, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 41, launch);
        const usize end = rt::add_u64(from, 8, 42, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 43, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 46, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 47, launch);
#line 50
        device::elements(x + from, part_len, y + to, part_len_2, launch);
    }
}
