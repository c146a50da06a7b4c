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

static __device__ __forceinline__ i32 wrapping_add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i64 wrapping_add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 wrapping_mul_i64(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }

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

static __device__ __forceinline__ u32 count_ones_i32(i32 x) { return (u32)__popc((u32)(u32)x); }

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::methods::device::Square
struct __align__(8) Square {
    i64 side;
};
static_assert(sizeof(Square) == 8, "the size of Square");
static_assert(offset_of(Square, side) == 0, "the offset of Square::side");

// cumbia_corpus::methods::device::Rectangle<i32>
struct __align__(4) Rectangle_i32 {
    rt::Array<i32, 2> sides;
};
static_assert(sizeof(Rectangle_i32) == 8, "the size of Rectangle_i32");
static_assert(offset_of(Rectangle_i32, sides) == 0, "the offset of Rectangle_i32::sides");

}  // namespace types

#undef offset_of

namespace device {

#line 268 "tests/corpus/methods.rs"
static __device__ inline i64 Square_area(const types::Square& self_, i64 k) {
    return rt::wrapping_add_i64(rt::wrapping_mul_i64(self_.side, self_.side), k) & 65535;
}

#line 245 "tests/corpus/methods.rs"
static __device__ inline i64 Shape_double(const types::Square& self_, rt::Launch launch) {
    return rt::mul_i64(2, device::Square_area(self_, 1), 0, launch);
}

#line 276 "tests/corpus/methods.rs"
static __device__ inline u32 Square_sides(types::Square self_) {
    return 1;
}

#line 283 "tests/corpus/methods.rs"
static __device__ inline i64 Rectangle_area(const types::Rectangle_i32& self_, i64 k, rt::Launch launch) {
    return rt::add_i64(rt::mul_i64((i64)self_.sides[0], (i64)self_.sides[1], 1, launch) & 65535, rt::opaque(k), 2, launch);
}

#line 295 "tests/corpus/methods.rs"
static __device__ inline i64 Rectangle_double(const types::Rectangle_i32& self_, rt::Launch launch) {
    return rt::add_i64(device::Rectangle_area(self_, 1, launch), rt::opaque(device::Rectangle_area(self_, 2, launch)), 3, launch);
}

#line 291 "tests/corpus/methods.rs"
static __device__ inline u32 Rectangle_sides(types::Rectangle_i32 self_) {
    return 2;
}

#line 287 "tests/corpus/methods.rs"
static __device__ inline void Rectangle_grow(types::Rectangle_i32& self_, i64 by) {
    self_.sides[1] = rt::wrapping_add_i32(self_.sides[1], (i32)by);
}

#line 249 "tests/corpus/methods.rs"
static __device__ inline i64 Shape_grown(const types::Rectangle_i32& self_, i64 by, rt::Launch launch) {
    types::Rectangle_i32 copy = self_;
    device::Rectangle_grow(copy, by);
    return rt::add_i64(device::Rectangle_double(copy, launch), rt::opaque((i64)device::Rectangle_sides(copy)), 4, launch);
}

#line 272 "tests/corpus/methods.rs"
static __device__ inline void Square_grow(types::Square& self_, i64 by) {
    self_.side = rt::wrapping_add_i64(self_.side, by);
}

#line 249 "tests/corpus/methods.rs"
static __device__ inline i64 Shape_grown_2(const types::Square& self_, i64 by, rt::Launch launch) {
    types::Square copy = self_;
    device::Square_grow(copy, by);
    return rt::add_i64(device::Shape_double(copy, launch), rt::opaque((i64)device::Square_sides(copy)), 5, launch);
}

#line 330 "tests/corpus/methods.rs"
static __device__ inline i64 total(const types::Square* shapes, usize shapes_len, i64 k, rt::Launch launch) {
    i64 sum = 0;
    for (usize i = 0; i < shapes_len; ++i) {
#line 332
        const types::Square& shape = shapes[i];
        sum = rt::add_i64(sum, rt::opaque(device::Square_area(shape, k)), 6, launch);
    }
    return sum;
}

#line 330 "tests/corpus/methods.rs"
static __device__ inline i64 total_2(const types::Rectangle_i32* shapes, usize shapes_len, i64 k, rt::Launch launch) {
    i64 sum = 0;
    for (usize i = 0; i < shapes_len; ++i) {
#line 332
        const types::Rectangle_i32& shape = shapes[i];
        sum = rt::add_i64(sum, rt::opaque(device::Rectangle_area(shape, k, launch)), 7, launch);
    }
    return sum;
}

#line 339 "tests/corpus/methods.rs"
static __device__ inline i64 grow_all(rt::Array<types::Square, 2> shapes, i64 by, rt::Launch launch) {
    rt::Array<types::Square, 2> shapes_2 = shapes;
    i64 sum = 0;
    for (usize i = 0; i < 2; ++i) {
        device::Square_grow(shapes_2[i], by);
        const i64 value = device::Shape_grown_2(shapes_2[i], by, launch);
#line 344
        sum = rt::add_i64(sum, rt::opaque(value), 10, launch);
    }
    return sum;
}

#line 339 "tests/corpus/methods.rs"
static __device__ inline i64 grow_all_2(rt::Array<types::Rectangle_i32, 1> shapes, i64 by, rt::Launch launch) {
    rt::Array<types::Rectangle_i32, 1> shapes_2 = shapes;
    i64 sum = 0;
    for (usize i = 0; i < 1; ++i) {
        device::Rectangle_grow(shapes_2[i], by);
        const i64 value = device::Shape_grown(shapes_2[i], by, launch);
#line 344
        sum = rt::add_i64(sum, rt::opaque(value), 13, launch);
    }
    return sum;
}

#line 306 "tests/corpus/methods.rs"
static __device__ inline void i32_grow(i32& self_, i64 by) {
    self_ = rt::wrapping_add_i32(self_, (i32)by);
}

#line 302 "tests/corpus/methods.rs"
static __device__ inline i64 i32_area(const i32& self_, i64 k, rt::Launch launch) {
    return rt::add_i64((i64)self_, rt::opaque(k), 14, launch);
}

#line 245 "tests/corpus/methods.rs"
static __device__ inline i64 Shape_double_2(const i32& self_, rt::Launch launch) {
    return rt::mul_i64(2, device::i32_area(self_, 1, launch), 15, launch);
}

#line 310 "tests/corpus/methods.rs"
static __device__ inline u32 i32_sides(i32 self_) {
    return rt::count_ones_i32(self_);
}

#line 249 "tests/corpus/methods.rs"
static __device__ inline i64 Shape_grown_3(const i32& self_, i64 by, rt::Launch launch) {
    i32 copy = self_;
    device::i32_grow(copy, by);
    return rt::add_i64(device::Shape_double_2(copy, launch), rt::opaque((i64)device::i32_sides(copy)), 16, launch);
}

#line 339 "tests/corpus/methods.rs"
static __device__ inline i64 grow_all_3(rt::Array<i32, 2> shapes, i64 by, rt::Launch launch) {
    rt::Array<i32, 2> shapes_2 = shapes;
    i64 sum = 0;
    for (usize i = 0; i < 2; ++i) {
        device::i32_grow(shapes_2[i], by);
        const i64 value = device::Shape_grown_3(shapes_2[i], by, launch);
#line 344
        sum = rt::add_i64(sum, rt::opaque(value), 19, launch);
    }
    return sum;
}

#line 367 "tests/corpus/methods.rs"
static __device__ inline i64 Three_scaled(i64 n) {
    return rt::wrapping_mul_i64(n, 3);
}

#line 355 "tests/corpus/methods.rs"
static __device__ inline i64 Scale_twice(i64 n) {
    return device::Three_scaled(device::Three_scaled(n));
}

#line 373 "tests/corpus/methods.rs"
static __device__ inline i64 by_type(i64 n, rt::Launch launch) {
    return rt::add_i64(device::Scale_twice(n), 3, 20, launch);
}

#line 475 "tests/corpus/methods.rs"
static __device__ inline void traits(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const types::Square s = {(i64)x[rt::at(0, x_len, 21, launch)]};
    types::Rectangle_i32 r = {{{x[rt::at(1, x_len, 22, launch)], x[rt::at(2, x_len, 23, launch)]}}};
    y[rt::at(0, y_len, 27, launch)] = rt::add_i64(rt::add_i64(device::Square_area(s, 1), rt::mul_i64(device::Shape_double(s, launch), 3, 24, launch), 25, launch), (i64)device::Square_sides(s), 26, launch);
    y[rt::at(1, y_len, 30, launch)] = rt::add_i64(rt::add_i64(device::Rectangle_area(r, 2, launch), device::Rectangle_double(r, launch), 28, launch), (i64)device::Rectangle_sides(r), 29, launch);
    device::Rectangle_grow(r, (i64)x[rt::at(3, x_len, 31, launch)]);
    const i64 value = device::Shape_grown(r, 2, launch);
#line 481
    const i64 value_2 = device::Shape_grown_2(s, -1, launch);
#line 481
    y[rt::at(2, y_len, 33, launch)] = rt::add_i64(value, value_2, 32, launch);
    const rt::Array<types::Square, 2> value_3 = {{s, {3}}};
#line 482
    y[rt::at(3, y_len, 34, launch)] = device::total(&value_3[0], 2, 5, launch);
    const rt::Array<types::Rectangle_i32, 3> saved = {{r, r, r}};
#line 483
    const i64 saved_2 = device::total_2(&saved[0], 3, 1, launch);
#line 483
    const i64 value_4 = device::grow_all(rt::Array<types::Square, 2>{{s, s}}, 4, launch);
#line 483
    y[rt::at(4, y_len, 36, launch)] = rt::add_i64(saved_2, value_4, 35, launch);
    const i64 value_5 = device::grow_all_2(rt::Array<types::Rectangle_i32, 1>{{r}}, (i64)x[rt::at(4, x_len, 37, launch)], launch);
#line 484
    const i64 value_6 = device::grow_all_3(rt::Array<i32, 2>{{x[rt::at(5, x_len, 38, launch)], 3}}, 1, launch);
#line 484
    y[rt::at(5, y_len, 40, launch)] = rt::add_i64(value_5, value_6, 39, launch);
    y[rt::at(6, y_len, 44, launch)] = rt::add_i64(rt::wrapping_add_i64(device::i32_area(x[rt::at(6, x_len, 41, launch)], 1, launch), device::Shape_double_2(x[rt::at(6, x_len, 42, launch)], launch)), (i64)device::i32_sides(5), 43, launch);
    y[rt::at(7, y_len, 47, launch)] = rt::add_i64(rt::add_i64(device::Square_area(s, 2), device::Square_area(s, 3), 45, launch), device::Shape_double(s, launch), 46, launch);
    y[rt::at(8, y_len, 52, launch)] = rt::add_i64(rt::add_i64(rt::add_i64(device::by_type((i64)x[rt::at(7, x_len, 48, launch)], launch), device::Three_scaled(2), 49, launch), device::Scale_twice(1), 50, launch), 3, 51, launch);
}

}  // namespace device

#line 475 "tests/corpus/methods.rs"
extern "C" __global__ void traits(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 53, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 54, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 55, launch);
        const usize end = rt::add_u64(from, 8, 56, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 57, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 60, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 61, launch);
#line 50
        device::traits(x + from, part_len, y + to, part_len_2, launch);
    }
}
