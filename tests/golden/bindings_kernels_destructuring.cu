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

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::bindings::device::Point
struct __align__(4) Point {
    i32 x;
    i32 y;
};
static_assert(sizeof(Point) == 8, "the size of Point");
static_assert(offset_of(Point, x) == 0, "the offset of Point::x");
static_assert(offset_of(Point, y) == 4, "the offset of Point::y");

// cumbia_corpus::bindings::device::Line
struct __align__(4) Line {
    types::Point _0;
    types::Point _1;
};
static_assert(sizeof(Line) == 16, "the size of Line");
static_assert(offset_of(Line, _0) == 0, "the offset of Line::_0");
static_assert(offset_of(Line, _1) == 8, "the offset of Line::_1");

}  // namespace types

#undef offset_of

namespace device {

#line 44 "tests/corpus/bindings.rs"
static __device__ inline void destructuring(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const i32 a = x[rt::at(0, x_len, 0, launch)];
#line 45
    const i32 b = x[rt::at(1, x_len, 1, launch)];
    const i32 c = x[rt::at(2, x_len, 2, launch)];
#line 46
    const i32 d = x[rt::at(3, x_len, 3, launch)];
#line 46
    const i32 e = x[rt::at(4, x_len, 4, launch)];
#line 46
    const i32 f = x[rt::at(5, x_len, 5, launch)];
    const types::Point value = {a, b};
#line 47
    const i32 px = value.x;
#line 47
    const i32 py = value.y;
    const types::Line value_2 = {{c, d}, {e, f}};
#line 48
    const i32 x0 = value_2._0.x;
#line 48
    const types::Point q = value_2._1;
#line 48
    const i32 y1 = value_2._1.y;
    const rt::Array<i32, 3> value_3 = {{a, b, c}};
#line 49
    const i32 first = value_3[0];
#line 49
    const i32 third = value_3[2];
    const rt::Array<rt::Array<i32, 2>, 2> value_4 = {{{{d, e}}, {{f, a}}}};
#line 50
    const i32 m = value_4[0][0];
#line 50
    const i32 n = value_4[0][1];
#line 50
    const i32 o = value_4[1][0];
    const rt::Array<i32, 3> value_5 = {{x[rt::at(6, x_len, 6, launch)], x[rt::at(7, x_len, 7, launch)], 1}};
#line 51
    const i32 head = value_5[0];
    const rt::Array<i32, 3> value_6 = {{x[rt::at(6, x_len, 8, launch)], x[rt::at(7, x_len, 9, launch)], 1}};
#line 52
    const i32 ref_ = value_6[1];
#line 52
    const i32 tail = value_6[2];
#line 54
    const i64 last = 2;
#line 56
    y[rt::at(0, y_len, 20, launch)] = rt::add_i64(rt::add_i64(rt::add_i64(rt::add_i64(rt::add_i64((i64)a, rt::mul_i64((i64)b, 2, 10, launch), 11, launch), rt::mul_i64((i64)c, 3, 12, launch), 13, launch), rt::mul_i64((i64)d, 5, 14, launch), 15, launch), rt::mul_i64((i64)e, 7, 16, launch), 17, launch), rt::mul_i64((i64)f, 11, 18, launch), 19, launch);
    y[rt::at(1, y_len, 22, launch)] = rt::sub_i64((i64)px, (i64)py, 21, launch);
    y[rt::at(2, y_len, 27, launch)] = rt::add_i64(rt::add_i64((i64)x0, rt::mul_i64((i64)q.x, 10, 23, launch), 24, launch), rt::mul_i64((i64)y1, 100, 25, launch), 26, launch);
    y[rt::at(3, y_len, 36, launch)] = rt::add_i64(rt::add_i64(rt::add_i64(rt::add_i64(rt::add_i64(rt::add_i64(rt::add_i64((i64)first, (i64)third, 28, launch), rt::mul_i64((i64)m, 3, 29, launch), 30, launch), (i64)n, 31, launch), (i64)o, 32, launch), (i64)head, 33, launch), (i64)tail, 34, launch), last, 35, launch);
}

}  // namespace device

#line 44 "tests/corpus/bindings.rs"
extern "C" __global__ void destructuring(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 37, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 38, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 39, launch);
        const usize end = rt::add_u64(from, 8, 40, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 41, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 44, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 45, launch);
#line 50
        device::destructuring(x + from, part_len, y + to, part_len_2, launch);
    }
}
