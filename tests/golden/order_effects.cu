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

static __device__ __forceinline__ bool within(usize needed, usize available) {
    return needed <= available && needed != (usize)-1;
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

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (i32)sum) fault(launch, site, 0, 0);
    return (i32)sum;
}

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ i32 sub_i32(i32 a, i32 b, u32 site, Launch launch) {
    const i64 difference = (i64)a - (i64)b;
    if (difference != (i32)difference) fault(launch, site, 0, 0);
    return (i32)difference;
}

static __device__ __forceinline__ u32 sub_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 difference = (i64)a - (i64)b;
    if (difference != (u32)difference) fault(launch, site, 0, 0);
    return (u32)difference;
}

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

static __device__ __forceinline__ i32 neg_i32(i32 a, u32 site, Launch launch) {
    if (a == (-2147483647 - 1)) fault(launch, site, 0, 0);
    return (i32)-a;
}

static __device__ __forceinline__ u32 div_u32(u32 a, u32 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    return (u32)(a / b);
}

static __device__ __forceinline__ u32 min_u32(u32 a, u32 b) { return b < a ? b : a; }

static __device__ __forceinline__ u32 max_u32(u32 a, u32 b) { return b < a ? a : b; }

static __device__ __forceinline__ void progress() {
    asm volatile("");
}

}  // namespace rt

namespace device {

#line 21 "tests/corpus/order.rs"
static __device__ inline u32 number(u32* log_, usize log_len, u32 mark, rt::Launch launch) {
    const u32 value = atomicAdd(&log_[rt::at(0, log_len, 0, launch)], 1u);
#line 22
    const usize at = (usize)value;
    log_[rt::at(rt::add_u64(at, 1, 1, launch), rt::opaque(log_len), 2, launch)] = mark;
    return mark;
}

#line 91 "tests/corpus/order.rs"
static __device__ inline u32 three(u32 a, u32 b, u32 c, rt::Launch launch) {
    return rt::add_u32(rt::add_u32(rt::mul_u32(a, 100, 3, launch), rt::mul_u32(b, 10, 4, launch), 5, launch), c, 6, launch);
}

}  // namespace device

#line 97 "tests/corpus/order.rs"
extern "C" __global__ void effects(u32* __restrict__ log_, usize log_len, u32* __restrict__ y, usize y_len, rt::Launch launch) {
#line 99
    const u32 value = device::number(log_, log_len, 1, launch);
#line 99
    const u32 saved = rt::mul_u32(value, 10, 7, launch);
#line 99
    const u32 value_2 = device::number(log_, log_len, 2, launch);
#line 99
    const u32 saved_2 = rt::add_u32(saved, value_2, 8, launch);
#line 99
    const u32 value_3 = device::number(log_, log_len, 3, launch);
#line 99
    const u32 value_4 = device::number(log_, log_len, 3, launch);
#line 99
    y[rt::at(0, y_len, 11, launch)] = rt::sub_u32(saved_2, rt::div_u32(value_3, value_4, 9, launch), 10, launch);
    const u32 value_5 = device::number(log_, log_len, 4, launch);
#line 100
    const u32 value_6 = device::number(log_, log_len, 5, launch);
#line 100
    const u32 value_7 = device::number(log_, log_len, 6, launch);
#line 100
    y[rt::at(1, y_len, 12, launch)] = device::three(value_5, value_6, value_7, launch);
    const u32 value_8 = device::number(log_, log_len, 7, launch);
#line 104
    const u32 a = device::number(log_, log_len, 8, launch);
#line 101
    u32 value_9;
#line 101
    const u32 value_10 = device::number(log_, log_len, 9, launch);
#line 101
    if (value_10 > 3) {
#line 107
        value_9 = device::number(log_, log_len, 9, launch);
    } else {
#line 107
        value_9 = 0;
    }
#line 101
    y[rt::at(2, y_len, 13, launch)] = device::three(value_8, a, value_9, launch);
#line 110
    const u32 value_11 = device::number(log_, log_len, 10, launch);
#line 110
    const u32 value_12 = device::number(log_, log_len, 3, launch);
#line 110
    y[rt::at((usize)value_12, y_len, 14, launch)] = value_11;
    const u32 value_13 = device::number(log_, log_len, 11, launch);
#line 111
    const u32 value_14 = device::number(log_, log_len, 4, launch);
#line 111
    const usize at = rt::at((usize)value_14, y_len, 15, launch);
#line 111
    y[at] = rt::add_u32(y[at], value_13, 16, launch);
#line 113
    u32 n = 5;
    const u32 saved_3 = n;
#line 116
    n = 7;
#line 114
    const u32 sum = rt::add_u32(rt::add_u32(saved_3, n, 17, launch), n, 18, launch);
#line 119
    y[rt::at(5, y_len, 19, launch)] = sum;
    const u32 saved_4 = rt::mul_u32(n, 100, 20, launch);
#line 122
    n = rt::add_u32(n, 1, 21, launch);
#line 120
    const u32 saved_5 = rt::add_u32(saved_4, rt::mul_u32(n, 10, 22, launch), 23, launch);
#line 126
    n = rt::sub_u32(n, 2, 24, launch);
#line 120
    const u32 order = rt::add_u32(saved_5, n, 25, launch);
#line 129
    y[rt::at(6, y_len, 26, launch)] = order;
    const u32 saved_6 = n;
#line 133
    n = rt::add_u32(n, 1, 27, launch);
#line 130
    const u32 saved_7 = n;
#line 137
    n = rt::add_u32(n, 1, 28, launch);
#line 130
    y[rt::at(7, y_len, 29, launch)] = device::three(saved_6, saved_7, n, launch);
#line 142
    y[rt::at(8, y_len, 30, launch)] = 3;
    const u32 saved_8 = y[rt::at(8, y_len, 31, launch)];
#line 145
    y[rt::at(8, y_len, 32, launch)] = 20;
#line 143
    y[rt::at(9, y_len, 37, launch)] = rt::add_u32(rt::add_u32(saved_8, y[rt::at(8, y_len, 33, launch)], 34, launch), y[rt::at(8, y_len, 35, launch)], 36, launch);
#line 148
    const u32 saved_9 = y[rt::at(8, y_len, 38, launch)];
#line 151
    const usize at_2 = rt::at(8, y_len, 39, launch);
#line 151
    y[at_2] = rt::add_u32(y[at_2], 1, 40, launch);
#line 148
    const u32 saved_10 = y[rt::at(8, y_len, 41, launch)];
#line 155
    y[rt::at(8, y_len, 42, launch)] = 1;
#line 148
    y[rt::at(10, y_len, 45, launch)] = rt::add_u32(device::three(saved_9, saved_10, 0, launch), y[rt::at(8, y_len, 43, launch)], 44, launch);
#line 160
    usize i = 11;
#line 162
    i = rt::add_u64(i, 1, 46, launch);
#line 161
    y[rt::at(i, y_len, 47, launch)] = 40;
#line 165
    const u32 saved_11 = (u32)i;
    i = rt::add_u64(i, 1, 48, launch);
#line 165
    y[rt::at(i, y_len, 49, launch)] = saved_11;
#line 170
    const u32 value_15 = device::number(log_, log_len, 12, launch);
#line 170
    const u32 value_16 = device::number(log_, log_len, 13, launch);
#line 170
    const bool compared = value_15 < value_16;
    const u32 value_17 = device::number(log_, log_len, 14, launch);
#line 171
    const u32 value_18 = device::number(log_, log_len, 15, launch);
#line 173
    n = 0;
#line 171
    const u32 value_19 = device::number(log_, log_len, 16, launch);
#line 171
    y[rt::at(14, y_len, 52, launch)] = rt::add_u32(rt::add_u32((u32)compared, rt::max_u32(rt::min_u32(value_17, value_18), value_19), 50, launch), n, 51, launch);
#line 178
    const u32 value_20 = device::number(log_, log_len, 16, launch);
#line 178
    const usize at_3 = rt::at((usize)value_20, y_len, 53, launch);
#line 178
    const u32 value_21 = device::number(log_, log_len, 17, launch);
#line 178
    const u32 value_22 = atomicAdd(&y[at_3], value_21);
#line 178
    y[rt::at(15, y_len, 56, launch)] = rt::add_u32(value_22, y[rt::at(16, y_len, 54, launch)], 55, launch);
#line 180
    const u32 value_23 = device::number(log_, log_len, 18, launch);
#line 180
    const u32 value_24 = device::number(log_, log_len, 19, launch);
#line 180
    const u32 p = value_23;
#line 180
    const u32 q = value_24;
    const u32 value_25 = device::number(log_, log_len, 1, launch);
#line 181
    const u32 value_26 = device::number(log_, log_len, 3, launch);
#line 181
    if (rt::within(18, y_len)) {
#line 181
        for (u32 k = value_25; k < value_26; ++k) {
            const usize at_4 = 17;
#line 182
            y[at_4] = rt::add_u32(y[at_4], rt::opaque(k * p + q), 60, launch);
        }
    } else {
#line 181
        for (u32 k = value_25; k < value_26; ++k) {
            const usize at_4 = rt::at(17, y_len, 59, launch);
#line 182
            y[at_4] = rt::add_u32(y[at_4], rt::opaque(k * p + q), 60, launch);
        }
    }
    const u32 value_27 = device::number(log_, log_len, 20, launch);
#line 185
    const u32 value_28 = device::number(log_, log_len, 21, launch);
#line 185
    rt::add_u32(value_27, value_28, 61, launch);
    device::number(log_, log_len, 22, launch);
    const u32 value_29 = device::number(log_, log_len, 23, launch);
#line 187
    const u32 saved_12 = (u32)rt::neg_i32(rt::sub_i32((i32)value_29, 30, 62, launch), 63, launch);
#line 187
    const u32 value_30 = device::number(log_, log_len, 24, launch);
#line 187
    y[rt::at(18, y_len, 65, launch)] = rt::add_u32(saved_12, ~value_30 % 100, 64, launch);
#line 189
    i32 turns = 0;
    for (;; rt::progress()) {
        turns = rt::add_i32(turns, 1, 66, launch);
        const u32 value_31 = device::number(log_, log_len, 25, launch);
#line 192
        u32 value_32;
#line 192
        if (turns > 2) {
#line 192
            break;
        } else {
#line 192
            value_32 = device::number(log_, log_len, 26, launch);
        }
#line 192
        const usize at_5 = rt::at(19, y_len, 68, launch);
#line 192
        y[at_5] = rt::add_u32(y[at_5], rt::opaque(rt::add_u32(value_31, rt::opaque(value_32), 67, launch)), 69, launch);
    }
}
