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

template <class T, usize N>
static __device__ __forceinline__ T load(const Array<T, N>& from, usize index, usize len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside ? from[index] : T{};
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

static __device__ __forceinline__ bool step_to_i32(i32& i, i32 last, usize by) {
    if ((u64)last - (u64)i < by) return false;
    i = (i32)((u64)i + by);
    return true;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ void keep_loop() {
    asm volatile("pmevent 7;");
}

}  // namespace rt

#line 365 "tests/corpus/arrays.rs"
extern "C" __global__ void __launch_bounds__(1024, 1) unrolled_sums(const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, usize n, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i >= y_len) {
        return;
    }
    rt::Array<float, 4> part = {{0.0f, 0.0f, 0.0f, 0.0f}};
    bool fault = false;
#line 371
    rt::Array<float, 4> part_before = part;
    #pragma unroll
#line 371
    for (usize k = 0; k < 4; ++k) {
#line 373
        part[k] = rt::load(x, i * 4 + k, x_len, fault);
    }
#line 371
    if (fault) {
#line 371
        part = part_before;
        #pragma unroll
#line 371
        for (usize k = 0; k < 4; ++k) {
#line 373
            part[k] = x[rt::at(i * 4 + k, rt::opaque(x_len), 2, launch)];
        }
    }
#line 375
    float sum = 0.0f;
    #pragma unroll
#line 376
    for (usize k_next = 4; k_next > 0; --k_next) {
#line 376
        const usize k_2 = k_next - 1;
#line 378
        sum += part[k_2];
    }
    #pragma unroll 4
#line 380
    for (usize k_3 = 0; k_3 < n; ++k_3) {
#line 382
        if (k_3 == 5) {
            continue;
        }
        sum += (float)k_3;
        if (k_3 == 9) {
            break;
        }
    }
    #pragma unroll 3
#line 390
    for (usize k_next_2 = 4; k_next_2 > 0; --k_next_2) {
#line 390
        const usize k_4 = k_next_2 - 1;
#line 390
        const float& v = part[k_4];
#line 392
        sum += v * (float)k_4;
    }
    const rt::Array<float, 2> value = {{1.0f, 2.0f}};
    #pragma unroll
#line 394
    for (usize i_2 = 0; i_2 < 2; ++i_2) {
#line 394
        const float a = value[i_2];
#line 396
        i32 b = 0;
        #pragma unroll 1
#line 396
        for (bool more = b <= 4; more; more = rt::step_to_i32(b, 4, 2)) {
#line 398
            sum += a * (float)b;
        }
    }
    usize k_5 = 0;
    if (rt::within(n, 18446744073709551613ull)) {
        #pragma unroll 2
#line 402
        for (; k_5 < n; rt::keep_loop()) {
#line 404
            sum += 0.5f;
            k_5 = k_5 + 3;
        }
    } else {
        #pragma unroll 2
#line 402
        for (; k_5 < n; rt::keep_loop()) {
#line 404
            sum += 0.5f;
            k_5 = rt::add_u64(k_5, 3, 5, launch);
        }
    }
#line 407
    y[rt::at(i, y_len, 6, launch)] = sum;
}
