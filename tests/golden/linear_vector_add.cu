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

static __device__ __forceinline__ u64 step_u64(u64 i, u64 end, usize by) {
    return (u64)end - (u64)i > by ? (u64)((u64)i + by) : end;
}

}  // namespace rt

#line 32 "tests/corpus/linear.rs"
extern "C" __global__ void vector_add(const float* __restrict__ a, usize a_len, const float* __restrict__ b, usize b_len, float* __restrict__ sum, usize sum_len, rt::Launch launch) {
    const usize step = gridDim.x * (usize)blockDim.x;
#line 33
    if (rt::within(sum_len, a_len) && rt::within(sum_len, b_len)) {
#line 33
        for (usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x; i < sum_len; i = rt::step_u64(i, sum_len, step)) {
            sum[i] = a[i] + b[i];
        }
    } else {
#line 33
        for (usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x; i < sum_len; i = rt::step_u64(i, sum_len, step)) {
            sum[i] = a[rt::at<0>(i, rt::opaque(a_len), launch)] + b[rt::at<1>(i, rt::opaque(b_len), launch)];
        }
    }
}
