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

}  // namespace rt

#line 13 "tests/corpus/views.rs"
extern "C" __global__ void transpose(const i16* __restrict__ a, usize a_len_0, usize a_len_1, usize a_stride_0, usize a_stride_1, i16* __restrict__ b, usize b_len_0, usize b_len_1, usize b_stride_0, usize b_stride_1, rt::Launch launch) {
    const usize j = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 14
    const usize i = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    if (i < a_len_0 && j < a_len_1) {
        b[rt::at<2>(j, b_len_0, launch) * b_len_1 + rt::at<3>(i, b_len_1, launch)] = a[rt::at<0>(i, a_len_0, launch) * a_len_1 + rt::at<1>(j, a_len_1, launch)];
    }
}
