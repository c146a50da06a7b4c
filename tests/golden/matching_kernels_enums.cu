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

static __device__ __forceinline__ i64 div_i64(i64 a, i64 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == (-9223372036854775807ll - 1) && b == -1) fault(launch, site + 1, 0, 0);
    return (i64)(a / b);
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

// cumbia_corpus::matching::device::Level
typedef i16 Level;
constexpr Level Level_Low = -300;
constexpr Level Level_None = 0;
constexpr Level Level_Mid = 7;
constexpr Level Level_High = 30000;

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

#line 64 "tests/corpus/matching.rs"
static __device__ inline types::Level level(i32 n) {
    if (n < 0) {
#line 65
        return types::Level_Low;
    } else {
#line 65
        return n == 0 ? types::Level_None : (n < 8 ? types::Level_Mid : types::Level_High);
    }
}

#line 69 "tests/corpus/matching.rs"
static __device__ inline i64 apply(types::Kind kind, i64 a, i64 b, rt::Launch launch) {
#line 71
    if (kind == types::Kind_Plus) {
        return rt::add_i64(a, b, 0, launch);
    } else if (kind == types::Kind_Minus) {
#line 73
        return rt::sub_i64(a, b, 1, launch);
    } else if (kind == types::Kind_Times) {
#line 74
        return rt::mul_i64(a, b, 2, launch);
    } else if (kind == types::Kind_Over && b == 0) {
#line 75
        return -1;
    } else {
#line 76
        return rt::div_i64(a, b, 3, launch);
    }
}

#line 81 "tests/corpus/matching.rs"
static __device__ inline void enums(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const types::Kind k = device::kind(x[rt::at(0, x_len, 5, launch)]);
    const types::Level l = device::level(x[rt::at(1, x_len, 6, launch)]);
    y[rt::at(0, y_len, 9, launch)] = device::apply(k, (i64)x[rt::at(2, x_len, 7, launch)], (i64)x[rt::at(3, x_len, 8, launch)], launch);
    y[rt::at(1, y_len, 12, launch)] = rt::add_i64(rt::mul_i64((i64)k, 100000, 10, launch), (i64)l, 11, launch);
    y[rt::at(2, y_len, 18, launch)] = rt::add_i64(rt::add_i64((i64)(k == types::Kind_Minus), rt::mul_i64(2, (i64)(k != device::kind(x[rt::at(2, x_len, 13, launch)])), 14, launch), 15, launch), rt::mul_i64(4, (i64)(l == types::Level_Mid), 16, launch), 17, launch);
    y[rt::at(3, y_len, 24, launch)] = rt::add_i64(rt::add_i64((i64)(l < types::Level_Mid), rt::mul_i64(2, (i64)(l >= device::level(x[rt::at(2, x_len, 19, launch)])), 20, launch), 21, launch), rt::mul_i64(4, (i64)(k > types::Kind_Plus), 22, launch), 23, launch);
    const rt::Array<types::Kind, 3> kinds = {{types::Kind_Over, k, device::kind(x[rt::at(4, x_len, 25, launch)])}};
    rt::Array<i64, 4> count = {{0, 0, 0, 0}};
    for (usize i = 0; i < 3; ++i) {
#line 90
        const types::Kind kind = kinds[i];
        const usize at = rt::at((usize)kind, 4, 26, launch);
#line 91
        count[at] = rt::add_i64(count[at], 1, 27, launch);
    }
    y[rt::at(4, y_len, 34, launch)] = rt::add_i64(rt::add_i64(rt::add_i64(rt::mul_i64(count[0], 1000, 28, launch), rt::mul_i64(count[1], 100, 29, launch), 30, launch), rt::mul_i64(count[2], 10, 31, launch), 32, launch), count[3], 33, launch);
    y[rt::at(5, y_len, 37, launch)] = rt::add_i64(rt::add_i64((i64)types::Level_High, (i64)types::Level_Low, 35, launch), (i64)(u8)types::Level_Mid, 36, launch);
    bool value;
#line 95
    if (l == types::Level_Low || l == types::Level_High) {
#line 95
        value = true;
    } else {
#line 95
        value = false;
    }
#line 95
    bool value_2;
#line 95
    if (k == types::Kind_Times) {
#line 95
        value_2 = true;
    } else {
#line 95
        value_2 = false;
    }
#line 95
    y[rt::at(6, y_len, 40, launch)] = rt::add_i64((i64)value, rt::mul_i64(2, (i64)!value_2, 38, launch), 39, launch);
}

}  // namespace device

#line 81 "tests/corpus/matching.rs"
extern "C" __global__ void enums(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 41, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 42, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 43, launch);
        const usize end = rt::add_u64(from, 8, 44, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 45, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 48, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 49, launch);
#line 50
        device::enums(x + from, part_len, y + to, part_len_2, launch);
    }
}
