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

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::options::Point
struct __align__(4) Point {
    float x;
    u32 n;
};
static_assert(sizeof(Point) == 8, "the size of Point");
static_assert(offset_of(Point, x) == 0, "the offset of Point::x");
static_assert(offset_of(Point, n) == 4, "the offset of Point::n");

}  // namespace types

#undef offset_of

namespace foreign {

#line 277 "tests/corpus/options.rs"
static __device__ inline u32 reversed_(u32 x, u64 shift) {
// CUDA C of reversed, 1 lines
#line 276 "tests/corpus/options.rs"
    return __brev(x) ^ (u32)shift;
}

#line 286 "tests/corpus/options.rs"
static __device__ inline void add_doubled_(const float* x, usize x_len, float* y, usize y_len) {
// CUDA C of add_doubled, 4 lines
#line 281 "tests/corpus/options.rs"

    for (usize i = 0; i < y_len && i < x_len; ++i) {
        y[i] += x[i] * 2.0f;
    }
}

#line 293 "tests/corpus/options.rs"
static __device__ inline u32 step_(types::Point& p) {
// CUDA C of step, 1 lines
#line 292 "tests/corpus/options.rs"
    p.n += 1; p.x = -p.x; return p.n;
}

}  // namespace foreign

#line 308 "tests/corpus/options.rs"
extern "C" __global__ void foreign_(const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, types::Point* __restrict__ p, usize p_len, u32* __restrict__ n, usize n_len, rt::Launch launch) {
    const u32 value = foreign::reversed_(n[rt::at(0, n_len, 0, launch)], 5);
#line 309
    n[rt::at(0, n_len, 1, launch)] = value;
    foreign::add_doubled_(x, x_len, y, y_len);
    const usize part_len = rt::rest_len(1, x_len, 2, launch);
#line 311
    const usize part_len_2 = rt::part_len(0, 1, y_len, 3, launch);
#line 311
    foreign::add_doubled_(x + 1, part_len, y, part_len_2);
    const u32 value_2 = foreign::step_(p[rt::at(1, p_len, 6, launch)]);
#line 312
    n[rt::at(1, n_len, 7, launch)] = value_2;
    const u32 value_3 = foreign::step_(p[rt::at(1, p_len, 8, launch)]);
#line 313
    const usize at = rt::at(1, n_len, 9, launch);
#line 313
    n[at] = rt::add_u32(n[at], value_3, 10, launch);
}
