typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef long long isize;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned int usize;

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

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

static __device__ __forceinline__ u32 sub_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 difference = (i64)a - (i64)b;
    if (difference != (u32)difference) fault(launch, site, 0, 0);
    return (u32)difference;
}

}  // namespace rt

#line 97 "tests/corpus/narrow.rs"
extern "C" __global__ void stencil(const float* __restrict__ a, usize a_len_0, usize a_len_1, usize a_stride_0, usize a_stride_1, float* __restrict__ b, usize b_len_0, usize b_len_1, usize b_stride_0, usize b_stride_1, rt::Launch launch) {
    const u32 j = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 98
    const u32 i = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    const rt::Array<u32, 2> value = {{a_len_0, a_len_1}};
#line 99
    const u32 rows = value[0];
#line 99
    const u32 columns = value[1];
    if (i >= rows || j >= columns) {
        return;
    }
    if (i == 0 || j == 0 || rt::add_u32(i, 1, 0, launch) == rows || rt::add_u32(j, 1, 1, launch) == columns) {
        b[rt::at(i, b_len_0, 4, launch) * b_len_1 + rt::at(j, b_len_1, 5, launch)] = a[rt::at(i, a_len_0, 2, launch) * a_len_1 + rt::at(j, a_len_1, 3, launch)];
        return;
    }
    b[rt::at(i, b_len_0, 20, launch) * b_len_1 + rt::at(j, b_len_1, 21, launch)] = 0.2f * (a[rt::at(i, a_len_0, 6, launch) * a_len_1 + rt::at(j, a_len_1, 7, launch)] + a[rt::at(rt::sub_u32(i, 1, 8, launch), a_len_0, 9, launch) * a_len_1 + rt::at(j, a_len_1, 10, launch)] + a[rt::at(rt::add_u32(i, 1, 11, launch), a_len_0, 12, launch) * a_len_1 + rt::at(j, a_len_1, 13, launch)] + a[rt::at(i, a_len_0, 15, launch) * a_len_1 + rt::at(rt::sub_u32(j, 1, 14, launch), a_len_1, 16, launch)] + a[rt::at(i, a_len_0, 18, launch) * a_len_1 + rt::at(rt::add_u32(j, 1, 17, launch), a_len_1, 19, launch)]);
}
