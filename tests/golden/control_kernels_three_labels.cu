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

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (i32)sum) fault(launch, site, 0, 0);
    return (i32)sum;
}

static __device__ __forceinline__ void keep_loop() {
    asm volatile("pmevent 7;");
}

}  // namespace rt

namespace device {

#line 95 "tests/corpus/control.rs"
static __device__ inline i32 three_labels(i32 x, rt::Launch launch) {
    i32 trace = 0;
    for (;; rt::keep_loop()) {
        {
#line 98
            trace = rt::add_i32(trace, 1, 0, launch);
            for (; rt::opaque(trace) < 1000; rt::keep_loop()) {
                {
#line 100
                    trace = rt::add_i32(trace, 10, 1, launch);
                    for (i32 k = 0; k < 5; ++k) {
                        trace = rt::add_i32(trace, rt::opaque(k), 2, launch);
                        if (trace % 7 == rt::opaque(x % 7)) {
                            goto next_1;
                        }
                        if (trace % 11 == 3) {
                            break;
                        }
                        if (trace > rt::opaque(rt::add_i32(500, x, 3, launch))) {
                            goto end_2;
                        }
                        if (trace % 13 == 5) {
                            goto next_3;
                        }
                    }
                    trace = rt::add_i32(trace, 2, 4, launch);
                }
                next_1:;
            }
#line 118
            break;
        }
        next_3:;
    }
    end_2:;
#line 120
    return trace;
}

}  // namespace device

#line 95 "tests/corpus/control.rs"
extern "C" __global__ void three_labels(const i32* __restrict__ x, usize x_len, i32* __restrict__ out, usize out_len, rt::Launch launch) {
#line 20
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < out_len) {
        out[rt::at<6>(i, out_len, launch)] = device::three_labels(x[rt::at<5>(i, x_len, launch)], launch);
    }
}
