typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef long long isize;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned int usize;

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

static __device__ __forceinline__ bool within(usize needed, usize available) {
    return needed <= available && needed != (usize)-1;
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

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

static __device__ __forceinline__ u32 saturating_add_u32(u32 a, u32 b) {
    return a > (u32)~b ? 4294967295u : (u32)(a + b);
}

static __device__ __forceinline__ u32 saturating_mul_u32(u32 a, u32 b) {
    const u64 product = (u64)a * b;
    return product > 4294967295u ? 4294967295u : (u32)product;
}

}  // namespace rt

#line 55 "tests/corpus/narrow.rs"
extern "C" __global__ void product(u32 n, const float* __restrict__ a, usize a_len, const float* __restrict__ b, usize b_len, float* __restrict__ c, usize c_len, rt::Launch launch) {
    const u32 j = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 56
    const u32 i = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float sum = 0.0f;
        if (rt::within(rt::saturating_add_u32(rt::saturating_add_u32(rt::saturating_mul_u32((usize)threadIdx.y, (usize)n), rt::saturating_mul_u32((usize)blockDim.y, rt::saturating_mul_u32((usize)blockIdx.y, (usize)n))), (usize)n), a_len) && rt::within(rt::saturating_add_u32(rt::saturating_add_u32((usize)threadIdx.x + (usize)blockDim.x * (usize)blockIdx.x, rt::saturating_mul_u32((usize)n, (usize)n)), 1), rt::saturating_add_u32(b_len, (usize)n))) {
#line 59
            for (u32 k = 0; k < n; ++k) {
                sum += a[rt::add_u32(rt::opaque(i * n), k, 1, launch)] * b[k * n + j];
            }
        } else {
#line 59
            for (u32 k = 0; k < n; ++k) {
                sum += a[rt::at<2>(rt::add_u32(rt::opaque(rt::mul_u32(i, n, 0, launch)), k, 1, launch), rt::opaque(a_len), launch)] * b[rt::at<5>(rt::add_u32(rt::mul_u32(k, n, 3, launch), rt::opaque(j), 4, launch), rt::opaque(b_len), launch)];
            }
        }
#line 62
        c[rt::at<8>(rt::add_u32(rt::mul_u32(i, n, 6, launch), j, 7, launch), c_len, launch)] = sum;
    }
}
