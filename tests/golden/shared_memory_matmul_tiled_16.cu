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

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

static __device__ __forceinline__ u64 div_ceil_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    return (u64)(a % b != 0 ? a / b + 1 : a / b);
}

}  // namespace rt

#line 35 "tests/corpus/shared_memory.rs"
extern "C" __global__ void matmul_tiled(const float* __restrict__ a, usize a_len, const float* __restrict__ b, usize b_len, float* __restrict__ c, usize c_len, usize m, usize n, usize k, rt::Launch launch) {
    __shared__ rt::Array<rt::Array<float, 16>, 16> a_tile;
    asm volatile("" : : "l"(&a_tile) : "memory");
#line 37
    __shared__ rt::Array<rt::Array<float, 16>, 16> b_tile;
    asm volatile("" : : "l"(&b_tile) : "memory");
#line 38
    const usize col = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 38
    const usize row = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    const usize tx = (usize)threadIdx.x;
#line 39
    const usize ty = (usize)threadIdx.y;
    float sum = 0.0f;
    const usize end = rt::div_ceil_u64(k, 16, 0, launch);
#line 41
    for (usize tile = 0; tile < end; ++tile) {
        const usize a_col = rt::add_u64(rt::mul_u64(tile, 16, 1, launch), rt::opaque(tx), 2, launch);
#line 42
        const usize b_row = rt::add_u64(rt::mul_u64(tile, 16, 3, launch), rt::opaque(ty), 4, launch);
        a_tile[rt::at(ty, 16, 8, launch)][rt::at(tx, 16, 9, launch)] = row < m && a_col < rt::opaque(k) ? a[rt::at(rt::add_u64(rt::opaque(rt::mul_u64(row, k, 5, launch)), a_col, 6, launch), rt::opaque(a_len), 7, launch)] : 0.0f;
        b_tile[rt::at(ty, 16, 13, launch)][rt::at(tx, 16, 14, launch)] = b_row < rt::opaque(k) && col < n ? b[rt::at(rt::add_u64(rt::mul_u64(b_row, n, 10, launch), rt::opaque(col), 11, launch), rt::opaque(b_len), 12, launch)] : 0.0f;
        __syncthreads();
        for (usize i = 0; i < 16; ++i) {
            sum += a_tile[ty][i] * b_tile[i][tx];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[rt::at(rt::add_u64(rt::mul_u64(row, n, 19, launch), col, 20, launch), c_len, 21, launch)] = sum;
    }
}
