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

static __device__ __forceinline__ i64 neg_i64(i64 a, u32 site, Launch launch) {
    if (a == (-9223372036854775807ll - 1)) fault(launch, site, 0, 0);
    return (i64)-a;
}

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::methods::device::Vector
struct __align__(8) Vector {
    i64 x;
    i64 y;
};
static_assert(sizeof(Vector) == 16, "the size of Vector");
static_assert(offset_of(Vector, x) == 0, "the offset of Vector::x");
static_assert(offset_of(Vector, y) == 8, "the offset of Vector::y");

}  // namespace types

#undef offset_of

namespace device {

#line 33 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_new(i64 x, i64 y) {
    return types::Vector{x, y};
}

#line 41 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_dot(types::Vector self_, types::Vector other) {
    return rt::wrapping_add_i64(rt::wrapping_mul_i64(self_.x, other.x), rt::wrapping_mul_i64(self_.y, other.y));
}

#line 45 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_norm(const types::Vector& self_) {
    return device::Vector_dot(self_, self_);
}

#line 49 "tests/corpus/methods.rs"
static __device__ inline void Vector_turn(types::Vector& self_, rt::Launch launch) {
    const i64 lhs0 = rt::neg_i64(self_.y, 0, launch);
#line 50
    const i64 lhs1 = self_.x;
#line 50
    self_.x = lhs0;
#line 50
    self_.y = lhs1;
}

#line 53 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_scale(types::Vector& self_, i64 by, rt::Launch launch) {
    self_.x = rt::mul_i64(self_.x, by, 1, launch);
    self_.y = rt::mul_i64(self_.y, by, 2, launch);
    if (by < 0) {
        device::Vector_turn(self_, launch);
    }
    return device::Vector_norm(self_);
}

#line 62 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_with_x(types::Vector self_, i64 x) {
    self_.x = x;
    return self_;
}

#line 71 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_nearer(const types::Vector& self_, const types::Vector& other) {
    if (device::Vector_norm(self_) <= device::Vector_norm(other)) {
#line 72
        return self_;
    } else {
#line 72
        return other;
    }
}

#line 67 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_part(const types::Vector& self_, usize i) {
    return i == 0 ? self_.x : self_.y;
}

#line 37 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_zero() {
    return device::Vector_new(0, 0);
}

#line 83 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_both(types::Vector self_, rt::Array<i64, 3> more, rt::Launch launch) {
    i64 total = self_.x;
    for (usize i = 0; i < 3; ++i) {
#line 85
        const i64 v = more[i];
        total = total + v;
    }
    return rt::add_i64(total, 3, 4, launch);
}

#line 83 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_both_2(types::Vector self_, rt::Array<i64, 0> more, rt::Launch launch) {
    i64 total = self_.x;
    for (usize i = 0; i < 0; ++i) {
#line 85
        const i64 v = more[i];
        total = rt::add_i64(total, rt::opaque(v), 5, launch);
    }
    return rt::add_i64(total, 0, 6, launch);
}

#line 378 "tests/corpus/methods.rs"
static __device__ inline void methods(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const types::Vector v = device::Vector_new((i64)x[rt::at(0, x_len, 7, launch)], (i64)x[rt::at(1, x_len, 8, launch)]);
    types::Vector w = {(i64)x[rt::at(2, x_len, 9, launch)] % 1000, (i64)x[rt::at(3, x_len, 10, launch)] % 1000};
    y[rt::at(0, y_len, 11, launch)] = device::Vector_dot(v, w);
    y[rt::at(1, y_len, 12, launch)] = device::Vector_norm(v);
    device::Vector_turn(w, launch);
    const i64 value = device::Vector_scale(w, 3, launch);
#line 384
    y[rt::at(2, y_len, 14, launch)] = rt::add_i64(value, w.x, 13, launch);
    const i64 value_2 = device::Vector_scale(w, -2, launch);
#line 385
    y[rt::at(3, y_len, 16, launch)] = rt::add_i64(value_2, w.y, 15, launch);
    y[rt::at(4, y_len, 18, launch)] = rt::add_i64(device::Vector_with_x(v, 7).x, v.x, 17, launch);
    const types::Vector saved = device::Vector_nearer(v, w);
#line 387
    const types::Vector saved_2 = device::Vector_nearer(w, v);
#line 387
    y[rt::at(5, y_len, 20, launch)] = rt::add_i64(saved.x, device::Vector_part(saved_2, 1), 19, launch);
    const types::Vector saved_3 = device::Vector_with_x(device::Vector_new(1, 2), (i64)x[rt::at(4, x_len, 21, launch)]);
#line 388
    const types::Vector value_3 = device::Vector_zero();
#line 388
    const types::Vector saved_4 = device::Vector_nearer(saved_3, value_3);
#line 388
    y[rt::at(6, y_len, 22, launch)] = saved_4.x;
    y[rt::at(7, y_len, 23, launch)] = device::Vector_dot(v, w) ^ device::Vector_norm(v);
    device::Vector_turn(w, launch);
    y[rt::at(8, y_len, 24, launch)] = w.x;
    y[rt::at(9, y_len, 26, launch)] = rt::add_i64(device::Vector_both(v, rt::Array<i64, 3>{{1, 2, 3}}, launch), device::Vector_both_2(v, rt::Array<i64, 0>{{}}, launch), 25, launch);
}

}  // namespace device

#line 378 "tests/corpus/methods.rs"
extern "C" __global__ void methods(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 27, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 28, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 29, launch);
        const usize end = rt::add_u64(from, 8, 30, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 31, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 34, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 35, launch);
#line 50
        device::methods(x + from, part_len, y + to, part_len_2, launch);
    }
}
