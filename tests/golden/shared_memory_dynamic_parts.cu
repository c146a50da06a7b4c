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

extern __shared__ __align__(16) u8 dynamic_shared[];

static __device__ __forceinline__ usize at(usize index, usize len, u32 site, Launch launch) {
    if (index >= len) fault(launch, site, index, len);
    return index;
}

static __device__ __forceinline__ usize dynamic_shared_bytes() {
    u32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

static __device__ __forceinline__ usize dynamic_shared_at(usize offset, usize len, usize size, usize align, u32 site, Launch launch) {
    const usize bytes = dynamic_shared_bytes();
    if (offset > bytes || len > (bytes - offset) / size) fault(launch, site, offset, bytes);
    if (offset % align != 0) fault(launch, site + 1, offset, align);
    return offset;
}

static __device__ __forceinline__ u8 add_u8(u8 a, u8 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u8)sum) fault(launch, site, 0, 0);
    return (u8)sum;
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

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

static __device__ __forceinline__ u64 rem_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    return (u64)(a % b);
}

}  // namespace rt

#line 237 "tests/corpus/shared_memory.rs"
extern "C" __global__ void dynamic_parts(double* __restrict__ out, usize out_len, usize* __restrict__ lens, usize lens_len, rt::Launch launch) {
    const usize n = (usize)blockDim.x;
    const usize offset = rt::dynamic_shared_at(0, n, 8, 8, 0, launch);
#line 239
    double* const doubles = (double*)(rt::dynamic_shared + offset);
    const usize offset_2 = rt::dynamic_shared_at(rt::mul_u64(8, n, 2, launch), n, 4, 4, 3, launch);
#line 240
    u32* const words = (u32*)(rt::dynamic_shared + offset_2);
    const usize offset_3 = rt::dynamic_shared_at(rt::mul_u64(12, n, 5, launch), n, 1, 1, 6, launch);
#line 241
    u8* const bytes = (u8*)(rt::dynamic_shared + offset_3);
    const usize offset_4 = rt::dynamic_shared_at(rt::mul_u64(12, n, 8, launch), 0, 2, 2, 9, launch);
#line 242
    u16* const nothing = (u16*)(rt::dynamic_shared + offset_4);
#line 242
    const usize nothing_len = 0;
    const usize t = (usize)threadIdx.x;
    doubles[rt::at(t, n, 11, launch)] = (double)t / 4.0;
    words[rt::at(rt::sub_u64(rt::sub_u64(n, 1, 13, launch), t, 14, launch), n, 15, launch)] = rt::mul_u32((u32)t, 1000, 12, launch);
    bytes[rt::at(t, n, 17, launch)] = rt::add_u8((u8)t, 100, 16, launch);
    __syncthreads();
    const usize next = rt::rem_u64(rt::add_u64(t, 1, 18, launch), n, 19, launch);
    out[rt::at(blockIdx.x * (usize)blockDim.x + threadIdx.x, out_len, 23, launch)] = doubles[rt::at(next, n, 20, launch)] + (double)words[rt::at(next, n, 21, launch)] + (double)bytes[rt::at(next, n, 22, launch)];
    if (blockIdx.x * (usize)blockDim.x + threadIdx.x == 0) {
        lens[rt::at(0, lens_len, 26, launch)] = rt::add_u64(rt::add_u64(n, n, 24, launch), n, 25, launch);
        lens[rt::at(1, lens_len, 27, launch)] = nothing_len;
        lens[rt::at(2, lens_len, 28, launch)] = rt::dynamic_shared_bytes() / 8;
        lens[rt::at(3, lens_len, 29, launch)] = rt::dynamic_shared_bytes();
        lens[rt::at(4, lens_len, 32, launch)] = rt::add_u64(rt::mul_u64((usize)(nothing_len == 0), 2, 30, launch), (usize)(n == 0), 31, launch);
    }
}
