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

static __device__ __forceinline__ i32 wrapping_add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

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

// cumbia_corpus::structs::device::Point
struct __align__(8) Point {
    i64 y;
    i32 x;
};
static_assert(sizeof(Point) == 16, "the size of Point");
static_assert(offset_of(Point, y) == 0, "the offset of Point::y");
static_assert(offset_of(Point, x) == 8, "the offset of Point::x");

// cumbia_corpus::structs::device::Tagged
struct __align__(8) Tagged {
    i64 _1;
    u8 _0;
    u8 _2;
};
static_assert(sizeof(Tagged) == 16, "the size of Tagged");
static_assert(offset_of(Tagged, _1) == 0, "the offset of Tagged::_1");
static_assert(offset_of(Tagged, _0) == 8, "the offset of Tagged::_0");
static_assert(offset_of(Tagged, _2) == 9, "the offset of Tagged::_2");

// cumbia_corpus::structs::device::Pair<cumbia_corpus::structs::device::Tagged, [i16; 2]>
struct __align__(8) Pair_Tagged_i16_2 {
    types::Tagged first;
    rt::Array<i16, 2> second;
};
static_assert(sizeof(Pair_Tagged_i16_2) == 24, "the size of Pair_Tagged_i16_2");
static_assert(offset_of(Pair_Tagged_i16_2, first) == 0, "the offset of Pair_Tagged_i16_2::first");
static_assert(offset_of(Pair_Tagged_i16_2, second) == 16, "the offset of Pair_Tagged_i16_2::second");

// cumbia_corpus::structs::device::Deep
struct __align__(8) Deep {
    rt::Array<types::Point, 3> points;
    types::Pair_Tagged_i16_2 inner;
    u8 flag;
};
static_assert(sizeof(Deep) == 80, "the size of Deep");
static_assert(offset_of(Deep, points) == 0, "the offset of Deep::points");
static_assert(offset_of(Deep, inner) == 48, "the offset of Deep::inner");
static_assert(offset_of(Deep, flag) == 72, "the offset of Deep::flag");

}  // namespace types

#undef offset_of

namespace device {

#line 66 "tests/corpus/structs.rs"
static __device__ inline types::Deep deep(const i32* x, usize x_len, rt::Launch launch) {
    const bool saved = x[rt::at(0, x_len, 0, launch)] > 2;
#line 67
    const types::Point value = {(i64)x[rt::at(2, x_len, 2, launch)], x[rt::at(1, x_len, 1, launch)]};
#line 67
    return types::Deep{{{value, value, value}}, {{(i64)x[rt::at(4, x_len, 4, launch)], (u8)x[rt::at(3, x_len, 3, launch)], x[rt::at(5, x_len, 5, launch)] < 0}, {{(i16)x[rt::at(6, x_len, 6, launch)], (i16)x[rt::at(7, x_len, 7, launch)]}}}, saved};
}

#line 55 "tests/corpus/structs.rs"
static __device__ inline types::Point moved(types::Point p, i32 by) {
    return types::Point{p.y, rt::wrapping_add_i32(p.x, by)};
}

#line 116 "tests/corpus/structs.rs"
static __device__ inline void nested(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    types::Deep d = device::deep(x, x_len, launch);
    d.points[1].x = x[rt::at(0, x_len, 8, launch)];
    d.points[rt::at(rt::add_u64((usize)(x[rt::at(2, x_len, 9, launch)] & 1), 1, 10, launch), 3, 11, launch)].y = 9;
    d.inner.first._1 ^= 85;
    d.inner.second[1] = d.inner.second[0] / 2;
    const bool flag = d.flag != 0;
#line 122
    const types::Point a = d.points[0];
#line 122
    const types::Point b = d.points[1];
#line 122
    const types::Point c = d.points[2];
#line 122
    const u8 tag = d.inner.first._0;
#line 122
    const i64 value = d.inner.first._1;
#line 122
    const rt::Array<i16, 2> second = d.inner.second;
    y[rt::at(0, y_len, 15, launch)] = rt::add_i64(rt::add_i64(rt::add_i64((i64)flag, (i64)a.x, 12, launch), (i64)b.x, 13, launch), (i64)c.x, 14, launch);
    y[rt::at(1, y_len, 20, launch)] = rt::add_i64(rt::add_i64(a.y, rt::mul_i64(b.y, 2, 16, launch), 17, launch), rt::mul_i64(c.y, 4, 18, launch), 19, launch);
    y[rt::at(2, y_len, 22, launch)] = rt::add_i64((i64)tag, value, 21, launch);
    y[rt::at(3, y_len, 25, launch)] = rt::add_i64(rt::mul_i64((i64)second[0], 100, 23, launch), (i64)second[1], 24, launch);
    d.inner.first = types::Tagged{2, 1, true};
    d.points[0] = device::moved(d.points[0], 10);
    y[rt::at(4, y_len, 28, launch)] = rt::add_i64(rt::add_i64((i64)d.inner.first._0, d.inner.first._1, 26, launch), (i64)d.points[0].x, 27, launch);
    y[rt::at(5, y_len, 29, launch)] = d.inner.first._2 != 0 ? 1ll : 0ll;
}

}  // namespace device

#line 116 "tests/corpus/structs.rs"
extern "C" __global__ void nested(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 30, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 31, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 32, launch);
        const usize end = rt::add_u64(from, 8, 33, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 34, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 37, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 38, launch);
#line 50
        device::nested(x + from, part_len, y + to, part_len_2, launch);
    }
}
