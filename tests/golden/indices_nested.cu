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

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
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

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

static __device__ __forceinline__ u64 saturating_add_u64(u64 a, u64 b) {
    return a > (u64)~b ? 18446744073709551615ull : (u64)(a + b);
}

static __device__ __forceinline__ u64 saturating_mul_u64(u64 a, u64 b) {
    return __umul64hi(a, b) != 0 ? 18446744073709551615ull : a * b;
}

}  // namespace rt

#line 62 "tests/corpus/indices.rs"
extern "C" __global__ void nested(const u32* __restrict__ x, usize x_len, u32* __restrict__ y, usize y_len, usize start, usize end, usize by, usize offset, rt::Launch launch) {
    for (usize row = start; row < end; ++row) {
        u32 sum = 0;
        const usize end_2 = rt::add_u64(by, offset, 0, launch);
#line 65
        if (rt::within(rt::saturating_add_u64(rt::saturating_add_u64(rt::opaque(offset), rt::saturating_mul_u64(row, by)), rt::opaque(by)), rt::opaque(x_len)) && rt::within(rt::saturating_add_u64(offset, by), x_len) && rt::within(1, by)) {
#line 65
            for (usize col = offset; col < end_2; ++col) {
                sum = rt::add_u32(sum, rt::opaque(rt::add_u32(x[rt::add_u64(row * by, rt::opaque(col), 2, launch)], x[by - 1 - (col - offset)], 8, launch)), 9, launch);
            }
        } else {
#line 65
            for (usize col = offset; col < end_2; ++col) {
                sum = rt::add_u32(sum, rt::opaque(rt::add_u32(x[rt::at<3>(rt::add_u64(rt::mul_u64(row, by, 1, launch), rt::opaque(col), 2, launch), rt::opaque(x_len), launch)], x[rt::at<7>(rt::sub_u64(by, 1, 4, launch) - (col - offset), rt::opaque(x_len), launch)], 8, launch)), 9, launch);
            }
        }
#line 68
        y[rt::at<10>(row, rt::opaque(y_len), launch)] = sum;
    }
}
