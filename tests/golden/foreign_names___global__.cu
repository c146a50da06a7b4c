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

static __device__ __forceinline__ usize at(usize index, usize len, u32 site, Launch launch) {
    if (index >= len) fault(launch, site, index, len);
    return index;
}

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

}  // namespace rt

#line 14 "tests/corpus/foreign_names.rs"
extern "C" __global__ void _global_(u32 threadIdx_, u32 blockDim_, u32 fault, const u32* __restrict__ at, usize at_len_2, u32 at_len, u32* __restrict__ rt, usize rt_len_2, u32 rt_len, u32 launch, u32 i_1, rt::Launch launch_2) {
#line 25
    const u32 atomicAdd_ = rt::add_u32(threadIdx_, blockDim_, 0, launch_2);
    const u32 sqrtf_ = rt::mul_u32(fault, 2, 1, launch_2);
    const u32 _syncthreads = rt::add_u32(at[rt::at(0, at_len_2, 2, launch_2)], at_len, 3, launch_2);
    const u32 i = rt::add_u32(i_1, 1, 4, launch_2);
#line 28
    const u32 i_2 = rt::add_u32(i_1, 2, 5, launch_2);
    const u32 x = rt::add_u32(rt::add_u32((u32)at_len_2, (u32)rt_len_2, 6, launch_2), rt_len, 7, launch_2);
    const u32 x_1 = rt::add_u32(x, 1, 8, launch_2);
    const u32 device_ = rt::add_u32(launch, 1, 9, launch_2);
#line 33
    const u32 x_3 = rt::add_u32(x_1, i, 10, launch_2);
    const u32 x_2 = rt::add_u32(x_3, i_2, 11, launch_2);
    rt[rt::at(0, rt_len_2, 13, launch_2)] = rt::add_u32(x_3, x_2, 12, launch_2);
#line 37
    const u32 NULL_ = 0;
    const u32 asm_ = 1;
    const u32 template_ = 2;
    const u32 operator_ = 3;
    const u32 this_ = 4;
    const u32 int8_t = 5;
    const u32 u32_ = 6;
    const u32 unsigned_ = 7;
    const u32 f32_ = rt::add_u32(rt::add_u32(rt::add_u32(rt::add_u32(rt::add_u32(rt::add_u32(rt::add_u32(NULL_, asm_, 14, launch_2), template_, 15, launch_2), operator_, 16, launch_2), this_, 17, launch_2), int8_t, 18, launch_2), u32_, 19, launch_2), unsigned_, 20, launch_2);
    rt[rt::at(1, rt_len_2, 23, launch_2)] = rt::add_u32(rt::add_u32(atomicAdd_, sqrtf_, 21, launch_2), _syncthreads, 22, launch_2);
    rt[rt::at(2, rt_len_2, 28, launch_2)] = rt::add_u32(rt::add_u32(rt::add_u32(rt::add_u32(i, i_2, 24, launch_2), x, 25, launch_2), x_1, 26, launch_2), device_, 27, launch_2);
    rt[rt::at(3, rt_len_2, 29, launch_2)] = f32_;
}
