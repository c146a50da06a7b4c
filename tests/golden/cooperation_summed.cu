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

static const u64 grid_failed = 1ull << 63;

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
    if (launch.grid_barrier != nullptr) atomicOr(launch.grid_barrier, grid_failed);
    asm volatile("exit;");
    __builtin_unreachable();
}

static __device__ __forceinline__ usize at(usize index, usize len, u32 site, Launch launch) {
    if (index >= len) fault(launch, site, index, len);
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

static __device__ __forceinline__ void sync_grid(u32 site, Launch launch) {
    volatile u64* const count = launch.grid_barrier;
    if (count == nullptr) fault(launch, site, 0, 0);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        __threadfence();
        const u64 blocks = (u64)gridDim.x * gridDim.y * gridDim.z;
        const u64 before = atomicAdd(launch.grid_barrier, 1ull);
        const u64 all = (before / blocks + 1) * blocks;
        for (u64 now = *count; now < all && (now & grid_failed) == 0; now = *count) {}
        __threadfence();
    }
    __syncthreads();
    if ((*count & grid_failed) != 0) asm volatile("exit;");
}

}  // namespace rt

#line 170 "tests/corpus/cooperation.rs"
extern "C" __global__ void summed(const u64* __restrict__ x, usize x_len, u64* __restrict__ parts, usize parts_len, u64* __restrict__ total, usize total_len, rt::Launch launch) {
    __shared__ rt::Array<u64, 1> sum;
    asm volatile("" : : "l"(&sum) : "memory");
#line 172
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if ((usize)threadIdx.x == 0) {
        sum[0] = 0;
    }
    __syncthreads();
    const usize step = gridDim.x * (usize)blockDim.x;
#line 177
    for (usize k = i; k < x_len; k = rt::step_u64(k, x_len, step)) {
        atomicAdd(&sum[0], x[rt::at(k, rt::opaque(x_len), 0, launch)]);
    }
    __syncthreads();
    if ((usize)threadIdx.x == 0) {
        parts[rt::at((usize)blockIdx.x, parts_len, 1, launch)] = sum[0];
    }
    rt::sync_grid(2, launch);
    if (i == 0) {
        const usize end = (usize)gridDim.x;
#line 186
        if (rt::within(1, total_len) && rt::within(end, parts_len)) {
#line 186
            for (usize k_2 = 0; k_2 < end; ++k_2) {
                const usize at = 0;
#line 187
                total[at] = rt::add_u64(total[at], rt::opaque(parts[k_2]), 5, launch);
            }
        } else {
#line 186
            for (usize k_2 = 0; k_2 < end; ++k_2) {
                const usize at = rt::at(0, total_len, 4, launch);
#line 187
                total[at] = rt::add_u64(total[at], rt::opaque(parts[rt::at(k_2, rt::opaque(parts_len), 3, launch)]), 5, launch);
            }
        }
    }
#line 190
    rt::sync_grid(6, launch);
    if (i < parts_len) {
        parts[rt::at(i, parts_len, 10, launch)] = rt::sub_u64(total[rt::at(0, total_len, 7, launch)], parts[rt::at(i, parts_len, 8, launch)], 9, launch);
    }
}
