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

static __device__ __forceinline__ u32 shift_amount(u64 amount, u32 width, u32 site, Launch launch) {
    if (amount >= width) fault(launch, site, 0, 0);
    return (u32)amount;
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

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

static __device__ __forceinline__ u32 reduce_add_sync_u32(u32 lanes, u32 value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(lanes, value);
#else
    lanes = __ballot_sync(lanes, 1);
    u32 total = __shfl_sync(lanes, value, (i32)__clz((i32)__brev(lanes)));
    for (u32 rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
        const u32 next = __shfl_sync(lanes, value, (i32)__clz((i32)__brev(rest)));
        total = (u32)((u32)total + (u32)next);
    }
    return total;
#endif
}

static __device__ __forceinline__ u32 active_mask() {
    u32 lanes;
    asm volatile("activemask.b32 %0;" : "=r"(lanes) :: "memory");
    return lanes;
}

static __device__ __forceinline__ u32 lanemask_eq() {
    u32 lanes;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(lanes));
    return lanes;
}

}  // namespace rt

#line 306 "tests/corpus/warps.rs"
extern "C" __global__ void in_arms(u32* __restrict__ y, usize y_len, u32 bits, rt::Launch launch) {
    const usize i = (usize)threadIdx.x;
    const bool mine = ((bits >> rt::shift_amount(i, 32, 0, launch)) & 1) != 0;
    const u32 lanes = mine ? bits : ~bits;
    u32 active;
    u32 ballot;
    u32 count;
    if (mine) {
        active = rt::active_mask();
        ballot = __ballot_sync(lanes, i % 2 == 0);
        count = rt::reduce_add_sync_u32(lanes, 1);
    } else {
        active = rt::active_mask();
        ballot = __ballot_sync(lanes, i % 2 == 0);
        count = rt::reduce_add_sync_u32(lanes, 1);
    }
#line 323
    y[rt::at<4>(rt::mul_u64(4, i, 3, launch), y_len, launch)] = rt::add_u32((u32)((active & rt::lanemask_eq()) != 0), rt::mul_u32(2, (u32)((active & ~lanes) != 0), 1, launch), 2, launch);
    y[rt::at<7>(rt::add_u64(rt::mul_u64(4, i, 5, launch), 1, 6, launch), y_len, launch)] = ballot;
    y[rt::at<10>(rt::add_u64(rt::mul_u64(4, i, 8, launch), 2, 9, launch), y_len, launch)] = count;
    const u32 before = rt::active_mask();
    y[rt::at<13>(rt::add_u64(rt::mul_u64(4, i, 11, launch), 3, 12, launch), y_len, launch)] = (u32)((before & rt::lanemask_eq()) != 0);
}
