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

template <class T>
static __device__ __forceinline__ T load(const T* from, usize index, usize len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside ? from[index] : T{};
}

template <class T>
static __device__ __forceinline__ T load_u32(const T* from, u32 index, u32 len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside ? from[index] : T{};
}

static __device__ __forceinline__ bool inside(usize index, usize len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside;
}

template <class T>
static __device__ __forceinline__ T load(const T* from, usize index, bool is_inside) {
    return is_inside ? from[index] : T{};
}

template <class T>
static __device__ __forceinline__ T chunk_up(T i, T end) {
    return (u64)end - (u64)i > 64 ? (T)(i + 64) : end;
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

}  // namespace rt

#line 43 "tests/corpus/views.rs"
extern "C" __global__ void __launch_bounds__(1024, 1) product(const float* __restrict__ a, usize a_len_0, usize a_len_1, usize a_stride_0, usize a_stride_1, const float* __restrict__ b, usize b_len_0, usize b_len_1, usize b_stride_0, usize b_stride_1, float* __restrict__ c, usize c_len_0, usize c_len_1, usize c_stride_0, usize c_stride_1, rt::Launch launch) {
    const usize j = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 44
    const usize i = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    if (i < c_len_0 && j < c_len_1) {
        float sum = 0.0f;
        if (rt::within((usize)threadIdx.y + (usize)blockDim.y * (usize)blockIdx.y + 1, a_len_0) && rt::within(a_len_1, b_len_0) && rt::within((usize)threadIdx.x + (usize)blockDim.x * (usize)blockIdx.x + 1, b_len_1)) {
#line 47
            for (usize k = 0; k < a_len_1; ++k) {
                sum += a[i * a_len_1 + k] * b[k * b_len_1 + j];
            }
        } else {
#line 47
            bool fault = false;
#line 47
            float sum_before = sum;
#line 47
            for (usize k = 0; k < a_len_1;) {
                const usize k_end = rt::chunk_up<usize>(k, a_len_1);
#line 47
                for (; k < k_end; ++k) {
                    sum += rt::load(a, i * a_len_1 + k, rt::inside(i, a_len_0, fault)) * rt::load(b, k * b_len_1 + j, rt::inside(k, b_len_0, fault) && rt::inside(j, b_len_1, fault));
                }
                if (fault) break;
            }
#line 47
            if (fault) {
#line 47
                sum = sum_before;
#line 47
                for (usize k = 0; k < a_len_1; ++k) {
                    sum += a[rt::at(i, a_len_0, 0, launch) * a_len_1 + k] * b[rt::at(k, rt::opaque(b_len_0), 2, launch) * b_len_1 + rt::at(j, b_len_1, 3, launch)];
                }
            }
        }
#line 50
        c[rt::at(i, c_len_0, 4, launch) * c_len_1 + rt::at(j, c_len_1, 5, launch)] = sum;
        c[rt::at(i, c_len_0, 6, launch) * c_len_1 + rt::at(j, c_len_1, 7, launch)] += 1.0f;
    }
}
