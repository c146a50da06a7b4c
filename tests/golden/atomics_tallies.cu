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

extern __shared__ __align__(16) u8 dynamic_shared[];

static __device__ __forceinline__ usize at(usize index, usize len, u32 site, Launch launch) {
    if (index >= len) fault(launch, site, index, len);
    return index;
}

static __device__ __forceinline__ usize dynamic_shared_bytes() {
    u32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
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

static __device__ __forceinline__ u8 add_u8(u8 a, u8 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u8)sum) fault(launch, site, 0, 0);
    return (u8)sum;
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

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

static __device__ __forceinline__ double atomic_max_f64(double* place, double value) {
    if (value != value) return *(volatile double*)place;
    const i64 bits = __double_as_longlong(value);
    for (;;) {
        const i64 seen = bits >= 0 ? atomicMax((i64*)place, bits) : (i64)atomicMin((u64*)place, (u64)bits);
        const double old = __longlong_as_double((i64)seen);
        if (old == old || seen < 0) return old;
        if (atomicCAS((u64*)place, (u64)seen, (u64)bits) == (u64)seen) return old;
    }
}

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::atomics::Extremes
struct __align__(8) Extremes {
    double most;
    i32 least;
};
static_assert(sizeof(Extremes) == 16, "the size of Extremes");
static_assert(offset_of(Extremes, most) == 0, "the offset of Extremes::most");
static_assert(offset_of(Extremes, least) == 8, "the offset of Extremes::least");

// cumbia_corpus::atomics::Tally
struct __align__(8) Tally {
    types::Extremes extremes;
    rt::Array<float, 2> sums;
    u64 last;
    u32 count;
    u8 small;
};
static_assert(sizeof(Tally) == 40, "the size of Tally");
static_assert(offset_of(Tally, extremes) == 0, "the offset of Tally::extremes");
static_assert(offset_of(Tally, sums) == 16, "the offset of Tally::sums");
static_assert(offset_of(Tally, last) == 24, "the offset of Tally::last");
static_assert(offset_of(Tally, count) == 32, "the offset of Tally::count");
static_assert(offset_of(Tally, small) == 36, "the offset of Tally::small");

}  // namespace types

#undef offset_of

namespace device {

#line 359 "tests/corpus/atomics.rs"
static __device__ inline types::Tally clear(types::Tally old) {
    return types::Tally{old.extremes, old.sums, old.last, 0, old.small};
}

#line 364 "tests/corpus/atomics.rs"
static __device__ inline void tell(rt::Array<u32, 2>& row, i32 x, rt::Launch launch) {
    atomicAdd(&row[rt::at((usize)(x & 1), 2, 0, launch)], 1u);
}

}  // namespace device

#line 319 "tests/corpus/atomics.rs"
extern "C" __global__ void tallies(const i32* __restrict__ x, usize x_len, types::Tally* __restrict__ out, usize out_len, rt::Launch launch) {
    __shared__ types::Tally tally;
    asm volatile("" : : "l"(&tally) : "memory");
#line 321
    types::Tally* const more = (types::Tally*)rt::dynamic_shared;
#line 321
    const usize more_len = rt::dynamic_shared_bytes() / 40;
    __shared__ rt::Array<rt::Array<u32, 2>, 3> rows;
    asm volatile("" : : "l"(&rows) : "memory");
#line 323
    const usize t = (usize)threadIdx.x;
    if (t == 0) {
        tally.count = 3;
        const types::Tally saved = device::clear(tally);
#line 326
        tally.last = (u64)saved.count;
        more[rt::at(1, more_len, 1, launch)] = types::Tally{{0.0, 2147483647}, {{0.0f, 0.0f}}, 0, 0, 7};
    }
#line 330
    if (t < 6) {
        rows[rt::at(t / 2, 3, 2, launch)][rt::at(t % 2, 2, 3, launch)] = 0;
    }
    __syncthreads();
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < x_len) {
        atomicAdd(&more[rt::at(1, more_len, 4, launch)].count, 1u);
        atomicAdd(&more[rt::at(1, more_len, 5, launch)].sums[rt::at(i % 2, 2, 6, launch)], (float)(x[rt::at(i, x_len, 7, launch)] % 8));
        types::Extremes& extremes = more[rt::at(1, more_len, 8, launch)].extremes;
        atomicMin(&extremes.least, x[rt::at(i, x_len, 9, launch)]);
        rt::atomic_max_f64(&extremes.most, (double)x[rt::at(i, x_len, 10, launch)] / 2.0);
        device::tell(rows[rt::at(i % 3, 3, 11, launch)], x[rt::at(i, x_len, 12, launch)], launch);
        atomicMax(&out[rt::at((usize)blockIdx.x, out_len, 13, launch)].last, (u64)x[rt::at(i, x_len, 14, launch)]);
        atomicXor(&out[rt::at(0, out_len, 15, launch)].extremes.least, x[rt::at(i, x_len, 16, launch)]);
    }
    __syncthreads();
    if (t == 0) {
        u32 sum = 0;
        for (usize i_2 = 0; i_2 < 3; ++i_2) {
#line 348
            const rt::Array<u32, 2>& row = rows[i_2];
            sum = rt::add_u32(sum, rt::opaque(rt::add_u32(rt::mul_u32(row[0], 10, 17, launch), row[1], 18, launch)), 19, launch);
        }
        out[rt::at(rt::add_u64(1, (usize)blockIdx.x, 20, launch), out_len, 21, launch)].count = sum;
        out[rt::at(rt::add_u64(1, (usize)blockIdx.x, 23, launch), out_len, 24, launch)].sums = more[rt::at(1, more_len, 22, launch)].sums;
        out[rt::at(rt::add_u64(1, (usize)blockIdx.x, 29, launch), out_len, 30, launch)].small = rt::add_u8(rt::add_u8(more[rt::at(1, more_len, 25, launch)].small, (u8)more[rt::at(1, more_len, 26, launch)].count, 27, launch), (u8)tally.last, 28, launch);
        out[rt::at(rt::add_u64(1, (usize)blockIdx.x, 33, launch), out_len, 34, launch)].extremes.most = more[rt::at(1, more_len, 31, launch)].extremes.most + (double)more[rt::at(1, more_len, 32, launch)].extremes.least * 1000.0;
    }
}
