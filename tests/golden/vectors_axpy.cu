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

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_kernel_std::vector::Vec4<f32>
struct __align__(16) Vec4_f32 {
    float x;
    float y;
    float z;
    float w;
};
static_assert(sizeof(Vec4_f32) == 16, "the size of Vec4_f32");
static_assert(offset_of(Vec4_f32, x) == 0, "the offset of Vec4_f32::x");
static_assert(offset_of(Vec4_f32, y) == 4, "the offset of Vec4_f32::y");
static_assert(offset_of(Vec4_f32, z) == 8, "the offset of Vec4_f32::z");
static_assert(offset_of(Vec4_f32, w) == 12, "the offset of Vec4_f32::w");

}  // namespace types

#undef offset_of

namespace device {

#line 180 "kernel-std/src/vector.rs"
static __device__ inline types::Vec4_f32 Vec4_mul(types::Vec4_f32 self_, float factor) {
#line 254
    const types::Vec4_f32 value = {0.0f, 0.0f, 0.0f, 0.0f};
#line 254
    return types::Vec4_f32{self_.x * factor, self_.y * factor, self_.z * factor, self_.w * factor};
}

#line 205 "kernel-std/src/vector.rs"
static __device__ inline void Vec4_add_assign(types::Vec4_f32& self_, types::Vec4_f32 other) {
    self_.x += other.x;
#line 206
    self_.y += other.y;
#line 206
    self_.z += other.z;
#line 206
    self_.w += other.w;
}

}  // namespace device

#line 33 "tests/corpus/vectors.rs"
extern "C" __global__ void axpy(float a, const types::Vec4_f32* __restrict__ x, usize x_len, types::Vec4_f32* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < y_len) {
        device::Vec4_add_assign(y[rt::at<0>(i, y_len, launch)], device::Vec4_mul(x[rt::at<1>(i, x_len, launch)], a));
    }
}
