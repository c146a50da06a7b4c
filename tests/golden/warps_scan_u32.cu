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

static __device__ __forceinline__ u32 sub_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 difference = (i64)a - (i64)b;
    if (difference != (u32)difference) fault(launch, site, 0, 0);
    return (u32)difference;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

static __device__ __forceinline__ u32 lane_offset(u64 distance) { return distance < 32 ? (u32)distance : 0; }

static __device__ __forceinline__ u32 lane_id() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

static __device__ __forceinline__ void progress() {
    asm volatile("");
}

}  // namespace rt

#line 476 "tests/corpus/warps.rs"
extern "C" __global__ void scan(const u32* __restrict__ x, usize x_len, u32* __restrict__ y, usize y_len, rt::Launch launch) {
    __shared__ rt::Array<u32, 32> sums;
    asm volatile("" : : "l"(&sums) : "memory");
#line 478
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 478
    const usize t = (usize)threadIdx.x;
#line 478
    const usize lane = (usize)rt::lane_id();
    const u32 own = i < x_len ? x[rt::at<0>(i, x_len, launch)] : 0u;
    u32 sum = own;
    usize delta = 1;
    for (; delta < 32; rt::progress()) {
        const u32 below = __shfl_up_sync(4294967295u, sum, rt::lane_offset((u64)delta));
        if (rt::opaque(lane) >= delta) {
            sum = rt::add_u32(sum, rt::opaque(below), 1, launch);
        }
        delta = rt::mul_u64(delta, 2, 2, launch);
    }
    if (lane == 31) {
        sums[rt::at<3>(t / 32, 32, launch)] = sum;
    }
    __syncthreads();
    const usize end = t / 32;
#line 493
    for (usize warp = 0; warp < end; ++warp) {
        sum = rt::add_u32(sum, rt::opaque(sums[warp]), 5, launch);
    }
    if (i < x_len) {
        y[rt::at<7>(i, y_len, launch)] = rt::sub_u32(sum, own, 6, launch);
    }
}
