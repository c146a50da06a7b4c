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

}  // namespace rt

namespace device {

#line 105 "kernel-lang/src/number/integer/definitions.rs"
static __device__ inline i32 isqrt(i32 x, u32 site, rt::Launch launch) {
    if (x < 0) {
        rt::fault(launch, site, 0, 0);
    }
#line 111
    const u32 root = __float_as_uint(sqrtf((float)x) + 8388608.0f) & 8388607;
    const bool too_large = (u64)root * (u64)root > (u64)x;
    return (i32)(too_large ? root - 1 : root);
}

}  // namespace device

#line 162 "tests/corpus/integer_results.rs"
extern "C" __global__ void isqrt(const i32* __restrict__ x, usize x_len, const i32* __restrict__ y, usize y_len, i32* __restrict__ out, usize out_len, rt::Launch launch) {
#line 152
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < out_len) {
        const i32 a = x[rt::at<0>(i, x_len, launch)];
#line 154
        const i32 _b = y[rt::at<1>(i, y_len, launch)];
        out[rt::at<3>(i, out_len, launch)] = device::isqrt(a, 2, launch);
    }
}
