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

static __device__ __forceinline__ usize rest_len(usize start, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    return len - start;
}

static __device__ __forceinline__ usize split_at(usize at, usize len, u32 site, Launch launch) {
    if (at > len) fault(launch, site, at, len);
    return at;
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

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ u64 sub_u64(u64 a, u64 b, u32 site, Launch launch) {
    u64 seen = a;
    asm("" : "+l"(seen));
    if (seen < b) fault(launch, site, 0, 0);
    return a - b;
}

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
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

// (u32, u32)
struct Tuple_u32_u32 {
    u32 _0;
    u32 _1;
};

}  // namespace types

#undef offset_of

namespace device {

#line 259 "tests/corpus/slices.rs"
static __device__ inline void raise(u32* x, usize x_len, u32 by, rt::Launch launch) {
    for (usize i = 0; i < x_len; ++i) {
#line 260
        u32& v = x[i];
        v = rt::add_u32(v, rt::opaque(by), 0, launch);
    }
}

#line 249 "tests/corpus/slices.rs"
static __device__ inline u32 total(const u32* x, usize x_len, rt::Launch launch) {
    u32 sum = 0;
    for (usize i = 0; i < x_len; ++i) {
#line 251
        const u32& v = x[i];
        sum = rt::add_u32(sum, rt::opaque(v), 1, launch);
    }
    return sum;
}

#line 266 "tests/corpus/slices.rs"
static __device__ inline types::Tuple_u32_u32 first_and_last(const u32* x, usize x_len, rt::Launch launch) {
    return types::Tuple_u32_u32{x[rt::at(0, x_len, 2, launch)], x[rt::at(rt::sub_u64(x_len, 1, 3, launch), x_len, 4, launch)]};
}

}  // namespace device

#line 272 "tests/corpus/slices.rs"
extern "C" __global__ void shared_parts(const u32* __restrict__ x, usize x_len, u32* __restrict__ y, usize y_len, usize from, usize to, rt::Launch launch) {
    __shared__ rt::Array<rt::Array<u32, 8>, 4> rows;
    asm volatile("" : : "l"(&rows) : "memory");
#line 274
    __shared__ rt::Array<u32, 32> list;
    asm volatile("" : : "l"(&list) : "memory");
#line 275
    const usize t = (usize)threadIdx.x;
    rows[rt::at(t / 8, 4, 6, launch)][rt::at(t % 8, 8, 7, launch)] = x[rt::at(t, x_len, 5, launch)];
    list[rt::at(t, 32, 8, launch)] = 0;
    __syncthreads();
    if (t < 4) {
        const usize part_len = rt::part_len(2, 5, 8, 10, launch);
#line 280
        device::raise(&rows[rt::at(t, 4, 9, launch)][0] + 2, part_len, 100, launch);
        const usize start = rt::mul_u64(8, t, 13, launch);
#line 281
        const usize end = rt::add_u64(rt::mul_u64(8, t, 14, launch), 8, 15, launch);
#line 281
        const usize part_len_2 = rt::part_len(start, end, 32, 16, launch);
#line 281
        device::raise(&list[0] + start, part_len_2, (u32)t, launch);
    }
    __syncthreads();
    if (t == 0) {
        y[rt::at(0, y_len, 19, launch)] = device::total(&rows[1][0], 8, launch);
        const usize part_len_3 = rt::part_len(from, to, 8, 20, launch);
#line 286
        y[rt::at(1, y_len, 23, launch)] = device::total(&rows[2][0] + from, part_len_3, launch);
        const usize part_len_4 = rt::rest_len(from, 32, 24, launch);
#line 287
        const types::Tuple_u32_u32 value = device::first_and_last(&list[0] + from, part_len_4, launch);
#line 287
        const u32 low = value._0;
#line 287
        const u32 high = value._1;
        y[rt::at(2, y_len, 27, launch)] = rt::add_u32(rt::mul_u32(low, 1000, 25, launch), high, 26, launch);
        const usize at = rt::split_at(12, 32, 28, launch);
#line 289
        const u32* const left = &list[0];
#line 289
        const u32* const right = &list[0] + at;
#line 289
        const usize right_len = 32 - at;
        y[rt::at(3, y_len, 31, launch)] = rt::add_u32(rt::mul_u32(device::total(left, at, launch), 100, 29, launch), device::total(right, right_len, launch), 30, launch);
        device::raise(&list[0], 32, 1, launch);
        y[rt::at(4, y_len, 32, launch)] = device::total(&list[0], 32, launch);
        atomicAdd(&rows[3][rt::at(to % 8, 8, 33, launch)], 7u);
        y[rt::at(5, y_len, 35, launch)] = rows[3][rt::at(to % 8, 8, 34, launch)];
        rt::Array<u32, 8>& row = rows[0];
        row[1] = 9;
        const usize part_len_5 = rt::part_len(0, 2, 8, 36, launch);
#line 297
        device::raise(&row[0], part_len_5, 1, launch);
        y[rt::at(6, y_len, 40, launch)] = rt::add_u32(rows[0][1], 8, 39, launch);
    }
}
