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

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 sum = (i64)((u64)a + (u64)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}

static __device__ __forceinline__ u64 sub_u64(u64 a, u64 b, u32 site, Launch launch) {
    u64 seen = a;
    asm("" : "+l"(seen));
    if (seen < b) fault(launch, site, 0, 0);
    return a - b;
}

static __device__ __forceinline__ i64 mul_i64(i64 a, i64 b, u32 site, Launch launch) {
    const i64 product = (i64)((u64)a * (u64)b);
    if (__mul64hi(a, b) != (product >> 63)) fault(launch, site, 0, 0);
    return product;
}

}  // namespace rt

namespace device {

#line 134 "tests/corpus/views.rs"
static __device__ inline i64 total(const i64* line, usize line_len_0, usize line_stride_0, rt::Launch launch) {
    i64 sum = 0;
    for (usize i = 0; i < line_len_0; ++i) {
        sum = rt::add_i64(rt::mul_i64(sum, 3, 0, launch), rt::opaque(line[i * line_stride_0]), 2, launch);
    }
    return sum;
}

#line 143 "tests/corpus/views.rs"
static __device__ inline void scale(i64* line, usize line_len_0, usize line_stride_0, i64 by, rt::Launch launch) {
    for (usize i = 0; i < line_len_0; ++i) {
        const usize at = i * line_stride_0;
#line 145
        line[at] = rt::mul_i64(line[at], by, 4, launch);
    }
}

}  // namespace device

#line 151 "tests/corpus/views.rs"
extern "C" __global__ void lines_of(i64* __restrict__ a, usize a_len_0, usize a_len_1, usize a_stride_0, usize a_stride_1, i64* __restrict__ rows, usize rows_len, i64* __restrict__ columns, usize columns_len, rt::Launch launch) {
    if (rt::within(a_len_0, rows_len)) {
#line 152
        for (usize i = 0; i < a_len_0; ++i) {
            i64* const row = a + i * a_len_1;
#line 153
            rows[i] = device::total(row, a_len_1, 1, launch);
        }
    } else {
#line 152
        for (usize i = 0; i < a_len_0; ++i) {
            i64* const row = a + i * a_len_1;
#line 153
            rows[rt::at(i, rt::opaque(rows_len), 6, launch)] = device::total(row, a_len_1, 1, launch);
        }
    }
#line 155
    if (rt::within(a_len_1, columns_len) && rt::within(1, a_len_0)) {
#line 155
        for (usize j = 0; j < a_len_1; ++j) {
            i64* const column_2 = a + j;
#line 156
            const i64* const column = column_2;
#line 156
            const usize column_len_0 = a_len_0;
#line 156
            const usize column_stride_0 = a_len_1;
            columns[j] = rt::add_i64(rt::opaque(rt::add_i64(device::total(column, column_len_0, column_stride_0, launch), rt::opaque(column[0 * column_stride_0]), 9, launch)), rt::mul_i64((i64)column_len_0, 1000000, 10, launch), 11, launch);
        }
    } else {
#line 155
        for (usize j = 0; j < a_len_1; ++j) {
            i64* const column_2 = a + j;
#line 156
            const i64* const column = column_2;
#line 156
            const usize column_len_0 = a_len_0;
#line 156
            const usize column_stride_0 = a_len_1;
            columns[rt::at(j, rt::opaque(columns_len), 12, launch)] = rt::add_i64(rt::opaque(rt::add_i64(device::total(column, column_len_0, column_stride_0, launch), rt::opaque(column[rt::at(0, column_len_0, 8, launch) * column_stride_0]), 9, launch)), rt::mul_i64((i64)column_len_0, 1000000, 10, launch), 11, launch);
        }
    }
#line 159
    i64* const row_mut = a + rt::at(rt::sub_u64(a_len_0, 1, 13, launch), a_len_0, 14, launch) * a_len_1;
#line 159
    i64* const last = row_mut;
#line 159
    const usize last_len_0 = a_len_1;
#line 159
    const usize last_stride_0 = 1;
    last[rt::at(1, last_len_0, 15, launch) * last_stride_0] = 7;
    const usize at = rt::at(0, last_len_0, 16, launch) * last_stride_0;
#line 161
    last[at] = rt::add_i64(last[at], 5, 17, launch);
    i64* const column_mut = a + rt::at(2, a_len_1, 18, launch);
#line 162
    device::scale(column_mut, a_len_0, a_len_1, 10, launch);
    i64* const row_mut_2 = a + rt::at(0, a_len_0, 19, launch) * a_len_1;
#line 163
    device::scale(row_mut_2, a_len_1, 1, -1, launch);
    i64* const across = a;
#line 164
    const usize across_len_0 = a_len_1;
#line 164
    const usize across_len_1 = a_len_0;
#line 164
    const usize across_stride_0 = 1;
#line 164
    const usize across_stride_1 = a_len_1;
    const usize at_2 = rt::at(0, rows_len, 22, launch);
#line 165
    rows[at_2] = rt::add_i64(rows[at_2], across[rt::at(1, across_len_0, 20, launch) * across_stride_0 + rt::at(0, across_len_1, 21, launch) * across_stride_1], 23, launch);
    i64* const row_2 = across + rt::at(0, across_len_0, 24, launch) * across_stride_0;
#line 166
    const usize at_3 = rt::at(0, columns_len, 25, launch);
#line 166
    columns[at_3] = rt::add_i64(columns[at_3], device::total(row_2, across_len_1, across_stride_1, launch), 26, launch);
}
