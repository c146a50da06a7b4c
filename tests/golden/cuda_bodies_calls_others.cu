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

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::cuda_bodies::scalbn
struct __align__(8) scalbn {
    double fmax;
    u32 sinf;
};
static_assert(sizeof(scalbn) == 16, "the size of scalbn");
static_assert(offset_of(scalbn, fmax) == 0, "the offset of scalbn::fmax");
static_assert(offset_of(scalbn, sinf) == 8, "the offset of scalbn::sinf");

// cumbia_corpus::cuda_bodies::fmod
typedef u8 fmod_;
constexpr fmod_ fmod_fdim = 0;
constexpr fmod_ fmod_hypot = 1;

}  // namespace types

#undef offset_of

namespace foreign {

#line 13 "tests/corpus/cuda_bodies.rs"
static __device__ inline double ldexp_(double x, i32 n) {
// CUDA C of ldexp, 1 lines
#line 12 "tests/corpus/cuda_bodies.rs"
    return ldexp(x, n);
}

#line 85 "tests/corpus/cuda_bodies.rs"
static __device__ inline i32 abs_(i32 x) {
// CUDA C of abs, 1 lines
#line 84 "tests/corpus/cuda_bodies.rs"
    return -x;
}

#line 74 "tests/corpus/cuda_bodies.rs"
static __device__ inline i32 others_(i32 n, types::scalbn x) {
// CUDA C of others, 1 lines
#line 73 "tests/corpus/cuda_bodies.rs"
    return (i32)(ldexp(1.0, n) + fmin(2.0, 1.0) + fmax(x.fmax, 1.0)) + abs(-n) + (i32)x.sinf;
}

#line 102 "tests/corpus/cuda_bodies.rs"
static __device__ inline double of_types_(double x, types::fmod_ kind) {
// CUDA C of of_types, 1 lines
#line 101 "tests/corpus/cuda_bodies.rs"
    return scalbn(fmod(x, 4.0), (i32)kind + 1) + fdim(x, 1.0) + hypot(3.0, 4.0);
}

}  // namespace foreign

namespace device {

#line 80 "tests/corpus/cuda_bodies.rs"
static __device__ inline double fmin_(double a, double b) {
    return a + b * 100.0;
}

}  // namespace device

#line 107 "tests/corpus/cuda_bodies.rs"
extern "C" __global__ void calls_others(const types::scalbn* __restrict__ x, usize x_len, double* __restrict__ f, usize f_len, i32* __restrict__ n, usize n_len, rt::Launch launch) {
    f[rt::at(0, f_len, 0, launch)] = device::fmin_(1.0, 2.0);
    const double value = foreign::ldexp_(1.0, 2);
#line 109
    f[rt::at(1, f_len, 1, launch)] = value;
    const i32 value_2 = foreign::abs_(5);
#line 110
    n[rt::at(0, n_len, 2, launch)] = value_2;
    const i32 value_3 = foreign::others_(3, x[rt::at(0, x_len, 3, launch)]);
#line 111
    n[rt::at(1, n_len, 4, launch)] = value_3;
    const double value_4 = foreign::of_types_(6.0, types::fmod_hypot);
#line 112
    f[rt::at(2, f_len, 5, launch)] = value_4;
    const double value_5 = foreign::of_types_(6.0, types::fmod_fdim);
#line 113
    f[rt::at(3, f_len, 6, launch)] = value_5;
}
