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

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

static __device__ __forceinline__ float signum_f32(float x) { return x != x ? x : copysignf(1.0f, x); }

}  // namespace rt

namespace device {

#line 11 "kernel-lang/src/number/float/definitions.rs"
static __device__ inline float fract(float x) {
    const float x_2 = x;
    return x_2 - truncf(x_2);
}

}  // namespace device

#line 28 "tests/corpus/float_methods.rs"
extern "C" __global__ void rounded(const float* __restrict__ x, usize x_len, float* __restrict__ out, usize out_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < x_len) {
        const usize at = rt::mul_u64(9, i, 0, launch);
        out[rt::at(at, out_len, 2, launch)] = floorf(x[rt::at(i, x_len, 1, launch)]);
        out[rt::at(rt::add_u64(at, 1, 4, launch), out_len, 5, launch)] = ceilf(x[rt::at(i, x_len, 3, launch)]);
        out[rt::at(rt::add_u64(at, 2, 7, launch), out_len, 8, launch)] = roundf(x[rt::at(i, x_len, 6, launch)]);
        out[rt::at(rt::add_u64(at, 3, 10, launch), out_len, 11, launch)] = truncf(x[rt::at(i, x_len, 9, launch)]);
        out[rt::at(rt::add_u64(at, 4, 13, launch), out_len, 14, launch)] = device::fract(x[rt::at(i, x_len, 12, launch)]);
        out[rt::at(rt::add_u64(at, 5, 16, launch), out_len, 17, launch)] = fabsf(x[rt::at(i, x_len, 15, launch)]);
        out[rt::at(rt::add_u64(at, 6, 19, launch), out_len, 20, launch)] = rt::signum_f32(x[rt::at(i, x_len, 18, launch)]);
        out[rt::at(rt::add_u64(at, 7, 22, launch), out_len, 23, launch)] = sqrtf(x[rt::at(i, x_len, 21, launch)]);
        out[rt::at(rt::add_u64(at, 8, 25, launch), out_len, 26, launch)] = 1.0f / x[rt::at(i, x_len, 24, launch)];
    }
}
