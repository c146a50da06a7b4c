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

template <class T, usize N>
struct Array {
    T at[N == 0 ? 1 : N];
    __device__ __forceinline__ T& operator[](usize index) { return at[index]; }
    __device__ __forceinline__ const T& operator[](usize index) const { return at[index]; }
};

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

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (i32)sum) fault(launch, site, 0, 0);
    return (i32)sum;
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

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::matching::device::Kind
typedef u8 Kind;
constexpr Kind Kind_Plus = 0;
constexpr Kind Kind_Minus = 1;
constexpr Kind Kind_Times = 2;
constexpr Kind Kind_Over = 3;

}  // namespace types

#undef offset_of

namespace device {

#line 54 "tests/corpus/matching.rs"
static __device__ inline types::Kind kind(i32 n) {
    const i32 matched = n & 3;
#line 55
    switch (matched) {
        case 0: {
#line 56
            return types::Kind_Plus;
        }
        case 1: {
#line 57
            return types::Kind_Minus;
        }
        case 2: {
#line 58
            return types::Kind_Times;
        }
        default: {
#line 59
            return types::Kind_Over;
        }
    }
}

#line 132 "tests/corpus/matching.rs"
static __device__ inline void tuples(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const i32 pair_0 = x[rt::at(0, x_len, 0, launch)];
#line 133
    const i32 pair_1 = x[rt::at(1, x_len, 1, launch)];
    i64 value;
#line 134
    if (pair_0 == 0 && pair_1 == 0) {
        value = 1;
    } else if (pair_0 == 0 || pair_1 == 0) {
#line 136
        i32 n;
#line 136
        if (pair_0 == 0) {
#line 136
            n = pair_1;
        } else {
#line 136
            n = pair_0;
        }
#line 136
        value = rt::mul_i64((i64)n, 10, 2, launch);
    } else if (pair_0 == pair_1) {
#line 137
        const i32 a = pair_0;
#line 137
        const i32 b = pair_1;
#line 137
        value = 2;
    } else if (pair_0 >= 1 && pair_0 <= 3 && (pair_1 == 4 || pair_1 == 5)) {
#line 138
        value = 3;
    } else if (pair_0 >= 4) {
#line 139
        const i32 a_2 = pair_0;
#line 139
        value = (i64)a_2;
    } else {
#line 140
        value = 4;
    }
#line 134
    y[rt::at(0, y_len, 3, launch)] = value;
#line 142
    i64 value_2;
#line 142
    const bool matched = x[rt::at(2, x_len, 4, launch)] > 0;
#line 142
    const bool matched_2 = x[rt::at(3, x_len, 5, launch)] > 0;
#line 142
    const types::Kind matched_3 = device::kind(x[rt::at(4, x_len, 6, launch)]);
#line 142
    if (matched && matched_2 && (matched_3 == types::Kind_Plus || matched_3 == types::Kind_Times)) {
        value_2 = 1;
    } else if (matched && !matched_2) {
#line 144
        value_2 = 2;
    } else if (!matched && matched_3 == types::Kind_Over) {
#line 145
        value_2 = 3;
    } else {
#line 146
        const bool p = matched;
#line 146
        const bool q = matched_2;
#line 146
        const types::Kind k = matched_3;
#line 146
        value_2 = rt::add_i64(rt::add_i64(rt::add_i64((i64)p, rt::mul_i64((i64)q, 2, 7, launch), 8, launch), rt::mul_i64((i64)k, 4, 9, launch), 10, launch), 100, 11, launch);
    }
#line 142
    y[rt::at(1, y_len, 12, launch)] = value_2;
#line 148
    i64 value_3;
#line 148
    const i32 saved = x[rt::at(5, x_len, 13, launch)];
#line 148
    const i32 saved_2 = x[rt::at(6, x_len, 14, launch)];
#line 148
    const rt::Array<i32, 3> saved_3 = {{x[rt::at(7, x_len, 15, launch)], x[rt::at(0, x_len, 16, launch)], x[rt::at(1, x_len, 17, launch)]}};
#line 148
    if (saved == 1 && saved_3[0] == 0) {
        value_3 = 1;
    } else if (saved_2 == 2 && saved_3[2] == 2) {
#line 150
        value_3 = 2;
    } else if (rt::add_i32(saved, saved_2, 18, launch) == saved_3[0]) {
#line 151
        const i32 a_3 = saved;
#line 151
        const i32 b_2 = saved_2;
#line 151
        const i32 c = saved_3[0];
#line 151
        const i32 d = saved_3[1];
#line 151
        const i32 e = saved_3[2];
#line 151
        value_3 = rt::add_i64((i64)d, (i64)e, 19, launch);
    } else if (saved_3[1] >= 0 && saved_3[1] <= 9) {
#line 152
        const i32 a_4 = saved;
#line 152
        const i32 rest = saved_3[1];
#line 152
        value_3 = rt::add_i64(rt::mul_i64((i64)a_4, 7, 20, launch), (i64)rest, 21, launch);
    } else {
#line 153
        value_3 = 5;
    }
#line 148
    y[rt::at(2, y_len, 22, launch)] = value_3;
}

}  // namespace device

#line 132 "tests/corpus/matching.rs"
extern "C" __global__ void tuples(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 23, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 24, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 25, launch);
        const usize end = rt::add_u64(from, 8, 26, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 27, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 30, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 31, launch);
#line 50
        device::tuples(x + from, part_len, y + to, part_len_2, launch);
    }
}
