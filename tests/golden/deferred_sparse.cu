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

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

}  // namespace rt

#line 23 "tests/corpus/deferred.rs"
extern "C" __global__ void __launch_bounds__(1024, 1) sparse(const u32* __restrict__ starts, usize starts_len, const u32* __restrict__ columns, usize columns_len, const float* __restrict__ values, usize values_len, const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize row = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (row < y_len) {
        float sum = 0.0f;
        const usize end = (usize)starts[rt::at(rt::add_u64(row, 1, 1, launch), starts_len, 2, launch)];
#line 27
        if (rt::within(end, columns_len) && rt::within(end, values_len)) {
#line 27
            bool fault = false;
#line 27
            float sum_before = sum;
#line 27
            for (usize k = (usize)starts[row]; k < end; ++k) {
                const usize column = (usize)columns[k];
                const float value = values[k];
                sum += value * rt::load(x, column, x_len, fault);
            }
#line 27
            if (fault) {
#line 27
                sum = sum_before;
#line 27
                for (usize k = (usize)starts[row]; k < end; ++k) {
                    const usize column = (usize)columns[k];
                    const float value = values[k];
                    sum += value * x[rt::at(column, x_len, 5, launch)];
                }
            }
        } else {
#line 27
            bool fault_2 = false;
#line 27
            float sum_before_2 = sum;
#line 27
            for (usize k = (usize)starts[row]; k < end;) {
                const usize k_end = rt::chunk_up<usize>(k, end);
#line 27
                for (; k < k_end; ++k) {
                    const usize column = (usize)rt::load(columns, k, columns_len, fault_2);
                    const float value = rt::load(values, k, values_len, fault_2);
                    sum += value * rt::load(x, column, x_len, fault_2);
                }
                if (fault_2) break;
            }
#line 27
            if (fault_2) {
#line 27
                sum = sum_before_2;
#line 27
                for (usize k = (usize)starts[row]; k < end; ++k) {
                    const usize column = (usize)columns[rt::at(k, rt::opaque(columns_len), 3, launch)];
                    const float value = values[rt::at(k, rt::opaque(values_len), 4, launch)];
                    sum += value * x[rt::at(column, x_len, 5, launch)];
                }
            }
        }
#line 32
        y[rt::at(row, y_len, 6, launch)] = sum;
    }
}
