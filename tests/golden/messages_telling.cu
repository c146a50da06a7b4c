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

template <class T>
static __device__ __forceinline__ u64 bits(T value) {
    u64 bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

struct Print {
    u32 used;
    u32 capacity;
    u32 lost;
    u32 pad;
};

static __device__ __noinline__ void print_words(Launch launch, u32 site, const u64* args, u32 count) {
    Print* const buffer = launch.print;
    if (buffer == nullptr) return;
    const u32 need = 4 + count;
    const u32 capacity = buffer->capacity;
    u32 start = capacity;
    if (*(volatile u32*)&buffer->used < capacity) start = atomicAdd(&buffer->used, need);
    if (start >= capacity || need > capacity - start) {
        atomicAdd(&buffer->lost, 1u);
        return;
    }
    u64* const words = (u64*)(buffer + 1) + start;
    words[0] = (u64)site + 1 | (u64)launch.kernel << 32;
    words[1] = blockIdx.x | (u64)blockIdx.y << 32;
    words[2] = blockIdx.z | (u64)threadIdx.x << 32;
    words[3] = threadIdx.y | (u64)threadIdx.z << 32;
    for (u32 i = 0; i < count; ++i) words[4 + i] = args[i];
}

template <class... T>
static __device__ __forceinline__ void print(Launch launch, u32 site, T... values) {
    const u64 args[] = {0, bits(values)...};
    print_words(launch, site, args + 1, sizeof...(T));
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

}  // namespace rt

namespace device {

#line 69 "tests/corpus/messages.rs"
static __device__ inline float tell(float value, usize at, rt::Launch launch) {
    rt::print(launch, 0, value, at);
    return value * 2.0f;
}

}  // namespace device

#line 76 "tests/corpus/messages.rs"
extern "C" __global__ void telling(const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    rt::print(launch, 1);
    for (usize k = 0; k < x_len; ++k) {
        if (x[rt::at<2>(k, rt::opaque(x_len), launch)] > 1.0f) {
            const float value = device::tell(x[rt::at<3>(k, rt::opaque(x_len), launch)], k, launch);
#line 81
            const float value_2 = device::tell(-x[rt::at<4>(k, rt::opaque(x_len), launch)], i, launch);
#line 81
            y[rt::at<5>(k, rt::opaque(y_len), launch)] = value + value_2;
            continue;
        }
        rt::print(launch, 6, k);
        rt::print(launch, 7);
    }
    rt::print(launch, 8, i, gridDim.x * (usize)blockDim.x);
}
