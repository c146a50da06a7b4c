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

struct f16 {
    u16 bits;
};

static __device__ __forceinline__ float f16_to_f32(f16 x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
}

static __device__ __forceinline__ f16 f32_to_f16(float x) {
    f16 y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
}

__device__ __forceinline__ f16 operator+(f16 a, f16 b) {
    f16 y;
    asm("add.rn.f16 %0, %1, %2;" : "=h"(y.bits) : "h"(a.bits), "h"(b.bits));
    return y;
}

__device__ __forceinline__ f16 operator-(f16 a, f16 b) {
    f16 y;
    asm("sub.rn.f16 %0, %1, %2;" : "=h"(y.bits) : "h"(a.bits), "h"(b.bits));
    return y;
}

__device__ __forceinline__ f16 operator*(f16 a, f16 b) {
    f16 y;
    asm("mul.rn.f16 %0, %1, %2;" : "=h"(y.bits) : "h"(a.bits), "h"(b.bits));
    return y;
}
__device__ __forceinline__ f16 operator/(f16 a, f16 b) { return f32_to_f16(f16_to_f32(a) / f16_to_f32(b)); }
__device__ __forceinline__ f16 operator%(f16 a, f16 b) { return f32_to_f16(fmodf(f16_to_f32(a), f16_to_f32(b))); }
__device__ __forceinline__ f16 operator-(f16 a) { return f16{(u16)(a.bits ^ 0x8000)}; }
__device__ __forceinline__ f16& operator+=(f16& a, f16 b) { return a = a + b; }
__device__ __forceinline__ f16& operator-=(f16& a, f16 b) { return a = a - b; }
__device__ __forceinline__ f16& operator*=(f16& a, f16 b) { return a = a * b; }
__device__ __forceinline__ f16& operator/=(f16& a, f16 b) { return a = a / b; }
__device__ __forceinline__ f16& operator%=(f16& a, f16 b) { return a = a % b; }
__device__ __forceinline__ bool operator==(f16 a, f16 b) { return f16_to_f32(a) == f16_to_f32(b); }
__device__ __forceinline__ bool operator!=(f16 a, f16 b) { return f16_to_f32(a) != f16_to_f32(b); }
__device__ __forceinline__ bool operator<(f16 a, f16 b) { return f16_to_f32(a) < f16_to_f32(b); }
__device__ __forceinline__ bool operator<=(f16 a, f16 b) { return f16_to_f32(a) <= f16_to_f32(b); }
__device__ __forceinline__ bool operator>(f16 a, f16 b) { return f16_to_f32(a) > f16_to_f32(b); }
__device__ __forceinline__ bool operator>=(f16 a, f16 b) { return f16_to_f32(a) >= f16_to_f32(b); }

struct bf16 {
    u16 bits;
};

static __device__ __forceinline__ float bf16_to_f32(bf16 x) {
    return __int_as_float((i32)((u32)x.bits << 16));
}

static __device__ __forceinline__ bf16 f32_to_bf16(float x) {
    bf16 y;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
#else
    const u32 bits = __float_as_uint(x);
    y.bits = (u16)(x != x ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
    return y;
}

__device__ __forceinline__ bf16 operator+(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b)); }
__device__ __forceinline__ bf16 operator-(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) - bf16_to_f32(b)); }
__device__ __forceinline__ bf16 operator*(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) * bf16_to_f32(b)); }
__device__ __forceinline__ bf16 operator/(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) / bf16_to_f32(b)); }
__device__ __forceinline__ bf16 operator%(bf16 a, bf16 b) { return f32_to_bf16(fmodf(bf16_to_f32(a), bf16_to_f32(b))); }
__device__ __forceinline__ bf16 operator-(bf16 a) { return bf16{(u16)(a.bits ^ 0x8000)}; }
__device__ __forceinline__ bf16& operator+=(bf16& a, bf16 b) { return a = a + b; }
__device__ __forceinline__ bf16& operator-=(bf16& a, bf16 b) { return a = a - b; }
__device__ __forceinline__ bf16& operator*=(bf16& a, bf16 b) { return a = a * b; }
__device__ __forceinline__ bf16& operator/=(bf16& a, bf16 b) { return a = a / b; }
__device__ __forceinline__ bf16& operator%=(bf16& a, bf16 b) { return a = a % b; }
__device__ __forceinline__ bool operator==(bf16 a, bf16 b) { return bf16_to_f32(a) == bf16_to_f32(b); }
__device__ __forceinline__ bool operator!=(bf16 a, bf16 b) { return bf16_to_f32(a) != bf16_to_f32(b); }
__device__ __forceinline__ bool operator<(bf16 a, bf16 b) { return bf16_to_f32(a) < bf16_to_f32(b); }
__device__ __forceinline__ bool operator<=(bf16 a, bf16 b) { return bf16_to_f32(a) <= bf16_to_f32(b); }
__device__ __forceinline__ bool operator>(bf16 a, bf16 b) { return bf16_to_f32(a) > bf16_to_f32(b); }
__device__ __forceinline__ bool operator>=(bf16 a, bf16 b) { return bf16_to_f32(a) >= bf16_to_f32(b); }

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

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::halves::Weights
struct __align__(4) Weights {
    float sum;
    rt::bf16 scale;
    rt::Array<rt::f16, 3> values;
};
static_assert(sizeof(Weights) == 12, "the size of Weights");
static_assert(offset_of(Weights, sum) == 0, "the offset of Weights::sum");
static_assert(offset_of(Weights, scale) == 4, "the offset of Weights::scale");
static_assert(offset_of(Weights, values) == 6, "the offset of Weights::values");

}  // namespace types

#undef offset_of

#line 514 "tests/corpus/halves.rs"
extern "C" __global__ void weighted(rt::f16 by, types::Weights* __restrict__ x, usize x_len, rt::Launch launch) {
#line 516
    __shared__ rt::Array<rt::Array<rt::bf16, 2>, 4> tile;
    asm volatile("" : : "l"(&tile) : "memory");
#line 517
    const usize i = (usize)threadIdx.x;
    types::Weights w = x[rt::at(i, x_len, 0, launch)];
    tile[rt::at(i, 4, 1, launch)] = rt::Array<rt::bf16, 2>{{w.scale, rt::f32_to_bf16((float)i)}};
    __syncthreads();
    for (usize i_2 = 0; i_2 < 3; ++i_2) {
#line 521
        rt::f16& v = w.values[i_2];
        v = v * by + rt::f16{0x3800};
    }
    w.values[1] += rt::f32_to_f16(1.0f);
    w.scale = tile[rt::at(rt::sub_u64(3, i, 2, launch), 4, 3, launch)][0] + tile[rt::at(rt::add_u64(i, 1, 4, launch) % 4, 4, 5, launch)][1];
    const rt::f16 a = w.values[0];
#line 526
    const rt::f16 b = w.values[2];
    w.sum = a < b ? rt::f16_to_f32(b) : -rt::f16_to_f32(a);
    x[rt::at(i, x_len, 6, launch)] = w;
}
