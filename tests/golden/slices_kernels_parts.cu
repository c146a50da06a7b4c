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

static __device__ __forceinline__ usize part_len(usize start, usize end, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    if (end > len) fault(launch, site + 1, end, len);
    if (start > end) fault(launch, site + 2, start, end);
    return end - start;
}

static __device__ __forceinline__ usize rest_len(usize start, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    return len - start;
}

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 sum = (i64)((u64)a + (u64)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

}  // namespace rt

namespace device {

#line 30 "tests/corpus/slices.rs"
static __device__ inline i64 small_sum(const i32* x, usize x_len, rt::Launch launch) {
    i64 total = 0;
    for (usize i = 0; i < x_len; ++i) {
        total = rt::add_i64(total, (i64)x[i], 1, launch);
    }
    return total;
}

#line 39 "tests/corpus/slices.rs"
static __device__ inline void fill(i64* y, usize y_len, i64 value) {
    for (usize i = 0; i < y_len; ++i) {
#line 40
        i64& v = y[i];
        v = value;
    }
}

#line 120 "tests/corpus/slices.rs"
static __device__ inline void parts(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const usize a = (usize)x[rt::at(0, x_len, 2, launch)];
#line 121
    const usize b = (usize)x[rt::at(1, x_len, 3, launch)];
    y[rt::at(0, y_len, 4, launch)] = 1;
    const usize part_len = rt::part_len(a, b, x_len, 5, launch);
#line 123
    y[rt::at(1, y_len, 8, launch)] = device::small_sum(x + a, part_len, launch);
    const usize part_len_2 = rt::rest_len(a, x_len, 9, launch);
#line 124
    y[rt::at(2, y_len, 10, launch)] = device::small_sum(x + a, part_len_2, launch);
    const usize part_len_3 = rt::part_len(0, b, x_len, 11, launch);
#line 125
    y[rt::at(3, y_len, 14, launch)] = device::small_sum(x, part_len_3, launch);
    y[rt::at(4, y_len, 15, launch)] = device::small_sum(x, x_len, launch);
    const usize part_len_4 = rt::rest_len(a, x_len, 16, launch);
#line 127
    const usize part_len_5 = rt::part_len(0, 2, part_len_4, 17, launch);
#line 127
    y[rt::at(5, y_len, 20, launch)] = device::small_sum(x + a, part_len_5, launch);
    const usize start = rt::add_u64(a, 1, 21, launch);
#line 128
    const usize end = rt::add_u64(b, 1, 22, launch);
#line 128
    const usize part_len_6 = rt::part_len(start, end, y_len, 23, launch);
#line 128
    device::fill(y + start, part_len_6, 7);
}

}  // namespace device

#line 120 "tests/corpus/slices.rs"
extern "C" __global__ void parts(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 26, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 27, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 28, launch);
        const usize end = rt::add_u64(from, 8, 29, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 30, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 33, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 34, launch);
#line 50
        device::parts(x + from, part_len, y + to, part_len_2, launch);
    }
}
