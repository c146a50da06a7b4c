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

static __device__ __forceinline__ i32 step_i32(i32 i, i32 end, usize by) {
    return (u64)end - (u64)i > by ? (i32)((u64)i + by) : end;
}

static __device__ __forceinline__ bool step_to_i32(i32& i, i32 last, usize by) {
    if ((u64)last - (u64)i < by) return false;
    i = (i32)((u64)i + by);
    return true;
}

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 sum = (i64)((u64)a + (u64)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}

static __device__ __forceinline__ i64 mul_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 product = (i64)((u64)a * (u64)b);
    if (__mul64hi(a, b) != (product >> 63)) fault(launch, site, 0, 0);
    return product;
}

}  // namespace rt

namespace device {

#line 29 "tests/corpus/ranges.rs"
static __device__ inline i64 stepped(i32 x, rt::Launch launch) {
    i64 n = 0;
    for (i32 i = x; i < 11; i = rt::step_i32(i, 11, 3)) {
        n = rt::add_i64(rt::mul_i64(n, 31, 0, launch), rt::opaque((i64)i), 1, launch);
        n = n % 1000003;
    }
    i32 i_2 = x;
#line 35
    for (bool more = i_2 <= 11; more; more = rt::step_to_i32(i_2, 11, 4)) {
        n = rt::add_i64(rt::mul_i64(n, 31, 2, launch), rt::opaque((i64)i_2), 3, launch);
        n = n % 1000003;
    }
    return n;
}

}  // namespace device

#line 29 "tests/corpus/ranges.rs"
extern "C" __global__ void stepped(const i32* __restrict__ x, usize x_len, i64* __restrict__ out, usize out_len, rt::Launch launch) {
#line 20
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < out_len) {
        out[rt::at<5>(i, out_len, launch)] = device::stepped(x[rt::at<4>(i, x_len, launch)], launch);
    }
}
