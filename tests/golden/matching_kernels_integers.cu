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

template <u32 site>
static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
    asm volatile("exit;");
    __builtin_unreachable();
}

template <u32 site>
static __device__ __forceinline__ usize at(usize index, usize len, Launch launch) {
    if (index >= len) fault<site>(launch, index, len);
    return index;
}

static __device__ __forceinline__ usize part_len(usize start, usize end, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    if (end > len) fault(launch, site + 1, end, len);
    if (start > end) fault(launch, site + 2, start, end);
    return end - start;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

}  // namespace rt

namespace device {

#line 98 "tests/corpus/matching.rs"
static __device__ inline void integers(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    for (usize i = 0; i < 8; ++i) {
        i64 value;
#line 100
        const i32 matched = x[i];
#line 100
        if (matched <= -2) {
            value = -1;
        } else if (matched == -1) {
#line 102
            value = 10;
        } else if (matched == 0 || matched == 2 || matched == 4) {
#line 103
            value = 20;
        } else if (matched == 1 || matched == 3) {
#line 104
            const i32 n = matched;
#line 104
            value = (i64)n * 100;
        } else if (matched == 5) {
#line 105
            value = 50;
        } else if (matched >= 6 && matched < 9) {
#line 106
            const i32 n_2 = matched;
#line 106
            value = 60 + (i64)n_2;
        } else if (matched == 9) {
#line 107
            value = 90;
        } else if (matched % 2 == 0 && matched > 1000) {
#line 108
            const i32 n_3 = matched;
#line 108
            value = (i64)n_3 / 1000;
        } else if (matched >= 1000000) {
#line 109
            value = 7;
        } else {
#line 110
            value = 8;
        }
#line 100
        y[i] = value;
    }
#line 113
    i64 value_2;
#line 113
    const i32 matched_2 = x[rt::at<4>(0, x_len, launch)];
#line 113
    if (matched_2 >= -2 && matched_2 <= 0) {
#line 113
        value_2 = 1;
    } else if (matched_2 < -2) {
#line 113
        value_2 = 2;
    } else {
#line 113
        value_2 = 3;
    }
#line 113
    y[rt::at<5>(8, y_len, launch)] = value_2;
}

}  // namespace device

#line 98 "tests/corpus/matching.rs"
extern "C" __global__ void integers(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 6, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 7, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 8, launch);
        const usize end = rt::add_u64(from, 8, 9, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 10, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 13, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 14, launch);
#line 50
        device::integers(x + from, part_len, y + to, part_len_2, launch);
    }
}
