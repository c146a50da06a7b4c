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

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ void progress() {
    asm volatile("");
}

}  // namespace rt

#line 77 "tests/corpus/shared_memory.rs"
extern "C" __global__ void block_sums(const float* __restrict__ x, usize x_len, float* __restrict__ sums, usize sums_len, rt::Launch launch) {
    __shared__ rt::Array<float, 64> partial;
    asm volatile("" : : "l"(&partial) : "memory");
#line 79
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 79
    const usize t = (usize)threadIdx.x;
    partial[rt::at(t, 64, 1, launch)] = i < x_len ? x[rt::at(i, x_len, 0, launch)] : 0.0f;
    __syncthreads();
    usize half = 64ull / 2ull;
    for (; half > 0; rt::progress()) {
        if (rt::opaque(t) < half) {
            partial[rt::at(t, 64, 5, launch)] = partial[rt::at(t, 64, 2, launch)] + partial[rt::at(rt::add_u64(rt::opaque(t), half, 3, launch), 64, 4, launch)];
        }
        __syncthreads();
        half = half / 2;
    }
    if (t == 0) {
        sums[rt::at((usize)blockIdx.x, sums_len, 6, launch)] = partial[0];
    }
}
