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

}  // namespace rt

namespace device {

#line 43 "tests/corpus/device_functions.rs"
static __device__ inline float saturated(float x) {
    if (x < 0.0f) {
        return 0.0f;
    }
    if (x > 1.0f) {
        return 1.0f;
    }
    return x;
}

#line 38 "tests/corpus/device_functions.rs"
static __device__ inline float lerp(float a, float b, float share) {
    return a + (b - a) * share;
}

#line 33 "tests/corpus/device_functions.rs"
static __device__ inline float mixed(float a, float b, float share) {
    return device::lerp(a, b, device::saturated(share));
}

#line 43 "tests/corpus/device_functions.rs"
static __device__ inline double saturated_2(double x) {
    if (x < 0.0) {
        return 0.0;
    }
    if (x > 1.0) {
        return 1.0;
    }
    return x;
}

#line 38 "tests/corpus/device_functions.rs"
static __device__ inline double lerp_2(double a, double b, double share) {
    return a + (b - a) * share;
}

#line 33 "tests/corpus/device_functions.rs"
static __device__ inline double mixed_2(double a, double b, double share) {
    return device::lerp_2(a, b, device::saturated_2(share));
}

#line 56 "tests/corpus/device_functions.rs"
static __device__ inline void add_to(float* y, usize y_len, usize at, float value, rt::Launch launch) {
    if (at >= y_len) {
        return;
    }
    y[rt::at(at, y_len, 0, launch)] += value;
}

#line 56 "tests/corpus/device_functions.rs"
static __device__ inline void add_to_2(double* y, usize y_len, usize at, double value, rt::Launch launch) {
    if (at >= y_len) {
        return;
    }
    y[rt::at(at, y_len, 1, launch)] += value;
}

#line 65 "tests/corpus/device_functions.rs"
static __device__ inline usize first_above(const float* x, usize x_len, float limit) {
    for (usize i = 0; i < x_len; ++i) {
        if (x[i] > limit) {
            return i;
        }
    }
    return x_len;
}

#line 76 "tests/corpus/device_functions.rs"
static __device__ inline i64 power(i64 x, rt::Launch launch) {
    i64 product = 1;
    for (usize i = 0; i < 3; ++i) {
        product = rt::mul_i64(product, x, 3, launch);
    }
    return product;
}

#line 76 "tests/corpus/device_functions.rs"
static __device__ inline i64 power_2(i64 x, rt::Launch launch) {
    i64 product = 1;
    for (usize i = 0; i < 0; ++i) {
        product = rt::mul_i64(product, x, 4, launch);
    }
    return product;
}

#line 76 "tests/corpus/device_functions.rs"
static __device__ inline i64 power_3(i64 x, rt::Launch launch) {
    i64 product = 1;
    for (usize i = 0; i < 5; ++i) {
        product = rt::mul_i64(product, x, 5, launch);
    }
    return product;
}

}  // namespace device

#line 85 "tests/corpus/device_functions.rs"
extern "C" __global__ void calling(const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, double* __restrict__ wide, usize wide_len, usize* __restrict__ indices, usize indices_len, i64* __restrict__ powers, usize powers_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < x_len) {
        y[rt::at(i, y_len, 9, launch)] = device::mixed(x[rt::at(i, x_len, 6, launch)], 10.0f, 0.25f) + device::mixed(x[rt::at(i, x_len, 7, launch)], 10.0f, x[rt::at(i, x_len, 8, launch)]);
        wide[rt::at(i, wide_len, 11, launch)] = device::mixed_2((double)x[rt::at(i, x_len, 10, launch)], -1.0, 0.5);
        device::add_to(y, y_len, i, 100.0f, launch);
        device::add_to(y, y_len, rt::add_u64(i, x_len, 12, launch), 1000000000.0f, launch);
        device::add_to_2(wide, wide_len, i, (double)y[rt::at(i, y_len, 13, launch)], launch);
        indices[rt::at(i, indices_len, 15, launch)] = rt::add_u64(device::first_above(x, x_len, (float)i), device::first_above(y, y_len, 101.0f), 14, launch);
        powers[rt::at(i, powers_len, 18, launch)] = rt::add_i64(device::power((i64)i, launch), rt::mul_i64(device::power_2((i64)i, launch), device::power_3(2, launch), 16, launch), 17, launch);
    }
}
