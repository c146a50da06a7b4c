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

static __device__ __forceinline__ usize part_len(usize start, usize end, usize len, u32 site, Launch launch) {
    if (start > len) fault(launch, site, start, len);
    if (end > len) fault(launch, site + 1, end, len);
    if (start > end) fault(launch, site + 2, start, end);
    return end - start;
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

static __device__ __forceinline__ bool step_down_i16(i16& i, i16 last, usize by) {
    if ((u64)i - (u64)last < by) return false;
    i = (i16)((u64)i - by);
    return true;
}

static __device__ __forceinline__ bool step_down_i32(i32& i, i32 last, usize by) {
    if ((u64)i - (u64)last < by) return false;
    i = (i32)((u64)i - by);
    return true;
}

static __device__ __forceinline__ i32 wrapping_sub_i32(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 sum = (i64)((u64)a + (u64)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}

static __device__ __forceinline__ u64 add_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}

static __device__ __forceinline__ i64 mul_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 product = (i64)((u64)a * (u64)b);
    if (__mul64hi(a, b) != (product >> 63)) fault(launch, site, 0, 0);
    return product;
}

static __device__ __forceinline__ u64 mul_u64(u64 a, u64 b, u32 site, Launch launch) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}

}  // namespace rt

namespace device {

#line 16 "tests/corpus/sequences.rs"
static __device__ inline void directions(const i32* x, usize x_len, i64* y, usize y_len, rt::Launch launch) {
    const i32 a = x[rt::at<0>(0, x_len, launch)] % 50;
#line 17
    const i32 b = x[rt::at<1>(1, x_len, launch)] % 50;
#line 17
    const usize n = rt::add_u64((usize)(x[rt::at<2>(2, x_len, launch)] & 7), 1, 3, launch);
    usize at = 0;
    for (i32 i_next = b; i_next > a; --i_next) {
#line 19
        const i32 i = i_next - 1;
        y[at % 3] = rt::add_i64(rt::mul_i64(y[at % 3], 7, 5, launch) % 1000003, rt::opaque((i64)i), 6, launch);
        at = rt::add_u64(at, 1, 8, launch);
    }
    i32 i_2 = b;
#line 23
    for (bool more = i_2 >= a; more; more = rt::step_down_i32(i_2, a, 1)) {
        y[3] = rt::add_i64(rt::mul_i64(y[3], 7, 10, launch) % 1000003, rt::opaque((i64)i_2), 11, launch);
    }
    if (n == 0) {
#line 26
        rt::fault(launch, 13, 0, 0);
    }
#line 26
    for (i32 i_3 = a; i_3 < b; i_3 = rt::step_i32(i_3, b, n)) {
        y[4] = rt::add_i64(rt::mul_i64(y[4], 7, 15, launch) % 1000003, rt::opaque((i64)i_3), 16, launch);
    }
    if (n == 0) {
#line 29
        rt::fault(launch, 18, 0, 0);
    }
#line 29
    i32 i_4 = a;
#line 29
    for (bool more_2 = i_4 <= b; more_2; more_2 = rt::step_to_i32(i_4, b, n)) {
        y[5] = rt::add_i64(rt::mul_i64(y[5], 7, 20, launch) % 1000003, rt::opaque((i64)i_4), 21, launch);
    }
    if (n == 0) {
#line 32
        rt::fault(launch, 23, 0, 0);
    }
#line 32
    const i32 last = rt::wrapping_sub_i32(b, 1);
#line 32
    const i32 last_2 = (i32)((usize)a + ((usize)last - (usize)a) / n * n);
#line 32
    i32 i_5 = last_2;
#line 32
    for (bool more_3 = a < b; more_3; more_3 = rt::step_down_i32(i_5, a, n)) {
        y[6] = rt::add_i64(rt::mul_i64(y[6], 7, 25, launch) % 1000003, rt::opaque((i64)i_5), 26, launch);
    }
    const i16 end = (i16)b;
#line 35
    if (n == 0) {
#line 35
        rt::fault(launch, 28, 0, 0);
    }
#line 35
    const i16 start = (i16)a;
#line 35
    const i16 last_3 = (i16)((usize)start + ((usize)end - (usize)start) / n * n);
#line 35
    i16 i_6 = last_3;
#line 35
    for (bool more_4 = start <= end; more_4; more_4 = rt::step_down_i16(i_6, start, n)) {
        y[7] = rt::add_i64(rt::mul_i64(y[7], 7, 30, launch) % 1000003, rt::opaque((i64)i_6), 31, launch);
    }
    if (n == 0) {
#line 38
        rt::fault(launch, 33, 0, 0);
    }
#line 38
    const i32 last_4 = rt::wrapping_sub_i32(b, 1);
#line 38
    i32 i_7 = last_4;
#line 38
    for (bool more_5 = a < b; more_5; more_5 = rt::step_down_i32(i_7, a, n)) {
        y[8] = rt::add_i64(rt::mul_i64(y[8], 7, 35, launch) % 1000003, rt::opaque((i64)i_7), 36, launch);
    }
    if (n == 0) {
#line 41
        rt::fault(launch, 38, 0, 0);
    }
#line 41
    i32 i_8 = b;
#line 41
    for (bool more_6 = i_8 >= a; more_6; more_6 = rt::step_down_i32(i_8, a, n)) {
        y[9] = rt::add_i64(rt::mul_i64(y[9], 7, 40, launch) % 1000003, rt::opaque((i64)i_8), 41, launch);
    }
    const i32 last_5 = rt::wrapping_sub_i32(b, 1);
#line 44
    i32 i_9 = a;
#line 44
    for (bool more_7 = a < b; more_7; more_7 = rt::step_to_i32(i_9, last_5, 1)) {
        y[10] = rt::add_i64(rt::mul_i64(y[10], 7, 44, launch) % 1000003, rt::opaque((i64)i_9), 45, launch);
    }
}

}  // namespace device

#line 16 "tests/corpus/sequences.rs"
extern "C" __global__ void directions(const i32* __restrict__ x, usize x_len, i64* __restrict__ y, usize y_len, rt::Launch launch) {
#line 47
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (rt::mul_u64(12, i, 47, launch) < y_len) {
        const usize from = rt::mul_u64(8, i, 48, launch);
#line 49
        const usize to = rt::mul_u64(12, i, 49, launch);
        const usize end = rt::add_u64(from, 8, 50, launch);
#line 50
        const usize part_len = rt::part_len(from, end, x_len, 51, launch);
#line 50
        const usize end_2 = rt::add_u64(to, 12, 54, launch);
#line 50
        const usize part_len_2 = rt::part_len(to, end_2, y_len, 55, launch);
#line 50
        device::directions(x + from, part_len, y + to, part_len_2, launch);
    }
}
