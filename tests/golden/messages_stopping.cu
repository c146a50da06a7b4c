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

template <class T>
static __device__ __forceinline__ u64 bits(T value) {
    u64 bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class... T>
static __device__ __noinline__ __attribute__((noreturn)) void panic(Launch launch, u32 site, T... values) {
    if (Fault* const record = claim(launch, site)) {
        const u64 args[] = {bits(values)...};
        for (u32 i = 0; i < sizeof...(T); ++i) record->args[i] = args[i];
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

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (i32)sum) fault(launch, site, 0, 0);
    return (i32)sum;
}

static __device__ __forceinline__ u8 add_u8(u8 a, u8 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u8)sum) fault(launch, site, 0, 0);
    return (u8)sum;
}

static __device__ __forceinline__ i32 div_i32(i32 a, i32 b, u32 site, Launch launch) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == (-2147483647 - 1) && b == -1) fault(launch, site + 1, 0, 0);
    return (i32)(a / b);
}

}  // namespace rt

namespace device {

#line 108 "tests/corpus/messages.rs"
static __device__ inline i32 stop(u32 which, i32 i, float f, u64 n, rt::Launch launch) {
#line 124
    switch (which) {
        case 0: {
#line 125
            rt::fault(launch, 0, 0, 0);
        }
        case 1: {
#line 126
            rt::fault(launch, 1, 0, 0);
        }
        case 2: {
#line 127
            rt::panic(launch, 2, i, f, n);
        }
        case 3: {
#line 128
            rt::panic(launch, 3, i, f, n, (i8)i, (u16)n, f > 1.0f);
        }
        case 4: {
#line 129
            rt::fault(launch, 4, 0, 0);
        }
        case 5: {
#line 130
            rt::panic(launch, 5, n);
        }
        case 6: {
#line 131
            rt::fault(launch, 6, 0, 0);
        }
        case 7: {
#line 132
            rt::panic(launch, 7, i);
        }
        case 8: {
#line 133
            rt::panic(launch, 8, f);
        }
        case 9: {
#line 134
            if (!(i > 5)) {
#line 134
                rt::fault(launch, 9, 0, 0);
            }
            break;
        }
        case 10: {
#line 135
            if (!(i > 5 && n < 3)) {
#line 135
                rt::panic(launch, 10, i, n);
            }
            break;
        }
        case 11: {
#line 136
            const i32 left = i;
#line 136
            const i32 right = 5;
#line 136
            if (left != right) {
#line 136
                rt::panic(launch, 11, left, right);
            }
            break;
        }
        case 12: {
#line 137
            const i32 left_2 = i;
#line 137
            const i32 right_2 = 5;
#line 137
            if (left_2 != right_2) {
#line 137
                rt::panic(launch, 12, f, left_2, right_2, n);
            }
            break;
        }
        case 13: {
#line 138
            const u64 left_3 = (u64)i & 1;
#line 138
            const u64 right_3 = n & 1;
#line 138
            if (left_3 == right_3) {
#line 138
                rt::panic(launch, 13, left_3, right_3);
            }
            break;
        }
        case 14: {
#line 139
            const float left_4 = f;
#line 139
            const float right_4 = 1.5f;
#line 139
            if (left_4 == right_4) {
#line 139
                rt::panic(launch, 14, left_4, right_4);
            }
            break;
        }
        case 15: {
#line 140
            if (i == 7) {
#line 140
                rt::panic(launch, 15, i);
            }
            break;
        }
        case 16: {
#line 141
            const i32 left_5 = i % 2;
#line 141
            const i32 right_5 = 1;
#line 141
            if (left_5 != right_5) {
#line 141
                rt::panic(launch, 16, left_5, right_5);
            }
            break;
        }
        case 17: {
#line 142
            rt::div_i32(10, i, 17, launch);
            break;
        }
        case 18: {
#line 143
            bool value;
#line 143
            if (i >= 1 && i <= 4) {
#line 143
                value = true;
            } else {
#line 143
                value = false;
            }
#line 143
            if (!value) {
#line 143
                rt::panic(launch, 19, i, f);
            }
            break;
        }
        case 19: {
#line 144
            const u8 left_6 = rt::add_u8((u8)(i > 0), 200, 20, launch);
#line 144
            const u8 right_6 = 200;
#line 144
            if (left_6 != right_6) {
#line 144
                rt::panic(launch, 21, left_6, right_6);
            }
            break;
        }
        case 20: {
#line 145
            const bool left_7 = i > 3;
#line 145
            const bool right_7 = f > 1.0f;
#line 145
            if (left_7 != right_7) {
#line 145
                rt::panic(launch, 22, left_7, right_7);
            }
            break;
        }
        case 21: {
#line 146
            const rt::Array<i32, 3> list = {{1, 2, 3}};
#line 146
            return list[rt::at<23>((usize)i, 3, launch)];
        }
        default: {
#line 147
            return rt::add_i32(i, 1, 24, launch);
        }
    }
#line 149
    return 0;
}

}  // namespace device

#line 153 "tests/corpus/messages.rs"
extern "C" __global__ void stopping(u32 which, i32 i, float f, u64 n, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    y[rt::at<25>(0, y_len, launch)] = 1;
    y[rt::at<26>(1, y_len, launch)] = device::stop(which, i, f, n, launch);
    y[rt::at<27>(2, y_len, launch)] = 3;
}
