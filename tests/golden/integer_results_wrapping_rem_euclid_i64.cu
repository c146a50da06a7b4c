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

template <u32 site>
static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
    asm volatile("exit;");
    __builtin_unreachable();
}

template <u32 site>
static __device__ __forceinline__ usize at(usize index, usize len, Launch launch) {
    if (index >= len) fault<site>(launch, index, len);
    return index;
}

static __device__ __forceinline__ i64 wrapping_add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 wrapping_neg_i64(i64 a) { return (i64)(0 - (u64)a); }

static __device__ __forceinline__ i64 rem_i64(i64 a, i64 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == (-9223372036854775807ll - 1) && b == -1) fault(launch, site + 1, 0, 0);
    return (i64)(a % b);
}

}  // namespace rt

namespace device {

#line 258 "kernel-lang/src/number/integer/definitions.rs"
static __device__ inline i64 rem_euclid(i64 a, i64 b, u32 site, rt::Launch launch) {
    const i64 remainder = rt::rem_i64(a, b, site, launch);
#line 263
    const i64 magnitude = b < 0 ? rt::wrapping_neg_i64(b) : b;
    return remainder < 0 ? rt::wrapping_add_i64(remainder, magnitude) : remainder;
}

#line 273 "kernel-lang/src/number/integer/definitions.rs"
static __device__ inline i64 wrapping_rem_euclid(i64 a, i64 b, u32 site, rt::Launch launch) {
    return b == ~0ll ? 0ll : device::rem_euclid(a, b, site, launch);
}

}  // namespace device

#line 169 "tests/corpus/integer_results.rs"
extern "C" __global__ void wrapping_rem_euclid(const i64* __restrict__ x, usize x_len, const i64* __restrict__ y, usize y_len, i64* __restrict__ out, usize out_len, rt::Launch launch) {
#line 152
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < out_len) {
        const i64 a = x[rt::at<0>(i, x_len, launch)];
#line 154
        const i64 b = y[rt::at<1>(i, y_len, launch)];
        out[rt::at<4>(i, out_len, launch)] = device::wrapping_rem_euclid(a, b, 2, launch);
    }
}
