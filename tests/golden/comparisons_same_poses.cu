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

static __device__ __forceinline__ usize at(usize index, usize len, u32 site, Launch launch) {
    if (index >= len) fault(launch, site, index, len);
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

static __device__ __forceinline__ i32 wrapping_sub_i32(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }

static __device__ __forceinline__ u32 add_u32(u32 a, u32 b, u32 site, Launch launch) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != (u32)sum) fault(launch, site, 0, 0);
    return (u32)sum;
}

static __device__ __forceinline__ u32 mul_u32(u32 a, u32 b, u32 site, Launch launch) {
    const u64 product = (u64)a * (u64)b;
    if (product != (u32)product) fault(launch, site, 0, 0);
    return (u32)product;
}

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::comparisons::device::Angle
struct __align__(4) Angle {
    i32 degrees;
    i32 turns;
};
static_assert(sizeof(Angle) == 8, "the size of Angle");
static_assert(offset_of(Angle, degrees) == 0, "the offset of Angle::degrees");
static_assert(offset_of(Angle, turns) == 4, "the offset of Angle::turns");

// cumbia_corpus::comparisons::device::Sign
typedef u8 Sign;
constexpr Sign Sign_Plus = 0;
constexpr Sign Sign_Minus = 1;
constexpr Sign Sign_Unknown = 2;

// cumbia_corpus::comparisons::device::Level
typedef u8 Level;
constexpr Level Level_Low = 3;
constexpr Level Level_High = 200;
constexpr Level Level_Middle = 100;

// cumbia_corpus::comparisons::device::Pose
struct __align__(4) Pose {
    rt::Array<float, 2> at;
    types::Angle heading;
    types::Level level;
    rt::Array<types::Sign, 3> signs;
};
static_assert(sizeof(Pose) == 20, "the size of Pose");
static_assert(offset_of(Pose, at) == 0, "the offset of Pose::at");
static_assert(offset_of(Pose, heading) == 8, "the offset of Pose::heading");
static_assert(offset_of(Pose, level) == 16, "the offset of Pose::level");
static_assert(offset_of(Pose, signs) == 17, "the offset of Pose::signs");

// (cumbia_corpus::comparisons::device::Pose, u8)
struct Tuple_Pose_u8 {
    types::Pose _0;
    u8 _1;
};

}  // namespace types

#undef offset_of

namespace device {

#line 52 "tests/corpus/comparisons.rs"
static __device__ inline bool Angle_eq(const types::Angle& self_, const types::Angle& other) {
    return rt::wrapping_sub_i32(self_.degrees, rt::opaque(other.degrees)) % 360 == 0;
}

#line 66 "tests/corpus/comparisons.rs"
static __device__ inline bool Sign_eq(const types::Sign& self_, const types::Sign& other) {
    return self_ == other && self_ != 2;
}

#line 1 "<derived PartialEq>"
static __device__ inline bool array_eq(const rt::Array<types::Sign, 3>& self, const rt::Array<types::Sign, 3>& other) {
    for (usize at = 0; at < 3; ++at) {
        if (!device::Sign_eq(self[at], other[at])) {
            return false;
        }
    }
    return true;
}

#line 1 "<derived PartialEq>"
static __device__ inline bool Pose_eq(const types::Pose& self, const types::Pose& other) {
    return self.at[0] == other.at[0] && self.at[1] == other.at[1] && device::Angle_eq(self.heading, other.heading) && device::array_eq(self.signs, other.signs) && self.level == other.level;
}

#line 1 "<derived PartialEq>"
static __device__ inline bool array_eq_2(const rt::Array<types::Pose, 2>& self, const rt::Array<types::Pose, 2>& other) {
    for (usize at = 0; at < 2; ++at) {
        if (!device::Pose_eq(self[at], other[at])) {
            return false;
        }
    }
    return true;
}

#line 1 "<derived PartialEq>"
static __device__ inline bool tuple_eq(types::Pose self_0, u8 self_1, types::Pose other_0, u8 other_1) {
    const types::Tuple_Pose_u8 self = {self_0, self_1};
    const types::Tuple_Pose_u8 other = {other_0, other_1};
    return device::Pose_eq(self._0, other._0) && self._1 == other._1;
}

}  // namespace device

#line 364 "tests/corpus/comparisons.rs"
extern "C" __global__ void same_poses(const types::Pose* __restrict__ x, usize x_len, const types::Pose* __restrict__ y, usize y_len, u32* __restrict__ out, usize out_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < out_len) {
        const rt::Array<types::Pose, 2> value = {{x[rt::at(i, x_len, 4, launch)], y[rt::at(i, y_len, 5, launch)]}};
#line 367
        const rt::Array<types::Pose, 2> value_2 = {{y[rt::at(i, y_len, 6, launch)], x[rt::at(i, x_len, 7, launch)]}};
#line 367
        const bool swapped = device::array_eq_2(value, value_2);
        const bool parts = device::Angle_eq(x[rt::at(i, x_len, 8, launch)].heading, y[rt::at(i, y_len, 9, launch)].heading) && device::array_eq(x[rt::at(i, x_len, 10, launch)].signs, y[rt::at(i, y_len, 11, launch)].signs);
        out[rt::at(i, out_len, 26, launch)] = rt::add_u32(rt::add_u32(rt::add_u32(rt::add_u32((u32)device::Pose_eq(x[rt::at(i, x_len, 12, launch)], y[rt::at(i, y_len, 13, launch)]), rt::mul_u32(2, (u32)!device::Pose_eq(x[rt::at(i, x_len, 14, launch)], y[rt::at(i, y_len, 15, launch)]), 16, launch), 17, launch), rt::mul_u32(4, (u32)swapped, 18, launch), 19, launch), rt::mul_u32(8, (u32)device::tuple_eq(x[rt::at(i, x_len, 20, launch)], 1, y[rt::at(i, y_len, 21, launch)], 1), 22, launch), 23, launch), rt::mul_u32(16, (u32)parts, 24, launch), 25, launch);
    }
}
