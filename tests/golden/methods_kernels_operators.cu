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

static __device__ __forceinline__ u32 shift_amount(u64 amount, u32 width, u32 site, Launch launch) {
    if (amount >= width) fault(launch, site, 0, 0);
    return (u32)amount;
}

static __device__ __forceinline__ i64 wrapping_add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 wrapping_sub_i64(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }

static __device__ __forceinline__ i64 wrapping_mul_i64(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }

static __device__ __forceinline__ i64 wrapping_neg_i64(i64 a) { return (i64)(0 - (u64)a); }

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

static __device__ __forceinline__ i64 div_i64(i64 a, i64 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == (-9223372036854775807ll - 1) && b == -1) fault(launch, site + 1, 0, 0);
    return (i64)(a / b);
}

static __device__ __forceinline__ u32 rem_u32(u32 a, u32 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    return (u32)(a % b);
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

// cumbia_corpus::methods::device::Bits
struct __align__(4) Bits {
    u32 _0;
};
static_assert(sizeof(Bits) == 4, "the size of Bits");
static_assert(offset_of(Bits, _0) == 0, "the offset of Bits::_0");

// cumbia_corpus::methods::device::Hour
struct __align__(4) Hour {
    i32 _0;
};
static_assert(sizeof(Hour) == 4, "the size of Hour");
static_assert(offset_of(Hour, _0) == 0, "the offset of Hour::_0");

}  // namespace types

#undef offset_of

namespace device {

#line 33 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_new(i64 x, i64 y) {
    return types::Vector{x, y};
}

#line 114 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_mul(types::Vector self_, i64 by) {
    return types::Vector{rt::wrapping_mul_i64(self_.x, by), rt::wrapping_mul_i64(self_.y, by)};
}

#line 96 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_add(types::Vector self_, types::Vector other) {
    return types::Vector{rt::wrapping_add_i64(self_.x, other.x), rt::wrapping_add_i64(self_.y, other.y)};
}

#line 142 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_neg(types::Vector self_) {
    return device::Vector_new(rt::wrapping_neg_i64(self_.x), rt::wrapping_neg_i64(self_.y));
}

#line 105 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_sub(types::Vector self_, types::Vector other) {
    return types::Vector{rt::wrapping_sub_i64(self_.x, other.x), rt::wrapping_sub_i64(self_.y, other.y)};
}

#line 41 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_dot(types::Vector self_, types::Vector other) {
    return rt::wrapping_add_i64(rt::wrapping_mul_i64(self_.x, other.x), rt::wrapping_mul_i64(self_.y, other.y));
}

#line 123 "tests/corpus/methods.rs"
static __device__ inline i64 Vector_mul_2(types::Vector self_, types::Vector other) {
    return device::Vector_dot(self_, other);
}

#line 132 "tests/corpus/methods.rs"
static __device__ inline types::Vector Vector_div(types::Vector self_, i32 by, rt::Launch launch) {
    const i64 x = rt::div_i64(self_.x, (i64)by, 0, launch);
    return device::Vector_new(x, rt::div_i64(self_.y, (i64)by, 2, launch));
}

#line 158 "tests/corpus/methods.rs"
static __device__ inline void Vector_add_assign(types::Vector& self_, types::Vector other) {
    self_.x = rt::wrapping_add_i64(self_.x, other.x);
    self_.y = rt::wrapping_add_i64(self_.y, other.y);
}

#line 166 "tests/corpus/methods.rs"
static __device__ inline void Vector_sub_assign(types::Vector& self_, i64 by) {
    self_ = device::Vector_new(rt::wrapping_sub_i64(self_.x, by), self_.y);
}

#line 173 "tests/corpus/methods.rs"
static __device__ inline void Vector_mul_assign(types::Vector& self_, i64 by) {
    self_ = device::Vector_mul(self_, by);
}

#line 151 "tests/corpus/methods.rs"
static __device__ inline bool Vector_not(types::Vector self_) {
    return self_.x == 0 && self_.y == 0;
}

#line 26 "tests/corpus/methods.rs"
static __device__ inline bool Vector_eq(const types::Vector& self_, const types::Vector& other) {
    return self_.x == other.x && self_.y == other.y;
}

#line 214 "tests/corpus/methods.rs"
static __device__ inline void Bits_bitxor_assign(types::Bits& self_, types::Bits other) {
    self_._0 ^= other._0;
}

#line 221 "tests/corpus/methods.rs"
static __device__ inline void Bits_shr_assign(types::Bits& self_, i32 by, rt::Launch launch) {
    self_._0 = self_._0 >> rt::shift_amount((u64)(by & 31), 32, 4, launch);
}

#line 199 "tests/corpus/methods.rs"
static __device__ inline types::Bits Bits_shl(types::Bits self_, u8 by, rt::Launch launch) {
    return types::Bits{self_._0 << rt::shift_amount((u64)(by & 31), 32, 5, launch)};
}

#line 191 "tests/corpus/methods.rs"
static __device__ inline types::Bits Bits_bitand(types::Bits self_, types::Bits other) {
    return types::Bits{self_._0 & other._0};
}

#line 183 "tests/corpus/methods.rs"
static __device__ inline bool Bits_has(types::Bits self_, u32 bit, rt::Launch launch) {
    return ((self_._0 >> rt::shift_amount((u64)(bit & 31), 32, 6, launch)) & 1) != 0;
}

#line 207 "tests/corpus/methods.rs"
static __device__ inline u32 Bits_rem(types::Bits self_, u32 by, rt::Launch launch) {
    return rt::rem_u32(self_._0, by, 7, launch);
}

#line 232 "tests/corpus/methods.rs"
static __device__ inline bool Hour_eq(const types::Hour& self_, const types::Hour& other) {
    return (self_._0 & 3) == (other._0 & 3);
}

#line 422 "tests/corpus/methods.rs"
static __device__ inline void operators(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const types::Vector a = device::Vector_new((i64)x[rt::at(0, x_len, 8, launch)], (i64)x[rt::at(1, x_len, 9, launch)]);
#line 423
    const types::Vector b = device::Vector_new((i64)x[rt::at(2, x_len, 10, launch)], (i64)x[rt::at(3, x_len, 11, launch)]);
    const types::Vector c = device::Vector_sub(device::Vector_add(a, device::Vector_mul(b, 3)), device::Vector_neg(a));
    y[rt::at(0, y_len, 12, launch)] = c.x;
    y[rt::at(1, y_len, 13, launch)] = c.y ^ device::Vector_mul_2(a, b);
    const types::Vector saved = device::Vector_div(c, 2, launch);
#line 427
    const types::Vector saved_2 = device::Vector_div(b, x[rt::at(4, x_len, 14, launch)] & 3, launch);
#line 427
    y[rt::at(2, y_len, 16, launch)] = rt::add_i64(saved.x, saved_2.y, 15, launch);
    types::Vector d = c;
    device::Vector_add_assign(d, a);
    device::Vector_sub_assign(d, 5);
    device::Vector_mul_assign(d, 2);
    y[rt::at(3, y_len, 17, launch)] = d.x;
    y[rt::at(4, y_len, 18, launch)] = d.y;
    y[rt::at(5, y_len, 21, launch)] = rt::add_i64((i64)device::Vector_not(device::Vector_sub(a, a)), rt::mul_i64(2, (i64)device::Vector_not(a), 19, launch), 20, launch);
    const i64 saved_3 = rt::add_i64((i64)device::Vector_eq(a, b), rt::mul_i64(2, (i64)!device::Vector_eq(a, b), 22, launch), 23, launch);
#line 435
    const types::Vector value = device::Vector_add(a, b);
#line 435
    const types::Vector value_2 = device::Vector_add(b, a);
#line 435
    y[rt::at(6, y_len, 26, launch)] = rt::add_i64(saved_3, rt::mul_i64(4, (i64)device::Vector_eq(value, value_2), 24, launch), 25, launch);
    rt::Array<types::Vector, 2> list = {{a, b}};
    device::Vector_add_assign(list[1], a);
    device::Vector_mul_assign(list[rt::at((usize)(x[rt::at(5, x_len, 27, launch)] & 1), 2, 28, launch)], 2);
    const types::Vector sum = device::Vector_add(list[0], list[1]);
    y[rt::at(7, y_len, 29, launch)] = sum.x ^ sum.y;
    types::Bits bits = {(u32)x[rt::at(6, x_len, 30, launch)]};
    device::Bits_bitxor_assign(bits, types::Bits{16711935});
    device::Bits_shr_assign(bits, 3, launch);
    const types::Bits saved_4 = device::Bits_bitand(bits, device::Bits_shl(types::Bits{4095}, 4, launch));
#line 444
    y[rt::at(8, y_len, 32, launch)] = rt::add_i64((i64)saved_4._0, (i64)device::Bits_has(bits, 5, launch), 31, launch);
    y[rt::at(9, y_len, 33, launch)] = (i64)device::Bits_rem(bits, 77, launch);
    const types::Hour p = {x[rt::at(6, x_len, 34, launch)]};
#line 446
    const types::Hour q = {x[rt::at(7, x_len, 35, launch)]};
    y[rt::at(10, y_len, 38, launch)] = rt::add_i64((i64)device::Hour_eq(p, q), rt::mul_i64(2, (i64)!device::Hour_eq(p, q), 36, launch), 37, launch);
}

}  // namespace device

#line 422 "tests/corpus/methods.rs"
extern "C" __global__ void operators(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 39, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 40, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 41, launch);
        const usize end = rt::add_u64(from, 8, 42, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 43, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 46, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 47, launch);
#line 50
        device::operators(x + from, part_len, y + to, part_len_2, launch);
    }
}
